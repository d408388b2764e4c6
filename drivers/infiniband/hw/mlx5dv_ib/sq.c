// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5dv_ib: posting to the send queues of mlx5_ib.
 *
 * For each WQE of a chain of mlx5_ibx, mlx5dv_ib_post_sq() writes the same state
 * as mlx5_ib_post_send() for a WR: the blocks in the fragmented ring, the entries
 * for the first block in the arrays of mlx5_ib, and the number of WRs.
 *
 * So for mlx5_ib, each WQE is a WR. A WR of several WQEs, of which only the last
 * is signalled, completes once if it succeeds. If it fails or is flushed, an
 * unchanged mlx5_ib completes each of its WQEs. Its last WQE has its wr_id. The
 * other WQEs have a wr_cqe whose callback does nothing, so the completion of the
 * WR has the status of its last WQE: IB_WC_WR_FLUSH_ERR if another of its WQEs
 * failed. A patched mlx5_ib reads the marks of mlx5_ib_dv.h.
 */
#include "mlx5dv_ib.h"
#include "dv/register.h"
#include "enc/enc.h"
#include "mlx5_ib_dv.h"
#include "ring.h"
#include "wr.h"

#define SEND_STATES								\
	(BIT(IB_QPS_RTS) | BIT(IB_QPS_SQD) | BIT(IB_QPS_SQE) | BIT(IB_QPS_ERR))
#define FENCE_BITS	(MLX5_FENCE_MODE_STRONG_ORDERING | MLX5_FENCE_MODE_SMALL_AND_FENCE)
#define WAITS_FOR_COPIES							\
	(MLX5_FENCE_MODE_STRONG_ORDERING | MLX5_FENCE_MODE_INITIATOR_SMALL)
#define IDX_SHIFT	8
#define IDX_MASK	(0xffff << IDX_SHIFT)
#define OPCODE_MASK	0xff
#define DS_MASK		0x3f
#define BLOCK_DS	(MLX5_SEND_WQE_BB / MLX5_SEND_WQE_DS)

void mlx5dv_ib_get_sq(struct ib_qp *ibqp, struct ibx_backend_sq *sq)
{
	const struct mlx5_ib_qp *qp = to_mqp(ibqp);

	/* the WQEs of these QPs have other segments, or the QP has no number in trans_qp */
	if (qp->flags & (IB_QP_CREATE_IPOIB_UD_LSO | IB_QP_CREATE_SOURCE_QPN))
		return;
	sq->qpn = qp->trans_qp.base.mqp.qpn;
	sq->wqe_cnt = qp->sq.wqe_cnt;
	sq->max_post = qp->sq.max_post;
	sq->max_gs = qp->sq.max_gs;
	sq->max_inline = qp->max_inline_data;
	sq->sig_all = qp->sq_signal_bits & MLX5_WQE_CTRL_CQ_UPDATE;
}

/* like mlx5_ib: the CQ is locked only if the queue appears to be full */
static bool has_space(struct mlx5_ib_qp *qp, u32 nr)
{
	struct mlx5_ib_wq *sq = &qp->sq;
	struct mlx5_ib_cq *cq;
	u32 used;

	if (sq->head - READ_ONCE(sq->tail) + nr <= sq->max_post)
		return true;
	cq = to_mcq(qp->ibqp.send_cq);
	spin_lock(&cq->lock);
	used = sq->head - sq->tail;
	spin_unlock(&cq->lock);
	return used + nr <= sq->max_post;
}

int mlx5dv_ib_may_post(struct ib_qp *ibqp)
{
	const struct mlx5_core_dev *mdev = to_mdev(ibqp->device)->mdev;

	if (!(BIT(READ_ONCE(to_mqp(ibqp)->state)) & SEND_STATES))
		return -EINVAL;
	return READ_ONCE(mdev->state) == MLX5_DEVICE_STATE_INTERNAL_ERROR ? -EIO : 0;
}

int mlx5dv_ib_lock_sq(struct ib_qp *ibqp, u32 nr)
{
	struct mlx5_ib_qp *qp = to_mqp(ibqp);
	int err;

	spin_lock(&qp->sq.lock);
	err = mlx5dv_ib_may_post(ibqp);
	if (!err && !has_space(qp, nr))
		err = -ENOMEM;
	if (err)
		spin_unlock(&qp->sq.lock);
	else
		/* for sparse: mlx5dv_ib_post_sq() releases the lock */
		__release(&qp->sq.lock);
	return err;
}

/* when a UMR completes, mlx5_ib reads the kind of the UMR from wr_data */
static u32 kind_of_umr(const struct ibx_sqe *sqe)
{
	return sqe->wc_opcode == IB_WC_LOCAL_INV ? IB_WR_LOCAL_INV : IB_WR_REG_MR;
}

/*
 * Copy a WQE to the next free blocks of the ring. Return: the control segment
 * in the ring.
 */
static struct mlx5_wqe_ctrl_seg *put_wqe(struct mlx5_ib_qp *qp, const void *from, u32 blocks)
{
	struct mlx5_ib_wq *sq = &qp->sq;
	const u32 mask = sq->wqe_cnt - 1;
	struct mlx5_wqe_ctrl_seg *ctrl;
	u32 word, i;

	ctrl = mlx5_frag_buf_get_wqe(&sq->fbc, sq->cur_post & mask);
	memcpy(ctrl, from, MLX5_SEND_WQE_BB);
	for (i = 1; i < blocks; i++)
		memcpy(mlx5_frag_buf_get_wqe(&sq->fbc, (sq->cur_post + i) & mask),
		       from + i * MLX5_SEND_WQE_BB, MLX5_SEND_WQE_BB);
	word = be32_to_cpu(ctrl->opmod_idx_opcode) & ~IDX_MASK;
	ctrl->opmod_idx_opcode = cpu_to_be32(word | (u32)sq->cur_post << IDX_SHIFT);
	return ctrl;
}

/* @before: mark of the WQE before, or 0 */
static u16 mark_of(const struct ibx_sqe *sqe, bool is_last, u16 before)
{
	u16 mark = MLX5_IB_DV_WC | sqe->wc_opcode;

	if (!is_last)
		mark |= MLX5_IB_DV_PART;
	else if (before & MLX5_IB_DV_PART)
		mark |= MLX5_IB_DV_LAST;
	return mark;
}

static void put_shadow(struct mlx5_ib_wq *sq, const struct ibx_sqe *sqe, u8 opcode, u32 blocks,
		       u32 nr, u16 mark)
{
	const u32 idx = sq->cur_post & (sq->wqe_cnt - 1);

	sq->wrid[idx] = mark & MLX5_IB_DV_PART ? (uintptr_t)&ibx_part_cqe : sqe->wr_id;
	sq->w_list[idx].opcode = mark;
	if (opcode == MLX5_OPCODE_UMR)
		sq->wr_data[idx] = kind_of_umr(sqe);
	else if (mark & MLX5_IB_DV_LAST)
		sq->wr_data[idx] = 0;
	sq->wqe_head[idx] = sq->head + nr;
	sq->cur_post += blocks;
	sq->w_list[idx].next = sq->cur_post;
}

/*
 * IB_SEND_FENCE of ib_post_send() does not wait for memory copies, which need
 * the small fence. So the WQE after a chain has the small fence if a copy of the
 * chain has no fenced WQE behind it. @after: the same for the WQEs before.
 */
static u8 fence_after(const struct mlx5_wqe_ctrl_seg *ctrl, u8 opcode, u8 after)
{
	if (opcode == IBX_OPCODE_MMO)
		return MLX5_FENCE_MODE_INITIATOR_SMALL;
	return ctrl->fm_ce_se & WAITS_FOR_COPIES ? 0 : after;
}

static void ring_doorbell(struct mlx5_ib_qp *qp, struct mlx5_wqe_ctrl_seg *ctrl, u32 nr)
{
	struct mlx5_bf *bf = &qp->bf;

	qp->sq.head += nr;
	/*
	 * The WQEs must be visible before the doorbell record: the device reads
	 * the record first.
	 */
	wmb();
	qp->db.db[MLX5_SND_DBR] = cpu_to_be32(qp->sq.cur_post);
	/*
	 * The record must be visible before the register is written: the write
	 * makes the device read the record.
	 */
	wmb();
	mlx5_write64((__be32 *)ctrl, bf->bfreg->map + bf->offset);
	bf->offset ^= bf->buf_size;
}

void mlx5dv_ib_post_sq(struct ib_qp *ibqp, const struct ibx_chain *c)
{
	struct mlx5_ib_qp *qp = to_mqp(ibqp);
	struct mlx5_wqe_ctrl_seg *ctrl = NULL;
	const struct ibx_sq *from = c->sq;
	u32 at, blocks, nr = 0;
	u8 opcode, after = 0;
	u16 mark = 0;

	__acquire(&qp->sq.lock);
	for (at = from->cur_post; at != c->cur; at += blocks) {
		const struct mlx5_wqe_ctrl_seg *wqe = from->buf + at * MLX5_SEND_WQE_BB;

		blocks = DIV_ROUND_UP(be32_to_cpu(wqe->qpn_ds) & DS_MASK, BLOCK_DS);
		ctrl = put_wqe(qp, wqe, blocks);
		/* the WQE before the chain may require a fence */
		if (!nr && !(ctrl->fm_ce_se & FENCE_BITS))
			ctrl->fm_ce_se |= qp->next_fence;
		opcode = be32_to_cpu(wqe->opmod_idx_opcode) & OPCODE_MASK;
		after = fence_after(ctrl, opcode, after);
		mark = mark_of(&from->shadow[at], at + blocks == from->shadow[at].next, mark);
		put_shadow(&qp->sq, &from->shadow[at], opcode, blocks, nr++, mark);
	}
	if (nr) {
		qp->next_fence = c->next_fence ?: after;
		qp->sq.cur_edge = get_sq_edge(&qp->sq, qp->sq.cur_post & (qp->sq.wqe_cnt - 1));
		ring_doorbell(qp, ctrl, nr);
	}
	spin_unlock(&qp->sq.lock);
}
