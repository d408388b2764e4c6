// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The way of every firmware command: to mlx5_core, and past the tracepoint. All
 * commands begin with the fields of general_obj_*_cmd_hdr that are used here.
 */
#include <linux/slab.h>

#include "cmd/cmd.h"
#include "trace.h"

/**
 * ibx_cmd_exec - issue a command
 * @dev: the function
 * @in: the command; its opcode is set
 * @inlen: its bytes
 * @out: for the answer, at least status and syndrome
 * @outlen: its bytes
 *
 * Context: may sleep.
 * Return: 0, or as cmd.h says.
 */
int ibx_cmd_exec(struct ibx_dev *dev, void *in, int inlen, void *out, int outlen)
{
	ktime_t start = ktime_get();
	int err;

	/* without an answer nobody else writes these */
	MLX5_SET(general_obj_out_cmd_hdr, out, status, 0);
	MLX5_SET(general_obj_out_cmd_hdr, out, syndrome, 0);
	err = mlx5_cmd_exec(dev->mdev, in, inlen, out, outlen);
	trace_ibx_cmd(dev, MLX5_GET(general_obj_in_cmd_hdr, in, opcode), err, out, start);
	return err;
}

/**
 * ibx_cmd_query - issue a query, for the context in its answer
 * @dev: the function
 * @q: the query, best made by ibx_cmd_query_ctx()
 * @ctx: gets the context
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or as cmd.h says.
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
 * ibx_cmd_done - trace a command that a function of mlx5_core issued
 * @dev: the function
 * @opcode: MLX5_CMD_OP_*
 * @start: ktime_get() before it
 * @err: what it returned
 *
 * Context: any.
 * Return: @err.
 */
int ibx_cmd_done(struct ibx_dev *dev, u16 opcode, ktime_t start, int err)
{
	trace_ibx_cmd(dev, opcode, err, NULL, start);
	return err;
}
