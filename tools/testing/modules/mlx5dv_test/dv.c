// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Common functions of the suites.
 */
#include <linux/module.h>

#include "dv.h"

bool dv_patched;
module_param_named(patched, dv_patched, bool, 0444);
MODULE_PARM_DESC(patched, "mlx5_ib is patched by tools/ulps/mlx5_ib_dv");

#define DV_OPS_UD	(IB_QP_EX_WITH_SEND | IB_QP_EX_WITH_SEND_WITH_IMM)
#define DV_OPS_UC	(DV_OPS_UD | IB_QP_EX_WITH_RDMA_WRITE | IB_QP_EX_WITH_RDMA_WRITE_WITH_IMM)
#define DV_OPS_RC							\
	(DV_OPS_UC | IB_QP_EX_WITH_RDMA_READ | IB_QP_EX_WITH_LOCAL_INV |	\
	 IB_QP_EX_WITH_SEND_WITH_INV | IB_QP_EX_WITH_ATOMIC_CMP_AND_SWP |	\
	 IB_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)
#define DV_OPS_RC_MLX5							\
	(MLX5DV_QP_EX_WITH_MR_INTERLEAVED | MLX5DV_QP_EX_WITH_MR_LIST |	\
	 MLX5DV_QP_EX_WITH_MKEY_CONFIGURE | MLX5DV_QP_EX_WITH_MEMCPY)

const struct t_opts dv_opts = {
	.create_qp = dv_create_qp,
	.destroy_qp = mlx5dv_destroy_qp,
	.in_init = dv_add_copies,
	.post = dv_post,
	.inline_size = 60,
};

const struct t_opts dv_wide_opts = {
	.create_qp = dv_create_qp,
	.destroy_qp = mlx5dv_destroy_qp,
	.in_init = dv_add_copies,
	.post = dv_post,
	.inline_size = 48 * 16,
};

/**
 * dv_create_qp() - create a QP that supports all operations of its type
 * @pd: PD of the QP
 * @attr: argument of ib_create_qp()
 *
 * Return: as mlx5dv_create_qp().
 */
struct ib_qp *dv_create_qp(struct ib_pd *pd, struct ib_qp_init_attr *attr)
{
	struct ib_qp_init_attr_ex ex = {
		.base = *attr,
		.comp_mask = IB_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = attr->qp_type == IB_QPT_RC ? DV_OPS_RC :
				  attr->qp_type == IB_QPT_UC ? DV_OPS_UC : DV_OPS_UD,
	};
	struct mlx5dv_qp_init_attr mlx5 = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
		.send_ops_flags = MLX5DV_QP_EX_WITH_RAW_WQE |
				  (attr->qp_type == IB_QPT_RC ? DV_OPS_RC_MLX5 : 0),
	};

	/* dv_add_copies() adds memory copies to QPs of mlx5_ib */
	if (dv_on_mlx5_ib(pd->device))
		mlx5.send_ops_flags &= ~(u64)MLX5DV_QP_EX_WITH_MEMCPY;
	return mlx5dv_create_qp(pd, &ex, &mlx5);
}

/**
 * dv_add_copies() - add memory copies to an RC QP of dv_create_qp() on mlx5_ib
 * @qp: QP in INIT
 *
 * Return: 0 or a negative errno.
 */
int dv_add_copies(struct ib_qp *qp)
{
	struct mlx5dv_context caps = { .comp_mask = MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH };

	if (!dv_on_mlx5_ib(qp->device) || qp->qp_type != IB_QPT_RC || !mlx5dv_qp_ex_from_ib_qp(qp))
		return 0;
	T_TRY(mlx5dv_query_device(qp->device, &caps));
	return caps.max_wr_memcpy_length ?
		mlx5dv_qp_add_builders(qp, 0, MLX5DV_QP_EX_WITH_MEMCPY) : 0;
}

static void dv_set_data(struct ib_qp_ex *qpx, const struct ib_send_wr *wr)
{
	struct ib_data_buf bufs[4];
	int i;

	if (!(wr->send_flags & IB_SEND_INLINE)) {
		if (wr->num_sge == 1)
			ib_wr_set_sge(qpx, wr->sg_list->lkey, wr->sg_list->addr,
				      wr->sg_list->length);
		else
			ib_wr_set_sge_list(qpx, wr->num_sge, wr->sg_list);
		return;
	}
	for (i = 0; i < wr->num_sge && i < ARRAY_SIZE(bufs); i++) {
		bufs[i].addr = (void *)(uintptr_t)wr->sg_list[i].addr;
		bufs[i].length = wr->sg_list[i].length;
	}
	if (i == 1)
		ib_wr_set_inline_data(qpx, bufs[0].addr, bufs[0].length);
	else
		ib_wr_set_inline_data_list(qpx, i, bufs);
}

/**
 * dv_build() - build a work request with the builder and setters of its opcode
 * @mqp: QP, after ib_wr_start()
 * @wr: one work request that carries data, or IB_WR_LOCAL_INV
 */
void dv_build(struct mlx5dv_qp_ex *mqp, const struct ib_send_wr *wr)
{
	struct ib_qp_ex *qpx = &mqp->qp_ex;

	qpx->wr_id = wr->wr_id;
	qpx->wr_flags = wr->send_flags;
	switch (wr->opcode) {
	case IB_WR_SEND:
		ib_wr_send(qpx);
		break;
	case IB_WR_SEND_WITH_IMM:
		ib_wr_send_imm(qpx, wr->ex.imm_data);
		break;
	case IB_WR_SEND_WITH_INV:
		ib_wr_send_inv(qpx, wr->ex.invalidate_rkey);
		break;
	case IB_WR_RDMA_WRITE:
		ib_wr_rdma_write(qpx, rdma_wr(wr)->rkey, rdma_wr(wr)->remote_addr);
		break;
	case IB_WR_RDMA_WRITE_WITH_IMM:
		ib_wr_rdma_write_imm(qpx, rdma_wr(wr)->rkey, rdma_wr(wr)->remote_addr,
				     wr->ex.imm_data);
		break;
	case IB_WR_RDMA_READ:
		ib_wr_rdma_read(qpx, rdma_wr(wr)->rkey, rdma_wr(wr)->remote_addr);
		break;
	case IB_WR_LOCAL_INV:
		ib_wr_local_inv(qpx, wr->ex.invalidate_rkey);
		return;
	default:
		t_log("no builder for opcode %d\n", wr->opcode);
		return;
	}
	if (qpx->qp->qp_type == IB_QPT_UD && wr->wr_id & 1)
		ib_wr_set_ud_addr(qpx, ud_wr(wr)->ah, ud_wr(wr)->remote_qpn,
				  ud_wr(wr)->remote_qkey);
	dv_set_data(qpx, wr);
	if (qpx->qp->qp_type == IB_QPT_UD && !(wr->wr_id & 1))
		ib_wr_set_ud_addr(qpx, ud_wr(wr)->ah, ud_wr(wr)->remote_qpn,
				  ud_wr(wr)->remote_qkey);
}

/**
 * dv_post() - post one work request like ib_post_send(), but with a builder
 * @qp: QP of dv_create_qp()
 * @wr: argument of dv_build()
 *
 * Return: as ib_wr_start() and ib_wr_complete().
 */
int dv_post(struct ib_qp *qp, const struct ib_send_wr *wr)
{
	struct mlx5dv_qp_ex *mqp = mlx5dv_qp_ex_from_ib_qp(qp);
	int ret;

	ret = ib_wr_start(&mqp->qp_ex);
	if (ret)
		return ret;
	dv_build(mqp, wr);
	return ib_wr_complete(&mqp->qp_ex);
}

/**
 * dv_next() - set wr_id and flags of the next work request
 * @e: the end, after dv_start()
 * @id: wr_id
 * @flags: IB_SEND_*
 */
void dv_next(struct t_end *e, u64 id, unsigned int flags)
{
	dv_qpx(e)->wr_id = id;
	dv_qpx(e)->wr_flags = flags;
}

/**
 * dv_start() - call ib_wr_start() for an end's QP, and set wr_id and flags
 * @e: the end
 * @id: wr_id of the first work request
 * @flags: IB_SEND_* of that work request
 *
 * Return: as ib_wr_start().
 */
int dv_start(struct t_end *e, u64 id, unsigned int flags)
{
	int ret = ib_wr_start(dv_qpx(e));

	if (!ret)
		dv_next(e, id, flags);
	return ret;
}

/**
 * dv_expect_only() - check that work requests succeeded, each once, in order, and
 * that there are no other completions
 * @q: a queue without collected completions since t_clear_counts()
 * @from: first wr_id
 * @to: last wr_id
 *
 * Return: 0 or -EIO.
 */
int dv_expect_only(struct t_queue *q, u64 from, u64 to)
{
	u64 id;

	T_EXPECT(t_wait(q, to), IB_WC_SUCCESS);
	T_TRY(t_settle(q));
	T_EXPECT(q->nr, to - from + 1);
	for (id = from; id <= to; id++) {
		T_EXPECT(q->order[id - from], id);
		T_EXPECT(q->wc[id].status, IB_WC_SUCCESS);
	}
	return 0;
}

/**
 * dv_mkey() - create an indirect mkey of an end
 * @e: the end
 * @flags: MLX5DV_MKEY_INIT_ATTR_FLAGS_* in addition to _INDIRECT
 * @entries: number of entries
 *
 * Return: as mlx5dv_create_mkey().
 */
struct mlx5dv_mkey *dv_mkey(struct t_end *e, u32 flags, u16 entries)
{
	struct mlx5dv_mkey_init_attr attr = {
		.pd = e->pd,
		.create_flags = flags | MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT,
		.max_entries = entries,
	};

	return mlx5dv_create_mkey(&attr);
}

/**
 * dv_rdma() - post a WRITE or READ with a builder, and wait for its completion
 * @e: the end that posts
 * @id: wr_id
 * @op: IB_WR_RDMA_WRITE or IB_WR_RDMA_READ
 * @sge: memory of @e
 * @addr: address of the peer's memory
 * @rkey: key of the peer's memory
 *
 * Return: the completion's status, or a negative errno.
 */
int dv_rdma(struct t_end *e, u64 id, enum ib_wr_opcode op, const struct ib_sge *sge, u64 addr,
	    u32 rkey)
{
	struct ib_qp_ex *qpx = dv_qpx(e);
	int ret;

	ret = dv_start(e, id, IB_SEND_SIGNALED);
	if (ret)
		return ret;
	if (op == IB_WR_RDMA_WRITE)
		ib_wr_rdma_write(qpx, rkey, addr);
	else
		ib_wr_rdma_read(qpx, rkey, addr);
	ib_wr_set_sge_list(qpx, 1, sge);
	ret = ib_wr_complete(qpx);
	return ret ? ret : t_wait(&e->sq, id);
}
