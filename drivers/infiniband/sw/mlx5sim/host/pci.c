// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * PCI: a root bus with one simulated function per slot.
 *
 * The host may access config space in any context; the accesses take
 * sim_pci.lock. A write of MSI-X control or bus mastering delivers the pending
 * interrupts that it permits. A write of the FLR bit sets sim_pci.flr for the
 * hardware thread. Until the hardware thread has reset the simulated function,
 * config reads return all ones, as from a device that is not ready.
 *
 * A simulated function is inserted by scanning its slot and claiming its BAR at
 * the preset address (the PCI core could not assign an address in reserved
 * memory). Drivers can bind after sim_pci_bind(). Every removal, by mlx5sim or
 * by sysfs "remove", takes the same path: a bus notifier is called when the
 * device is deleted, after its driver was unbound. pci_lock_rescan_remove()
 * serialises insertion and removal.
 */
#include <linux/pci-ecam.h>

#include "core/core.h"
#include "host/cfg.h"
#include "host/host.h"

/*
 * sysdata of the root bus. On x86 it contains the domain number, and domain_nr
 * of the host bridge stays unset: otherwise Linux 7.3 warns when it frees the
 * bridge. On other architectures domain_nr contains the domain number, and ACPI
 * reads the parent of the bus from sysdata: NULL here.
 */
#ifdef CONFIG_X86
static struct pci_sysdata sim_sysdata = { .node = NUMA_NO_NODE };

static void sim_bridge_set_domain(struct pci_host_bridge *bridge, int domain)
{
	sim_sysdata.domain = domain;
}
#else
static struct pci_config_window sim_sysdata;

static void sim_bridge_set_domain(struct pci_host_bridge *bridge, int domain)
{
	bridge->domain_nr = domain;
}
#endif

static int sim_domain_nr;
static void (*sim_pci_removed)(struct sim_dev *sdev);	/* from sim_pci_init() */

/* ---- config space ---- */

/*
 * The simulated function whose config space is accessed; NULL when no function
 * responds.
 */
static struct sim_dev *sim_cfg_target(struct pci_bus *bus, unsigned int devfn, int where, int size)
{
	struct sim_dev *sdev = sim_cfg_slot(bus, devfn);

	if (!sdev || !READ_ONCE(sdev->pci->plugged) || where < 0 || where + size > SIM_CFG_SIZE)
		return NULL;
	return sdev;
}

static int sim_cfg_read(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 *val)
{
	struct sim_dev *sdev = sim_cfg_target(bus, devfn, where, size);
	struct sim_pci *pci;
	unsigned long flags;
	int i;

	*val = ~0;
	if (!sdev)
		return PCIBIOS_DEVICE_NOT_FOUND;
	pci = sdev->pci;

	raw_spin_lock_irqsave(&pci->lock, flags);
	if (!pci->flr) {
		*val = 0;
		for (i = 0; i < size; i++)
			*val |= (u32)pci->cfg[where + i] << (8 * i);
	}
	raw_spin_unlock_irqrestore(&pci->lock, flags);
	return PCIBIOS_SUCCESSFUL;
}

/* Does a write of @size bytes at @where cover the byte @pos? */
static bool sim_cfg_hits(int where, int size, int pos)
{
	return pos >= where && pos < where + size;
}

static int sim_cfg_write(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 val)
{
	const int flr_byte = SIM_EXP_POS + PCI_EXP_DEVCTL + 1;
	struct sim_dev *sdev = sim_cfg_target(bus, devfn, where, size);
	struct sim_pci *pci;
	unsigned long flags;
	int i;

	if (!sdev)
		return PCIBIOS_DEVICE_NOT_FOUND;
	pci = sdev->pci;

	raw_spin_lock_irqsave(&pci->lock, flags);
	for (i = 0; i < size; i++) {
		u8 mask = pci->wmask[where + i];

		pci->cfg[where + i] &= ~mask;
		pci->cfg[where + i] |= (val >> (8 * i)) & mask;
	}
	if (sim_cfg_hits(where, size, flr_byte) &&
	    (val >> (8 * (flr_byte - where))) & (PCI_EXP_DEVCTL_BCR_FLR >> 8))
		WRITE_ONCE(pci->flr, true);
	raw_spin_unlock_irqrestore(&pci->lock, flags);

	if (pci->flr)
		sim_hw_kick();
	else if (sim_cfg_hits(where, size, SIM_MSIX_POS + PCI_MSIX_FLAGS + 1) ||
		 sim_cfg_hits(where, size, PCI_COMMAND))
		sim_msix_deliver_pending(sdev);
	return PCIBIOS_SUCCESSFUL;
}

static struct pci_ops sim_pci_ops = {
	.read	= sim_cfg_read,
	.write	= sim_cfg_write,
};

/**
 * sim_pci_name() - format the PCI address of a simulated function
 * @sdev: simulated function, plugged or not
 * @buf: set to the address
 * @len: size of @buf in bytes
 *
 * Return: @buf.
 */
const char *sim_pci_name(struct sim_dev *sdev, char *buf, size_t len)
{
	snprintf(buf, len, "%04x:%02x:%02x.%x", sim_domain_nr, 0, sdev->index, 0);
	return buf;
}

/* ---- insertion and removal ---- */

/**
 * sim_pci_lock() - serialise insertion and removal, by mlx5sim and by the host
 *
 * Context: process context, not on the hardware thread.
 */
void sim_pci_lock(void)
{
	pci_lock_rescan_remove();
}

/**
 * sim_pci_unlock() - undo sim_pci_lock()
 */
void sim_pci_unlock(void)
{
	pci_unlock_rescan_remove();
}

/**
 * sim_pci_present() - check whether the host has a device
 * @sdev: simulated function
 *
 * Context: process context. The caller holds sim_pci_lock().
 * Return: true from sim_pci_insert() to the removal of the device.
 */
bool sim_pci_present(const struct sim_dev *sdev)
{
	return sdev->pci->pdev;
}

/**
 * sim_pci_device() - get the struct device of a simulated function
 * @sdev: simulated function, inserted
 *
 * Return: the device.
 */
struct device *sim_pci_device(const struct sim_dev *sdev)
{
	return &sdev->pci->pdev->dev;
}

/**
 * sim_pci_insert() - put a simulated function into its slot
 * @sdev: simulated function, not inserted
 *
 * The host finds the device, but no driver can bind before sim_pci_bind().
 *
 * Context: process context. The caller holds sim_pci_lock().
 * Return: 0; -ENODEV when the host does not find the device; an errno of
 * pci_claim_resource(), after the removal of the device.
 */
int sim_pci_insert(struct sim_dev *sdev)
{
	struct sim_pci *pci = sdev->pci;
	struct pci_dev *pdev;
	int ret;

	WRITE_ONCE(pci->flr, false);
	sim_msix_reset(sdev);
	sim_cfg_init(sdev);
	pci->plugged = true;
	pdev = pci_scan_single_device(sim_bus, PCI_DEVFN(sdev->index, 0));
	if (!pdev) {
		pci->plugged = false;
		return -ENODEV;
	}
	pci->pdev = pci_dev_get(pdev);
	sim_dma_attach(sdev, &pdev->dev);
	ret = pci_claim_resource(pdev, 0);
	if (ret)
		sim_pci_delete(sdev, false);
	return ret;
}

/**
 * sim_pci_bind() - let drivers bind to a simulated function
 * @sdev: simulated function, inserted
 *
 * Context: process context. The caller holds sim_pci_lock(). Waits for the
 * driver's probe().
 */
void sim_pci_bind(struct sim_dev *sdev)
{
	pci_bus_add_device(sdev->pci->pdev);
}

/**
 * sim_pci_vanish() - stop config space from responding
 * @sdev: simulated function
 *
 * The host still has its device, until sim_pci_delete().
 *
 * Context: any.
 */
void sim_pci_vanish(struct sim_dev *sdev)
{
	WRITE_ONCE(sdev->pci->plugged, false);
}

/**
 * sim_pci_delete() - remove the device of the host
 * @sdev: simulated function, inserted
 * @surprise: the device has left its slot already, by a surprise removal
 *
 * Waits for the driver's remove(), then calls the @removed of sim_pci_init().
 *
 * Context: process context. The caller holds sim_pci_lock().
 */
void sim_pci_delete(struct sim_dev *sdev, bool surprise)
{
	struct pci_dev *pdev = sdev->pci->pdev;

	if (surprise)
		pdev->error_state = pci_channel_io_perm_failure;
	pci_stop_and_remove_bus_device(pdev);
}

static int sim_pci_notify(struct notifier_block *nb, unsigned long action, void *data)
{
	struct sim_dev *sdev;

	if (action != BUS_NOTIFY_DEL_DEVICE)
		return NOTIFY_DONE;
	sdev = sim_dev_of(data);
	if (!sdev || !sdev->pci->pdev)
		return NOTIFY_OK;
	sim_pci_removed(sdev);
	sim_dma_detach(sdev);
	sdev->pci->plugged = false;
	pci_dev_put(sdev->pci->pdev);
	sdev->pci->pdev = NULL;
	return NOTIFY_OK;
}

static struct notifier_block sim_pci_nb = { .notifier_call = sim_pci_notify };

/* ---- function level reset ---- */

/**
 * sim_pci_reset_wanted() - check whether a function level reset is requested
 * @sdev: simulated function
 *
 * Context: any.
 * Return: true from the request until sim_pci_reset().
 */
bool sim_pci_reset_wanted(const struct sim_dev *sdev)
{
	return READ_ONCE(sdev->pci->flr);
}

/**
 * sim_pci_reset() - finish a function level reset
 * @sdev: simulated function whose other parts are reset already
 *
 * Sets config space and MSI-X to power-on values. Config reads then return
 * these values, not all ones.
 *
 * Context: hardware thread.
 */
void sim_pci_reset(struct sim_dev *sdev)
{
	struct sim_pci *pci = sdev->pci;
	unsigned long flags;

	sim_msix_reset(sdev);
	raw_spin_lock_irqsave(&pci->lock, flags);
	sim_cfg_init(sdev);
	WRITE_ONCE(pci->flr, false);
	raw_spin_unlock_irqrestore(&pci->lock, flags);
}

/* ---- bus ---- */

/*
 * Firmware cannot use domain numbers above 0xffff, but another driver can: find
 * a number above the domains of all buses.
 */
static int sim_pci_free_domain(void)
{
	struct pci_bus *bus = NULL;
	int domain = 0xffff;

	while ((bus = pci_find_next_bus(bus)) != NULL)
		domain = max(domain, pci_domain_nr(bus));
	return domain + 1;
}

static struct resource sim_busn = {
	.name	= "mlx5sim bus",
	.start	= 0,
	.end	= 0,
	.flags	= IORESOURCE_BUS | IORESOURCE_PCI_FIXED,
};

/*
 * pci_remove_root_bus() does not put the first reference to the bridge: the
 * creator of the bridge must put it.
 */
static void sim_bus_remove(void)
{
	struct pci_host_bridge *bridge = pci_find_host_bridge(sim_bus);

	pci_stop_root_bus(sim_bus);
	pci_remove_root_bus(sim_bus);
	pci_free_host_bridge(bridge);
}

static struct pci_bus *sim_bus_create(struct list_head *resources)
{
	struct pci_host_bridge *bridge = pci_alloc_host_bridge(0);

	if (!bridge)
		return NULL;
	list_splice_init(resources, &bridge->windows);
	bridge->sysdata = &sim_sysdata;
	sim_bridge_set_domain(bridge, sim_domain_nr);
	bridge->ops = &sim_pci_ops;
	/* no slot has a function yet */
	if (pci_scan_root_bus_bridge(bridge)) {
		pci_free_host_bridge(bridge);
		return NULL;
	}
	return bridge->bus;
}

/**
 * sim_pci_init() - create the root bus and its interrupt domain
 * @removed: called in process context when the host has removed a device, for
 *	any reason, after its driver was unbound
 *
 * Context: process context, before a simulated function is plugged.
 * Return: 0; -ENOMEM; an errno of sim_msix_domain_init() or
 * bus_register_notifier().
 */
int sim_pci_init(void (*removed)(struct sim_dev *sdev))
{
	LIST_HEAD(resources);
	int ret;

	sim_pci_removed = removed;
	sim_domain_nr = sim_pci_free_domain();
	pci_add_resource(&resources, &sim_busn);
	pci_add_resource(&resources, sim_bar_window());

	pci_lock_rescan_remove();
	sim_bus = sim_bus_create(&resources);
	if (!sim_bus) {
		pci_free_resource_list(&resources);
		ret = -ENOMEM;
		goto err_unlock;
	}
	ret = sim_msix_domain_init(sim_bus);
	if (ret)
		goto err_bus;
	ret = bus_register_notifier(&pci_bus_type, &sim_pci_nb);
	if (ret)
		goto err_domain;
	pci_bus_add_devices(sim_bus);
	pci_unlock_rescan_remove();
	return 0;

err_domain:
	dev_set_msi_domain(&sim_bus->dev, NULL);
	sim_msix_domain_exit();
err_bus:
	sim_bus_remove();
err_unlock:
	pci_unlock_rescan_remove();
	return ret;
}

/**
 * sim_pci_exit() - undo sim_pci_init()
 *
 * Context: process context. Every simulated function is unplugged.
 */
void sim_pci_exit(void)
{
	pci_lock_rescan_remove();
	sim_bus_remove();
	pci_unlock_rescan_remove();
	bus_unregister_notifier(&pci_bus_type, &sim_pci_nb);
	sim_msix_domain_exit();
}
