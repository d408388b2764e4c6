// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: memory copies: what the device can do, and what it has to be told. The
 * builder is wr_mmo.c.
 *
 * <linux/mlx5/mlx5_ifc.h> has none of this: the capabilities are where rdma-core's
 * copy of it says, among those that mlx5_core has read.
 */
#include <linux/dma-mapping.h>

#include "dv/dv.h"
#include "enc/enc.h"

/* general capabilities, by the bit they begin at; none crosses a word */
struct cap_at {
	u16 bit;
	u8 width;
};

static const struct cap_at log_dma_mmo_max_size = { 0x6b, 5 };
static const struct cap_at dma_mmo_sq = { 0x153, 1 };
static const struct cap_at dma_mmo_qp = { 0x748, 1 };

static u32 cap_get(const struct ibx_dev *dev, struct cap_at at)
{
	const __be32 *caps = (const __be32 *)dev->mdev->caps.hca[MLX5_CAP_GENERAL]->cur;
	u32 word = be32_to_cpu(caps[at.bit / 32]);

	return word >> (32 - at.bit % 32 - at.width) & (BIT(at.width) - 1);
}

/* a field of 0 means as much as a data segment can say */
static u64 longest(const struct ibx_dev *dev)
{
	u32 log = cap_get(dev, log_dma_mmo_max_size);

	return log ? BIT_ULL(log) : IBX_SGE_MAX;
}

/**
 * ibx_mmo_init - prepare a function for memory copies, if it makes any
 * @dev: the function
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ibx_mmo_init(struct ibx_dev *dev)
{
	struct ibx_mmo *mmo = &dev->mmo;

	mmo->per_qp = cap_get(dev, dma_mmo_qp);
	/* leave is given in an extension of the context */
	if (mmo->per_qp ? !MLX5_CAP_GEN(dev->mdev, qpc_extension) : !cap_get(dev, dma_mmo_sq))
		return 0;
	mmo->opaque = dma_alloc_coherent(dev->mdev->device, IBX_OPAQUE_LEN, &mmo->opaque_dma,
					 GFP_KERNEL);
	if (!mmo->opaque)
		return -ENOMEM;
	mmo->max = longest(dev);
	return 0;
}

/**
 * ibx_mmo_exit - undo ibx_mmo_init()
 * @dev: the function, without QPs
 *
 * Context: may sleep.
 */
void ibx_mmo_exit(struct ibx_dev *dev)
{
	if (dev->mmo.opaque)
		dma_free_coherent(dev->mdev->device, IBX_OPAQUE_LEN, dev->mmo.opaque,
				  dev->mmo.opaque_dma);
}
