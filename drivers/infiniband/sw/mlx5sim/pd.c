// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Objects that are nothing but a number: protection domains, transport domains,
 * XRC domains and user contexts. A user context's number is the uid of the
 * commands issued for it, and it cannot go away before the objects it made.
 */
#include <linux/slab.h>

#include "cmd.h"

/* Makes an object without properties; *@id is its number. */
static u8 sim_plain_alloc(struct sim_dev *sdev, struct sim_cmd *cmd, enum sim_obj_type type,
			  u32 *id)
{
	struct sim_obj *obj = kzalloc(sizeof(*obj), GFP_KERNEL);
	int err;

	if (!obj)
		return sim_cmd_errno(-ENOMEM);
	err = sim_obj_add(sdev, obj, type, cmd->uid);
	if (err) {
		kfree(obj);
		return sim_cmd_errno(err);
	}
	*id = obj->id;
	return MLX5_CMD_STAT_OK;
}

static u8 sim_plain_dealloc(struct sim_dev *sdev, struct sim_cmd *cmd, enum sim_obj_type type,
			    u32 id)
{
	struct sim_obj *obj;
	u8 status;

	obj = sim_cmd_obj(sdev, cmd, type, id, &status);
	if (!obj || !sim_cmd_unused(sdev, cmd, obj, &status))
		return status;
	sim_obj_del(sdev, obj);
	kfree(obj);
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_alloc_pd(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	u32 id = 0;
	u8 status = sim_plain_alloc(sdev, cmd, SIM_OBJ_PD, &id);

	MLX5_SET(alloc_pd_out, cmd->out, pd, id);
	return status;
}

u8 sim_cmd_dealloc_pd(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	return sim_plain_dealloc(sdev, cmd, SIM_OBJ_PD, MLX5_GET(dealloc_pd_in, cmd->in, pd));
}

u8 sim_cmd_alloc_td(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	u32 id = 0;
	u8 status = sim_plain_alloc(sdev, cmd, SIM_OBJ_TD, &id);

	MLX5_SET(alloc_transport_domain_out, cmd->out, transport_domain, id);
	return status;
}

u8 sim_cmd_dealloc_td(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	return sim_plain_dealloc(sdev, cmd, SIM_OBJ_TD,
				 MLX5_GET(dealloc_transport_domain_in, cmd->in, transport_domain));
}

u8 sim_cmd_alloc_xrcd(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	u32 id = 0;
	u8 status;

	if (!SIM_CAP(sdev, xrc))
		return MLX5_CMD_STAT_BAD_OP_ERR;
	status = sim_plain_alloc(sdev, cmd, SIM_OBJ_XRCD, &id);
	MLX5_SET(alloc_xrcd_out, cmd->out, xrcd, id);
	return status;
}

u8 sim_cmd_dealloc_xrcd(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	return sim_plain_dealloc(sdev, cmd, SIM_OBJ_XRCD,
				 MLX5_GET(dealloc_xrcd_in, cmd->in, xrcd));
}

u8 sim_cmd_create_uctx(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	u32 cap = MLX5_GET(create_uctx_in, cmd->in, uctx.cap);
	u32 id = 0;
	u8 status;

	if (!SIM_CAP(sdev, log_max_uctx))
		return MLX5_CMD_STAT_BAD_OP_ERR;
	if (cap & ~SIM_CAP(sdev, uctx_cap))
		return sim_cmd_bad_param(sdev, cmd, "cap %#x not supported", cap);
	status = sim_plain_alloc(sdev, cmd, SIM_OBJ_UCTX, &id);
	MLX5_SET(create_uctx_out, cmd->out, uid, id);
	return status;
}

/* Does any object belong to this uid? Rare, so a walk over all of them will do. */
static struct sim_obj *sim_uctx_leftover(struct sim_dev *sdev, u16 uid)
{
	struct sim_obj *obj;
	unsigned long id;
	int type;

	for (type = 0; type < SIM_OBJ_MAX; type++)
		xa_for_each(&sdev->objs->xa[type], id, obj)
			if (type != SIM_OBJ_UCTX && obj->uid == uid)
				return obj;
	return NULL;
}

u8 sim_cmd_destroy_uctx(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	u16 uid = MLX5_GET(destroy_uctx_in, cmd->in, uid);
	struct sim_obj *left = sim_uctx_leftover(sdev, uid);

	if (uid && left)
		return sim_cmd_in_use(sdev, cmd, "uid %#x still owns object %#x of type %d", uid,
				      left->id, left->type);
	return sim_plain_dealloc(sdev, cmd, SIM_OBJ_UCTX, uid);
}
