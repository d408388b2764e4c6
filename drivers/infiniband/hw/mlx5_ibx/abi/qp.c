// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QPs of processes: RC, UC and UD, with rings in memory of the process.
 *
 * ibx_qp has no rings then, and is on no list of QPs that the driver flushes or
 * stops. It is in the table of QPs, so that its events are found. State changes and
 * queries are those of verbs/.
 *
 * Such a QP must not use the reserved lkey, with which it could read all of memory
 * (ibx_qpc_new.user, ibx_qpc_mod.user).
 *
 * If the device refuses to destroy the QP, the verb fails and the rings stay pinned:
 * the device may use them. The process may try again; the core does so when the
 * process ends, and then forgets the QP.
 */
#include <uapi/rdma/mlx5-abi.h>

#include "abi/abi.h"
#include "abi/check.h"
#include "cmd/cmd.h"
#include "enc/qpc.h"
#include "verbs/verbs.h"
#include "wq/wq.h"

/* hints that may be ignored: the CQE says whether it has data of the message */
#define HINTS		(MLX5_QP_FLAG_SCATTER_CQE | MLX5_QP_FLAG_ALLOW_SCATTER_CQE)

static int user_st(const struct ibx_dev *dev, enum ib_qp_type type)
{
	switch (type) {
	case IB_QPT_RC:
		return MLX5_QP_ST_RC;
	case IB_QPT_UC:
		return MLX5_CAP_GEN(dev->mdev, uc) ? MLX5_QP_ST_UC : -EOPNOTSUPP;
	case IB_QPT_UD:
		return MLX5_QP_ST_UD;
	default:
		return -EOPNOTSUPP;
	}
}

static int read_cmd(struct ib_udata *udata, struct mlx5_ib_create_qp *cmd)
{
	int err;

	err = ibx_udata_read(udata, cmd, sizeof(*cmd),
			     offsetofend(struct mlx5_ib_create_qp, bfreg_index));
	if (err)
		return err;
	if ((cmd->flags & ~HINTS) != MLX5_QP_FLAG_UAR_PAGE_INDEX || cmd->sq_buf_addr ||
	    cmd->ece_options || cmd->dci_streams.log_num_concurent ||
	    cmd->dci_streams.log_num_errored || cmd->reserved)
		return -EOPNOTSUPP;
	return 0;
}

/* CQEs of version 0 carry the QP number, and a QP without user index has them */
static int check_user_index(const struct ibx_uctx *uctx, u32 index)
{
	if (uctx->cqe_version)
		return index > IBX_NO_USER_INDEX ? -EINVAL : 0;
	return index == IBX_NO_USER_INDEX ? 0 : -EINVAL;
}

static int check_attr(const struct ib_qp_init_attr *attr)
{
	if (attr->xrcd || attr->rwq_ind_tbl || attr->create_flags)
		return -EOPNOTSUPP;
	return attr->send_cq && attr->recv_cq ? 0 : -EINVAL;
}

static int user_geometry(const struct ibx_dev *dev, const struct ib_qp_init_attr *attr,
			 const struct mlx5_ib_create_qp *cmd, struct ibx_qp_geom *geom)
{
	const struct ibx_qp_limits lim = {
		.max_wqes = BIT(MLX5_CAP_GEN(dev->mdev, log_max_qp_sz)),
		.max_rq_wqe = MLX5_CAP_GEN(dev->mdev, max_wqe_sz_rq),
	};
	const struct ibx_user_rings rings = {
		.sq_wqes = cmd->sq_wqe_count,
		.rq_wqes = cmd->rq_wqe_count,
		.rq_shift = cmd->rq_wqe_shift,
		.srq = attr->srq,
	};

	return ibx_user_rings_geometry(&rings, &lim, geom);
}

static int create_fw_qp(struct ibx_dev *dev, struct ibx_uqp *uqp, const struct ibx_qp_geom *geom,
			const struct mlx5_ib_create_qp *cmd)
{
	struct ib_qp *ibqp = &uqp->qp.ibqp;
	const struct ibx_qpc_new p = {
		.st = uqp->qp.st,
		.pdn = to_ipd(ibqp->pd)->pdn,
		.uar = cmd->bfreg_index,
		.scqn = to_icq(ibqp->send_cq)->mcq.cqn,
		.rcqn = to_icq(ibqp->recv_cq)->mcq.cqn,
		.dbr = uqp->pins.db,
		.ts_format = mlx5_get_qp_default_ts(dev->mdev),
		.cqe_v1 = MLX5_CAP_GEN(dev->mdev, cqe_version) == 1,
		.user = true,
		.user_index = cmd->uidx,
		.srq = ibqp->srq,
		.srqn = ibqp->srq ? to_isrq(ibqp->srq)->srqn : 0,
		.geom = geom,
	};

	return ibx_cmd_create_qp(dev, &p, &uqp->pins.buf, &uqp->qp);
}

/* rings of which the driver has no part: posting finds them full */
static void init_uqp(struct ibx_qp *qp, u8 st)
{
	const struct ibx_sq_params no_sq = {};
	const struct ibx_rq_params no_rq = {};

	qp->st = st;
	qp->state = IB_QPS_RESET;
	qp->port = IBX_PORT;
	mutex_init(&qp->mutex);
	ibx_ref_init(&qp->ref);
	/* cannot fail: there is nothing to allocate */
	ibx_sq_init(&qp->sq, &no_sq);
	ibx_rq_init(&qp->rq, &no_rq);
}

static int get_pins(struct ibx_uctx *uctx, struct ibx_uqp *uqp,
		    const struct mlx5_ib_create_qp *cmd, const struct ibx_qp_geom *geom)
{
	const struct ibx_pin_req req = {
		.buf = cmd->buf_addr,
		.bytes = ibx_geom_rq_bytes(geom) + ibx_geom_sq_bytes(geom),
		.db = cmd->db_addr,
		.has_uar = true,
		.uar = cmd->bfreg_index,
	};

	return ibx_pins_get(uctx, &req, &uqp->pins);
}

/* on the device, in the table, and in the response */
static int publish_uqp(struct ibx_dev *dev, struct ibx_uqp *uqp, struct ib_udata *udata)
{
	/* no register is chosen by the driver */
	struct mlx5_ib_create_qp_resp resp = { .bfreg_index = U32_MAX };
	struct ibx_qp *qp = &uqp->qp;
	int err;

	err = xa_insert_irq(&dev->qps, qp->qpn, qp, GFP_KERNEL);
	if (err)
		return err;
	err = ibx_udata_write(udata, &resp, sizeof(resp), sizeof(resp.bfreg_index));
	if (err) {
		xa_erase_irq(&dev->qps, qp->qpn);
		ibx_ref_last(&qp->ref);
	}
	return err;
}

static int create_uqp(struct ibx_dev *dev, struct ibx_uqp *uqp, struct ib_qp_init_attr *attr,
		      struct ib_udata *udata)
{
	struct ibx_uctx *uctx = udata_to_uctx(udata);
	struct mlx5_ib_create_qp cmd;
	struct ibx_qp_geom geom;
	int err;

	err = check_attr(attr) ?: read_cmd(udata, &cmd);
	if (!err)
		err = check_user_index(uctx, cmd.uidx);
	if (!err)
		err = user_geometry(dev, attr, &cmd, &geom);
	if (!err)
		err = get_pins(uctx, uqp, &cmd, &geom);
	if (err)
		return err;

	uqp->qp.uid = uctx->uid;
	err = create_fw_qp(dev, uqp, &geom, &cmd);
	if (err)
		goto put_pins;
	ibx_pins_settle(&uqp->pins);
	err = publish_uqp(dev, uqp, udata);
	if (err)
		goto destroy;
	return 0;

destroy:
	/* in RESET, the device does not use the rings */
	ibx_cmd_left(dev, "QP", uqp->qp.qpn, ibx_cmd_destroy_qp(dev, &uqp->qp));
put_pins:
	ibx_pins_put(&uqp->pins);
	return err;
}

/**
 * ibx_user_create_qp() - verb create_qp
 * @ibqp: QP with pd and CQs set by the core
 * @attr: type and SRQ. Its cap stays as it is: the process has laid out the rings
 * @udata: NULL for a QP of the kernel. Else struct mlx5_ib_create_qp, and room for
 *	struct mlx5_ib_create_qp_resp
 *
 * Context: may sleep.
 * Return: 0; -EOPNOTSUPP for types other than RC, UC and UD, for create flags, for
 * flags of the request other than MLX5_QP_FLAG_UAR_PAGE_INDEX, which must be set, and
 * those about data in CQEs, which is never there, and for ECE; -EINVAL for rings
 * or a user index out of range, a short request and no room for the response;
 * -EFAULT; -ENOMEM; an errno of ibx_pins_get() or from cmd.h; or one of
 * ibx_create_qp().
 */
int ibx_user_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr,
		       struct ib_udata *udata)
{
	struct ibx_dev *dev = to_idev(ibqp->device);
	struct ibx_uqp *uqp = to_uqp(ibqp);
	int err;

	if (!udata)
		return ibx_create_qp(ibqp, attr, NULL);
	err = user_st(dev, attr->qp_type);
	if (err < 0)
		return err;
	init_uqp(&uqp->qp, err);
	err = create_uqp(dev, uqp, attr, udata);
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
 *	all fields 0, and room for struct mlx5_ib_modify_qp_resp
 *
 * Context: may sleep.
 * Return: 0; -EOPNOTSUPP for packet pacing and ECE; -EINVAL for a response without
 * response_length; -EFAULT; or an errno of ibx_modify_qp(). After -EFAULT for the
 * response, the change has happened.
 */
int ibx_user_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		       struct ib_udata *udata)
{
	struct mlx5_ib_modify_qp_resp resp = {};
	int err;

	if (!udata)
		return ibx_modify_qp(ibqp, attr, mask, NULL);
	if (!ib_is_udata_cleared(udata, 0, udata->inlen))
		return -EOPNOTSUPP;
	if (udata->outlen && udata->outlen < sizeof(resp.response_length))
		return -EINVAL;
	err = ibx_modify_qp(ibqp, attr, mask, NULL);
	if (err)
		return err;
	resp.response_length = min(udata->outlen, sizeof(resp));
	return ibx_udata_write(udata, &resp, sizeof(resp), 0);
}

/**
 * ibx_user_destroy_qp() - verb destroy_qp
 * @ibqp: QP
 * @udata: unused
 *
 * The QP is moved to RESET first, if the device can: then it sends no more while it
 * is being destroyed.
 *
 * Context: may sleep: waits for queued events. When this returns 0, the device does
 * not use the rings, and no event is reported.
 * Return: 0, or an errno from cmd.h: the QP stays, without events, and can be
 * destroyed again.
 */
int ibx_user_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct ibx_dev *dev = to_idev(ibqp->device);
	struct ibx_uqp *uqp = to_uqp(ibqp);
	struct ibx_qp *qp = &uqp->qp;
	int err = 0;

	if (!ibqp->uobject)
		return ibx_destroy_qp(ibqp, udata);
	if (qp->state != IB_QPS_RESET)
		err = ibx_cmd_reset_qp(dev, qp);
	if (err)
		ibx_warn(dev, "QP 0x%x cannot be reset: error %d\n", qp->qpn, err);
	/* first: the number is free once the QP is destroyed */
	if (!uqp->hidden) {
		xa_erase_irq(&dev->qps, qp->qpn);
		ibx_ref_last(&qp->ref);
		uqp->hidden = true;
	}
	err = ibx_cmd_destroy_qp(dev, qp);
	if (err)
		return err;
	ibx_pins_put(&uqp->pins);
	return 0;
}
