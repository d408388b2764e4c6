// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: layouts of indirect mkeys. See enc/layout.h.
 */

#include "enc/layout.h"
#include "enc/sg_list.h"

/**
 * ibx_strides_fit() - check that no entry of a repeat block wraps
 * @data: entries; the stride of each entry, its count plus its skipped bytes,
 *	is at most IBX_STRIDE_MAX
 * @n: number of entries
 * @repeat: number of turns, not 0
 *
 * Context: any.
 * Return: true if the last turn of each entry ends within the address space.
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
 * ibx_enc_klms_sg() - write a mapped scatterlist as KLMs
 * @klm: memory for @max KLMs, rounded up to IBX_KLM_ALIGN
 * @max: largest number of KLMs, at least 1
 * @sg: scatterlist mapped for DMA
 * @nents: number of its elements
 * @lkey: key with which the device reads and writes the elements
 * @length: receives the bytes of all elements
 *
 * Elements that continue each other become one KLM, of no more than IBX_SGE_MAX
 * bytes.
 *
 * Context: any.
 * Return:
 * * number of KLMs
 * * -EINVAL: there is no element, or an element is empty or wraps
 * * -ENOSPC: there are more than @max KLMs
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
