// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Event queues: how the device writes their entries.
 *
 * Entries have 64 bytes. The ownership bit is 0 in the first lap round the ring
 * and toggles with each lap; it is written last.
 *
 * Every entry raises the MSI-X vector of its EQ at once, armed or not. All EQs
 * share the arm register of one doorbell page, and a write to this register
 * overwrites the one before, so a device that waited for the arm of an EQ could
 * miss it. For the same reason the consumer index is unknown, and an overrun
 * cannot be detected. The driver limits completion events by arming CQs, and
 * sizes its EQs for the other events.
 */
#include <linux/build_bug.h>

#include "core/core.h"
#include "host/host.h"
#include "obj/obj.h"

static_assert(sizeof(struct mlx5_eqe) == SIM_EQE_SIZE);
static_assert(offsetof(struct mlx5_eqe, owner) == SIM_EQE_SIZE - 1);

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
	dma_wmb();
	WRITE_ONCE(to->owner, eqe.owner);
	sim_dma_account(sdev, addr, sizeof(eqe), true);
	eq->pi++;
	sim_count(sdev, eqes);
	sim_trace(sdev, "eqe eq %#x type %#x.%#x data %*ph", eq->obj.id, type, sub_type, 28,
		  &eqe.data);
	sim_msix_raise(sdev, eq->vector);
}

/**
 * sim_eq_post() - write an event queue entry and raise its interrupt
 * @sdev: simulated function
 * @eq: the event queue
 * @type: MLX5_EVENT_TYPE_*
 * @data: 28 bytes of event data (the EQE's data union)
 *
 * Context: hardware thread.
 */
void sim_eq_post(struct sim_dev *sdev, struct sim_eq *eq, u8 type, const void *data)
{
	sim_eq_write(sdev, eq, type, 0, data);
}

/**
 * sim_event() - report an event to every event queue subscribed to its type
 * @sdev: simulated function
 * @type: MLX5_EVENT_TYPE_*
 * @sub_type: subtype of @type, 0 for none
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
