// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5dv_ib: direct verbs of mlx5_ibx on the devices of an unchanged mlx5_ib.
 *
 * The module uses mlx5_ib's private structures and calls none of its functions.
 */
#include <linux/module.h>

#include "mlx5dv_ib.h"
#include "mlx5_ib.h"
#include "dv/register.h"

MODULE_AUTHOR("The mlx5_ibx authors");
MODULE_DESCRIPTION("Kernel direct verbs on devices of mlx5_ib");
MODULE_LICENSE("Dual BSD/GPL");

/*
 * Return: the device of mlx5_core, or NULL if the module does not support the
 * RDMA device. The module is built with the private structures of the kernel's
 * mlx5_ib, so it refuses devices of an out-of-tree mlx5_ib, and of a built-in mlx5_ib, which has no owner. An RDMA device
 * over several ports or PCI functions has several devices of mlx5_core. A
 * representor uses objects of its uplink.
 */
static struct mlx5_core_dev *get_mdev(struct ib_device *ibdev)
{
	struct mlx5_ib_dev *dev = to_mdev(ibdev);
	int err;

	if (!ibdev->ops.owner || test_bit(TAINT_OOT_MODULE, &ibdev->ops.owner->taints)) {
		ibdev_warn(ibdev, "no direct verbs: not the mlx5_ib of the kernel\n");
		return NULL;
	}
	err = mlx5dv_ib_check_layout(module_name(ibdev->ops.owner));
	if (err) {
		ibdev_warn(ibdev, "no direct verbs: error %d from comparing mlx5_ib\n", err);
		return NULL;
	}
	if (dev->is_rep || dev->lag_active || dev->num_ports != 1) {
		ibdev_warn(ibdev, "no direct verbs: representor, bond or several ports\n");
		return NULL;
	}
	return dev->mdev;
}

static u32 get_pdn(const struct ib_pd *pd)
{
	return container_of(pd, struct mlx5_ib_pd, ibpd)->pdn;
}

static u32 get_cqn(const struct ib_cq *cq)
{
	return container_of(cq, struct mlx5_ib_cq, ibcq)->mcq.cqn;
}

static u32 get_cqe_size(const struct ib_cq *cq)
{
	return container_of(cq, struct mlx5_ib_cq, ibcq)->mcq.cqe_sz;
}

static const struct mlx5_av *get_av(const struct ib_ah *ah)
{
	return &container_of(ah, struct mlx5_ib_ah, ibah)->av;
}

static const struct ibx_backend backend = {
	.owner = THIS_MODULE,
	.mdev = get_mdev,
	.pdn = get_pdn,
	.cqn = get_cqn,
	.cqe_size = get_cqe_size,
	.av = get_av,
	.get_sq = mlx5dv_ib_get_sq,
	.may_post = mlx5dv_ib_may_post,
	.lock_sq = mlx5dv_ib_lock_sq,
	.post_sq = mlx5dv_ib_post_sq,
	.add_sig = mlx5dv_ib_add_sig,
	.drop_sig_errors = mlx5dv_ib_drop_sig_errors,
	.remove_sig = mlx5dv_ib_remove_sig,
	.take_sig_errors = mlx5dv_ib_take_sig_errors,
	.read_sig = mlx5dv_ib_read_sig,
};

/*
 * The module is refused if the mlx5_ib that is loaded has other structures. An
 * mlx5_ib that is loaded later is compared when it registers a device.
 */
static int __init dv_init(void)
{
	const int err = mlx5dv_ib_check_layout("mlx5_ib");

	if (err && err != -ENOENT)
		return err;
	return ibx_backend_register(&backend);
}

static void __exit dv_exit(void)
{
	ibx_backend_unregister(&backend);
}

module_init(dv_init);
module_exit(dv_exit);
