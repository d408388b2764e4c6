// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: attaching lists on drivers without a hook.
 *
 * ib_map_mr_sg() may attach only the first elements of a list; it returns the
 * number of elements that are attached. Drivers accept different lists, so
 * lists are checked before the call.
 */
#include "frwr.h"

/*
 * Check a mapped list for the errors that ib_mr_set_sg() reports. Drivers do
 * not check for every error: some register a page for an empty element, some
 * accept gaps.
 */
static int frwr_check_list(const struct frwr_mr *f, struct scatterlist *sg, int nents)
{
	dma_addr_t start, end = 0;
	struct scatterlist *s;
	u64 length = 0;
	int i;

	for_each_sg(sg, s, nents, i) {
		start = sg_dma_address(s);
		if (i && !f->arb && start != end && (start | end) & frwr_in_page(f))
			return -EINVAL;
		end = start + sg_dma_len(s);
		if (end <= start)
			return -EINVAL;
		length += sg_dma_len(s);
		if (!f->arb && frwr_pages(f, sg_dma_address(sg), length) > f->max_descs)
			return -ENOSPC;
	}
	return 0;
}

/**
 * frwr_fallback_list() - attach a mapped scatterlist that was checked
 * @mr: MR of a driver without a hook
 * @f: private part of @mr
 * @sg: scatterlist
 * @nents: number of DMA segments, at least one
 *
 * If the driver attaches only the first elements, or ib_sg_to_pages() returns
 * -ENOMEM, the MR has no space for the list. A driver that attaches no element
 * has no space for all pages of the first element, or has failed to allocate
 * memory (hns).
 *
 * Context: any.
 * Return: 0 or an error of ib_mr_set_sg().
 */
int frwr_fallback_list(struct ib_mr *mr, const struct frwr_mr *f, struct scatterlist *sg,
		       int nents)
{
	int n = ib_map_mr_sg(mr, sg, nents, NULL, BIT(f->page_shift));

	if (likely(n == nents))
		return 0;
	if (!n)
		return !f->arb && frwr_pages(f, sg_dma_address(sg), sg_dma_len(sg)) > f->max_descs ?
			-ENOSPC : -ENOMEM;
	return n > 0 || n == -ENOMEM ? -ENOSPC : n;
}

/**
 * frwr_fallback_sg() - check and attach a mapped scatterlist
 * @mr: MR of a driver without a hook
 * @f: private part of @mr
 * @sg: scatterlist
 * @sg_nents: number of DMA segments, at least one
 *
 * Context: any.
 * Return: 0 or an error of ib_mr_set_sg().
 */
int frwr_fallback_sg(struct ib_mr *mr, const struct frwr_mr *f, struct scatterlist *sg,
		     int sg_nents)
{
	int err = frwr_check_list(f, sg, sg_nents);

	return err ? err : frwr_fallback_list(mr, f, sg, sg_nents);
}

/* ---- larger pages ---- */

/*
 * ib_map_mr_sg() accepts any page size of ib_device_attr.page_size_cap, but a
 * driver may ignore the page size and register pages of 4 KiB. mlx5_ib,
 * mlx5_ibx and rxe register the larger pages: their code was read, and tests
 * were run with mlx5sim and rxe.
 */
static bool frwr_knows_large_pages(const struct ib_device *dev)
{
	return dev->ops.driver_id == RDMA_DRIVER_MLX5 || dev->ops.driver_id == RDMA_DRIVER_RXE;
}

/*
 * log2 of the largest page size for which a list has no gap. A list has no gap
 * if all elements that are not contiguous begin and end at page boundaries; the
 * first element may begin and the last element may end inside a page. 0 for a
 * list with an element that is empty or wraps.
 */
static u8 frwr_largest_shift(struct scatterlist *sg, int nents)
{
	u64 start, end = 0, bounds = BIT_ULL(FRWR_MAX_PAGE_SHIFT);
	struct scatterlist *s;
	int i;

	for_each_sg(sg, s, nents, i) {
		start = sg_dma_address(s);
		if (i && start != end)
			bounds |= start | end;
		end = start + sg_dma_len(s);
		if (end <= start)
			return 0;
	}
	return __ffs64(bounds);
}

static u64 frwr_list_length(struct scatterlist *sg, int nents)
{
	struct scatterlist *s;
	u64 length = 0;
	int i;

	for_each_sg(sg, s, nents, i)
		length += sg_dma_len(s);
	return length;
}

/*
 * log2 of the smallest larger page size in which the list fits into the MR; 0
 * if no page size fits
 */
static u8 frwr_large_shift(const struct frwr_mr *f, struct scatterlist *sg, int nents)
{
	const u8 largest = frwr_largest_shift(sg, nents);
	const u64 length = frwr_list_length(sg, nents), start = sg_dma_address(sg);
	u8 shift;
	u64 in_page;

	for (shift = f->page_shift + 1; shift <= largest; shift++) {
		in_page = BIT_ULL(shift) - 1;
		if (f->dev->attrs.page_size_cap & BIT_ULL(shift) &&
		    ((start & in_page) + length + in_page) >> shift <= f->max_descs)
			return shift;
	}
	return 0;
}

/**
 * frwr_attach_large() - attach a list in pages larger than the MR's page size
 * @mr: MR without IB_MR_REG_ARB_SG
 * @f: private part of @mr; its large_shift is set
 * @sg: scatterlist, mapped for DMA
 * @nents: number of DMA segments, at least one
 *
 * DMA mapping merges adjacent pages into long elements, which mostly begin and
 * end at boundaries of larger pages. The list is attached by ib_map_mr_sg(),
 * also if the driver has a hook.
 *
 * Context: any.
 * Return:
 * * 0
 * * -ENOSPC: the list is too long in every page size, or the driver is not
 *   known to register larger pages
 * * a negative errno of ib_map_mr_sg()
 */
int frwr_attach_large(struct ib_mr *mr, struct frwr_mr *f, struct scatterlist *sg, int nents)
{
	const u32 page_size = mr->page_size;
	u8 shift;
	int n;

	if (!frwr_knows_large_pages(f->dev))
		return -ENOSPC;
	shift = frwr_large_shift(f, sg, nents);
	if (!shift)
		return -ENOSPC;
	n = ib_map_mr_sg(mr, sg, nents, NULL, BIT(shift));
	/*
	 * drivers without a hook read mr->page_size when they post the
	 * registration
	 */
	if (f->provider || n != nents)
		mr->page_size = page_size;
	if (n != nents)
		return n < 0 && n != -ENOMEM ? n : -ENOSPC;
	f->large_shift = shift;
	return 0;
}
