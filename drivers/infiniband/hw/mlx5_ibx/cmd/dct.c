// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * DCT commands. qpc.c builds the context. The rules of cmd.h apply.
 */
#include "cmd/cmd.h"

/**
 * ibx_cmd_create_dct() - CREATE_DCT
 * @dev: device
 * @dctc: MLX5_ST_SZ_DW(dctc) words of context, from ibx_dctc_create()
 * @qp: DCT with its uid set; gets its number
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_create_dct(struct ibx_dev *dev, const u32 *dctc, struct ibx_qp *qp)
{
	u32 out[MLX5_ST_SZ_DW(create_dct_out)] = {};
	u32 in[MLX5_ST_SZ_DW(create_dct_in)] = {};
	int err;

	MLX5_SET(create_dct_in, in, opcode, MLX5_CMD_OP_CREATE_DCT);
	MLX5_SET(create_dct_in, in, uid, qp->uid);
	memcpy(MLX5_ADDR_OF(create_dct_in, in, dct_context_entry), dctc, MLX5_ST_SZ_BYTES(dctc));
	err = ibx_cmd_exec_inout(dev, create_dct, in, out);
	if (!err)
		qp->qpn = MLX5_GET(create_dct_out, out, dctn);
	return err;
}

/**
 * ibx_cmd_drain_dct() - DRAIN_DCT
 * @dev: device
 * @dctn: number of the DCT
 * @uid: user context of the DCT
 *
 * The DCT accepts no more messages. An event reports that no message is in
 * progress.
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_drain_dct(struct ibx_dev *dev, u32 dctn, u16 uid)
{
	u32 in[MLX5_ST_SZ_DW(drain_dct_in)] = {};

	MLX5_SET(drain_dct_in, in, opcode, MLX5_CMD_OP_DRAIN_DCT);
	MLX5_SET(drain_dct_in, in, uid, uid);
	MLX5_SET(drain_dct_in, in, dctn, dctn);
	return ibx_cmd_exec_in(dev, drain_dct, in);
}

/**
 * ibx_cmd_destroy_dct() - DESTROY_DCT
 * @dev: device
 * @qp: a drained DCT
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_destroy_dct(struct ibx_dev *dev, const struct ibx_qp *qp)
{
	u32 in[MLX5_ST_SZ_DW(destroy_dct_in)] = {};

	MLX5_SET(destroy_dct_in, in, opcode, MLX5_CMD_OP_DESTROY_DCT);
	MLX5_SET(destroy_dct_in, in, uid, qp->uid);
	MLX5_SET(destroy_dct_in, in, dctn, qp->qpn);
	return ibx_cmd_exec_in(dev, destroy_dct, in);
}
