// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* mlx5_query_nic_vport_node_guid() has the vport as an argument */
#include <linux/mlx5/vport.h>

int probe(struct mlx5_core_dev *mdev, u64 *guid);
int probe(struct mlx5_core_dev *mdev, u64 *guid)
{
	return mlx5_query_nic_vport_node_guid(mdev, 0, false, guid);
}
