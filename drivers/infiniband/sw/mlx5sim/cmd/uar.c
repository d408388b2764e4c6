// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands about user access regions. dp/uar.c reads their doorbell registers.
 */
#include <linux/slab.h>

#include "cmd/handlers.h"
#include "core/core.h"
#include "obj/obj.h"

u8 sim_cmd_alloc_uar(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	struct sim_uar *uar = kzalloc(sizeof(*uar), GFP_KERNEL);
	int err;

	if (!uar)
		return sim_cmd_errno(-ENOMEM);
	err = sim_obj_add(sdev, &uar->obj, SIM_OBJ_UAR, cmd->uid, sim_obj_free_plain);
	if (err) {
		kfree(uar);
		return sim_cmd_errno(err);
	}
	memset_io(sdev->bar + uar->obj.id * SIM_UAR_SIZE, 0, SIM_UAR_SIZE);
	MLX5_SET(alloc_uar_out, cmd->out, uar, uar->obj.id);
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_dealloc_uar(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	struct sim_uar *uar;
	u8 status;

	uar = sim_cmd_obj(sdev, cmd, SIM_OBJ_UAR, MLX5_GET(dealloc_uar_in, cmd->in, uar), &status);
	if (!uar || !sim_cmd_unused(sdev, cmd, &uar->obj, &status))
		return status;
	sim_obj_free_plain(sdev, &uar->obj);
	return MLX5_CMD_STAT_OK;
}
