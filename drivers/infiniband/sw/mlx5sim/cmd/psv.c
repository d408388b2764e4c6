// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands about PSVs, the initial signatures of memory keys.
 *
 * A BSF contains the numbers of its PSVs and is not a user of the PSVs
 * (sim_obj_use()), since mlx5_ib and libmlx5 destroy the PSVs before the key.
 */
#include <linux/slab.h>

#include "cmd/handlers.h"
#include "core/core.h"
#include "obj/caps.h"
#include "obj/obj.h"

static void sim_psv_free(struct sim_dev *sdev, struct sim_obj *obj)
{
	struct sim_psv *psv = container_of(obj, struct sim_psv, obj);

	sim_obj_del(sdev, obj);
	sim_obj_unuse(&psv->pd->obj);
	kfree(psv);
}

static struct sim_psv *sim_psv_add(struct sim_dev *sdev, struct sim_pd *pd, u16 uid)
{
	struct sim_psv *psv = kzalloc(sizeof(*psv), GFP_KERNEL);
	int err;

	if (!psv)
		return ERR_PTR(-ENOMEM);
	err = sim_obj_add(sdev, &psv->obj, SIM_OBJ_PSV, uid, sim_psv_free);
	if (err) {
		kfree(psv);
		return ERR_PTR(err);
	}
	psv->pd = pd;
	sim_obj_use(&pd->obj);
	return psv;
}

/* Unrefereed: U-100. */
u8 sim_cmd_create_psv(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	static const struct sim_field index[MLX5_MAX_PSVS] = {
		SIM_F(create_psv_out, psv0_index), SIM_F(create_psv_out, psv1_index),
		SIM_F(create_psv_out, psv2_index), SIM_F(create_psv_out, psv3_index),
	};
	u32 num = MLX5_GET(create_psv_in, cmd->in, num_psv);
	struct sim_psv *psv[MLX5_MAX_PSVS];
	struct sim_pd *pd;
	u8 status;
	u32 i;

	if (!SIM_CAP(sdev, sho))
		return MLX5_CMD_STAT_BAD_OP_ERR;
	if (!num || num > MLX5_MAX_PSVS)
		return sim_cmd_bad_param(sdev, cmd, "%u PSVs", num);
	pd = sim_cmd_obj(sdev, cmd, SIM_OBJ_PD, MLX5_GET(create_psv_in, cmd->in, pd), &status);
	if (!pd)
		return status;
	for (i = 0; i < num; i++) {
		psv[i] = sim_psv_add(sdev, pd, cmd->uid);
		if (IS_ERR(psv[i]))
			goto undo;
	}
	for (i = 0; i < num; i++)
		sim_bits_set(cmd->out, index[i], psv[i]->obj.id);
	return MLX5_CMD_STAT_OK;

undo:
	status = sim_cmd_errno(PTR_ERR(psv[i]));
	while (i--)
		sim_psv_free(sdev, &psv[i]->obj);
	return status;
}

u8 sim_cmd_destroy_psv(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	struct sim_psv *psv;
	u8 status;

	psv = sim_cmd_obj(sdev, cmd, SIM_OBJ_PSV, MLX5_GET(destroy_psv_in, cmd->in, psvn),
			  &status);
	if (!psv)
		return status;
	sim_psv_free(sdev, &psv->obj);
	return MLX5_CMD_STAT_OK;
}
