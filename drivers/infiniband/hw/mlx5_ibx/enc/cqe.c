// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: what a CQE means, apart from the fields every poll reads.
 */

#include "enc/enc.h"

/* flags_rqpn: [29:28] there is a GRH, [25:24] header of RoCE, [23:0] sender */
#define RQPN_GRH(f)	((f) >> 28 & 3)
#define RQPN_L3(f)	((f) >> 24 & 3)
#define RQPN_QPN(f)	((f) & 0xffffff)

static const u8 status_of[] = {
	[MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR]		= IB_WC_LOC_LEN_ERR,
	[MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR]		= IB_WC_LOC_QP_OP_ERR,
	[MLX5_CQE_SYNDROME_LOCAL_PROT_ERR]		= IB_WC_LOC_PROT_ERR,
	[MLX5_CQE_SYNDROME_WR_FLUSH_ERR]		= IB_WC_WR_FLUSH_ERR,
	[MLX5_CQE_SYNDROME_MW_BIND_ERR]			= IB_WC_MW_BIND_ERR,
	[MLX5_CQE_SYNDROME_BAD_RESP_ERR]		= IB_WC_BAD_RESP_ERR,
	[MLX5_CQE_SYNDROME_LOCAL_ACCESS_ERR]		= IB_WC_LOC_ACCESS_ERR,
	[MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR]	= IB_WC_REM_INV_REQ_ERR,
	[MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR]		= IB_WC_REM_ACCESS_ERR,
	[MLX5_CQE_SYNDROME_REMOTE_OP_ERR]		= IB_WC_REM_OP_ERR,
	[MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR]	= IB_WC_RETRY_EXC_ERR,
	[MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR]		= IB_WC_RNR_RETRY_EXC_ERR,
	[MLX5_CQE_SYNDROME_REMOTE_ABORTED_ERR]		= IB_WC_REM_ABORT_ERR,
};

/**
 * ibx_dec_syndrome() - status of a work completion from an error CQE
 * @syndrome: of the CQE
 *
 * Context: any.
 * Return: never IB_WC_SUCCESS: a syndrome nobody knows is IB_WC_GENERAL_ERR.
 */
enum ib_wc_status ibx_dec_syndrome(u8 syndrome)
{
	if (syndrome >= ARRAY_SIZE(status_of) || !status_of[syndrome])
		return IB_WC_GENERAL_ERR;
	return status_of[syndrome];
}

static void dec_l3(struct ib_wc *wc, u32 l3)
{
	switch (l3) {
	case MLX5_CQE_ROCE_L3_HEADER_TYPE_GRH:
		wc->network_hdr_type = RDMA_NETWORK_ROCE_V1;
		break;
	case MLX5_CQE_ROCE_L3_HEADER_TYPE_IPV6:
		wc->network_hdr_type = RDMA_NETWORK_IPV6;
		break;
	case MLX5_CQE_ROCE_L3_HEADER_TYPE_IPV4:
		wc->network_hdr_type = RDMA_NETWORK_IPV4;
		break;
	default:
		return;
	}
	wc->wc_flags |= IB_WC_WITH_NETWORK_HDR_TYPE;
}

/**
 * ibx_dec_ud() - who sent a datagram and how it came
 * @wc: completion, whose wc_flags are set already and get more bits
 * @cqe: CQE of a receive on a UD or GSI QP over RoCE
 *
 * Context: any.
 */
void ibx_dec_ud(struct ib_wc *wc, const struct mlx5_cqe64 *cqe)
{
	u32 flags = be32_to_cpu(cqe->flags_rqpn);
	u16 vlan = be16_to_cpu(cqe->vlan_info);

	wc->src_qp = RQPN_QPN(flags);
	wc->dlid_path_bits = cqe->ml_path;
	wc->slid = 0;
	wc->pkey_index = 0;
	wc->sl = 0;
	if (RQPN_GRH(flags))
		wc->wc_flags |= IB_WC_GRH;
	if (cqe->l4_l3_hdr_type & 1) {
		wc->vlan_id = vlan & 0xfff;
		wc->sl = vlan >> 13;
		wc->wc_flags |= IB_WC_WITH_VLAN;
	}
	dec_l3(wc, RQPN_L3(flags));
}
