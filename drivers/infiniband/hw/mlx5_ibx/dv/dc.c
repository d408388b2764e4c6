// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: the setters of DCIs. See <rdma/mlx5dv.h> for what they do.
 */
#include <linux/export.h>

#include "dv/wr.h"

static void set_addr(struct mlx5dv_qp_ex *mqp, struct ib_ah *ah, u32 dctn, u64 key,
		     u16 stream)
{
	const struct ibx_qp *qp = ibx_qp_of(&mqp->qp_ex);
	struct ibx_wr *wr = &ibx_qp_of(&mqp->qp_ex)->wr;

	if (!ibx_wr_take(wr, IBX_SET_DC, IBX_SET_DC))
		return;
	if (unlikely(!ah || ah->pd != mqp->qp_ex.qp->pd || dctn > 0xffffff ||
		     (stream && !qp->dc.streams)))
		return ibx_wr_fail(wr, -EINVAL);
	ibx_enc_dc((void *)(wr->w.ctrl + 1), &to_iah(ah)->av, dctn, key);
	ibx_enc_stream(wr->w.ctrl, stream);
	ibx_wr_setter_done(wr);
}

void mlx5dv_wr_set_dc_addr(struct mlx5dv_qp_ex *mqp, struct ib_ah *ah, u32 remote_dctn,
			   u64 remote_dc_key)
{
	set_addr(mqp, ah, remote_dctn, remote_dc_key, 0);
}
EXPORT_SYMBOL_GPL(mlx5dv_wr_set_dc_addr);

void mlx5dv_wr_set_dc_addr_stream(struct mlx5dv_qp_ex *mqp, struct ib_ah *ah, u32 remote_dctn,
				  u64 remote_dc_key, u16 stream_id)
{
	set_addr(mqp, ah, remote_dctn, remote_dc_key, stream_id);
}
EXPORT_SYMBOL_GPL(mlx5dv_wr_set_dc_addr_stream);
