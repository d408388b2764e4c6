// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands about user access regions, the doorbell pages. dp/uar.c reads the
 * doorbell registers.
 *
 * EQs, CQs and QPs are users of their page. The kernel may deallocate a page
 * only when the page has no users. A user context may deallocate its page
 * earlier: libmlx5 frees its pages when it closes a device, and the kernel
 * destroys the remaining CQs and QPs of the process afterwards. After the
 * deallocation the number of the page is free, and the registers of the page
 * are not read. The struct sim_uar exists until the last user is destroyed.
 */
#include <linux/slab.h>

#include "cmd/handlers.h"
#include "core/core.h"
#include "obj/obj.h"

/**
 * sim_uar_unuse() - undo sim_obj_use() of a doorbell page
 * @uar: the page; freed with its last user if it was deallocated before
 *
 * Context: hardware thread.
 */
void sim_uar_unuse(struct sim_uar *uar)
{
	if (!uar->left)
		sim_obj_unuse(&uar->obj);
	else if (!--uar->left)
		kfree(uar);
}

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

/* Unrefereed: U-70. */
u8 sim_cmd_dealloc_uar(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	struct sim_uar *uar;
	u8 status;

	uar = sim_cmd_obj(sdev, cmd, SIM_OBJ_UAR, MLX5_GET(dealloc_uar_in, cmd->in, uar), &status);
	if (!uar)
		return status;
	if (cmd->uid && uar->obj.users) {
		uar->left = uar->obj.users;
		uar->obj.users = 0;
		sim_obj_del(sdev, &uar->obj);
		return MLX5_CMD_STAT_OK;
	}
	if (!sim_cmd_unused(sdev, cmd, &uar->obj, &status))
		return status;
	sim_obj_free_plain(sdev, &uar->obj);
	return MLX5_CMD_STAT_OK;
}
