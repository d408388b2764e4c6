// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Doorbell registers and event queues for CQs and QPs of ULPs:
 * <rdma/mlx5dv_devx.h>. The registers are in UARs of the user context; the
 * event queues belong to mlx5_core.
 */
#include <linux/export.h>
#include <linux/io.h>
#include <linux/mlx5/cq.h>
#include <linux/slab.h>

#include "cmd/cmd.h"
#include "dv/devx.h"

int mlx5dv_devx_query_eqn(struct mlx5dv_devx_ctx *ctx, u32 vector, u32 *eqn)
{
	int nr, err;

	if (vector >= ctx->dev->ib->num_comp_vectors)
		return -EINVAL;
	err = mlx5_comp_eqn_get(ctx->dev->mdev, vector, &nr);
	if (!err)
		*eqn = nr;
	return err;
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_query_eqn);

/* @index counts pages of 4 KiB (with uar_4k) or of PAGE_SIZE */
static void __iomem *map_uar(struct mlx5_core_dev *mdev, u32 index, bool wc)
{
	unsigned int shift = MLX5_CAP_GEN(mdev, uar_4k) ? MLX5_ADAPTER_PAGE_SHIFT : PAGE_SHIFT;
	phys_addr_t at = mdev->bar_addr + ((phys_addr_t)index << shift);

	return wc ? ioremap_wc(at, MLX5_ADAPTER_PAGE_SIZE) : ioremap(at, MLX5_ADAPTER_PAGE_SIZE);
}

struct mlx5dv_devx_uar *mlx5dv_devx_alloc_uar(struct mlx5dv_devx_ctx *ctx, u32 flags)
{
	bool wc = flags == MLX5DV_UAR_ALLOC_TYPE_BF;
	struct mlx5_core_dev *mdev = ctx->dev->mdev;
	struct mlx5dv_devx_uar *uar;
	int err;

	if (flags != MLX5DV_UAR_ALLOC_TYPE_BF && flags != MLX5DV_UAR_ALLOC_TYPE_NC)
		return ERR_PTR(-EINVAL);
	if (wc && !mlx5_wc_support_get(mdev))
		return ERR_PTR(-EOPNOTSUPP);
	uar = kzalloc(sizeof(*uar), GFP_KERNEL);
	if (!uar)
		return ERR_PTR(-ENOMEM);
	err = ibx_cmd_alloc_uar(ctx->dev, ctx->uid, &uar->page_id);
	if (err)
		goto free;
	uar->base_addr = map_uar(mdev, uar->page_id, wc);
	if (!uar->base_addr) {
		err = -ENOMEM;
		goto dealloc;
	}
	uar->reg_addr = uar->base_addr + MLX5_BF_OFFSET;
	atomic_inc(&ctx->users);
	return uar;

dealloc:
	ibx_cmd_left(ctx->dev, "UAR", uar->page_id,
		     ibx_cmd_dealloc_uar(ctx->dev, ctx->uid, uar->page_id));
free:
	kfree(uar);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_alloc_uar);

void mlx5dv_devx_free_uar(struct mlx5dv_devx_ctx *ctx, struct mlx5dv_devx_uar *uar)
{
	iounmap(uar->base_addr);
	ibx_cmd_left(ctx->dev, "UAR", uar->page_id,
		     ibx_cmd_dealloc_uar(ctx->dev, ctx->uid, uar->page_id));
	atomic_dec(&ctx->users);
	kfree(uar);
}
EXPORT_SYMBOL_GPL(mlx5dv_devx_free_uar);
