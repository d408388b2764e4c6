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
 *
 * An SG_GAPS MR takes pages if the whole list is pages, because devices are
 * quicker with them, and ranges otherwise. Never more elements fit as pages
 * than as ranges: a range begins where a page does not continue the one before.
 */

#include <linux/log2.h>

#include "enc.h"
#include "ibx.h"
#include "trace.h"

static bool page_size_ok(const struct ib_mr *ibmr)
{
	return is_power_of_2(ibmr->page_size) && ibmr->page_size >= 1 << IBX_PAGE_SHIFT;
}

static int map_pages(struct ibx_mr *mr, u8 page_shift, struct scatterlist *sg, int nents,
		     unsigned int *offset)
{
	struct ibx_mtt_list l = {
		.mtt = mr->list,
		.max = mr->max_ents,
		.page_shift = page_shift,
	};
	int n;

	n = ibx_enc_mtt_sg(&l, sg, nents, offset);
	if (unlikely(n < 0))
		return n;

	mr->nents = l.n;
	mr->list_bytes = ibx_mtt_bytes(l.n);
	mr->key_octwords = mr->list_bytes / IBX_DS;
	mr->page_shift = page_shift;
	mr->ibmr.iova = l.iova;
	mr->ibmr.length = l.length;
	return n;
}

static int map_ranges(struct ibx_mr *mr, struct scatterlist *sg, int nents, unsigned int *offset)
{
	struct ibx_klm_list l = {
		.klm = mr->list,
		.max = mr->max_ents,
		.lkey = mr->ibmr.pd->local_dma_lkey,
	};
	int n;

	n = ibx_enc_klm_sg(&l, sg, nents, offset);
	if (unlikely(n < 0))
		return n;

	mr->nents = l.n;
	mr->list_bytes = ibx_klm_bytes(l.n);
	mr->key_octwords = ibx_klm_key_octwords(l.n);
	mr->page_shift = 0;
	mr->ibmr.iova = l.iova;
	mr->ibmr.length = l.length;
	return n;
}

/*
 * The low byte of the key is the ULP's, who counts it up with each use: both
 * mkeys follow one count, so that none comes back with a key it had before.
 */
static void pick(struct ibx_mr *mr, u8 mode)
{
	u32 variant = mr->ibmr.rkey & 0xff;

	if (mr->mode == mode)
		return;
	swap(mr->mkey, mr->other);
	mr->mode = mode;
	mr->ibmr.rkey = (mr->mkey & ~0xff) | variant;
	mr->ibmr.lkey = mr->ibmr.rkey;
}

static int map_gaps(struct ibx_mr *mr, struct scatterlist *sg, int nents, unsigned int *offset)
{
	/* the contract lets callers of this type give any page size */
	u8 shift = page_size_ok(&mr->ibmr) ? __ffs(mr->ibmr.page_size) : IBX_PAGE_SHIFT;
	unsigned int from = offset ? *offset : 0;
	int n;

	n = map_pages(mr, shift, sg, nents, offset);
	if (n == nents) {
		pick(mr, MLX5_MKC_ACCESS_MODE_MTT);
		return n;
	}
	if (unlikely(n < 0))
		return n;
	pick(mr, MLX5_MKC_ACCESS_MODE_KLMS);
	if (offset)
		*offset = from;
	return map_ranges(mr, sg, nents, offset);
}

/**
 * ibx_map_mr_sg() - ib_map_mr_sg()
 * @ibmr: a MEM_REG MR with its page_size set, or an SG_GAPS MR
 * @sg: mapped scatterlist
 * @nents: its elements
 * @offset: bytes to skip in the first element, and on return bytes mapped of
 *	the first element that is not wholly mapped; may be NULL. Always 0 on
 *	return for an SG_GAPS MR, which takes elements whole
 *
 * Of an SG_GAPS MR this picks the mkey: lkey and rkey of @ibmr are those of that
 * mkey from now on, with the low byte they had. So a ULP reads the keys of the
 * new registration after the map, and those of the old one, to invalidate it,
 * before. The old one may still be registered; it must be invalidated, in front
 * of the new registration, or posting that returns -EBUSY.
 *
 * Context: any; the caller owns the MR.
 * Return: elements mapped, which is less than @nents at a hole (not for SG_GAPS)
 * and when the MR is full; -EINVAL for an MR that takes no list, a page size
 * that is no power of two from 4 KiB to 2 GiB (not for SG_GAPS), no elements, or
 * an offset beyond the first.
 */
int ibx_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents,
		  unsigned int *offset)
{
	struct ibx_mr *mr = to_imr(ibmr);
	int n;

	if (unlikely(!mr->list))
		return -EINVAL;
	if (unlikely(!mr->gaps && !page_size_ok(ibmr)))
		return -EINVAL;
	if (mr->gaps)
		n = map_gaps(mr, sg, nents, offset);
	else
		n = map_pages(mr, __ffs(ibmr->page_size), sg, nents, offset);
	if (likely(n >= 0))
		trace_ibx_map_mr(mr, nents, n);
	return n;
}
