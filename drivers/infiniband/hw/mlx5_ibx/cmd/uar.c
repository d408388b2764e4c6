// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands about user access regions (UARs): pages of doorbell registers. The
 * kernel's UARs come from mlx5_core. The rules of cmd.h apply.
 */
#include "cmd/cmd.h"

/**
 * ibx_cmd_alloc_uar() - ALLOC_UAR
 * @dev: device
 * @uid: user context that is to own the UAR
 * @index: gets the index of the UAR
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_alloc_uar(struct ibx_dev *dev, u16 uid, u32 *index)
{
	u32 out[MLX5_ST_SZ_DW(alloc_uar_out)] = {};
	u32 in[MLX5_ST_SZ_DW(alloc_uar_in)] = {};
	int err;

	MLX5_SET(alloc_uar_in, in, opcode, MLX5_CMD_OP_ALLOC_UAR);
	MLX5_SET(alloc_uar_in, in, uid, uid);
	err = ibx_cmd_exec_inout(dev, alloc_uar, in, out);
	if (!err)
		*index = MLX5_GET(alloc_uar_out, out, uar);
	return err;
}

/**
 * ibx_cmd_dealloc_uar() - DEALLOC_UAR
 * @dev: device
 * @uid: user context that owns the UAR
 * @index: index of a UAR that no CQ and no QP uses
 *
 * Context: may sleep.
 * Return: 0, -EBUSY when an object uses the UAR, or an errno from cmd.h.
 */
int ibx_cmd_dealloc_uar(struct ibx_dev *dev, u16 uid, u32 index)
{
	u32 in[MLX5_ST_SZ_DW(dealloc_uar_in)] = {};

	MLX5_SET(dealloc_uar_in, in, opcode, MLX5_CMD_OP_DEALLOC_UAR);
	MLX5_SET(dealloc_uar_in, in, uid, uid);
	MLX5_SET(dealloc_uar_in, in, uar, index);
	return ibx_cmd_exec_in(dev, dealloc_uar, in);
}
