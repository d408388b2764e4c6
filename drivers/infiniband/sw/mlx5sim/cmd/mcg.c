// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands about multicast groups. A group consists of the QPs that are
 * attached to its address. A QP cannot be destroyed while it is attached.
 *
 * Unrefereed: U-170.
 */
#include <linux/mlx5/qp.h>
#include <linux/slab.h>

#include "cmd/handlers.h"
#include "core/core.h"
#include "obj/caps.h"
#include "obj/obj.h"

static void sim_mcg_free(struct sim_dev *sdev, struct sim_obj *obj)
{
	struct sim_mcg *mcg = container_of(obj, struct sim_mcg, obj);

	sim_obj_del(sdev, obj);
	sim_obj_unuse(&mcg->qp->obj);
	kfree(mcg);
}

/* Finds the QP in the group; counts the QPs of the group in *@members. */
static struct sim_mcg *sim_mcg_find(struct sim_dev *sdev, const struct sim_qp *qp, const u8 *gid,
				    u32 *members)
{
	struct sim_mcg *mcg, *found = NULL;
	unsigned long id;

	*members = 0;
	xa_for_each(&sdev->objs->xa[SIM_OBJ_MCG], id, mcg) {
		if (memcmp(mcg->gid, gid, sizeof(mcg->gid)))
			continue;
		(*members)++;
		if (mcg->qp == qp)
			found = mcg;
	}
	return found;
}

static u8 sim_mcg_add(struct sim_dev *sdev, struct sim_cmd *cmd, struct sim_qp *qp, const u8 *gid)
{
	struct sim_mcg *mcg = kzalloc(sizeof(*mcg), GFP_KERNEL);
	int err;

	if (!mcg)
		return sim_cmd_errno(-ENOMEM);
	err = sim_obj_add(sdev, &mcg->obj, SIM_OBJ_MCG, cmd->uid, sim_mcg_free);
	if (err) {
		kfree(mcg);
		return sim_cmd_errno(err);
	}
	memcpy(mcg->gid, gid, sizeof(mcg->gid));
	mcg->qp = qp;
	sim_obj_use(&qp->obj);
	return MLX5_CMD_STAT_OK;
}

u8 sim_cmd_attach_to_mcg(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	const u8 *gid = MLX5_ADDR_OF(attach_to_mcg_in, cmd->in, multicast_gid);
	struct sim_qp *qp;
	u32 members;
	u8 status;

	if (!SIM_CAP(sdev, log_max_mcg))
		return MLX5_CMD_STAT_BAD_OP_ERR;
	qp = sim_cmd_obj(sdev, cmd, SIM_OBJ_QP, MLX5_GET(attach_to_mcg_in, cmd->in, qpn), &status);
	if (!qp)
		return status;
	if (qp->st != MLX5_QP_ST_UD)
		return sim_cmd_bad_param(sdev, cmd, "QP 0x%x has service type %u", sim_qp_qpn(qp),
					 qp->st);
	if (sim_mcg_find(sdev, qp, gid, &members))
		/*
		 * no violation: uverbs compares GID and LID, so a process can
		 * attach a QP to one GID twice, with two LIDs
		 */
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	if (members >= SIM_CAP(sdev, max_qp_mcg))
		return MLX5_CMD_STAT_LIM_ERR;
	return sim_mcg_add(sdev, cmd, qp, gid);
}

u8 sim_cmd_detach_from_mcg(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	const u8 *gid = MLX5_ADDR_OF(detach_from_mcg_in, cmd->in, multicast_gid);
	struct sim_mcg *mcg;
	struct sim_qp *qp;
	u32 members;
	u8 status;

	qp = sim_cmd_obj(sdev, cmd, SIM_OBJ_QP, MLX5_GET(detach_from_mcg_in, cmd->in, qpn),
			 &status);
	if (!qp)
		return status;
	mcg = sim_mcg_find(sdev, qp, gid, &members);
	if (!mcg)
		return sim_cmd_bad_resource(sdev, cmd, "QP 0x%x is not in group %pI6c",
					    sim_qp_qpn(qp), gid);
	sim_mcg_free(sdev, &mcg->obj);
	return MLX5_CMD_STAT_OK;
}
