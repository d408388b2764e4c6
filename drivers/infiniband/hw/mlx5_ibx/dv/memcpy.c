// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: memory copies of <rdma/mlx5dv.h>: capabilities, memory for the device, builder.
 *
 * A copy is a WQE of one block: control segment, opaque segment, source, destination. The
 * opaque segment points to memory that the device uses while it copies; all copies of a
 * device share it.
 *
 * <linux/mlx5/mlx5_ifc.h> does not have the capabilities of copies. Their
 * positions are from rdma-core's mlx5_ifc.h.
 */
#include <linux/dma-mapping.h>
#include <linux/export.h>

#include "dv/dv.h"
#include "dv/wr.h"
#include "enc/enc.h"
#include "verbs/verbs.h"

static const struct ibx_cap_at log_dma_mmo_max_size = { 0x6b, 5 };
static const struct ibx_cap_at dma_mmo_sq = { 0x153, 1 };
static const struct ibx_cap_at dma_mmo_qp = { 0x748, 1 };

/* a capability of 0 means the limit of a data segment */
static u64 max_copy_length(const struct ibx_dev *dev)
{
	u32 log = ibx_cap_get(dev, log_dma_mmo_max_size);

	return log ? BIT_ULL(log) : IBX_SGE_MAX;
}

/**
 * ibx_mmo_init() - probe stage: prepare a device for memory copies, if it supports them
 * @dev: device that is being probed
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ibx_mmo_init(struct ibx_dev *dev)
{
	struct ibx_mmo *mmo = &dev->mmo;

	mmo->per_qp = ibx_cap_get(dev, dma_mmo_qp);
	/* with per_qp, a QP needs an extension of its context to copy memory */
	if (mmo->per_qp ? !MLX5_CAP_GEN(dev->mdev, qpc_extension) : !ibx_cap_get(dev, dma_mmo_sq))
		return 0;
	mmo->opaque = dma_alloc_coherent(dev->mdev->device, IBX_OPAQUE_LEN, &mmo->opaque_dma,
					 GFP_KERNEL);
	if (!mmo->opaque)
		return -ENOMEM;
	mmo->max = max_copy_length(dev);
	return 0;
}

/**
 * ibx_mmo_exit() - undo ibx_mmo_init()
 * @dev: device that has no QPs any more
 *
 * Context: may sleep.
 */
void ibx_mmo_exit(struct ibx_dev *dev)
{
	if (dev->mmo.opaque)
		dma_free_coherent(dev->mdev->device, IBX_OPAQUE_LEN, dev->mmo.opaque,
				  dev->mmo.opaque_dma);
}

void mlx5dv_wr_memcpy(struct mlx5dv_qp_ex *mqp, u32 dest_lkey, u64 dest_addr, u32 src_lkey,
		      u64 src_addr, size_t length)
{
	const struct ibx_mmo *mmo = &ibx_qp_of(&mqp->qp_ex)->dev->mmo;
	const struct ibx_wr_op what = {
		.op = IBX_OPS_DV(MLX5DV_QP_EX_WITH_MEMCPY),
		.opcode = IBX_OPCODE_MMO,
		.opmod = IBX_OPMOD_MMO_DMA,
		.wc_opcode = MLX5DV_WC_MEMCPY,
	};
	struct ibx_wr *wr = &ibx_qp_of(&mqp->qp_ex)->wr;

	if (unlikely(!ibx_wr_begin(wr, &mqp->qp_ex, &what)))
		return;
	if (unlikely(!length || length > mmo->max))
		return ibx_wr_fail(wr, -EINVAL);
	ibx_wqe_opaque(&wr->w, mmo->opaque_dma);
	ibx_wqe_data(&wr->w, src_addr, length, src_lkey);
	ibx_wqe_last_data(&wr->w, dest_addr, length, dest_lkey);
	ibx_wr_finish(wr);
}
EXPORT_SYMBOL_GPL(mlx5dv_wr_memcpy);
