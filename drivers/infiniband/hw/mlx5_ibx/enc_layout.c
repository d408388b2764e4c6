// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: layouts of indirect mkeys. See enc_layout.h.
 */

#include "enc_layout.h"

/**
 * ibx_strides_fit() - does the last turn of each entry end within the address space?
 * @data: entries, each not longer than IBX_STRIDE_MAX with what it skips
 * @n: their number
 * @repeat: turns; not 0
 *
 * Return: true if so.
 */
bool ibx_strides_fit(const struct mlx5dv_mr_interleaved *data, u32 n, u32 repeat)
{
	for (; n--; data++) {
		const u64 stride = data->bytes_count + data->bytes_skip;
		const u64 span = (repeat - 1) * stride + data->bytes_count;

		if (data->addr + (span - 1) < data->addr)
			return false;
	}
	return true;
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
