// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: ib_map_mr_sg() and ib_mr_set_*().
 *
 * A map writes the list into the list memory of the MR. The device fetches the
 * list from there when it executes the registration; a small list is copied
 * into the WQE. The memory is coherent and needs no sync. The caller of a map
 * owns the MR until the registration has completed, so there is no lock.
 *
 * ib_map_mr_sg() may map a part of a list. Entries have the page size of the caller
 * even if memory is contiguous, because ULPs may move ibmr->iova by any multiple of
 * that size after the map. ib_mr_set_*() of ib_frwr attaches complete lists, for
 * which enc/sg_list.c chooses larger pages if it can.
 *
 * The list of an SG_GAPS MR is written as pages if all elements are pages,
 * because devices are faster with pages, and as ranges otherwise. Ranges never
 * need more entries than pages: a new range begins only where a page does not
 * continue the page before it.
 */

#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>

#include "enc/sg_list.h"
#include "trace.h"
#include "wq/wq.h"

static bool page_size_ok(const struct ibx_mr *mr)
{
	u32 size = mr->ibmr.page_size;

	return is_power_of_2(size) && size >= 1 << IBX_PAGE_SHIFT && __ffs(size) <= mr->max_shift;
}

/* log2 of the page size of the MR for ib_mr_set_*(): from 4 KiB to PAGE_SIZE */
static __always_inline u8 mr_min_shift(const struct ibx_mr *mr)
{
	return PAGE_SHIFT - IBX_PAGE_SHIFT ? __ffs(mr->ibmr.page_size) : IBX_PAGE_SHIFT;
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

static noinline int mr_map_pages(struct ibx_mr *mr, struct scatterlist *sg,
				 int nents, unsigned int *offset, u8 shift)
{
	struct ibx_mtt_list l = {
		.mtt = mr->list,
		.max = mr->max_ents,
		.page_shift = shift,
	};
	int n;

	n = ibx_mtt_from_sg_partial(&l, sg, nents, offset);
	if (likely(n >= 0))
		mr_set_pages(mr, &l);
	return n;
}

/*
 * The low byte of the key belongs to the ULP, which increments it for each
 * registration. Both mkeys share this count, so that an mkey is not registered again
 * with a key that it had before.
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

/* set the members of @l that encoders read: memory and limits of the list of the MR */
static void mr_get_list(const struct ibx_mr *mr, struct ibx_list *l)
{
	l->mtt.mtt = mr->list;
	l->mtt.max = mr->max_ents;
	l->mtt.max_shift = mr->max_shift;
	l->gaps = mr->gaps;
	if (likely(!mr->gaps))
		return;
	l->klm.klm = mr->list;
	l->klm.max = mr->max_ents;
	l->klm.lkey = mr->ibmr.pd->local_dma_lkey;
}

/**
 * ibx_mr_set_list() - set iova, length and mkey of an MR for a list
 * @mr: MR; the list was written to its list memory
 * @l: the list
 *
 * Context: any; the caller owns the MR.
 */
void ibx_mr_set_list(struct ibx_mr *mr, const struct ibx_list *l)
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
 * ibx_mr_set_ranges() - ibx_mr_set_list() for a list of ranges that begins at address 0
 * @mr: MR; the list was written to its list memory
 * @n: number of ranges
 * @length: bytes of all ranges
 *
 * Context: any; the caller owns the MR.
 */
void ibx_mr_set_ranges(struct ibx_mr *mr, u32 n, u64 length)
{
	const struct ibx_klm_list l = { .n = n, .length = length };

	mr_pick_mkey(mr, MLX5_MKC_ACCESS_MODE_KLMS);
	mr_set_klms(mr, &l);
}

/**
 * ibx_mr_resplit() - split the pages of a list until they suit the iova
 * @mr: MR whose list and iova have different offsets in their first pages
 *
 * A ULP may move the iova by multiples of the page size of the MR after
 * ib_mr_set_*(), which may have chosen larger pages.
 *
 * Context: any; the caller owns the MR.
 * Return:
 * * 0
 * * -EINVAL: the MR has no list; the offsets differ in pages of 4 KiB as well;
 *   or the smaller pages are more than the list memory has space for. The last
 *   case is possible only after ib_map_mr_sg()
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

/* map ranges; elements may be empty, long, or continue the element before */
static noinline int map_joined_ranges(struct ibx_mr *mr, struct scatterlist *sg, int nents)
{
	struct ibx_klm_list l = {
		.klm = mr->list,
		.max = mr->max_ents,
		.lkey = mr->ibmr.pd->local_dma_lkey,
	};
	int n = ibx_klm_from_sg_partial(&l, sg, nents, NULL);

	mr_pick_mkey(mr, MLX5_MKC_ACCESS_MODE_KLMS);
	mr_set_klms(mr, &l);
	return n;
}

/*
 * attach one range for each element. Return: false if an element cannot be one
 * range, or if the MR has too few entries
 */
static __always_inline bool attach_ranges(struct ibx_mr *mr, struct scatterlist *sg, int nents,
					  bool strict)
{
	struct ibx_klm_list l = { .n = nents };
	const u32 lkey = mr->ibmr.pd->local_dma_lkey;

	if (unlikely(nents > mr->max_ents))
		return false;
	l.length = strict ? ibx_klm_put_ranges_strict(mr->list, sg, nents, lkey) :
			    ibx_klm_put_ranges(mr->list, sg, nents, lkey);
	if (unlikely(!l.length))
		return false;
	l.iova = sg_dma_address(sg);
	mr_pick_mkey(mr, MLX5_MKC_ACCESS_MODE_KLMS);
	mr_set_klms(mr, &l);
	return true;
}

/* map a list that can only be ranges */
static __always_inline int mr_map_ranges(struct ibx_mr *mr,
					 struct scatterlist *sg, int nents)
{
	return likely(attach_ranges(mr, sg, nents, false)) ? nents :
							     map_joined_ranges(mr, sg, nents);
}

static noinline int map_gaps(struct ibx_mr *mr, struct scatterlist *sg, int nents,
			     unsigned int *offset, u8 shift)
{
	struct ibx_list l __uninitialized;	/* the next two calls initialize it */
	int n;

	mr_get_list(mr, &l);
	l.mtt.page_shift = shift;
	n = ibx_list_from_sg_partial(&l, sg, nents, offset);
	if (likely(n >= 0))
		ibx_mr_set_list(mr, &l);
	return n;
}

/*
 * Map a list of one element as pages. Return: false, and nothing is changed, if
 * the element has more pages than the MR has entries, is empty, or wraps.
 */
static __always_inline bool map_run(struct ibx_mr *mr, const struct scatterlist *sg, u8 shift)
{
	u64 start = sg_dma_address(sg), end = start + sg_dma_len(sg);
	struct ibx_mtt_list l = { .mtt = mr->list };

	if (unlikely(end <= start || ((end - 1) >> shift) - (start >> shift) >= mr->max_ents))
		return false;
	ibx_mtt_put_run(&l, start, end, shift);
	mr_pick_mkey(mr, MLX5_MKC_ACCESS_MODE_MTT);
	mr_set_pages(mr, &l);
	return true;
}

/* log2 of the page size of the MR for ib_map_mr_sg(); 0 for an invalid size */
static __always_inline u8 mr_map_shift(const struct ibx_mr *mr)
{
	if (likely(page_size_ok(mr)))
		return __ffs(mr->ibmr.page_size);
	/* ib_map_mr_sg() allows any page size for an SG_GAPS MR */
	return mr->gaps ? IBX_PAGE_SHIFT : 0;
}

static __always_inline int map_list(struct ibx_mr *mr, struct scatterlist *sg, int nents,
				    unsigned int *offset)
{
	u8 shift;

	if (likely(!offset || !*offset)) {
		if (nents == 1) {
			shift = mr_map_shift(mr);
			if (likely(shift) && likely(map_run(mr, sg, shift)))
				return 1;
		} else if (mr->gaps && ibx_list_begins_with_hole(sg, nents, IBX_PAGE_SHIFT)) {
			/*
			 * a hole between the smallest pages is also a hole
			 * between larger pages
			 */
			return mr_map_ranges(mr, sg, nents);
		}
	}
	shift = mr_map_shift(mr);
	if (unlikely(!shift))
		return -EINVAL;
	return mr->gaps ? map_gaps(mr, sg, nents, offset, shift) :
			  mr_map_pages(mr, sg, nents, offset, shift);
}

/**
 * ibx_map_mr_sg() - ib_map_mr_sg()
 * @ibmr: a MEM_REG MR with its page_size set, or an SG_GAPS MR
 * @sg: scatterlist that is mapped for DMA
 * @nents: number of elements of @sg
 * @offset: bytes to skip in the first element; on return, bytes mapped of the
 *	first element that is not completely mapped. May be NULL. Always 0 on
 *	return for an SG_GAPS MR, which maps complete elements only
 *
 * For an SG_GAPS MR, this picks one of its two mkeys and sets lkey and rkey of
 * @ibmr to the key of that mkey. The low byte does not change. So a ULP must
 * read the key of the old registration, which it will invalidate, before the
 * map, and the key of the new registration after the map. The old key may still
 * be registered during the map. Its invalidation must be posted before the new
 * registration; otherwise the new registration fails with -EBUSY.
 *
 * Context: any; the caller owns the MR.
 * Return:
 * * number of elements mapped: less than @nents at a hole (not for an SG_GAPS
 *   MR), and when the MR is full
 * * -EINVAL: the MR has no list memory; @nents is 0; the offset is beyond the
 *   first element; or, not for an SG_GAPS MR, the page size is not a power of
 *   two from 4 KiB to the largest page of the device, which is 2 GiB on most
 *   devices
 */
int ibx_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents,
		  unsigned int *offset)
{
	struct ibx_mr *mr = to_imr(ibmr);
	int n;

	if (unlikely(!mr->list))
		return -EINVAL;
	n = map_list(mr, sg, nents, offset);
	if (likely(n >= 0))
		trace_ibx_map_mr(mr, nents, n);
	return n;
}

/* the last step of set_sg() */
static __always_inline int finish_set(struct ibx_mr *mr, int sg_nents)
{
	trace_ibx_map_mr(mr, sg_nents, sg_nents);
	return 0;
}

/*
 * attach a list of one element as pages; false if the element is empty, wraps,
 * or has more pages than the MR has entries
 */
static __always_inline bool set_run(struct ibx_mr *mr, const struct scatterlist *sg)
{
	struct ibx_mtt_list l = {
		.mtt = mr->list,
		.max = mr->max_ents,
		.max_shift = mr->max_shift,
		.min_shift = mr_min_shift(mr),
	};
	u64 start = sg_dma_address(sg), end = start + sg_dma_len(sg);

	if (unlikely(end <= start || !ibx_mtt_from_run(&l, start, end)))
		return false;
	mr_pick_mkey(mr, MLX5_MKC_ACCESS_MODE_MTT);
	mr_set_pages(mr, &l);
	return true;
}

static noinline int mr_set_sg_list(struct ibx_mr *mr, struct scatterlist *sg,
				   int sg_nents)
{
	struct ibx_list l __uninitialized;	/* the next two calls initialize it */
	int err;

	mr->nents = 0;
	mr_get_list(mr, &l);
	l.mtt.min_shift = mr_min_shift(mr);
	err = ibx_list_from_sg(&l, sg, sg_nents);
	if (unlikely(err))
		return err;
	ibx_mr_set_list(mr, &l);
	return finish_set(mr, sg_nents);
}

/* attach a list that can only be ranges */
static noinline int set_ranges(struct ibx_mr *mr, struct scatterlist *sg, int sg_nents)
{
	return likely(attach_ranges(mr, sg, sg_nents, true)) ?
		       finish_set(mr, sg_nents) :
		       mr_set_sg_list(mr, sg, sg_nents);
}

/* operation of struct ib_frwr_provider */
static int set_sg(struct ib_mr *ibmr, struct scatterlist *sg, int sg_nents)
{
	struct ibx_mr *mr = to_imr(ibmr);

	if (sg_nents == 1)
		return likely(set_run(mr, sg)) ? finish_set(mr, 1) :
						 mr_set_sg_list(mr, sg, 1);
	if (mr->gaps && ibx_list_begins_with_hole(sg, sg_nents, mr_min_shift(mr)))
		return set_ranges(mr, sg, sg_nents);
	return mr_set_sg_list(mr, sg, sg_nents);
}

struct ib_frwr_provider ibx_frwr = {
	.owner = THIS_MODULE,
	.set_sg = set_sg,
};
