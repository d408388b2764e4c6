// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands for the device as a whole: protection domains, the RoCE address
 * table, access registers. The rules of cmd.h apply.
 */
#include <linux/if_vlan.h>
#include <linux/mlx5/port.h>

#include "cmd/cmd.h"

/**
 * ibx_cmd_alloc_pd() - ALLOC_PD
 * @dev: device
 * @pd: PD with its uid set; gets its number
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_alloc_pd(struct ibx_dev *dev, struct ibx_pd *pd)
{
	u32 out[MLX5_ST_SZ_DW(alloc_pd_out)] = {};
	u32 in[MLX5_ST_SZ_DW(alloc_pd_in)] = {};
	int err;

	MLX5_SET(alloc_pd_in, in, opcode, MLX5_CMD_OP_ALLOC_PD);
	MLX5_SET(alloc_pd_in, in, uid, pd->uid);
	err = ibx_cmd_exec_inout(dev, alloc_pd, in, out);
	if (!err)
		pd->pdn = MLX5_GET(alloc_pd_out, out, pd);
	return err;
}

/**
 * ibx_cmd_dealloc_pd() - DEALLOC_PD
 * @dev: device
 * @pd: PD without users
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EBUSY: an object uses the PD, or an unanswered command may still create an
 *   object in the PD (ibx_pd.held)
 * * an errno from cmd.h
 */
int ibx_cmd_dealloc_pd(struct ibx_dev *dev, const struct ibx_pd *pd)
{
	u32 in[MLX5_ST_SZ_DW(dealloc_pd_in)] = {};

	if (pd->held)
		return -EBUSY;
	MLX5_SET(dealloc_pd_in, in, opcode, MLX5_CMD_OP_DEALLOC_PD);
	MLX5_SET(dealloc_pd_in, in, uid, pd->uid);
	MLX5_SET(dealloc_pd_in, in, pd, pd->pdn);
	return ibx_cmd_exec_in(dev, dealloc_pd, in);
}

/**
 * ibx_cmd_set_roce_addr() - SET_ROCE_ADDRESS
 * @dev: device
 * @index: index in the address table
 * @addr: new entry, or NULL to clear it
 *
 * Context: may sleep.
 * Return: 0, or an errno from cmd.h.
 */
int ibx_cmd_set_roce_addr(struct ibx_dev *dev, u32 index, const struct ibx_roce_addr *addr)
{
	ktime_t start = ibx_cmd_start();
	int err;

	if (!addr)
		err = mlx5_core_roce_gid_set(dev->mdev, index, 0, 0, NULL, NULL,
					     false, 0, IBX_PORT);
	else
		err = mlx5_core_roce_gid_set(dev->mdev, index, addr->version, addr->l3_type,
					     addr->gid, addr->mac, addr->vlan < VLAN_CFI_MASK,
					     addr->vlan, IBX_PORT);
	return ibx_cmd_done(dev, MLX5_CMD_OP_SET_ROCE_ADDRESS, start, err);
}

static int access_node_desc(struct ibx_dev *dev, const void *in, void *out, int write)
{
	ktime_t start = ibx_cmd_start();
	int err;

	err = mlx5_core_access_reg(dev->mdev, (void *)in, IB_DEVICE_NODE_DESC_MAX, out,
				   IB_DEVICE_NODE_DESC_MAX, MLX5_REG_NODE_DESC, 0, write);
	return ibx_cmd_done(dev, MLX5_CMD_OP_ACCESS_REG, start, err);
}

/**
 * ibx_cmd_get_node_desc() - ACCESS_REG: read NODE_DESC
 * @dev: device
 * @desc: node description, IB_DEVICE_NODE_DESC_MAX bytes
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or an errno from cmd.h.
 */
int ibx_cmd_get_node_desc(struct ibx_dev *dev, char *desc)
{
	char in[IB_DEVICE_NODE_DESC_MAX] = {};

	return access_node_desc(dev, in, desc, 0);
}

/**
 * ibx_cmd_set_node_desc() - ACCESS_REG: write NODE_DESC
 * @dev: device
 * @desc: node description, IB_DEVICE_NODE_DESC_MAX bytes
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or an errno from cmd.h.
 */
int ibx_cmd_set_node_desc(struct ibx_dev *dev, const char *desc)
{
	char out[IB_DEVICE_NODE_DESC_MAX];

	return access_node_desc(dev, desc, out, 1);
}

/**
 * ibx_cmd_get_eth_proto() - ACCESS_REG: read PTYS
 * @dev: device
 * @oper: gets the bitmap of active link modes
 * @ext: gets true if @oper has extended link modes
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or an errno from cmd.h.
 */
int ibx_cmd_get_eth_proto(struct ibx_dev *dev, u32 *oper, bool *ext)
{
	u32 out[MLX5_ST_SZ_DW(ptys_reg)] = {};
	ktime_t start = ibx_cmd_start();
	int err;

	err = mlx5_query_port_ptys(dev->mdev, out, sizeof(out), MLX5_PTYS_EN, IBX_PORT, 0);
	ibx_cmd_done(dev, MLX5_CMD_OP_ACCESS_REG, start, err);
	if (err)
		return err;

	*ext = !!MLX5_GET(ptys_reg, out, ext_eth_proto_capability);
	*oper = *ext ? MLX5_GET(ptys_reg, out, ext_eth_proto_oper) :
		       MLX5_GET(ptys_reg, out, eth_proto_oper);
	return 0;
}
