// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Ring memory: one virtually contiguous buffer for all rings of an object, so
 * that a cursor wraps only at the end of its ring. The device gets the buffer as
 * a list of adapter pages.
 *
 * A buffer is one block of coherent memory if the kernel can allocate the block
 * with little effort (__GFP_NORETRY): a block needs few TLB entries of the CPU,
 * and an IOMMU can assemble it from pages. Otherwise the buffer consists of
 * pages, so that a ring needs no physically contiguous memory. Each page is
 * mapped for DMA, and vmap() maps all pages for the CPU. The driver does not
 * synchronize pages, as for rings of user space (ib_umem_get_va()). That is
 * correct if the DMA API needs no synchronization (dma_need_sync()), and if the
 * data cache of the CPU allows a second address for each page
 * (cpu_dcache_is_aliasing()). Otherwise the buffer must be a block, whose
 * allocation may compact and reclaim memory. The pages cannot be coherent
 * memory: vmap() does not get the attributes of coherent memory, and some
 * coherent memory has no struct page.
 *
 * The caller frees a buffer after it has destroyed the firmware object that uses
 * it.
 */
#include <linux/cacheinfo.h>
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "cmd/cmd.h"

static int alloc_block(struct device *dev, struct ibx_buf *buf, gfp_t effort)
{
	buf->va = dma_alloc_coherent(dev, buf->size, &buf->dma,
				     GFP_KERNEL | __GFP_NOWARN | effort);
	return buf->va ? 0 : -ENOMEM;
}

static u32 count_pages(const struct ibx_buf *buf)
{
	return PFN_UP(buf->size);
}

static struct page *alloc_mapped_page(struct device *dev, dma_addr_t *dma)
{
	struct page *page;

	page = alloc_pages_node(dev_to_node(dev), GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN, 0);
	if (!page)
		return NULL;
	*dma = dma_map_page(dev, page, 0, PAGE_SIZE, DMA_BIDIRECTIONAL);
	if (dma_mapping_error(dev, *dma))
		goto free_page;
	if (dma_need_sync(dev, *dma))
		goto unmap_page;
	return page;

unmap_page:
	dma_unmap_page(dev, *dma, PAGE_SIZE, DMA_BIDIRECTIONAL);
free_page:
	__free_page(page);
	return NULL;
}

static void unmap_pages(struct device *dev, const struct ibx_buf *buf)
{
	u32 i;

	for (i = 0; i < count_pages(buf); i++)
		dma_unmap_page(dev, buf->pages[i], PAGE_SIZE, DMA_BIDIRECTIONAL);
}

static int assemble_pages(struct device *dev, struct ibx_buf *buf)
{
	u32 nr = count_pages(buf);
	struct page **pages;
	u32 i;

	if (cpu_dcache_is_aliasing())
		return -EOPNOTSUPP;
	buf->pages = kvcalloc(nr, sizeof(*buf->pages), GFP_KERNEL);
	pages = kvcalloc(nr, sizeof(*pages), GFP_KERNEL);
	if (!buf->pages || !pages)
		goto free_lists;
	for (i = 0; i < nr; i++) {
		pages[i] = alloc_mapped_page(dev, &buf->pages[i]);
		if (!pages[i])
			goto free_pages;
	}
	/* vfree() will free the pages, and their array */
	buf->va = vmap(pages, nr, VM_MAP | VM_MAP_PUT_PAGES, PAGE_KERNEL);
	if (!buf->va)
		goto free_pages;
	return 0;

free_pages:
	while (i--) {
		dma_unmap_page(dev, buf->pages[i], PAGE_SIZE, DMA_BIDIRECTIONAL);
		__free_page(pages[i]);
	}
free_lists:
	kvfree(pages);
	kvfree(buf->pages);
	buf->pages = NULL;
	return -ENOMEM;
}

/**
 * ibx_buf_alloc() - allocate ring memory
 * @dev: device
 * @buf: all zero, or freed; gets address and size
 * @size: bytes, more than 0; rounded up to whole adapter pages
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ibx_buf_alloc(struct ibx_dev *dev, struct ibx_buf *buf, size_t size)
{
	struct device *device = dev->mdev->device;

	buf->size = ALIGN(size, 1 << IBX_PAGE_SHIFT);
	if (buf->size > PAGE_SIZE &&
	    (!alloc_block(device, buf, __GFP_NORETRY) || !assemble_pages(device, buf)))
		return 0;
	return alloc_block(device, buf, __GFP_RETRY_MAYFAIL);
}

/**
 * ibx_buf_free() - free ring memory
 * @dev: device
 * @buf: from ibx_buf_alloc(), or all zero
 *
 * Context: may sleep.
 */
void ibx_buf_free(struct ibx_dev *dev, struct ibx_buf *buf)
{
	struct device *device = dev->mdev->device;

	if (!buf->va)
		return;
	if (buf->pages) {
		unmap_pages(device, buf);
		vfree(buf->va);
	} else {
		dma_free_coherent(device, buf->size, buf->va, buf->dma);
	}
	ibx_buf_leak(buf);
}

/**
 * ibx_buf_leak() - keep ring memory for good, mapped for DMA
 * @buf: from ibx_buf_alloc(), or all zero; afterwards it has no memory: va and
 *	pages are NULL
 *
 * Context: may sleep.
 */
void ibx_buf_leak(struct ibx_buf *buf)
{
	kvfree(buf->pages);
	buf->pages = NULL;
	buf->va = NULL;
}

/**
 * ibx_buf_npages() - get the number of adapter pages in a buffer
 * @buf: the buffer
 *
 * Return: number of entries that ibx_buf_fill_pas() writes.
 */
u32 ibx_buf_npages(const struct ibx_buf *buf)
{
	return buf->size >> IBX_PAGE_SHIFT;
}

static dma_addr_t locate_byte(const struct ibx_buf *buf, size_t offset)
{
	if (!buf->pages)
		return buf->dma + offset;
	offset += buf->skip;
	return buf->pages[offset >> PAGE_SHIFT] + offset_in_page(offset);
}

/**
 * ibx_buf_fill_pas() - write the page list of a buffer
 * @buf: the buffer
 * @pas: array of ibx_buf_npages() entries
 */
void ibx_buf_fill_pas(const struct ibx_buf *buf, __be64 *pas)
{
	u32 npages = ibx_buf_npages(buf);
	u32 i;

	for (i = 0; i < npages; i++)
		pas[i] = cpu_to_be64(locate_byte(buf, (size_t)i << IBX_PAGE_SHIFT));
}
