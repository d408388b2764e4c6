// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * User access regions: pages of the BAR with doorbell registers.
 *
 * A register is plain memory here, so a later write hides an earlier one.
 * Nothing may depend on seeing a write: the device acts on doorbell records in
 * host memory. The registers are still read and cleared, to count doorbells and
 * to show in the trace which queue rang.
 */
#include "core/core.h"
#include "dp/dp.h"
#include "obj/obj.h"

#define SIM_UAR_CQ_DB	0x20
#define SIM_UAR_EQ_ARM	0x40
#define SIM_UAR_EQ_CI	0x48
#define SIM_UAR_BF	0x800
#define SIM_UAR_BF_STEP	0x100	/* four registers of 512 bytes, two halves each */
#define SIM_UAR_BF_NUM	8

/* Read and clear one register. Returns true if it had been written. */
static bool sim_uar_read(struct sim_dev *sdev, u32 off, const char *name)
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
 * sim_uar_poll() - read the doorbell registers of every allocated page
 * @sdev: simulated function
 *
 * Context: hardware thread.
 * Return: true if any register was written.
 */
bool sim_uar_poll(struct sim_dev *sdev)
{
	bool any = false;
	struct sim_uar *uar;
	unsigned long id;
	u32 i, base;

	xa_for_each(&sdev->objs->xa[SIM_OBJ_UAR], id, uar) {
		base = id * SIM_UAR_SIZE;
		any |= sim_uar_read(sdev, base + SIM_UAR_CQ_DB, "cq arm");
		any |= sim_uar_read(sdev, base + SIM_UAR_EQ_ARM, "eq arm");
		any |= sim_uar_read(sdev, base + SIM_UAR_EQ_CI, "eq ci");
		for (i = 0; i < SIM_UAR_BF_NUM; i++)
			any |= sim_uar_read(sdev, base + SIM_UAR_BF + i * SIM_UAR_BF_STEP, "sq");
	}
	return any;
}
