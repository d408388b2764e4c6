// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Event queues: how the device writes their entries and raises their
 * interrupts.
 *
 * Entries have 64 bytes. The ownership bit is 0 in the first lap round the ring
 * and toggles with each lap; it is written last.
 *
 * Interrupts are one-shot: an entry raises the MSI-X vector of its EQ only if
 * the EQ is armed, and this disarms the EQ. The driver arms an EQ by writing
 * the number and the consumer index of the EQ to the arm register of its
 * doorbell page. An EQ that is armed with entries beyond the consumer index
 * raises its interrupt at once.
 *
 * The simulated register is memory, and EQs share a page, so a write for an EQ
 * may overwrite an earlier write for another EQ before the device reads it. The
 * last write before a pass is always read. So after the device has executed a
 * write for an EQ, it arms every unarmed EQ of the page, with the producer
 * index at the last interrupt of the EQ as the consumer index. As a result no
 * interrupt is lost. But an interrupt may come without an entry that is new to
 * the driver, and an EQ that the driver never arms may raise interrupts if the
 * driver arms other EQs of the same page. If the EQ of the write has just
 * raised its interrupt, this EQ is armed again, too. So an EQ that shares its
 * page with no other EQ may also raise more interrupts than on a real device.
 *
 * A hidden write also leaves an old consumer index, so the device cannot detect
 * an overrun of an EQ. The driver limits completion events by arming CQs, and
 * sizes its EQs for the other events.
 */
#include <linux/build_bug.h>

#include "core/core.h"
#include "host/host.h"
#include "obj/obj.h"

static_assert(sizeof(struct mlx5_eqe) == SIM_EQE_SIZE);
static_assert(offsetof(struct mlx5_eqe, owner) == SIM_EQE_SIZE - 1);

static void sim_eq_interrupt(struct sim_dev *sdev, struct sim_eq *eq)
{
	sim_trace(sdev, "eq %#x uar %#x interrupt vector %u pi %#x", eq->obj.id,
		  eq->uar->obj.id, eq->vector, eq->pi);
	sim_msix_raise(sdev, eq->vector);
}

/* Unrefereed: U-52. */
static void sim_eq_write(struct sim_dev *sdev, struct sim_eq *eq, u8 type, u8 sub_type,
			 const void *data)
{
	u64 addr = sim_buf_addr(&eq->buf, (eq->pi & (BIT(eq->log_size) - 1)) * SIM_EQE_SIZE);
	struct mlx5_eqe eqe, *to;
	u32 len = sizeof(eqe);

	sim_eqe_fill(&eqe, type, sub_type, data, eq->pi >> eq->log_size);
	to = sim_dma_span(sdev, addr, &len, true);
	if (IS_ERR(to) || len != sizeof(eqe))
		return;
	memcpy(to, &eqe, offsetof(struct mlx5_eqe, owner));
	/*
	 * the owner bit is written last, also after CQEs: pairs with dma_rmb()
	 * in mlx5_core, after next_eqe_sw()
	 */
	smp_store_release(&to->owner, eqe.owner);
	sim_dma_account(sdev, addr, sizeof(eqe), true);
	eq->pi++;
	sim_count(sdev, eqes);
	sim_trace(sdev, "eqe eq %#x type %#x.%#x data %*ph", eq->obj.id, type, sub_type, 28,
		  &eqe.data);
	if (sim_eq_fires(eq))
		sim_eq_interrupt(sdev, eq);
}

/*
 * Arm all unarmed EQs of page @uar: a write to the arm register of the page may
 * have hidden writes for other EQs.
 */
static void sim_eq_arm_others(struct sim_dev *sdev, u32 uar)
{
	struct sim_eq *eq;
	unsigned long id;

	xa_for_each(&sdev->objs->xa[SIM_OBJ_EQ], id, eq)
		if (eq->uar->obj.id == uar && sim_eq_arm(eq, eq->fired_pi))
			sim_eq_interrupt(sdev, eq);
}

/**
 * sim_eq_doorbell() - execute a write to a doorbell register of event queues
 * @sdev: simulated function
 * @uar: number of the doorbell page
 * @val: value: number of the EQ in the high byte, consumer index
 * @arm: true for the register that also arms the EQ
 *
 * Context: hardware thread.
 */
void sim_eq_doorbell(struct sim_dev *sdev, u32 uar, u32 val, bool arm)
{
	struct sim_eq *eq = sim_obj_find(sdev, SIM_OBJ_EQ, val >> 24);

	if (!eq || eq->uar->obj.id != uar)
		sim_violation(sdev, SIM_VIO_doorbell, "uar %#x: EQ %#x is not of this page", uar,
			      val >> 24);
	else if (sim_eq_beyond(eq, val))
		sim_violation(sdev, SIM_VIO_doorbell, "EQ %#x: consumer %#x, producer %#x",
			      eq->obj.id, val & SIM_CQ_IDX_MASK, eq->pi);
	else if (arm && sim_eq_arm(eq, val))
		sim_eq_interrupt(sdev, eq);
	if (arm)
		sim_eq_arm_others(sdev, uar);
}

/**
 * sim_eq_post() - write an event queue entry, and raise the interrupt if the
 * EQ is armed
 * @sdev: simulated function
 * @eq: the event queue
 * @type: MLX5_EVENT_TYPE_*
 * @data: 28 bytes of event data (the EQE's data union)
 *
 * Unrefereed: U-54, U-55.
 *
 * Context: hardware thread.
 */
void sim_eq_post(struct sim_dev *sdev, struct sim_eq *eq, u8 type, const void *data)
{
	sim_eq_write(sdev, eq, type, 0, data);
}

/**
 * sim_event_wanted() - check whether an event queue is subscribed to a type
 * @sdev: simulated function
 * @type: MLX5_EVENT_TYPE_*
 *
 * Context: hardware thread.
 * Return: true if at least one event queue is subscribed.
 */
bool sim_event_wanted(struct sim_dev *sdev, u8 type)
{
	struct sim_eq *eq;
	unsigned long id;

	xa_for_each(&sdev->objs->xa[SIM_OBJ_EQ], id, eq)
		if (eq->events[type / 64] & BIT_ULL(type % 64))
			return true;
	return false;
}

/**
 * sim_event() - report an event to every event queue subscribed to its type
 * @sdev: simulated function
 * @type: MLX5_EVENT_TYPE_*
 * @sub_type: subtype of @type, or 0
 * @data: 28 bytes of event data (the EQE's data union)
 *
 * Context: hardware thread.
 */
void sim_event(struct sim_dev *sdev, u8 type, u8 sub_type, const void *data)
{
	struct sim_eq *eq;
	unsigned long id;

	xa_for_each(&sdev->objs->xa[SIM_OBJ_EQ], id, eq)
		if (eq->events[type / 64] & BIT_ULL(type % 64))
			sim_eq_write(sdev, eq, type, sub_type, data);
}

/**
 * sim_event_qp() - report an event of a QP or SRQ
 * @sdev: simulated function
 * @type: MLX5_EVENT_TYPE_*
 * @queue_type: MLX5_EVENT_QUEUE_TYPE_*
 * @num: number of the QP or SRQ
 *
 * Context: hardware thread.
 */
void sim_event_qp(struct sim_dev *sdev, u8 type, u8 queue_type, u32 num)
{
	union ev_data data = {};

	data.qp_srq.type = queue_type;
	data.qp_srq.qp_srq_n = cpu_to_be32(num);
	sim_event(sdev, type, 0, &data);
}

/**
 * sim_event_port() - report that the port went up or down
 * @sdev: simulated function
 * @up: true when it went up, false when it went down
 *
 * Context: hardware thread.
 */
void sim_event_port(struct sim_dev *sdev, bool up)
{
	union ev_data data = {};

	data.port.port = 1 << 4;
	sim_event(sdev, MLX5_EVENT_TYPE_PORT_CHANGE,
		  up ? MLX5_PORT_CHANGE_SUBTYPE_ACTIVE : MLX5_PORT_CHANGE_SUBTYPE_DOWN, &data);
}
