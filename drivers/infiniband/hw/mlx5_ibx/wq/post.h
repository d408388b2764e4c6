/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: what ib_post_send() and the work request API have in common: who may
 * post, and the flags and fences of a WQE.
 *
 * Order among WQEs. A READ or a memory copy is ordered before later WQEs by
 * IB_SEND_FENCE alone. The WQE after a registration or an invalidation carries a
 * small fence, so that it sees the mkey changed, unless it is a raw WQE, whose
 * owner sets its fence; a registration itself carries the fence the device asks
 * for, or a stronger one.
 *
 * The fences of ib_post_send() are mlx5_ib's, those of the builders libmlx5's
 * (wr_begin.h).
 */
#ifndef MLX5_IBX_POST_H
#define MLX5_IBX_POST_H

#include "wq/wqe.h"
#include "ibx.h"

#define IBX_SEND_FLAGS								\
	(IB_SEND_FENCE | IB_SEND_SIGNALED | IB_SEND_SOLICITED | IB_SEND_INLINE)

/* states in which a QP takes sends */
#define IBX_SEND_STATES								\
	(BIT(IB_QPS_RTS) | BIT(IB_QPS_SQD) | BIT(IB_QPS_SQE) | BIT(IB_QPS_ERR))

/* the ring of whoever has one open for the work request API, on this CPU (wr.c) */
DECLARE_PER_CPU(struct ibx_sq *, ibx_open_sq);

/**
 * ibx_sq_is_open_here() - is a send queue open for the work request API, on this CPU?
 * @qp: its QP
 *
 * Then waiting for its lock would be for ever. Who has a queue open has interrupts disabled: so
 * whoever may move to another CPU finds that the one it was on has not.
 *
 * Return: true if so.
 */
static __always_inline bool ibx_sq_is_open_here(const struct ibx_qp *qp)
{
	if (likely(READ_ONCE(qp->wr.cpu) < 0))
		return false;
	return this_cpu_read(ibx_open_sq) == &qp->sq;
}

/* 0, or why not; the ring in question is locked */
static inline int ibx_may_post(const struct ibx_qp *qp, unsigned long states)
{
	enum ib_qp_state state = READ_ONCE(qp->state);

	if (unlikely(!(BIT(state) & states)))
		return -EINVAL;
	if (unlikely(ibx_dead(to_idev(qp->ibqp.device)) && state != IB_QPS_ERR))
		return -EIO;
	return 0;
}

/* completion and solicited bits of the control segment; @flags are of IBX_SEND_FLAGS */
static inline u8 ibx_flag_bits(u32 flags)
{
#define BITS_OF(flags)								\
	(((flags) & IB_SEND_SIGNALED ? MLX5_WQE_CTRL_CQ_UPDATE : 0) |		\
	 ((flags) & IB_SEND_SOLICITED ? MLX5_WQE_CTRL_SOLICITED : 0))
	static const u8 bits[] = {
		BITS_OF(0), BITS_OF(1), BITS_OF(2), BITS_OF(3),
		BITS_OF(4), BITS_OF(5), BITS_OF(6), BITS_OF(7),
		BITS_OF(8), BITS_OF(9), BITS_OF(10), BITS_OF(11),
		BITS_OF(12), BITS_OF(13), BITS_OF(14), BITS_OF(15),
	};
#undef BITS_OF
	static_assert(ARRAY_SIZE(bits) > IBX_SEND_FLAGS);

	return bits[flags];
}

static inline u8 ibx_fence_bits(const struct ibx_chain *c, u32 flags)
{
	if (unlikely(flags & IB_SEND_FENCE))
		return c->next_fence ? MLX5_FENCE_MODE_SMALL_AND_FENCE :
				       MLX5_FENCE_MODE_FENCE;
	return c->next_fence;
}

/* never less than what the device asks for before a registration */
static inline u8 ibx_reg_fence(const struct ibx_chain *c, u32 flags)
{
	const u8 umr_fence = c->sq->umr_fence;

	if (likely(!(flags & IB_SEND_FENCE)) || umr_fence == MLX5_FENCE_MODE_STRONG_ORDERING)
		return umr_fence;
	return umr_fence || c->next_fence ? MLX5_FENCE_MODE_SMALL_AND_FENCE :
					    MLX5_FENCE_MODE_FENCE;
}

#endif /* MLX5_IBX_POST_H */
