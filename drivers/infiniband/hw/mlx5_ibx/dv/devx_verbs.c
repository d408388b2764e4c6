// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Objects of verbs in firmware commands of ULPs: <rdma/mlx5dv_devx_verbs.h>.
 *
 * PDs and CQs of verbs have uid 0, the uid of the kernel, and the device
 * refuses their numbers in the commands of a user context. A context of
 * mlx5dv_devx_open_verbs() has no user context: its commands have uid 0, too.
 * For uid 0 the device does not check the owner of an object. So the driver
 * checks that a QP completes in CQs that the ULP has attached, and, as in any
 * context, that a command names the object of its handle.
 *
 * Polling passes the CQEs of the QP to the ULP (pass_cqe()). Before the QP is
 * destroyed, it is moved to RESET and its CQEs are removed from the CQs: the
 * next QP with the same number may be a QP of verbs.
 */
#include <linux/export.h>
#include <linux/slab.h>
#include <rdma/mlx5dv.h>

#include "cmd/cmd.h"
#include "dv/companion.h"
#include "dv/devx.h"
#include "verbs/verbs.h"
#include "wq/wq.h"

static int dv_pd_init(struct ib_pd *pd, struct mlx5dv_pd *out)
{
	struct ibx_dev *dev;

	if (pd->uobject)
		return -EINVAL;
	dev = ibx_dv_get(pd->device);
	if (!dev)
		return -EOPNOTSUPP;
	out->pdn = ibx_dv_pdn(dev, pd);
	out->comp_mask = 0;
	ibx_dv_put(dev);
	return 0;
}

static int dv_cq_init(struct ib_cq *cq, struct mlx5dv_cq *out)
{
	struct ibx_dev *dev;

	if (cq->uobject)
		return -EINVAL;
	dev = ibx_dv_get(cq->device);
	if (!dev)
		return -EOPNOTSUPP;
	out->cqe_cnt = cq->cqe + 1;
	out->cqe_size = dev->backend ? dev->backend->cqe_size(cq) :
				       sizeof(struct mlx5_cqe64);
	out->cqn = ibx_dv_cqn(dev, cq);
	out->comp_mask = 0;
	ibx_dv_put(dev);
	return 0;
}

int mlx5dv_init_obj(struct mlx5dv_obj *obj, u64 obj_type)
{
	int err = 0;

	if (!obj_type || obj_type & ~(u64)(MLX5DV_OBJ_CQ | MLX5DV_OBJ_PD))
		return -EOPNOTSUPP;
	if (obj_type & MLX5DV_OBJ_CQ)
		err = dv_cq_init(obj->cq.in, obj->cq.out);
	if (!err && obj_type & MLX5DV_OBJ_PD)
		err = dv_pd_init(obj->pd.in, obj->pd.out);
	return err;
}
EXPORT_SYMBOL_GPL(mlx5dv_init_obj);

/* Return: false, without a change, if the CQ is attached already */
static bool set_attached(struct ibx_cq *cq, mlx5dv_devx_cqe_cb cb, void *arg)
{
	unsigned long flags;
	bool free;

	spin_lock_irqsave(&cq->lock, flags);
	free = !cq->attached;
	if (free) {
		cq->attached = true;
		cq->cqe_cb = cb;
		cq->cqe_arg = arg;
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	return free;
}

static void clear_attached(struct ibx_cq *cq)
{
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	cq->attached = false;
	cq->cqe_cb = NULL;
	cq->cqe_arg = NULL;
	spin_unlock_irqrestore(&cq->lock, flags);
}

int mlx5dv_devx_attach_cq(struct mlx5dv_devx_ctx *ctx, struct ib_cq *cq, mlx5dv_devx_cqe_cb cb,
			  void *arg)
{
	struct ibx_dv_cq *dcq;

	if (!ibx_dv_is_verbs(ctx) || cq->device != ctx->dev->ib || cq->uobject)
		return -EINVAL;
	/*
	 * mlx5_ib polls its CQs and looks up the QP of each CQE: mlx5_ib does
	 * not have the QPs of the ULP
	 */
	if (ctx->dev->backend)
		return -EOPNOTSUPP;
	dcq = kzalloc(sizeof(*dcq), GFP_KERNEL);
	if (!dcq)
		return -ENOMEM;
	dcq->cq = to_icq(cq);
	if (!set_attached(dcq->cq, cb, arg)) {
		kfree(dcq);
		return -EBUSY;
	}
	mutex_lock(&ctx->mutex);
	list_add(&dcq->link, &ctx->cqs);
	mutex_unlock(&ctx->mutex);
	atomic_inc(&ctx->users);
	return 0;
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_attach_cq);

int mlx5dv_devx_detach_cq(struct mlx5dv_devx_ctx *ctx, struct ib_cq *cq)
{
	struct ibx_dv_cq *dcq;
	int err = -EINVAL;

	mutex_lock(&ctx->mutex);
	list_for_each_entry(dcq, &ctx->cqs, link) {
		if (&dcq->cq->ibcq != cq)
			continue;
		err = dcq->users ? -EBUSY : 0;
		if (err)
			break;
		list_del(&dcq->link);
		clear_attached(dcq->cq);
		kfree(dcq);
		atomic_dec(&ctx->users);
		break;
	}
	mutex_unlock(&ctx->mutex);
	return err;
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_detach_cq);

static struct ibx_dv_cq *get_cq(struct mlx5dv_devx_ctx *ctx, u32 cqn)
{
	struct ibx_dv_cq *dcq;

	lockdep_assert_held(&ctx->mutex);
	list_for_each_entry(dcq, &ctx->cqs, link)
		if (dcq->cq->mcq.cqn == cqn) {
			dcq->users++;
			return dcq;
		}
	return NULL;
}

/*
 * Is a command refused? A CQ of a firmware command cannot be attached. DCTs and
 * XRC SRQs complete in a CQ, and ibx_dv_get_cqs() checks only the CQs of QPs.
 */
static bool is_refused(u16 opcode)
{
	switch (opcode) {
	case MLX5_CMD_OP_CREATE_CQ:
	case MLX5_CMD_OP_CREATE_DCT:
	case MLX5_CMD_OP_CREATE_XRC_SRQ:
		return true;
	default:
		return false;
	}
}

/**
 * ibx_dv_get_cqs() - find the attached CQs that a command names, and keep them attached
 * @obj: object that the command will create, with its context
 * @row: row of the command
 * @box: command that ibx_devx_check() has accepted
 *
 * Context: may sleep.
 * Return:
 * * 0; also for a context with a uid, and for an object without CQs
 * * -EINVAL: a CQ of the QP is not attached; the command is too short for the
 *   numbers of the CQs; or the command creates a CQ, a DCT or an XRC SRQ
 */
int ibx_dv_get_cqs(struct mlx5dv_devx_obj *obj, const struct ibx_devx_row *row,
		   const struct ibx_devx_box *box)
{
	struct mlx5dv_devx_ctx *ctx = obj->ctx;
	const void *qpc;
	int err = 0;

	if (!ibx_dv_is_verbs(ctx))
		return 0;
	if (is_refused(row->opcode))
		return -EINVAL;
	if (row->opcode != MLX5_CMD_OP_CREATE_QP)
		return 0;
	if (box->inlen < MLX5_ST_SZ_BYTES(create_qp_in))
		return -EINVAL;
	qpc = MLX5_ADDR_OF(create_qp_in, box->in, qpc);
	mutex_lock(&ctx->mutex);
	obj->send_cq = get_cq(ctx, MLX5_GET(qpc, qpc, cqn_snd));
	obj->recv_cq = get_cq(ctx, MLX5_GET(qpc, qpc, cqn_rcv));
	mutex_unlock(&ctx->mutex);
	if (!obj->send_cq || !obj->recv_cq) {
		ibx_dv_put_cqs(obj);
		err = -EINVAL;
	}
	return err;
}

/**
 * ibx_dv_put_cqs() - undo ibx_dv_get_cqs()
 * @obj: object that the device does not have
 *
 * Context: may sleep.
 */
void ibx_dv_put_cqs(struct mlx5dv_devx_obj *obj)
{
	mutex_lock(&obj->ctx->mutex);
	if (obj->send_cq)
		obj->send_cq->users--;
	if (obj->recv_cq)
		obj->recv_cq->users--;
	mutex_unlock(&obj->ctx->mutex);
}

static void clean_cq(struct ibx_cq *cq, u32 qpn)
{
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	ibx_cq_clean(cq, qpn, NULL, false);
	spin_unlock_irqrestore(&cq->lock, flags);
}

/**
 * ibx_dv_clean_cqs() - move a QP with attached CQs to RESET, and remove its CQEs
 * @obj: object; nothing is done if the object has no attached CQs, or if its
 *	number may belong to another object (left)
 *
 * Context: may sleep.
 * Return: 0, or an errno of the firmware command.
 */
int ibx_dv_clean_cqs(struct mlx5dv_devx_obj *obj)
{
	u32 in[MLX5_ST_SZ_DW(qp_2rst_in)] = {};
	int err;

	if (!obj->send_cq || obj->obj.left)
		return 0;
	MLX5_SET(qp_2rst_in, in, opcode, MLX5_CMD_OP_2RST_QP);
	MLX5_SET(qp_2rst_in, in, qpn, obj->obj.id.nr);
	err = ibx_cmd_exec_in(obj->ctx->dev, qp_2rst, in);
	if (ibx_cmd_lost(err)) {
		/* the QP is not destroyed, and may still write CQEs */
		obj->send_cq->cq->exposed = true;
		obj->recv_cq->cq->exposed = true;
	}
	if (err)
		return err;
	clean_cq(obj->send_cq->cq, obj->obj.id.nr);
	clean_cq(obj->recv_cq->cq, obj->obj.id.nr);
	return 0;
}
