/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: helpers for the builders and setters of <rdma/ib_wr.h> and <rdma/mlx5dv.h>.
 *
 * A send queue is open from ib_wr_start() to ib_wr_complete() or ib_wr_abort(). Meanwhile
 * its ring is locked, and struct ibx_wr (ring.h) has the chain of complete WQEs and the WQE
 * that is being built. A builder without setters has the form
 *
 *	if (!ibx_wr_begin(wr, qp, &what))
 *		return;
 *	... write the other segments ...
 *	ibx_wr_finish(wr);
 *
 * A builder that setters follow ends with
 *
 *	wr->allowed = setters that may follow;
 *	wr->left = number of setters that must follow;
 *
 * and a setter has the form
 *
 *	if (ibx_wr_setter_begin(wr, IBX_SET_X, IBX_SET_X))
 *		ibx_wr_setter_end(wr, set_x(wr, ...));
 *
 * The last setter finishes the WQE. Builders and setters do nothing if the caller does not
 * have the queue open. The first error of a builder or setter spoils the chain: ibx_wr.left is
 * IBX_WR_SPOILED, so no builder may begin, and ibx_wr.allowed is 0, so no setter may
 * follow. ib_wr_complete() drops a spoiled chain.
 */
#ifndef MLX5_IBX_WR_H
#define MLX5_IBX_WR_H

#include <rdma/mlx5dv.h>

#include "enc/bsf.h"
#include "ring.h"
#include "wq/open.h"
#include "wq/wqe.h"

/* value of ibx_wr.left after an error; a builder may begin only if left is 0 */
#define IBX_WR_SPOILED	U8_MAX

/**
 * enum ibx_wr_setter - setters that may follow a builder
 * @IBX_SET_DATA: an SGE or a list of SGEs
 * @IBX_SET_INLINE: data that are copied into the WQE, instead of @IBX_SET_DATA
 * @IBX_SET_WORD: not a setter, but a condition on @IBX_SET_DATA: one SGE of 8 bytes
 * @IBX_SET_ADDR: address handle, destination QP and Q_Key of a datagram
 * @IBX_SET_ACCESS: access flags of an mkey
 * @IBX_SET_LAYOUT: layout of an mkey
 * @IBX_SET_DC: address handle, destination DCT and access key of a WQE of a DCI
 * @IBX_SET_SIG: signature attributes of an mkey
 * @IBX_SET_CRYPTO: crypto attributes of an mkey
 */
enum ibx_wr_setter {
	IBX_SET_DATA	= BIT(0),
	IBX_SET_INLINE	= BIT(1),
	IBX_SET_WORD	= BIT(2),
	IBX_SET_ADDR	= BIT(3),
	IBX_SET_ACCESS	= BIT(4),
	IBX_SET_LAYOUT	= BIT(5),
	IBX_SET_DC	= BIT(6),
	IBX_SET_SIG	= BIT(7),
	IBX_SET_CRYPTO	= BIT(8),
};

/**
 * struct ibx_wr_op - description of the WQE that a builder begins
 * @op: flag that the QP must have been created with, of enum ib_qp_create_send_ops_flags
 *	or IBX_OPS_DV()
 * @imm: immediate data, rkey or mkey in the control segment
 * @opcode: MLX5_OPCODE_*
 * @wc_opcode: opcode of the completion, of enum ib_wc_opcode
 * @next_fence: MLX5_FENCE_MODE_* that the next WQE needs
 * @opmod: opcode modifier
 * @reg: the WQE changes an mkey that earlier WQEs may use, so it needs the fence of
 *	registrations
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

/* ---- wr.c ---- */
void ibx_wr_fail(struct ibx_wr *wr, int err);

/* ---- wr_crypto.c ---- */
int ibx_wr_next_both(struct ibx_wr *wr, const struct ibx_sig_state *sig);
void ibx_wr_encode_both(struct ibx_wr *wr);
void ibx_wr_finish_crypto(struct ibx_wr *wr);

/* ---- wr_sig.c ---- */
void ibx_wr_finish_sig(struct ibx_wr *wr);

static inline struct ibx_qp *ibx_qp_of(struct ib_qp_ex *qp)
{
	return container_of(qp, struct ibx_qp, dv.qp_ex);
}

/**
 * ibx_wr_is_open() - does the caller have a send queue open?
 * @wr: send queue
 *
 * Return: true if the caller opened the queue (wq/open.h).
 */
static __always_inline bool ibx_wr_is_open(const struct ibx_wr *wr)
{
	return likely(ibx_caller_sq(wr) == wr->chain.sq);
}

/**
 * ibx_wr_may_begin() - check that a builder may begin
 * @wr: send queue
 * @op: flag that the QP must have been created with, as in struct ibx_wr_op
 *
 * Spoils the chain if setters of the previous WQE are missing, if the QP was created
 * without @op, or if the ring has no space for another WR.
 *
 * Return: true if the builder may begin; false if the caller does not have the queue open or
 * the chain is spoiled.
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
 * MLX5_FENCE_MODE_* of a WQE with send flags @flags; @reg as in struct ibx_wr_op.
 *
 * For IB_SEND_FENCE, libmlx5 and these builders set both the fence and the small fence.
 * mlx5_ib sets the small fence only after a registration, because mlx5_ib has
 * no memory copies, which require the small fence.
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
 * @qp: QP of the send queue, with the wr_id and wr_flags of the WQE
 * @what: description of the WQE
 *
 * Spoils the chain if ibx_wr_may_begin() does, or if wr_flags has unsupported flags.
 *
 * Return: true if wr->w was begun: its control segment lacks only the size of the WQE.
 * False if the caller does not have the queue open or the chain is spoiled.
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
 * ibx_wr_setter_begin() - begin a setter
 * @wr: send queue
 * @setter: IBX_SET_* of the setter
 * @excludes: IBX_SET_* of @setter and of other setters that may not follow @setter
 *
 * Spoils the chain if @setter is not allowed here.
 *
 * Return: true if the setter may go on; it must call ibx_wr_setter_end(). False if the caller
 * does not have the queue open or the chain is spoiled.
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
 * ibx_wr_setter_end() - end a setter; the last setter finishes the WQE
 * @wr: open send queue
 * @err: 0, or the errno of the setter, which spoils the chain
 */
static __always_inline void ibx_wr_setter_end(struct ibx_wr *wr, int err)
{
	if (unlikely(err))
		ibx_wr_fail(wr, err);
	else if (!--wr->left)
		ibx_wr_finish(wr);
}

/* the UMR control segment is right after the control segment, in the same block */
static __always_inline struct mlx5_wqe_umr_ctrl_seg *ibx_wr_umr(const struct ibx_wr *wr)
{
	return (void *)(wr->w.ctrl + 1);
}

/**
 * ibx_wr_append_bsf() - append a BSF to a configuration
 * @wr: open send queue; the WQE ends at the end of a block, with the layout,
 *	the mkey context or another BSF
 * @bsf: BSF
 */
static __always_inline void ibx_wr_append_bsf(struct ibx_wr *wr, const void *bsf)
{
	const struct ibx_sq *sq = wr->chain.sq;
	void *at = (void *)wr->w.ctrl + wr->w.ds * IBX_DS;

	if (at >= sq->end)
		at -= sq->end - sq->buf;
	ibx_copy_bsf(at, bsf);
	wr->w.ds += IBX_BSF_OCTWORDS;
}

/**
 * ibx_wr_finish_conf() - add the configuration of an mkey to the chain; no setter may follow
 * @wr: open send queue; all segments of wr->w but signatures and encryption are written
 */
static __always_inline void ibx_wr_finish_conf(struct ibx_wr *wr)
{
	if (unlikely(wr->conf.sig))
		ibx_wr_finish_sig(wr);
	else if (unlikely(wr->conf.unit))
		ibx_wr_finish_crypto(wr);
	else
		ibx_wr_finish(wr);
}

/**
 * ibx_wr_conf_setter_end() - ibx_wr_setter_end() for setters of mkeys
 * @wr: open send queue
 * @err: 0, or the errno of the setter, which spoils the chain
 */
static __always_inline void ibx_wr_conf_setter_end(struct ibx_wr *wr, int err)
{
	if (unlikely(err))
		ibx_wr_fail(wr, err);
	else if (!--wr->left)
		ibx_wr_finish_conf(wr);
}

#endif /* MLX5_IBX_WR_H */
