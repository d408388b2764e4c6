// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: layouts of indirect mkeys. See enc_layout.h.
 */

#include "enc/layout.h"
#include "enc/sg_list.h"

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
 * @klm: where; room for @max, and for what makes that whole blocks
 * @max: at least 1
 * @sg: list, mapped for DMA
 * @nents: its elements
 * @lkey: key that covers them
 * @length: gets their bytes
 *
 * Elements that follow one another become one KLM, of IBX_SGE_MAX bytes at most.
 *
 * Return: the KLMs, -EINVAL for no element or an empty one, -ENOSPC for more than
 * there is room for.
 */
int ibx_enc_klms_sg(struct mlx5_klm *klm, u32 max, struct scatterlist *sg, u32 nents, u32 lkey,
		    u64 *length)
{
	struct ibx_klm_list l = { .klm = klm, .max = max, .lkey = lkey };
	int err;

	err = ibx_klm_from_sg(&l, sg, nents);
	if (err)
		return err;
	*length = l.length;
	return l.n;
}
