/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: the work request API of <rdma/mlx5dv.h> inside.
 *
 * While a send queue is open its ring is locked, and what is being built is here.
 * Builders and setters go by ibx_wr_is_open() and, setters, by @allowed: who calls
 * them on a queue that is not open on this CPU changes nothing, and who made a
 * mistake builds into a chain that ib_wr_complete() drops.
 */
#ifndef MLX5_IBX_WR_H
#define MLX5_IBX_WR_H

#include <linux/percpu.h>
#include <rdma/mlx5dv.h>

#include "ring.h"
#include "wq/wqe.h"

enum ibx_wr_setter {
	IBX_SET_DATA	= BIT(0),
	IBX_SET_INLINE	= BIT(1),	/* the data may be inline, too */
	IBX_SET_WORD	= BIT(2),	/* no setter: the data must be 8 bytes */
	IBX_SET_ADDR	= BIT(3),
	IBX_SET_ACCESS	= BIT(4),
	IBX_SET_LAYOUT	= BIT(5),
	IBX_SET_DC	= BIT(6),
};

/* value of ibx_wr.left that lets no builder begin */
#define IBX_WR_SPOILED	U8_MAX

/**
 * ibx_wr_is_open() - does this CPU have a send queue open?
 * @wr: send queue
 *
 * A CPU that has a queue open has interrupts disabled, so only the code that opened the
 * queue can run there. One instruction reads the pointer of the CPU that executes it: a
 * caller that can migrate runs on a CPU without an open queue, before and after.
 *
 * Return: true if so: then the caller opened it.
 */
static __always_inline bool ibx_wr_is_open(const struct ibx_wr *wr)
{
	return likely(this_cpu_read(ibx_open_sq) == wr->chain.sq);
}

void ibx_wr_fail(struct ibx_wr *wr, int err);

/* may this setter come? Once */
static __always_inline bool ibx_wr_take(struct ibx_wr *wr, u32 setter, u32 takes)
{
	if (unlikely(!ibx_wr_is_open(wr)))
		return false;
	if (unlikely(!(wr->allowed & setter))) {
		ibx_wr_fail(wr, -EINVAL);
		return false;
	}
	wr->allowed &= ~takes;
	return true;
}

/* all setters came, and no other may: the WQE is of the chain */
static __always_inline void ibx_wr_finish(struct ibx_wr *wr)
{
	wr->allowed = 0;
	ibx_enc_ctrl_size(wr->w.ctrl, wr->chain.sq->qpn_be | wr->w.ds);
	ibx_chain_link(&wr->chain, &wr->w, wr->sqe, wr->next_fence);
}

/* a setter did its part */
static __always_inline void ibx_wr_setter_done(struct ibx_wr *wr)
{
	if (!--wr->left)
		ibx_wr_finish(wr);
}

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

	if (unlikely(!ibx_wr_is_open(wr)))
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

#endif /* MLX5_IBX_WR_H */
