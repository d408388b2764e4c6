// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: from a mapped scatterlist to the list of memory of a registration.
 *
 * The scatterlist is read once. Each entry of the list is written, big endian,
 * to memory that the device reads or that is copied into the WQE. An element
 * that continues the element before it belongs to the same run of memory. An
 * element wraps if its address plus its length exceeds 64 bits. Zeroes follow
 * the last entry up to a multiple of 64 bytes, the unit in which the device
 * reads lists.
 *
 * A list of pages has no holes: only its first byte may be inside a page, and
 * only its last byte may be before the end of a page. A list of ranges may have
 * any holes.
 *
 * The first half of this file writes partial lists, by the contract of
 * ib_map_mr_sg(): as many elements as fit, in pages of the size that the caller
 * has chosen.
 *
 * The second half writes complete lists, for ib_mr_set_*(): all elements, or an
 * error. The pages are as large as the list allows, because the device is
 * faster with fewer entries. The first element that cannot be pages turns the
 * list into ranges. The best form depends on all elements, but the scatterlist
 * is read only once. So there are three steps. A step ends at the first element
 * that it does not support:
 *
 * 1. Elements that continue one another are one run. If runs begin and end at
 *    the bounds of large pages, they are written in these pages. A bound of a
 *    smaller power of two splits the pages written so far (ibx_mtt_split()).
 *    Each split at least halves the page size, so all splits together cost no
 *    more than one pass. A list of one run has one or two entries.
 * 2. Pages of the smallest size, one by one.
 * 3. Ranges, for lists that may have gaps: the pages written so far are joined
 *    to ranges (mtt_to_klm()), and the other elements follow.
 *
 * A list must fit in pages of the smallest size, even if it is written in
 * larger pages. So only the length of a list decides whether the list is too
 * long, and ibx_mtt_split() can make the pages of a list smaller at any later
 * time.
 */

#include <linux/log2.h>
#include <linux/mm.h>

#include "enc/sg_list.h"

/**
 * struct sg_cursor - a position in a mapped scatterlist
 * @sg: current element
 * @left: elements from @sg to the end
 */
struct sg_cursor {
	struct scatterlist *sg;
	int left;
};

static __always_inline u64 cursor_addr(const struct sg_cursor *c)
{
	return sg_dma_address(c->sg);
}

static __always_inline u32 cursor_len(const struct sg_cursor *c)
{
	return sg_dma_len(c->sg);
}

/* noinline: the loops call this function about once in a hundred elements */
static noinline struct scatterlist *follow_chain(struct scatterlist *sg)
{
	return sg_chain_ptr(sg);
}

/* the element after @sg; @sg is not the last element */
static __always_inline struct scatterlist *next_element(struct scatterlist *sg)
{
	sg++;
	/*
	 * otherwise the compiler copies the loop of the caller for each branch
	 */
	OPTIMIZER_HIDE_VAR(sg);
	if (unlikely(sg_is_chain(sg)))
		sg = follow_chain(sg);
	return sg;
}

/* moves to the next element; false at the end */
static __always_inline bool cursor_next(struct sg_cursor *c)
{
	if (!--c->left)
		return false;
	c->sg = next_element(c->sg);
	return true;
}

/* bytes of a list of pages whose last byte is before bus address @end */
static inline u64 mtt_length(const struct ibx_mtt_list *l, u64 end)
{
	const u64 in_page = (1ULL << l->page_shift) - 1;

	if (!l->n)
		return 0;
	/* all pages, less the unused parts of the first and of the last */
	return ((u64)l->n << l->page_shift) - (l->iova & in_page) - (-end & in_page);
}

static __always_inline void put_klm(struct mlx5_klm *klm, u64 va, u32 len, u32 lkey)
{
	klm->bcount = cpu_to_be32(len);
	klm->key = cpu_to_be32(lkey);
	klm->va = cpu_to_be64(va);
}

/**
 * struct klm_tail - end of a list of ranges
 * @out: next entry
 * @full: behind the last entry for which there is memory
 * @lkey: key of the entries
 * @end: address behind the last range, if there is one
 * @length: bytes appended
 */
struct klm_tail {
	struct mlx5_klm *out;
	struct mlx5_klm *full;
	u32 lkey;
	u64 end;
	u64 length;
};

/* address behind the range before @klm */
static inline u64 klm_end(const struct mlx5_klm *klm)
{
	return be64_to_cpu(klm[-1].va) + be32_to_cpu(klm[-1].bcount);
}

/*
 * Appends elements that are one range each, as most elements are, up to the
 * first element of another kind; @c is at this element afterwards. The caller
 * has checked that there are an element and memory for a range.
 */
static __always_inline void klm_append_ranges(struct klm_tail *t, struct sg_cursor *c, bool strict)
{
	const long n = min_t(long, c->left, t->full - t->out);
	struct mlx5_klm *const stop = t->out + n;
	const u32 lkey = t->lkey;
	struct scatterlist *sg = c->sg;
	u64 start, end = t->end, length = 0;
	long i = -n;		/* index of entry and element, from -n to 0 */
	u32 len;

	for (;;) {
		start = sg_dma_address(sg);
		len = sg_dma_len(sg);
		if (unlikely(start == end || len - 1 >= IBX_SGE_MAX ||
			     (strict && start + len <= start)))
			break;
		put_klm(&stop[i], start, len, lkey);
		end = start + len;
		length += len;
		if (!++i)
			break;
		sg = next_element(sg);
	}
	if (i == -n)
		return;
	c->left -= n + i;
	c->sg = !i && c->left ? next_element(sg) : sg;
	t->out = stop + i;
	t->end = klm_end(t->out);
	t->length += length;
}

/*
 * Appends an element. A range has at most IBX_SGE_MAX bytes, the limit of a KLM
 * in libmlx5. An element has less than twice as many, so it becomes at most two
 * ranges. An element that continues the last range extends that range, up to
 * the limit. False when the list has too few free entries.
 */
static __always_inline bool klm_append_element(struct klm_tail *t, const struct mlx5_klm *first,
					       u64 start, u32 len)
{
	u64 before = t->out != first && start == t->end ? be32_to_cpu(t->out[-1].bcount) : 0;

	if (before && before + len <= IBX_SGE_MAX) {
		t->out[-1].bcount = cpu_to_be32(before + len);
	} else if (len > IBX_SGE_MAX) {
		if (t->full - t->out < 2)
			return false;
		put_klm(t->out++, start, IBX_SGE_MAX, t->lkey);
		put_klm(t->out++, start + IBX_SGE_MAX, len - IBX_SGE_MAX, t->lkey);
	} else if (len) {
		if (t->out == t->full)
			return false;
		put_klm(t->out++, start, len, t->lkey);
	} else {
		return true;
	}
	t->end = start + len;
	t->length += len;
	return true;
}

/*
 * Appends the elements from @c on to a list of ranges, less the first @skip
 * bytes of the first element. Stops with -ENOSPC at the first element that does
 * not fit and, if @strict, with -EINVAL at an element that is empty or wraps;
 * @c is at this element then.
 */
static __always_inline int klm_append(struct ibx_klm_list *l, struct sg_cursor *c, u32 skip,
				      bool strict)
{
	struct mlx5_klm *const first = l->klm;
	struct klm_tail t = { .out = first + l->n, .full = first + l->max, .lkey = l->lkey };
	int err = 0;
	u64 start;
	u32 len;

	if (l->n)
		t.end = klm_end(t.out);
	do {
		if (likely(!skip && t.out != t.full)) {
			klm_append_ranges(&t, c, strict);
			if (likely(!c->left))
				break;
		}
		start = cursor_addr(c) + skip;
		len = cursor_len(c) - skip;
		skip = 0;
		if (strict && start + len <= start)
			err = -EINVAL;
		else if (!klm_append_element(&t, first, start, len))
			err = -ENOSPC;
	} while (!err && cursor_next(c));
	l->n = t.out - first;
	l->length += t.length;
	if (l->n)
		l->iova = be64_to_cpu(first->va);
	ibx_klm_pad(first, l->n);
	return err;
}

/*
 * Makes ranges of the first @m->length bytes of a list of pages. Both lists may
 * have the same memory. The entry of a range is larger than the entry of a
 * page, so ranges are written from the end, and then moved to the start.
 */
static void mtt_to_klm(const struct ibx_mtt_list *m, struct ibx_klm_list *l)
{
	const u64 size = 1ULL << m->page_shift;
	const u64 skip = m->iova & (size - 1);
	const u32 n = m->length ? ibx_pages_spanned(m->iova, m->length, m->page_shift) : 0;
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
				put_klm(&l->klm[--to], va, len, l->lkey);
			len = end;
		}
		va = page;
	}
	if (len)
		put_klm(&l->klm[--to], va, len, l->lkey);
	l->n = n - to;
	l->iova = m->iova;
	l->length = m->length;
	memmove(l->klm, l->klm + to, l->n * sizeof(*l->klm));
}

/* ---- partial lists: as many elements as fit ---- */

/**
 * struct mtt_tail - end of a partial list of pages
 * @out: next entry
 * @full: behind the last entry for which there is memory
 * @end: bus address behind the last byte that is mapped
 */
struct mtt_tail {
	__be64 *out;
	__be64 *full;
	u64 end;
};

/*
 * Appends the element [@start, @stop) of any address and length in pages of
 * @size. Returns false at a hole before the element and when the list is full.
 * *@part is then the number of bytes of the element before its first byte that
 * is not mapped, including the bytes before @start.
 */
static __always_inline bool mtt_append_partial(struct ibx_mtt_list *l, struct mtt_tail *t,
					       const u64 size, u64 start, u64 stop,
					       unsigned int *part)
{
	const u64 in_page = size - 1;
	u64 page;

	if (unlikely(start == stop)) {
		*part = 0;
		return true;
	}
	page = start & ~in_page;
	if (t->out == l->mtt)
		l->iova = start;
	else if (start == t->end)
		page = (t->end + in_page) & ~in_page;
	else if ((start | t->end) & in_page)
		return false;			/* a hole */

	for (; page < stop; page += size) {
		if (unlikely(t->out == t->full)) {
			if (page > start) {
				*part += page - start;
				t->end = page;
			}
			return false;
		}
		*t->out++ = cpu_to_be64(page | IBX_MTT_PRESENT);
	}
	t->end = stop;
	*part = 0;
	return true;
}

/**
 * ibx_mtt_from_sg_partial() - write the pages of a mapped scatterlist
 * @l: list; mtt, max and page_shift are set. The other members are set here,
 *	unless this fails
 * @sg: mapped scatterlist
 * @nents: number of its elements
 * @offset: bytes of the first element to skip; on return, offset of the first
 *	byte that is not mapped in its element, or 0 if all elements are mapped.
 *	May be NULL
 *
 * Stops at a hole and when the list is full.
 *
 * Context: any.
 * Return: number of elements mapped in full, or -EINVAL when there is no element
 * or @offset is beyond the first one.
 */
int ibx_mtt_from_sg_partial(struct ibx_mtt_list *l, struct scatterlist *sg, int nents,
			    unsigned int *offset)
{
	const u64 size = 1ULL << l->page_shift, in_page = size - 1;
	/* end is inside a page: the slow path appends the first element */
	struct mtt_tail t = { .out = l->mtt, .full = l->mtt + l->max, .end = 1 };
	unsigned int skip = offset ? *offset : 0;
	int left = nents;
	u64 start;

	if (unlikely(nents <= 0 || skip > sg_dma_len(sg)))
		return -EINVAL;

	for (;;) {
		start = sg_dma_address(sg);
		if (likely(!((start | t.end) & in_page) && sg_dma_len(sg) == size &&
			   t.out != t.full)) {
			*t.out++ = cpu_to_be64(start | IBX_MTT_PRESENT);
			t.end = start + size;
		} else if (!mtt_append_partial(l, &t, size, start + skip, start + sg_dma_len(sg),
					       &skip)) {
			break;
		}
		if (!--left)
			break;
		sg++;
		if (unlikely(sg_is_chain(sg)))
			sg = follow_chain(sg);
	}

	if (offset)
		*offset = skip;
	l->n = t.out - l->mtt;
	if (!l->n)
		l->iova = 0;
	l->length = mtt_length(l, t.end);
	l->stop = sg;
	ibx_mtt_pad(l->mtt, l->n);
	return nents - left;
}

static __always_inline u64 klm_put_ranges(struct mlx5_klm *klm, struct scatterlist *sg, u32 n,
					  u32 lkey, bool strict)
{
	struct mlx5_klm *const stop = klm + n;
	u64 start, end = 0, length = 0;
	u32 len;

	for (;;) {
		start = sg_dma_address(sg);
		len = sg_dma_len(sg);
		/*
		 * one comparison with 0 refuses a length of 0, and IBX_SGE_MAX
		 * and above
		 */
		if (unlikely(start == end || (s32)len <= 0 || (strict && start + len <= start)))
			return 0;
		end = start + len;
		length += len;
		put_klm(klm++, start, len, lkey);
		if (klm == stop)
			break;
		/*
		 * next_element() would be a call, which needs registers; the
		 * compiler makes a branch of this code, not a cmov
		 */
		sg++;
		if (unlikely(sg_is_chain(sg))) {
			sg = sg_chain_ptr(sg);
			OPTIMIZER_HIDE_VAR(sg);
		}
	}
	ibx_klm_pad(stop - n, n);
	return length;
}

/**
 * ibx_klm_put_ranges() - write one range for each element of a mapped scatterlist
 * @klm: memory for @n entries, rounded up to IBX_KLM_ALIGN
 * @sg: mapped scatterlist
 * @n: number of its elements, at least one
 * @lkey: key with which the device reads and writes the ranges
 *
 * Context: any.
 * Return: number of bytes; or 0 when an element is empty, as long as IBX_SGE_MAX or longer,
 * or continues the one before. The entries are undefined then.
 */
u64 ibx_klm_put_ranges(struct mlx5_klm *klm, struct scatterlist *sg, u32 n, u32 lkey)
{
	return klm_put_ranges(klm, sg, n, lkey, false);
}

/**
 * ibx_klm_put_ranges_strict() - like ibx_klm_put_ranges(), for complete lists
 * @klm: memory for @n entries, rounded up to IBX_KLM_ALIGN
 * @sg: mapped scatterlist
 * @n: number of its elements, at least one
 * @lkey: key with which the device reads and writes the ranges
 *
 * Context: any.
 * Return: as ibx_klm_put_ranges(); 0 also when an element wraps.
 */
u64 ibx_klm_put_ranges_strict(struct mlx5_klm *klm, struct scatterlist *sg, u32 n, u32 lkey)
{
	return klm_put_ranges(klm, sg, n, lkey, true);
}

/**
 * ibx_klm_from_sg_partial() - write the ranges of a mapped scatterlist
 * @l: list; klm, max and lkey are set. The other members are set here, unless
 *	this fails
 * @sg: mapped scatterlist
 * @nents: number of its elements
 * @offset: bytes of the first element to skip; 0 on return, as elements are
 *	mapped in full or not at all. May be NULL
 *
 * Ranges that continue each other become one, of no more than IBX_SGE_MAX bytes.
 * Stops when the list is full.
 *
 * Context: any.
 * Return: number of elements mapped, or -EINVAL when there is no element or
 * @offset is beyond the first one.
 */
int ibx_klm_from_sg_partial(struct ibx_klm_list *l, struct scatterlist *sg, int nents,
			    unsigned int *offset)
{
	struct sg_cursor c = { .sg = sg, .left = nents };
	unsigned int skip = offset ? *offset : 0;

	if (unlikely(nents <= 0 || skip > sg_dma_len(sg)))
		return -EINVAL;

	l->n = 0;
	l->iova = 0;
	l->length = 0;
	klm_append(l, &c, skip, false);
	if (offset)
		*offset = 0;
	return nents - c.left;
}

/**
 * ibx_list_from_sg_partial() - write the pages or the ranges of a mapped scatterlist
 * @l: list with gaps; mtt is set as for ibx_mtt_from_sg_partial(), and klm as for
 *	ibx_klm_from_sg_partial()
 * @sg: mapped scatterlist
 * @nents: number of its elements
 * @offset: bytes of the first element to skip; 0 on return, as elements are
 *	mapped in full or not at all. May be NULL
 *
 * The list consists of pages if all elements fit in a list of pages, and of
 * ranges otherwise.
 *
 * Context: any.
 * Return: number of elements mapped, or -EINVAL when there is no element or
 * @offset is beyond the first one; @offset is unchanged then.
 */
int ibx_list_from_sg_partial(struct ibx_list *l, struct scatterlist *sg, int nents,
			     unsigned int *offset)
{
	unsigned int part = offset ? *offset : 0;
	struct sg_cursor c;
	int n;

	l->ranges = false;
	n = ibx_mtt_from_sg_partial(&l->mtt, sg, nents, &part);
	if (unlikely(n < 0))
		return n;
	if (n < nents) {
		l->ranges = true;
		if (!n)
			return ibx_klm_from_sg_partial(&l->klm, sg, nents, offset);
		/*
		 * drop the mapped part of element n: klm_append() appends the
		 * whole element
		 */
		l->mtt.length -= part;
		mtt_to_klm(&l->mtt, &l->klm);
		c = (struct sg_cursor){ .sg = l->mtt.stop, .left = nents - n };
		klm_append(&l->klm, &c, 0, false);
		n = nents - c.left;
	}
	if (offset)
		*offset = 0;
	return n;
}

/* ---- complete lists: all elements, or an error ---- */

/* the bits of an address that are inside a page of the smallest size */
static __always_inline u64 mtt_in_page(const struct ibx_mtt_list *l)
{
	return (1ULL << l->min_shift) - 1;
}

/**
 * ibx_klm_from_sg() - write the ranges of a complete mapped scatterlist
 * @l: list; klm, max and lkey are set. The other members are set here, unless
 *	this fails
 * @sg: mapped scatterlist
 * @nents: number of its elements
 *
 * Ranges that continue each other become one, of no more than IBX_SGE_MAX bytes.
 *
 * Context: any.
 * Return:
 * * 0
 * * -EINVAL: there is no element, or an element is empty or wraps
 * * -ENOSPC: there are more than max ranges
 */
int ibx_klm_from_sg(struct ibx_klm_list *l, struct scatterlist *sg, int nents)
{
	struct sg_cursor c = { .sg = sg, .left = nents };

	if (nents <= 0)
		return -EINVAL;
	l->n = 0;
	l->iova = 0;
	l->length = 0;
	return klm_append(l, &c, 0, true);
}

/* results of step 1 and 2 without an error */
enum {
	LIST_END,
	ONE_RUN,	/* the whole list is one run, not written yet */
	SMALL_PAGES,	/* all other pages are of the smallest size */
};

/**
 * ibx_mtt_split() - make the pages of a list smaller
 * @l: list as it was written
 * @shift: log2 of the new page size, at most the page size of @l
 *
 * In place, from the end: new entry i is made from old entry i or an earlier
 * one.
 *
 * Context: any.
 * Return: true; false, and nothing is changed, when the list has more than max
 * pages of the new size.
 */
bool ibx_mtt_split(struct ibx_mtt_list *l, u8 shift)
{
	const u8 down = l->page_shift - shift;
	const u64 lead = (l->iova & ((1ULL << l->page_shift) - 1)) >> shift;
	const u64 n = l->length ? ibx_pages_spanned(l->iova, l->length, shift) : 0;
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

/* appends a run in pages of the list's size; false when they do not fit */
static noinline bool mtt_append_run(struct ibx_mtt_list *m, u64 start, u64 end)
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

/*
 * @bounds: bitwise OR of the end of a run and the start of the next run. Splits
 * the list if one of these bounds is inside a page of its size
 */
static noinline bool mtt_fit_bounds(struct ibx_mtt_list *m, u64 bounds)
{
	u8 shift = __ffs64(bounds);

	return shift >= m->page_shift || ibx_mtt_split(m, shift);
}

/*
 * Step 1. [@start, @end) is the current run, which is not written yet; while @m
 * is empty, it is the first run. After SMALL_PAGES or an error, the element at
 * @c is not part of the run. -EXDEV: there is a hole.
 */
static __always_inline int mtt_append_runs(struct ibx_mtt_list *m, struct sg_cursor *c,
					   u64 *start, u64 *end)
{
	const u64 in_page = mtt_in_page(m);
	u64 next, stop;

	while (cursor_next(c)) {
		next = cursor_addr(c);
		if (likely(next == *end)) {
			*end += cursor_len(c);
			if (unlikely(*end <= next))
				return -EINVAL;
			continue;
		}
		stop = next + cursor_len(c);
		if (unlikely(stop <= next))
			return -EINVAL;
		if (unlikely((next | *end) & in_page))
			return -EXDEV;
		if (!mtt_fit_bounds(m, next | *end) || !mtt_append_run(m, *start, *end))
			return -ENOSPC;
		*start = next;
		*end = stop;
		if (m->page_shift == m->min_shift) {
			cursor_next(c);
			return SMALL_PAGES;
		}
	}
	if (likely(!m->n))
		return ONE_RUN;
	return mtt_append_run(m, *start, *end) ? LIST_END : -ENOSPC;
}

/*
 * Appends elements that are exactly one small page, as most are, to a list
 * whose last page ends at bus address @end. Returns the new end. Stops at the
 * first element of another kind; @c is at it then. The list has space for all
 * elements.
 */
static __always_inline u64 mtt_append_full_pages(struct ibx_mtt_list *m, struct sg_cursor *c,
						 u64 end)
{
	const u32 size = mtt_in_page(m) + 1;
	const long n = c->left;
	__be64 *const stop = m->mtt + m->n + n;
	struct scatterlist *sg = c->sg;
	long i = -n;		/* index of entry and element, from -n to 0 */
	u64 start;

	for (;;) {
		start = sg_dma_address(sg);
		if (unlikely(start & (size - 1) || sg_dma_len(sg) != size ||
			     start == -(u64)size))
			break;
		stop[i] = cpu_to_be64(start + IBX_MTT_PRESENT);
		if (!++i)
			break;
		sg = next_element(sg);
	}
	c->sg = sg;
	c->left = -i;
	m->n += n + i;
	return i == -n ? end : be64_to_cpu(stop[i - 1]) - IBX_MTT_PRESENT + size;
}

/*
 * Appends the element at @c, of any address and length, to a list whose last byte
 * is before bus address @end. Nothing is written if this fails; -EXDEV is a hole.
 */
static noinline int mtt_append_element(struct ibx_mtt_list *m, const struct sg_cursor *c,
				       u64 end)
{
	u64 start = cursor_addr(c), stop = start + cursor_len(c), page = start;
	const u64 in_page = mtt_in_page(m);
	u32 n;

	if (unlikely(stop <= start))
		return -EINVAL;
	if (start == end)
		page = (start + in_page) & ~in_page;
	else if ((start | end) & in_page)
		return -EXDEV;
	n = (((stop + in_page) & ~in_page) - (page & ~in_page)) >> m->min_shift;
	if (unlikely(n > m->max - m->n))
		return -ENOSPC;
	for (; n--; page += in_page + 1)
		m->mtt[m->n++] = cpu_to_be64(page | IBX_MTT_PRESENT);
	return 0;
}

/*
 * Step 2, for a list whose last byte is before bus address @end. If this fails,
 * the element at @c is not in the list.
 */
static __always_inline int mtt_append_pages(struct ibx_mtt_list *m, struct sg_cursor *c, u64 end)
{
	int err = LIST_END;

	do {
		if (likely(!(end & mtt_in_page(m)) && c->left <= m->max - m->n))
			end = mtt_append_full_pages(m, c, end);
		if (!c->left)
			break;
		err = mtt_append_element(m, c, end);
		if (unlikely(err))
			break;
		end = cursor_addr(c) + cursor_len(c);
	} while (cursor_next(c));
	m->length = mtt_length(m, end);
	return err;
}

/* start of step 3: pages become ranges; then append the run [@start, @end) */
static noinline int list_to_ranges(struct ibx_list *l, u64 start, u64 end)
{
	struct ibx_klm_list *k = &l->klm;
	u64 len;

	l->ranges = true;
	k->iova = l->mtt.iova;
	mtt_to_klm(&l->mtt, k);
	for (; start != end; start += len) {
		if (k->n == k->max)
			return -ENOSPC;
		len = min_t(u64, end - start, IBX_SGE_MAX);
		put_klm(&k->klm[k->n++], start, len, k->lkey);
		k->length += len;
	}
	ibx_klm_pad(k->klm, k->n);
	return 0;
}

/**
 * ibx_mtt_put_tail() - write the pages of a run except the first
 * @mtt: list; the first page is written, then zeroes up to IBX_MTT_ALIGN
 *	entries
 * @page: number of the first page
 * @n: number of pages; @mtt is memory for @n entries, rounded up to
 *	IBX_MTT_ALIGN
 * @shift: log2 of the page size
 *
 * Context: any.
 */
void ibx_mtt_put_tail(__be64 *mtt, u64 page, u64 n, u8 shift)
{
	u64 i;

	for (i = 1; i < n; i++)
		mtt[i] = cpu_to_be64((page + i) << shift | IBX_MTT_PRESENT);
	if (unlikely(n > IBX_MTT_ALIGN))
		ibx_mtt_pad(mtt, n);
}

static int list_from_run(struct ibx_list *l, u64 start, u64 end)
{
	if (likely(ibx_mtt_from_run(&l->mtt, start, end)))
		return 0;
	return l->gaps ? list_to_ranges(l, start, end) : -ENOSPC;
}

static int list_end_pages(struct ibx_list *l)
{
	struct ibx_mtt_list *m = &l->mtt;

	/* the list must fit in pages of the smallest size, too */
	if (unlikely(ibx_pages_spanned(m->iova, m->length, m->min_shift) > m->max))
		return l->gaps ? list_to_ranges(l, 0, 0) : -ENOSPC;
	ibx_mtt_pad(m->mtt, m->n);
	return 0;
}

/* Step 3, after a hole or for lack of entries; the run [@start, @end) is not written yet */
static __always_inline int list_append_ranges(struct ibx_list *l, struct sg_cursor *c, u64 start,
					      u64 end)
{
	int err = list_to_ranges(l, start, end);

	return likely(!err) && c->left ? klm_append(&l->klm, c, 0, true) : err;
}

/* a list of several elements; the first element is [@start, @end) */
static noinline int list_from_several(struct ibx_list *l, struct sg_cursor c, u64 start, u64 end)
{
	struct ibx_mtt_list *m = &l->mtt;
	int err;

	err = mtt_append_runs(m, &c, &start, &end);
	if (err == ONE_RUN)
		return list_from_run(l, start, end);
	if (err == SMALL_PAGES) {
		err = mtt_append_run(m, start, end) ? LIST_END : -ENOSPC;
		if (likely(err == LIST_END)) {
			start = end;
			if (c.left)
				err = mtt_append_pages(m, &c, end);
		}
	}
	if (likely(err == LIST_END))
		return list_end_pages(l);
	if (err == -EINVAL || !l->gaps)
		return err == -EXDEV ? -EINVAL : err;
	return list_append_ranges(l, &c, start, end);
}

/**
 * ibx_list_from_sg() - write a complete mapped scatterlist, as pages or as ranges
 * @l: list; the caller has set the members that struct ibx_list assigns to the
 *	caller. The other members are set here, and are undefined after an error
 * @sg: mapped scatterlist
 * @nents: number of its elements, at least one
 *
 * Context: any.
 * Return:
 * * 0
 * * -EINVAL: an element is empty or wraps; or the list does not consist of
 *   pages of the smallest size, and @l->gaps is false
 * * -ENOSPC: the list is too long
 */
int ibx_list_from_sg(struct ibx_list *l, struct scatterlist *sg, int nents)
{
	struct sg_cursor c = { .sg = sg, .left = nents };
	u64 start = cursor_addr(&c), end = start + cursor_len(&c);

	l->ranges = false;
	l->mtt.n = 0;
	l->mtt.length = 0;
	l->mtt.page_shift = l->mtt.max_shift;
	l->mtt.iova = start;
	if (unlikely(end <= start))
		return -EINVAL;
	return nents == 1 ? list_from_run(l, start, end) : list_from_several(l, c, start, end);
}
