// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * User access regions: pages of the BAR with doorbell registers.
 *
 * A write to a register is plain memory here, so later writes hide earlier ones
 * and nothing may depend on seeing one: doorbell records in host memory are what
 * the device acts on. The registers are still watched, to count what can be seen
 * and to clear it, so that a trace shows which queue rang.
 */
#include <linux/slab.h>

#include "cmd.h"

#define SIM_UAR_CQ_DB	0x20
#define SIM_UAR_EQ_ARM	0x40
#define SIM_UAR_EQ_CI	0x48
#define SIM_UAR_BF	0x800
#define SIM_UAR_BF_STEP	0x100	/* two halves of each of four registers of 512 bytes */
#define SIM_UAR_BF_NUM	8

u8 sim_cmd_alloc_uar(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	struct sim_uar *uar = kzalloc(sizeof(*uar), GFP_KERNEL);
	int err;

	if (!uar)
		return sim_cmd_errno(-ENOMEM);
	err = sim_obj_add(sdev, &uar->obj, SIM_OBJ_UAR, cmd->uid);
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
	sim_obj_del(sdev, &uar->obj);
	kfree(uar);
	return MLX5_CMD_STAT_OK;
}

/* Looks at one register; true if it had been written since last time. */
static bool sim_reg_take(struct sim_dev *sdev, u32 off, const char *name)
{
	u32 __force *reg = (u32 __force *)(sdev->bar + off);
	u32 hi, lo;

	if (!READ_ONCE(reg[0]) && !READ_ONCE(reg[1]))
		return false;
	hi = be32_to_cpu((__be32 __force)xchg(&reg[0], 0));
	lo = be32_to_cpu((__be32 __force)xchg(&reg[1], 0));
	sim_count(sdev, doorbells_seen);
	sim_trace(sdev, "doorbell uar %#x %s: %08x %08x", off / SIM_UAR_SIZE, name, hi, lo);
	return true;
}

/**
 * sim_uar_poll - look at the doorbell registers of every allocated page
 * @sdev: the function
 *
 * Hardware thread.
 *
 * Return: true if any had been written; records then want a look soon, but they
 * are looked at anyway.
 */
bool sim_uar_poll(struct sim_dev *sdev)
{
	bool any = false;
	struct sim_uar *uar;
	unsigned long id;
	u32 i, base;

	xa_for_each(&sdev->objs->xa[SIM_OBJ_UAR], id, uar) {
		base = id * SIM_UAR_SIZE;
		any |= sim_reg_take(sdev, base + SIM_UAR_CQ_DB, "cq arm");
		any |= sim_reg_take(sdev, base + SIM_UAR_EQ_ARM, "eq arm");
		any |= sim_reg_take(sdev, base + SIM_UAR_EQ_CI, "eq ci");
		for (i = 0; i < SIM_UAR_BF_NUM; i++)
			any |= sim_reg_take(sdev, base + SIM_UAR_BF + i * SIM_UAR_BF_STEP, "sq");
	}
	return any;
}
