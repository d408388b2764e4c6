// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: the parts of the WQE builder that are worth a call: data that may
 * straddle the end of the ring, and dropping a chain.
 */

#include <linux/string.h>

#include "wq/wq.h"

/**
 * ibx_ring_copy() - copy into a ring, around its end where it must
 * @sq: ring
 * @p: where
 * @src: bytes
 * @len: their number, less than the ring has
 *
 * Context: sq->lock held.
 * Return: where the next byte goes.
 */
void *ibx_ring_copy(const struct ibx_sq *sq, void *p, const void *src, u32 len)
{
	u32 room = sq->end - p;

	lockdep_assert_held(&sq->lock);
	if (unlikely(len >= room)) {
		memcpy(p, src, room);
		src += room;
		len -= room;
		p = sq->buf;
	}
	memcpy(p, src, len);
	return p + len;
}

/**
 * ibx_ring_pad() - zero up to the next 16 bytes
 * @sq: ring
 * @p: where from
 *
 * Context: sq->lock held.
 * Return: where the next segment goes.
 */
void *ibx_ring_pad(const struct ibx_sq *sq, void *p)
{
	static const u8 zero[IBX_DS];

	lockdep_assert_held(&sq->lock);
	return ibx_ring_copy(sq, p, zero, -(uintptr_t)p & (IBX_DS - 1));
}

/**
 * ibx_ring_inline() - data behind the header of an inline segment
 * @sq: ring
 * @p: the header
 * @sge: pieces, at virtual addresses of the kernel; the WQE has room for them
 * @n: their number
 *
 * Context: sq->lock held.
 * Return: where the data end.
 */
void *ibx_ring_inline(const struct ibx_sq *sq, void *p, const struct ib_sge *sge, u32 n)
{
	u32 i;

	lockdep_assert_held(&sq->lock);
	p += sizeof(struct mlx5_wqe_inline_seg);
	for (i = 0; i < n; i++)
		p = ibx_ring_copy(sq, p, (void *)(uintptr_t)sge[i].addr, sge[i].length);
	return p;
}

/**
 * ibx_chain_drop() - forget the WQEs of a chain
 * @c: chain, of no use afterwards
 *
 * The flush of a dead device finds the oldest WR by the number that its shadow
 * entry has. Those of the chain have numbers that later WRs get, in other places;
 * the number of one that has completed is never looked for.
 *
 * Context: c->sq->lock held.
 */
void ibx_chain_drop(const struct ibx_chain *c)
{
	struct ibx_sq *sq = c->sq;
	u32 completed = READ_ONCE(sq->tail);
	u16 cur = sq->cur_post;

	lockdep_assert_held(&sq->lock);
	while (cur != c->cur) {
		struct ibx_sqe *sqe = &sq->shadow[cur & sq->mask];

		sqe->seq = completed;
		cur = sqe->next;
	}
}
