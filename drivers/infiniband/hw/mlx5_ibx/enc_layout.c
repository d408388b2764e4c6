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
		klm->bcount = cpu_to_be32(sge->length);
		klm->key = cpu_to_be32(sge->lkey);
		klm->va = cpu_to_be64(sge->addr);
	}
	return length;
}

/* does an entry fit its fields, and its last block the address space? */
static bool stride_ok(const struct mlx5dv_mr_interleaved *d, u32 repeat)
{
	u64 span;

	if (!d->bytes_count || d->bytes_count > IBX_STRIDE_MAX ||
	    d->bytes_skip > IBX_STRIDE_MAX - d->bytes_count)
		return false;
	/* below 2^48 */
	span = (u64)(repeat - 1) * (d->bytes_count + d->bytes_skip) + d->bytes_count;
	return d->addr + (span - 1) >= d->addr;
}

/**
 * ibx_enc_stride_ctrl() - a repeat block
 * @ctrl: where
 * @data: what it repeats
 * @n: entries, at most IBX_LAYOUT_MAX - 1
 * @repeat: how often
 * @length: gets the bytes of all
 *
 * Return: 0, or -EINVAL: there is nothing, or something that an entry cannot say.
 */
int ibx_enc_stride_ctrl(struct mlx5_stride_block_ctrl_seg *ctrl,
			const struct mlx5dv_mr_interleaved *data, u32 n, u32 repeat,
			u64 *length)
{
	u32 cycle = 0;
	u32 i;

	if (!n || !repeat)
		return -EINVAL;
	/* 2^16 entries of 2^16 bytes each, less one */
	for (i = 0; i < n; i++) {
		if (!stride_ok(&data[i], repeat))
			return -EINVAL;
		cycle += data[i].bytes_count;
	}
	ctrl->bcount_per_cycle = cpu_to_be32(cycle);
	ctrl->op = cpu_to_be32(IBX_REPEAT_OP);
	ctrl->repeat_count = cpu_to_be32(repeat);
	ctrl->rsvd = 0;
	ctrl->num_entries = cpu_to_be16(n);
	*length = (u64)cycle * repeat;
	return 0;
}

/**
 * ibx_enc_strides() - what a repeat block repeats
 * @entry: where; room for @n
 * @data: entries that ibx_enc_stride_ctrl() took
 * @n: their number
 */
void ibx_enc_strides(struct mlx5_stride_block_entry *entry,
		     const struct mlx5dv_mr_interleaved *data, u32 n)
{
	const struct mlx5dv_mr_interleaved *end = data + n;

	for (; data != end; data++, entry++) {
		entry->stride = cpu_to_be16(data->bytes_count + data->bytes_skip);
		entry->bcount = cpu_to_be16(data->bytes_count);
		entry->key = cpu_to_be32(data->lkey);
		entry->va = cpu_to_be64(data->addr);
	}
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
