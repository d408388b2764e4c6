// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands about counters: queue counter sets and those of the port. The rules
 * of cmd.h apply.
 */
#include <linux/mlx5/port.h>
#include <linux/mlx5/vport.h>

#include "cmd/cmd.h"

/**
 * ibx_cmd_alloc_q_counter - ALLOC_Q_COUNTER
 * @dev: the function
 * @set: gets the number of a counter set, all of it zero; never 0
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or as cmd.h says.
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
 * ibx_cmd_dealloc_q_counter - DEALLOC_Q_COUNTER
 * @dev: the function
 * @set: a counter set; QPs in error may still name it
 *
 * Context: may sleep.
 * Return: 0, or as cmd.h says.
 */
int ibx_cmd_dealloc_q_counter(struct ibx_dev *dev, u8 set)
{
	u32 in[MLX5_ST_SZ_DW(dealloc_q_counter_in)] = {};

	MLX5_SET(dealloc_q_counter_in, in, opcode, MLX5_CMD_OP_DEALLOC_Q_COUNTER);
	MLX5_SET(dealloc_q_counter_in, in, counter_set_id, set);
	return ibx_cmd_exec_in(dev, dealloc_q_counter, in);
}

/**
 * ibx_cmd_query_q_counter - QUERY_Q_COUNTER
 * @dev: the function
 * @set: a counter set
 * @out: MLX5_ST_SZ_DW(query_q_counter_out) words for the answer
 *
 * Context: may sleep.
 * Return: 0, or as cmd.h says.
 */
int ibx_cmd_query_q_counter(struct ibx_dev *dev, u8 set, u32 *out)
{
	u32 in[MLX5_ST_SZ_DW(query_q_counter_in)] = {};

	MLX5_SET(query_q_counter_in, in, opcode, MLX5_CMD_OP_QUERY_Q_COUNTER);
	MLX5_SET(query_q_counter_in, in, counter_set_id, set);
	return ibx_cmd_exec_inout(dev, query_q_counter, in, out);
}

/**
 * ibx_cmd_bind_counter - RTS2RTS_QP: count a QP's events in another set
 * @dev: the function
 * @qpn: a QP in RTS
 * @set: a counter set
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, -EINVAL when the QP is not in RTS, or as cmd.h says.
 */
int ibx_cmd_bind_counter(struct ibx_dev *dev, u32 qpn, u8 set)
{
	u32 qpc[MLX5_ST_SZ_DW(qpc)] = {};

	MLX5_SET(qpc, qpc, counter_set_id, set);
	return ibx_cmd_step_qp(dev, MLX5_CMD_OP_RTS2RTS_QP, qpn, MLX5_QP_OPTPAR_COUNTER_SET_ID,
			       qpc);
}

/**
 * ibx_cmd_query_traffic - QUERY_VPORT_COUNTER
 * @dev: the function
 * @out: MLX5_ST_SZ_DW(query_vport_counter_out) words for the answer
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or as cmd.h says.
 */
int ibx_cmd_query_traffic(struct ibx_dev *dev, u32 *out)
{
	ktime_t start = ktime_get();

	return ibx_cmd_done(dev, MLX5_CMD_OP_QUERY_VPORT_COUNTER, start,
			    mlx5_core_query_vport_counter(dev->mdev, 0, 0, IBX_PORT, out));
}

/**
 * ibx_cmd_query_port_errors - ACCESS_REG: read PPCNT, InfiniBand port counters
 * @dev: the function
 * @out: MLX5_ST_SZ_DW(ppcnt_reg) words for the answer
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or as cmd.h says.
 */
int ibx_cmd_query_port_errors(struct ibx_dev *dev, u32 *out)
{
	u32 in[MLX5_ST_SZ_DW(ppcnt_reg)] = {};
	ktime_t start = ktime_get();
	int err;

	MLX5_SET(ppcnt_reg, in, local_port, IBX_PORT);
	MLX5_SET(ppcnt_reg, in, grp, MLX5_INFINIBAND_PORT_COUNTERS_GROUP);
	err = mlx5_core_access_reg(dev->mdev, in, sizeof(in), out, sizeof(in),
				   MLX5_REG_PPCNT, 0, 0);
	return ibx_cmd_done(dev, MLX5_CMD_OP_ACCESS_REG, start, err);
}
