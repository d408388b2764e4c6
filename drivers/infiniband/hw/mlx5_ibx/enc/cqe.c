// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: decoders of CQE fields that only some completions need (the status
 * of an error, the sender of a datagram), and of the types of QP events.
 */

#include <linux/if_vlan.h>

#include "enc/enc.h"

/* flags_rqpn: [29:28] GRH present, [25:24] type of the RoCE header, [23:0] source QP */
#define RQPN_GRH(f)	((f) >> 28 & 3)
#define RQPN_L3(f)	((f) >> 24 & 3)
#define RQPN_QPN(f)	((f) & IBX_QPN_MASK)

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
 * ibx_dec_syndrome() - convert the syndrome of an error CQE to a status
 * @syndrome: MLX5_CQE_SYNDROME_*
 *
 * Context: any.
 * Return: status, never IB_WC_SUCCESS; IB_WC_GENERAL_ERR for an unknown syndrome.
 */
enum ib_wc_status ibx_dec_syndrome(u8 syndrome)
{
	if (syndrome >= ARRAY_SIZE(status_of) || !status_of[syndrome])
		return IB_WC_GENERAL_ERR;
	return status_of[syndrome];
}

/* 0 is IB_EVENT_CQ_ERR, which is no event of a QP: it marks the other types */
static const u8 qp_event_of[] = {
	[MLX5_EVENT_TYPE_PATH_MIG]		= IB_EVENT_PATH_MIG,
	[MLX5_EVENT_TYPE_COMM_EST]		= IB_EVENT_COMM_EST,
	[MLX5_EVENT_TYPE_SQ_DRAINED]		= IB_EVENT_SQ_DRAINED,
	[MLX5_EVENT_TYPE_WQ_CATAS_ERROR]	= IB_EVENT_QP_FATAL,
	[MLX5_EVENT_TYPE_PATH_MIG_FAILED]	= IB_EVENT_PATH_MIG_ERR,
	[MLX5_EVENT_TYPE_WQ_INVAL_REQ_ERROR]	= IB_EVENT_QP_REQ_ERR,
	[MLX5_EVENT_TYPE_WQ_ACCESS_ERROR]	= IB_EVENT_QP_ACCESS_ERR,
	[MLX5_EVENT_TYPE_SRQ_LAST_WQE]		= IB_EVENT_QP_LAST_WQE_REACHED,
};

/**
 * ibx_dec_qp_event() - convert the type of an EQE to an event of a QP
 * @type: type that mlx5_core reports: MLX5_EVENT_TYPE_* or MLX5_DEV_EVENT_*
 *
 * Context: any.
 * Return: enum ib_event_type, or -ENOENT if no QP has such an event.
 */
int ibx_dec_qp_event(unsigned long type)
{
	if (type >= ARRAY_SIZE(qp_event_of) || !qp_event_of[type])
		return -ENOENT;
	return qp_event_of[type];
}

static void decode_l3_header(struct ib_wc *wc, u32 l3)
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
 * ibx_dec_ud() - decode the sender and the headers of a datagram
 * @wc: completion; bits are added to its wc_flags
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
	if (cqe_has_vlan(cqe)) {
		wc->vlan_id = vlan & VLAN_VID_MASK;
		wc->sl = vlan >> VLAN_PRIO_SHIFT;
		wc->wc_flags |= IB_WC_WITH_VLAN;
	}
	decode_l3_header(wc, RQPN_L3(flags));
}
