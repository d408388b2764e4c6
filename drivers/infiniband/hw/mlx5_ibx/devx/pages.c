// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: from a mapped scatterlist to the list of pages of a UMEM.
 *
 * All pages of a UMEM have the same size. The largest possible size makes the
 * shortest list.
 */
#include <linux/align.h>
#include <linux/errno.h>
#include <linux/mm.h>

#include "dev.h"
#include "devx/pages.h"

#define MTT_READ	BIT_ULL(0)	/* low bits of an entry: rights of the device */
#define MTT_WRITE	BIT_ULL(1)

/*
 * May pages have this size? No page may cross a gap (@bounds). Pages of up to
 * PAGE_SIZE may begin before the memory or end after it, because each page of
 * the CPU is completely mapped for DMA. A larger page could contain memory that
 * is not the caller's.
 */
static bool page_is_ok(u64 size, u64 start, u64 length, u64 bounds)
{
	if (bounds & (size - 1))
		return false;
	return size <= PAGE_SIZE || !((start | length) & (size - 1));
}

/**
 * ibx_umem_choose_pages() - choose the page size of a UMEM
 * @mem: the memory
 * @p: gets the largest pages that are possible
 *
 * Context: any.
 * Return: 0; -EINVAL if no allowed page size fits, or the length is 0 or
 * exceeds the list.
 */
int ibx_umem_choose_pages(const struct ibx_umem_mem *mem, struct ibx_umem_pages *p)
{
	u64 start = sg_dma_address(mem->sgl) + mem->skip, bounds = 0, bytes = 0, end = 0, size;
	struct scatterlist *sg;
	unsigned int i;
	int shift;

	for_each_sg(mem->sgl, sg, mem->nents, i) {
		/* a gap between the bus addresses of two elements */
		if (i && sg_dma_address(sg) != end)
			bounds |= sg_dma_address(sg) | end;
		end = sg_dma_address(sg) + sg_dma_len(sg);
		bytes += sg_dma_len(sg);
	}
	if (!mem->length || bytes < mem->skip || bytes - mem->skip < mem->length)
		return -EINVAL;
	for (shift = IBX_MAX_PAGE_SHIFT; shift >= IBX_PAGE_SHIFT; shift--) {
		size = BIT_ULL(shift);
		if (!(mem->sizes & size) || !page_is_ok(size, start, mem->length, bounds))
			continue;
		p->shift = shift;
		p->offset = start & (size - 1);
		p->n = (p->offset + mem->length + size - 1) >> shift;
		return 0;
	}
	return -EINVAL;
}

/**
 * ibx_umem_list_pages() - write the list of pages of a UMEM
 * @mem: the memory
 * @p: pages that ibx_umem_choose_pages() has chosen
 * @mtt: gets an entry for each page
 *
 * Context: any.
 */
void ibx_umem_list_pages(const struct ibx_umem_mem *mem, const struct ibx_umem_pages *p,
			 __be64 *mtt)
{
	u64 rights = MTT_READ | (mem->writable ? MTT_WRITE : 0), size = BIT_ULL(p->shift);
	u64 page, end, n = 0;
	struct scatterlist *sg;
	unsigned int i;

	for_each_sg(mem->sgl, sg, mem->nents, i) {
		page = sg_dma_address(sg);
		end = page + sg_dma_len(sg);
		/*
		 * if an element begins inside of a page, the element before has
		 * the page's entry
		 */
		page = i ? ALIGN(page, size) : ALIGN_DOWN(page + mem->skip, size);
		for (; page < end && n < p->n; page += size)
			mtt[n++] = cpu_to_be64(page | rights);
	}
}
