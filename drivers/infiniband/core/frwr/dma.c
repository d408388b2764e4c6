// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: mapping for DMA.
 */
#include "frwr.h"

/**
 * frwr_dma_max_seg() - bytes that one element of a scatterlist may have
 * @dev: the device
 *
 * Context: any.
 * Return: at least PAGE_SIZE.
 */
u32 frwr_dma_max_seg(struct ib_device *dev)
{
	size_t max = ib_dma_max_seg_size(dev);

	if (!ib_uses_virt_dma(dev))
		max = min(max, dma_max_mapping_size(dev->dma_device));
	return clamp_t(size_t, max, PAGE_SIZE, U32_MAX);
}

/**
 * frwr_dma_map() - map the MR's scatterlist
 * @f: the MR; nothing is mapped
 * @nents: elements of @f->sgl
 * @dir: what the device does with them
 *
 * Context: any.
 * Return: elements the device has now, or -ENOMEM.
 */
int frwr_dma_map(struct frwr_mr *f, u32 nents, enum dma_data_direction dir)
{
	int n;

#ifdef CONFIG_NEED_SG_DMA_FLAGS
	/* what a mapping leaves there for its unmapping would be taken for the next one's */
	f->sgl->dma_flags = 0;
#endif
	n = ib_dma_map_sg(f->dev, f->sgl, nents, dir);
	if (unlikely(n <= 0))
		return -ENOMEM;
	f->nents = nents;
	f->dir = dir;
	return n;
}

/**
 * frwr_dma_unmap() - undo frwr_dma_map()
 * @f: the MR; may have nothing mapped
 *
 * Context: any.
 */
void frwr_dma_unmap(struct frwr_mr *f)
{
	if (f->dir == DMA_NONE)
		return;
	ib_dma_unmap_sg(f->dev, f->sgl, f->nents, f->dir);
	f->dir = DMA_NONE;
}
