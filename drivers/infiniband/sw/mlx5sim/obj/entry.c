// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Entries of event and completion queues: layout, ownership bits, and the
 * conditions on which armed queues raise events. Any context.
 */
#include <kunit/visibility.h>
#include <linux/mlx5/device.h>
#include <linux/string.h>

#include "obj/obj.h"

#define SIM_CQ_ARM_SOLICITED	BIT(24)

/**
 * sim_eqe_fill() - lay out an event queue entry
 * @eqe: filled in, ownership bit included
 * @type: MLX5_EVENT_TYPE_*
 * @sub_type: subtype of @type, or 0
 * @data: union ev_data, or NULL
 * @lap: number of times that the producer index has wrapped
 */
void sim_eqe_fill(struct mlx5_eqe *eqe, u8 type, u8 sub_type, const void *data, u32 lap)
{
	memset(eqe, 0, sizeof(*eqe));
	eqe->type = type;
	eqe->sub_type = sub_type;
	if (data)
		memcpy(&eqe->data, data, sizeof(eqe->data));
	eqe->owner = lap & 1;
}
EXPORT_SYMBOL_IF_KUNIT(sim_eqe_fill);

/**
 * sim_eq_fires() - disarm an event queue if it has an interrupt to raise
 * @eq: the event queue
 *
 * Return: true if the EQ was armed, and has entries since the last interrupt.
 */
bool sim_eq_fires(struct sim_eq *eq)
{
	if (!eq->armed || eq->pi == eq->fired_pi)
		return false;
	eq->armed = false;
	eq->fired_pi = eq->pi;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(sim_eq_fires);

/**
 * sim_eq_arm() - arm an event queue
 * @eq: the event queue
 * @ci: consumer index, in the low 24 bits
 *
 * Return: true if the caller must raise the interrupt at once: the EQ was not
 * armed and has entries beyond @ci. The EQ is then disarmed again.
 */
bool sim_eq_arm(struct sim_eq *eq, u32 ci)
{
	if (eq->armed)
		return false;
	eq->armed = true;
	if (!((eq->pi - ci) & SIM_CQ_IDX_MASK))
		return false;
	eq->armed = false;
	eq->fired_pi = eq->pi;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(sim_eq_arm);

/**
 * sim_eq_beyond() - check whether a consumer index is ahead of the producer
 * @eq: the event queue
 * @ci: consumer index, in the low 24 bits
 *
 * Return: true if @ci is ahead of the producer index.
 */
bool sim_eq_beyond(const struct sim_eq *eq, u32 ci)
{
	return ((eq->pi - ci) & SIM_CQ_IDX_MASK) > SIM_CQ_IDX_MASK / 2;
}
EXPORT_SYMBOL_IF_KUNIT(sim_eq_beyond);

/**
 * sim_cqe_owner() - ownership bit of a completion queue entry
 * @index: number of entries written before the entry
 * @log_size: log2 of the number of entries of the ring
 *
 * Return: 0 or 1.
 */
u8 sim_cqe_owner(u32 index, u8 log_size)
{
	return (index >> log_size) & 1;
}
EXPORT_SYMBOL_IF_KUNIT(sim_cqe_owner);

/**
 * sim_cq_armed() - check whether an arm word requests an event now
 * @arm: arm word, in CPU byte order
 * @sn: number of events raised so far
 * @pi: index after the last entry
 * @solicited_pi: index after the last solicited or error entry
 *
 * Indices are compared in 24 bits, the width of the index in the arm word.
 *
 * Return: true if an event must be raised.
 */
bool sim_cq_armed(u32 arm, u32 sn, u32 pi, u32 solicited_pi)
{
	u32 ci = arm & SIM_CQ_IDX_MASK;
	u32 have = arm & SIM_CQ_ARM_SOLICITED ? solicited_pi : pi;
	u32 ahead = (have - ci) & SIM_CQ_IDX_MASK;

	if (arm >> 28 != (sn & 3))
		return false;
	return ahead && ahead <= SIM_CQ_IDX_MASK / 2;
}
EXPORT_SYMBOL_IF_KUNIT(sim_cq_armed);
