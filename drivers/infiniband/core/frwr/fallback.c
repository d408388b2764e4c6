// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: attaching lists on drivers without a hook.
 *
 * ib_map_mr_sg() takes partial lists and returns the number of elements it took.
 * Drivers differ in the lists they accept, so lists are checked before the call.
 */
#include "frwr.h"

/*
 * Check a mapped list for the errors that ib_mr_set_sg() reports. Drivers do not
 * check all of them: some take an empty element for a page, some accept gaps.
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
 * A driver that attaches only the first elements has no space for the others, and so
 * says the -ENOMEM of ib_sg_to_pages(). One that attaches none has no space for all
 * pages of the first, or has failed to allocate memory (hns).
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
