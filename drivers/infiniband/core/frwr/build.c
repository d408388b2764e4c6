// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: pages and bio_vecs become a scatterlist.
 *
 * It was allocated with the MR and has an element for each page or piece that
 * the MR takes. What continues the element before costs none, and an element
 * that would be longer than the device allows is cut where a page ends, so that
 * no list within the limit runs out of them. One call maps them all.
 *
 * Nearly all lists are whole pages but for their ends. For these the loops
 * compare pointers: a page continues the element if it is @next, and starts
 * one if not. Everything else, and the first page that continues an element of
 * one page, is done by add_piece(), which finds out how far the short way goes.
 */
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/slab.h>

#include "frwr.h"

/**
 * struct build - a scatterlist in the making
 * @f: whose it is
 * @sg: the element at hand; NULL before the first
 * @next: the page that continues @sg; NULL if @sg ends inside a page, or there
 *	is none
 * @limit: the first @next that cannot simply be added to @sg, if that is longer
 *	than a page
 * @err: 0, or why it cannot be made
 */
struct build {
	struct frwr_mr *f;
	struct scatterlist *sg;
	struct page *next;
	struct page *limit;
	int err;
};

/**
 * frwr_build_init() - make the scatterlist
 * @f: the MR; its device and longest list are known
 *
 * It is one table of zeroes: no element is a chain, or marked as the last. Who gets
 * the list is told how many there are, but looks at the mark of one more.
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int frwr_build_init(struct frwr_mr *f)
{
	f->sgl = kvcalloc((size_t)f->max_descs + 1, sizeof(*f->sgl), GFP_KERNEL);
	if (!f->sgl)
		return -ENOMEM;
	f->max_seg = frwr_dma_max_seg(f->dev);
	return 0;
}

/**
 * frwr_build_fini() - undo frwr_build_init()
 * @f: the MR, nothing mapped
 *
 * Context: may sleep.
 */
void frwr_build_fini(struct frwr_mr *f)
{
	kvfree(f->sgl);
}

static struct scatterlist *last_of(const struct frwr_mr *f)
{
	return f->sgl + f->max_descs - 1;
}

static phys_addr_t end_of(struct scatterlist *sg)
{
	return sg_phys(sg) + sg->length;
}

/* of @len bytes, those that fit behind @used ones of an element: all, or up to a page's end */
static u32 fit(const struct build *b, u32 used, u32 offset, u32 len)
{
	u32 room = b->f->max_seg - used, over;

	if (likely(len <= room))
		return len;
	over = (offset + (u64)room) & ~PAGE_MASK;
	return room > over ? room - over : 0;
}

/*
 * Pages from @pfn on in the subsection of the page before, none if @pfn begins one.
 * In a subsection, pages have one owner, whose device memory a scatterlist must
 * keep apart from that of others, and are an array.
 */
static unsigned long pages_of_subsection(unsigned long pfn)
{
#ifdef CONFIG_SPARSEMEM
	return -pfn & (PAGES_PER_SUBSECTION - 1);
#else
	return ULONG_MAX;
#endif
}

/* how far the short way goes from the end of the element at hand */
static void look_ahead(struct build *b)
{
	phys_addr_t end = end_of(b->sg);
	unsigned long pages;

	b->next = NULL;
	if (end & ~PAGE_MASK)
		return;
	b->next = nth_page(sg_page(b->sg), (b->sg->offset + (u64)b->sg->length) >> PAGE_SHIFT);
	pages = (b->f->max_seg - b->sg->length) >> PAGE_SHIFT;
	b->limit = b->next + min(pages, pages_of_subsection(PHYS_PFN(end)));
}

static bool continues(const struct build *b, struct page *page, u32 offset)
{
	return page_to_phys(page) + offset == end_of(b->sg) &&
	       zone_device_pages_have_same_pgmap(page, sg_page(b->sg));
}

/* may a piece from @start on come after the element at hand? */
static int check_next(const struct build *b, phys_addr_t start)
{
	phys_addr_t end = end_of(b->sg);

	if (!b->f->arb && start != end && (start | end) & ~PAGE_MASK)
		return -EINVAL;
	return b->sg == last_of(b->f) ? -ENOSPC : 0;
}

/* puts a new element behind the one at hand; bytes that it takes, or 0 and b->err */
static u32 add_element(struct build *b, struct page *page, u32 offset, u32 len)
{
	u32 n = fit(b, 0, offset, len);

	b->err = b->sg ? check_next(b, page_to_phys(page) + offset) : 0;
	if (b->err)
		return 0;
	b->sg = b->sg ? b->sg + 1 : b->f->sgl;
	sg_set_page(b->sg, page, n, offset);
	return n;
}

/*
 * Any piece: @len bytes from @offset in @page on. By value, so that the loops
 * keep theirs in registers.
 */
static noinline struct build add_piece(struct build b, struct page *page, u32 offset, u32 len)
{
	u32 n;

	b.err = !len || len > U32_MAX - offset ? -EINVAL : 0;
	while (!b.err && len) {
		page = nth_page(page, offset >> PAGE_SHIFT);
		offset &= ~PAGE_MASK;
		n = b.sg && continues(&b, page, offset) ? fit(&b, b.sg->length, offset, len) : 0;
		if (n)
			b.sg->length += n;
		else
			n = add_element(&b, page, offset, len);
		offset += n;
		len -= n;
	}
	if (!b.err)
		look_ahead(&b);
	return b;
}

/* sg_set_page(), but that the marks of the element are known: it has none */
static __always_inline void set_whole_page(struct scatterlist *sg, struct page *page)
{
	sg->page_link = (unsigned long)page;
	sg->offset = 0;
	sg->length = PAGE_SIZE;
}

/* elements that can simply be put behind the one at hand */
static __always_inline size_t room(const struct build *b)
{
	return likely(b->next) ? last_of(b->f) - b->sg : 0;
}

/* a page behind an element that ends where a page does; false if that is for add_piece() */
static __always_inline bool put_whole_page(struct build *b, struct page *page)
{
	if (page != b->next) {
		set_whole_page(++b->sg, page);
	} else {
		if (unlikely(b->sg->length == PAGE_SIZE || page == b->limit))
			return false;
		b->sg->length += PAGE_SIZE;
	}
	b->next = page + 1;
	return true;
}

/* the short way through @pages, which ends at @stop if not before; where it ends */
static __always_inline struct page **put_pages(struct build *b, struct page **pages,
					       struct page **stop)
{
	struct page **const until = pages + min_t(size_t, stop - pages, room(b));

	while (pages != until && put_whole_page(b, *pages))
		pages++;
	return pages;
}

/* the same for bio_vecs */
static __always_inline const struct bio_vec *put_bvecs(struct build *b, const struct bio_vec *bvec,
						       const struct bio_vec *stop)
{
	const struct bio_vec *const until = bvec + min_t(size_t, stop - bvec, room(b));

	while (bvec != until && !((bvec->bv_len ^ PAGE_SIZE) | bvec->bv_offset) &&
	       put_whole_page(b, bvec->bv_page))
		bvec++;
	return bvec;
}

static __always_inline struct build begin(struct frwr_mr *f)
{
	return (struct build){ .f = f };
}

static __always_inline int end(const struct build *b, enum dma_data_direction dir)
{
	return frwr_dma_map(b->f, b->sg - b->f->sgl + 1, dir);
}

/**
 * frwr_build_pages() - map pages for DMA
 * @f: the MR; nothing is mapped
 * @pages: as many as @offset and @length say
 * @offset: into the first
 * @length: bytes, at least one, of no more pages than the MR takes
 * @dir: how to map them
 *
 * Context: any.
 * Return: elements of @f->sgl that the device has now, or an error as
 * ib_mr_set_pages().
 */
int frwr_build_pages(struct frwr_mr *f, struct page **pages, size_t offset, size_t length,
		     enum dma_data_direction dir)
{
	const size_t first = min(PAGE_SIZE - offset, length);
	struct page **const last = pages + 1 + ((length - first) >> PAGE_SHIFT);
	const u32 rest = (length - first) & ~PAGE_MASK;
	struct build b = begin(f);

	b = add_piece(b, *pages++, offset, first);
	while (likely(!b.err)) {
		pages = put_pages(&b, pages, last);
		if (pages == last)
			break;
		b = add_piece(b, *pages++, 0, PAGE_SIZE);
	}
	if (!b.err && rest)
		b = add_piece(b, *last, 0, rest);
	return likely(!b.err) ? end(&b, dir) : b.err;
}

/**
 * frwr_build_biovec() - map bio_vecs for DMA
 * @f: the MR; nothing is mapped
 * @bvec: the list
 * @bi_vcnt: at least one
 * @dir: how to map them
 *
 * Context: any.
 * Return: elements of @f->sgl that the device has now, or an error as
 * ib_mr_set_biovec().
 */
int frwr_build_biovec(struct frwr_mr *f, const struct bio_vec *bvec, unsigned int bi_vcnt,
		      enum dma_data_direction dir)
{
	const struct bio_vec *const stop = bvec + bi_vcnt;
	struct build b = begin(f);

	for (;;) {
		bvec = put_bvecs(&b, bvec, stop);
		if (bvec == stop)
			return end(&b, dir);
		b = add_piece(b, bvec->bv_page, bvec->bv_offset, bvec->bv_len);
		if (unlikely(b.err))
			return b.err;
		bvec++;
	}
}
