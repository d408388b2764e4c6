/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: what the builders and setters of <rdma/ib_wr.h> and <rdma/mlx5dv.h> share.
 *
 * While a send queue is open its ring is locked, and struct ibx_wr (ring.h) has the chain
 * and the WQE that is being built. A builder is
 *
 *	if (!ibx_wr_begin(wr, qp, &what))
 *		return;
 *	... the fixed segments ...
 *	ibx_wr_finish(wr);		or: wr->allowed = ...; wr->left = ...;
 *
 * and a setter is
 *
 *	if (ibx_wr_setter_begin(wr, IBX_SET_X, IBX_SET_X))
 *		ibx_wr_setter_end(wr, set_x(wr, ...));
 *
 * The last setter finishes the WQE. On a queue that is not open on this CPU a call does
 * nothing. The first error spoils the chain: no builder may begin then, because ibx_wr.left
 * is not 0, and no setter may follow, because ibx_wr.allowed is 0; closing the queue drops
 * the chain.
 */
#ifndef MLX5_IBX_WR_H
#define MLX5_IBX_WR_H

#include <linux/percpu.h>
#include <rdma/mlx5dv.h>

#include "ring.h"
#include "wq/wqe.h"

/* value of ibx_wr.left that lets no builder begin */
#define IBX_WR_SPOILED	U8_MAX

/**
 * enum ibx_wr_setter - setters that may follow a builder
 * @IBX_SET_DATA: data, in memory that the device reads or writes
 * @IBX_SET_INLINE: data that are copied into the WQE; allowed beside @IBX_SET_DATA
 * @IBX_SET_WORD: not a setter: the data must be 8 bytes
 * @IBX_SET_ADDR: address of a datagram
 * @IBX_SET_ACCESS: access flags of an mkey
 * @IBX_SET_LAYOUT: layout of an mkey
 * @IBX_SET_DC: address of a DCT
 */
enum ibx_wr_setter {
	IBX_SET_DATA	= BIT(0),
	IBX_SET_INLINE	= BIT(1),
	IBX_SET_WORD	= BIT(2),
	IBX_SET_ADDR	= BIT(3),
	IBX_SET_ACCESS	= BIT(4),
	IBX_SET_LAYOUT	= BIT(5),
	IBX_SET_DC	= BIT(6),
};

/**
 * struct ibx_wr_op - WQE that a builder begins
 * @op: flag that the QP must have been created with, of enum ib_qp_create_send_ops_flags
 *	or IBX_OPS_DV()
 * @imm: immediate data, rkey or mkey in the control segment
 * @opcode: MLX5_OPCODE_*
 * @wc_opcode: opcode of the completion, of enum ib_wc_opcode
 * @next_fence: fence that the next WQE needs
 * @opmod: opcode modifier
 * @reg: changes an mkey that WQEs before it may use
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

void ibx_wr_fail(struct ibx_wr *wr, int err);

static inline struct ibx_qp *ibx_qp_of(struct ib_qp_ex *qp)
{
	return container_of(qp, struct ibx_qp, dv.qp_ex);
}

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

/**
 * ibx_wr_may_begin() - may a builder begin?
 * @wr: send queue
 * @op: flag that the QP must have been created with, as in struct ibx_wr_op
 *
 * Return: true if so. False if the queue is not open on this CPU, or the chain is spoiled,
 * perhaps by this call.
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
	else if (unlikely(!ibx_chain_has_space(&wr->chain)))
		err = -ENOMEM;
	else
		return true;
	ibx_wr_fail(wr, err);
	return false;
}

/*
 * For IB_SEND_FENCE libmlx5 sets both the fence and the small fence, and so do we. mlx5_ib
 * leaves the small one out unless a registration comes before; whether the device then waits
 * for memory copies, which mlx5_ib does not have, is not known.
 */
static __always_inline u8 ibx_wr_fence(const struct ibx_chain *c, u32 flags, bool reg)
{
	const u8 fence = reg ? c->sq->umr_fence : c->next_fence;

	if (unlikely(flags & IB_SEND_FENCE) && fence != MLX5_FENCE_MODE_STRONG_ORDERING)
		return MLX5_FENCE_MODE_SMALL_AND_FENCE;
	return fence;
}

/**
 * ibx_wr_begin() - begin a WQE
 * @wr: send queue
 * @qp: QP of the send queue
 * @what: WQE to begin
 *
 * Return: true; the control segment of wr->w is complete but for the size of the WQE. False
 * if the queue is not open on this CPU, or the chain is spoiled, perhaps by this call.
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

/**
 * ibx_wr_finish() - add the WQE to the chain; no setter may follow
 * @wr: open send queue; all segments of wr->w are written
 */
static __always_inline void ibx_wr_finish(struct ibx_wr *wr)
{
	wr->allowed = 0;
	ibx_enc_ctrl_size(wr->w.ctrl, wr->chain.sq->qpn_be | wr->w.ds);
	ibx_chain_link(&wr->chain, &wr->w, wr->sqe, wr->next_fence);
}

/**
 * ibx_wr_setter_begin() - may a setter follow?
 * @wr: send queue
 * @setter: the setter
 * @excludes: setters that may not follow any more, @setter among them
 *
 * Return: true if so: then ibx_wr_setter_end() must be called. False if the queue is not
 * open on this CPU, or the chain is spoiled, perhaps by this call.
 */
static __always_inline bool ibx_wr_setter_begin(struct ibx_wr *wr, u32 setter, u32 excludes)
{
	if (unlikely(!ibx_wr_is_open(wr)))
		return false;
	if (unlikely(!(wr->allowed & setter))) {
		ibx_wr_fail(wr, -EINVAL);
		return false;
	}
	wr->allowed &= ~excludes;
	return true;
}

/**
 * ibx_wr_setter_end() - end a setter; the last one finishes the WQE
 * @wr: open send queue
 * @err: 0, or the error that spoils the chain
 */
static __always_inline void ibx_wr_setter_end(struct ibx_wr *wr, int err)
{
	if (unlikely(err))
		ibx_wr_fail(wr, err);
	else if (!--wr->left)
		ibx_wr_finish(wr);
}

#endif /* MLX5_IBX_WR_H */
