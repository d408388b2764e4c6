// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: lists for drivers without hooks.
 *
 * Pages and bio_vecs become a scatterlist that was allocated with the MR, as few
 * elements as they allow, mapped with one call and handed to ib_map_mr_sg(). It
 * has an element for each page or piece that the MR takes; what continues the
 * element before costs none, and an element that would be longer than the device
 * allows is cut where a page ends, so that no list within the limit runs out of
 * them.
 *
 * ib_map_mr_sg() takes lists in part and says no more than how much it took, and
 * drivers differ in what they take. So lists are looked at before it.
 */
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/slab.h>

#include "frwr.h"

/**
 * struct build - a scatterlist in the making
 * @f: whose it is
 * @sg: its last element
 * @nr: elements so far
 * @end: physical address behind the last
 */
struct build {
	struct frwr_mr *f;
	struct scatterlist *sg;
	u32 nr;
	phys_addr_t end;
};

/**
 * frwr_fallback_init() - make the scatterlist
 * @f: the MR; its device and longest list are known
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int frwr_fallback_init(struct frwr_mr *f)
{
	f->sgl = kvmalloc_array(f->max_descs, sizeof(*f->sgl), GFP_KERNEL);
	if (!f->sgl)
		return -ENOMEM;
	sg_init_table(f->sgl, f->max_descs);
	f->max_seg = frwr_dma_max_seg(f->dev);
	return 0;
}

/**
 * frwr_fallback_fini() - undo frwr_fallback_init()
 * @f: the MR, nothing mapped; it may have no scatterlist
 *
 * Context: may sleep.
 */
void frwr_fallback_fini(struct frwr_mr *f)
{
	kvfree(f->sgl);
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

static int add_element(struct build *b, struct page *page, u32 offset, u32 len)
{
	phys_addr_t start = page_to_phys(page) + offset;
	u32 n;

	while (len) {
		if (b->nr && !b->f->arb && start != b->end && (start | b->end) & ~PAGE_MASK)
			return -EINVAL;
		if (b->nr == b->f->max_descs)
			return -ENOSPC;
		b->sg = b->sg ? b->sg + 1 : b->f->sgl;
		n = fit(b, 0, offset, len);
		sg_set_page(b->sg, page, n, offset);
		b->nr++;
		start += n;
		b->end = start;
		len -= n;
		offset += n;
		page = nth_page(page, offset >> PAGE_SHIFT);
		offset &= ~PAGE_MASK;
	}
	return 0;
}

/* one piece: @len bytes from @offset, less than PAGE_SIZE, in @page on */
static __always_inline int add_piece(struct build *b, struct page *page, u32 offset, u32 len)
{
	u32 n;

	if (b->nr && page_to_phys(page) + offset == b->end &&
	    zone_device_pages_have_same_pgmap(page, sg_page(b->sg))) {
		n = fit(b, b->sg->length, offset, len);
		b->sg->length += n;
		b->end += n;
		len -= n;
		if (likely(!len))
			return 0;
		offset += n;
		page = nth_page(page, offset >> PAGE_SHIFT);
		offset &= ~PAGE_MASK;
	}
	return add_element(b, page, offset, len);
}

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
	}
	if (!f->arb && frwr_pages(sg_dma_address(sg), length) > f->max_descs)
		return -ENOSPC;
	return 0;
}

/* what is wrong with a list was found before: a driver that stops has no more room */
static int map_list(struct ib_mr *mr, struct scatterlist *sg, int nents)
{
	int n = ib_map_mr_sg(mr, sg, nents, NULL, PAGE_SIZE);

	if (likely(n == nents))
		return 0;
	return n >= 0 || n == -ENOMEM ? -ENOSPC : n;
}

/* map what was built for DMA, and then to the MR; ib_frwr unmaps when that fails */
static int map_build(struct ib_mr *mr, const struct build *b, enum dma_data_direction dir)
{
	int n = frwr_dma_map(b->f, b->nr, dir);

	return likely(n > 0) ? map_list(mr, b->f->sgl, n) : n;
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
	int err = check_list(frwr_of(mr), sg, sg_nents);

	return err ? err : map_list(mr, sg, sg_nents);
}

/**
 * frwr_fallback_pages() - map and attach pages
 * @mr: the MR
 * @pages: as many as @offset and @length say
 * @offset: into the first
 * @length: bytes, at least one, of no more pages than the MR takes
 * @dir: how to map them
 *
 * Context: any.
 * Return: as ib_mr_set_pages(). What was mapped stays so, for frwr_dma_unmap(),
 * when it fails.
 */
int frwr_fallback_pages(struct ib_mr *mr, struct page **pages, size_t offset, size_t length,
			enum dma_data_direction dir)
{
	struct build b = { .f = frwr_of(mr) };
	size_t n;
	int err;

	for (; length; length -= n, offset = 0) {
		n = min_t(size_t, PAGE_SIZE - offset, length);
		err = add_piece(&b, *pages++, offset, n);
		if (unlikely(err))
			return err;
	}
	return map_build(mr, &b, dir);
}

/**
 * frwr_fallback_biovec() - map and attach bio_vecs
 * @mr: the MR
 * @bvec: the list
 * @bi_vcnt: at least one
 * @dir: how to map them
 *
 * Context: any.
 * Return: as ib_mr_set_biovec(). What was mapped stays so, for frwr_dma_unmap(),
 * when it fails.
 */
int frwr_fallback_biovec(struct ib_mr *mr, const struct bio_vec *bvec, unsigned int bi_vcnt,
			 enum dma_data_direction dir)
{
	struct build b = { .f = frwr_of(mr) };
	unsigned int i;
	int err;

	for (i = 0; i < bi_vcnt; i++, bvec++) {
		if (unlikely(!bvec->bv_len || bvec->bv_len > U32_MAX - bvec->bv_offset))
			return -EINVAL;
		err = add_piece(&b, nth_page(bvec->bv_page, bvec->bv_offset >> PAGE_SHIFT),
				bvec->bv_offset & ~PAGE_MASK, bvec->bv_len);
		if (unlikely(err))
			return err;
	}
	return map_build(mr, &b, dir);
}
