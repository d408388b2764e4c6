// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Building completion queue entries.
 *
 * All functions are pure: they depend on a QP and numbers, and write 64 bytes.
 * The ownership bit stays clear: obj/cq.c sets it and maintains the counters.
 * The srqn field contains the user index of the QP (CQE version 1) or, for a
 * receive WQE of an XRC SRQ, the user index of the SRQ. A QP with the user
 * index 0xffffff has CQE version 0: for a receive WQE of an SRQ, the field then
 * contains the SRQ number.
 */

#include <kunit/visibility.h>

#include "dp/dp.h"
#include "obj/obj.h"

#define SIM_NO_USER_INDEX	0xffffff

static u32 sim_cqe_user_index(const struct sim_qp *qp, bool req)
{
	if (!req && sim_qp_has_srq(qp)) {
		if (qp->srq->kind == SIM_SRQ_XRC && qp->srq->user_index != SIM_NO_USER_INDEX)
			return qp->srq->user_index;
		if (qp->user_index == SIM_NO_USER_INDEX)
			return qp->srq->obj.id;
	}
	return qp->user_index;
}

/**
 * sim_cqe_req() - build the completion of a send WQE
 * @cqe: out: entry
 * @qp: QP
 * @opcode: MLX5_OPCODE_* of the WQE
 * @counter: index of the first basic block of the WQE
 * @bytes: payload bytes
 */
void sim_cqe_req(struct mlx5_cqe64 *cqe, const struct sim_qp *qp, u8 opcode, u16 counter,
		 u32 bytes)
{
	memset(cqe, 0, sizeof(*cqe));
	cqe->srqn = cpu_to_be32(sim_cqe_user_index(qp, true));
	cqe->byte_cnt = cpu_to_be32(bytes);
	cqe->sop_drop_qpn = cpu_to_be32((u32)opcode << 24 | sim_qp_qpn(qp));
	cqe->wqe_counter = cpu_to_be16(counter);
	cqe->op_own = MLX5_CQE_REQ << 4;
}
EXPORT_SYMBOL_IF_KUNIT(sim_cqe_req);

/**
 * sim_cqe_resp() - build the completion of a receive WQE
 * @cqe: out: entry; the caller adds immediate data, source and header flags
 * @qp: QP
 * @cqe_opcode: MLX5_CQE_RESP_*
 * @counter: number of the WQE, as sim_recv_peek() sets it
 * @bytes: bytes received
 */
void sim_cqe_resp(struct mlx5_cqe64 *cqe, const struct sim_qp *qp, u8 cqe_opcode,
		  u16 counter, u32 bytes)
{
	memset(cqe, 0, sizeof(*cqe));
	cqe->srqn = cpu_to_be32(sim_cqe_user_index(qp, false));
	cqe->byte_cnt = cpu_to_be32(bytes);
	cqe->sop_drop_qpn = cpu_to_be32(sim_qp_qpn(qp));
	cqe->wqe_counter = cpu_to_be16(counter);
	cqe->op_own = cqe_opcode << 4;
}
EXPORT_SYMBOL_IF_KUNIT(sim_cqe_resp);

/* Drivers only print these values; the values are common in driver logs. */
static u8 sim_vendor_synd(bool req, u8 syndrome)
{
	switch (syndrome) {
	case MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR:
		return 0x32;
	case MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR:
		return 0x68;
	case MLX5_CQE_SYNDROME_LOCAL_PROT_ERR:
		return 0x51;
	case MLX5_CQE_SYNDROME_WR_FLUSH_ERR:
		return req ? 0xf9 : 0xf5;
	case MLX5_CQE_SYNDROME_MW_BIND_ERR:
		return 0x75;
	case MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR:
		return 0x81;
	case MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR:
		return 0x87;
	case MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR:
		return 0x88;
	case MLX5_CQE_SYNDROME_REMOTE_OP_ERR:
		return 0x89;
	case MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR:
		return 0x8a;
	default:
		return 0;
	}
}

/**
 * sim_cqe_err() - build a completion in error
 * @cqe: out: entry
 * @qp: QP
 * @req: true for a send WQE, false for a receive WQE
 * @counter: number of the WQE, as for sim_cqe_req() or sim_cqe_resp()
 * @opcode: MLX5_OPCODE_* of a send WQE, 0 for a receive WQE
 * @syndrome: MLX5_CQE_SYNDROME_*
 */
void sim_cqe_err(struct mlx5_cqe64 *cqe, const struct sim_qp *qp, bool req, u16 counter,
		 u8 opcode, u8 syndrome)
{
	struct mlx5_err_cqe *err = (struct mlx5_err_cqe *)cqe;

	BUILD_BUG_ON(sizeof(*err) != sizeof(*cqe));
	memset(err, 0, sizeof(*err));
	err->srqn = cpu_to_be32(sim_cqe_user_index(qp, req));
	err->vendor_err_synd = sim_vendor_synd(req, syndrome);
	err->syndrome = syndrome;
	err->s_wqe_opcode_qpn = cpu_to_be32((u32)opcode << 24 | sim_qp_qpn(qp));
	err->wqe_counter = cpu_to_be16(counter);
	err->op_own = (req ? MLX5_CQE_REQ_ERR : MLX5_CQE_RESP_ERR) << 4;
}
EXPORT_SYMBOL_IF_KUNIT(sim_cqe_err);
