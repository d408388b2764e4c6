// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Helpers of the command handlers: violations, finding and freeing objects, and the memory
 * of queues.
 */
#include "cmd/handlers.h"
#include "core/core.h"
#include "host/host.h"
#include "obj/obj.h"

/**
 * sim_cmd_breach() - record a violation by a command
 * @sdev: the function
 * @cmd: the command
 * @vio: the rule it broke
 * @status: MLX5_CMD_STAT_* that answers it
 * @fmt: what was found, as for sim_violation(); the command's name goes before it
 *
 * Hardware thread.
 *
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
 * sim_cmd_errno() - the status for a failure that is not the driver's fault
 * @err: -ENOMEM, -ENOSPC (a table is full) or anything else
 *
 * Any context.
 *
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

/* The kernel (uid 0) may use anything, a user context its own and what all share. */
static bool sim_uid_may(u16 uid, const struct sim_obj *obj)
{
	return !uid || uid == MLX5_SHARED_RESOURCE_UID || uid == obj->uid ||
	       obj->uid == MLX5_SHARED_RESOURCE_UID;
}

/**
 * sim_cmd_obj() - find the object a command names
 * @sdev: the function
 * @cmd: the command, for its uid and for the violation
 * @type: kind of object
 * @id: its number
 * @status: set to MLX5_CMD_STAT_BAD_RES_ERR on failure, else untouched
 *
 * Hardware thread.
 *
 * Return: the object, or NULL after recording a violation.
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
 * sim_cmd_unused() - may this object be destroyed?
 * @sdev: the function
 * @cmd: the command, for the violation
 * @obj: the object
 * @status: set when not
 *
 * Hardware thread.
 *
 * Return: true if nothing depends on it.
 */
bool sim_cmd_unused(struct sim_dev *sdev, struct sim_cmd *cmd, struct sim_obj *obj, u8 *status)
{
	if (!obj->users)
		return true;
	*status = sim_cmd_in_use(sdev, cmd, "object %#x has %u users", obj->id, obj->users);
	return false;
}

/**
 * sim_cmd_take_buf() - check and take over the page list of a queue
 * @sdev: the function
 * @cmd: the command, for the violation
 * @desc: what it says
 * @buf: filled in, unless the queue takes no memory
 *
 * Hardware thread.
 *
 * Return: MLX5_CMD_STAT_*; only with MLX5_CMD_STAT_OK is there something in
 * @buf to free.
 */
u8 sim_cmd_take_buf(struct sim_dev *sdev, struct sim_cmd *cmd, const struct sim_cmd_buf *desc,
		    struct sim_buf *buf)
{
	u32 shift = desc->log_page_size + MLX5_ADAPTER_PAGE_SHIFT;
	u32 npas = desc->pas_bytes / sizeof(u64);
	u64 offset, want;
	int err;

	if (shift > SIM_BUF_MAX_SHIFT)
		return sim_cmd_bad_param(sdev, cmd, "log_page_size %u", desc->log_page_size);
	offset = (u64)desc->page_offset << (shift - 6);
	if (offset % desc->align)
		return sim_cmd_bad_param(sdev, cmd, "page offset %#llx for entries of %u", offset,
					 desc->align);
	want = desc->size ? (offset + desc->size + BIT_ULL(shift) - 1) >> shift : 0;
	if (npas != want)
		return sim_cmd_size(sdev, cmd, "%u pages, want %llu for %llu bytes", npas, want,
				    desc->size);
	if (!npas)
		return MLX5_CMD_STAT_OK;
	err = sim_buf_init(buf, desc->pas, npas, shift, offset);
	if (err == -EINVAL)
		return sim_cmd_bad_param(sdev, cmd, "addresses that no page of %#llx begins at",
					 BIT_ULL(shift));
	return sim_cmd_errno_ok(err);
}
