// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: building a scatterlist from pages, bio_vecs or bios.
 *
 * The scatterlist is allocated with the MR and has an element for each page or
 * piece that the MR can hold. It consists of chunks of one page, chained as
 * sg_alloc_table() does it: the last slot of a chunk links to the next chunk. A
 * piece that continues the element before it extends that element. An element
 * that would be longer than the device permits is cut at the end of a page, so
 * that a list within the MR's limit never needs more elements than the
 * scatterlist has. The last element of the complete list has an end mark, and
 * the list is mapped for DMA by one call.
 *
 * Nearly all lists consist of complete pages except at their ends. For these
 * lists the loops only compare pointers: a page extends the current element if
 * it is @next, and starts a new element otherwise. frwr_add_piece() adds all
 * other pieces, including the first page that extends an element of one page,
 * and the first element of a chunk. It also computes the number of pages that
 * the loops may add without further checks.
 *
 * Most requests of block devices consist of one piece and need one element;
 * frwr_build_piece() builds it.
 */
#include <linux/bio.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/scatterlist.h>
#include <linux/unaligned.h>

#include "frwr.h"

/**
 * struct frwr_build - state of building a scatterlist
 * @f: private part of the MR that the scatterlist belongs to
 * @sg: current element, the last one that was added; NULL before the first
 * @last: last element of the chunk of @sg; NULL before the first
 * @nr_last: number of elements of the scatterlist up to and including @last
 * @next: page that continues @sg; NULL if @sg is NULL or ends inside a page
 * @limit: first page that the loops must not append to @sg, if @sg is longer than
 *	a page
 * @err: 0 or an error of ib_mr_set_biovec()
 */
struct frwr_build {
	struct frwr_mr *f;
	struct scatterlist *sg;
	struct scatterlist *last;
	u32 nr_last;
	struct page *next;
	struct page *limit;
	int err;
};

/**
 * frwr_build_init() - allocate the scatterlist
 * @f: private part of an MR, with dev and max_descs set
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -ENOMEM
 * * -EINVAL: more than a page of elements on an architecture without chained
 *   scatterlists
 */
int frwr_build_init(struct frwr_mr *f)
{
	struct sg_table sgt;
	int err;

	err = sg_alloc_table(&sgt, f->max_descs, GFP_KERNEL);
	if (err)
		return err;
	f->sgl = sgt.sgl;
	f->max_seg = frwr_dma_max_seg(f->dev);
	return 0;
}

/**
 * frwr_build_fini() - undo frwr_build_init()
 * @f: private part of an MR without a mapped list
 *
 * Context: may sleep.
 */
void frwr_build_fini(struct frwr_mr *f)
{
	struct sg_table sgt = { .sgl = f->sgl, .orig_nents = f->max_descs };

	sg_free_table(&sgt);
}

static phys_addr_t frwr_end_address(struct scatterlist *sg)
{
	return sg_phys(sg) + sg->length;
}

/*
 * Return: the number of bytes, at most @len, that can be added to an element of
 * @used bytes. The bytes start at @offset in a page. If the element has no
 * space for @len bytes, the added bytes end at the end of a page.
 */
static u32 frwr_fit_bytes(const struct frwr_build *b, u32 used, u32 offset, u32 len)
{
	u32 space = b->f->max_seg - used, over;

	if (likely(len <= space))
		return len;
	over = (offset + (u64)space) & ~PAGE_MASK;
	return space > over ? space - over : 0;
}

/*
 * Number of pages from @pfn on that are in the same subsection as the page
 * before @pfn; 0 if @pfn begins a subsection. The struct pages of a subsection
 * are an array. They have the same dev_pagemap or no dev_pagemap; an element of
 * a scatterlist must not contain pages of two dev_pagemaps.
 */
static unsigned long frwr_subsection_pages(unsigned long pfn)
{
#ifdef CONFIG_SPARSEMEM
	return -pfn & (PAGES_PER_SUBSECTION - 1);
#else
	return ULONG_MAX;
#endif
}

/* compute next and limit from the end of the current element */
static void frwr_look_ahead(struct frwr_build *b)
{
	phys_addr_t end = frwr_end_address(b->sg);
	unsigned long pages;

	b->next = NULL;
	if (end & ~PAGE_MASK)
		return;
	b->next = frwr_nth_page(sg_page(b->sg), (b->sg->offset + (u64)b->sg->length) >> PAGE_SHIFT);
	pages = (b->f->max_seg - b->sg->length) >> PAGE_SHIFT;
	b->limit = b->next + min(pages, frwr_subsection_pages(PHYS_PFN(end)));
}

static bool frwr_continues_element(const struct frwr_build *b, struct page *page, u32 offset)
{
	return page_to_phys(page) + offset == frwr_end_address(b->sg) &&
	       zone_device_pages_have_same_pgmap(page, sg_page(b->sg));
}

/*
 * Return: 0 if a piece at @start may follow the current element, or an errno.
 */
static int frwr_check_next(const struct frwr_build *b, phys_addr_t start)
{
	phys_addr_t end = frwr_end_address(b->sg);

	if (!b->f->arb && start != end && (start | end) & frwr_in_page(b->f))
		return -EINVAL;
	return b->sg == b->last && b->nr_last == b->f->max_descs ? -ENOSPC : 0;
}

/* Advance to the first element of a chunk. */
static void frwr_enter_chunk(struct frwr_build *b, struct scatterlist *first)
{
	u32 left = b->f->max_descs - b->nr_last;
	u32 n = left > SG_MAX_SINGLE_ALLOC ? SG_MAX_SINGLE_ALLOC - 1 : left;

	b->sg = first;
	b->last = first + n - 1;
	b->nr_last += n;
}

/* Advance to the next element. The caller has checked that it exists. */
static void frwr_next_element(struct frwr_build *b)
{
	if (unlikely(b->sg == b->last))
		frwr_enter_chunk(b, b->sg ? sg_chain_ptr(b->sg + 1) : b->f->sgl);
	else
		b->sg++;
}

/* Like sg_set_page(), but clears SG_END, which an earlier list may have set. */
static __always_inline void frwr_set_element(struct scatterlist *sg, struct page *page,
					     u32 offset, u32 len)
{
	sg->page_link = (unsigned long)page;
	sg->offset = offset;
	sg->length = len;
}

/* Start a new element. Return: its number of bytes, or 0 with b->err set. */
static u32 frwr_add_element(struct frwr_build *b, struct page *page, u32 offset, u32 len)
{
	u32 n = frwr_fit_bytes(b, 0, offset, len);

	b->err = b->sg ? frwr_check_next(b, page_to_phys(page) + offset) : 0;
	if (b->err)
		return 0;
	frwr_next_element(b);
	frwr_set_element(b->sg, page, offset, n);
	return n;
}

/*
 * Add @len bytes from @offset in @page on, with all checks. struct frwr_build
 * is passed by value, so that the loops keep its members in registers.
 */
static noinline struct frwr_build frwr_add_piece(struct frwr_build b, struct page *page,
						 u32 offset, u32 len)
{
	u32 n;

	b.err = !len || len > U32_MAX - offset ? -EINVAL : 0;
	while (!b.err && len) {
		page = frwr_nth_page(page, offset >> PAGE_SHIFT);
		offset &= ~PAGE_MASK;
		n = 0;
		if (b.sg && frwr_continues_element(&b, page, offset))
			n = frwr_fit_bytes(&b, b.sg->length, offset, len);
		if (n)
			b.sg->length += n;
		else
			n = frwr_add_element(&b, page, offset, len);
		offset += n;
		len -= n;
	}
	if (!b.err)
		frwr_look_ahead(&b);
	return b;
}

/*
 * Number of elements that the loops may add: up to the end of the chunk, or 0
 * if b->next is NULL.
 */
static __always_inline size_t frwr_free_elements(const struct frwr_build *b)
{
	return likely(b->next) ? b->last - b->sg : 0;
}

/*
 * Add a page after an element that ends at the end of a page. Return: false if
 * frwr_add_piece() must add the page.
 */
static __always_inline bool frwr_add_page(struct frwr_build *b, struct page *page)
{
	if (page != b->next) {
		frwr_set_element(++b->sg, page, 0, PAGE_SIZE);
	} else {
		if (unlikely(b->sg->length == PAGE_SIZE || page == b->limit))
			return false;
		b->sg->length += PAGE_SIZE;
	}
	b->next = page + 1;
	return true;
}

/* Add pages up to @stop. Return: the first page that was not added. */
static __always_inline struct page **frwr_add_pages(struct frwr_build *b, struct page **pages,
						    struct page **stop)
{
	struct page **const until = pages + min_t(size_t, stop - pages, frwr_free_elements(b));

	while (pages != until && frwr_add_page(b, *pages))
		pages++;
	return pages;
}

/* Is the bio_vec exactly one page? Length and offset are compared together. */
static __always_inline bool frwr_is_page(const struct bio_vec *bvec)
{
	static const u32 page[] = { PAGE_SIZE, 0 };

	static_assert(offsetof(struct bio_vec, bv_offset) ==
		      offsetof(struct bio_vec, bv_len) + sizeof(page[0]));
	return get_unaligned((const u64 *)&bvec->bv_len) == get_unaligned((const u64 *)page);
}

/*
 * Add bio_vecs of one page each up to @stop. Return: the first bio_vec that was
 * not added.
 */
static __always_inline const struct bio_vec *
frwr_add_bvecs(struct frwr_build *b, const struct bio_vec *bvec, const struct bio_vec *stop)
{
	const struct bio_vec *const until =
		bvec + min_t(size_t, stop - bvec, frwr_free_elements(b));

	while (bvec != until && frwr_is_page(bvec) && frwr_add_page(b, bvec->bv_page))
		bvec++;
	return bvec;
}

static __always_inline struct frwr_build frwr_begin_build(struct frwr_mr *f)
{
	return (struct frwr_build){ .f = f };
}

static __always_inline int frwr_end_build(const struct frwr_build *b,
					  enum dma_data_direction dir)
{
	sg_mark_end(b->sg);
	return frwr_dma_map(b->f, b->nr_last - (b->last - b->sg), dir);
}

/* Do @len bytes of one bio_vec, from byte @done on, fit into one element? */
static __always_inline bool frwr_is_one_piece(const struct frwr_mr *f, const struct bio_vec *bvec,
					      u32 done, u32 len)
{
	return (u64)done + len <= bvec->bv_len && bvec->bv_len <= U32_MAX - bvec->bv_offset &&
	       len - 1 < f->max_seg;
}

/*
 * Build a scatterlist of one element from a contiguous bio_vec whose first
 * @done bytes are skipped, and map it for DMA.
 */
static __always_inline int frwr_build_piece(struct frwr_mr *f, const struct bio_vec *bvec,
					    u32 done, u32 len, enum dma_data_direction dir)
{
	const u32 offset = bvec->bv_offset + done;

	frwr_set_element(f->sgl, frwr_nth_page(bvec->bv_page, offset >> PAGE_SHIFT),
			 offset & ~PAGE_MASK, len);
	f->sgl->page_link |= SG_END;
	return frwr_dma_map(f, 1, dir);
}

/**
 * frwr_build_pages() - build a scatterlist from pages and map it for DMA
 * @f: private part of an MR without a mapped list
 * @pages: pages for @offset and @length
 * @offset: offset into the first page in bytes
 * @length: number of bytes, at least one, in at most @f->max_descs pages
 * @dir: direction of the device's accesses
 *
 * Context: any.
 * Return: number of DMA segments of @f->sgl, or an error of ib_mr_set_pages().
 */
int frwr_build_pages(struct frwr_mr *f, struct page **pages, size_t offset, size_t length,
		     enum dma_data_direction dir)
{
	const size_t first = min(PAGE_SIZE - offset, length);
	struct page **const last = pages + 1 + ((length - first) >> PAGE_SHIFT);
	const u32 rest = (length - first) & ~PAGE_MASK;
	struct frwr_build b = frwr_begin_build(f);

	b = frwr_add_piece(b, *pages++, offset, first);
	while (likely(!b.err)) {
		pages = frwr_add_pages(&b, pages, last);
		if (pages == last)
			break;
		b = frwr_add_piece(b, *pages++, 0, PAGE_SIZE);
	}
	if (!b.err && rest)
		b = frwr_add_piece(b, *last, 0, rest);
	return likely(!b.err) ? frwr_end_build(&b, dir) : b.err;
}

/*
 * noinline, like frwr_add_iter(), frwr_build_iter() and frwr_build_bios(): a
 * list of one piece is built without saving the registers that these functions
 * use.
 */
static noinline int frwr_build_bvecs(struct frwr_mr *f, const struct bio_vec *bvec,
				     unsigned int n, enum dma_data_direction dir)
{
	const struct bio_vec *const stop = bvec + n;
	struct frwr_build b = frwr_begin_build(f);

	for (;;) {
		bvec = frwr_add_bvecs(&b, bvec, stop);
		if (bvec == stop)
			return frwr_end_build(&b, dir);
		b = frwr_add_piece(b, bvec->bv_page, bvec->bv_offset, bvec->bv_len);
		if (unlikely(b.err))
			return b.err;
		bvec++;
	}
}

/**
 * frwr_build_biovec() - build a scatterlist from bio_vecs and map it for DMA
 * @f: private part of an MR without a mapped list
 * @bvec: bio_vecs
 * @bi_vcnt: number of bio_vecs, at least one
 * @dir: direction of the device's accesses
 *
 * Context: any.
 * Return: number of DMA segments of @f->sgl, or an error of ib_mr_set_biovec().
 */
int frwr_build_biovec(struct frwr_mr *f, const struct bio_vec *bvec, unsigned int bi_vcnt,
		      enum dma_data_direction dir)
{
	if (bi_vcnt == 1 && likely(frwr_is_one_piece(f, bvec, 0, bvec->bv_len)))
		return frwr_build_piece(f, bvec, 0, bvec->bv_len, dir);
	return frwr_build_bvecs(f, bvec, bi_vcnt, dir);
}

/*
 * Add the bytes that an iterator covers. The iterator may begin inside its
 * first bio_vec, and may end inside its last bio_vec.
 */
static noinline struct frwr_build frwr_add_iter(struct frwr_build b, const struct bio_vec *bvec,
						struct bvec_iter iter)
{
	u32 left = iter.bi_size, skip = iter.bi_offset, n;
	const struct bio_vec *from;

	bvec += iter.bi_idx;
	if (unlikely(!left || skip >= bvec->bv_len || bvec->bv_len > U32_MAX - bvec->bv_offset)) {
		b.err = -EINVAL;
		return b;
	}
	for (;;) {
		n = min(bvec->bv_len - skip, left);
		b = frwr_add_piece(b, bvec->bv_page, bvec->bv_offset + skip, n);
		left -= n;
		if (unlikely(b.err || !left))
			return b;
		skip = 0;
		from = ++bvec;
		bvec = frwr_add_bvecs(&b, bvec, bvec + (left >> PAGE_SHIFT));
		left -= (bvec - from) << PAGE_SHIFT;
		if (!left)
			return b;
	}
}

static noinline int frwr_build_iter(struct frwr_mr *f, const struct bio_vec *bvec,
				    struct bvec_iter iter, enum dma_data_direction dir)
{
	struct frwr_build b = frwr_add_iter(frwr_begin_build(f), bvec, iter);

	return likely(!b.err) ? frwr_end_build(&b, dir) : b.err;
}

/**
 * frwr_build_bvec_iter() - build a scatterlist from a part of bio_vecs and map it for DMA
 * @f: private part of an MR without a mapped list
 * @bvec: bio_vecs
 * @iter: iterator over the part
 * @dir: direction of the device's accesses
 *
 * Context: any.
 * Return: number of DMA segments of @f->sgl, or an error of ib_mr_set_bvec_iter().
 */
int frwr_build_bvec_iter(struct frwr_mr *f, const struct bio_vec *bvec, struct bvec_iter iter,
			 enum dma_data_direction dir)
{
	const struct bio_vec *const first = bvec + iter.bi_idx;

	if (frwr_is_one_piece(f, first, iter.bi_offset, iter.bi_size))
		return frwr_build_piece(f, first, iter.bi_offset, iter.bi_size, dir);
	return frwr_build_iter(f, bvec, iter, dir);
}

static noinline int frwr_build_bios(struct frwr_mr *f, struct bio *bio,
				    enum dma_data_direction dir)
{
	struct frwr_build b = frwr_begin_build(f);

	for (; bio; bio = bio->bi_next) {
		if (unlikely(!bio_has_data(bio)))
			return -EINVAL;
		b = frwr_add_iter(b, bio->bi_io_vec, bio->bi_iter);
		if (unlikely(b.err))
			return b.err;
	}
	return frwr_end_build(&b, dir);
}

/**
 * frwr_build_bio() - build a scatterlist from bios and map it for DMA
 * @f: private part of an MR without a mapped list
 * @bio: first of a list of bios that are linked by bi_next
 * @dir: direction of the device's accesses
 *
 * Context: any.
 * Return: number of DMA segments of @f->sgl, or an error of ib_mr_set_bio().
 */
int frwr_build_bio(struct frwr_mr *f, struct bio *bio, enum dma_data_direction dir)
{
	if (!bio->bi_next && likely(bio_has_data(bio)))
		return frwr_build_bvec_iter(f, bio->bi_io_vec, bio->bi_iter, dir);
	return frwr_build_bios(f, bio, dir);
}
