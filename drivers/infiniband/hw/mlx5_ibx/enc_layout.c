// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: layouts of indirect mkeys. See enc_layout.h.
 */

#include "enc_layout.h"

/**
 * ibx_enc_klms() - pieces of memory as KLMs
 * @klm: where; room for @n
 * @sge: pieces
 * @n: their number
 *
 * Return: their bytes; 0 if there is no piece or one of them is empty.
 */
u64 ibx_enc_klms(struct mlx5_klm *klm, const struct ib_sge *sge, u32 n)
{
	const struct ib_sge *end = sge + n;
	u64 length = 0;

	for (; sge != end; sge++, klm++) {
		if (unlikely(!sge->length))
			return 0;
		length += sge->length;
		ibx_put(klm, 0, (u64)sge->length << 32 | sge->lkey);
		ibx_put(klm, 1, sge->addr);
	}
	return length;
}

/* does its last block end within the address space? */
static noinline bool stride_fits(const struct mlx5dv_mr_interleaved *d, u32 repeat)
{
	const u64 span = (u64)(repeat - 1) * (d->bytes_count + d->bytes_skip) + d->bytes_count;

	return d->addr + (span - 1) >= d->addr;
}

/**
 * ibx_enc_strides() - what a repeat block repeats
 * @entry: where; room for @n
 * @data: entries
 * @n: their number
 * @repeat: how often; not 0
 *
 * Return: the bytes of one turn; 0 if there is no entry, or one has no bytes, does not
 * fit its 16-bit fields or reaches beyond the address space.
 */
u32 ibx_enc_strides(struct mlx5_stride_block_entry *entry,
		    const struct mlx5dv_mr_interleaved *data, u32 n, u32 repeat)
{
	const struct mlx5dv_mr_interleaved *end = data + n;
	u32 cycle = 0;

	/* 2^16 entries of 2^16 bytes each, less one */
	for (; data != end; data++, entry++) {
		const u32 count = data->bytes_count, stride = count + data->bytes_skip;

		/* a sum that wraps is less than the count */
		if (unlikely(count - 1 >= IBX_STRIDE_MAX || stride > IBX_STRIDE_MAX ||
			     stride < count))
			return 0;
		/* 2^32 turns of 2^16 bytes */
		if (unlikely(data->addr >= -BIT_ULL(48)) && !stride_fits(data, repeat))
			return 0;
		cycle += count;
		ibx_put(entry, 0, (u64)(stride << 16 | count) << 32 | data->lkey);
		ibx_put(entry, 1, data->addr);
	}
	return cycle;
}

/**
 * ibx_enc_stride_ctrl() - a repeat block
 * @ctrl: where
 * @n: entries, at most IBX_LAYOUT_MAX - 1
 * @repeat: how often; not 0
 * @cycle: of ibx_enc_strides()
 *
 * Return: the bytes of all turns.
 */
u64 ibx_enc_stride_ctrl(struct mlx5_stride_block_ctrl_seg *ctrl, u32 n, u32 repeat, u32 cycle)
{
	ctrl->bcount_per_cycle = cpu_to_be32(cycle);
	ctrl->op = cpu_to_be32(IBX_REPEAT_OP);
	ctrl->repeat_count = cpu_to_be32(repeat);
	ctrl->rsvd = 0;
	ctrl->num_entries = cpu_to_be16(n);
	return (u64)cycle * repeat;
}

/**
 * ibx_enc_klms_sg() - a scatterlist as KLMs
 * @klm: where; room for @max
 * @max: at least 1
 * @sg: list, mapped for DMA
 * @nents: its elements
 * @lkey: key that covers them
 * @length: gets their bytes
 *
 * Elements that follow one another become one KLM, as long as its 32 bits last.
 *
 * Return: the KLMs, -EINVAL for no element or an empty one, -ENOSPC for more than
 * there is room for.
 */
int ibx_enc_klms_sg(struct mlx5_klm *klm, u32 max, struct scatterlist *sg, u32 nents, u32 lkey,
		    u64 *length)
{
	u64 addr = 0, total = 0;
	u32 bytes = 0, n = 0;

	for (; nents--; sg = sg_next(sg)) {
		const u32 len = sg_dma_len(sg);

		if (!len)
			return -EINVAL;
		total += len;
		if (n && sg_dma_address(sg) == addr + bytes && len <= U32_MAX - bytes) {
			bytes += len;
		} else {
			if (n == max)
				return -ENOSPC;
			addr = sg_dma_address(sg);
			bytes = len;
			n++;
		}
		klm[n - 1].bcount = cpu_to_be32(bytes);
		klm[n - 1].key = cpu_to_be32(lkey);
		klm[n - 1].va = cpu_to_be64(addr);
	}
	*length = total;
	return n ? n : -EINVAL;
}
