/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/**
 * DOC: Memory of kernel ULPs for firmware objects (DEVX)
 *
 * Included by <rdma/mlx5dv.h>. mlx5dv_devx_umem_reg(3) applies.
 *
 * A UMEM is memory of a ULP. The device has a list of the pages of a UMEM. Commands
 * name rings, doorbell records and the memory of mkeys by the number of a UMEM and
 * an offset. So a ULP needs no bus addresses, and the memory need not be contiguous
 * on the bus.
 *
 * Rings of a QP, for example::
 *
 *	void *rings = vzalloc(RING_BYTES);
 *
 *	umem = mlx5dv_devx_umem_reg(ctx, rings, RING_BYTES, IB_ACCESS_LOCAL_WRITE);
 *	if (IS_ERR(umem))
 *		return PTR_ERR(umem);
 *	MLX5_SET(create_qp_in, in, wq_umem_valid, 1);
 *	MLX5_SET(create_qp_in, in, wq_umem_id, umem->umem_id);
 *	MLX5_SET64(create_qp_in, in, wq_umem_offset, SQ_OFFSET);
 *
 * CPU and device use the memory at the same time, without calls that synchronize it. So a UMEM
 * needs a platform on which both see the same content.
 */
#ifndef RDMA_MLX5DV_DEVX_UMEM_H
#define RDMA_MLX5DV_DEVX_UMEM_H

#include <linux/bits.h>
#include <linux/types.h>

struct mlx5dv_devx_ctx;
struct page;

/**
 * struct mlx5dv_devx_umem - memory that commands can name
 * @umem_id: number of the UMEM
 */
struct mlx5dv_devx_umem {
	u32 umem_id;
};

/* flag of mlx5dv_devx_umem_in.comp_mask: pages is set; not in libmlx5 */
#define MLX5DV_UMEM_MASK_PAGES	BIT_ULL(63)

/**
 * struct mlx5dv_devx_umem_in - memory that is to be a UMEM
 * @addr: memory of kmalloc(), vmalloc(), alloc_pages() and the like; NULL with @pages
 * @size: bytes of the memory
 * @access: IB_ACCESS_LOCAL_WRITE for memory that the device may write to, with
 *	IB_ACCESS_REMOTE_WRITE if the UMEM is to be an mkey that others write to; also
 *	IB_ACCESS_REMOTE_READ and IB_ACCESS_RELAXED_ORDERING
 * @pgsz_bitmap: bitmap of page sizes that the UMEM may have; the driver chooses
 *	the largest possible size. Offsets in a UMEM are aligned to no more
 *	than its page size, and log_page_size of an mkey is at most the page
 *	size of the UMEM
 * @comp_mask: 0 or MLX5DV_UMEM_MASK_PAGES
 * @pages: pages of the memory, which begins at the start of the first page
 */
struct mlx5dv_devx_umem_in {
	void *addr;
	size_t size;
	u32 access;
	u64 pgsz_bitmap;
	u64 comp_mask;
	struct page **pages;
};

/**
 * mlx5dv_devx_umem_reg_ex() - register memory
 * @ctx: context that is to own the UMEM
 * @in: memory, which the ULP owns and must not free before the UMEM is
 *	destroyed
 *
 * Context: may sleep.
 * Return:
 * * the UMEM
 * * ERR_PTR(-EINVAL): size is 0, the memory wraps, access has other flags, no
 *   page size in pgsz_bitmap is possible, or comp_mask has MLX5DV_UMEM_MASK_PAGES and
 *   addr is not NULL or pages is NULL
 * * ERR_PTR(-EFAULT): addr is not memory of an allocator, but for example of the
 *   stack
 * * ERR_PTR(-EOPNOTSUPP): comp_mask has other bits, @ctx is a context of
 *   mlx5dv_devx_open_verbs(), or CPU and device see the same content of memory only
 *   after synchronization on this platform
 * * ERR_PTR(-ENOMEM)
 * * an ERR_PTR() of dma_map_sgtable() or of the firmware command
 *
 * After ERR_PTR(-ETIMEDOUT), the device may still create the UMEM: the memory
 * stays mapped for DMA, and must never be freed.
 */
struct mlx5dv_devx_umem *mlx5dv_devx_umem_reg_ex(struct mlx5dv_devx_ctx *ctx,
						 const struct mlx5dv_devx_umem_in *in);

/**
 * mlx5dv_devx_umem_reg() - register memory, in pages of any size
 * @ctx: context that is to own the UMEM
 * @addr: memory, as in struct mlx5dv_devx_umem_in
 * @size: bytes of the memory
 * @access: IB_ACCESS_*, as in struct mlx5dv_devx_umem_in
 *
 * Context: may sleep.
 * Return: as mlx5dv_devx_umem_reg_ex().
 */
struct mlx5dv_devx_umem *mlx5dv_devx_umem_reg(struct mlx5dv_devx_ctx *ctx, void *addr, size_t size,
					      u32 access);

/**
 * mlx5dv_devx_umem_dereg() - end the registration of memory
 * @umem: UMEM that no object uses
 *
 * On failure other than -ETIMEDOUT the UMEM is not destroyed, the device may
 * access the memory, and the call can be repeated.
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EBUSY: an object uses the UMEM
 * * -ETIMEDOUT: @umem is freed; the memory stays mapped for DMA, and must never
 *   be freed
 * * another errno of the firmware command
 */
int mlx5dv_devx_umem_dereg(struct mlx5dv_devx_umem *umem);

#endif /* RDMA_MLX5DV_DEVX_UMEM_H */
