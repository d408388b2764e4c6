// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Plugging and unplugging a simulated function.
 *
 * Plug puts the simulated function into its power-on state, inserts it, and
 * creates its netdev, all before drivers can bind. A removal that this module
 * requested and a removal that sysfs requested have the same steps: after the
 * driver has unbound, the netdev is removed and the simulated function is
 * switched off. Unplug is a surprise removal: config space and registers vanish
 * first, and the bus is notified later, as by a hotplug port.
 */
#include <linux/delay.h>

#include "core/core.h"
#include "device/device.h"
#include "host/host.h"
#include "net/net.h"

static bool sim_closed;		/* plugs are refused; under sim_pci_lock() */

/* Hardware thread */
static int sim_plug_power_on(void *arg)
{
	struct sim_dev *sdev = arg;

	sim_fault_reset(sdev);
	sim_dev_reset(sdev);
	return 0;
}

/* Hardware thread */
static int sim_plug_go_live(void *arg)
{
	struct sim_dev *sdev = arg;

	sdev->present = true;
	return 0;
}

/* Hardware thread */
static int sim_plug_power_off(void *arg)
{
	struct sim_dev *sdev = arg;

	sdev->present = false;
	sdev->port_up = false;
	sim_fault_reset(sdev);
	sim_dev_reset(sdev);
	return 0;
}

/*
 * Called when the host has removed the simulated function and its driver has
 * unbound.
 */
static void sim_plug_removed(struct sim_dev *sdev)
{
	sim_netdev_exit(sdev);
	sim_hw_call(sim_plug_power_off, sdev);
}

static int sim_plug_locked(struct sim_dev *sdev)
{
	int ret;

	if (sim_closed)
		return -ESHUTDOWN;
	if (sim_pci_present(sdev))
		return -EBUSY;

	sim_hw_call(sim_plug_power_on, sdev);
	ret = sim_pci_insert(sdev);
	if (ret)
		return ret;
	ret = sim_netdev_init(sdev);
	if (ret) {
		sim_pci_delete(sdev, false);
		return ret;
	}
	sim_hw_call(sim_plug_go_live, sdev);
	sim_pci_bind(sdev);
	return 0;
}

/**
 * sim_plug() - put a simulated function into its slot and let drivers bind
 * @sdev: simulated function
 *
 * A failed probe leaves the simulated function plugged.
 *
 * Context: process; takes sim_pci_lock() and waits for the driver's probe.
 * Return:
 * * 0
 * * -EBUSY: the simulated function is plugged already
 * * -ESHUTDOWN: the module is being unloaded
 * * an errno of sim_pci_insert() or sim_netdev_init()
 */
int sim_plug(struct sim_dev *sdev)
{
	int ret;

	sim_pci_lock();
	ret = sim_plug_locked(sdev);
	sim_pci_unlock();
	return ret;
}

/* Hardware thread */
static int sim_plug_vanish(void *arg)
{
	struct sim_dev *sdev = arg;

	sim_pci_vanish(sdev);
	sim_power_gone(sdev);
	return 0;
}

/* Remove @sdev if it is plugged. Caller holds sim_pci_lock(). */
static void sim_unplug_locked(struct sim_dev *sdev)
{
	if (sim_pci_present(sdev))
		sim_pci_delete(sdev, sdev->power == SIM_POWER_GONE);
}

/**
 * sim_unplug() - pull a simulated function out of its slot
 * @sdev: simulated function
 * @ms: milliseconds until the bus is notified; the driver may detect the
 *	removal earlier
 *
 * Context: process; takes sim_pci_lock() and waits for the driver's remove.
 * Return: 0, or -ENODEV when the simulated function is not plugged.
 */
int sim_unplug(struct sim_dev *sdev, u32 ms)
{
	sim_pci_lock();
	if (!sim_pci_present(sdev)) {
		sim_pci_unlock();
		return -ENODEV;
	}
	sim_hw_call(sim_plug_vanish, sdev);
	sim_pci_unlock();

	msleep(ms);
	sim_pci_lock();
	/* @sdev may have been removed and plugged again meanwhile */
	if (sdev->power == SIM_POWER_GONE)
		sim_unplug_locked(sdev);
	sim_pci_unlock();
	return 0;
}

/**
 * sim_plug_close() - remove every simulated function in an orderly way and
 * refuse further plugs
 *
 * Context: process; takes sim_pci_lock() and waits for the drivers' removes.
 */
void sim_plug_close(void)
{
	int i;

	sim_pci_lock();
	sim_closed = true;
	for (i = sim_num_devs() - 1; i >= 0; i--)
		sim_unplug_locked(sim_get_dev(i));
	sim_pci_unlock();
}

/**
 * sim_plug_init() - create the bus that simulated functions are plugged into
 *
 * sim_pci_exit() undoes it.
 *
 * Context: process.
 * Return: 0 or an errno of sim_pci_init().
 */
int sim_plug_init(void)
{
	return sim_pci_init(sim_plug_removed);
}
