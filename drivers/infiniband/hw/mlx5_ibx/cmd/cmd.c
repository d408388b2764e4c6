// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Execution and tracing of every firmware command. All commands begin with the
 * fields of general_obj_*_cmd_hdr that are used here.
 */
#include <linux/pci.h>
#include <linux/slab.h>

#include "cmd/cmd.h"
#include "trace.h"

/**
 * ibx_cmd_exec() - issue a command
 * @dev: device
 * @in: command input with its opcode set
 * @inlen: bytes in @in
 * @out: gets the output, at least status and syndrome
 * @outlen: bytes in @out
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_exec(struct ibx_dev *dev, void *in, int inlen, void *out, int outlen)
{
	ktime_t start = ibx_cmd_start();
	int err;

	/* mlx5_core writes neither field if the device does not answer */
	MLX5_SET(general_obj_out_cmd_hdr, out, status, 0);
	MLX5_SET(general_obj_out_cmd_hdr, out, syndrome, 0);
	err = mlx5_cmd_exec(dev->mdev, in, inlen, out, outlen);
	trace_ibx_cmd(dev, MLX5_GET(general_obj_in_cmd_hdr, in, opcode), err, out, start);
	return err;
}

/**
 * ibx_cmd_query() - issue a query and copy the context from its output
 * @dev: device
 * @q: query, usually built by ibx_cmd_query_ctx()
 * @ctx: gets the context
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or an errno from cmd.h.
 */
int ibx_cmd_query(struct ibx_dev *dev, const struct ibx_query *q, void *ctx)
{
	void *out;
	int err;

	out = kzalloc(q->outlen, GFP_KERNEL);
	if (!out)
		return -ENOMEM;

	err = ibx_cmd_exec(dev, q->in, q->inlen, out, q->outlen);
	if (!err)
		memcpy(ctx, out + q->at, q->len);
	kfree(out);
	return err;
}

/**
 * ibx_cmd_trace() - trace a command that a function of mlx5_core issued
 * @dev: device
 * @opcode: MLX5_CMD_OP_*
 * @start: ibx_cmd_start() before the command
 * @err: return value of the function of mlx5_core
 *
 * Context: any.
 */
void ibx_cmd_trace(struct ibx_dev *dev, u16 opcode, ktime_t start, int err)
{
	trace_ibx_cmd(dev, opcode, err, NULL, start);
}

/**
 * ibx_cmd_fill_undo() - build the command that destroys an object
 * @undo: receives a command of IBX_UNDO_DW words
 * @opcode: MLX5_CMD_OP_* of a command with the number of the object in
 *	general_obj_in_cmd_hdr.obj_id
 * @uid: user context that owns the object
 * @nr: number of the object
 *
 * Context: any.
 */
void ibx_cmd_fill_undo(u32 *undo, u16 opcode, u16 uid, u32 nr)
{
	memset(undo, 0, IBX_UNDO_DW * sizeof(*undo));
	MLX5_SET(general_obj_in_cmd_hdr, undo, opcode, opcode);
	MLX5_SET(general_obj_in_cmd_hdr, undo, uid, uid);
	MLX5_SET(general_obj_in_cmd_hdr, undo, obj_id, nr);
}

/**
 * ibx_cmd_is_over() - does the device execute no more commands?
 * @dev: device
 *
 * Context: any.
 * Return: true if the device is in fatal error or was unplugged. It accesses no
 * memory of the host then.
 */
bool ibx_cmd_is_over(const struct ibx_dev *dev)
{
	return ibx_dead(dev) || pci_channel_offline(dev->mdev->pdev);
}

/**
 * ibx_cmd_undo() - destroy an object by its number
 * @dev: device
 * @undo: command from ibx_cmd_fill_undo() or ibx_devx_undo()
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EBUSY: another object uses the object
 * * an errno from cmd.h
 */
int ibx_cmd_undo(struct ibx_dev *dev, const u32 *undo)
{
	u32 out[IBX_UNDO_DW] = {};

	return ibx_cmd_exec(dev, (void *)undo, IBX_UNDO_DW * sizeof(*undo), out, sizeof(out));
}
