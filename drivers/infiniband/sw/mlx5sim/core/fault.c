// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The list of armed faults, and the decision whether a fault fires.
 *
 * A command fault has an opcode (or any opcode), a number n, and an effect. It
 * fires once, on the n-th command with the opcode; a fired fault stays in the
 * list. Each command counts for every fault that it matches. When two faults
 * are due for one command, the fault armed first fires, and the other fault
 * fires on the next matching command.
 *
 * The lists belong to the hardware thread, on which all of this file runs.
 */
#include <kunit/visibility.h>
#include <linux/string.h>

#include "core/core.h"

/**
 * sim_fault_arm() - add a fault to the list
 * @faults: faults of a simulated function
 * @f: fault, from sim_fault_parse()
 *
 * Context: hardware thread.
 * Return: 0; -ENOSPC when the list is full.
 */
int sim_fault_arm(struct sim_faults *faults, const struct sim_fault_cmd *f)
{
	if (faults->n == SIM_FAULT_CMDS)
		return -ENOSPC;
	faults->cmd[faults->n++] = *f;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(sim_fault_arm);

/*
 * The driver executes MANAGE_PAGES in response to page requests of the device.
 * The times of the requests depend on all objects, so "any" does not match
 * MANAGE_PAGES.
 */
static bool sim_fault_matches(const struct sim_fault_cmd *f, u16 op)
{
	return f->op == SIM_FAULT_ANY ? op != MLX5_CMD_OP_MANAGE_PAGES : f->op == op;
}

/**
 * sim_fault_match() - find the fault that fires on a command
 * @faults: faults of a simulated function
 * @op: opcode of the command
 * @arg: set to the status or to the delay in milliseconds when a fault fires
 *
 * Called once for each command.
 *
 * Context: hardware thread.
 * Return: the kind of fault; SIM_FAULT_NONE when no fault fires.
 */
enum sim_fault_kind sim_fault_match(struct sim_faults *faults, u16 op, u32 *arg)
{
	enum sim_fault_kind kind = SIM_FAULT_NONE;
	struct sim_fault_cmd *f;

	for (f = faults->cmd; f < faults->cmd + faults->n; f++) {
		if (!f->left || !sim_fault_matches(f, op))
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
 * sim_fault_irq_drops() - check whether a fault drops an MSI-X message
 * @irq: interrupt faults of a simulated function
 * @vector: vector of the message, less than SIM_FAULT_VECTORS
 *
 * A message that is dropped is counted in @irq.
 *
 * Context: hardware thread.
 * Return: true if the message is dropped.
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
