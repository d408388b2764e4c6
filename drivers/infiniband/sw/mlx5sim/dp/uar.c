// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * User access regions: pages of the BAR with doorbell registers.
 *
 * A simulated register is memory, so a later write hides an earlier write. The
 * device does not depend on reading each write: it uses doorbell records in
 * host memory, and the arm register of EQs as obj/eq.c describes. But every
 * write that is read must be for an object of its page. A write for a send
 * queue or CQ that does not exist is ignored, since the object may have been
 * destroyed after the write.
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

/* the value of a doorbell register */
struct sim_uar_db {
	u32 uar;
	u32 hi;
	u32 lo;
};

/* Read and clear a register atomically. Return: true if it was written. */
static bool sim_uar_read(struct sim_dev *sdev, u32 uar, u32 off, const char *name,
			 struct sim_uar_db *db)
{
	u64 __force *reg = (u64 __force *)(sdev->bar + uar * SIM_UAR_SIZE + off);
	u64 val;

	if (!READ_ONCE(*reg))
		return false;
	/*
	 * fully ordered: pairs with wmb() before the doorbell in mlx5_cq_arm()
	 * and ibx_chain_post(). The device reads the records after this
	 */
	val = be64_to_cpu((__be64 __force)xchg(reg, 0));
	*db = (struct sim_uar_db){ uar, upper_32_bits(val), lower_32_bits(val) };
	sim_count(sdev, doorbells_seen);
	sim_trace(sdev, "doorbell uar %#x %s: %08x %08x", uar, name, db->hi, db->lo);
	return true;
}

static bool sim_uar_poll_eq(struct sim_dev *sdev, u32 uar)
{
	struct sim_uar_db db;
	bool any = false;

	if (sim_uar_read(sdev, uar, SIM_UAR_EQ_CI, "eq ci", &db)) {
		sim_eq_doorbell(sdev, uar, db.hi, false);
		any = true;
	}
	if (sim_uar_read(sdev, uar, SIM_UAR_EQ_ARM, "eq arm", &db)) {
		sim_eq_doorbell(sdev, uar, db.hi, true);
		any = true;
	}
	return any;
}

static bool sim_uar_poll_cq(struct sim_dev *sdev, struct sim_uar *page)
{
	u32 uar = page->obj.id;
	struct sim_uar_db db;
	struct sim_cq *cq;

	if (!sim_uar_read(sdev, uar, SIM_UAR_CQ_DB, "cq arm", &db))
		return false;
	page->cq_arms++;
	cq = sim_obj_find(sdev, SIM_OBJ_CQ, db.lo);
	if (cq && cq->uar->obj.id != uar)
		sim_violation(sdev, SIM_VIO_doorbell, "uar %#x: CQ %#x is of uar %#x", uar, db.lo,
			      cq->uar->obj.id);
	return true;
}

static bool sim_uar_poll_sq(struct sim_dev *sdev, u32 uar)
{
	struct sim_uar_db db;
	bool any = false;
	struct sim_qp *qp;
	u32 i;

	for (i = 0; i < SIM_UAR_BF_NUM; i++) {
		if (!sim_uar_read(sdev, uar, SIM_UAR_BF + i * SIM_UAR_BF_STEP, "sq", &db))
			continue;
		any = true;
		qp = sim_obj_find(sdev, SIM_OBJ_QP, db.lo >> 8);
		if (qp && qp->uar && qp->uar->obj.id != uar)
			sim_violation(sdev, SIM_VIO_doorbell, "uar %#x: QP %#x is of uar %#x", uar,
				      db.lo >> 8, qp->uar->obj.id);
	}
	return any;
}

/**
 * sim_uar_poll() - read the doorbell registers of every allocated page
 * @sdev: simulated function
 *
 * Unrefereed: U-56.
 *
 * Context: hardware thread.
 * Return: true if a register was written.
 */
bool sim_uar_poll(struct sim_dev *sdev)
{
	bool any = false;
	struct sim_uar *uar;
	unsigned long id;

	xa_for_each(&sdev->objs->xa[SIM_OBJ_UAR], id, uar) {
		any |= sim_uar_poll_cq(sdev, uar);
		any |= sim_uar_poll_eq(sdev, id);
		any |= sim_uar_poll_sq(sdev, id);
	}
	return any;
}
