// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: the parts of the WQE builder that are not inline: copying data that
 * may wrap around the end of the ring, dropping a chain, and cancelling WRs.
 */

#include <linux/string.h>

#include "enc/enc.h"
#include "wq/wq.h"

/**
 * ibx_ring_copy() - copy data into a ring, wrapping at its end
 * @sq: send ring
 * @p: destination in the ring
 * @src: data
 * @len: bytes of data, less than the size of the ring
 *
 * Context: sq->lock held.
 * Return: the address in the ring after the data.
 */
void *ibx_ring_copy(const struct ibx_sq *sq, void *p, const void *src, u32 len)
{
	u32 space = sq->end - p;

	lockdep_assert_held(&sq->lock);
	if (unlikely(len >= space)) {
		memcpy(p, src, space);
		src += space;
		len -= space;
		p = sq->buf;
	}
	memcpy(p, src, len);
	return p + len;
}

/**
 * ibx_ring_pad() - write zeroes up to the next multiple of 16 bytes
 * @sq: send ring
 * @p: address in the ring of the first byte to zero
 *
 * Context: sq->lock held.
 * Return: the address in the ring of the next segment.
 */
void *ibx_ring_pad(const struct ibx_sq *sq, void *p)
{
	static const u8 zero[IBX_DS];

	lockdep_assert_held(&sq->lock);
	return ibx_ring_copy(sq, p, zero, -(uintptr_t)p & (IBX_DS - 1));
}

/**
 * ibx_ring_inline() - copy data after the header of an inline segment
 * @sq: send ring
 * @p: the header, which is not written
 * @sge: array of @n SGEs at kernel virtual addresses; the data must fit in the WQE
 * @n: number of SGEs
 *
 * Context: sq->lock held.
 * Return: the address in the ring after the data.
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
 * ibx_chain_drop() - drop the WQEs of a chain
 * @c: chain, invalid afterwards
 *
 * A flush in software finds the oldest outstanding WR by the numbers in the
 * shadow entries (oldest_send() in poll.c). The entries of dropped WQEs have
 * the numbers of WRs that will be posted later, perhaps at other blocks. So
 * the entry of each block of the dropped WQEs gets the number of a completed
 * WR, for which oldest_send() does not look.
 *
 * Context: c->sq->lock held.
 */
void ibx_chain_drop(const struct ibx_chain *c)
{
	struct ibx_sq *sq = c->sq;
	u32 completed = READ_ONCE(sq->tail);
	u16 cur = sq->cur_post;

	lockdep_assert_held(&sq->lock);
	for (; cur != c->cur; cur++)
		sq->shadow[cur & sq->mask].seq = completed;
}

/*
 * Turn the WQEs from block @block up to, but not including, block @end into
 * NOPs. Their sizes and their fence and completion bits do not change.
 */
static void cancel_wqes(const struct ibx_sq *sq, u16 block, u16 end)
{
	struct mlx5_wqe_ctrl_seg *ctrl;
	u32 ds;

	while (block != end) {
		ctrl = sq->buf + (block & sq->mask) * IBX_BB;
		ctrl->opmod_idx_opcode = cpu_to_be32((u32)block << MLX5_WQE_CTRL_WQE_INDEX_SHIFT |
						     MLX5_OPCODE_NOP);
		ds = be32_to_cpu(ctrl->qpn_ds) & MLX5_WQE_CTRL_DS_MASK;
		block += DIV_ROUND_UP(ds, IBX_BB / IBX_DS);
	}
}

/**
 * ibx_sq_cancel() - turn outstanding WRs into NOPs
 * @sq: send ring; the device reads no WQE during the call
 * @block: index of the first block that the device has not read, not masked
 * @wr_id: wr_id of the WRs
 *
 * Context: sq->lock held.
 * Return: number of WRs with @wr_id; -EIO if no outstanding WQE starts at
 * @block.
 */
int ibx_sq_cancel(struct ibx_sq *sq, u16 block, u64 wr_id)
{
	const u32 outstanding = sq->head - READ_ONCE(sq->tail);
	const struct ibx_sqe *sqe;
	int n = 0;

	lockdep_assert_held(&sq->lock);
	while (block != sq->cur_post) {
		sqe = &sq->shadow[block & sq->mask];
		/*
		 * check @block: the first one comes from the device, later ones
		 * from shadow entries
		 */
		if (sq->head - sqe->seq >= outstanding ||
		    (u16)(sqe->next - block - 1) >= (u16)(sq->cur_post - block))
			return -EIO;
		if (sqe->wr_id == wr_id) {
			cancel_wqes(sq, block, sqe->next);
			n++;
		}
		block = sqe->next;
	}
	return n;
}
