// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pairs: creation and destruction. State changes are in qp_modify.c.
 *
 * Types are RC, UC, UD, GSI and DCI, and the UMR QP of the driver itself. DCTs,
 * which have no rings, are in dct.c. The GSI QP is the device's QP1, used
 * directly: Ethernet has a single P_Key, so no further QP is needed to send.
 *
 * A QP with IB_QP_CREATE_INTEGRITY_EN reserves entries in its CQs, and resizes
 * the CQs if necessary: consumers count one CQE for a registration of an
 * INTEGRITY MR, but a registration that is flushed takes up to four CQEs, and a
 * signature error takes a further CQE.
 *
 * A QP with an SRQ has no receive ring: it uses receives of the SRQ
 * (srq_ring.c).
 *
 * Destruction: the QP is moved to RESET (2RST_QP). Under the locks of its CQs,
 * it is removed from the table and the CQs are cleaned, so that no completion
 * finds the QP. Destruction then waits for queued events and destroys the
 * firmware object. At the end, the rings and the doorbell records are freed.
 *
 * The device may refuse 2RST_QP, DESTROY_QP or both. It uses no memory for a QP
 * in RESET, nor for a QP that was destroyed in another state: mlx5_core itself
 * destroys QPs in RTS. So the rings are freed when either command succeeds. If
 * both fail, the rings of the QP are leaked on purpose. If its CQs and SRQ
 * cannot be destroyed either, their rings are leaked, too: the device might
 * read reused memory as WQEs, or overwrite it with CQEs. A QP that cannot be
 * reset is moved to ERR before DESTROY_QP: in ERR it sends and accepts no
 * messages, but the device may flush its WRs for a while.
 *
 * A QP that has a command without an answer (ibx_qp.lost) is not destroyed, and
 * its rings are leaked: if its number were used again, the late command would
 * change another QP. If neither RESET nor ERR was confirmed by the device, the QP
 * is destroyed nevertheless, because it might access memory that its owner frees.
 */
#include <linux/slab.h>

#include "cmd/cmd.h"
#include "enc/qpc.h"
#include "verbs/verbs.h"
#include "wq/wq.h"

static int qp_st(const struct ibx_dev *dev, enum ib_qp_type type, const struct ibx_qp_init *init)
{
	switch (type) {
	case IB_QPT_RC:
		return MLX5_QP_ST_RC;
	case IB_QPT_UC:
		return MLX5_CAP_GEN(dev->mdev, uc) ? MLX5_QP_ST_UC : -EOPNOTSUPP;
	case IB_QPT_UD:
		return MLX5_QP_ST_UD;
	case IB_QPT_GSI:
		return MLX5_QP_ST_QP1;
	case IB_QPT_DRIVER:
		if (init && init->umr)
			return MLX5_QP_ST_REG_UMR;
		if (!init || !init->dc_type)
			return -EOPNOTSUPP;
		return init->dc_type == MLX5DV_DCTYPE_DCT ? MLX5_QP_ST_DCT : MLX5_QP_ST_DCI;
	default:
		return -EOPNOTSUPP;
	}
}

static int check_init_attr(const struct ibx_dev *dev, const struct ib_qp_init_attr *attr)
{
	const u32 flags = attr->qp_type == IB_QPT_RC && ibx_has_integrity(dev) ?
				  IB_QP_CREATE_INTEGRITY_EN : 0;

	if (attr->xrcd || attr->rwq_ind_tbl || attr->create_flags & ~flags)
		return -EOPNOTSUPP;
	if (attr->srq && attr->qp_type == IB_QPT_GSI)
		return -EOPNOTSUPP;
	if (!attr->send_cq || !attr->recv_cq)
		return -EINVAL;
	if (attr->qp_type == IB_QPT_GSI && attr->port_num != IBX_PORT)
		return -EINVAL;
	if (attr->sq_sig_type != IB_SIGNAL_ALL_WR && attr->sq_sig_type != IB_SIGNAL_REQ_WR)
		return -EINVAL;
	return 0;
}

static int init_sq(struct ibx_dev *dev, struct ibx_qp *qp, const struct ibx_qp_geom *g)
{
	struct ibx_sq_params p = {
		.buf = qp->buf.va + ibx_geom_rq_bytes(g),
		.wqe_cnt = g->sq_bbs,
		.max_wqe = g->sq_wqe,
		.max_post = g->sq_wrs,
		.max_gs = g->sq_sges,
		.max_inline = g->sq_inline,
		.dbr = &qp->db.db[MLX5_SND_DBR],
		.db_reg = dev->bfreg.map,
		.db_toggle = BIT(MLX5_CAP_GEN(dev->mdev, log_bf_reg_size)) / 2,
		.dma_lkey = qp->ibqp.pd->local_dma_lkey,
		.umr_fence = dev->umr_fence,
		.copies = qp->wr.ops & IBX_OPS_DV(MLX5DV_QP_EX_WITH_MEMCPY |
						  MLX5DV_QP_EX_WITH_RAW_WQE),
		.key_marks = &dev->key_marks,
		.umr_atomic = ibx_umr_has_atomic(dev),
		.sig_all = qp->sig_all,
		.node = dev->mdev->priv.numa_node,
	};

	return ibx_sq_init(&qp->sq, &p);
}

static int init_rq(struct ibx_dev *dev, struct ibx_qp *qp, const struct ibx_qp_geom *g)
{
	struct ibx_rq_params p = {
		.buf = qp->buf.va,
		.wqe_cnt = g->rq_wqes,
		.wqe_shift = g->rq_shift,
		.max_gs = g->rq_sges,
		.dbr = &qp->db.db[MLX5_RCV_DBR],
		.term_lkey = dev->term_lkey,
		.node = dev->mdev->priv.numa_node,
	};

	return ibx_rq_init(&qp->rq, &p);
}

/* memory and software state of the rings */
static int alloc_rings(struct ibx_dev *dev, struct ibx_qp *qp, const struct ibx_qp_geom *g)
{
	size_t bytes = ibx_geom_rq_bytes(g) + ibx_geom_sq_bytes(g);
	int err;

	err = mlx5_db_alloc(dev->mdev, &qp->db);
	if (err)
		return err;
	qp->db.db[MLX5_RCV_DBR] = 0;
	qp->db.db[MLX5_SND_DBR] = 0;
	if (bytes) {
		err = ibx_buf_alloc(dev, &qp->buf, bytes);
		if (err)
			goto free_db;
	}
	err = init_sq(dev, qp, g);
	if (err)
		goto free_buf;
	err = init_rq(dev, qp, g);
	if (err)
		goto fini_sq;
	return 0;

fini_sq:
	ibx_sq_fini(&qp->sq);
free_buf:
	ibx_buf_free(dev, &qp->buf);
free_db:
	mlx5_db_free(dev->mdev, &qp->db);
	return err;
}

static void free_rings(struct ibx_dev *dev, struct ibx_qp *qp)
{
	ibx_rq_fini(&qp->rq);
	ibx_sq_fini(&qp->sq);
	ibx_buf_free(dev, &qp->buf);
	mlx5_db_free(dev->mdev, &qp->db);
}

/*
 * Reserve the CQ entries that ULPs do not count. For each registration of an
 * INTEGRITY MR, the CQ of sends needs an entry for each WQE except the last
 * WQE. For the signature error of each MR, both CQs need an entry. @wrs: number
 * of send WRs, which is the maximum number of registrations in the send queue.
 * A ULP with more than @wrs registered MRs needs entries for their signature
 * errors in its CQs.
 */
static int reserve_cqes(struct ibx_qp *qp, u32 wrs)
{
	int err;

	err = ibx_cq_reserve(qp->ibqp.send_cq, (IBX_PI_HIDDEN + 1) * wrs);
	if (err)
		return err;
	err = ibx_cq_reserve(qp->ibqp.recv_cq, wrs);
	if (err)
		ibx_cq_unreserve(qp->ibqp.send_cq, (IBX_PI_HIDDEN + 1) * wrs);
	else
		qp->reserved = wrs;
	return err;
}

static void unreserve_cqes(struct ibx_qp *qp)
{
	if (!qp->reserved)
		return;
	ibx_cq_unreserve(qp->ibqp.recv_cq, qp->reserved);
	ibx_cq_unreserve(qp->ibqp.send_cq, (IBX_PI_HIDDEN + 1) * qp->reserved);
	qp->reserved = 0;
}

static int qp_create_fw(struct ibx_dev *dev, struct ibx_qp *qp,
			const struct ibx_qp_geom *g,
			const struct ibx_qp_init *init)
{
	struct ibx_qpc_new p = {
		.st = qp->st,
		.pdn = to_ipd(qp->ibqp.pd)->pdn,
		.uar = dev->bfreg.index,
		.scqn = to_icq(qp->ibqp.send_cq)->mcq.cqn,
		.rcqn = to_icq(qp->ibqp.recv_cq)->mcq.cqn,
		.dbr = qp->db.dma,
		.ts_format = mlx5_get_qp_default_ts(dev->mdev),
		.cqe_v1 = MLX5_CAP_GEN(dev->mdev, cqe_version) == 1,
		.srq = qp->srq_ring,
		.geom = g,
	};

	if (init) {
		p.log_streams = init->streams.log_num_concurent;
		p.log_errored = init->streams.log_num_errored;
	}
	if (p.srq)
		p.srqn = to_isrq(qp->ibqp.srq)->srqn;
	return ibx_cmd_create_qp(dev, &p, &qp->buf, qp);
}

/*
 * free the rings after CREATE_QP has failed; leak them if the device may still
 * execute the command
 */
static void drop_rings(struct ibx_dev *dev, struct ibx_qp *qp, int err)
{
	if (!ibx_cmd_lost(err)) {
		free_rings(dev, qp);
		return;
	}
	ibx_rq_fini(&qp->rq);
	ibx_sq_fini(&qp->sq);
	ibx_buf_leak(&qp->buf);
}

/*
 * must the QP stay in the device, because a late command may change it? QP1 is
 * destroyed in any case: the device has only one QP1, which the next driver
 * needs
 */
static bool must_stay(const struct ibx_dev *dev, const struct ibx_qp *qp)
{
	return qp->ibqp.qp_type != IB_QPT_GSI && ibx_cmd_may_change_qp(dev, qp);
}

/* @reset: the QP is in RESET: its rings are freed even if DESTROY_QP fails */
static void destroy_fw_qp(struct ibx_dev *dev, struct ibx_qp *qp, bool reset)
{
	int err = ibx_cmd_destroy_qp(dev, qp);

	ibx_cmd_left(dev, "QP", qp->qpn, err);
	if (err && !reset) {
		ibx_qp_leak(dev, qp);
		return;
	}
	free_rings(dev, qp);
	unreserve_cqes(qp);
}

static void keep_fw_qp(struct ibx_dev *dev, struct ibx_qp *qp)
{
	ibx_cmd_left(dev, "QP", qp->qpn, -ETIMEDOUT);
	ibx_qp_leak(dev, qp);
}

/*
 * Destroy a QP that cannot be reset. The device may write CQEs of flushed WRs
 * until the QP is destroyed. So the CQs are cleaned a second time: the number
 * of the QP may be used again.
 */
static void destroy_running_qp(struct ibx_dev *dev, struct ibx_qp *qp)
{
	int err = ibx_cmd_error_qp(dev, qp);

	if (err)
		ibx_err(dev, "QP 0x%x cannot be moved to error: %d\n", qp->qpn, err);
	ibx_qp_unpublish(dev, qp);
	if (!err && must_stay(dev, qp))
		keep_fw_qp(dev, qp);
	else
		destroy_fw_qp(dev, qp, false);
	ibx_qp_clean_cqs(qp);
}

/* init the state for WR builders, also if the QP is created without builders */
static void init_dv(struct ibx_qp *qp, const struct ibx_qp_init *init)
{
	qp->dev = to_idev(qp->ibqp.device);
	qp->dv.qp_ex.qp = &qp->ibqp;
	qp->wr.chain.sq = &qp->sq;
	qp->wr.ops = init ? init->ops : 0;
	qp->dc.streams = init && init->has_streams;
	qp->drain_sigerr = init && init->drain_sigerr;
	qp->mmo = qp->wr.ops & IBX_OPS_DV(MLX5DV_QP_EX_WITH_MEMCPY) &&
		  qp->dev->mmo.per_qp;
}

static void grant_cap(struct ibx_qp *qp, struct ib_qp_cap *cap, const struct ibx_qp_geom *g)
{
	cap->max_send_wr = g->sq_wrs;
	cap->max_send_sge = g->sq_sges;
	cap->max_inline_data = g->sq_inline;
	cap->max_recv_wr = g->rq_wqes;
	cap->max_recv_sge = g->rq_sges;
	qp->cap = *cap;
}

static void get_limits(const struct ibx_dev *dev, const struct ibx_qp *qp,
		       const struct ibx_qp_init *init, struct ibx_qp_limits *lim)
{
	memset(lim, 0, sizeof(*lim));
	lim->max_wqes = ibx_ring_max(MLX5_CAP_GEN(dev->mdev, log_max_qp_sz));
	lim->max_sq_wqe = qp->st == MLX5_QP_ST_DCI ? MLX5_CAP_GEN(dev->mdev, max_wqe_sz_sq_dc) :
						     MLX5_CAP_GEN(dev->mdev, max_wqe_sz_sq);
	lim->max_rq_wqe = MLX5_CAP_GEN(dev->mdev, max_wqe_sz_rq);
	lim->max_send_sge = dev->ibdev.attrs.max_send_sge;
	lim->layouts = init && init->layouts;
}

/* create a QP with rings, in software and on the device */
static int create_rings_qp(struct ibx_dev *dev, struct ibx_qp *qp, struct ib_qp_init_attr *attr,
			   const struct ibx_qp_init *init)
{
	struct ib_qp_cap want = attr->cap;
	struct ibx_qp_limits lim;
	struct ibx_qp_geom geom;
	int err;

	/*
	 * as the IBTA specification requires, max_recv_wr is ignored with an
	 * SRQ. A DCI does not receive
	 */
	if (qp->srq_ring || qp->st == MLX5_QP_ST_DCI)
		want.max_recv_wr = 0;
	get_limits(dev, qp, init, &lim);
	lim.integrity = attr->create_flags & IB_QP_CREATE_INTEGRITY_EN;
	err = ibx_qp_geometry(qp->ibqp.qp_type, &want, &lim, &geom);
	if (err)
		return err;
	if (lim.integrity) {
		err = reserve_cqes(qp, geom.sq_wrs);
		if (err)
			return err;
	}
	err = alloc_rings(dev, qp, &geom);
	if (err)
		goto unreserve;
	err = qp_create_fw(dev, qp, &geom, init);
	if (err)
		goto drop_rings;
	ibx_sq_set_qpn(&qp->sq, qp->qpn);
	err = ibx_qp_publish(dev, qp);
	if (err) {
		destroy_fw_qp(dev, qp, true);
		return err;
	}
	grant_cap(qp, &attr->cap, &geom);
	return 0;

drop_rings:
	drop_rings(dev, qp, err);
unreserve:
	unreserve_cqes(qp);
	return err;
}

/*
 * Return: the structure that contains @attr, if mlx5dv_create_qp() is the
 * caller; else NULL. A flag in @attr cannot show the caller: any kernel caller
 * may set any flag.
 */
static const struct ibx_qp_init *find_init(struct ibx_dev *dev, const struct ib_qp_init_attr *attr)
{
	const struct ibx_qp_init *init, *found = NULL;

	xa_lock_irq(&dev->qps);
	list_for_each_entry(init, &dev->qp_inits, link)
		if (&init->base == attr)
			found = init;
	xa_unlock_irq(&dev->qps);
	return found;
}

static int qp_create(struct ibx_dev *dev, struct ibx_qp *qp,
		     struct ib_qp_init_attr *attr,
		     const struct ibx_qp_init *init)
{
	int err;

	err = qp_st(dev, attr->qp_type, init);
	if (err < 0)
		return err;
	qp->st = err;
	err = check_init_attr(dev, attr);
	if (err)
		return err;
	if (attr->srq)
		qp->srq_ring = &to_isrq(attr->srq)->ring;

	mutex_init(&qp->mutex);
	ibx_ref_init(&qp->ref);
	qp->state = IB_QPS_RESET;
	qp->sig_all = attr->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->port = IBX_PORT;
	init_dv(qp, init);

	if (qp->st == MLX5_QP_ST_DCT) {
		memset(&attr->cap, 0, sizeof(attr->cap));
		return ibx_dct_create(qp, init->dct_key, IBX_NO_USER_INDEX);
	}
	err = create_rings_qp(dev, qp, attr, init);
	if (err)
		return err;
	qp->ibqp.qp_num = attr->qp_type == IB_QPT_GSI ? 1 : qp->qpn;
	return 0;
}

/**
 * ibx_create_qp() - verb create_qp
 * @ibqp: QP with pd and CQs set by the core
 * @attr: attributes wanted; its cap gets the actual capabilities
 * @udata: NULL; user space is not supported
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EOPNOTSUPP: user space, a type other than RC, UC, UD and GSI, an SRQ on
 *   GSI, or a create flag other than IB_QP_CREATE_INTEGRITY_EN of RC on a
 *   device with INTEGRITY MRs
 * * -EINVAL: a capability is out of range
 * * -ENOMEM
 * * with IB_QP_CREATE_INTEGRITY_EN, an errno of ibx_cq_reserve()
 * * an errno from cmd.h
 *
 * DCIs and DCTs can be created only through mlx5dv_create_qp().
 */
int ibx_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr, struct ib_udata *udata)
{
	struct ibx_dev *dev = to_idev(ibqp->device);

	return udata ? -EOPNOTSUPP :
		       qp_create(dev, to_iqp(ibqp), attr, find_init(dev, attr));
}

/**
 * ibx_create_umr_qp() - create a QP for UMRs of the driver itself
 * @ibqp: QP, zeroed except for device, type, PD and CQs; unknown to the core
 * @init: attributes, with umr set
 *
 * Only a UMR QP may move an mkey to another PD. ibx_modify_qp() sets its state.
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EINVAL: a capability is out of range
 * * -ENOMEM
 * * an errno from cmd.h
 */
int ibx_create_umr_qp(struct ib_qp *ibqp, struct ibx_qp_init *init)
{
	return qp_create(to_idev(ibqp->device), to_iqp(ibqp), &init->base,
			 init);
}

/**
 * ibx_destroy_qp() - verb destroy_qp
 * @ibqp: QP that no consumer posts to
 * @udata: unused
 *
 * Context: may sleep. After this returns, posted WRs do not complete and no
 * event is reported.
 * Return: 0. A QP that the device refuses to destroy is reported in the kernel
 * log; the top of this file describes how its memory is handled.
 */
int ibx_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct ibx_dev *dev = to_idev(ibqp->device);
	struct ibx_qp *qp = to_iqp(ibqp);
	int err = 0;

	if (qp->st == MLX5_QP_ST_DCT) {
		ibx_dct_destroy(dev, qp);
		return 0;
	}
	if (qp->state != IB_QPS_RESET && !qp->stopped)
		err = ibx_cmd_reset_qp(dev, qp);
	if (err) {
		ibx_err(dev, "QP 0x%x cannot be reset: error %d\n", qp->qpn, err);
		destroy_running_qp(dev, qp);
		return 0;
	}
	ibx_qp_unpublish(dev, qp);
	if (must_stay(dev, qp))
		keep_fw_qp(dev, qp);
	else
		destroy_fw_qp(dev, qp, true);
	return 0;
}
