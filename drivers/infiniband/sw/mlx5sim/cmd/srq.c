// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shared receive queues, in three kinds: the basic SRQ of ISSI 0, the RMP of
 * ISSI 1 (instead of the basic SRQ), and the XRC SRQ. All are rings of WQEs
 * chained by index, except for an RMP that is cyclic. The three kinds share a
 * number space, but a command for one kind does not find SRQs of other kinds.
 *
 * Commands create, arm, query and destroy an SRQ; the data path consumes WQEs
 * and raises the limit event. SRQs belong to the hardware thread. An SRQ is a
 * user of its PD, an XRC SRQ is also a user of its CQ and XRC domain, and an
 * RMP is also a user of its UMEMs (sim_obj_use()).
 */
#include <linux/slab.h>

#include "cmd/handlers.h"
#include "dp/dp.h"
#include "host/host.h"
#include "obj/caps.h"
#include "obj/obj.h"

/* Common fields of the contexts of the three kinds */
struct sim_srq_ctx {
	u32 log_page_size;
	u32 page_offset;
	u32 pd;
	u16 lwm;
	const void *pas;
	u32 pas_bytes;
	bool umem;			/* only RMPs have these three fields */
	u32 umem_id;
	u64 umem_offset;
};

static struct sim_srq *sim_srq_get(struct sim_dev *sdev, struct sim_cmd *cmd,
				   enum sim_srq_kind kind, u32 id, u8 *status)
{
	struct sim_srq *srq = sim_cmd_obj(sdev, cmd, SIM_OBJ_SRQ, id, status);

	if (srq && srq->kind != kind) {
		*status = sim_cmd_bad_resource(sdev, cmd, "srq %#x is of kind %d, not %d", id,
					       srq->kind, kind);
		return NULL;
	}
	return srq;
}

static void sim_srq_free(struct sim_dev *sdev, struct sim_obj *obj)
{
	struct sim_srq *srq = container_of(obj, struct sim_srq, obj);

	if (srq->pd)
		sim_obj_unuse(&srq->pd->obj);
	if (srq->cq)
		sim_obj_unuse(&srq->cq->obj);
	if (srq->xrcd)
		sim_obj_unuse(&srq->xrcd->obj);
	sim_obj_del(sdev, obj);
	sim_umems_unuse(&srq->umems);
	sim_buf_free(&srq->buf);
	kfree(srq);
}

static u8 sim_srq_buf(struct sim_dev *sdev, struct sim_cmd *cmd, struct sim_srq *srq,
		      const struct sim_srq_ctx *ctx)
{
	struct sim_cmd_buf desc = {
		.log_page_size = ctx->log_page_size,
		.page_offset = ctx->page_offset,
		.align = BIT(srq->log_stride),
		.size = BIT_ULL(srq->log_size + srq->log_stride),
		.pas = ctx->pas,
		.pas_bytes = ctx->pas_bytes,
		.umem = ctx->umem,
		.umem_id = ctx->umem_id,
		.umem_offset = ctx->umem_offset,
	};

	return sim_cmd_read_buf(sdev, cmd, &desc, &srq->buf, &srq->umems.ring);
}

/*
 * The common part of the creation of the three kinds. The caller has set kind,
 * sizes and doorbell record address of @srq, and CQ and domain of an XRC SRQ.
 * After a failure, the caller frees @srq.
 */
static u8 sim_srq_create(struct sim_dev *sdev, struct sim_cmd *cmd, struct sim_srq *srq,
			 const struct sim_srq_ctx *ctx)
{
	u8 status;

	srq->lwm = ctx->lwm;
	if (srq->log_size > SIM_CAP(sdev, log_max_srq_sz))
		return sim_cmd_bad_param(sdev, cmd, "log size %u", srq->log_size);
	if (srq->log_stride < 5 || BIT(srq->log_stride) > SIM_CAP(sdev, max_wqe_sz_rq))
		return sim_cmd_bad_param(sdev, cmd, "log stride %u", srq->log_stride);
	if (srq->lwm >= BIT(srq->log_size) && srq->lwm)
		return sim_cmd_bad_param(sdev, cmd, "limit %u of %lu", srq->lwm,
					 BIT(srq->log_size));
	if (srq->dbr_addr % 4)
		return sim_cmd_bad_param(sdev, cmd, "dbr_addr %#llx", srq->dbr_addr);
	srq->pd = sim_cmd_obj(sdev, cmd, SIM_OBJ_PD, ctx->pd, &status);
	if (!srq->pd)
		return status;
	status = sim_srq_buf(sdev, cmd, srq, ctx);
	if (status)
		return status;
	status = sim_cmd_errno_ok(sim_obj_add(sdev, &srq->obj, SIM_OBJ_SRQ, cmd->uid,
					      sim_srq_free));
	if (status) {
		sim_buf_free(&srq->buf);
		return status;
	}
	sim_obj_use(&srq->pd->obj);
	sim_umems_use(&srq->umems);
	if (srq->cq)
		sim_obj_use(&srq->cq->obj);
	if (srq->xrcd)
		sim_obj_use(&srq->xrcd->obj);
	return MLX5_CMD_STAT_OK;
}

/* Checks and stores the order of the WQEs of an RMP. Unrefereed: U-191. */
static u8 sim_rmp_order(struct sim_dev *sdev, struct sim_cmd *cmd, const void *rmpc,
			struct sim_srq *srq)
{
	u32 type = MLX5_GET(rmpc, rmpc, wq.wq_type);

	/* other RMP types put several messages into one WQE */
	if (type != MLX5_WQ_TYPE_LINKED_LIST && type != MLX5_WQ_TYPE_CYCLIC)
		return sim_cmd_bad_param(sdev, cmd, "wq_type %u", type);
	srq->cyclic = type == MLX5_WQ_TYPE_CYCLIC;
	srq->basic = MLX5_GET(rmpc, rmpc, basic_cyclic_rcv_wqe);
	if (srq->basic && !srq->cyclic)
		return sim_cmd_bad_param(sdev, cmd, "basic_cyclic_rcv_wqe with a linked list");
	return MLX5_CMD_STAT_OK;
}

/* Unrefereed: U-145. */
u8 sim_cmd_create_rmp(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	void *rmpc = MLX5_ADDR_OF(create_rmp_in, cmd->in, ctx);
	void *wq = MLX5_ADDR_OF(rmpc, rmpc, wq);
	struct sim_srq_ctx ctx = {
		.log_page_size = MLX5_GET(wq, wq, log_wq_pg_sz),
		.page_offset = MLX5_GET(wq, wq, page_offset),
		.pd = MLX5_GET(wq, wq, pd),
		.lwm = MLX5_GET(wq, wq, lwm),
		.pas = MLX5_ADDR_OF(wq, wq, pas),
		.pas_bytes = cmd->in_len - MLX5_ST_SZ_BYTES(create_rmp_in),
		.umem = MLX5_GET(wq, wq, wq_umem_valid),
		.umem_id = MLX5_GET(wq, wq, wq_umem_id),
		.umem_offset = MLX5_GET64(wq, wq, wq_umem_offset),
	};
	const struct sim_cmd_dbr dbr = {
		.addr = MLX5_GET64(wq, wq, dbr_addr),
		.size = 4,
		.umem = MLX5_GET(wq, wq, dbr_umem_valid),
		.umem_id = MLX5_GET(wq, wq, dbr_umem_id),
	};
	struct sim_srq *srq;
	u8 status;

	if (MLX5_GET(rmpc, rmpc, state) != MLX5_RMPC_STATE_RDY)
		return sim_cmd_bad_param(sdev, cmd, "state %u", MLX5_GET(rmpc, rmpc, state));
	srq = kzalloc(sizeof(*srq), GFP_KERNEL);
	if (!srq)
		return sim_cmd_errno(-ENOMEM);
	srq->kind = SIM_SRQ_RMP;
	srq->log_size = MLX5_GET(wq, wq, log_wq_sz);
	srq->log_stride = MLX5_GET(wq, wq, log_wq_stride);
	status = sim_rmp_order(sdev, cmd, rmpc, srq);
	if (!status)
		status = sim_cmd_read_dbr(sdev, cmd, &dbr, &srq->dbr_addr, &srq->umems.dbr);
	if (!status)
		status = sim_srq_create(sdev, cmd, srq, &ctx);
	if (status) {
		kfree(srq);
		return status;
	}
	MLX5_SET(create_rmp_out, cmd->out, rmpn, srq->obj.id);
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_create_srq(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	void *srqc = MLX5_ADDR_OF(create_srq_in, cmd->in, srq_context_entry);
	struct sim_srq_ctx ctx = {
		.log_page_size = MLX5_GET(srqc, srqc, log_page_size),
		.page_offset = MLX5_GET(srqc, srqc, page_offset),
		.pd = MLX5_GET(srqc, srqc, pd),
		.lwm = MLX5_GET(srqc, srqc, lwm),
		.pas = MLX5_ADDR_OF(create_srq_in, cmd->in, pas),
		.pas_bytes = cmd->in_len - MLX5_ST_SZ_BYTES(create_srq_in),
	};
	struct sim_srq *srq;
	u8 status;

	srq = kzalloc(sizeof(*srq), GFP_KERNEL);
	if (!srq)
		return sim_cmd_errno(-ENOMEM);
	srq->kind = SIM_SRQ_BASIC;
	srq->log_size = MLX5_GET(srqc, srqc, log_srq_size);
	srq->log_stride = MLX5_GET(srqc, srqc, log_rq_stride) + 4;
	srq->dbr_addr = MLX5_GET64(srqc, srqc, dbr_addr);
	status = sim_srq_create(sdev, cmd, srq, &ctx);
	if (status) {
		kfree(srq);
		return status;
	}
	MLX5_SET(create_srq_out, cmd->out, srqn, srq->obj.id);
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_create_xrc_srq(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	void *srqc = MLX5_ADDR_OF(create_xrc_srq_in, cmd->in, xrc_srq_context_entry);
	struct sim_srq_ctx ctx = {
		.log_page_size = MLX5_GET(xrc_srqc, srqc, log_page_size),
		.page_offset = MLX5_GET(xrc_srqc, srqc, page_offset),
		.pd = MLX5_GET(xrc_srqc, srqc, pd),
		.lwm = MLX5_GET(xrc_srqc, srqc, lwm),
		.pas = MLX5_ADDR_OF(create_xrc_srq_in, cmd->in, pas),
		.pas_bytes = cmd->in_len - MLX5_ST_SZ_BYTES(create_xrc_srq_in),
	};
	struct sim_srq *srq;
	u8 status;

	srq = kzalloc(sizeof(*srq), GFP_KERNEL);
	if (!srq)
		return sim_cmd_errno(-ENOMEM);
	srq->kind = SIM_SRQ_XRC;
	srq->log_size = MLX5_GET(xrc_srqc, srqc, log_xrc_srq_size);
	srq->log_stride = MLX5_GET(xrc_srqc, srqc, log_rq_stride) + 4;
	srq->dbr_addr = (u64)MLX5_GET(xrc_srqc, srqc, db_record_addr_h) << 32 |
			MLX5_GET(xrc_srqc, srqc, db_record_addr_l) << 2;
	srq->user_index = MLX5_GET(xrc_srqc, srqc, user_index);
	srq->cq = sim_cmd_obj(sdev, cmd, SIM_OBJ_CQ, MLX5_GET(xrc_srqc, srqc, cqn), &status);
	if (!srq->cq)
		goto free;
	srq->xrcd = sim_cmd_obj(sdev, cmd, SIM_OBJ_XRCD, MLX5_GET(xrc_srqc, srqc, xrcd), &status);
	if (!srq->xrcd)
		goto free;
	status = sim_srq_create(sdev, cmd, srq, &ctx);
	if (status)
		goto free;
	MLX5_SET(create_xrc_srq_out, cmd->out, xrc_srqn, srq->obj.id);
	return MLX5_CMD_STAT_OK;

free:
	kfree(srq);
	return status;
}

static u8 sim_srq_destroy(struct sim_dev *sdev, struct sim_cmd *cmd, enum sim_srq_kind kind,
			  u32 id)
{
	struct sim_srq *srq;
	u8 status;

	srq = sim_srq_get(sdev, cmd, kind, id, &status);
	if (!srq || !sim_cmd_unused(sdev, cmd, &srq->obj, &status))
		return status;
	sim_srq_free(sdev, &srq->obj);
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_destroy_rmp(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	return sim_srq_destroy(sdev, cmd, SIM_SRQ_RMP, MLX5_GET(destroy_rmp_in, cmd->in, rmpn));
}

u8 sim_cmd_destroy_srq(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	return sim_srq_destroy(sdev, cmd, SIM_SRQ_BASIC, MLX5_GET(destroy_srq_in, cmd->in, srqn));
}

u8 sim_cmd_destroy_xrc_srq(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	return sim_srq_destroy(sdev, cmd, SIM_SRQ_XRC,
			       MLX5_GET(destroy_xrc_srq_in, cmd->in, xrc_srqn));
}

static u8 sim_srq_arm(struct sim_dev *sdev, struct sim_cmd *cmd, enum sim_srq_kind kind, u32 id,
		      u16 lwm)
{
	struct sim_srq *srq;
	u8 status;

	srq = sim_srq_get(sdev, cmd, kind, id, &status);
	if (!srq)
		return status;
	if (srq->error)
		return MLX5_CMD_STAT_BAD_RES_STATE_ERR;
	if (lwm >= BIT(srq->log_size) && lwm)
		return sim_cmd_bad_param(sdev, cmd, "limit %u of %lu", lwm, BIT(srq->log_size));
	srq->lwm = lwm;
	sim_dp_srq_limit(sdev, srq);
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_modify_rmp(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	void *rmpc = MLX5_ADDR_OF(modify_rmp_in, cmd->in, ctx);

	if (MLX5_GET(modify_rmp_in, cmd->in, rmp_state) != MLX5_RMPC_STATE_RDY ||
	    MLX5_GET(rmpc, rmpc, state) != MLX5_RMPC_STATE_RDY)
		return sim_cmd_bad_param(sdev, cmd, "from state %u to %u",
					 MLX5_GET(modify_rmp_in, cmd->in, rmp_state),
					 MLX5_GET(rmpc, rmpc, state));
	if (!MLX5_GET(modify_rmp_in, cmd->in, bitmask.lwm))
		return sim_cmd_bad_param(sdev, cmd, "nothing to modify");
	return sim_srq_arm(sdev, cmd, SIM_SRQ_RMP, MLX5_GET(modify_rmp_in, cmd->in, rmpn),
			   MLX5_GET(rmpc, rmpc, wq.lwm));
}

u8 sim_cmd_arm_srq(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	if (cmd->op_mod != MLX5_ARM_RQ_IN_OP_MOD_SRQ)
		return sim_cmd_bad_param(sdev, cmd, "op_mod %#x", cmd->op_mod);
	return sim_srq_arm(sdev, cmd, SIM_SRQ_BASIC, MLX5_GET(arm_rq_in, cmd->in, srq_number),
			   MLX5_GET(arm_rq_in, cmd->in, lwm));
}

u8 sim_cmd_arm_xrc_srq(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	if (cmd->op_mod != MLX5_ARM_XRC_SRQ_IN_OP_MOD_XRC_SRQ)
		return sim_cmd_bad_param(sdev, cmd, "op_mod %#x", cmd->op_mod);
	return sim_srq_arm(sdev, cmd, SIM_SRQ_XRC, MLX5_GET(arm_xrc_srq_in, cmd->in, xrc_srqn),
			   MLX5_GET(arm_xrc_srq_in, cmd->in, lwm));
}

u8 sim_cmd_query_rmp(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	void *rmpc = MLX5_ADDR_OF(query_rmp_out, cmd->out, rmp_context);
	void *wq = MLX5_ADDR_OF(rmpc, rmpc, wq);
	struct sim_srq *srq;
	u8 status;

	srq = sim_srq_get(sdev, cmd, SIM_SRQ_RMP, MLX5_GET(query_rmp_in, cmd->in, rmpn), &status);
	if (!srq)
		return status;
	MLX5_SET(rmpc, rmpc, state, srq->error ? MLX5_RMPC_STATE_ERR : MLX5_RMPC_STATE_RDY);
	MLX5_SET(rmpc, rmpc, basic_cyclic_rcv_wqe, srq->basic);
	MLX5_SET(wq, wq, wq_type, srq->cyclic ? MLX5_WQ_TYPE_CYCLIC : MLX5_WQ_TYPE_LINKED_LIST);
	MLX5_SET(wq, wq, log_wq_pg_sz, srq->buf.page_shift - MLX5_ADAPTER_PAGE_SHIFT);
	MLX5_SET(wq, wq, page_offset, srq->buf.offset >> (srq->buf.page_shift - 6));
	MLX5_SET(wq, wq, log_wq_sz, srq->log_size);
	MLX5_SET(wq, wq, log_wq_stride, srq->log_stride);
	MLX5_SET(wq, wq, lwm, srq->lwm);
	MLX5_SET(wq, wq, pd, srq->pd->obj.id);
	MLX5_SET(wq, wq, hw_counter, srq->counter);
	MLX5_SET64(wq, wq, dbr_addr, srq->dbr_addr);
	return MLX5_CMD_STAT_OK;
}

/*
 * Fills the fields that have the same position in the contexts of basic and XRC
 * SRQs.
 */
static void sim_srqc_fill(void *srqc, const struct sim_srq *srq)
{
	MLX5_SET(srqc, srqc, state, srq->error ? MLX5_SRQC_STATE_ERROR : MLX5_SRQC_STATE_GOOD);
	MLX5_SET(srqc, srqc, log_srq_size, srq->log_size);
	MLX5_SET(srqc, srqc, log_rq_stride, srq->log_stride - 4);
	MLX5_SET(srqc, srqc, log_page_size, srq->buf.page_shift - MLX5_ADAPTER_PAGE_SHIFT);
	MLX5_SET(srqc, srqc, page_offset, srq->buf.offset >> (srq->buf.page_shift - 6));
	MLX5_SET(srqc, srqc, lwm, srq->lwm);
	MLX5_SET(srqc, srqc, pd, srq->pd->obj.id);
	MLX5_SET64(srqc, srqc, dbr_addr, srq->dbr_addr);
}

u8 sim_cmd_query_srq(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	struct sim_srq *srq;
	u8 status;

	srq = sim_srq_get(sdev, cmd, SIM_SRQ_BASIC, MLX5_GET(query_srq_in, cmd->in, srqn),
			  &status);
	if (!srq)
		return status;
	sim_srqc_fill(MLX5_ADDR_OF(query_srq_out, cmd->out, srq_context_entry), srq);
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_query_xrc_srq(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	void *srqc = MLX5_ADDR_OF(query_xrc_srq_out, cmd->out, xrc_srq_context_entry);
	struct sim_srq *srq;
	u8 status;

	srq = sim_srq_get(sdev, cmd, SIM_SRQ_XRC, MLX5_GET(query_xrc_srq_in, cmd->in, xrc_srqn),
			  &status);
	if (!srq)
		return status;
	sim_srqc_fill(srqc, srq);
	MLX5_SET(xrc_srqc, srqc, cqn, srq->cq->obj.id);
	MLX5_SET(xrc_srqc, srqc, xrcd, srq->xrcd->obj.id);
	MLX5_SET(xrc_srqc, srqc, user_index, srq->user_index);
	return MLX5_CMD_STAT_OK;
}
