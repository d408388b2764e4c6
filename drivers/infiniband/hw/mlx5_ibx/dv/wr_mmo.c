// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: the builder of memory copies. See <rdma/mlx5dv.h> for what it does.
 *
 * A copy is a WQE of one block: control segment, opaque segment, source, destination.
 */
#include <linux/export.h>

#include "dv/wr.h"

void mlx5dv_wr_memcpy(struct mlx5dv_qp_ex *mqp, u32 dest_lkey, u64 dest_addr, u32 src_lkey,
		      u64 src_addr, size_t length)
{
	const struct ibx_mmo *mmo = &to_idev(mqp->qp_ex.qp->device)->mmo;
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
