/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Faults: errors that the device produces on request (debugfs
 * mlx5sim/<pci>/faults/).
 *
 * Each simulated function has its own faults. They belong to the hardware
 * thread and are disarmed when the simulated function is plugged or unplugged.
 * core/fault.c checks whether a fault fires, fs/fault_text.c parses and prints
 * the lines of the debugfs files, and fs/faults.c implements the files and the
 * faults that take effect at once.
 */
#ifndef MLX5SIM_FAULT_H
#define MLX5SIM_FAULT_H

#include <linux/types.h>

#define SIM_FAULT_CMDS		64
#define SIM_FAULT_ANY		0x10000		/* instead of an opcode */
#define SIM_FAULT_MAX_NTH	1000000
#define SIM_FAULT_MAX_MS	600000
#define SIM_FAULT_LINE		80		/* bytes of the longest debugfs line */

/*
 * Syndrome of commands that a fault completes with an error; drivers print it
 * in their messages
 */
#define SIM_FAULT_SYNDROME	0xfa0117

enum sim_fault_kind {
	SIM_FAULT_NONE,
	SIM_FAULT_FAIL,		/* do not execute, return an error status */
	SIM_FAULT_DELAY,	/* execute later */
	SIM_FAULT_HANG,		/* do not complete the command */
	SIM_FAULT_LIE,		/* execute, but return an error status */
};

/**
 * struct sim_fault_cmd - a command fault
 * @kind: effect on the command
 * @op: opcode of matching commands, or SIM_FAULT_ANY
 * @nth: number of the matching command on which the fault fires, counted from 1
 *	since the fault was armed
 * @arg: status (SIM_FAULT_FAIL, SIM_FAULT_LIE) or milliseconds
 *	(SIM_FAULT_DELAY)
 * @left: matching commands until the fault fires, that command included; 0 once
 *	it has fired
 * @last_op: opcode of the command on which the fault fired
 */
struct sim_fault_cmd {
	enum sim_fault_kind kind;
	u32 op;
	u32 nth;
	u32 arg;
	u32 left;
	u16 last_op;
};

#define SIM_FAULT_VECTORS	64	/* same as SIM_MAX_VECTORS */

/**
 * struct sim_fault_irq - interrupt faults: MSI-X messages to drop
 * @left: messages still to drop, per vector; the last element is for any vector
 * @dropped: messages dropped so far, per vector
 */
struct sim_fault_irq {
	u32 left[SIM_FAULT_VECTORS + 1];
	u32 dropped[SIM_FAULT_VECTORS];
};

/**
 * struct sim_fault_sig - signature fault: changes a byte of a transfer before
 * its signature is checked
 * @left: transfers with a signature to check until the fault fires, that
 *	transfer included; 0 if no fault is armed
 * @byte: index of the byte in the transfer, signatures included
 * @fired: number of signature faults that have fired
 */
struct sim_fault_sig {
	u32 left;
	u32 byte;
	u32 fired;
};

/**
 * struct sim_fault_umr - UMR fault: a UMR fails and changes nothing
 * @left: UMRs until the fault fires, that UMR included; 0 if no fault is armed
 * @syndrome: MLX5_CQE_SYNDROME_* of the UMR
 * @fired: number of UMR faults that have fired
 */
struct sim_fault_umr {
	u32 left;
	u8 syndrome;
	u32 fired;
};

/**
 * struct sim_faults - faults of a simulated function
 * @n: number of faults in @cmd, fired faults included
 * @cmd: command faults, in the order in which they were armed
 * @irq: interrupt faults
 * @sig: signature fault
 * @umr: UMR fault
 */
struct sim_faults {
	u32 n;
	struct sim_fault_cmd cmd[SIM_FAULT_CMDS];
	struct sim_fault_irq irq;
	struct sim_fault_sig sig;
	struct sim_fault_umr umr;
};

#endif /* MLX5SIM_FAULT_H */
