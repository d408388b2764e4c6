// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands of PSVs, the signature contexts of mkeys. The rules of cmd.h apply.
 */
#include "cmd/cmd.h"

/**
 * ibx_cmd_create_psvs() - CREATE_PSV, for both domains of an mkey
 * @dev: device
 * @pdn: number of the PD of the mkey
 * @psv: gets the numbers of IBX_SIG_DOMAINS PSVs
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_create_psvs(struct ibx_dev *dev, u32 pdn, u32 *psv)
{
	u32 out[MLX5_ST_SZ_DW(create_psv_out)] = {};
	u32 in[MLX5_ST_SZ_DW(create_psv_in)] = {};
	int err;

	MLX5_SET(create_psv_in, in, opcode, MLX5_CMD_OP_CREATE_PSV);
	MLX5_SET(create_psv_in, in, pd, pdn);
	MLX5_SET(create_psv_in, in, num_psv, IBX_SIG_DOMAINS);
	err = ibx_cmd_exec_inout(dev, create_psv, in, out);
	if (err)
		return err;
	psv[IBX_SIG_MEM] = MLX5_GET(create_psv_out, out, psv0_index);
	psv[IBX_SIG_WIRE] = MLX5_GET(create_psv_out, out, psv1_index);
	return 0;
}

/**
 * ibx_cmd_destroy_psv() - DESTROY_PSV
 * @dev: device
 * @psv: number of a PSV that no mkey uses
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_destroy_psv(struct ibx_dev *dev, u32 psv)
{
	u32 in[MLX5_ST_SZ_DW(destroy_psv_in)] = {};

	MLX5_SET(destroy_psv_in, in, opcode, MLX5_CMD_OP_DESTROY_PSV);
	MLX5_SET(destroy_psv_in, in, psvn, psv);
	return ibx_cmd_exec_in(dev, destroy_psv, in);
}
