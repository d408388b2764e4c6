// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands about completion queues. obj/cq.c writes their entries.
 *
 * A resized CQ continues in a new ring. The last entry of the old ring has the
 * opcode RESIZE_CQ. This entry has an index like any other entry and is written
 * before the command completes. The next entries are in the new ring, at the
 * indices that follow.
 *
 * A CQ of user space has an arm word of 0 at creation. This word is also a
 * valid request for an event after index 0. So such a CQ may raise one event
 * that was not requested, after another CQ of the same doorbell page was armed
 * (obj/cq.c).
 *
 * CQs belong to the hardware thread. A CQ is a user of its EQ and of its
 * doorbell page (sim_obj_use()).
 */
#include <linux/mlx5/cq.h>
#include <linux/slab.h>

#include "cmd/handlers.h"
#include "dp/dp.h"
#include "host/host.h"
#include "obj/caps.h"
#include "obj/obj.h"

#define SIM_CQ_DBR_SIZE		8

static void sim_cq_free(struct sim_dev *sdev, struct sim_obj *obj)
{
	struct sim_cq *cq = container_of(obj, struct sim_cq, obj);

	list_del(&cq->pending);
	sim_uar_unuse(cq->uar);
	sim_obj_unuse(&cq->eq->obj);
	sim_obj_del(sdev, obj);
	sim_umems_unuse(&cq->umems);
	sim_buf_free(&cq->buf);
	kfree(cq);
}

static u8 sim_cq_dbr(struct sim_dev *sdev, struct sim_cmd *cmd, void *cqc, struct sim_cq *cq)
{
	const struct sim_cmd_dbr desc = {
		.addr = MLX5_GET64(cqc, cqc, dbr_addr),
		.size = SIM_CQ_DBR_SIZE,
		.umem = MLX5_GET(cqc, cqc, dbr_umem_valid),
		.umem_id = sim_bits_get(cmd->in, (struct sim_field)SIM_CQ_DBR_UMEM),
	};

	return sim_cmd_read_dbr(sdev, cmd, &desc, &cq->dbr_addr, &cq->umems.dbr);
}

/* Checks a CREATE_CQ and fills the object, except its buffer. */
static u8 sim_cq_parse(struct sim_dev *sdev, struct sim_cmd *cmd, void *cqc, struct sim_cq *cq)
{
	u32 cqe_sz = MLX5_GET(cqc, cqc, cqe_sz);
	u8 status;

	INIT_LIST_HEAD(&cq->pending);
	cq->on_error = sim_dp_cq_error;
	cq->log_size = MLX5_GET(cqc, cqc, log_cq_size);
	cq->cqe_size = cqe_sz == CQE_STRIDE_64 ? 64 : 128;
	cq->oi = MLX5_GET(cqc, cqc, oi);
	cq->cq_period = MLX5_GET(cqc, cqc, cq_period);
	cq->cq_max_count = MLX5_GET(cqc, cqc, cq_max_count);

	if (cqe_sz > CQE_STRIDE_128)
		return sim_cmd_bad_param(sdev, cmd, "cqe_sz %u", cqe_sz);
	if (cq->log_size > SIM_CAP(sdev, log_max_cq_sz))
		return sim_cmd_bad_param(sdev, cmd, "log_cq_size %u", cq->log_size);
	status = sim_cq_dbr(sdev, cmd, cqc, cq);
	if (status)
		return status;
	cq->uar = sim_cmd_obj(sdev, cmd, SIM_OBJ_UAR, MLX5_GET(cqc, cqc, uar_page), &status);
	if (!cq->uar)
		return status;
	cq->eq = sim_cmd_obj(sdev, cmd, SIM_OBJ_EQ, MLX5_GET(cqc, cqc, c_eqn_or_apu_element),
			     &status);
	return cq->eq ? MLX5_CMD_STAT_OK : status;
}

/* Checks and copies the page list of a CREATE_CQ. */
static u8 sim_cq_buf(struct sim_dev *sdev, struct sim_cmd *cmd, void *cqc, struct sim_cq *cq)
{
	struct sim_cmd_buf desc = {
		.log_page_size = MLX5_GET(cqc, cqc, log_page_size),
		.page_offset = MLX5_GET(cqc, cqc, page_offset),
		.align = cq->cqe_size,
		.size = (u64)cq->cqe_size << cq->log_size,
		.pas = MLX5_ADDR_OF(create_cq_in, cmd->in, pas),
		.pas_bytes = cmd->in_len - MLX5_ST_SZ_BYTES(create_cq_in),
		.umem = MLX5_GET(create_cq_in, cmd->in, cq_umem_valid),
		.umem_id = sim_bits_get(cmd->in, (struct sim_field)SIM_CQ_UMEM_ID),
		.umem_offset = sim_cmd_get64(cmd, (struct sim_field)SIM_CQ_UMEM_OFFSET),
	};

	return sim_cmd_read_buf(sdev, cmd, &desc, &cq->buf, &cq->umems.ring);
}

u8 sim_cmd_create_cq(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	void *cqc = MLX5_ADDR_OF(create_cq_in, cmd->in, cq_context);
	struct sim_cq *cq;
	u8 status;

	cq = kzalloc(sizeof(*cq), GFP_KERNEL);
	if (!cq)
		return sim_cmd_errno(-ENOMEM);
	status = sim_cq_parse(sdev, cmd, cqc, cq);
	if (status)
		goto free;
	status = sim_cq_buf(sdev, cmd, cqc, cq);
	if (status)
		goto free;
	status = sim_cmd_errno_ok(sim_obj_add(sdev, &cq->obj, SIM_OBJ_CQ, cmd->uid, sim_cq_free));
	if (status)
		goto free_buf;
	sim_obj_use(&cq->eq->obj);
	sim_obj_use(&cq->uar->obj);
	sim_umems_use(&cq->umems);
	sim_cq_init_arm(sdev, cq);
	MLX5_SET(create_cq_out, cmd->out, cqn, cq->obj.id);
	return MLX5_CMD_STAT_OK;

free_buf:
	sim_buf_free(&cq->buf);
free:
	kfree(cq);
	return status;
}

u8 sim_cmd_destroy_cq(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	struct sim_cq *cq;
	u8 status;

	cq = sim_cmd_obj(sdev, cmd, SIM_OBJ_CQ, MLX5_GET(destroy_cq_in, cmd->in, cqn), &status);
	if (!cq || !sim_cmd_unused(sdev, cmd, &cq->obj, &status))
		return status;
	sim_cq_free(sdev, &cq->obj);
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_query_cq(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	void *cqc = MLX5_ADDR_OF(query_cq_out, cmd->out, cq_context);
	struct sim_cq *cq;
	u32 ci;
	u8 status;

	cq = sim_cmd_obj(sdev, cmd, SIM_OBJ_CQ, MLX5_GET(query_cq_in, cmd->in, cqn), &status);
	if (!cq)
		return status;
	if (sim_dma_read_be32(sdev, cq->dbr_addr, &ci))
		return MLX5_CMD_STAT_BAD_SYS_STATE_ERR;
	/* status 0xA: CQ write failure; the state is always 0xA, fired */
	MLX5_SET(cqc, cqc, status, cq->error ? 0xa : 0);
	MLX5_SET(cqc, cqc, cqe_sz, cq->cqe_size == 128 ? CQE_STRIDE_128 : CQE_STRIDE_64);
	MLX5_SET(cqc, cqc, oi, cq->oi);
	MLX5_SET(cqc, cqc, st, 0xa);
	MLX5_SET(cqc, cqc, log_cq_size, cq->log_size);
	MLX5_SET(cqc, cqc, cq_period, cq->cq_period);
	MLX5_SET(cqc, cqc, cq_max_count, cq->cq_max_count);
	MLX5_SET(cqc, cqc, c_eqn_or_apu_element, cq->eq->obj.id);
	MLX5_SET(cqc, cqc, log_page_size, cq->buf.page_shift - MLX5_ADAPTER_PAGE_SHIFT);
	MLX5_SET(cqc, cqc, last_notified_index, cq->notified_pi & SIM_CQ_IDX_MASK);
	MLX5_SET(cqc, cqc, last_solicit_index, cq->solicited_pi & SIM_CQ_IDX_MASK);
	MLX5_SET(cqc, cqc, consumer_counter, ci & SIM_CQ_IDX_MASK);
	MLX5_SET(cqc, cqc, producer_counter, cq->pi & SIM_CQ_IDX_MASK);
	MLX5_SET64(cqc, cqc, dbr_addr, cq->dbr_addr);
	return MLX5_CMD_STAT_OK;
}

/*
 * The old ring needs space for the RESIZE_CQ entry. The new ring needs space
 * for every entry that the driver has not consumed, the RESIZE_CQ entry
 * included.
 * Unrefereed: U-50.
 */
static u8 sim_cq_resize_fits(struct sim_dev *sdev, struct sim_cmd *cmd, struct sim_cq *cq,
			     u8 log_size)
{
	u32 ci, used;

	if (sim_dma_read_be32(sdev, cq->dbr_addr, &ci))
		return MLX5_CMD_STAT_BAD_SYS_STATE_ERR;
	used = (cq->pi - ci) & SIM_CQ_IDX_MASK;
	if (used > BIT(cq->log_size))
		return sim_cmd_bad_state(sdev, cmd, "cq %#x: consumer %#x, producer %#x",
					 cq->obj.id, ci, cq->pi);
	cq->ci = cq->pi - used;
	if (used >= BIT(cq->log_size) || used >= BIT(log_size))
		return MLX5_CMD_STAT_BAD_SIZE_OUTS_CQES_ERR;
	return MLX5_CMD_STAT_OK;
}

static u8 sim_cq_resize(struct sim_dev *sdev, struct sim_cmd *cmd, struct sim_cq *cq)
{
	void *cqc = MLX5_ADDR_OF(modify_cq_in, cmd->in, cq_context);
	u8 log_size = MLX5_GET(cqc, cqc, log_cq_size);
	struct sim_cmd_buf desc = {
		.log_page_size = MLX5_GET(cqc, cqc, log_page_size),
		.page_offset = MLX5_GET(cqc, cqc, page_offset),
		.align = cq->cqe_size,
		.size = (u64)cq->cqe_size << log_size,
		.pas = MLX5_ADDR_OF(modify_cq_in, cmd->in, pas),
		.pas_bytes = cmd->in_len - MLX5_ST_SZ_BYTES(modify_cq_in),
		.umem = MLX5_GET(modify_cq_in, cmd->in, cq_umem_valid),
		.umem_id = sim_bits_get(cmd->in, (struct sim_field)SIM_CQ_UMEM_ID),
		.umem_offset = sim_cmd_get64(cmd, (struct sim_field)SIM_CQ_UMEM_OFFSET),
	};
	struct sim_umem *umem = NULL;
	struct mlx5_cqe64 last = { .op_own = MLX5_CQE_RESIZE_CQ << 4 };
	struct sim_buf buf = {};
	u8 status;

	if (cq->error)
		return sim_cmd_bad_state(sdev, cmd, "cq %#x is in error", cq->obj.id);
	if (log_size > SIM_CAP(sdev, log_max_cq_sz))
		return sim_cmd_bad_param(sdev, cmd, "log_cq_size %u", log_size);
	if (MLX5_GET(cqc, cqc, cqe_sz) != (cq->cqe_size == 64 ? CQE_STRIDE_64 : CQE_STRIDE_128))
		return sim_cmd_bad_param(sdev, cmd, "other cqe_sz");
	status = sim_cq_resize_fits(sdev, cmd, cq, log_size);
	if (status)
		return status;
	status = sim_cmd_read_buf(sdev, cmd, &desc, &buf, &umem);
	if (status)
		return status;
	if (sim_cq_write(sdev, cq, &last)) {
		sim_buf_free(&buf);
		return MLX5_CMD_STAT_BAD_SYS_STATE_ERR;
	}
	cq->pi++;
	sim_obj_unuse(cq->umems.ring ? &cq->umems.ring->obj : NULL);
	sim_obj_use(umem ? &umem->obj : NULL);
	cq->umems.ring = umem;
	sim_buf_free(&cq->buf);
	cq->buf = buf;
	cq->log_size = log_size;
	return MLX5_CMD_STAT_OK;
}

/*
 * Is a field set that belongs to the other form of the command, resize or
 * moderation?
 */
static bool sim_modify_cq_foreign(const void *cqc, bool resize)
{
	if (resize)
		return MLX5_GET(cqc, cqc, cq_period) || MLX5_GET(cqc, cqc, cq_max_count) ||
		       MLX5_GET(cqc, cqc, oi);
	return MLX5_GET(cqc, cqc, cqe_sz) || MLX5_GET(cqc, cqc, page_offset) ||
	       MLX5_GET(cqc, cqc, log_cq_size) || MLX5_GET(cqc, cqc, log_page_size);
}

u8 sim_cmd_modify_cq(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	const u32 moderation = MLX5_CQ_MODIFY_PERIOD | MLX5_CQ_MODIFY_COUNT |
			       MLX5_CQ_MODIFY_OVERRUN;
	const u32 ring = MLX5_MODIFY_CQ_MASK_LOG_SIZE | MLX5_MODIFY_CQ_MASK_PG_OFFSET |
			 MLX5_MODIFY_CQ_MASK_PG_SIZE;
	bool resize = cmd->op_mod == MLX5_CQ_OPMOD_RESIZE;
	void *cqc = MLX5_ADDR_OF(modify_cq_in, cmd->in, cq_context);
	/* all 32 bits are the field select, for either form of the command */
	u32 sel = be32_to_cpup(MLX5_ADDR_OF(modify_cq_in, cmd->in,
					    modify_field_select_resize_field_select));
	struct sim_cq *cq;
	u8 status;

	if (cmd->op_mod && (!resize || !SIM_CAP(sdev, cq_resize)))
		return MLX5_CMD_STAT_BAD_OP_ERR;
	cq = sim_cmd_obj(sdev, cmd, SIM_OBJ_CQ, MLX5_GET(modify_cq_in, cmd->in, cqn), &status);
	if (!cq)
		return status;
	if (resize ? sel != ring : sel & ~moderation)
		return sim_cmd_bad_param(sdev, cmd, "field select %#x", sel);
	if (sim_modify_cq_foreign(cqc, resize))
		return sim_cmd_reserved(sdev, cmd, "fields of the other kind of change");
	if (resize)
		return sim_cq_resize(sdev, cmd, cq);
	if (sel & MLX5_CQ_MODIFY_PERIOD)
		cq->cq_period = MLX5_GET(cqc, cqc, cq_period);
	if (sel & MLX5_CQ_MODIFY_COUNT)
		cq->cq_max_count = MLX5_GET(cqc, cqc, cq_max_count);
	if (sel & MLX5_CQ_MODIFY_OVERRUN)
		cq->oi = MLX5_GET(cqc, cqc, oi);
	return MLX5_CMD_STAT_OK;
}
