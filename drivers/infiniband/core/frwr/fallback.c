// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: lists for drivers without a hook.
 *
 * ib_map_mr_sg() takes lists in part and says no more than how much it took, and
 * drivers differ in what they take. So lists are looked at before it.
 */
#include "frwr.h"

/*
 * A mapped list as the API wants it. Drivers do not look at everything: to some
 * an empty element is a page, some take gaps that others cannot.
 */
static int check_list(const struct frwr_mr *f, struct scatterlist *sg, int nents)
{
	dma_addr_t start, end = 0;
	struct scatterlist *s;
	u64 length = 0;
	int i;

	for_each_sg(sg, s, nents, i) {
		start = sg_dma_address(s);
		if (i && !f->arb && start != end && (start | end) & ~PAGE_MASK)
			return -EINVAL;
		end = start + sg_dma_len(s);
		if (end <= start)
			return -EINVAL;
		length += sg_dma_len(s);
		if (!f->arb && frwr_pages(sg_dma_address(sg), length) > f->max_descs)
			return -ENOSPC;
	}
	return 0;
}

/**
 * frwr_fallback_list() - attach a mapped scatterlist that is known to be right
 * @mr: the MR
 * @sg: the list
 * @nents: its elements, at least one
 *
 * A driver that stops has no more room.
 *
 * Context: any.
 * Return: 0, or why not, as ib_mr_set_sg().
 */
int frwr_fallback_list(struct ib_mr *mr, struct scatterlist *sg, int nents)
{
	int n = ib_map_mr_sg(mr, sg, nents, NULL, PAGE_SIZE);

	if (likely(n == nents))
		return 0;
	return n >= 0 || n == -ENOMEM ? -ENOSPC : n;
}

/**
 * frwr_fallback_sg() - attach a mapped scatterlist
 * @mr: the MR
 * @sg: the list
 * @sg_nents: its elements, at least one
 *
 * Context: any.
 * Return: as ib_mr_set_sg().
 */
int frwr_fallback_sg(struct ib_mr *mr, struct scatterlist *sg, int sg_nents)
{
	int err = check_list(frwr_mr_from(mr), sg, sg_nents);

	return err ? err : frwr_fallback_list(mr, sg, sg_nents);
}
