/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: the firmware commands of DEVX. Pure functions: no locks, no device.
 */
#ifndef MLX5_IBX_DEVX_TABLE_H
#define MLX5_IBX_DEVX_TABLE_H

#include <linux/types.h>

#define IBX_DEVX_MIN	16	/* bytes of the header of every command and every answer */
#define IBX_DEVX_MAX	U16_MAX	/* bytes of the longest command and of the longest answer */

/**
 * enum ibx_devx_kind - methods of DEVX; each command belongs to one method
 * @IBX_DEVX_CREATE: creates an object
 * @IBX_DEVX_MODIFY: changes an object
 * @IBX_DEVX_QUERY: reads an object
 * @IBX_DEVX_GENERAL: names no object
 */
enum ibx_devx_kind {
	IBX_DEVX_CREATE,
	IBX_DEVX_MODIFY,
	IBX_DEVX_QUERY,
	IBX_DEVX_GENERAL,
};

/**
 * struct ibx_devx_field - a field of a command or of an answer, inside of a word
 * @off: first bit
 * @len: number of bits; 0 for no field
 */
struct ibx_devx_field {
	u16 off;
	u8 len;
};

/**
 * struct ibx_devx_row - a command of DEVX
 * @opcode: MLX5_CMD_OP_*
 * @kind: enum ibx_devx_kind
 * @creator: opcode that creates the object that the command names; with
 *	IBX_DEVX_CREATE the opcode itself; with IBX_DEVX_GENERAL 0
 * @undo: opcode that destroys the object of an IBX_DEVX_CREATE; else 0
 * @typed: the object is a general object, which has a type besides its number
 * @nr: the number of the object: in the answer of IBX_DEVX_CREATE, else in the command
 * @set: bits that the driver sets in a command of a process, which make the
 *	command name memory by UMEMs of the process, and not by bus addresses
 * @zero: fields that must be 0 in a command of a process
 */
struct ibx_devx_row {
	u16 opcode;
	u16 kind;
	u16 creator;
	u16 undo;
	bool typed;
	struct ibx_devx_field nr;
	struct ibx_devx_field set[2];
	struct ibx_devx_field zero[2];
};

/**
 * struct ibx_devx_id - identity of an object of the device
 * @creator: opcode that creates objects of the kind
 * @type: type of a general object, else 0
 * @nr: number of the object
 */
struct ibx_devx_id {
	u16 creator;
	u16 type;
	u32 nr;
};

/**
 * struct ibx_devx_box - a command and space for its answer
 * @in: command, which the driver may change
 * @inlen: bytes of @in
 * @out: gets the answer
 * @outlen: bytes of @out
 */
struct ibx_devx_box {
	void *in;
	size_t inlen;
	void *out;
	size_t outlen;
};

const struct ibx_devx_row *ibx_devx_row(u16 opcode);
const struct ibx_devx_row *ibx_devx_row_at(unsigned int i);
const struct ibx_devx_row *ibx_devx_check(const struct ibx_devx_box *box, enum ibx_devx_kind kind);
int ibx_devx_guard(const struct ibx_devx_row *row, const struct ibx_devx_box *box);
void ibx_devx_stamp(void *in, u16 uid);
void ibx_devx_named(const struct ibx_devx_row *row, const void *in, struct ibx_devx_id *id);
void ibx_devx_created(const struct ibx_devx_row *row, const struct ibx_devx_box *box,
		      struct ibx_devx_id *id);
void ibx_devx_undo(const struct ibx_devx_id *id, u16 uid, void *in);
bool ibx_devx_same(const struct ibx_devx_id *a, const struct ibx_devx_id *b);

#endif /* MLX5_IBX_DEVX_TABLE_H */
