// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands about queue counter sets.
 *
 * The capability max_qp_cnt limits the number of sets. The number that
 * identifies a set has 8 bits and is never 0, because 0 in a QP context means
 * no set. So there are at most 255 sets. A set may be freed while QP contexts
 * contain its number (obj/qset.c).
 */
#include <linux/slab.h>

#include "cmd/handlers.h"
#include "core/core.h"
#include "obj/caps.h"
#include "obj/obj.h"

static const struct sim_field sim_qctr_fields[SIM_QCTR_MAX] = {
	[SIM_QCTR_rx_write_requests] = SIM_F(query_q_counter_out, rx_write_requests),
	[SIM_QCTR_rx_read_requests] = SIM_F(query_q_counter_out, rx_read_requests),
	[SIM_QCTR_rx_atomic_requests] = SIM_F(query_q_counter_out, rx_atomic_requests),
	[SIM_QCTR_out_of_buffer] = SIM_F(query_q_counter_out, out_of_buffer),
	[SIM_QCTR_out_of_sequence] = SIM_F(query_q_counter_out, out_of_sequence),
	[SIM_QCTR_duplicate_request] = SIM_F(query_q_counter_out, duplicate_request),
	[SIM_QCTR_resp_local_length_error] = SIM_F(query_q_counter_out, resp_local_length_error),
	[SIM_QCTR_resp_local_protection] = SIM_F(query_q_counter_out, resp_local_protection),
	[SIM_QCTR_resp_remote_invalid_request] =
		SIM_F(query_q_counter_out, resp_remote_invalid_request),
	[SIM_QCTR_resp_remote_access_errors] =
		SIM_F(query_q_counter_out, resp_remote_access_errors),
	[SIM_QCTR_resp_cqe_error] = SIM_F(query_q_counter_out, resp_cqe_error),
	[SIM_QCTR_resp_cqe_flush_error] = SIM_F(query_q_counter_out, resp_cqe_flush_error),
	[SIM_QCTR_rnr_nak_retry_err] = SIM_F(query_q_counter_out, rnr_nak_retry_err),
	[SIM_QCTR_packet_seq_err] = SIM_F(query_q_counter_out, packet_seq_err),
	[SIM_QCTR_local_ack_timeout_err] = SIM_F(query_q_counter_out, local_ack_timeout_err),
	[SIM_QCTR_req_rnr_retries_exceeded] = SIM_F(query_q_counter_out, req_rnr_retries_exceeded),
	[SIM_QCTR_req_transport_retries_exceeded] =
		SIM_F(query_q_counter_out, req_transport_retries_exceeded),
	[SIM_QCTR_req_local_length_error] = SIM_F(query_q_counter_out, req_local_length_error),
	[SIM_QCTR_local_operation_error] = SIM_F(query_q_counter_out, local_operation_error),
	[SIM_QCTR_req_local_protection] = SIM_F(query_q_counter_out, req_local_protection),
	[SIM_QCTR_req_mw_binding] = SIM_F(query_q_counter_out, req_mw_binding),
	[SIM_QCTR_req_remote_invalid_request] =
		SIM_F(query_q_counter_out, req_remote_invalid_request),
	[SIM_QCTR_req_remote_access_errors] = SIM_F(query_q_counter_out, req_remote_access_errors),
	[SIM_QCTR_req_remote_operation_errors] =
		SIM_F(query_q_counter_out, req_remote_operation_errors),
	[SIM_QCTR_req_cqe_error] = SIM_F(query_q_counter_out, req_cqe_error),
	[SIM_QCTR_req_cqe_flush_error] = SIM_F(query_q_counter_out, req_cqe_flush_error),
	[SIM_QCTR_cq_overflow] = SIM_F(query_q_counter_out, cq_overflow),
};

u8 sim_cmd_alloc_q_counter(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	struct sim_qset *set;
	int err;

	if (!SIM_CAP(sdev, max_qp_cnt))
		return MLX5_CMD_STAT_BAD_OP_ERR;
	set = kzalloc(sizeof(*set), GFP_KERNEL);
	if (!set)
		return sim_cmd_errno(-ENOMEM);
	err = sim_obj_add(sdev, &set->obj, SIM_OBJ_QSET, cmd->uid, sim_obj_free_plain);
	if (err) {
		kfree(set);
		return sim_cmd_errno(err);
	}
	MLX5_SET(alloc_q_counter_out, cmd->out, counter_set_id, set->obj.id);
	return MLX5_CMD_STAT_OK;
}

/* A set may be freed while QPs use it. Unrefereed: U-73. */
u8 sim_cmd_dealloc_q_counter(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	struct sim_qset *set;
	u8 status;

	set = sim_cmd_obj(sdev, cmd, SIM_OBJ_QSET,
			  MLX5_GET(dealloc_q_counter_in, cmd->in, counter_set_id), &status);
	if (!set)
		return status;
	sim_obj_free_plain(sdev, &set->obj);
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_query_q_counter(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	struct sim_qset *set;
	u8 status;
	int i;

	set = sim_cmd_obj(sdev, cmd, SIM_OBJ_QSET,
			  MLX5_GET(query_q_counter_in, cmd->in, counter_set_id), &status);
	if (!set)
		return status;
	for (i = 0; i < SIM_QCTR_MAX; i++)
		sim_bits_set(cmd->out, sim_qctr_fields[i], set->n[i]);
	if (MLX5_GET(query_q_counter_in, cmd->in, clear))
		memset(set->n, 0, sizeof(set->n));
	return MLX5_CMD_STAT_OK;
}
