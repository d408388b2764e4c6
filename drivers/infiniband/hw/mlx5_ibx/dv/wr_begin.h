/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: what every builder of the work request API begins with.
 */
#ifndef MLX5_IBX_WR_BEGIN_H
#define MLX5_IBX_WR_BEGIN_H

#include "dv/wr.h"
#include "wq/wqe.h"

/**
 * struct ibx_wr_op - what a builder is to build
 * @op: of enum ib_qp_create_send_ops_flags, or IBX_OPS_DV() of mlx5's
 * @imm: see ibx_enc_ctrl_what()
 * @opcode: MLX5_OPCODE_*
 * @wc_opcode: enum ib_wc_opcode
 * @next_fence: fence the WQE after it shall carry
 * @opmod: modifier of the opcode
 * @reg: it changes a key that a WQE before it may use
 */
struct ibx_wr_op {
	u64 op;
	__be32 imm;
	u8 opcode;
	u8 wc_opcode;
	u8 next_fence;
	u8 opmod;
	bool reg;
};

static inline struct ibx_qp *ibx_qp_of(struct ib_qp_ex *qp)
{
	return container_of(qp, struct ibx_qp, dv.qp_ex);
}

/**
 * ibx_wr_may_begin() - may a work request begin?
 * @wr: send queue
 * @op: builder, as in struct ibx_wr_op
 *
 * Return: true; false if it is not open on this CPU, or its chain is spoilt.
 */
static __always_inline bool ibx_wr_may_begin(struct ibx_wr *wr, u64 op)
{
	int err;

	if (unlikely(!ibx_wr_mine(wr)))
		return false;
	if (unlikely(wr->left))
		err = -EINVAL;
	else if (unlikely(!(wr->ops & op)))
		err = -EOPNOTSUPP;
	else if (unlikely(!ibx_chain_room(&wr->chain)))
		err = -ENOMEM;
	else
		return true;
	ibx_wr_fail(wr, err);
	return false;
}

/*
 * That of IB_SEND_FENCE is libmlx5's, the small one and the other. mlx5_ib leaves the small
 * one out where no registration is before it; whether a memory copy, which it does not know,
 * is waited for then is not known.
 */
static __always_inline u8 ibx_wr_fence(const struct ibx_chain *c, u32 flags, bool reg)
{
	const u8 fence = reg ? c->sq->umr_fence : c->next_fence;

	if (unlikely(flags & IB_SEND_FENCE) && fence != MLX5_FENCE_MODE_STRONG_ORDERING)
		return MLX5_FENCE_MODE_SMALL_AND_FENCE;
	return fence;
}

/**
 * ibx_wr_begin() - begin a work request
 * @wr: send queue
 * @qp: whose it is
 * @what: what it is to be
 *
 * Return: true; the WQE's control segment says all but its size. False when there is
 * nothing to build: the queue is not open on this CPU, or the chain is spoilt.
 */
static __always_inline bool ibx_wr_begin(struct ibx_wr *wr, const struct ib_qp_ex *qp,
					 const struct ibx_wr_op *what)
{
	const u32 flags = qp->wr_flags;
	struct ibx_sqe *sqe;
	struct ibx_wqe w;
	u8 fence;

	if (unlikely(!ibx_wr_may_begin(wr, what->op)))
		return false;
	if (unlikely(flags & ~IBX_SEND_FLAGS)) {
		ibx_wr_fail(wr, -EINVAL);
		return false;
	}

	w = ibx_wqe_begin(&wr->chain);
	sqe = ibx_sqe_of(&w);
	fence = ibx_wr_fence(&wr->chain, flags, what->reg);
	ibx_enc_ctrl_what(w.ctrl, (u32)what->opmod << IBX_OPMOD_SHIFT | what->opcode, w.cur,
			  w.sq->fm_ce_se | ibx_flag_bits(flags) | fence, what->imm);
	ibx_sqe_what(sqe, qp->wr_id, what->wc_opcode);
	wr->w = w;
	wr->sqe = sqe;
	wr->allowed = 0;
	wr->next_fence = what->next_fence;
	return true;
}

#endif /* MLX5_IBX_WR_BEGIN_H */
