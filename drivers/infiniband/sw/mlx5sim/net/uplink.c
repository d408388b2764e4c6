// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Telling the RDMA driver which netdev is its port.
 *
 * Stock mlx5_ib learns its netdev from a field of mlx5_core's device structure,
 * which mlx5_core's own Ethernet driver would fill in. The simulated function
 * has no Ethernet offloads and so no such driver: we fill the field in, when
 * mlx5_core adds its auxiliary device for RDMA and before any driver binds to
 * that. Both load orders come out the same. It is cleared when the auxiliary
 * device has gone, while the mlx5_core device still exists.
 *
 * Only public fields are touched and no symbol of mlx5_core is needed, so
 * either module loads without the other.
 */
#include <linux/auxiliary_bus.h>
#include <linux/mlx5/driver.h>
#include <linux/slab.h>

#include "host/host.h"
#include "net/net.h"

#define SIM_RDMA_ADEV	"mlx5_core.rdma."

static const struct bus_type *sim_aux_bus;

static void sim_uplink_set(struct mlx5_core_dev *mdev, struct net_device *dev)
{
	mutex_lock(&mdev->mlx5e_res.uplink_netdev_lock);
	mdev->mlx5e_res.uplink_netdev = dev;
	mutex_unlock(&mdev->mlx5e_res.uplink_netdev_lock);
}

/*
 * The netdev lives until the function's driver is gone, and the auxiliary device
 * goes before that, so no reference is needed.
 */
static int sim_uplink_notify(struct notifier_block *nb, unsigned long action, void *data)
{
	struct device *dev = data;
	struct mlx5_core_dev *mdev;
	struct net_device *ndev;
	struct sim_dev *sdev;

	if (action != BUS_NOTIFY_ADD_DEVICE && action != BUS_NOTIFY_REMOVED_DEVICE)
		return NOTIFY_DONE;
	if (strncmp(dev_name(dev), SIM_RDMA_ADEV, strlen(SIM_RDMA_ADEV)))
		return NOTIFY_DONE;
	sdev = sim_dev_of(dev->parent);
	if (!sdev)
		return NOTIFY_DONE;

	mdev = container_of(to_auxiliary_dev(dev), struct mlx5_adev, adev)->mdev;
	if (action == BUS_NOTIFY_REMOVED_DEVICE) {
		sim_uplink_set(mdev, NULL);
		return NOTIFY_OK;
	}
	ndev = sim_netdev_get(sdev);
	sim_uplink_set(mdev, ndev);
	dev_put(ndev);
	return NOTIFY_OK;
}

static struct notifier_block sim_uplink_nb = { .notifier_call = sim_uplink_notify };

struct sim_aux_probe {
	struct auxiliary_device adev;
	struct device parent;
};

static void sim_aux_probe_release(struct device *dev)
{
	kfree(container_of(to_auxiliary_dev(dev), struct sim_aux_probe, adev));
}

/*
 * The auxiliary bus does not export its bus_type, but every auxiliary device
 * points to it once it is initialised. This one is never added.
 */
static const struct bus_type *sim_find_aux_bus(void)
{
	struct sim_aux_probe *probe = kzalloc(sizeof(*probe), GFP_KERNEL);
	const struct bus_type *bus;

	if (!probe)
		return NULL;
	probe->adev.name = "bus";
	probe->adev.dev.parent = &probe->parent;
	probe->adev.dev.release = sim_aux_probe_release;
	if (auxiliary_device_init(&probe->adev)) {
		kfree(probe);
		return NULL;
	}
	bus = probe->adev.dev.bus;
	auxiliary_device_uninit(&probe->adev);
	return bus;
}

/**
 * sim_uplink_init - start watching the auxiliary bus
 *
 * Process context, before any function is plugged.
 *
 * Return: 0, -ENOMEM, or
 * what registering the notifier returned.
 */
int sim_uplink_init(void)
{
	sim_aux_bus = sim_find_aux_bus();
	if (!sim_aux_bus)
		return -ENOMEM;
	return bus_register_notifier(sim_aux_bus, &sim_uplink_nb);
}

/**
 * sim_uplink_exit - stop watching; every function is unplugged
 */
void sim_uplink_exit(void)
{
	bus_unregister_notifier(sim_aux_bus, &sim_uplink_nb);
}
