/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Exports of cmd/: the command ring, the table of commands, the pages of the
 * host, and the crypto officer.
 */
#ifndef MLX5SIM_CMD_CMD_H
#define MLX5SIM_CMD_CMD_H

#include "core/bits.h"

struct sim_cmd;
struct sim_dev;

typedef u8 (*sim_cmd_fn)(struct sim_dev *sdev, struct sim_cmd *cmd);

/**
 * struct sim_cmd_desc - a row of the table of commands
 * @opcode: MLX5_CMD_OP_*
 * @in_var: data may follow the fixed part of the input: a list, a register, a
 *	general object, or the extension of a QP context
 * @op_mod: the handler checks the operation modifier; otherwise it must be 0
 * @early: also allowed before INIT_HCA and after TEARDOWN_HCA
 * @in_min: bytes of the fixed part of the input
 * @in_old: bytes of the input in its older, shorter form, which drivers may
 *	still send; 0 if the command has only one form
 * @in_long: bytes of the input in a longer form, whose additional fields are
 *	not in <linux/mlx5/mlx5_ifc.h> and must be 0; 0 if the command has no
 *	longer form
 * @out_min: least number of bytes of output
 * @out_old: least number of bytes of output in its older, shorter form; 0 if
 *	the command has only one form
 * @name: name in debugfs, such as CREATE_QP
 * @fields: fields that may be non-zero in the fixed part after the header,
 *	ended by a field of length 0; NULL when the handler checks all fields
 * @fn: handler, returns MLX5_CMD_STAT_*
 */
struct sim_cmd_desc {
	u16 opcode;
	bool in_var;
	bool op_mod;
	bool early;
	u16 in_min;
	u16 in_old;
	u16 in_long;
	u16 out_min;
	u16 out_old;
	const char *name;
	const struct sim_field *fields;
	sim_cmd_fn fn;
};

/* ---- login.c ---- */

int sim_officer_delete(void *arg);
int sim_officer_store(void *arg);

/* ---- pages.c ---- */

int sim_pages_init(struct sim_dev *sdev);
void sim_pages_exit(struct sim_dev *sdev);
void sim_pages_reset(struct sim_dev *sdev);
u32 sim_pages_count(struct sim_dev *sdev);
u32 sim_pages_needed(struct sim_dev *sdev);
void sim_pages_tick(struct sim_dev *sdev);

/* ---- ring.c ---- */

int sim_cmdq_init(struct sim_dev *sdev);
void sim_cmdq_exit(struct sim_dev *sdev);
void sim_cmdq_reset(struct sim_dev *sdev);
bool sim_cmdq_poll(struct sim_dev *sdev);

/* ---- table.c ---- */

const struct sim_cmd_desc *sim_cmd_find(u16 opcode);
const struct sim_cmd_desc *sim_cmd_find_name(const char *name);

#endif /* MLX5SIM_CMD_CMD_H */
