// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory of ULPs that objects of DEVX name by a number and an offset: <rdma/mlx5dv_devx_umem.h>.
 *
 * The memory is mapped for DMA page by page, like memory of processes, and
 * stays mapped until the device has destroyed the UMEM. The driver never
 * synchronizes the memory, so the platform must not require synchronization.
 */
#include <linux/cacheinfo.h>
#include <linux/dma-mapping.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "cmd/cmd.h"
#include "dv/devx.h"

/**
 * struct ibx_dv_umem - a UMEM of a ULP
 * @umem: the part that the ULP sees
 * @ctx: context of the UMEM
 * @sgt: memory of the UMEM, mapped for DMA
 */
struct ibx_dv_umem {
	struct mlx5dv_devx_umem umem;
	struct mlx5dv_devx_ctx *ctx;
	struct sg_table sgt;
};

/*
 * Return: NULL for memory that is not from an allocator: the stack, static data
 * (reserved), and registers of devices (in the range of vmalloc(), too).
 */
static struct page *find_page(const void *addr)
{
	struct page *page = NULL;

	if (object_is_on_stack(addr))
		return NULL;
	if (is_vmalloc_addr(addr))
		page = vmalloc_to_page(addr);
	else if (virt_addr_valid(addr))
		page = virt_to_page(addr);
	if (!page || !pfn_valid(page_to_pfn(page)) || PageReserved(page))
		return NULL;
	return page;
}

/* list the pages of memory in an array, which the caller frees by kvfree() */
static struct page **find_pages(const void *addr, size_t size, size_t n)
{
	struct page **pages;
	size_t i;

	/* check both ends before the allocation: the array may be long */
	if (!find_page(addr) || !find_page(addr + size - 1))
		return ERR_PTR(-EFAULT);
	pages = kvmalloc_array(n, sizeof(*pages), GFP_KERNEL | __GFP_NOWARN);
	if (!pages)
		return ERR_PTR(-ENOMEM);
	addr -= offset_in_page(addr);
	for (i = 0; i < n; i++) {
		pages[i] = find_page(addr + i * PAGE_SIZE);
		if (!pages[i]) {
			kvfree(pages);
			return ERR_PTR(-EFAULT);
		}
	}
	return pages;
}

static void unmap_mem(struct ib_device *ibdev, struct sg_table *sgt)
{
	ib_dma_unmap_sgtable_attrs(ibdev, sgt, DMA_BIDIRECTIONAL, 0);
	sg_free_table(sgt);
}

static int umem_map_pages(struct ib_device *ibdev,
			  const struct mlx5dv_devx_umem_in *in,
			  struct page **pages, size_t n, struct sg_table *sgt)
{
	unsigned long attrs = in->access & IB_ACCESS_RELAXED_ORDERING ? DMA_ATTR_WEAK_ORDERING : 0;
	struct scatterlist *sg;
	unsigned int i;
	int err;

	err = sg_alloc_table_from_pages_segment(sgt, pages, n, offset_in_page(in->addr), in->size,
						ib_dma_max_seg_size(ibdev), GFP_KERNEL);
	if (err)
		return err;
	err = ib_dma_map_sgtable_attrs(ibdev, sgt, DMA_BIDIRECTIONAL, attrs);
	if (err) {
		sg_free_table(sgt);
		return err;
	}
	for_each_sgtable_dma_sg(sgt, sg, i)
		if (dma_need_sync(ibdev->dma_device, sg_dma_address(sg))) {
			unmap_mem(ibdev, sgt);
			return -EOPNOTSUPP;
		}
	return 0;
}

static int map_mem(struct ib_device *ibdev, const struct mlx5dv_devx_umem_in *in,
		   struct sg_table *sgt)
{
	size_t n = PFN_UP((u64)offset_in_page(in->addr) + in->size);
	struct page **pages = in->pages;
	int err;

	/*
	 * with an aliasing cache, the lines of the ULP's address and of the
	 * linear address may have different data
	 */
	if (cpu_dcache_is_aliasing())
		return -EOPNOTSUPP;
	if (n > UINT_MAX)
		return -ENOMEM;
	if (in->comp_mask & MLX5DV_UMEM_MASK_PAGES)
		return umem_map_pages(ibdev, in, pages, n, sgt);
	pages = find_pages(in->addr, in->size, n);
	if (IS_ERR(pages))
		return PTR_ERR(pages);
	err = umem_map_pages(ibdev, in, pages, n, sgt);
	kvfree(pages);
	return err;
}

static int check_in(struct ib_device *ibdev, const struct mlx5dv_devx_umem_in *in)
{
	bool pages = in->comp_mask & MLX5DV_UMEM_MASK_PAGES;

	if (in->comp_mask & ~MLX5DV_UMEM_MASK_PAGES)
		return -EOPNOTSUPP;
	if (!in->size || in->size - 1 > ULONG_MAX - (unsigned long)in->addr ||
	    (pages && (in->addr || !in->pages)) || in->access & ~IBX_UMEM_ACCESS)
		return -EINVAL;
	return ib_check_mr_access(ibdev, in->access);
}

static int create_umem(struct ibx_dv_umem *um, const struct mlx5dv_devx_umem_in *in)
{
	struct ibx_umem_mem mem = {
		.sgl = um->sgt.sgl,
		.nents = um->sgt.nents,
		.length = in->size,
		.sizes = in->pgsz_bitmap,
		.writable = ib_access_writable(in->access),
	};

	return ibx_cmd_create_umem(um->ctx->dev, um->ctx->uid, &mem, &um->umem.umem_id);
}

/* unmap memory; memory that the device may still use stays mapped for good */
static void drop_mem(struct mlx5dv_devx_ctx *ctx, struct sg_table *sgt, int err)
{
	if (!ibx_cmd_lost(err)) {
		unmap_mem(ctx->dev->ib, sgt);
		return;
	}
	WRITE_ONCE(ctx->lost, true);
	sg_free_table(sgt);
}

struct mlx5dv_devx_umem *mlx5dv_devx_umem_reg_ex(struct mlx5dv_devx_ctx *ctx,
						 const struct mlx5dv_devx_umem_in *in)
{
	struct ib_device *ibdev = ctx->dev->ib;
	struct ibx_dv_umem *um;
	int err;

	/* the device creates UMEMs for user contexts only */
	if (ibx_dv_is_verbs(ctx))
		return ERR_PTR(-EOPNOTSUPP);
	err = check_in(ibdev, in);
	if (err)
		return ERR_PTR(err);
	um = kzalloc(sizeof(*um), GFP_KERNEL);
	if (!um)
		return ERR_PTR(-ENOMEM);
	um->ctx = ctx;
	err = map_mem(ibdev, in, &um->sgt);
	if (err)
		goto free;
	err = create_umem(um, in);
	if (err) {
		drop_mem(ctx, &um->sgt, err);
		goto free;
	}
	atomic_inc(&ctx->users);
	return &um->umem;

free:
	kfree(um);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_umem_reg_ex);

struct mlx5dv_devx_umem *mlx5dv_devx_umem_reg(struct mlx5dv_devx_ctx *ctx, void *addr, size_t size,
					      u32 access)
{
	const struct mlx5dv_devx_umem_in in = {
		.addr = addr,
		.size = size,
		.access = access,
		.pgsz_bitmap = U64_MAX,
	};

	return mlx5dv_devx_umem_reg_ex(ctx, &in);
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_umem_reg);

int mlx5dv_devx_umem_dereg(struct mlx5dv_devx_umem *umem)
{
	struct ibx_dv_umem *um = container_of(umem, struct ibx_dv_umem, umem);
	int err = ibx_cmd_destroy_umem(um->ctx->dev, um->ctx->uid, umem->umem_id);

	if (err && !ibx_cmd_lost(err))
		return err;
	drop_mem(um->ctx, &um->sgt, err);
	atomic_dec(&um->ctx->users);
	kfree(um);
	return err;
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_umem_dereg);
