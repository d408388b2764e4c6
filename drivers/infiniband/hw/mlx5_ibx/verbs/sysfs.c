// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Attributes of a device in /sys/class/infiniband, under the names of mlx5_ib,
 * which ibv_devinfo, ibstat and scripts of administrators use. No state is kept
 * here.
 */
#include <linux/pci.h>
#include <linux/sysfs.h>

#include "verbs/verbs.h"

static const struct mlx5_core_dev *to_mdev(struct device *device)
{
	return rdma_device_to_drv_device(device, struct ibx_dev, ibdev)->mdev;
}

/* the revision is printed in hexadecimal, as in mlx5_ib */
static ssize_t hw_rev_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%x\n", to_mdev(device)->pdev->revision);
}
static DEVICE_ATTR_RO(hw_rev);

static ssize_t hca_type_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "MT%d\n", to_mdev(device)->pdev->device);
}
static DEVICE_ATTR_RO(hca_type);

static ssize_t board_id_show(struct device *device, struct device_attribute *attr, char *buf)
{
	/* board_id may have no terminating 0 */
	return sysfs_emit(buf, "%.*s\n", MLX5_BOARD_ID_LEN, to_mdev(device)->board_id);
}
static DEVICE_ATTR_RO(board_id);

/* pages of host memory that the firmware uses, counted by mlx5_core */
static ssize_t fw_pages_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", to_mdev(device)->priv.fw_pages);
}
static DEVICE_ATTR_RO(fw_pages);

/* pages of memory that MRs of processes have pinned (abi/mr.c) */
static ssize_t reg_pages_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", atomic_read(&to_mdev(device)->priv.reg_pages));
}
static DEVICE_ATTR_RO(reg_pages);

static struct attribute *ibx_attrs[] = {
	&dev_attr_hw_rev.attr,
	&dev_attr_hca_type.attr,
	&dev_attr_board_id.attr,
	&dev_attr_fw_pages.attr,
	&dev_attr_reg_pages.attr,
	NULL,
};

const struct attribute_group ibx_attr_group = {
	.attrs = ibx_attrs,
};
