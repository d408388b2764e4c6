// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: the debugfs directory of a device, mlx5/<PCI address>/mlx5_ibx.
 *
 * Later probe stages create its files, and their exit functions remove them.
 */
#include <linux/debugfs.h>
#include <linux/mlx5/driver.h>

#include "ibx.h"
#include "main.h"

/**
 * ibx_debugfs_init() - probe stage: create the debugfs directory
 * @dev: device that is being probed
 *
 * Context: may sleep.
 * Return: 0, also when the directory could not be created.
 */
int ibx_debugfs_init(struct ibx_dev *dev)
{
	struct dentry *root = mlx5_debugfs_get_dev_root(dev->mdev);

	/* with NULL, debugfs would use its root */
	dev->debugfs = root ? debugfs_create_dir("mlx5_ibx", root) : ERR_PTR(-ENODEV);
	return 0;
}

/**
 * ibx_debugfs_exit() - undo ibx_debugfs_init()
 * @dev: device that is being removed
 *
 * Context: may sleep.
 */
void ibx_debugfs_exit(struct ibx_dev *dev)
{
	debugfs_remove(dev->debugfs);
}
