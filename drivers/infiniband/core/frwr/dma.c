// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: mapping for DMA.
 *
 * Hooks of a driver map by themselves and note what they mapped as runs; without
 * hooks the MR has a scatterlist. Whoever mapped, it is unmapped here.
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
	return max_t(u32, ib_dma_max_seg_size(dev), PAGE_SIZE);
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
	int n = ib_dma_map_sg(f->dev, f->sgl, nents, dir);

	if (unlikely(n <= 0))
		return -ENOMEM;
	f->nents = nents;
	f->dir = dir;
	return n;
}

/**
 * frwr_dma_unmap() - unmap what we or the hooks have mapped
 * @f: the MR; may have nothing mapped
 *
 * Context: any.
 */
void frwr_dma_unmap(struct frwr_mr *f)
{
	const struct ib_frwr_runs *r = &f->runs;
	u32 i;

	if (f->dir == DMA_NONE)
		return;
	if (f->sgl)
		ib_dma_unmap_sg(f->dev, f->sgl, f->nents, f->dir);
	else
		for (i = 0; i < r->nr; i++)
			ib_dma_unmap_page(f->dev, r->run[i].addr, r->run[i].len, r->dir);
	f->dir = DMA_NONE;
}
