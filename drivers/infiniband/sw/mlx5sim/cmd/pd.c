// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Objects without properties besides their number: protection domains,
 * transport domains, XRC domains, flow counters and user contexts. The number
 * of a user context is the uid of its commands. A user context cannot be
 * destroyed before the objects that were created with its uid.
 */
#include <linux/slab.h>

#include "cmd/handlers.h"
#include "core/core.h"
#include "obj/caps.h"
#include "obj/obj.h"

/* Creates an object without properties; sets *@id to its number. */
static u8 sim_plain_add(struct sim_dev *sdev, struct sim_cmd *cmd, enum sim_obj_type type, u32 *id)
{
	struct sim_obj *obj = kzalloc(sizeof(*obj), GFP_KERNEL);
	int err;

	if (!obj)
		return sim_cmd_errno(-ENOMEM);
	err = sim_obj_add(sdev, obj, type, cmd->uid, sim_obj_free_plain);
	if (err) {
		kfree(obj);
		return sim_cmd_errno(err);
	}
	*id = obj->id;
	return MLX5_CMD_STAT_OK;
}

static u8 sim_plain_del(struct sim_dev *sdev, struct sim_cmd *cmd, enum sim_obj_type type, u32 id)
{
	struct sim_obj *obj;
	u8 status;

	obj = sim_cmd_obj(sdev, cmd, type, id, &status);
	if (!obj || !sim_cmd_unused(sdev, cmd, obj, &status))
		return status;
	sim_obj_free_plain(sdev, obj);
	return MLX5_CMD_STAT_OK;
}

/* Types of objects whose commands differ only in the position of the number */
static const struct sim_plain {
	u16 alloc;
	u16 dealloc;
	enum sim_obj_type type;
	struct sim_field out;	/* the number in the output of @alloc */
	struct sim_field in;	/* the number in the input of @dealloc */
	struct sim_field cap;	/* general capability of @alloc, if any */
} sim_plains[] = {
	{
		.alloc = MLX5_CMD_OP_ALLOC_PD,
		.dealloc = MLX5_CMD_OP_DEALLOC_PD,
		.type = SIM_OBJ_PD,
		.out = SIM_F(alloc_pd_out, pd),
		.in = SIM_F(dealloc_pd_in, pd),
	},
	{
		.alloc = MLX5_CMD_OP_ALLOC_TRANSPORT_DOMAIN,
		.dealloc = MLX5_CMD_OP_DEALLOC_TRANSPORT_DOMAIN,
		.type = SIM_OBJ_TD,
		.out = SIM_F(alloc_transport_domain_out, transport_domain),
		.in = SIM_F(dealloc_transport_domain_in, transport_domain),
	},
	{
		.alloc = MLX5_CMD_OP_ALLOC_XRCD,
		.dealloc = MLX5_CMD_OP_DEALLOC_XRCD,
		.type = SIM_OBJ_XRCD,
		.out = SIM_F(alloc_xrcd_out, xrcd),
		.in = SIM_F(dealloc_xrcd_in, xrcd),
		.cap = SIM_F(cmd_hca_cap, xrc),
	},
	{
		.alloc = MLX5_CMD_OP_ALLOC_FLOW_COUNTER,
		.dealloc = MLX5_CMD_OP_DEALLOC_FLOW_COUNTER,
		.type = SIM_OBJ_FLOW_COUNTER,
		.out = SIM_F(alloc_flow_counter_out, flow_counter_id),
		.in = SIM_F(dealloc_flow_counter_in, flow_counter_id),
		.cap = SIM_F(cmd_hca_cap, max_flow_counter_15_0),
	},
};

/* NULL only for an opcode whose row in table.c is wrong */
static const struct sim_plain *sim_plain_of(u16 opcode)
{
	const struct sim_plain *p;

	for (p = sim_plains; p < sim_plains + ARRAY_SIZE(sim_plains); p++)
		if (p->alloc == opcode || p->dealloc == opcode)
			return p;
	return NULL;
}

u8 sim_cmd_plain_alloc(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	const struct sim_plain *p = sim_plain_of(cmd->opcode);
	u32 id = 0;
	u8 status;

	if (WARN_ON_ONCE(!p))
		return MLX5_CMD_STAT_INT_ERR;
	if (p->cap.len &&
	    !sim_bits_get(sim_caps_page(sdev, MLX5_CAP_GENERAL, false), p->cap))
		return MLX5_CMD_STAT_BAD_OP_ERR;
	status = sim_plain_add(sdev, cmd, p->type, &id);
	sim_bits_set(cmd->out, p->out, id);
	return status;
}

u8 sim_cmd_plain_dealloc(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	const struct sim_plain *p = sim_plain_of(cmd->opcode);

	if (WARN_ON_ONCE(!p))
		return MLX5_CMD_STAT_INT_ERR;
	return sim_plain_del(sdev, cmd, p->type, sim_bits_get(cmd->in, p->in));
}

/* Unrefereed: U-160. */
u8 sim_cmd_query_flow_counter(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	u32 n = MLX5_GET(query_flow_counter_in, cmd->in, num_of_counters);
	u32 want = MLX5_ST_SZ_BYTES(query_flow_counter_out) + MLX5_ST_SZ_BYTES(traffic_counter);
	u8 status = MLX5_CMD_STAT_OK;

	if (n > 1)
		return sim_cmd_bad_param(sdev, cmd, "%u counters", n);
	if (cmd->out_len < want) {
		sim_cmd_size(sdev, cmd, "output is %u bytes, want %u", cmd->out_len, want);
		return MLX5_CMD_STAT_BAD_OUTP_LEN_ERR;
	}
	/* packets and octets stay 0 */
	sim_cmd_obj(sdev, cmd, SIM_OBJ_FLOW_COUNTER,
		    MLX5_GET(query_flow_counter_in, cmd->in, flow_counter_id), &status);
	return status;
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
	status = sim_plain_add(sdev, cmd, SIM_OBJ_UCTX, &id);
	MLX5_SET(create_uctx_out, cmd->out, uid, id);
	return status;
}

/*
 * Find an object, other than a user context, that was created with this uid.
 * The function is rarely called, so a walk over all objects is fast enough.
 */
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
	return sim_plain_del(sdev, cmd, SIM_OBJ_UCTX, uid);
}
