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

#include "enc.h"

/* out of the way of the loop, which meets one every hundred elements or so */
static noinline struct scatterlist *follow_chain(struct scatterlist *sg)
{
	return sg_chain_ptr(sg);
}

/* zero up to the grain of 64 bytes; the list has room for it */
static void pad_mtt(__be64 *mtt, u32 n)
{
	while (n & (IBX_MTT_ALIGN - 1))
		mtt[n++] = 0;
}

/* a list without holes: what its ends do not use is all that is missing */
static u64 list_length(const struct ibx_mtt_list *l, u64 end)
{
	const u64 in_page = (1ULL << l->page_shift) - 1;

	if (!l->n)
		return 0;
	return ((u64)l->n << l->page_shift) - (l->iova & in_page) - (-end & in_page);
}

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
			sg = follow_chain(sg);
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
	l->length = list_length(l, end);
	pad_mtt(l->mtt, l->n);
	return i;
}

static void put_klm(struct mlx5_klm *klm, u64 va, u32 len, u32 lkey)
{
	klm->bcount = cpu_to_be32(len);
	klm->key = cpu_to_be32(lkey);
	klm->va = cpu_to_be64(va);
}

/* as pad_mtt() */
static void pad_klm(struct mlx5_klm *klm, u32 n)
{
	while (n & (IBX_KLM_ALIGN - 1))
		put_klm(&klm[n++], 0, 0, 0);
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
	unsigned int skip = offset ? *offset : 0;
	u64 va = 0, len = 0;		/* the range that may still grow */
	u64 start, more;
	int i = 0;

	if (unlikely(nents <= 0 || skip > sg_dma_len(sg)))
		return -EINVAL;

	l->n = 0;
	l->iova = 0;
	l->length = 0;
	for (;;) {
		start = sg_dma_address(sg) + skip;
		more = sg_dma_len(sg) - skip;
		skip = 0;
		if (start == va + len && len && len + more <= IBX_SGE_MAX) {
			len += more;
		} else if (more) {
			if (unlikely(l->n == l->max))
				break;
			if (l->n)
				put_klm(&l->klm[l->n - 1], va, len, l->lkey);
			else
				l->iova = start;
			l->n++;
			va = start;
			len = more;
		}
		l->length += more;
		if (++i == nents)
			break;
		sg++;
		if (unlikely(sg_is_chain(sg)))
			sg = follow_chain(sg);
	}
	if (l->n)
		put_klm(&l->klm[l->n - 1], va, len, l->lkey);
	if (offset)
		*offset = 0;
	pad_klm(l->klm, l->n);
	return i;
}
