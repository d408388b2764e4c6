// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands about general objects. In these commands the type of the object
 * replaces the operation modifier, and the layout of the object depends on the
 * type.
 */
#include "cmd/handlers.h"
#include "core/core.h"
#include "obj/obj.h"

/* value of obj_type in rdma-core; <linux/mlx5/mlx5_ifc.h> does not define it */
#define SIM_GENOBJ_LOGIN	0x1f

/**
 * struct sim_genobj - a type of general objects
 * @type: value of obj_type
 * @create: handles CREATE_GENERAL_OBJECT
 * @query: handles QUERY_GENERAL_OBJECT
 * @destroy: handles DESTROY_GENERAL_OBJECT
 */
struct sim_genobj {
	u16 type;
	sim_cmd_fn create;
	sim_cmd_fn query;
	sim_cmd_fn destroy;
};

static const struct sim_genobj sim_genobjs[] = {
	{ MLX5_GENERAL_OBJECT_TYPES_ENCRYPTION_KEY, sim_dek_create, sim_dek_query,
	  sim_dek_destroy },
	{ SIM_GENOBJ_LOGIN, sim_login_create, sim_login_query, sim_login_destroy },
};

static const struct sim_genobj *sim_genobj_of(struct sim_dev *sdev, struct sim_cmd *cmd,
					      u8 *status)
{
	const struct sim_genobj *g;

	for (g = sim_genobjs; g < sim_genobjs + ARRAY_SIZE(sim_genobjs); g++)
		if (g->type == cmd->op_mod)
			return g;
	*status = sim_cmd_bad_param(sdev, cmd, "object type %#x", cmd->op_mod);
	return NULL;
}

u8 sim_cmd_create_general_object(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	const struct sim_genobj *g;
	u8 status;

	g = sim_genobj_of(sdev, cmd, &status);
	return g ? g->create(sdev, cmd) : status;
}

u8 sim_cmd_query_general_object(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	const struct sim_genobj *g;
	u8 status;

	g = sim_genobj_of(sdev, cmd, &status);
	return g ? g->query(sdev, cmd) : status;
}

u8 sim_cmd_destroy_general_object(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	const struct sim_genobj *g;
	u8 status;

	g = sim_genobj_of(sdev, cmd, &status);
	return g ? g->destroy(sdev, cmd) : status;
}
