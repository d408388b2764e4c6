// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands about event queues. obj/eq.c writes their entries.
 *
 * EQs belong to the hardware thread. A CQ is a user of its EQ (sim_obj_use()),
 * and an EQ is a user of its doorbell page.
 */
#include <linux/slab.h>

#include "cmd/handlers.h"
#include "dp/dp.h"
#include "host/host.h"
#include "obj/caps.h"
#include "obj/obj.h"

static void sim_eq_free(struct sim_dev *sdev, struct sim_obj *obj)
{
	struct sim_eq *eq = container_of(obj, struct sim_eq, obj);

	sim_uar_unuse(eq->uar);
	sim_obj_del(sdev, obj);
	sim_buf_free(&eq->buf);
	kfree(eq);
}

/* Checks a CREATE_EQ and fills the object, except its buffer. */
static u8 sim_eq_parse(struct sim_dev *sdev, struct sim_cmd *cmd, struct sim_eq *eq)
{
	void *eqc = MLX5_ADDR_OF(create_eq_in, cmd->in, eq_context_entry);
	u8 status;
	int i;

	eq->log_size = MLX5_GET(eqc, eqc, log_eq_size);
	eq->vector = MLX5_GET(eqc, eqc, intr);
	for (i = 0; i < ARRAY_SIZE(eq->events); i++)
		eq->events[i] = MLX5_GET64(create_eq_in, cmd->in, event_bitmask[i]);

	if (eq->log_size > SIM_CAP(sdev, log_max_eq_sz))
		return sim_cmd_bad_param(sdev, cmd, "log_eq_size %u", eq->log_size);
	if (eq->vector >= sim_msix_nvec(sdev))
		return sim_cmd_bad_param(sdev, cmd, "vector %u of %u", eq->vector,
					 sim_msix_nvec(sdev));
	eq->uar = sim_cmd_obj(sdev, cmd, SIM_OBJ_UAR, MLX5_GET(eqc, eqc, uar_page), &status);
	return eq->uar ? MLX5_CMD_STAT_OK : status;
}

u8 sim_cmd_create_eq(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	void *eqc = MLX5_ADDR_OF(create_eq_in, cmd->in, eq_context_entry);
	struct sim_cmd_buf desc = {
		.log_page_size = MLX5_GET(eqc, eqc, log_page_size),
		.align = 1,
		.pas = MLX5_ADDR_OF(create_eq_in, cmd->in, pas),
		.pas_bytes = cmd->in_len - MLX5_ST_SZ_BYTES(create_eq_in),
	};
	struct sim_eq *eq;
	u8 status;

	eq = kzalloc(sizeof(*eq), GFP_KERNEL);
	if (!eq)
		return sim_cmd_errno(-ENOMEM);
	status = sim_eq_parse(sdev, cmd, eq);
	if (status)
		goto free;
	desc.size = (u64)SIM_EQE_SIZE << eq->log_size;
	status = sim_cmd_read_buf(sdev, cmd, &desc, &eq->buf, NULL);
	if (status)
		goto free;
	status = sim_cmd_errno_ok(sim_obj_add(sdev, &eq->obj, SIM_OBJ_EQ, cmd->uid, sim_eq_free));
	if (status)
		goto free_buf;
	sim_obj_use(&eq->uar->obj);
	MLX5_SET(create_eq_out, cmd->out, eq_number, eq->obj.id);
	return MLX5_CMD_STAT_OK;

free_buf:
	sim_buf_free(&eq->buf);
free:
	kfree(eq);
	return status;
}

u8 sim_cmd_destroy_eq(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	struct sim_eq *eq;
	u8 status;

	eq = sim_cmd_obj(sdev, cmd, SIM_OBJ_EQ, MLX5_GET(destroy_eq_in, cmd->in, eq_number),
			 &status);
	if (!eq || !sim_cmd_unused(sdev, cmd, &eq->obj, &status))
		return status;
	/* handle the doorbells that were written before this command */
	sim_uar_poll(sdev);
	sim_eq_free(sdev, &eq->obj);
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_query_eq(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	void *eqc = MLX5_ADDR_OF(query_eq_out, cmd->out, eq_context_entry);
	struct sim_eq *eq;
	u8 status;

	eq = sim_cmd_obj(sdev, cmd, SIM_OBJ_EQ, MLX5_GET(query_eq_in, cmd->in, eq_number),
			 &status);
	if (!eq)
		return status;
	MLX5_SET(eqc, eqc, st, eq->armed ? MLX5_EQC_ST_ARMED : MLX5_EQC_ST_FIRED);
	MLX5_SET(eqc, eqc, log_eq_size, eq->log_size);
	MLX5_SET(eqc, eqc, intr, eq->vector);
	MLX5_SET(eqc, eqc, log_page_size, eq->buf.page_shift - MLX5_ADAPTER_PAGE_SHIFT);
	MLX5_SET(eqc, eqc, producer_counter, eq->pi & 0xffffff);
	MLX5_SET64(query_eq_out, cmd->out, event_bitmask, eq->events[0]);
	return MLX5_CMD_STAT_OK;
}
