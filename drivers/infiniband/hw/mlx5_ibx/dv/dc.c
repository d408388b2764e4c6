// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: setters of <rdma/mlx5dv.h> for the address of a WR on a DCI.
 */
#include <linux/export.h>

#include "dv/wr.h"

static int set_dc_addr(struct ibx_qp *qp, struct ib_ah *ah, u32 dctn, u64 key, u16 stream)
{
	struct mlx5_wqe_ctrl_seg *ctrl = qp->wr.w.ctrl;

	if (unlikely(!ah || ah->pd != qp->ibqp.pd || dctn > 0xffffff ||
		     (stream && !qp->dc.streams)))
		return -EINVAL;
	ibx_enc_dc((void *)(ctrl + 1), &to_iah(ah)->av, dctn, key);
	ibx_enc_stream(ctrl, stream);
	return 0;
}

void mlx5dv_wr_set_dc_addr(struct mlx5dv_qp_ex *mqp, struct ib_ah *ah, u32 remote_dctn,
			   u64 remote_dc_key)
{
	mlx5dv_wr_set_dc_addr_stream(mqp, ah, remote_dctn, remote_dc_key, 0);
}
EXPORT_SYMBOL_GPL(mlx5dv_wr_set_dc_addr);

void mlx5dv_wr_set_dc_addr_stream(struct mlx5dv_qp_ex *mqp, struct ib_ah *ah, u32 remote_dctn,
				  u64 remote_dc_key, u16 stream_id)
{
	struct ibx_qp *qp = ibx_qp_of(&mqp->qp_ex);

	if (ibx_wr_setter_begin(&qp->wr, IBX_SET_DC, IBX_SET_DC))
		ibx_wr_setter_end(&qp->wr, set_dc_addr(qp, ah, remote_dctn, remote_dc_key,
						       stream_id));
}
EXPORT_SYMBOL_GPL(mlx5dv_wr_set_dc_addr_stream);
