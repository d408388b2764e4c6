// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Helpers of the command handlers: violations, status codes, and the lookup of
 * objects.
 */
#include "cmd/handlers.h"
#include "core/core.h"
#include "obj/obj.h"

/**
 * sim_cmd_breach() - record a violation by a command
 * @sdev: simulated function
 * @cmd: the command
 * @vio: class of the violation
 * @status: MLX5_CMD_STAT_* to return
 * @fmt: printf format as for sim_violation(); the line begins with the name of
 *	the command
 *
 * Context: hardware thread.
 * Return: @status.
 */
u8 sim_cmd_breach(struct sim_dev *sdev, struct sim_cmd *cmd, enum sim_vio vio, u8 status,
		  const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	va_list args;

	va_start(args, fmt);
	vaf.va = &args;
	sim_violation(sdev, vio, "%s: %pV", cmd->desc ? cmd->desc->name : "?", &vaf);
	va_end(args);
	return status;
}

/**
 * sim_cmd_errno() - command status for an errno that is not a violation
 * @err: -ENOMEM, -ENOSPC (a table is full) or another errno
 *
 * Unrefereed: U-65.
 *
 * Context: any.
 * Return: MLX5_CMD_STAT_*.
 */
u8 sim_cmd_errno(int err)
{
	switch (err) {
	case -ENOSPC:
		return MLX5_CMD_STAT_LIM_ERR;
	case -ENOMEM:
		return MLX5_CMD_STAT_NO_RES_ERR;
	default:
		return MLX5_CMD_STAT_INT_ERR;
	}
}

/*
 * The kernel (uid 0) and the shared uid may use any object. A user context may
 * use its objects and the objects of the shared uid. Unrefereed: U-120.
 */
static bool sim_uid_may(u16 uid, const struct sim_obj *obj)
{
	return !uid || uid == MLX5_SHARED_RESOURCE_UID || uid == obj->uid ||
	       obj->uid == MLX5_SHARED_RESOURCE_UID;
}

/**
 * sim_cmd_obj() - find an object that a command refers to
 * @sdev: simulated function
 * @cmd: the command, for its uid and for the violation
 * @type: type of the object
 * @id: number of the object
 * @status: set to MLX5_CMD_STAT_BAD_RES_ERR on failure, else unchanged
 *
 * Context: hardware thread.
 * Return: the object; NULL, after a violation, when no object has the number,
 * or the object has another uid.
 */
void *sim_cmd_obj(struct sim_dev *sdev, struct sim_cmd *cmd, enum sim_obj_type type, u32 id,
		  u8 *status)
{
	struct sim_obj *obj = sim_obj_find(sdev, type, id);

	if (!obj) {
		*status = sim_cmd_bad_resource(sdev, cmd, "no object %#x of type %d", id, type);
		return NULL;
	}
	if (!sim_uid_may(cmd->uid, obj)) {
		*status = sim_cmd_bad_uid(sdev, cmd, "object %#x of type %d is of uid %#x, not %#x",
					  id, type, obj->uid, cmd->uid);
		return NULL;
	}
	return obj;
}

/**
 * sim_cmd_unused() - check that no other object depends on an object
 * @sdev: simulated function
 * @cmd: the command, for the violation
 * @obj: the object
 * @status: set to MLX5_CMD_STAT_RES_BUSY on failure, else unchanged
 *
 * Context: hardware thread.
 * Return: true if the object has no users; false after a violation.
 */
bool sim_cmd_unused(struct sim_dev *sdev, struct sim_cmd *cmd, struct sim_obj *obj, u8 *status)
{
	if (!obj->users)
		return true;
	*status = sim_cmd_in_use(sdev, cmd, "object %#x has %u users", obj->id, obj->users);
	return false;
}
