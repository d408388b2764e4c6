// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * SRQs of processes: basic SRQs, which are RMPs of the device, and XRC SRQs.
 * The process posts without the kernel. verbs/ handles limits, events and
 * queries.
 */
#include <linux/log2.h>
#include <uapi/rdma/mlx5-abi.h>

#include "abi/abi.h"
#include "abi/keep.h"
#include "cmd/xrc.h"
#include "enc/geom.h"
#include "enc/qpc.h"
#include "verbs/verbs.h"

static int usrq_read_cmd(struct ib_udata *udata, struct mlx5_ib_create_srq *cmd)
{
	int err;

	err = ibx_udata_read(udata, cmd, sizeof(*cmd),
			     offsetofend(struct mlx5_ib_create_srq, flags));
	if (err)
		return err;
	if (cmd->flags || cmd->reserved0 || cmd->reserved1)
		return -EOPNOTSUPP;
	return cmd->uidx > IBX_NO_USER_INDEX ? -EINVAL : 0;
}

static int check_type(const struct ibx_dev *dev, enum ib_srq_type type)
{
	switch (type) {
	case IB_SRQT_BASIC:
		return dev->ibdev.attrs.max_srq ? 0 : -EOPNOTSUPP;
	case IB_SRQT_XRC:
		return MLX5_CAP_GEN(dev->mdev, xrc) ? 0 : -EOPNOTSUPP;
	default:
		return -EOPNOTSUPP;
	}
}

/*
 * the ring has one WQE more than the actual max_wr: the process never posts all
 * WQEs
 */
static int usrq_get_geometry(const struct ibx_dev *dev,
			     const struct ib_srq_init_attr *init,
			     struct ibx_srq_geom *geom)
{
	const struct ibx_srq_limits lim = {
		.max_wqes = BIT(MLX5_CAP_GEN(dev->mdev, log_max_srq_sz)),
		.max_wqe = MLX5_CAP_GEN(dev->mdev, max_wqe_sz_rq),
	};
	struct ib_srq_attr attr = init->attr;
	int err;

	attr.max_wr = max(attr.max_wr, 1U);
	err = ibx_srq_geometry(&attr, &lim, geom);
	if (!err && !init->attr.max_wr)
		geom->wqe_cnt = 1;
	return err;
}

static int usrq_get_pins(struct ibx_uctx *uctx, struct ibx_user_srq *usrq,
			 const struct mlx5_ib_create_srq *cmd,
			 const struct ibx_srq_geom *geom)
{
	const u64 place = cmd->buf_addr & (BIT(IBX_PAGE_SHIFT) - 1);
	const struct ibx_pin_req req = {
		.buf = cmd->buf_addr,
		.align = BIT(geom->wqe_shift),
		.bytes = (size_t)geom->wqe_cnt << geom->wqe_shift,
		.db = cmd->db_addr,
	};

	/* U-145: the page offset of an RMP has 5 bits, other rings have 6 */
	if (!usrq->srq.xrc && place >= 32 << IBX_OFFSET_SHIFT)
		return -EINVAL;
	return ibx_pins_get(uctx, &req, &usrq->pins);
}

static int create_xrc(struct ibx_dev *dev, struct ibx_user_srq *usrq,
		      const struct ibx_rmp_params *ring,
		      const struct ib_srq_init_attr *init, u32 user_index)
{
	const struct ibx_xrc_srq_params p = {
		.ring = *ring,
		.xrcdn = to_xrcd(init->ext.xrc.xrcd)->xrcdn,
		.cqn = to_icq(init->ext.cq)->mcq.cqn,
		.cqe_v1 = MLX5_CAP_GEN(dev->mdev, cqe_version) == 1,
		.user_index = usrq->pins.uctx->cqe_version ? user_index : IBX_NO_USER_INDEX,
	};

	return ibx_cmd_create_xrc_srq(dev, &p, &usrq->srq);
}

static int usrq_create_fw(struct ibx_dev *dev, struct ibx_user_srq *usrq,
			  const struct ibx_srq_geom *geom,
			  const struct ib_srq_init_attr *init,
			  u32 user_index)
{
	const struct ibx_rmp_params p = {
		.buf = &usrq->pins.rings.buf,
		.log_size = ilog2(geom->wqe_cnt),
		.log_stride = geom->wqe_shift,
		.pdn = to_ipd(usrq->srq.ibsrq.pd)->pdn,
		.dbr = usrq->pins.db,
	};

	if (usrq->srq.xrc)
		return create_xrc(dev, usrq, &p, init, user_index);
	return ibx_cmd_create_rmp(dev, &p, &usrq->srq);
}

static int usrq_destroy_fw(struct ibx_dev *dev, const struct ibx_srq *srq)
{
	return srq->xrc ? ibx_cmd_destroy_xrc_srq(dev, srq) : ibx_cmd_destroy_rmp(dev, srq);
}

static void name_usrq(struct ibx_user_srq *usrq, struct ibx_keep *keep)
{
	const struct ibx_srq *srq = &usrq->srq;

	*keep = (struct ibx_keep) { .what = "SRQ", .pins = &usrq->pins };
	ibx_cmd_fill_undo(keep->undo, srq->xrc ? MLX5_CMD_OP_DESTROY_XRC_SRQ :
						 MLX5_CMD_OP_DESTROY_RMP, srq->uid, srq->srqn);
}

/* put the resources of an SRQ whose creation has failed, or keep them */
static void drop_new_usrq(struct ibx_user_srq *usrq,
			  const struct ib_srq_init_attr *init, int err)
{
	const struct ibx_keep keep = { .what = "an SRQ", .pins = &usrq->pins };

	if (usrq->srq.xrc && ibx_cmd_lost(err))
		to_xrcd(init->ext.xrc.xrcd)->held = true;
	ibx_keep_hold_pd(to_ipd(usrq->srq.ibsrq.pd), usrq->srq.uid, err);
	ibx_keep_uncreated(usrq->pins.uctx, &keep, err);
}

/*
 * Destroy a new SRQ whose response cannot be written. If another thread of the
 * process has guessed the number of the SRQ and uses the SRQ, the SRQ is kept.
 */
static void undo_usrq(struct ibx_dev *dev, struct ibx_user_srq *usrq)
{
	struct ibx_keep keep;

	name_usrq(usrq, &keep);
	ibx_keep_undestroyed(usrq->pins.uctx, &keep,
			     usrq_destroy_fw(dev, &usrq->srq));
}

/* add an SRQ to the table in which events find it, and write the response */
static int publish_usrq(struct ibx_dev *dev, struct ibx_user_srq *usrq,
			struct ib_udata *udata)
{
	struct mlx5_ib_create_srq_resp resp = { .srqn = usrq->srq.srqn };
	struct ibx_srq *srq = &usrq->srq;
	int err;

	ibx_ref_init(&srq->ref);
	err = xa_err(xa_store_irq(&dev->srqs, srq->srqn, srq, GFP_KERNEL));
	if (err)
		return err;
	err = ibx_udata_write(udata, &resp, sizeof(resp), sizeof(resp.srqn));
	if (err) {
		xa_erase_irq(&dev->srqs, srq->srqn);
		ibx_ref_last(&srq->ref);
	}
	return err;
}

/**
 * ibx_user_create_srq() - verb create_srq
 * @ibsrq: SRQ with its pd set by the core
 * @init: number and size of WQEs; gets the actual max_wr and max_sge. The
 *	process has laid out the ring by the rules of ibx_srq_geometry()
 * @udata: NULL for an SRQ of the kernel. Else struct mlx5_ib_create_srq, and
 *	space for struct mlx5_ib_create_srq_resp
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EOPNOTSUPP: a type other than IB_SRQT_BASIC and IB_SRQT_XRC, a flag, or a
 *   device without RMPs or XRC
 * * -EINVAL: a size out of range, a short request, no space for the number of
 *   the SRQ, or a user index of more than 24 bits
 * * -EFAULT
 * * -ENOMEM
 * * an errno of ibx_pins_get() or ibx_create_srq(), or from cmd.h
 */
int ibx_user_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
			struct ib_udata *udata)
{
	struct ibx_dev *dev = to_idev(ibsrq->device);
	struct ibx_user_srq *usrq = to_user_srq(ibsrq);
	struct mlx5_ib_create_srq cmd;
	struct ibx_srq_geom geom;
	int err;

	if (!udata)
		return ibx_create_srq(ibsrq, init, NULL);
	err = check_type(dev, init->srq_type);
	if (err)
		return err;
	usrq->srq.xrc = init->srq_type == IB_SRQT_XRC;
	err = usrq_read_cmd(udata, &cmd) ?: usrq_get_geometry(dev, init, &geom);
	if (!err)
		err = usrq_get_pins(udata_to_uctx(udata), usrq, &cmd, &geom);
	if (err)
		return err;

	/* an XRC domain has uid 0: an SRQ with another uid cannot name it */
	usrq->srq.uid = usrq->srq.xrc ? 0 : usrq->pins.uctx->uid;
	usrq->srq.ring.wqe_cnt = geom.wqe_cnt;
	usrq->srq.ring.max_gs = geom.sges;
	err = usrq_create_fw(dev, usrq, &geom, init, cmd.uidx);
	if (err) {
		drop_new_usrq(usrq, init, err);
		return err;
	}
	ibx_rings_settle(&usrq->pins.rings);
	err = publish_usrq(dev, usrq, udata);
	if (err) {
		undo_usrq(dev, usrq);
		return err;
	}
	init->attr.max_wr = geom.wqe_cnt - 1;
	init->attr.max_sge = geom.sges;
	return 0;
}

/**
 * ibx_user_modify_srq() - verb modify_srq
 * @ibsrq: SRQ
 * @attr: see ibx_modify_srq()
 * @mask: see ibx_modify_srq()
 * @udata: NULL for an SRQ of the kernel; else a request that must be 0
 *
 * Context: may sleep.
 * Return: 0; -EOPNOTSUPP for a request that is not 0; or an errno of
 * ibx_modify_srq().
 */
int ibx_user_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
			enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	if (udata && !ib_is_udata_cleared(udata, 0, udata->inlen))
		return -EOPNOTSUPP;
	return ibx_modify_srq(ibsrq, attr, mask, NULL);
}

static int keep_usrq(struct ibx_user_srq *usrq, int err)
{
	struct ibx_keep keep;

	if (usrq->srq.xrc && ibx_cmd_lost(err))
		to_xrcd(usrq->srq.ibsrq.ext.xrc.xrcd)->held = true;
	name_usrq(usrq, &keep);
	keep.must = ibx_uobj_is_new(usrq->srq.ibsrq.uobject);
	return ibx_keep_refused(usrq->pins.uctx, &keep, err);
}

/**
 * ibx_user_destroy_srq() - verb destroy_srq
 * @ibsrq: SRQ that no QP uses
 * @udata: unused
 *
 * A QP of DEVX may use the SRQ; uverbs has no record of such a QP. The ring
 * stays pinned until the device has destroyed the SRQ. In the cases of
 * abi/keep.c, this function returns 0 before that.
 *
 * Context: may sleep: waits for queued events.
 * Return:
 * * 0
 * * for an SRQ of a process, an errno from cmd.h: the SRQ stays, without
 *   events, and can be destroyed again
 */
int ibx_user_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct ibx_dev *dev = to_idev(ibsrq->device);
	struct ibx_user_srq *usrq = to_user_srq(ibsrq);
	int err;

	if (!ibsrq->uobject)
		return ibx_destroy_srq(ibsrq, udata);
	/*
	 * before the SRQ is destroyed: afterwards, another SRQ may have the
	 * number
	 */
	if (!usrq->hidden) {
		xa_erase_irq(&dev->srqs, usrq->srq.srqn);
		ibx_ref_last(&usrq->srq.ref);
		usrq->hidden = true;
	}
	err = usrq_destroy_fw(dev, &usrq->srq);
	if (err)
		return keep_usrq(usrq, err);
	ibx_pins_put(&usrq->pins);
	return 0;
}
