// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: the parts of the WQE builder that are worth a call: data that may
 * straddle the end of the ring, and the doorbell.
 */

#include <linux/string.h>

#include "builder.h"

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
 * ibx_ring_inline() - data behind the header of an inline segment
 * @sq: ring
 * @p: the header
 * @sge: pieces, at virtual addresses of the kernel; the WQE has room for them
 * @n: their number
 *
 * Zeroes up to the next 16 bytes.
 *
 * Context: sq->lock held.
 * Return: where the next segment goes.
 */
void *ibx_ring_inline(const struct ibx_sq *sq, void *p, const struct ib_sge *sge, u32 n)
{
	static const u8 zero[IBX_DS];
	u32 i;

	p += sizeof(struct mlx5_wqe_inline_seg);
	for (i = 0; i < n; i++)
		p = ibx_ring_copy(sq, p, (void *)(uintptr_t)sge[i].addr, sge[i].length);

	return ibx_ring_copy(sq, p, zero, -(uintptr_t)p & (IBX_DS - 1));
}

/**
 * ibx_sq_ring() - tell the device of the WQEs finished since the last time
 * @sq: ring
 * @last: control segment of the last of them
 *
 * The register is shared by all QPs without a lock: a store of 64 bits is one.
 *
 * Context: sq->lock held.
 */
void ibx_sq_ring(struct ibx_sq *sq, struct mlx5_wqe_ctrl_seg *last)
{
	/* the WQEs before the record that counts them */
	dma_wmb();
	*sq->dbr = cpu_to_be32(sq->cur_post);
	/* the record before the register that makes the device look */
	wmb();
	mlx5_write64((__be32 *)last, sq->db_reg + sq->db_offset);
	sq->db_offset ^= sq->db_toggle;
}
