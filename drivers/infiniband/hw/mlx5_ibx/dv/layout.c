// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: layouts in memory that the device reads, see struct mlx5dv_layout in
 * <rdma/mlx5dv.h>.
 */
#include <linux/dma-mapping.h>
#include <linux/export.h>
#include <linux/slab.h>

#include "dv/companion.h"
#include "dv/dv.h"
#include "dv/mkey.h"
#include "enc/layout.h"

static size_t layout_bytes(u32 max)
{
	return (size_t)ibx_layout_octwords(max) * IBX_DS;
}

static struct mlx5dv_layout *alloc_layout(struct ibx_dev *dev, u32 max_entries, gfp_t gfp)
{
	struct mlx5dv_layout *layout;

	if (!max_entries || max_entries > ibx_mkey_max_entries(dev))
		return ERR_PTR(ibx_mkey_max_entries(dev) ? -EINVAL : -EOPNOTSUPP);

	layout = kzalloc(sizeof(*layout), gfp);
	if (!layout)
		return ERR_PTR(-ENOMEM);
	layout->dev = dev;
	layout->max = max_entries;
	layout->buf = dma_alloc_coherent(dev->mdev->device, layout_bytes(max_entries),
					 &layout->dma, gfp | __GFP_NOWARN);
	if (!layout->buf)
		goto free_layout;
	/* for mlx5dv_layout_biovec(), which is called for I/O and may not allocate */
	if (sg_alloc_table(&layout->table, max_entries, gfp | __GFP_NOWARN))
		goto free_buf;
	atomic_inc(&dev->layouts);
	return layout;

free_buf:
	dma_free_coherent(dev->mdev->device, layout_bytes(max_entries), layout->buf, layout->dma);
free_layout:
	kfree(layout);
	return ERR_PTR(-ENOMEM);
}

struct mlx5dv_layout *mlx5dv_alloc_layout(struct ib_device *device, u32 max_entries, gfp_t gfp)
{
	struct ibx_dev *dev = ibx_dv_get(device);
	struct mlx5dv_layout *layout;

	if (!dev)
		return ERR_PTR(-EOPNOTSUPP);
	layout = alloc_layout(dev, max_entries, gfp);
	if (IS_ERR(layout))
		ibx_dv_put(dev);
	return layout;
}
EXPORT_SYMBOL_GPL(mlx5dv_alloc_layout);

void mlx5dv_layout_unmap(struct mlx5dv_layout *layout)
{
	if (!layout->sgt.sgl)
		return;
	layout->n = 0;
	ib_dma_unmap_sgtable_attrs(layout->dev->ib, &layout->sgt, layout->dir, 0);
	layout->sgt.sgl = NULL;
}
EXPORT_SYMBOL_GPL(mlx5dv_layout_unmap);

static void empty_layout(struct mlx5dv_layout *layout)
{
	mlx5dv_layout_unmap(layout);
	layout->n = 0;
}

void mlx5dv_free_layout(struct mlx5dv_layout *layout)
{
	mlx5dv_layout_unmap(layout);
	atomic_dec(&layout->dev->layouts);
	sg_free_table(&layout->table);
	dma_free_coherent(layout->dev->mdev->device, layout_bytes(layout->max), layout->buf,
			  layout->dma);
	ibx_dv_put(layout->dev);
	kfree(layout);
}
EXPORT_SYMBOL_GPL(mlx5dv_free_layout);

/* pad a layout after its @n entries, and make the layout valid */
static int finish_layout(struct mlx5dv_layout *layout, u32 n, u64 length)
{
	memset(layout->buf + (size_t)n * IBX_DS, 0,
	       (size_t)(ibx_layout_octwords(n) - n) * IBX_DS);
	layout->length = length;
	layout->n = n;
	return 0;
}

int mlx5dv_layout_list(struct mlx5dv_layout *layout, u32 num_sges, const struct ib_sge *sge)
{
	u64 length;

	empty_layout(layout);
	if (num_sges > layout->max)
		return -ENOSPC;
	length = ibx_enc_klms(layout->buf, sge, num_sges);
	if (!length)
		return -EINVAL;
	return finish_layout(layout, num_sges, length);
}
EXPORT_SYMBOL_GPL(mlx5dv_layout_list);

int mlx5dv_layout_interleaved(struct mlx5dv_layout *layout, u32 repeat_count,
			      u16 num_interleaved, const struct mlx5dv_mr_interleaved *data)
{
	u64 length;
	u32 cycle;

	empty_layout(layout);
	if (num_interleaved >= layout->max)
		return -ENOSPC;
	if (!repeat_count)
		return -EINVAL;
	cycle = ibx_enc_strides(layout->buf + IBX_DS, data, num_interleaved, repeat_count);
	if (!cycle)
		return -EINVAL;
	length = ibx_enc_stride_ctrl(layout->buf, num_interleaved, repeat_count, cycle);
	return finish_layout(layout, num_interleaved + 1, length);
}
EXPORT_SYMBOL_GPL(mlx5dv_layout_interleaved);

int mlx5dv_layout_sg(struct mlx5dv_layout *layout, struct scatterlist *sg, u32 nents, u32 lkey)
{
	u64 length;
	int n;

	empty_layout(layout);
	n = ibx_enc_klms_sg(layout->buf, layout->max, sg, nents, lkey, &length);
	return n < 0 ? n : finish_layout(layout, n, length);
}
EXPORT_SYMBOL_GPL(mlx5dv_layout_sg);

/* extend @sg by @bv. Return: false if the two cannot be one element */
static bool join_biovec(struct scatterlist *sg, const struct bio_vec *bv, u32 max_len)
{
	if (sg_phys(sg) + sg->length != bvec_phys(bv) || sg->length > max_len ||
	    bv->bv_len > max_len - sg->length ||
	    !zone_device_pages_have_same_pgmap(sg_page(sg), bv->bv_page))
		return false;
	sg->length += bv->bv_len;
	return true;
}

/*
 * fill the scatterlist of a layout. Return: number of elements; -ENOSPC if the
 * scatterlist has too few
 */
static int fill_table(struct mlx5dv_layout *layout, const struct bio_vec *bvec, u32 n)
{
	const u32 max_len = min_t(size_t, ib_dma_max_seg_size(layout->dev->ib),
				  dma_max_mapping_size(layout->dev->mdev->device));
	struct scatterlist *sg = NULL;
	u32 used = 0, i;

	for (i = 0; i < n; i++) {
		if (sg && join_biovec(sg, &bvec[i], max_len))
			continue;
		if (used == layout->max)
			return -ENOSPC;
		sg = sg ? sg_next(sg) : layout->table.sgl;
		sg_set_page(sg, bvec[i].bv_page, bvec[i].bv_len, bvec[i].bv_offset);
		used++;
	}
	return used;
}

/* map bio_vecs for DMA, as a scatterlist */
static int map_biovec(struct mlx5dv_layout *layout, const struct bio_vec *bvec, u32 n,
		      enum dma_data_direction dir)
{
	struct sg_table *sgt = &layout->sgt;
	int used = fill_table(layout, bvec, n), err;

	if (used < 0)
		return used;
	sgt->sgl = layout->table.sgl;
	sgt->orig_nents = used;
	err = ib_dma_map_sgtable_attrs(layout->dev->ib, sgt, dir, 0);
	if (err)
		sgt->sgl = NULL;
	layout->dir = dir;
	return err;
}

int mlx5dv_layout_biovec(struct mlx5dv_layout *layout, const struct bio_vec *bvec, u32 bi_vcnt,
			 enum dma_data_direction dir, u32 lkey)
{
	u64 length;
	int n;
	u32 i;

	empty_layout(layout);
	if (!bi_vcnt || !valid_dma_direction(dir))
		return -EINVAL;
	for (i = 0; i < bi_vcnt; i++)
		if (!bvec[i].bv_len)
			return -EINVAL;
	n = map_biovec(layout, bvec, bi_vcnt, dir);
	if (n)
		return n;
	n = ibx_enc_klms_sg(layout->buf, layout->max, layout->sgt.sgl, layout->sgt.nents, lkey,
			    &length);
	if (n > 0)
		return finish_layout(layout, n, length);
	mlx5dv_layout_unmap(layout);
	return n;
}
EXPORT_SYMBOL_GPL(mlx5dv_layout_biovec);
