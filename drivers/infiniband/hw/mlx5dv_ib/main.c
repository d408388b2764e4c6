// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5dv_ib: direct verbs of mlx5_ibx on the devices of an unchanged mlx5_ib.
 *
 * The module uses mlx5_ib's private structures and calls none of its functions.
 */
#include <linux/module.h>

#include "mlx5dv_ib.h"
#include "mlx5_ib_dv.h"
#include "dv/register.h"

MODULE_AUTHOR("The mlx5_ibx authors");
MODULE_DESCRIPTION("Kernel direct verbs on devices of mlx5_ib");
MODULE_LICENSE("Dual BSD/GPL");

static bool is_patched(struct ib_device *ibdev)
{
	const char *version = ibdev->ops.owner->version;

	return version && !strcmp(version, MLX5_IB_DV_VERSION);
}

/*
 * The module is built with the private structures of the kernel's mlx5_ib. So it
 * accepts that mlx5_ib, which has no version, and an mlx5_ib that was patched for
 * this version of the module. A built-in mlx5_ib has no owner.
 */
static bool is_known(struct ib_device *ibdev)
{
	const struct module *owner = ibdev->ops.owner;

	if (!owner)
		return false;
	return owner->version ? is_patched(ibdev) : !test_bit(TAINT_OOT_MODULE, &owner->taints);
}

/*
 * Return: the device of mlx5_core, or NULL if the module does not support the
 * RDMA device. An RDMA device over several ports or PCI functions has several
 * devices of mlx5_core. A representor uses objects of its uplink.
 */
static struct mlx5_core_dev *get_mdev(struct ib_device *ibdev)
{
	struct mlx5_ib_dev *dev = to_mdev(ibdev);

	if (!is_known(ibdev)) {
		ibdev_warn(ibdev, "no direct verbs: not the mlx5_ib of the kernel\n");
		return NULL;
	}
	if (mlx5dv_ib_check_result()) {
		ibdev_warn(ibdev, "no direct verbs: comparing the BTF of mlx5_ib has failed: %d\n",
			   mlx5dv_ib_check_result());
		return NULL;
	}
	if (dev->is_rep || dev->lag_active || dev->num_ports != 1) {
		ibdev_warn(ibdev, "no direct verbs: representor, bond or several ports\n");
		return NULL;
	}
	ibdev_info(ibdev, "direct verbs on %s mlx5_ib\n",
		   is_patched(ibdev) ? "a patched" : "an unchanged");
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
	.is_patched = is_patched,
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

static int __init dv_init(void)
{
	int err = mlx5dv_ib_start_checks();

	if (err)
		return err;
	err = ibx_backend_register(&backend);
	if (err)
		mlx5dv_ib_stop_checks();
	return err;
}

static void __exit dv_exit(void)
{
	ibx_backend_unregister(&backend);
	mlx5dv_ib_stop_checks();
}

module_init(dv_init);
module_exit(dv_exit);
