// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Checks whether this driver can drive a device: before another driver is
 * unbound from the device (claim.c), and when the device is probed.
 */
#include <linux/device.h>
#include <linux/mlx5/driver.h>
#include <linux/mlx5/vport.h>

#include "ibx.h"
#include "main.h"

static int refuse_mdev(struct mlx5_core_dev *mdev, const char *why)
{
	ibx_mdev_err(mdev, "%s\n", why);
	return -EOPNOTSUPP;
}

/**
 * ibx_check_mdev() - check that a device has all capabilities and the state
 * that the probe stages and the verbs require
 * @mdev: device of mlx5_core
 *
 * Context: may sleep.
 * Return: 0, or -EOPNOTSUPP with the reason in the kernel log.
 */
int ibx_check_mdev(struct mlx5_core_dev *mdev)
{
	const u8 l3 = MLX5_ROCE_L3_TYPE_IPV4_CAP | MLX5_ROCE_L3_TYPE_IPV6_CAP;

	if (MLX5_CAP_GEN(mdev, port_type) != MLX5_CAP_PORT_TYPE_ETH)
		return refuse_mdev(mdev, "only Ethernet ports are supported");
	if (!mlx5_get_roce_state(mdev))
		return refuse_mdev(mdev, "RoCE is off, or the device has none");
	if (MLX5_CAP_GEN(mdev, num_ports) > 1 || MLX5_CAP_GEN(mdev, num_vhca_ports) > 1)
		return refuse_mdev(mdev, "functions with several ports are not supported");
	if (mlx5_lag_is_active(mdev))
		return refuse_mdev(mdev, "bonded functions are not supported");
	if (!MLX5_CAP_GEN(mdev, rc) || !MLX5_CAP_GEN(mdev, ud))
		return refuse_mdev(mdev, "the device lacks RC or UD");
	if ((MLX5_CAP_ROCE(mdev, l3_type) & l3) != l3)
		return refuse_mdev(mdev, "the device lacks RoCE over IPv4 or IPv6");
	if (!(MLX5_CAP_ROCE(mdev, roce_version) &
	      (MLX5_ROCE_VERSION_1_CAP | MLX5_ROCE_VERSION_2_CAP)))
		return refuse_mdev(mdev, "the device has neither RoCE v1 nor v2");
	if (!MLX5_CAP_ROCE(mdev, roce_address_table_size))
		return refuse_mdev(mdev, "the device has no address table");
	if (MLX5_CAP_GEN(mdev, cqe_version) > 1)
		return refuse_mdev(mdev, "the version of the device's CQEs is unknown");
	return 0;
}

/**
 * ibx_check_fn() - can a device be probed?
 * @mdev: device of mlx5_core, which cannot be removed meanwhile
 *
 * Context: may sleep.
 * Return:
 * * 0
 * * -EIO: after a fatal error of the device
 * * -EOPNOTSUPP: as from ibx_check_mdev()
 *
 * The kernel log has the reason.
 */
int ibx_check_fn(struct mlx5_core_dev *mdev)
{
	if (READ_ONCE(mdev->state) == MLX5_DEVICE_STATE_INTERNAL_ERROR) {
		refuse_mdev(mdev, "the device is in error");
		return -EIO;
	}
	return ibx_check_mdev(mdev);
}

/**
 * ibx_is_rdma_adev() - is an auxiliary device a device for RDMA?
 * @dev: device on the auxiliary bus
 *
 * Return: true if this driver could bind to the auxiliary device.
 */
bool ibx_is_rdma_adev(struct device *dev)
{
	const size_t len = strlen(IBX_ADEV_NAME);

	return !strncmp(dev_name(dev), IBX_ADEV_NAME, len) && dev_name(dev)[len] == '.';
}
