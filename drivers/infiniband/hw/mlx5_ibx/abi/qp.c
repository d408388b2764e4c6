// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QPs of processes: RC, UC, UD, initiators and targets of XRC, DCIs and DCTs, with rings in
 * memory of the process.
 *
 * The rings in struct ibx_qp are empty. The QP is on no list of QPs that the
 * driver flushes or stops. It is in the table in which events find QPs. verbs/
 * handles its state changes and queries.
 *
 * The QP must not use the reserved lkey, which gives access to all of memory
 * (ibx_qpc_new.user, ibx_qpc_mod.user).
 *
 * If the device refuses to destroy the QP, the verb fails and the rings stay
 * pinned, because the device may use them. The process may retry. The core
 * retries when the context is closed. If the process cannot retry, or a retry
 * may not help, the verb succeeds, and the driver keeps the QP and its memory
 * (abi/keep.c). After an unanswered command (ibx_qp.lost), the driver keeps the
 * QP and issues no DESTROY_QP.
 */
#include <uapi/rdma/mlx5-abi.h>

#include "abi/abi.h"
#include "abi/check.h"
#include "abi/keep.h"
#include "cmd/cmd.h"
#include "enc/qpc.h"
#include "verbs/verbs.h"
#include "wq/wq.h"

/* these permit data of a message in its CQE, and may be ignored */
#define HINTS		(MLX5_QP_FLAG_SCATTER_CQE | MLX5_QP_FLAG_ALLOW_SCATTER_CQE)

static int uqp_service_type(const struct ibx_dev *dev, enum ib_qp_type type,
			    u32 flags)
{
	switch (type) {
	case IB_QPT_RC:
		return MLX5_QP_ST_RC;
	case IB_QPT_UC:
		return MLX5_CAP_GEN(dev->mdev, uc) ? MLX5_QP_ST_UC : -EOPNOTSUPP;
	case IB_QPT_UD:
		return MLX5_QP_ST_UD;
	case IB_QPT_XRC_INI:
		return MLX5_QP_ST_XRC;
	case IB_QPT_DRIVER:
		if (!MLX5_CAP_GEN(dev->mdev, dct))
			return -EOPNOTSUPP;
		return flags & MLX5_QP_FLAG_TYPE_DCT ? MLX5_QP_ST_DCT : MLX5_QP_ST_DCI;
	default:
		return -EOPNOTSUPP;
	}
}

static bool flags_are_ok(enum ib_qp_type type, u32 flags)
{
	if (type != IB_QPT_DRIVER)
		return flags == MLX5_QP_FLAG_UAR_PAGE_INDEX;
	/* a DCT has no doorbell: the flag of the UAR is optional */
	if (flags & MLX5_QP_FLAG_TYPE_DCT)
		return (flags & ~MLX5_QP_FLAG_UAR_PAGE_INDEX) == MLX5_QP_FLAG_TYPE_DCT;
	return (flags & ~MLX5_QP_FLAG_DCI_STREAM) ==
	       (MLX5_QP_FLAG_UAR_PAGE_INDEX | MLX5_QP_FLAG_TYPE_DCI);
}

static int check_streams(const struct ibx_dev *dev, const struct mlx5_ib_create_qp *cmd)
{
	const struct mlx5_ib_create_qp_dci_streams *s = &cmd->dci_streams;

	if (!(cmd->flags & MLX5_QP_FLAG_DCI_STREAM))
		return s->log_num_concurent || s->log_num_errored ? -EOPNOTSUPP : 0;
	if (s->log_num_concurent > MLX5_CAP_GEN(dev->mdev, log_max_dci_stream_channels) ||
	    s->log_num_errored > MLX5_CAP_GEN(dev->mdev, log_max_dci_errored_streams))
		return -EINVAL;
	return 0;
}

static int uqp_read_cmd(const struct ibx_dev *dev, struct ib_udata *udata,
			enum ib_qp_type type, struct mlx5_ib_create_qp *cmd)
{
	int err;

	err = ibx_udata_read(udata, cmd, sizeof(*cmd),
			     offsetofend(struct mlx5_ib_create_qp, bfreg_index));
	if (err)
		return err;
	if (!flags_are_ok(type, cmd->flags & ~HINTS) || cmd->ece_options || cmd->reserved)
		return -EOPNOTSUPP;
	/* for a DCT, the access key is in the place of sq_buf_addr */
	if (!(cmd->flags & MLX5_QP_FLAG_TYPE_DCT) && cmd->sq_buf_addr)
		return -EOPNOTSUPP;
	return check_streams(dev, cmd);
}

/*
 * CQEs of version 0 contain the number of the QP and no user index. A context
 * with such CQEs must create its QPs without a user index.
 */
static int check_user_index(const struct ibx_uctx *uctx, u32 index)
{
	if (uctx->cqe_version)
		return index > IBX_NO_USER_INDEX ? -EINVAL : 0;
	return index == IBX_NO_USER_INDEX ? 0 : -EINVAL;
}

static int uqp_check_attr(const struct ib_qp_init_attr *attr)
{
	if (attr->xrcd || attr->rwq_ind_tbl || attr->create_flags)
		return -EOPNOTSUPP;
	if (attr->qp_type == IB_QPT_XRC_INI)
		return attr->send_cq ? 0 : -EINVAL;
	return attr->send_cq && attr->recv_cq ? 0 : -EINVAL;
}

static int uqp_get_geometry(const struct ibx_dev *dev,
			    const struct ib_qp_init_attr *attr,
			    const struct mlx5_ib_create_qp *cmd,
			    struct ibx_qp_geom *geom)
{
	const struct ibx_qp_limits lim = {
		.max_wqes = BIT(MLX5_CAP_GEN(dev->mdev, log_max_qp_sz)),
		.max_rq_wqe = MLX5_CAP_GEN(dev->mdev, max_wqe_sz_rq),
	};
	const struct ibx_user_rings rings = {
		.sq_wqes = cmd->sq_wqe_count,
		.rq_wqes = cmd->rq_wqe_count,
		.rq_shift = cmd->rq_wqe_shift,
		/*
		 * true for XRC initiators and DCIs, which do not receive. The
		 * context of an XRC initiator needs an SRQ, too (abi/xrc.c)
		 */
		.srq = attr->srq || attr->qp_type == IB_QPT_XRC_INI ||
		       attr->qp_type == IB_QPT_DRIVER,
	};

	return ibx_user_rings_geometry(&rings, &lim, geom);
}

static void xrc_fill_qpc(struct ibx_qpc_new *p, const struct ibx_xrc *xrc)
{
	p->rcqn = xrc->cq.cqn;
	p->srq = true;
	p->srqn = xrc->srq.srqn;
}

static int uqp_create_fw(struct ibx_dev *dev, struct ibx_user_qp *uqp,
			 const struct ibx_qp_geom *geom,
			 const struct mlx5_ib_create_qp *cmd)
{
	struct ib_qp *ibqp = &uqp->qp.ibqp;
	struct ibx_qpc_new p = {
		.st = uqp->qp.st,
		.pdn = to_ipd(ibqp->pd)->pdn,
		.uar = cmd->bfreg_index,
		.scqn = to_icq(ibqp->send_cq)->mcq.cqn,
		.dbr = uqp->pins.db,
		.ts_format = mlx5_get_qp_default_ts(dev->mdev),
		.cqe_v1 = MLX5_CAP_GEN(dev->mdev, cqe_version) == 1,
		.user = true,
		.user_index = cmd->uidx,
		.log_streams = cmd->dci_streams.log_num_concurent,
		.log_errored = cmd->dci_streams.log_num_errored,
		.geom = geom,
	};

	if (ibqp->qp_type == IB_QPT_XRC_INI) {
		xrc_fill_qpc(&p, dev->xrc);
		p.xrcdn = dev->xrc->xrcdn;
	} else {
		p.rcqn = to_icq(ibqp->recv_cq)->mcq.cqn;
		p.srq = ibqp->srq;
		p.srqn = p.srq ? to_isrq(ibqp->srq)->srqn : 0;
	}
	return ibx_cmd_create_qp(dev, &p, &uqp->pins.rings.buf, &uqp->qp);
}

/* The process posts. With empty rings (max_post 0) in @qp, no ULP can post */
static void init_uqp(struct ibx_qp *qp, u8 st)
{
	const struct ibx_sq_params no_sq = {};
	const struct ibx_rq_params no_rq = {};

	qp->st = st;
	qp->state = IB_QPS_RESET;
	qp->port = IBX_PORT;
	mutex_init(&qp->mutex);
	ibx_ref_init(&qp->ref);
	/* these cannot fail: empty rings allocate nothing */
	ibx_sq_init(&qp->sq, &no_sq);
	ibx_rq_init(&qp->rq, &no_rq);
}

static int uqp_get_pins(struct ibx_uctx *uctx, struct ibx_user_qp *uqp,
			const struct mlx5_ib_create_qp *cmd,
			const struct ibx_qp_geom *geom)
{
	const struct ibx_pin_req req = {
		.buf = cmd->buf_addr,
		.align = IBX_BB,
		.bytes = ibx_geom_rq_bytes(geom) + ibx_geom_sq_bytes(geom),
		.db = cmd->db_addr,
		.has_uar = true,
		.uar = cmd->bfreg_index,
	};

	return ibx_pins_get(uctx, &req, &uqp->pins);
}

static int uqp_write_resp(struct ib_udata *udata)
{
	/* U32_MAX: the process itself has chosen the doorbell register */
	struct mlx5_ib_create_qp_resp resp = { .bfreg_index = U32_MAX };

	return ibx_udata_write(udata, &resp, sizeof(resp), sizeof(resp.bfreg_index));
}

/* add a QP that was created to the table of QPs, and write the response */
static int publish_uqp(struct ibx_dev *dev, struct ibx_user_qp *uqp,
		       struct ib_udata *udata)
{
	struct ibx_qp *qp = &uqp->qp;
	int err;

	err = ibx_qp_publish(dev, qp);
	if (err)
		return err;
	err = uqp_write_resp(udata);
	if (err)
		ibx_qp_unpublish(dev, qp);
	return err;
}

static void put_xrc(void *dev)
{
	ibx_xrc_put(dev);
}

/* describe a QP for abi/keep.c; an XRC QP also has a reference to dev->xrc */
static void name_uqp(struct ibx_dev *dev, struct ibx_user_qp *uqp,
		     struct ibx_keep *keep)
{
	*keep = (struct ibx_keep) { .what = "QP", .pins = &uqp->pins };
	if (uqp->qp.st == MLX5_QP_ST_XRC) {
		keep->unpin = put_xrc;
		keep->mem = dev;
	}
	ibx_cmd_fill_undo(keep->undo, MLX5_CMD_OP_DESTROY_QP, uqp->qp.uid, uqp->qp.qpn);
}

/* put the resources, or keep them if the device may still execute CREATE_QP */
static void drop_new_uqp(struct ibx_user_qp *uqp, int err)
{
	const struct ibx_keep keep = { .what = "a QP", .pins = &uqp->pins };

	ibx_keep_hold_pd(to_ipd(uqp->qp.ibqp.pd), uqp->qp.uid, err);
	ibx_keep_uncreated(uqp->pins.uctx, &keep, err);
}

static void undo_uqp(struct ibx_dev *dev, struct ibx_user_qp *uqp)
{
	struct ibx_keep keep;

	/*
	 * get the reference that put_xrc() puts. This cannot fail: the caller
	 * already has a reference
	 */
	if (uqp->qp.st == MLX5_QP_ST_XRC)
		WARN_ON(ibx_xrc_get(dev));
	name_uqp(dev, uqp, &keep);
	ibx_keep_undestroyed(uqp->pins.uctx, &keep, ibx_cmd_destroy_qp(dev, &uqp->qp));
}

static int create_uqp(struct ibx_dev *dev, struct ibx_user_qp *uqp,
		      struct ib_qp_init_attr *attr,
		      const struct mlx5_ib_create_qp *cmd,
		      struct ib_udata *udata)
{
	struct ibx_qp_geom geom;
	int err;

	err = uqp_get_geometry(dev, attr, cmd, &geom);
	if (!err)
		err = uqp_get_pins(udata_to_uctx(udata), uqp, cmd, &geom);
	if (err)
		return err;

	err = uqp_create_fw(dev, uqp, &geom, cmd);
	if (err) {
		drop_new_uqp(uqp, err);
		return err;
	}
	ibx_rings_settle(&uqp->pins.rings);
	err = publish_uqp(dev, uqp, udata);
	if (err) {
		undo_uqp(dev, uqp);
		return err;
	}
	/*
	 * max_send_wr stays: only the process can calculate the number of work
	 * requests in the send ring
	 */
	attr->cap.max_recv_wr = geom.rq_wqes;
	attr->cap.max_recv_sge = geom.rq_sges;
	return 0;
}

/*
 * Put dev->xrc after the creation of an XRC QP failed. If the device may still
 * create the QP, never destroy the objects in dev->xrc and the domain. @ibxrcd:
 * domain of a target; NULL for an initiator, whose domain is in dev->xrc.
 */
static void drop_xrc(struct ibx_dev *dev, struct ib_xrcd *ibxrcd, int err)
{
	if (ibx_cmd_lost(err))
		ibx_xrc_leave(dev, ibxrcd);
	ibx_xrc_put(dev);
}

/* the context of an XRC initiator names objects of dev->xrc: get a reference */
static int create_ini(struct ibx_dev *dev, struct ibx_user_qp *uqp,
		      struct ib_qp_init_attr *attr,
		      const struct mlx5_ib_create_qp *cmd,
		      struct ib_udata *udata)
{
	int err = ibx_xrc_get(dev);

	if (err)
		return err;
	err = create_uqp(dev, uqp, attr, cmd, udata);
	if (err)
		drop_xrc(dev, NULL, err);
	return err;
}

/* modify_qp to RTR creates the DCT on the device, and returns its number */
static int create_dct(struct ibx_user_qp *uqp,
		      const struct mlx5_ib_create_qp *cmd,
		      struct ib_udata *udata)
{
	int err = ibx_dct_create(&uqp->qp, cmd->access_key, cmd->uidx);

	return err ?: uqp_write_resp(udata);
}

static int create_by_type(struct ibx_dev *dev, struct ibx_user_qp *uqp,
			  struct ib_qp_init_attr *attr,
			  const struct mlx5_ib_create_qp *cmd,
			  struct ib_udata *udata)
{
	if (uqp->qp.st == MLX5_QP_ST_DCT)
		return create_dct(uqp, cmd, udata);
	if (uqp->qp.st == MLX5_QP_ST_XRC)
		return create_ini(dev, uqp, attr, cmd, udata);
	return create_uqp(dev, uqp, attr, cmd, udata);
}

/* if the device may still change the QP: issue no command, return -ETIMEDOUT */
static int destroy_fw_uqp(struct ibx_dev *dev, const struct ibx_qp *qp)
{
	if (ibx_cmd_may_change_qp(dev, qp))
		return -ETIMEDOUT;
	return ibx_cmd_destroy_qp(dev, qp);
}

/*
 * The core owns XRC target QPs: they have no context and no memory of a
 * process. The core ignores a failed destruction, and does not retry.
 */
static void destroy_tgt(struct ibx_dev *dev, const struct ibx_qp *qp, struct ib_xrcd *ibxrcd)
{
	int err = destroy_fw_uqp(dev, qp);

	if (!err)
		return;
	ibx_cmd_left(dev, "QP", qp->qpn, err);
	ibx_xrc_leave(dev, ibxrcd);
}

static int create_fw_tgt(struct ibx_dev *dev, struct ibx_user_qp *uqp,
			 struct ib_xrcd *ibxrcd)
{
	const struct ibx_qp_geom no_rings = {};
	struct ibx_qpc_new p = {
		.st = MLX5_QP_ST_XRC,
		.pdn = dev->xrc->pd.pdn,
		.scqn = dev->xrc->cq.cqn,
		.ts_format = mlx5_get_qp_default_ts(dev->mdev),
		.cqe_v1 = MLX5_CAP_GEN(dev->mdev, cqe_version) == 1,
		.user = true,
		.user_index = IBX_NO_USER_INDEX,
		.xrcdn = to_xrcd(ibxrcd)->xrcdn,
		.geom = &no_rings,
	};
	int err;

	xrc_fill_qpc(&p, dev->xrc);
	err = ibx_cmd_create_qp(dev, &p, &uqp->pins.rings.buf, &uqp->qp);
	if (err)
		return err;
	err = ibx_qp_publish(dev, &uqp->qp);
	if (err)
		destroy_tgt(dev, &uqp->qp, ibxrcd);
	return err;
}

/* an XRC target has no request and no response: the core creates it */
static int create_tgt(struct ibx_dev *dev, struct ibx_user_qp *uqp,
		      const struct ib_qp_init_attr *attr)
{
	int err;

	if (!attr->xrcd || attr->create_flags)
		return attr->xrcd ? -EOPNOTSUPP : -EINVAL;
	err = ibx_xrc_get(dev);
	if (err)
		return err;
	init_uqp(&uqp->qp, MLX5_QP_ST_XRC);
	err = create_fw_tgt(dev, uqp, attr->xrcd);
	if (err) {
		drop_xrc(dev, attr->xrcd, err);
		return err;
	}
	uqp->qp.ibqp.qp_num = uqp->qp.qpn;
	return 0;
}

/**
 * ibx_user_create_qp() - verb create_qp
 * @ibqp: QP with pd and CQs set by the core
 * @attr: type and SRQ. cap.max_recv_wr and cap.max_recv_sge get the values of
 *	the receive ring that the process has laid out
 * @udata: NULL for a QP of the kernel or an XRC target. Else struct
 *	mlx5_ib_create_qp, and space for struct mlx5_ib_create_qp_resp
 *
 * The request must have MLX5_QP_FLAG_UAR_PAGE_INDEX, except for a DCT. It may
 * have the flags of DC and the flags that allow data in CQEs; the device never
 * puts data into CQEs.
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EOPNOTSUPP: a type other than RC, UC, UD, XRC, DCI and DCT, a type that
 *   the device does not support, a create flag, another flag of the request,
 *   or ECE
 * * -EINVAL: rings, streams or a user index out of range, no CQ, no XRC domain,
 *   a DCT without SRQ, a short request, or no space for the response
 * * -EFAULT
 * * -ENOMEM
 * * an errno of ibx_pins_get() or ibx_create_qp(), or from cmd.h
 */
int ibx_user_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr,
		       struct ib_udata *udata)
{
	struct ibx_dev *dev = to_idev(ibqp->device);
	struct ibx_user_qp *uqp = to_user_qp(ibqp);
	struct mlx5_ib_create_qp cmd;
	int err, st;

	if (attr->qp_type == IB_QPT_XRC_TGT)
		return create_tgt(dev, uqp, attr);
	if (!udata)
		return ibx_create_qp(ibqp, attr, NULL);
	err = uqp_check_attr(attr) ?:
	      uqp_read_cmd(dev, udata, attr->qp_type, &cmd);
	if (!err)
		err = check_user_index(udata_to_uctx(udata), cmd.uidx);
	if (err)
		return err;
	st = uqp_service_type(dev, attr->qp_type, cmd.flags);
	if (st < 0)
		return st;
	init_uqp(&uqp->qp, st);
	/*
	 * the context of an XRC QP names objects of uid 0 (abi/xrc.c), so the
	 * QP must have uid 0, too
	 */
	uqp->qp.uid = st == MLX5_QP_ST_XRC ? 0 : udata_to_uctx(udata)->uid;
	err = create_by_type(dev, uqp, attr, &cmd, udata);
	if (err)
		return err;
	uqp->qp.cap = attr->cap;
	uqp->qp.sig_all = attr->sq_sig_type == IB_SIGNAL_ALL_WR;
	ibqp->qp_num = uqp->qp.qpn;
	return 0;
}

/**
 * ibx_user_modify_qp() - verb modify_qp
 * @ibqp: QP
 * @attr: attributes
 * @mask: IB_QP_*: attributes that are set in @attr
 * @udata: NULL for a QP of the kernel. Else empty, or struct mlx5_ib_modify_qp with
 *	all fields 0, and space for struct mlx5_ib_modify_qp_resp
 *
 * The response has the number of a DCT that enters RTR.
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EOPNOTSUPP: a field of the request is not 0 (packet pacing, ECE)
 * * -EINVAL: there is no space for response_length, or for dctn of a DCT
 * * -EFAULT: the response cannot be written; the QP was changed nevertheless
 * * an errno of ibx_modify_qp()
 */
int ibx_user_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		       struct ib_udata *udata)
{
	struct mlx5_ib_modify_qp_resp resp = {};
	const struct ibx_qp *qp = to_iqp(ibqp);
	int err;

	if (!udata)
		return ibx_modify_qp(ibqp, attr, mask, NULL);
	if (!ib_is_udata_cleared(udata, 0, udata->inlen))
		return -EOPNOTSUPP;
	if (udata->outlen && udata->outlen < sizeof(resp.response_length))
		return -EINVAL;
	if (qp->st == MLX5_QP_ST_DCT && attr->qp_state == IB_QPS_RTR &&
	    udata->outlen < offsetofend(typeof(resp), dctn))
		return -EINVAL;
	err = ibx_modify_qp(ibqp, attr, mask, NULL);
	if (err) {
		/*
		 * the device may have the DCT, or still create it. The DCT uses
		 * the CQ and the SRQ, so the user context must stay
		 */
		if (qp->st == MLX5_QP_ST_DCT && (ibx_cmd_lost(err) || qp->dc.left))
			WRITE_ONCE(udata_to_uctx(udata)->lost, true);
		return err;
	}
	resp.dctn = qp->st == MLX5_QP_ST_DCT ? qp->qpn : 0;
	resp.response_length = min(udata->outlen, sizeof(resp));
	return ibx_udata_write(udata, &resp, sizeof(resp), 0);
}

/* keep a DCT: destroy_qp succeeds, so the process has no handle for a retry */
static void keep_dct(struct ibx_uctx *uctx, const struct ibx_qp *qp, int err)
{
	struct ibx_keep keep = { .what = "DCT" };

	ibx_cmd_fill_undo(keep.undo, MLX5_CMD_OP_DESTROY_DCT, qp->uid, qp->qpn);
	ibx_keep_undestroyed(uctx, &keep, err);
}

static int keep_uqp(struct ibx_dev *dev, struct ibx_user_qp *uqp, int err)
{
	struct ibx_keep keep;

	name_uqp(dev, uqp, &keep);
	keep.must = ibx_uobj_is_new(uqp->qp.ibqp.uobject);
	return ibx_keep_refused(uqp->pins.uctx, &keep, err);
}

/**
 * ibx_user_destroy_qp() - verb destroy_qp
 * @ibqp: QP
 * @udata: context of the process; unused for a QP of the kernel
 *
 * The QP is moved to RESET first, so that it sends nothing while it is being
 * destroyed. A DCT is drained instead. For a DCT and an XRC target, the verb
 * succeeds in any case: if the device refuses to destroy the object, a DCT is
 * kept (abi/keep.c), and an XRC target stays in the device.
 *
 * Context: may sleep: waits for queued events. When this returns 0, no event is
 * reported, and the device does not use the rings, except those of a kept QP.
 * Return: 0, or an errno from cmd.h: the QP stays, without events, and can be
 * destroyed again.
 */
int ibx_user_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct ibx_dev *dev = to_idev(ibqp->device);
	struct ibx_user_qp *uqp = to_user_qp(ibqp);
	struct ibx_qp *qp = &uqp->qp;
	int err = 0;

	if (!ibx_qp_of_process(qp))
		return ibx_destroy_qp(ibqp, udata);
	if (qp->st == MLX5_QP_ST_DCT) {
		err = ibx_dct_destroy(dev, qp);
		if (err)
			keep_dct(udata_to_uctx(udata), qp, err);
		return 0;
	}
	if (qp->state != IB_QPS_RESET)
		err = ibx_cmd_reset_qp(dev, qp);
	if (err)
		ibx_warn(dev, "QP 0x%x cannot be reset: error %d\n", qp->qpn, err);
	/* before DESTROY_QP: after it, another QP may have the number */
	if (!uqp->hidden) {
		ibx_qp_unpublish(dev, qp);
		uqp->hidden = true;
	}
	if (ibqp->qp_type == IB_QPT_XRC_TGT) {
		destroy_tgt(dev, qp, ibqp->xrcd);
		ibx_xrc_put(dev);
		return 0;
	}
	err = destroy_fw_uqp(dev, qp);
	if (err)
		return keep_uqp(dev, uqp, err);
	ibx_pins_put(&uqp->pins);
	if (qp->st == MLX5_QP_ST_XRC)
		ibx_xrc_put(dev);
	return 0;
}
