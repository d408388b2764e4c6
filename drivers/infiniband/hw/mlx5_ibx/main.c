// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: the module and its binding to devices.
 *
 * mlx5_core creates an auxiliary device "mlx5_core.rdma.N" per PCI device. This
 * driver binds to the devices that the user claimed (claim.c) and leaves the
 * others to mlx5_ib. Loading the module and probing a device each run a table
 * of stages, each with an undo function. A failure undoes the stages before it;
 * removal undoes all, last stage first.
 */
#include <linux/auxiliary_bus.h>
#include <linux/mlx5/vport.h>
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#include "abi/keep.h"
#include "cmd/cmd.h"
#include "devx/event.h"
#include "dv/companion.h"
#include "dv/dv.h"
#include "ibx.h"
#include "keys/mr_key.h"
#include "main.h"
#include "verbs/verbs.h"
#include "wq/wq.h"

MODULE_AUTHOR("The mlx5_ibx authors");
MODULE_DESCRIPTION("Mellanox ConnectX RDMA provider with extended memory registration");
MODULE_LICENSE("Dual BSD/GPL");

static int check_caps(struct ibx_dev *dev)
{
	return ibx_check_mdev(dev->mdev);
}

static u8 umr_fence(struct mlx5_core_dev *mdev)
{
	switch (MLX5_CAP_GEN(mdev, umr_fence)) {
	case MLX5_CAP_UMR_FENCE_NONE:
		return MLX5_FENCE_MODE_NONE;
	case MLX5_CAP_UMR_FENCE_SMALL:
		return MLX5_FENCE_MODE_INITIATOR_SMALL;
	default:
		return MLX5_FENCE_MODE_STRONG_ORDERING;
	}
}

static int init_dev(struct ibx_dev *dev)
{
	struct mlx5_core_dev *mdev = dev->mdev;
	u64 guid;
	int err;

	xa_init_flags(&dev->qps, XA_FLAGS_LOCK_IRQ);
	xa_init_flags(&dev->srqs, XA_FLAGS_LOCK_IRQ);
	INIT_LIST_HEAD(&dev->qp_list);
	INIT_LIST_HEAD(&dev->draining);
	INIT_LIST_HEAD(&dev->mkeys);
	INIT_LIST_HEAD(&dev->qp_inits);
	mutex_init(&dev->mkeys_lock);
	mutex_init(&dev->xrc_lock);
	mutex_init(&dev->closed_lock);
	INIT_LIST_HEAD(&dev->closed);
	spin_lock_init(&dev->flush_lock);
	dev->umr_fence = umr_fence(mdev);
	dev->term_lkey = mlx5_core_get_terminate_scatter_list_mkey(mdev);

	dev->ibdev.node_type = RDMA_NODE_IB_CA;
	dev->ibdev.phys_port_cnt = 1;
	dev->ibdev.dev.parent = mdev->device;
	dev->ibdev.num_comp_vectors = mlx5_comp_vectors_max(mdev);
	/* enables adaptive moderation of the core's CQs; `rdma dev` can disable it */
	dev->ibdev.use_cq_dim = MLX5_CAP_GEN(mdev, cq_moderation);
	ibx_set_ops(dev);

	err = ibx_cmd_get_node_desc(dev, dev->ibdev.node_desc);
	if (err)
		return err;
	dev->ibdev.node_desc[IB_DEVICE_NODE_DESC_MAX - 1] = 0;
	err = mlx5_query_nic_vport_node_guid(mdev, 0, false, &guid);
	if (err)
		return err;
	dev->ibdev.node_guid = cpu_to_be64(guid);
	return 0;
}

static void exit_dev(struct ibx_dev *dev)
{
	WARN_ON(!xa_empty(&dev->qps));
	WARN_ON(!xa_empty(&dev->srqs));
	WARN_ON(!list_empty(&dev->mkeys));
	WARN_ON(atomic_read(&dev->layouts));
	WARN_ON(dev->xrc);
	mutex_destroy(&dev->closed_lock);
	mutex_destroy(&dev->xrc_lock);
	mutex_destroy(&dev->mkeys_lock);
	xa_destroy(&dev->srqs);
	xa_destroy(&dev->qps);
}

static int init_uar(struct ibx_dev *dev)
{
	return mlx5_alloc_bfreg(dev->mdev, &dev->bfreg, false, false);
}

static void exit_uar(struct ibx_dev *dev)
{
	mlx5_free_bfreg(dev->mdev, &dev->bfreg);
}

static int init_mr_keys(struct ibx_dev *dev)
{
	return IS_ENABLED(CONFIG_INFINIBAND_USER_ACCESS) ? ibx_mr_keys_init(dev) : 0;
}

static void exit_mr_keys(struct ibx_dev *dev)
{
	if (IS_ENABLED(CONFIG_INFINIBAND_USER_ACCESS))
		ibx_mr_keys_exit(dev);
}

/* nothing to initialize; the stage exists for exit_contexts() */
static int init_contexts(struct ibx_dev *dev)
{
	return 0;
}

static void exit_contexts(struct ibx_dev *dev)
{
	if (IS_ENABLED(CONFIG_INFINIBAND_USER_ACCESS))
		ibx_xrc_exit(dev, ibx_keep_exit(dev));
}

static int register_dev(struct ibx_dev *dev)
{
	int err;

	err = ib_register_device(&dev->ibdev, "mlx5_%d", dev->mdev->device);
	if (!err)
		ibx_netdev_announce(dev);
	return err;
}

static void unregister_dev(struct ibx_dev *dev)
{
	WRITE_ONCE(dev->active, false);
	/* consumers drain their QPs; after a fatal error they need the watch */
	ibx_event_watch(dev);
	ib_unregister_device(&dev->ibdev);
}

/* a companion has direct verbs only (dv/companion.h) */
static int init_companion(struct ibx_dev *dev)
{
	/* the table stays empty; its lock protects dev->draining */
	xa_init_flags(&dev->qps, XA_FLAGS_LOCK_IRQ);
	INIT_LIST_HEAD(&dev->draining);
	INIT_LIST_HEAD(&dev->mkeys);
	mutex_init(&dev->mkeys_lock);
	dev->umr_fence = umr_fence(dev->mdev);
	return 0;
}

static void exit_companion(struct ibx_dev *dev)
{
	WARN_ON(!list_empty(&dev->mkeys));
	WARN_ON(atomic_read(&dev->layouts));
	mutex_destroy(&dev->mkeys_lock);
	xa_destroy(&dev->qps);
}

struct stage {
	const char *what;
	int (*init)(struct ibx_dev *dev);
	void (*exit)(struct ibx_dev *dev);
};

static const struct stage stages[] = {
	{ "capabilities", check_caps, NULL },
	{ "device data", init_dev, exit_dev },
	{ "doorbells", init_uar, exit_uar },
	{ "memory regions", ibx_mr_init, ibx_mr_exit },
	{ "memory copies", ibx_mmo_init, ibx_mmo_exit },
	{ "signatures", ibx_sig_init, ibx_sig_exit },
	{ "encryption", ibx_crypto_init, ibx_crypto_exit },
	{ "counters", ibx_counters_init, ibx_counters_exit },
	{ "RoCE", ibx_roce_init, ibx_roce_exit },
	{ "netdev", ibx_netdev_init, ibx_netdev_exit },
	{ "events", ibx_notifier_init, ibx_notifier_exit },
	{ "events of DEVX", ibx_devx_events_init, ibx_devx_events_exit },
	{ "debugfs", ibx_debugfs_init, ibx_debugfs_exit },
	{ "list of mkeys", ibx_mkeys_show_init, ibx_mkeys_show_exit },
	{ "mkeys of processes", init_mr_keys, exit_mr_keys },
	{ "contexts of processes", init_contexts, exit_contexts },
	{ "registration", register_dev, unregister_dev },
};

static const struct stage companion_stages[] = {
	{ "device data", init_companion, exit_companion },
	{ "memory regions", ibx_mr_init, ibx_mr_exit },
	{ "memory copies", ibx_mmo_init, ibx_mmo_exit },
	{ "signatures", ibx_sig_init, ibx_sig_exit },
	{ "encryption", ibx_crypto_init, ibx_crypto_exit },
	{ "events of DEVX", ibx_devx_events_init, ibx_devx_events_exit },
	{ "debugfs", ibx_debugfs_init, ibx_debugfs_exit },
	{ "list of mkeys", ibx_mkeys_show_init, ibx_mkeys_show_exit },
};

static void undo_stages(struct ibx_dev *dev, const struct stage *table)
{
	while (dev->stage) {
		dev->stage--;
		if (table[dev->stage].exit)
			table[dev->stage].exit(dev);
	}
}

static int run_stages(struct ibx_dev *dev, const struct stage *table, unsigned int n)
{
	int err;

	for (dev->stage = 0; dev->stage < n; dev->stage++) {
		err = table[dev->stage].init(dev);
		if (err) {
			ibx_mdev_err(dev->mdev, "%s: error %d\n", table[dev->stage].what, err);
			undo_stages(dev, table);
			return err;
		}
	}
	return 0;
}

static int bring_up(struct ibx_dev *dev)
{
	return run_stages(dev, stages, ARRAY_SIZE(stages));
}

static void bring_down(struct ibx_dev *dev)
{
	undo_stages(dev, stages);
}

static int bring_up_companion(struct ibx_dev *dev)
{
	return run_stages(dev, companion_stages, ARRAY_SIZE(companion_stages));
}

static void bring_down_companion(struct ibx_dev *dev)
{
	undo_stages(dev, companion_stages);
}

static int ibx_probe(struct auxiliary_device *adev, const struct auxiliary_device_id *id)
{
	struct mlx5_adev *madev = container_of(adev, struct mlx5_adev, adev);
	struct ibx_dev *dev;
	int err;

	if (!ibx_claimed(adev->dev.parent))
		return -ENODEV;

	dev = ib_alloc_device(ibx_dev, ibdev);
	if (!dev)
		return -ENOMEM;
	dev->ib = &dev->ibdev;
	dev->mdev = madev->mdev;

	err = bring_up(dev);
	if (err) {
		ib_dealloc_device(&dev->ibdev);
		return err;
	}
	auxiliary_set_drvdata(adev, dev);
	return 0;
}

static void ibx_remove(struct auxiliary_device *adev)
{
	struct ibx_dev *dev = auxiliary_get_drvdata(adev);

	bring_down(dev);
	ib_dealloc_device(&dev->ibdev);
}

static const struct auxiliary_device_id ibx_ids[] = {
	{ .name = IBX_ADEV_NAME },
	{}
};

/*
 * No MODULE_DEVICE_TABLE(): users load the module to claim devices; the
 * presence of a device must not load it.
 */
static struct auxiliary_driver ibx_driver = {
	.name = "rdma",
	.probe = ibx_probe,
	.remove = ibx_remove,
	.id_table = ibx_ids,
};

static int register_provider(void)
{
	/*
	 * ib_frwr recognises our devices by the module. A built-in driver has
	 * no module: ib_frwr then uses ib_map_mr_sg()
	 */
	return ibx_frwr.owner ? ib_frwr_register_provider(&ibx_frwr) : 0;
}

static void unregister_provider(void)
{
	if (ibx_frwr.owner)
		ib_frwr_unregister_provider(&ibx_frwr);
}

static int register_driver(void)
{
	return auxiliary_driver_register(&ibx_driver);
}

static void unregister_driver(void)
{
	auxiliary_driver_unregister(&ibx_driver);
}

static int start_companions(void)
{
	return ibx_companions_start(bring_up_companion, bring_down_companion);
}

static int start_claims(void)
{
	return ibx_claim_start(&ibx_driver.driver);
}

static const struct {
	int (*init)(void);
	void (*exit)(void);
} module_stages[] = {
	{ ibx_mkey_pool_init, ibx_mkey_pool_exit },
	{ register_provider, unregister_provider },
	{ ibx_netdev_start, ibx_netdev_stop },
	{ start_companions, ibx_companions_stop },
	{ register_driver, unregister_driver },
	{ start_claims, ibx_claim_stop },
};

static void undo_module_stages(unsigned int done)
{
	while (done)
		module_stages[--done].exit();
}

static int __init ibx_init(void)
{
	unsigned int done;
	int err;

	for (done = 0; done < ARRAY_SIZE(module_stages); done++) {
		err = module_stages[done].init();
		if (err) {
			undo_module_stages(done);
			return err;
		}
	}
	return 0;
}

static void __exit ibx_exit(void)
{
	undo_module_stages(ARRAY_SIZE(module_stages));
}

module_init(ibx_init);
module_exit(ibx_exit);
