// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Building completion queue entries.
 *
 * Pure: a QP and numbers in, 64 bytes out. The ownership bit is left clear; it
 * belongs to the CQ (obj/cq.c), as do the counters. The srqn field carries the user
 * index (CQE version 1) unless the owner left it at 0xffffff, which asks for
 * version 0: then it is the SRQ's number. XRC receives carry the SRQ's index.
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
 * sim_cqe_req - completion of a send WQE
 * @cqe: out
 * @qp: the QP
 * @opcode: MLX5_OPCODE_* of the WQE
 * @counter: basic block the WQE started at
 * @bytes: data it moved
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
 * sim_cqe_resp - completion of a receive WQE
 * @cqe: out; the caller adds immediate data, source and header flags
 * @qp: the QP
 * @cqe_opcode: MLX5_CQE_RESP_*
 * @index: of the WQE in its ring
 * @bytes: received
 */
void sim_cqe_resp(struct mlx5_cqe64 *cqe, const struct sim_qp *qp, u8 cqe_opcode, u16 index,
		  u32 bytes)
{
	memset(cqe, 0, sizeof(*cqe));
	cqe->srqn = cpu_to_be32(sim_cqe_user_index(qp, false));
	cqe->byte_cnt = cpu_to_be32(bytes);
	cqe->sop_drop_qpn = cpu_to_be32(sim_qp_qpn(qp));
	cqe->wqe_counter = cpu_to_be16(index);
	cqe->op_own = cqe_opcode << 4;
}
EXPORT_SYMBOL_IF_KUNIT(sim_cqe_resp);

/* Drivers only print these; the values are those commonly seen in their logs. */
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
 * sim_cqe_err - completion in error
 * @cqe: out
 * @qp: the QP
 * @req: of a send WQE, else of a receive WQE
 * @counter: as for a good completion of that kind
 * @opcode: MLX5_OPCODE_* of a send WQE
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
