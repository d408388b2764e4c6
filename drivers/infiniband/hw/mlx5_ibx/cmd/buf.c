// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Ring memory: one coherent allocation for all rings of an object, so that a
 * cursor wraps only at the end of its ring. Without an IOMMU the memory is
 * physically contiguous, and allocating it may compact and reclaim memory. The
 * caller frees a buffer after it has destroyed the firmware object that uses
 * it.
 */
#include <linux/dma-mapping.h>

#include "cmd/cmd.h"

/**
 * ibx_buf_alloc() - allocate ring memory
 * @dev: device
 * @buf: gets address and size
 * @size: bytes, more than 0; rounded up to whole adapter pages
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ibx_buf_alloc(struct ibx_dev *dev, struct ibx_buf *buf, size_t size)
{
	buf->size = ALIGN(size, 1 << IBX_PAGE_SHIFT);
	buf->va = dma_alloc_coherent(dev->mdev->device, buf->size, &buf->dma,
				     GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	return buf->va ? 0 : -ENOMEM;
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
	if (buf->va)
		dma_free_coherent(dev->mdev->device, buf->size, buf->va, buf->dma);
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
		pas[i] = cpu_to_be64(buf->dma + ((u64)i << IBX_PAGE_SHIFT));
}
