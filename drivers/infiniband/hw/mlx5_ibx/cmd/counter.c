// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands for queue counter sets and for counters of the port. The rules of
 * cmd.h apply.
 */
#include <linux/mlx5/port.h>
#include <linux/mlx5/vport.h>

#include "cmd/cmd.h"

/**
 * ibx_cmd_alloc_q_counter() - ALLOC_Q_COUNTER
 * @dev: device
 * @set: gets the number of a new counter set, never 0; its counters are 0
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or an errno from cmd.h.
 */
int ibx_cmd_alloc_q_counter(struct ibx_dev *dev, u8 *set)
{
	u32 out[MLX5_ST_SZ_DW(alloc_q_counter_out)] = {};
	u32 in[MLX5_ST_SZ_DW(alloc_q_counter_in)] = {};
	int err;

	MLX5_SET(alloc_q_counter_in, in, opcode, MLX5_CMD_OP_ALLOC_Q_COUNTER);
	err = ibx_cmd_exec_inout(dev, alloc_q_counter, in, out);
	if (!err)
		*set = MLX5_GET(alloc_q_counter_out, out, counter_set_id);
	return err;
}

/**
 * ibx_cmd_dealloc_q_counter() - DEALLOC_Q_COUNTER
 * @dev: device
 * @set: number of a counter set; QPs in ERR may still name the set
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_dealloc_q_counter(struct ibx_dev *dev, u8 set)
{
	u32 in[MLX5_ST_SZ_DW(dealloc_q_counter_in)] = {};

	MLX5_SET(dealloc_q_counter_in, in, opcode, MLX5_CMD_OP_DEALLOC_Q_COUNTER);
	MLX5_SET(dealloc_q_counter_in, in, counter_set_id, set);
	return ibx_cmd_exec_in(dev, dealloc_q_counter, in);
}

/**
 * ibx_cmd_query_q_counter() - QUERY_Q_COUNTER
 * @dev: device
 * @set: number of a counter set
 * @out: MLX5_ST_SZ_DW(query_q_counter_out) 32-bit words; gets the output
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_query_q_counter(struct ibx_dev *dev, u8 set, u32 *out)
{
	u32 in[MLX5_ST_SZ_DW(query_q_counter_in)] = {};

	MLX5_SET(query_q_counter_in, in, opcode, MLX5_CMD_OP_QUERY_Q_COUNTER);
	MLX5_SET(query_q_counter_in, in, counter_set_id, set);
	return ibx_cmd_exec_inout(dev, query_q_counter, in, out);
}

/**
 * ibx_cmd_bind_counter() - RTS2RTS_QP: move a QP to another counter set
 * @dev: device
 * @qp: QP in RTS
 * @set: number of a counter set
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EINVAL: the QP is not in RTS
 * * -ENOMEM
 * * an errno from cmd.h
 */
int ibx_cmd_bind_counter(struct ibx_dev *dev, struct ibx_qp *qp, u8 set)
{
	u32 qpc[MLX5_ST_SZ_DW(qpc)] = {};

	MLX5_SET(qpc, qpc, counter_set_id, set);
	return ibx_cmd_step_qp(dev, MLX5_CMD_OP_RTS2RTS_QP, qp, MLX5_QP_OPTPAR_COUNTER_SET_ID,
			       qpc);
}

/**
 * ibx_cmd_query_traffic() - QUERY_VPORT_COUNTER
 * @dev: device
 * @out: MLX5_ST_SZ_DW(query_vport_counter_out) 32-bit words; gets the output
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or an errno from cmd.h.
 */
int ibx_cmd_query_traffic(struct ibx_dev *dev, u32 *out)
{
	ktime_t start = ibx_cmd_start();

	return ibx_cmd_done(dev, MLX5_CMD_OP_QUERY_VPORT_COUNTER, start,
			    mlx5_core_query_vport_counter(dev->mdev, 0, 0, IBX_PORT, out));
}

/**
 * ibx_cmd_query_port_errors() - ACCESS_REG: read InfiniBand counters (PPCNT)
 * @dev: device
 * @out: MLX5_ST_SZ_DW(ppcnt_reg) 32-bit words; gets the output
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or an errno from cmd.h.
 */
int ibx_cmd_query_port_errors(struct ibx_dev *dev, u32 *out)
{
	u32 in[MLX5_ST_SZ_DW(ppcnt_reg)] = {};
	ktime_t start = ibx_cmd_start();
	int err;

	MLX5_SET(ppcnt_reg, in, local_port, IBX_PORT);
	MLX5_SET(ppcnt_reg, in, grp, MLX5_INFINIBAND_PORT_COUNTERS_GROUP);
	err = mlx5_core_access_reg(dev->mdev, in, sizeof(in), out, sizeof(in),
				   MLX5_REG_PPCNT, 0, 0);
	return ibx_cmd_done(dev, MLX5_CMD_OP_ACCESS_REG, start, err);
}
