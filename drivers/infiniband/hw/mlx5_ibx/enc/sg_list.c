// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: lists that choose what they become.
 *
 * ib_mr_set_*() gives a list as a whole: all of it or nothing. So it may have
 * the largest pages that it allows, the fewer entries the better for the device,
 * and the first thing that speaks against pages decides for ranges. What is best
 * is known only at the end, but the list is walked once. Three steps, each only
 * as long as the list is like that:
 *
 * 1. Elements that continue one another are one run. Runs that meet at the
 *    bounds of large pages are written as such; when a bound turns out not to
 *    be one, what was written is split (ibx_mtt_split()), which halves the page
 *    size at least, so that all splits together cost no more than the list.
 *    One run, of however many elements, becomes one or two entries.
 * 2. Pages of PAGE_SIZE, one by one.
 * 3. Ranges: pages written so far are joined (ibx_mtt_to_klm()), and the walk goes
 *    on. Only for lists that may have gaps.
 *
 * Step 1 needs no more entries than the list has pages of PAGE_SIZE, and those
 * are what must fit: whether a list is too long does not depend on luck, and
 * ibx_mtt_split() can give a list smaller pages at any time.
 */

#include <linux/log2.h>
#include <linux/mm.h>

#include "enc/sg_list.h"

/* what stopped a step, if no error did */
enum {
	DONE,
	ALONE,		/* there is one run only */
	SMALL,		/* pages of PAGE_SIZE from here on */
};

/**
 * ibx_mtt_split() - give a list of pages smaller pages
 * @l: the list as it was written
 * @shift: log2 of the page size, from PAGE_SHIFT to that of @l
 *
 * In place, from the end: entry i comes from one that is no later than i.
 *
 * Context: any.
 * Return: true; false when @l has no room for them, and nothing was changed.
 */
bool ibx_mtt_split(struct ibx_mtt_list *l, u8 shift)
{
	const u8 down = l->page_shift - shift;
	const u64 lead = (l->iova & ((1ULL << l->page_shift) - 1)) >> shift;
	const u64 n = l->length ? ibx_pages_of(l->iova, l->length, shift) : 0;
	u64 i, page, in_page;

	if (n > l->max)
		return false;
	for (i = n; i--; ) {
		page = be64_to_cpu(l->mtt[(lead + i) >> down]);
		in_page = ((lead + i) & ((1ULL << down) - 1)) << shift;
		l->mtt[i] = cpu_to_be64(page + in_page);
	}
	l->n = n;
	l->page_shift = shift;
	return true;
}

/**
 * ibx_mtt_to_klm() - make ranges of a list of pages
 * @m: the list; its memory may be that of @l
 * @l: gets the ranges of the first @m->length bytes; @l->klm, @l->max, which is
 *	not less than that of @m, and @l->lkey are given
 *
 * From the end, because ranges are longer than pages; then they are moved to where
 * they belong. The last one may go on growing.
 *
 * Context: any.
 */
void ibx_mtt_to_klm(const struct ibx_mtt_list *m, struct ibx_klm_list *l)
{
	const u64 size = 1ULL << m->page_shift;
	const u64 skip = m->iova & (size - 1);
	const u32 n = m->length ? ibx_pages_of(m->iova, m->length, m->page_shift) : 0;
	u64 end = skip + m->length - ((u64)(n - 1) << m->page_shift);	/* in the page */
	u64 page, va = 0, len = 0;
	u32 i, to = n;

	for (i = n; i--; end = size) {
		page = be64_to_cpu(m->mtt[i]) & ~(u64)IBX_MTT_PRESENT;
		if (!i) {
			page += skip;
			end -= skip;
		}
		if (len && page + end == va && len + end <= IBX_SGE_MAX) {
			len += end;
		} else {
			if (len)
				ibx_put_klm(&l->klm[--to], va, len, l->lkey);
			len = end;
		}
		va = page;
	}
	if (len)
		ibx_put_klm(&l->klm[--to], va, len, l->lkey);
	l->n = n - to;
	l->iova = m->iova;
	l->length = m->length;
	memmove(l->klm, l->klm + to, l->n * sizeof(*l->klm));
}

/**
 * ibx_enc_gaps_sg() - write the pages of a mapped scatterlist, or its ranges
 * @l: where, and what it says, as for ibx_enc_mtt_sg() and ibx_enc_klm_sg(), in
 *	the same memory
 * @sg: mapped scatterlist
 * @nents: its elements
 * @offset: bytes of the first element to skip, and 0 on return; may be NULL
 *
 * For ib_map_mr_sg(): as much as fits, in whole elements.
 *
 * Context: any.
 * Return: elements mapped, or -EINVAL when there is no element or @offset is
 * beyond the first one; @offset is as it was then.
 */
int ibx_enc_gaps_sg(struct ibx_list *l, struct scatterlist *sg, int nents, unsigned int *offset)
{
	unsigned int part = offset ? *offset : 0;
	struct ibx_cursor c;
	int n;

	l->ranges = false;
	n = ibx_enc_mtt_sg(&l->mtt, sg, nents, &part);
	if (unlikely(n < 0))
		return n;
	if (n < nents) {
		l->ranges = true;
		if (!n)
			return ibx_enc_klm_sg(&l->klm, sg, nents, offset);
		/* the element that did not fit is a range, or part of one, as a whole */
		l->mtt.length -= part;
		ibx_mtt_to_klm(&l->mtt, &l->klm);
		c = (struct ibx_cursor){ .sg = l->mtt.stop, .left = nents - n };
		ibx_klm_walk(&l->klm, &c, 0, false);
		n = nents - c.left;
	}
	if (offset)
		*offset = 0;
	return n;
}

/* a run, in pages of @m's size, behind what there is; false when they do not fit */
static __always_inline bool put_run(struct ibx_mtt_list *m, u64 start, u64 end)
{
	const u8 shift = m->page_shift;
	u64 page = start >> shift, last = (end - 1) >> shift;
	__be64 *out = m->mtt + m->n;

	if (unlikely(last - page >= m->max - m->n))
		return false;
	m->n += last - page + 1;
	m->length += end - start;
	do {
		*out++ = cpu_to_be64(page << shift | IBX_MTT_PRESENT);
	} while (page++ != last);
	return true;
}

static noinline bool put_pages(struct ibx_mtt_list *m, u64 start, u64 end)
{
	return put_run(m, start, end);
}

/* where runs meet, pages do: none may be larger than @bounds are aligned to */
static noinline bool fit_pages(struct ibx_mtt_list *m, u64 bounds)
{
	u8 shift = min_t(u8, __ffs64(bounds), IBX_MAX_PAGE_SHIFT);

	return shift >= m->page_shift || ibx_mtt_split(m, shift);
}

/*
 * Step 1. [@start, @end) is the run at hand, which is not written yet; it begins
 * the list if there is nothing in @m. If this ends with SMALL or an error, the
 * element at @c is not in the run. -EXDEV is a hole.
 */
static __always_inline int walk_runs(struct ibx_mtt_list *m, struct ibx_cursor *c,
				     u64 *start, u64 *end)
{
	u64 next, stop;

	while (ibx_cur_next(c)) {
		next = ibx_cur_addr(c);
		if (likely(next == *end)) {
			*end += ibx_cur_len(c);
			if (unlikely(*end <= next))
				return -EINVAL;
			continue;
		}
		stop = next + ibx_cur_len(c);
		if (unlikely(stop <= next))
			return -EINVAL;
		if (unlikely((next | *end) & ~PAGE_MASK))
			return -EXDEV;
		if (!fit_pages(m, next | *end) || !put_pages(m, *start, *end))
			return -ENOSPC;
		*start = next;
		*end = stop;
		if (m->page_shift == PAGE_SHIFT) {
			ibx_cur_next(c);
			return SMALL;
		}
	}
	if (likely(!m->n))
		return ALONE;
	return put_pages(m, *start, *end) ? DONE : -ENOSPC;
}

/*
 * Whole pages, as most lists have them, behind a page that ends at bus address
 * @end, which is returned as it is then. @c is at the first element that is
 * anything else, if there is one. There is room for all of them.
 */
static __always_inline u64 walk_whole(struct ibx_mtt_list *m, struct ibx_cursor *c, u64 end)
{
	const long n = c->left;
	__be64 *const stop = m->mtt + m->n + n;
	struct scatterlist *sg = c->sg;
	long i = -n;		/* of entries and elements, up to 0: one count for both */
	u64 start;

	for (;;) {
		start = sg_dma_address(sg);
		if (unlikely(start & ~PAGE_MASK || sg_dma_len(sg) != PAGE_SIZE ||
			     start == -PAGE_SIZE))
			break;
		stop[i] = cpu_to_be64(start + IBX_MTT_PRESENT);
		if (!++i)
			break;
		sg = ibx_sg_next(sg);
	}
	c->sg = sg;
	c->left = -i;
	m->n += n + i;
	return i == -n ? end : be64_to_cpu(stop[i - 1]) - IBX_MTT_PRESENT + PAGE_SIZE;
}

/* any element behind bus address @end; if this fails, it is not in the list */
static noinline int put_element(struct ibx_mtt_list *m, const struct ibx_cursor *c, u64 end)
{
	u64 start = ibx_cur_addr(c), stop = start + ibx_cur_len(c), page = start;
	u32 n;

	if (unlikely(stop <= start))
		return -EINVAL;
	if (start == end)
		page = PAGE_ALIGN(start);
	else if ((start | end) & ~PAGE_MASK)
		return -EXDEV;
	n = (PAGE_ALIGN(stop) - (page & PAGE_MASK)) >> PAGE_SHIFT;
	if (unlikely(n > m->max - m->n))
		return -ENOSPC;
	for (; n--; page += PAGE_SIZE)
		m->mtt[m->n++] = cpu_to_be64(page | IBX_MTT_PRESENT);
	return 0;
}

/* Step 2, behind bus address @end. If it fails, the element at @c is not in the list. */
static __always_inline int walk_pages(struct ibx_mtt_list *m, struct ibx_cursor *c, u64 end)
{
	int err = DONE;

	do {
		if (likely(!(end & ~PAGE_MASK) && c->left <= m->max - m->n))
			end = walk_whole(m, c, end);
		if (!c->left)
			break;
		err = put_element(m, c, end);
		if (unlikely(err))
			break;
		end = ibx_cur_addr(c) + ibx_cur_len(c);
	} while (ibx_cur_next(c));
	m->length = ibx_mtt_length(m, end);
	return err;
}

/* Step 3 begins: the pages written, and the run [@start, @end) behind them, if any */
static noinline int begin_ranges(struct ibx_list *l, u64 start, u64 end)
{
	struct ibx_klm_list *k = &l->klm;
	u64 len;

	l->ranges = true;
	k->iova = l->mtt.iova;
	ibx_mtt_to_klm(&l->mtt, k);
	for (; start != end; start += len) {
		if (k->n == k->max)
			return -ENOSPC;
		len = min_t(u64, end - start, IBX_SGE_MAX);
		ibx_put_klm(&k->klm[k->n++], start, len, k->lkey);
		k->length += len;
	}
	ibx_pad_klm(k->klm, k->n);
	return 0;
}

/**
 * ibx_enc_run_on() - the pages of a run behind its first
 * @mtt: the list, of which the first IBX_MTT_ALIGN entries are written
 * @page: number of the first page
 * @n: pages; the list has room for them and for padding
 * @shift: log2 of the page size
 *
 * Context: any.
 */
void ibx_enc_run_on(__be64 *mtt, u64 page, u64 n, u8 shift)
{
	u64 i;

	for (i = 1; i < n; i++)
		mtt[i] = cpu_to_be64((page + i) << shift | IBX_MTT_PRESENT);
	if (unlikely(n > IBX_MTT_ALIGN))
		ibx_pad_mtt(mtt, n);
}

static int enc_alone(struct ibx_list *l, u64 start, u64 end)
{
	if (likely(ibx_enc_run(&l->mtt, start, end)))
		return 0;
	return l->gaps ? begin_ranges(l, start, end) : -ENOSPC;
}

static int end_pages(struct ibx_list *l)
{
	struct ibx_mtt_list *m = &l->mtt;

	/* whatever was chosen, it must fit as pages of PAGE_SIZE */
	if (unlikely(ibx_pages_of(m->iova, m->length, PAGE_SHIFT) > m->max))
		return l->gaps ? begin_ranges(l, 0, 0) : -ENOSPC;
	ibx_pad_mtt(m->mtt, m->n);
	return 0;
}

/* what steps 1 and 2 could not take; [@start, @end) was not written yet */
static __always_inline int enc_ranges(struct ibx_list *l, struct ibx_cursor *c, u64 start, u64 end)
{
	int err = begin_ranges(l, start, end);

	return likely(!err) && c->left ? ibx_klm_walk(&l->klm, c, 0, true) : err;
}

/* a list of several elements, of which the first is [@start, @end) */
static noinline int enc_several(struct ibx_list *l, struct ibx_cursor c, u64 start, u64 end)
{
	struct ibx_mtt_list *m = &l->mtt;
	int err;

	err = walk_runs(m, &c, &start, &end);
	if (err == ALONE)
		return enc_alone(l, start, end);
	if (err == SMALL) {
		err = put_pages(m, start, end) ? DONE : -ENOSPC;
		if (likely(err == DONE)) {
			start = end;
			if (c.left)
				err = walk_pages(m, &c, end);
		}
	}
	if (likely(err == DONE))
		return end_pages(l);
	if (err == -EINVAL || !l->gaps)
		return err == -EXDEV ? -EINVAL : err;
	return enc_ranges(l, &c, start, end);
}

/**
 * ibx_enc_list_sg() - write a mapped scatterlist, whatever it becomes
 * @l: where, and what it says
 * @sg: mapped scatterlist
 * @nents: its elements, at least one
 *
 * Context: any.
 * Return: 0; -EINVAL for an element that is empty or wraps, or, unless @l->gaps,
 * for a list that is not pages of PAGE_SIZE; -ENOSPC when it is too long. What
 * @l says is nothing then.
 */
int ibx_enc_list_sg(struct ibx_list *l, struct scatterlist *sg, int nents)
{
	struct ibx_cursor c = { .sg = sg, .left = nents };
	u64 start = ibx_cur_addr(&c), end = start + ibx_cur_len(&c);

	l->ranges = false;
	l->mtt.n = 0;
	l->mtt.length = 0;
	l->mtt.page_shift = IBX_MAX_PAGE_SHIFT;
	l->mtt.iova = start;
	if (unlikely(end <= start))
		return -EINVAL;
	return nents == 1 ? enc_alone(l, start, end) : enc_several(l, c, start, end);
}
