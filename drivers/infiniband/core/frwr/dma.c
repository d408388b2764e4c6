// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: DMA mapping of the scatterlists of MRs.
 *
 * The KUnit suites replace these functions by static stubs.
 */
#include <kunit/static_stub.h>
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/memremap.h>

#include "frwr.h"

/**
 * frwr_dma_max_seg() - maximum length of a scatterlist element
 * @dev: RDMA device
 *
 * Context: any.
 * Return: length in bytes, at least PAGE_SIZE.
 */
u32 frwr_dma_max_seg(struct ib_device *dev)
{
	size_t max;

	KUNIT_STATIC_STUB_REDIRECT(frwr_dma_max_seg, dev);

	max = ib_dma_max_seg_size(dev);
	if (!ib_uses_virt_dma(dev))
		max = min(max, dma_max_mapping_size(dev->dma_device));
	return clamp_t(size_t, max, PAGE_SIZE, U32_MAX);
}
EXPORT_SYMBOL_IF_KUNIT(frwr_dma_max_seg);

/*
 * Map the only element of the scatterlist; this is faster than
 * dma_map_sgtable(). Return: false if the mapping fails or the element is
 * peer-to-peer memory. The caller then calls dma_map_sgtable(), which returns
 * an errno or maps peer-to-peer memory.
 */
static bool frwr_dma_map_one(struct frwr_mr *f, enum dma_data_direction dir)
{
	struct scatterlist *sg = f->sgl;
	u64 addr;

	if (unlikely(is_pci_p2pdma_page(sg_page(sg))))
		return false;
	addr = ib_dma_map_page(f->dev, sg_page(sg), sg->offset, sg->length, dir);
	if (unlikely(ib_dma_mapping_error(f->dev, addr)))
		return false;
	sg_dma_address(sg) = addr;
	sg_dma_len(sg) = sg->length;
	f->nents = 0;
	f->dir = dir;
	return true;
}

/* map a scatterlist of any length */
static noinline int frwr_dma_map_table(struct frwr_mr *f, u32 nents, enum dma_data_direction dir)
{
	struct sg_table sgt = { .sgl = f->sgl, .orig_nents = nents };
	int err;

#ifdef CONFIG_NEED_SG_DMA_FLAGS
	/* The flags of the previous mapping do not apply to the new mapping. */
	f->sgl->dma_flags = 0;
#endif
	err = ib_dma_map_sgtable_attrs(f->dev, &sgt, dir, 0);
	if (unlikely(err))
		return err;
	f->nents = nents;
	f->dir = dir;
	return sgt.nents;
}

/**
 * frwr_dma_map() - map the scatterlist of an MR
 * @f: private part of an MR without a mapped list
 * @nents: number of elements of @f->sgl
 * @dir: direction of the device's accesses
 *
 * Context: any.
 * Return: number of DMA segments, or a negative errno of dma_map_sgtable().
 */
int frwr_dma_map(struct frwr_mr *f, u32 nents, enum dma_data_direction dir)
{
	KUNIT_STATIC_STUB_REDIRECT(frwr_dma_map, f, nents, dir);

	if (nents == 1 && frwr_dma_map_one(f, dir))
		return 1;
	return frwr_dma_map_table(f, nents, dir);
}
EXPORT_SYMBOL_IF_KUNIT(frwr_dma_map);

/**
 * frwr_dma_unmap() - unmap the scatterlists of an MR: data and protection
 * information
 * @f: private part of an MR, with or without a mapping
 *
 * Context: any.
 */
void frwr_dma_unmap(struct frwr_mr *f)
{
	KUNIT_STATIC_STUB_REDIRECT(frwr_dma_unmap, f);

	if (f->dir == DMA_NONE)
		return;
	if (f->nents)
		ib_dma_unmap_sg(f->dev, f->sgl, f->nents, f->dir);
	else
		ib_dma_unmap_page(f->dev, sg_dma_address(f->sgl), sg_dma_len(f->sgl), f->dir);
	f->dir = DMA_NONE;
	/*
	 * the list of protection information is mapped only while the list of
	 * data is mapped, so the return above skips no mapping
	 */
	if (unlikely(f->meta))
		frwr_dma_unmap(f->meta);
}
EXPORT_SYMBOL_IF_KUNIT(frwr_dma_unmap);
