// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: ib_map_mr_sg() and ib_mr_set_*().
 *
 * The list goes straight into the memory from which the registration's WQE
 * fetches it, or copies it when it is small. That memory is coherent: nothing
 * to sync. Whoever maps owns the MR until the registration completed; nothing
 * is locked.
 *
 * ib_map_mr_sg() gives lists in parts. Entries are of the page size the caller
 * gave, not larger ones, even where memory is contiguous: ULPs may move ibmr->iova
 * by any multiple of that size after the map. ib_frwr gives a list as a whole, and
 * sg_list.c makes the most of it.
 *
 * An SG_GAPS MR takes pages if the whole list is pages, because devices are
 * quicker with them, and ranges otherwise. Never more elements fit as pages
 * than as ranges: a range begins where a page does not continue the one before.
 */

#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>

#include "enc/sg_list.h"
#include "trace.h"
#include "wq/wq.h"

static bool page_size_ok(const struct ib_mr *ibmr)
{
	return is_power_of_2(ibmr->page_size) && ibmr->page_size >= 1 << IBX_PAGE_SHIFT;
}

static void mr_use_pages(struct ibx_mr *mr, const struct ibx_mtt_list *l)
{
	mr->nents = l->n;
	mr->list_bytes = ibx_mtt_bytes(l->n);
	mr->key_octwords = mr->list_bytes / IBX_DS;
	mr->page_shift = l->page_shift;
}

static void mr_set_range(struct ibx_mr *mr, u64 iova, u64 length)
{
	mr->start = iova;
	mr->length = length;
	mr->ibmr.iova = iova;
	mr->ibmr.length = length;
}

static void mr_set_pages(struct ibx_mr *mr, const struct ibx_mtt_list *l)
{
	mr_use_pages(mr, l);
	mr_set_range(mr, l->iova, l->length);
}

static void mr_set_klms(struct ibx_mr *mr, const struct ibx_klm_list *l)
{
	mr->nents = l->n;
	mr->list_bytes = ibx_klm_bytes(l->n);
	mr->key_octwords = ibx_klm_key_octwords(l->n);
	mr->page_shift = 0;
	mr_set_range(mr, l->iova, l->length);
}

static int map_pages(struct ibx_mr *mr, struct scatterlist *sg, int nents, unsigned int *offset)
{
	struct ibx_mtt_list l = {
		.mtt = mr->list,
		.max = mr->max_ents,
		.page_shift = __ffs(mr->ibmr.page_size),
	};
	int n;

	n = ibx_mtt_from_sg_partial(&l, sg, nents, offset);
	if (likely(n >= 0))
		mr_set_pages(mr, &l);
	return n;
}

/*
 * The low byte of the key is the ULP's, who counts it up with each use: both
 * mkeys follow one count, so that none comes back with a key it had before.
 */
static noinline void mr_swap_mkeys(struct ibx_mr *mr, u8 mode)
{
	u32 variant = mr->ibmr.rkey & 0xff;

	swap(mr->mkey, mr->other);
	mr->mode = mode;
	mr->ibmr.rkey = (mr->mkey & ~0xff) | variant;
	mr->ibmr.lkey = mr->ibmr.rkey;
}

static __always_inline void mr_pick_mkey(struct ibx_mr *mr, u8 mode)
{
	if (unlikely(mr->mode != mode))
		mr_swap_mkeys(mr, mode);
}

/* where a list of the MR goes: the members that encoders are given */
static void mr_get_list(const struct ibx_mr *mr, struct ibx_list *l)
{
	l->mtt.mtt = mr->list;
	l->mtt.max = mr->max_ents;
	l->gaps = mr->gaps;
	if (likely(!mr->gaps))
		return;
	l->klm.klm = mr->list;
	l->klm.max = mr->max_ents;
	l->klm.lkey = mr->ibmr.pd->local_dma_lkey;
}

/* a list was written to the MR's memory, which gets iova, length, and the key that fits it */
static void mr_set_list(struct ibx_mr *mr, const struct ibx_list *l)
{
	if (l->ranges) {
		mr_pick_mkey(mr, MLX5_MKC_ACCESS_MODE_KLMS);
		mr_set_klms(mr, &l->klm);
	} else {
		mr_pick_mkey(mr, MLX5_MKC_ACCESS_MODE_MTT);
		mr_set_pages(mr, &l->mtt);
	}
}

/**
 * ibx_mr_resplit() - give a list smaller pages, because its iova needs them
 * @mr: an MR whose list begins in another place of its first page than the iova
 *
 * A ULP may move the iova of a list that ib_mr_set_*() attached by multiples of
 * PAGE_SIZE, and knows nothing of the pages that were chosen for it.
 *
 * Context: any; the caller owns the MR.
 * Return: 0, or -EINVAL when it has no list, or cannot begin there in any page,
 * or, which is so only for lists of ib_map_mr_sg(), has no room.
 */
int ibx_mr_resplit(struct ibx_mr *mr)
{
	struct ibx_mtt_list l = {
		.mtt = mr->list,
		.max = mr->max_ents,
		.n = mr->nents,
		.page_shift = mr->page_shift,
		.iova = mr->start,
		.length = mr->length,
	};
	u8 shift = __ffs64(mr->ibmr.iova ^ mr->start);

	if (!l.n || shift < IBX_PAGE_SHIFT || !ibx_mtt_split(&l, shift))
		return -EINVAL;
	ibx_mtt_pad(l.mtt, l.n);
	mr_use_pages(mr, &l);
	return 0;
}

static int map_gaps(struct ibx_mr *mr, struct scatterlist *sg, int nents, unsigned int *offset)
{
	/* the contract lets callers of this type give any page size */
	u8 shift = page_size_ok(&mr->ibmr) ? __ffs(mr->ibmr.page_size) : IBX_PAGE_SHIFT;
	struct ibx_list l;
	int n;

	mr_get_list(mr, &l);
	l.mtt.page_shift = shift;
	n = ibx_list_from_sg_partial(&l, sg, nents, offset);
	if (likely(n >= 0))
		mr_set_list(mr, &l);
	return n;
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
		n = map_pages(mr, sg, nents, offset);
	if (likely(n >= 0))
		trace_ibx_map_mr(mr, nents, n);
	return n;
}

/* the last step of the hook */
static __always_inline int finish_set(struct ibx_mr *mr, int sg_nents)
{
	/* users may move iova by this, whatever the pages of the list are */
	mr->ibmr.page_size = PAGE_SIZE;
	trace_ibx_map_mr(mr, sg_nents, sg_nents);
	return 0;
}

/* one element, as contiguous memory is, if it can be pages */
static __always_inline bool set_run(struct ibx_mr *mr, const struct scatterlist *sg)
{
	struct ibx_mtt_list l = { .mtt = mr->list, .max = mr->max_ents };
	u64 start = sg_dma_address(sg), end = start + sg_dma_len(sg);

	if (unlikely(end <= start || !ibx_mtt_from_run(&l, start, end)))
		return false;
	mr_pick_mkey(mr, MLX5_MKC_ACCESS_MODE_MTT);
	mr_set_pages(mr, &l);
	return true;
}

static noinline int set_list(struct ibx_mr *mr, struct scatterlist *sg, int sg_nents)
{
	struct ibx_list l __uninitialized;	/* by the next two calls */
	int err;

	mr->nents = 0;
	mr_get_list(mr, &l);
	err = ibx_list_from_sg(&l, sg, sg_nents);
	if (unlikely(err))
		return err;
	mr_set_list(mr, &l);
	return finish_set(mr, sg_nents);
}

/* the hook of ib_frwr */
static int set_sg(struct ib_mr *ibmr, struct scatterlist *sg, int sg_nents)
{
	struct ibx_mr *mr = to_imr(ibmr);

	if (sg_nents != 1)
		return set_list(mr, sg, sg_nents);
	return likely(set_run(mr, sg)) ? finish_set(mr, 1) : set_list(mr, sg, 1);
}

struct ib_frwr_provider ibx_frwr = {
	.owner = THIS_MODULE,
	.set_sg = set_sg,
};
