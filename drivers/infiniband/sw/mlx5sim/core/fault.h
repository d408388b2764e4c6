/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Faults: errors that the device makes on request (debugfs mlx5sim/<pci>/faults/).
 *
 * Armed faults are per function, belong to the hardware thread and are forgotten
 * when the function is plugged or unplugged. core/fault.c decides whether a fault fires,
 * fs/fault_text.c reads and prints the lines of the debugfs files, and fs/faults.c has the
 * files and the faults that happen at once.
 */
#ifndef MLX5SIM_FAULT_H
#define MLX5SIM_FAULT_H

#include <linux/types.h>

#define SIM_FAULT_CMDS		64
#define SIM_FAULT_ANY		0x10000		/* in the place of an opcode or a vector */
#define SIM_FAULT_MAX_NTH	1000000
#define SIM_FAULT_MAX_MS	600000
#define SIM_FAULT_LINE		80		/* longest line written or read */

/* In the syndrome of commands that a fault answers: it shows in the driver's messages. */
#define SIM_FAULT_SYNDROME	0xfa0117

enum sim_fault_kind {
	SIM_FAULT_NONE,
	SIM_FAULT_FAIL,		/* answer with a status, do not execute */
	SIM_FAULT_DELAY,	/* execute later */
	SIM_FAULT_HANG,		/* never answer */
	SIM_FAULT_LIE,		/* execute, and answer with a status */
};

/**
 * struct sim_fault_cmd - a fault of one command
 * @kind: what happens to it
 * @op: opcode it waits for, or SIM_FAULT_ANY
 * @nth: which of the matching commands, from 1, counted from when it was armed
 * @arg: status of a failure or lie, milliseconds of a delay
 * @left: matching commands to come, that one included; 0 once it has fired
 * @last_op: opcode of the command it fired on
 */
struct sim_fault_cmd {
	enum sim_fault_kind kind;
	u32 op;
	u32 nth;
	u32 arg;
	u32 left;
	u16 last_op;
};

#define SIM_FAULT_VECTORS	64	/* as many as SIM_MAX_VECTORS */

/**
 * struct sim_fault_irq - messages to lose
 * @left: how many more of each vector; the last element is for any vector
 * @dropped: how many of each vector were lost
 */
struct sim_fault_irq {
	u32 left[SIM_FAULT_VECTORS + 1];
	u32 dropped[SIM_FAULT_VECTORS];
};

/**
 * struct sim_faults - what is armed on a function
 * @n: faults in @cmd, fired ones included
 * @cmd: faults of commands, in the order armed
 * @irq: faults of interrupts
 */
struct sim_faults {
	u32 n;
	struct sim_fault_cmd cmd[SIM_FAULT_CMDS];
	struct sim_fault_irq irq;
};

#endif /* MLX5SIM_FAULT_H */
