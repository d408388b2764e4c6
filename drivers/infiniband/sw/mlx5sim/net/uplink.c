// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The uplink netdev of a device: the netdev that the RDMA driver uses as its
 * port.
 *
 * Stock mlx5_ib reads its netdev from a field of struct mlx5_core_dev, which
 * the Ethernet driver of mlx5_core fills in. A simulated function has no
 * Ethernet offloads and thus no Ethernet driver, so mlx5sim sets the field.
 * mlx5sim sets it when mlx5_core adds its auxiliary device for RDMA, before a
 * driver binds to that device. The load order of the two modules makes no
 * difference. mlx5sim clears the field after the auxiliary device is removed,
 * while the mlx5_core device still exists.
 *
 * Only public fields are written, and no symbol of mlx5_core is needed, so
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
 * The field needs no reference to the netdev: the netdev exists until the
 * driver of the simulated function has unbound. The driver removes the
 * auxiliary device before, which clears the field.
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
 * The auxiliary bus does not export its bus_type, but every initialised
 * auxiliary device points to the bus_type. The device that is created here is
 * never added.
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
 * sim_uplink_init() - start watching the auxiliary bus
 *
 * Context: process context, before a simulated function is plugged.
 * Return: 0; -ENOMEM; an errno of bus_register_notifier().
 */
int sim_uplink_init(void)
{
	sim_aux_bus = sim_find_aux_bus();
	if (!sim_aux_bus)
		return -ENOMEM;
	return bus_register_notifier(sim_aux_bus, &sim_uplink_nb);
}

/**
 * sim_uplink_exit() - undo sim_uplink_init()
 *
 * Context: process context. Every simulated function is unplugged.
 */
void sim_uplink_exit(void)
{
	bus_unregister_notifier(sim_aux_bus, &sim_uplink_nb);
}
