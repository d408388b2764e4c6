// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: attaching the first part of a list, for ULPs that split lists.
 *
 * Drivers attach different parts of a list and return different counts; some
 * (siw) ignore an offset into the first element. So this file computes the part
 * that fits, shortens the first and the last element until the driver returns,
 * and lets the driver attach a complete list.
 */
#include <linux/scatterlist.h>

#include "frwr.h"

/* number of bytes, from @start on, that the pages of the MR can hold */
static u64 frwr_space(const struct frwr_mr *f, u64 start)
{
	if (f->arb)
		return U64_MAX;
	return ((u64)f->max_descs << f->page_shift) - (start & frwr_in_page(f));
}

static bool frwr_has_gap(const struct frwr_mr *f, u64 end, u64 start)
{
	return !f->arb && start != end && (start | end) & frwr_in_page(f);
}

/**
 * frwr_part_find() - find the longest first part of a list that an MR can hold
 * @f: private part of the MR
 * @p: part with @p->sg and @p->skip set; the other members are set here
 * @sg_nents: number of DMA segments of the list
 *
 * The part ends before a gap, after max_reg_descs elements, or, without
 * IB_MR_REG_ARB_SG, inside an element where the pages of the MR end.
 *
 * Context: any.
 * Return:
 * * 0
 * * -EINVAL: an element of the part is empty or wraps, or the first element has
 *   no byte at offset @p->skip
 */
int frwr_part_find(const struct frwr_mr *f, struct frwr_part *p, int sg_nents)
{
	const int max = min_t(u32, sg_nents, f->max_descs);
	u64 space = frwr_space(f, sg_dma_address(p->sg) + p->skip);
	u64 start, end = 0, len, skip = p->skip;
	struct scatterlist *s;

	p->rest = 0;
	p->nents = 0;
	for (s = p->sg; p->nents < max && space; s = sg_next(s)) {
		if (unlikely(sg_dma_len(s) <= skip))
			return -EINVAL;
		start = sg_dma_address(s) + skip;
		len = sg_dma_len(s) - skip;
		if (p->nents && frwr_has_gap(f, end, start))
			break;
		end = start + len;
		if (unlikely(end <= start))
			return -EINVAL;
		p->last = s;
		p->nents++;
		if (len > space) {
			p->rest = len - space;
			break;
		}
		space -= len;
		skip = 0;
	}
	return 0;
}

/**
 * frwr_part_cut() - cut a list to a part, until frwr_part_restore()
 * @p: part of frwr_part_find()
 *
 * Context: any.
 */
void frwr_part_cut(const struct frwr_part *p)
{
	sg_dma_address(p->sg) += p->skip;
	sg_dma_len(p->sg) -= p->skip;
	sg_dma_len(p->last) -= p->rest;
}

/**
 * frwr_part_restore() - undo frwr_part_cut()
 * @p: part of frwr_part_find()
 * @mapped: set to the number of bytes of the last element that belong to the
 *	part; 0 if the part ends with a complete element
 *
 * Context: any.
 * Return: number of complete elements of the part.
 */
int frwr_part_restore(const struct frwr_part *p, u32 *mapped)
{
	sg_dma_len(p->last) += p->rest;
	sg_dma_len(p->sg) += p->skip;
	sg_dma_address(p->sg) -= p->skip;
	*mapped = p->rest ? sg_dma_len(p->last) - p->rest : 0;
	return p->nents - !!p->rest;
}
