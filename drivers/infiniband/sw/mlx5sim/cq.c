// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues.
 *
 * An entry's ownership bit is 0 in the first lap round the ring and toggles with
 * each lap; it sits in the last byte, which is written last. How far the driver
 * has read is in the queue's doorbell record, looked at only when the ring seems
 * full.
 *
 * Completion events are one-shot. The driver arms the queue by writing the arm
 * word of the record: a 2-bit serial number, the kind of completion to wait for,
 * and its consumer index. The word counts as long as its serial number is the
 * number of events the queue has fired; firing one makes it stale. A queue with
 * entries that nobody was told of is on the pending list and has its arm word
 * looked at by sim_cq_poll_pending(); this is also how an arm that comes after
 * the completion fires at once, as it must.
 *
 * Moderation holds an event back until cq_max_count entries are there or
 * cq_period microseconds have passed since the first, whichever comes first.
 *
 * A resized queue goes on in a new ring. The last entry of the old one says so
 * (opcode RESIZE_CQ); it takes an index like any other and is there before the
 * command completes, so that whoever reads up to it finds the entries that
 * follow in the new ring, at their indices.
 *
 * A queue created by user space starts with an all-zero arm word, which cannot be
 * told from an arm at index 0; such a queue may fire one event too early.
 *
 * Queues belong to the hardware thread.
 */
#include <linux/build_bug.h>
#include <linux/mlx5/cq.h>
#include <linux/slab.h>

#include "cmd.h"

#define SIM_CQ_IDX_MASK		0xffffff
#define SIM_CQ_DBR_SIZE		8

static_assert(sizeof(struct mlx5_cqe64) == 64);
static_assert(offsetof(struct mlx5_cqe64, op_own) == 63);

static void sim_cq_pend(struct sim_dev *sdev, struct sim_cq *cq)
{
	if (!list_empty(&cq->pending))
		return;
	cq->first_unnotified = cq->cq_period ? ktime_get() : 0;
	cq->looked = false;
	list_add_tail(&cq->pending, &sdev->cqs_pending);
}

/* kernel-doc in objects.h */
void sim_cq_fail(struct sim_dev *sdev, struct sim_cq *cq, u8 syndrome)
{
	union ev_data data = {};

	cq->error = true;
	list_del_init(&cq->pending);
	data.cq_err.cqn = cpu_to_be32(cq->obj.id);
	data.cq_err.syndrome = syndrome;
	sim_event(sdev, MLX5_EVENT_TYPE_CQ_ERROR, 0, &data);
	sim_dp_cq_error(sdev, cq);
}

/*
 * Is there room for one more entry? Reads the consumer index only if it seems
 * not. Records why not. Returns 0 or the syndrome the queue fails with.
 */
static u8 sim_cq_room(struct sim_dev *sdev, struct sim_cq *cq)
{
	u32 ci, used;

	if (cq->oi || cq->pi - cq->ci < BIT(cq->log_size))
		return 0;
	if (sim_dma_read_be32(sdev, cq->dbr_addr, &ci))
		return MLX5_CQ_ERROR_SYNDROME_CQ_ACCESS_VIOLATION_ERROR;
	used = (cq->pi - ci) & SIM_CQ_IDX_MASK;
	if (used > BIT(cq->log_size)) {
		sim_violation(sdev, SIM_VIO_cq_consumer, "cq %#x: consumer %#x, producer %#x",
			      cq->obj.id, ci, cq->pi);
		return MLX5_CQ_ERROR_SYNDROME_CQ_OVERRUN;
	}
	cq->ci = cq->pi - used;
	if (used < BIT(cq->log_size))
		return 0;
	sim_violation(sdev, SIM_VIO_cq_overrun, "cq %#x of %lu entries, producer %#x",
		      cq->obj.id, BIT(cq->log_size), cq->pi);
	return MLX5_CQ_ERROR_SYNDROME_CQ_OVERRUN;
}

static int sim_cq_write(struct sim_dev *sdev, struct sim_cq *cq, const struct mlx5_cqe64 *cqe)
{
	u64 off = (u64)(cq->pi & (BIT(cq->log_size) - 1)) * cq->cqe_size;
	u64 addr = sim_buf_addr(&cq->buf, off + cq->cqe_size - sizeof(*cqe));
	u32 len = sizeof(*cqe);
	struct mlx5_cqe64 *to;

	to = sim_dma_span(sdev, addr, &len, true);
	if (IS_ERR(to) || len != sizeof(*cqe))
		return -EFAULT;
	memcpy(to, cqe, offsetof(struct mlx5_cqe64, op_own));
	dma_wmb();
	WRITE_ONCE(to->op_own, (cqe->op_own & ~1) | sim_cqe_owner(cq->pi, cq->log_size));
	sim_dma_account(sdev, addr, sizeof(*cqe), true);
	return 0;
}

int sim_cq_post(struct sim_dev *sdev, struct sim_cq *cq, struct mlx5_cqe64 *cqe, bool solicited)
{
	u8 opcode = cqe->op_own >> 4;
	u8 syndrome;

	if (cq->error)
		return -EIO;
	syndrome = sim_cq_room(sdev, cq);
	if (syndrome) {
		sim_cq_fail(sdev, cq, syndrome);
		return -EIO;
	}
	if (sim_cq_write(sdev, cq, cqe)) {
		sim_cq_fail(sdev, cq, MLX5_CQ_ERROR_SYNDROME_CQ_ACCESS_VIOLATION_ERROR);
		return -EIO;
	}
	cq->pi++;
	sim_count(sdev, cqes);
	if (opcode == MLX5_CQE_REQ_ERR || opcode == MLX5_CQE_RESP_ERR) {
		sim_count(sdev, cqes_error);
		solicited = true;
	}
	if (solicited)
		cq->solicited_pi = cq->pi;
	sim_cq_pend(sdev, cq);
	return 0;
}

/* Moderation: true if an event may go out now. */
static bool sim_cq_due(const struct sim_cq *cq)
{
	if (!cq->cq_period || !cq->cq_max_count)
		return true;
	if (cq->pi - cq->notified_pi >= cq->cq_max_count)
		return true;
	return ktime_us_delta(ktime_get(), cq->first_unnotified) >= cq->cq_period;
}

static void sim_cq_fire(struct sim_dev *sdev, struct sim_cq *cq)
{
	union ev_data data = {};

	data.comp.cqn = cpu_to_be32(cq->obj.id);
	cq->arm_sn++;
	cq->notified_pi = cq->pi;
	list_del_init(&cq->pending);
	sim_eq_post(sdev, cq->eq, MLX5_EVENT_TYPE_COMP, &data);
}

/*
 * Silicon is told of an arm by a doorbell and reads the word once; looking again
 * and again is an artefact of this device, so it does not count as a transaction.
 */
static int sim_cq_read_arm(struct sim_dev *sdev, struct sim_cq *cq, u32 *arm)
{
	u32 len = sizeof(__be32);
	const __be32 *word = sim_dma_span(sdev, cq->dbr_addr + sizeof(*word), &len, false);

	if (IS_ERR(word) || len != sizeof(*word))
		return -EFAULT;
	*arm = be32_to_cpu(READ_ONCE(*word));
	return 0;
}

/**
 * sim_cq_poll_pending - fire the completion events that are wanted by now
 * @sdev: the function
 *
 * A queue stays on the list until it has fired: its arm word may come at any
 * time. Queues that are polled and never armed stay there for as long as they
 * live, at the price of one read each. Silicon reads the word once; so when
 * the record of such a queue has gone, after the first look, it is forgotten and
 * nobody is blamed.
 *
 * Hardware thread.
 *
 * Return: true if an event was fired.
 */
bool sim_cq_poll_pending(struct sim_dev *sdev)
{
	struct sim_cq *cq, *next;
	bool any = false;
	u32 arm;

	list_for_each_entry_safe(cq, next, &sdev->cqs_pending, pending) {
		if (cq->looked && !sim_dma_mapped(sdev, cq->dbr_addr)) {
			list_del_init(&cq->pending);
			continue;
		}
		cq->looked = true;
		if (sim_cq_read_arm(sdev, cq, &arm)) {
			sim_cq_fail(sdev, cq,
				    MLX5_CQ_ERROR_SYNDROME_CQ_ACCESS_VIOLATION_ERROR);
			continue;
		}
		if (!sim_cq_armed(arm, cq->arm_sn, cq->pi, cq->solicited_pi) || !sim_cq_due(cq))
			continue;
		sim_cq_fire(sdev, cq);
		any = true;
	}
	return any;
}

void sim_cq_free(struct sim_dev *sdev, struct sim_obj *obj)
{
	struct sim_cq *cq = container_of(obj, struct sim_cq, obj);

	list_del(&cq->pending);
	sim_obj_unuse(&cq->uar->obj);
	sim_obj_unuse(&cq->eq->obj);
	sim_obj_del(sdev, obj);
	sim_buf_free(&cq->buf);
	kfree(cq);
}

/* Checks a CREATE_CQ and fills the object, except its buffer. */
static u8 sim_cq_parse(struct sim_dev *sdev, struct sim_cmd *cmd, void *cqc, struct sim_cq *cq)
{
	u32 cqe_sz = MLX5_GET(cqc, cqc, cqe_sz);
	u8 status;

	INIT_LIST_HEAD(&cq->pending);
	cq->log_size = MLX5_GET(cqc, cqc, log_cq_size);
	cq->cqe_size = cqe_sz == CQE_STRIDE_64 ? 64 : 128;
	cq->oi = MLX5_GET(cqc, cqc, oi);
	cq->dbr_addr = MLX5_GET64(cqc, cqc, dbr_addr);
	cq->cq_period = MLX5_GET(cqc, cqc, cq_period);
	cq->cq_max_count = MLX5_GET(cqc, cqc, cq_max_count);

	if (cqe_sz > CQE_STRIDE_128)
		return sim_cmd_bad_param(sdev, cmd, "cqe_sz %u", cqe_sz);
	if (cq->log_size > SIM_CAP(sdev, log_max_cq_sz))
		return sim_cmd_bad_param(sdev, cmd, "log_cq_size %u", cq->log_size);
	if (cq->dbr_addr % SIM_CQ_DBR_SIZE)
		return sim_cmd_bad_param(sdev, cmd, "dbr_addr %#llx", cq->dbr_addr);
	cq->uar = sim_cmd_obj(sdev, cmd, SIM_OBJ_UAR, MLX5_GET(cqc, cqc, uar_page), &status);
	if (!cq->uar)
		return status;
	cq->eq = sim_cmd_obj(sdev, cmd, SIM_OBJ_EQ, MLX5_GET(cqc, cqc, c_eqn_or_apu_element),
			     &status);
	return cq->eq ? MLX5_CMD_STAT_OK : status;
}

/* Takes the page list of a CREATE_CQ. */
static u8 sim_cq_buf(struct sim_dev *sdev, struct sim_cmd *cmd, void *cqc, struct sim_cq *cq)
{
	struct sim_cmd_buf desc = {
		.log_page_size = MLX5_GET(cqc, cqc, log_page_size),
		.page_offset = MLX5_GET(cqc, cqc, page_offset),
		.align = cq->cqe_size,
		.size = (u64)cq->cqe_size << cq->log_size,
		.pas = MLX5_ADDR_OF(create_cq_in, cmd->in, pas),
		.pas_bytes = cmd->in_len - MLX5_ST_SZ_BYTES(create_cq_in),
	};

	return sim_cmd_take_buf(sdev, cmd, &desc, &cq->buf);
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
	status = sim_cmd_errno_ok(sim_obj_add(sdev, &cq->obj, SIM_OBJ_CQ, cmd->uid));
	if (status)
		goto free_buf;
	sim_obj_use(&cq->eq->obj);
	sim_obj_use(&cq->uar->obj);
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
	/* status 0xA is overflow; state 0x9 armed, 0xA fired */
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

/* Room for the last entry in the old ring, and for all that is not read in the new. */
static u8 sim_cq_resize_room(struct sim_dev *sdev, struct sim_cmd *cmd, struct sim_cq *cq,
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
	};
	struct mlx5_cqe64 last = { .op_own = MLX5_CQE_RESIZE_CQ << 4 };
	struct sim_buf buf = {};
	u8 status;

	if (cq->error)
		return sim_cmd_bad_state(sdev, cmd, "cq %#x is in error", cq->obj.id);
	if (log_size > SIM_CAP(sdev, log_max_cq_sz))
		return sim_cmd_bad_param(sdev, cmd, "log_cq_size %u", log_size);
	if (MLX5_GET(cqc, cqc, cqe_sz) != (cq->cqe_size == 64 ? CQE_STRIDE_64 : CQE_STRIDE_128))
		return sim_cmd_bad_param(sdev, cmd, "other cqe_sz");
	status = sim_cq_resize_room(sdev, cmd, cq, log_size);
	if (status)
		return status;
	status = sim_cmd_take_buf(sdev, cmd, &desc, &buf);
	if (status)
		return status;
	if (sim_cq_write(sdev, cq, &last)) {
		sim_buf_free(&buf);
		return MLX5_CMD_STAT_BAD_SYS_STATE_ERR;
	}
	cq->pi++;
	sim_buf_free(&cq->buf);
	cq->buf = buf;
	cq->log_size = log_size;
	return MLX5_CMD_STAT_OK;
}

/* Which of the fields that both forms of the command have may be set */
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
	/* 32 bits, all of them field select, of one kind or the other */
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
