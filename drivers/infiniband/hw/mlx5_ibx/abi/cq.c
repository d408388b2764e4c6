// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * CQs of processes. A process polls and arms the CQ without the kernel; the
 * driver reports the CQ's events to the process.
 *
 * ibx_cq.failed of such a CQ is never set: the flag makes the driver stop the
 * QPs of the CQ, but a process stops its QPs itself.
 */
#include <linux/log2.h>
#include <uapi/rdma/mlx5-abi.h>

#include "abi/abi.h"
#include "abi/keep.h"
#include "cmd/cmd.h"
#include "trace.h"
#include "verbs/verbs.h"

static void ucq_comp_event(struct mlx5_core_cq *mcq, struct mlx5_eqe *eqe)
{
	struct ib_cq *ibcq = &container_of(mcq, struct ibx_cq, mcq)->ibcq;

	ibcq->comp_handler(ibcq, ibcq->cq_context);
}

static void ucq_async_event(struct mlx5_core_cq *mcq, enum mlx5_event type)
{
	struct ib_cq *ibcq = &container_of(mcq, struct ibx_cq, mcq)->ibcq;
	struct ib_event event = {
		.device = ibcq->device,
		.event = IB_EVENT_CQ_ERR,
		.element.cq = ibcq,
	};

	if (type != MLX5_EVENT_TYPE_CQ_ERROR)
		return;
	trace_ibx_event_cq(to_idev(ibcq->device), event.event, mcq->cqn);
	ibcq->event_handler(&event, ibcq->cq_context);
}

static int ucq_read_cmd(struct ib_udata *udata, struct mlx5_ib_create_cq *cmd)
{
	int err;

	err = ibx_udata_read(udata, cmd, sizeof(*cmd),
			     offsetofend(struct mlx5_ib_create_cq, uar_page_index));
	if (err)
		return err;
	if (cmd->cqe_comp_en || cmd->reserved0 || cmd->reserved1 ||
	    cmd->flags != MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX)
		return -EOPNOTSUPP;
	return cmd->cqe_size == 64 || cmd->cqe_size == 128 ? 0 : -EINVAL;
}

static void init_ucq(struct ibx_cq *cq, const struct ib_cq_init_attr *attr, u32 entries)
{
	spin_lock_init(&cq->lock);
	mutex_init(&cq->mutex);
	INIT_LIST_HEAD(&cq->send_qps);
	INIT_LIST_HEAD(&cq->recv_qps);
	cq->mcq.comp = ucq_comp_event;
	cq->mcq.event = ucq_async_event;
	cq->vector = attr->comp_vector;
	cq->ibcq.cqe = entries - 1;
}

static int ucq_create_fw(struct ibx_dev *dev, struct ibx_user_cq *ucq,
			 const struct ib_cq_init_attr *attr,
			 const struct mlx5_ib_create_cq *cmd)
{
	struct ibx_cq_params p = {
		.buf = &ucq->pins.rings.buf,
		.log_size = ilog2(ucq->cq.ibcq.cqe + 1),
		.cqe_128 = ucq->cqe_128,
		.overrun = attr->flags & IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN,
		.uid = ucq->pins.uctx->uid,
		.uar = cmd->uar_page_index,
		.dbr = ucq->pins.db,
	};
	int err = mlx5_comp_eqn_get(dev->mdev, attr->comp_vector, &p.eqn);

	return err ?: ibx_cmd_create_cq(dev, &ucq->cq.mcq, &p);
}

static void name_ucq(struct ibx_user_cq *ucq, struct ibx_keep *keep)
{
	*keep = (struct ibx_keep) {
		.what = "CQ",
		.pins = &ucq->pins,
		.next = &ucq->next,
	};
	ibx_cmd_fill_undo(keep->undo, MLX5_CMD_OP_DESTROY_CQ, ucq->cq.mcq.uid, ucq->cq.mcq.cqn);
}

/* put the resources of a CQ whose CREATE_CQ has failed, or keep them */
static void drop_new_ucq(struct ibx_user_cq *ucq, int err)
{
	const struct ibx_keep keep = { .what = "a CQ", .pins = &ucq->pins };

	if (ibx_cmd_cq_lost(&ucq->cq.mcq, err))
		err = -ETIMEDOUT;
	ibx_keep_uncreated(ucq->pins.uctx, &keep, err);
}

/*
 * Destroy a new CQ whose response cannot be written. If another thread of the
 * process has guessed the number of the CQ and uses the CQ, the CQ is kept.
 */
static void undo_ucq(struct ibx_dev *dev, struct ibx_user_cq *ucq)
{
	struct ibx_keep keep;

	name_ucq(ucq, &keep);
	ibx_keep_undestroyed(ucq->pins.uctx, &keep, ibx_cmd_destroy_cq(dev, &ucq->cq.mcq));
}

/* one entry stays free, so that full and empty differ */
static bool size_is_ok(const struct ibx_dev *dev, u32 cqe)
{
	return cqe && cqe <= BIT(MLX5_CAP_GEN(dev->mdev, log_max_cq_sz)) - 1;
}

static int ucq_check_attr(struct ibx_dev *dev,
			  const struct ib_cq_init_attr *attr)
{
	const u32 known = IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION |
			  IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN;

	if (attr->flags & ~known)
		return -EOPNOTSUPP;
	if (!size_is_ok(dev, attr->cqe) ||
	    attr->comp_vector >= (u32)dev->ibdev.num_comp_vectors)
		return -EINVAL;
	return 0;
}

/**
 * ibx_user_create_cq() - verb create_cq
 * @ibcq: CQ; its cqe gets the actual number of entries
 * @attr: number of entries, completion vector and flags
 * @attrs: NULL for a CQ of the kernel; else struct mlx5_ib_create_cq, and space
 *	for struct mlx5_ib_create_cq_resp
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EOPNOTSUPP: compressed or padded CQEs, real-time timestamps, an unknown
 *   flag, or a request without UAR
 * * -EINVAL: a size, vector or CQE size out of range, a short request, or no
 *   space for the number of the CQ
 * * -EFAULT
 * * an errno of ibx_pins_get() or ibx_create_cq(), or from cmd.h
 */
int ibx_user_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		       struct uverbs_attr_bundle *attrs)
{
	struct ibx_dev *dev = to_idev(ibcq->device);
	struct mlx5_ib_create_cq_resp resp = {};
	struct ibx_user_cq *ucq = to_user_cq(ibcq);
	struct mlx5_ib_create_cq cmd;
	struct ibx_pin_req req = {};
	u32 entries;
	int err;

	if (!attrs)
		return ibx_create_cq(ibcq, attr, NULL);
	err = ucq_check_attr(dev, attr) ?:
	      ucq_read_cmd(&attrs->driver_udata, &cmd);
	if (err)
		return err;
	entries = roundup_pow_of_two(attr->cqe + 1);
	req.buf = cmd.buf_addr;
	req.align = cmd.cqe_size;
	req.bytes = (size_t)entries * cmd.cqe_size;
	req.access = IB_ACCESS_LOCAL_WRITE;
	req.db = cmd.db_addr;
	req.has_uar = true;
	req.uar = cmd.uar_page_index;
	err = ibx_pins_get(udata_to_uctx(&attrs->driver_udata), &req, &ucq->pins);
	if (err)
		return err;

	init_ucq(&ucq->cq, attr, entries);
	ucq->cqe_128 = cmd.cqe_size == 128;
	err = ucq_create_fw(dev, ucq, attr, &cmd);
	if (err) {
		drop_new_ucq(ucq, err);
		return err;
	}
	ibx_rings_settle(&ucq->pins.rings);
	resp.cqn = ucq->cq.mcq.cqn;
	err = ibx_udata_write(&attrs->driver_udata, &resp, sizeof(resp), sizeof(resp.cqn));
	if (err)
		undo_ucq(dev, ucq);
	return err;
}

static int read_resize(const struct ibx_user_cq *ucq, struct ib_udata *udata,
		       struct mlx5_ib_resize_cq *cmd)
{
	int err = ibx_udata_read(udata, cmd, sizeof(*cmd), sizeof(*cmd));

	if (err)
		return err;
	if (cmd->reserved0 || cmd->reserved1)
		return -EOPNOTSUPP;
	return cmd->cqe_size == (ucq->cqe_128 ? 128 : 64) ? 0 : -EINVAL;
}

/* resize a CQ; after the last CQE of the old ring, the process polls @next */
static int ucq_resize_ring(struct ibx_dev *dev, struct ibx_user_cq *ucq,
			   u32 entries, const struct mlx5_ib_resize_cq *cmd)
{
	const struct ibx_pin_req req = {
		.buf = cmd->buf_addr,
		.align = cmd->cqe_size,
		.bytes = (size_t)entries * cmd->cqe_size,
		.access = IB_ACCESS_LOCAL_WRITE,
	};
	const struct ibx_cq_params p = {
		.buf = &ucq->next.buf,
		.log_size = ilog2(entries),
		.cqe_128 = ucq->cqe_128,
	};
	bool unknown;
	int err;

	err = ibx_rings_pin(ucq->pins.uctx, &req, &ucq->next);
	if (err)
		return err;
	err = ibx_cmd_resize_cq(dev, &ucq->cq.mcq, &p, &unknown);
	ibx_rings_settle(&ucq->next);
	if (err) {
		if (!unknown)
			ibx_rings_unpin(&ucq->next);
		return err;
	}
	swap(ucq->pins.rings, ucq->next);
	ibx_rings_unpin(&ucq->next);
	ucq->cq.ibcq.cqe = entries - 1;
	return 0;
}

/**
 * ibx_user_resize_cq() - verb resize_cq
 * @ibcq: CQ; its cqe gets the actual number of entries
 * @cqe: number of entries wanted
 * @udata: NULL for a CQ of the kernel; else struct mlx5_ib_resize_cq
 *
 * The device writes a last CQE to the old ring; after this CQE, the process
 * polls the new ring. A request for the present size changes nothing.
 *
 * Context: process.
 * Return:
 * * 0
 * * -EOPNOTSUPP: the device cannot resize, or a reserved field is set
 * * -EINVAL: the size is out of range or below the number of outstanding CQEs,
 *   the CQEs of the request have another size, or the request is short
 * * -EBUSY: the device has not answered an earlier resize
 * * an errno of ibx_rings_pin() or ibx_resize_cq(), or from cmd.h
 *
 * On failure the size does not change, but the device may still execute a
 * resize that it has not answered (ibx_user_cq.next).
 */
int ibx_user_resize_cq(struct ib_cq *ibcq, ibx_resize_t cqe, struct ib_udata *udata)
{
	struct ibx_dev *dev = to_idev(ibcq->device);
	struct ibx_user_cq *ucq = to_user_cq(ibcq);
	struct mlx5_ib_resize_cq cmd;
	u32 entries;
	int err;

	if (!udata)
		return ibx_resize_cq(ibcq, cqe, NULL);
	if (!MLX5_CAP_GEN(dev->mdev, cq_resize))
		return -EOPNOTSUPP;
	if (!size_is_ok(dev, cqe))
		return -EINVAL;
	err = read_resize(ucq, udata, &cmd);
	if (err)
		return err;
	entries = roundup_pow_of_two(cqe + 1);

	mutex_lock(&ucq->cq.mutex);
	if (ucq->next.umem)
		err = -EBUSY;
	else if (entries != ibcq->cqe + 1)
		err = ucq_resize_ring(dev, ucq, entries, &cmd);
	mutex_unlock(&ucq->cq.mutex);
	return err;
}

static int keep_ucq(struct ibx_user_cq *ucq, int err)
{
	struct ibx_keep keep;

	name_ucq(ucq, &keep);
	keep.must = ibx_uobj_is_new(ucq->cq.ibcq.uobject);
	err = ibx_keep_refused(ucq->pins.uctx, &keep, err);
	if (!err)
		ibx_cmd_forget_cq(&ucq->cq.mcq);
	return err;
}

/*
 * Keep the new ring of a resize that was not answered: the device may still
 * execute the resize, on the next CQ with the number of the destroyed CQ.
 */
static void keep_next(struct ibx_user_cq *ucq)
{
	const struct ibx_keep keep = { .what = "a new ring of a CQ", .next = &ucq->next };

	ibx_keep_undestroyed(ucq->pins.uctx, &keep, -ETIMEDOUT);
}

/**
 * ibx_user_destroy_cq() - verb destroy_cq
 * @ibcq: CQ that no QP uses
 * @udata: unused
 *
 * A QP of DEVX may use the CQ; uverbs has no record of such a QP. The ring
 * stays pinned until the device has destroyed the CQ. In the cases of
 * abi/keep.c, this function returns 0 before that.
 *
 * Context: may sleep. No event of the CQ is reported after this returns 0.
 * Return:
 * * 0
 * * for a CQ of a process, an errno from cmd.h: the CQ stays, without events,
 *   and can be destroyed again
 */
int ibx_user_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct ibx_user_cq *ucq = to_user_cq(ibcq);
	int err;

	if (!ibcq->uobject)
		return ibx_destroy_cq(ibcq, udata);
	err = ibx_cmd_try_destroy_cq(to_idev(ibcq->device), &ucq->cq.mcq);
	if (err)
		return keep_ucq(ucq, err);
	if (ucq->next.umem)
		keep_next(ucq);
	ibx_pins_put(&ucq->pins);
	return 0;
}
