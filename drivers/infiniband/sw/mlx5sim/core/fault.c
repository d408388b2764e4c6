// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Which faults are armed, and when one fires.
 *
 * A fault of commands names an opcode (or any), which of the matching commands it
 * is for, and what happens to that one. It fires once and then only stays listed.
 * Each command counts for every fault it matches. When two faults are due, the
 * one armed first fires, and the other waits for the next matching command.
 *
 * Everything here runs on the hardware thread, which the lists belong to.
 */
#include <kunit/visibility.h>
#include <linux/string.h>

#include "core/core.h"

/**
 * sim_fault_arm() - put a fault on the list
 * @faults: the faults of the function
 * @f: from sim_fault_parse()
 *
 * Hardware thread.
 *
 * Return: 0, or -ENOSPC when the list is full.
 */
int sim_fault_arm(struct sim_faults *faults, const struct sim_fault_cmd *f)
{
	if (faults->n == SIM_FAULT_CMDS)
		return -ENOSPC;
	faults->cmd[faults->n++] = *f;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(sim_fault_arm);

/**
 * sim_fault_match() - is there a fault for this command?
 * @faults: the faults of the function
 * @op: the command's opcode
 * @arg: set to the status or the milliseconds when one fires
 *
 * Hardware thread. Called once for each command.
 *
 * Return: the kind of fault, SIM_FAULT_NONE when none fires.
 */
enum sim_fault_kind sim_fault_match(struct sim_faults *faults, u16 op, u32 *arg)
{
	enum sim_fault_kind kind = SIM_FAULT_NONE;
	struct sim_fault_cmd *f;

	for (f = faults->cmd; f < faults->cmd + faults->n; f++) {
		if (!f->left || (f->op != SIM_FAULT_ANY && f->op != op))
			continue;
		if (f->left > 1) {
			f->left--;
		} else if (kind == SIM_FAULT_NONE) {
			f->left = 0;
			f->last_op = op;
			*arg = f->arg;
			kind = f->kind;
		}
	}
	return kind;
}
EXPORT_SYMBOL_IF_KUNIT(sim_fault_match);

/**
 * sim_fault_irq_drops() - is this message to be lost?
 * @irq: the interrupt faults of the function
 * @vector: of the message, less than SIM_FAULT_VECTORS
 *
 * Hardware thread. Counts the message as lost if so.
 *
 * Return: true if it is.
 */
bool sim_fault_irq_drops(struct sim_fault_irq *irq, u32 vector)
{
	u32 *left = &irq->left[vector];

	if (!*left)
		left = &irq->left[SIM_FAULT_VECTORS];
	if (likely(!*left))
		return false;
	(*left)--;
	irq->dropped[vector]++;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(sim_fault_irq_drops);
