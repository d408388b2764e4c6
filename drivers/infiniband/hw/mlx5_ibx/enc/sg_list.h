/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: the list of memory that a registration gives to the device.
 *
 * A list consists of MTTs, one entry for each page of equal size, or of KLMs,
 * one entry for each range of any address and length. It is written from a
 * scatterlist that is mapped for DMA; see sg_list.c.
 *
 * Only the functions for one contiguous run of memory, the shortest way through
 * wq/map.c, are inline.
 */
#ifndef MLX5_IBX_SG_LIST_H
#define MLX5_IBX_SG_LIST_H

#include <linux/scatterlist.h>

#include "enc/enc.h"

/**
 * struct ibx_mtt_list - a list of pages
 * @mtt: entries, big endian; memory for @max, rounded up to IBX_MTT_ALIGN
 * @max: largest number of entries, at least 1
 * @max_shift: log2 of the largest page size; read by ibx_mtt_from_run() and
 *	ibx_list_from_sg()
 * @n: entries written
 * @min_shift: log2 of the smallest page size, from the MR; for complete lists.
 *	Only the ends of the list may be inside a page of this size, and the
 *	list consists of at most @max pages of this size
 * @page_shift: log2 of the page size
 * @iova: bus address of the first byte
 * @length: bytes mapped
 * @stop: first element that is not mapped in full, if there is one; set by
 *	ibx_mtt_from_sg_partial() only
 */
struct ibx_mtt_list {
	__be64 *mtt;
	u32 max;
	u32 n;
	u8 max_shift;
	u8 min_shift;
	u8 page_shift;
	u64 iova;
	u64 length;
	struct scatterlist *stop;
};

/**
 * struct ibx_klm_list - a list of ranges
 * @klm: entries, big endian; memory for @max, rounded up to IBX_KLM_ALIGN
 * @max: largest number of entries, at least 1
 * @n: entries written
 * @lkey: key with which the device reads and writes the ranges
 * @iova: bus address of the first byte
 * @length: bytes mapped
 */
struct ibx_klm_list {
	struct mlx5_klm *klm;
	u32 max;
	u32 n;
	u32 lkey;
	u64 iova;
	u64 length;
};

/**
 * struct ibx_list - a list of pages or of ranges
 * @mtt: list of pages; the caller sets its mtt, max and max_shift, and min_shift or
 *	page_shift
 * @klm: list of ranges; if @gaps, the caller sets its klm, max and lkey. Both
 *	lists have the same memory and the same max
 * @gaps: if the memory does not consist of pages, the list becomes ranges
 * @ranges: result: true if the list is in @klm, false if it is in @mtt
 */
struct ibx_list {
	struct ibx_mtt_list mtt;
	struct ibx_klm_list klm;
	bool gaps;
	bool ranges;
};

/* lists of as many elements as fit, for ib_map_mr_sg() */
int ibx_mtt_from_sg_partial(struct ibx_mtt_list *l, struct scatterlist *sg, int nents,
			    unsigned int *offset);
u64 ibx_klm_put_ranges(struct mlx5_klm *klm, struct scatterlist *sg, u32 n, u32 lkey);
u64 ibx_klm_put_ranges_strict(struct mlx5_klm *klm, struct scatterlist *sg, u32 n, u32 lkey);
int ibx_klm_from_sg_partial(struct ibx_klm_list *l, struct scatterlist *sg, int nents,
			    unsigned int *offset);
int ibx_list_from_sg_partial(struct ibx_list *l, struct scatterlist *sg, int nents,
			     unsigned int *offset);

/* lists of all elements, for ib_mr_set_*() and layouts */
int ibx_klm_from_sg(struct ibx_klm_list *l, struct scatterlist *sg, int nents);
int ibx_list_from_sg(struct ibx_list *l, struct scatterlist *sg, int nents);
bool ibx_mtt_split(struct ibx_mtt_list *l, u8 shift);
void ibx_mtt_put_tail(__be64 *mtt, u64 page, u64 n, u8 shift);

/* write zeroes behind @n entries, up to the next multiple of 64 bytes */
static inline void ibx_mtt_pad(__be64 *mtt, u32 n)
{
	while (n & (IBX_MTT_ALIGN - 1))
		mtt[n++] = 0;
}

/* write zeroes behind @n ranges, up to the next multiple of 64 bytes */
static inline void ibx_klm_pad(struct mlx5_klm *klm, u32 n)
{
	for (; n & (IBX_KLM_ALIGN - 1); n++) {
		ibx_put(&klm[n], 0, 0);
		ibx_put(&klm[n], 1, 0);
	}
}

/* number of pages of 2^@shift bytes that contain @length bytes from @iova on */
static __always_inline u64 ibx_pages_spanned(u64 iova, u64 length, u8 shift)
{
	u64 in_page = (1ULL << shift) - 1;

	return ((iova & in_page) + length + in_page) >> shift;
}

/**
 * ibx_list_begins_with_hole() - look for a hole at the start of a list
 * @sg: mapped scatterlist
 * @nents: number of its elements
 * @shift: log2 of the page size
 *
 * Context: any.
 * Return: true if there is a hole before the second element, so that the list
 * can only be ranges. Most lists that do not consist of pages have a hole
 * there.
 */
static __always_inline bool ibx_list_begins_with_hole(struct scatterlist *sg, int nents, u8 shift)
{
	const u64 in_page = (1ULL << shift) - 1;
	u64 end, next;

	if (nents < 2 || sg_is_chain(sg + 1) || !sg_dma_len(sg) || !sg_dma_len(sg + 1))
		return false;
	end = sg_dma_address(sg) + sg_dma_len(sg);
	next = sg_dma_address(sg + 1);
	return end != next && (end | next) & in_page;
}

/**
 * ibx_mtt_put_run() - write one contiguous run of memory as pages
 * @l: list; mtt is set, and is memory for all pages. The members page_shift, n, iova
 *	and length are set here
 * @start: bus address of the first byte
 * @end: bus address behind the last byte; higher than @start
 * @shift: log2 of the page size
 *
 * The list is padded.
 *
 * Context: any.
 */
static __always_inline void ibx_mtt_put_run(struct ibx_mtt_list *l, u64 start, u64 end, u8 shift)
{
	const u64 page = start >> shift, n = ((end - 1) >> shift) - page + 1;
	__be64 *mtt = l->mtt;

	l->iova = start;
	l->length = end - start;
	l->page_shift = shift;
	l->n = n;
	mtt[0] = cpu_to_be64(page << shift | IBX_MTT_PRESENT);
	mtt[1] = 0;
	mtt[2] = 0;
	mtt[3] = 0;
	mtt[4] = 0;
	mtt[5] = 0;
	mtt[6] = 0;
	mtt[7] = 0;
	static_assert(IBX_MTT_ALIGN == 8);
	if (unlikely(n > 1))
		ibx_mtt_put_tail(mtt, page, n, shift);
}

/**
 * ibx_mtt_from_run() - write a list of one contiguous run of memory
 * @l: list; mtt, max, min_shift and max_shift are set. The other members are set here
 * @start: bus address of the first byte
 * @end: bus address behind the last byte; higher than @start
 *
 * The pages are the smallest that hold the run in one or two entries; a run
 * longer than the largest page has more entries. The list is padded.
 *
 * Context: any.
 * Return: true; false, and nothing is written, when the run has more than max
 * pages of 2^min_shift bytes.
 */
static __always_inline bool ibx_mtt_from_run(struct ibx_mtt_list *l, u64 start, u64 end)
{
	const u64 length = end - start;

	if (unlikely(ibx_pages_spanned(start, length, l->min_shift) > l->max))
		return false;
	ibx_mtt_put_run(l, start, end,
			clamp(fls64(length - 1), (int)l->min_shift, (int)l->max_shift));
	return true;
}

#endif /* MLX5_IBX_SG_LIST_H */
