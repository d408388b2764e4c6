// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: ib_map_mr_sg().
 *
 * The list goes straight into the memory from which the registration's WQE
 * fetches it, or copies it when it is small. That memory is coherent: nothing
 * to sync. Whoever maps owns the MR until the registration completed; nothing
 * is locked.
 *
 * Entries are of the page size the caller gave, not larger ones, even where
 * memory is contiguous: ULPs may move ibmr->iova by any multiple of that size
 * after the map.
 */

#include <linux/log2.h>

#include "enc.h"
#include "ibx.h"
#include "trace.h"

/**
 * ibx_map_mr_sg() - ib_map_mr_sg()
 * @ibmr: a MEM_REG MR; its page_size is set
 * @sg: mapped scatterlist
 * @nents: its elements
 * @offset: bytes to skip in the first element, and on return bytes mapped of
 *	the first element that is not wholly mapped; may be NULL
 *
 * Context: any; the caller owns the MR.
 * Return: elements mapped, which is less than @nents at a hole and when the MR
 * is full; -EINVAL for an MR that takes no pages, a page size that is no power
 * of two from 4 KiB to 2 GiB, no elements, or an offset beyond the first.
 */
int ibx_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents,
		  unsigned int *offset)
{
	struct ibx_mr *mr = to_imr(ibmr);
	struct ibx_mtt_list l = {
		.mtt = mr->mtt,
		.max = mr->max_mtt,
	};
	int n;

	if (unlikely(!mr->mtt || !is_power_of_2(ibmr->page_size) ||
		     ibmr->page_size < 1 << IBX_PAGE_SHIFT))
		return -EINVAL;

	l.page_shift = __ffs(ibmr->page_size);
	n = ibx_enc_mtt_sg(&l, sg, nents, offset);
	if (unlikely(n < 0))
		return n;

	mr->nmtt = l.n;
	ibmr->iova = l.iova;
	ibmr->length = l.length;
	trace_ibx_map_mr(mr, nents, n);
	return n;
}
