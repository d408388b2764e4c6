// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: lists of pages and lists of ranges.
 *
 * One pass: the scatterlist is read once and each entry is written once, big
 * endian, where the device (or the WQE) takes it from. Elements that continue
 * the one before are one range however they are cut. What follows the last
 * entry is zeroed up to the 64 bytes in which the device reads.
 *
 * A list of pages has no holes: only its first byte may start inside a page
 * and only its last may end inside one. The walk stops where that would break,
 * or where the list is full, and says how far it came. A list of ranges may
 * have any.
 */

#include "enc/sg_list.h"

/**
 * ibx_enc_mtt_sg() - write the pages of a mapped scatterlist
 * @l: where, and what it says; @l->mtt, @l->max and @l->page_shift are given,
 *	@l->mtt has room for @l->max rounded up to IBX_MTT_ALIGN; the other
 *	members are results, valid unless it fails
 * @sg: mapped scatterlist
 * @nents: its elements
 * @offset: bytes of the first element to skip, and on return bytes mapped of
 *	the first element that is not wholly mapped; may be NULL
 *
 * Context: any.
 * Return: elements mapped in full, or -EINVAL when there is no element or
 * @offset is beyond the first one.
 */
int ibx_enc_mtt_sg(struct ibx_mtt_list *l, struct scatterlist *sg, int nents,
		   unsigned int *offset)
{
	const u64 size = 1ULL << l->page_shift, in_page = size - 1;
	__be64 *out = l->mtt, *const full = out + l->max;
	unsigned int skip = offset ? *offset : 0;
	u64 start, stop, page;
	u64 end = 1;		/* no page bound: the first goes the long way */
	int i = 0;

	if (unlikely(nents <= 0 || skip > sg_dma_len(sg)))
		return -EINVAL;

	l->iova = 0;
	for (;;) {
		start = sg_dma_address(sg);
		if (likely(!((start | end) & in_page) && sg_dma_len(sg) == size &&
			   out != full)) {
			*out++ = cpu_to_be64(start | IBX_MTT_PRESENT);
			end = start + size;
			goto next;
		}

		stop = start + sg_dma_len(sg);
		start += skip;
		if (unlikely(start == stop)) {
			skip = 0;
			goto next;
		}
		page = start & ~in_page;
		if (out == l->mtt)
			l->iova = start;
		else if (start == end)
			page = (end + in_page) & ~in_page;
		else if ((start | end) & in_page)
			break;			/* a hole */

		for (; page < stop; page += size) {
			if (unlikely(out == full))
				goto filled;
			*out++ = cpu_to_be64(page | IBX_MTT_PRESENT);
		}
		end = stop;
		skip = 0;
next:
		if (++i == nents)
			break;
		sg++;
		if (unlikely(sg_is_chain(sg)))
			sg = ibx_follow_chain(sg);
	}
	skip = 0;
	goto done;

filled:
	/* of this element, what the last page reaches is mapped */
	if (page > start) {
		skip += page - start;
		end = page;
	}
done:
	if (offset)
		*offset = skip;
	l->n = out - l->mtt;
	l->length = ibx_mtt_length(l, end);
	l->stop = sg;
	ibx_pad_mtt(l->mtt, l->n);
	return i;
}

/**
 * ibx_enc_klm_sg() - write the ranges of a mapped scatterlist
 * @l: where, and what it says; @l->klm, @l->max and @l->lkey are given, @l->klm
 *	has room for @l->max rounded up to IBX_KLM_ALIGN; the other members are
 *	results, valid unless it fails
 * @sg: mapped scatterlist
 * @nents: its elements
 * @offset: bytes of the first element to skip, and 0 on return: elements are
 *	mapped whole; may be NULL
 *
 * Ranges that continue each other become one as long as it has no more than
 * IBX_SGE_MAX bytes.
 *
 * Context: any.
 * Return: elements mapped, or -EINVAL when there is no element or @offset is
 * beyond the first one.
 */
int ibx_enc_klm_sg(struct ibx_klm_list *l, struct scatterlist *sg, int nents,
		   unsigned int *offset)
{
	struct ibx_cursor c = { .sg = sg, .left = nents };
	unsigned int skip = offset ? *offset : 0;

	if (unlikely(nents <= 0 || skip > sg_dma_len(sg)))
		return -EINVAL;

	l->n = 0;
	l->iova = 0;
	l->length = 0;
	ibx_klm_walk(l, &c, skip, false);
	if (offset)
		*offset = 0;
	return nents - c.left;
}
