/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: the work request API of <rdma/mlx5dv.h> inside.
 *
 * While a send queue is open its ring is locked, and what is being built is here.
 * Builders and setters go by ibx_wr_mine() and, setters, by @allowed: who calls
 * them on a queue that is not open on this CPU changes nothing, and who made a
 * mistake builds into a chain that ib_wr_complete() drops.
 */
#ifndef MLX5_IBX_WR_H
#define MLX5_IBX_WR_H

#include <linux/smp.h>
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

/* is it open, and on this CPU? */
static __always_inline bool ibx_wr_mine(const struct ibx_wr *wr)
{
	return likely(READ_ONCE(wr->cpu) == raw_smp_processor_id());
}

void ibx_wr_fail(struct ibx_wr *wr, int err);

/* may this setter come? Once */
static __always_inline bool ibx_wr_take(struct ibx_wr *wr, u8 setter, u8 takes)
{
	if (unlikely(!ibx_wr_mine(wr)))
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

#endif /* MLX5_IBX_WR_H */
