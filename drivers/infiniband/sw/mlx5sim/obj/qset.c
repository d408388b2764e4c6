// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Counting into queue counter sets. cmd/qset.c has the commands for counter
 * sets.
 *
 * A QP contains the number of its set, and the set may be freed before the QP:
 * mlx5_ib frees the set of an `rdma statistic` counter while a QP in error
 * still has its number. So the set is looked up for each event, and without a
 * set the event is not counted.
 */
#include <linux/mlx5/cq.h>

#include "obj/obj.h"

/**
 * sim_qcount_add() - count an event of a QP
 * @sdev: simulated function of the QP
 * @qp: the QP
 * @ctr: the counter
 *
 * Context: hardware thread.
 */
void sim_qcount_add(struct sim_dev *sdev, const struct sim_qp *qp, enum sim_qctr ctr)
{
	struct sim_qset *set = qp->qset ? sim_obj_find(sdev, SIM_OBJ_QSET, qp->qset) : NULL;

	if (set)
		set->n[ctr]++;
}

static enum sim_qctr sim_req_qctr(u8 syndrome)
{
	switch (syndrome) {
	case MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR:
		return SIM_QCTR_req_local_length_error;
	case MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR:
		return SIM_QCTR_local_operation_error;
	case MLX5_CQE_SYNDROME_LOCAL_PROT_ERR:
		return SIM_QCTR_req_local_protection;
	case MLX5_CQE_SYNDROME_WR_FLUSH_ERR:
		return SIM_QCTR_req_cqe_flush_error;
	case MLX5_CQE_SYNDROME_MW_BIND_ERR:
		return SIM_QCTR_req_mw_binding;
	case MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR:
		return SIM_QCTR_req_remote_invalid_request;
	case MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR:
		return SIM_QCTR_req_remote_access_errors;
	case MLX5_CQE_SYNDROME_REMOTE_OP_ERR:
		return SIM_QCTR_req_remote_operation_errors;
	case MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR:
		return SIM_QCTR_req_transport_retries_exceeded;
	case MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR:
		return SIM_QCTR_req_rnr_retries_exceeded;
	default:
		return SIM_QCTR_MAX;
	}
}

static enum sim_qctr sim_resp_qctr(u8 syndrome)
{
	switch (syndrome) {
	case MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR:
		return SIM_QCTR_resp_local_length_error;
	case MLX5_CQE_SYNDROME_LOCAL_PROT_ERR:
		return SIM_QCTR_resp_local_protection;
	case MLX5_CQE_SYNDROME_WR_FLUSH_ERR:
		return SIM_QCTR_resp_cqe_flush_error;
	default:
		return SIM_QCTR_MAX;
	}
}

/**
 * sim_qcount_syndrome() - count a WQE that completes in error
 * @sdev: simulated function of the QP
 * @qp: QP of the WQE
 * @req: true for a send WQE, false for a receive WQE
 * @syndrome: MLX5_CQE_SYNDROME_*; a flushed WQE completes in error too
 *
 * Unrefereed: U-72.
 *
 * Context: hardware thread.
 */
void sim_qcount_syndrome(struct sim_dev *sdev, const struct sim_qp *qp, bool req, u8 syndrome)
{
	enum sim_qctr ctr = req ? sim_req_qctr(syndrome) : sim_resp_qctr(syndrome);

	sim_qcount_add(sdev, qp, req ? SIM_QCTR_req_cqe_error : SIM_QCTR_resp_cqe_error);
	if (ctr != SIM_QCTR_MAX)
		sim_qcount_add(sdev, qp, ctr);
}
