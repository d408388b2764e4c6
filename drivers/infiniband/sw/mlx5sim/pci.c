// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * PCI: a root bus of our own with one function per slot.
 *
 * Config space is an array of bytes with a mask of those bits that writes
 * change. It may be accessed from any context, under its raw lock. Writes that
 * mean something are looked at afterwards: MSI-X control and bus mastering
 * (pending interrupts may become deliverable) and the FLR bit, which only leaves a note for the
 * hardware thread; until that has reset the function, config reads give all
 * ones, as from a device that is not ready.
 *
 * Plug scans the slot, claims the BAR at its preset address (nothing could be
 * assigned in reserved memory), sets DMA operations and creates the netdev, all
 * before drivers can bind. Removal has one road whoever asks for it (us, or
 * sysfs "remove"): a notifier sees the function being deleted, after its driver
 * is gone, and takes the simulated device down. Unplug is a surprise: config
 * space and registers are gone first, and the bus hears of it later, as from a
 * hotplug port. pci_lock_rescan_remove() serialises plug and removal.
 */
#define pr_fmt(fmt) "mlx5sim: " fmt

#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/unaligned.h>

#include "fault.h"
#include "sim.h"

#define SIM_CFG_SIZE	4096
#define SIM_EXP_POS	0x60	/* PCI Express capability */
#define SIM_MSIX_POS	0x9c

/**
 * struct sim_pci - config space of one function
 * @lock: protects the rest, irqs off
 * @plugged: there is something in the slot
 * @flr: reset requested and not done yet
 * @cfg: what reads give
 * @wmask: bits that writes change
 */
struct sim_pci {
	raw_spinlock_t lock;
	bool plugged;
	bool flr;
	u8 cfg[SIM_CFG_SIZE];
	u8 wmask[SIM_CFG_SIZE];
};

static struct pci_bus *sim_bus;
static bool sim_closed;		/* no more plugs; under the PCI rescan lock */
static struct pci_sysdata sim_sysdata = { .node = NUMA_NO_NODE };

/* ---- config space ---- */

static void sim_cfg_set16(struct sim_pci *pci, int pos, u16 val, u16 wmask)
{
	put_unaligned_le16(val, &pci->cfg[pos]);
	put_unaligned_le16(wmask, &pci->wmask[pos]);
}

static void sim_cfg_set32(struct sim_pci *pci, int pos, u32 val, u32 wmask)
{
	put_unaligned_le32(val, &pci->cfg[pos]);
	put_unaligned_le32(wmask, &pci->wmask[pos]);
}

static void sim_cfg_init_header(struct sim_dev *sdev, struct sim_pci *pci)
{
	u64 bar = sdev->bar_phys;

	sim_cfg_set16(pci, PCI_VENDOR_ID, PCI_VENDOR_ID_MELLANOX, 0);
	sim_cfg_set16(pci, PCI_DEVICE_ID, sim_model()->device_id, 0);
	sim_cfg_set16(pci, PCI_COMMAND, 0,
		      PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_PARITY |
		      PCI_COMMAND_SERR | PCI_COMMAND_INTX_DISABLE);
	sim_cfg_set16(pci, PCI_STATUS, PCI_STATUS_CAP_LIST, 0);
	sim_cfg_set16(pci, PCI_CLASS_DEVICE, PCI_CLASS_NETWORK_ETHERNET, 0);
	pci->wmask[PCI_CACHE_LINE_SIZE] = 0xff;
	pci->wmask[PCI_INTERRUPT_LINE] = 0xff;
	sim_cfg_set32(pci, PCI_BASE_ADDRESS_0,
		      lower_32_bits(bar) | PCI_BASE_ADDRESS_MEM_TYPE_64 |
		      PCI_BASE_ADDRESS_MEM_PREFETCH, ~(SIM_BAR_SIZE - 1));
	sim_cfg_set32(pci, PCI_BASE_ADDRESS_1, upper_32_bits(bar), ~0);
	sim_cfg_set16(pci, PCI_SUBSYSTEM_VENDOR_ID, PCI_VENDOR_ID_MELLANOX, 0);
	sim_cfg_set16(pci, PCI_SUBSYSTEM_ID, 1, 0);
	pci->cfg[PCI_CAPABILITY_LIST] = SIM_EXP_POS;
}

/* An endpoint behind a 16 GT/s x8 link, with FLR */
static void sim_cfg_init_exp(struct sim_pci *pci)
{
	int pos = SIM_EXP_POS;

	pci->cfg[pos] = PCI_CAP_ID_EXP;
	pci->cfg[pos + PCI_CAP_LIST_NEXT] = SIM_MSIX_POS;
	sim_cfg_set16(pci, pos + PCI_EXP_FLAGS, 2 | PCI_EXP_TYPE_ENDPOINT << 4, 0);
	sim_cfg_set32(pci, pos + PCI_EXP_DEVCAP,
		      2 | PCI_EXP_DEVCAP_EXT_TAG | PCI_EXP_DEVCAP_RBER | PCI_EXP_DEVCAP_FLR, 0);
	/* The FLR bit is acted on, and always reads 0 */
	sim_cfg_set16(pci, pos + PCI_EXP_DEVCTL, 2 << 12, 0x7fff);
	sim_cfg_set32(pci, pos + PCI_EXP_LNKCAP,
		      PCI_EXP_LNKCAP_SLS_16_0GB | 8 << 4, 0);
	sim_cfg_set16(pci, pos + PCI_EXP_LNKCTL, 0, PCI_EXP_LNKCTL_RCB | PCI_EXP_LNKCTL_CCC);
	sim_cfg_set16(pci, pos + PCI_EXP_LNKSTA, PCI_EXP_LNKSTA_CLS_16_0GB | 8 << 4, 0);
	sim_cfg_set32(pci, pos + PCI_EXP_DEVCAP2, PCI_EXP_DEVCAP2_COMP_TMOUT_DIS, 0);
	sim_cfg_set16(pci, pos + PCI_EXP_DEVCTL2, 0, PCI_EXP_DEVCTL2_COMP_TMOUT_DIS);
	sim_cfg_set32(pci, pos + PCI_EXP_LNKCAP2, 0x1e, 0);
	sim_cfg_set16(pci, pos + PCI_EXP_LNKCTL2, PCI_EXP_LNKCTL2_TLS_16_0GT,
		      PCI_EXP_LNKCTL2_TLS);
}

static void sim_cfg_init_msix(struct sim_pci *pci)
{
	int pos = SIM_MSIX_POS;

	pci->cfg[pos] = PCI_CAP_ID_MSIX;
	sim_cfg_set16(pci, pos + PCI_MSIX_FLAGS, SIM_MAX_VECTORS - 1,
		      PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL);
	sim_cfg_set32(pci, pos + PCI_MSIX_TABLE, SIM_MSIX_TABLE_OFF, 0);
	sim_cfg_set32(pci, pos + PCI_MSIX_PBA, SIM_MSIX_PBA_OFF, 0);
}

/* Caller holds the lock, or the slot is empty. */
static void sim_cfg_init(struct sim_dev *sdev)
{
	struct sim_pci *pci = sdev->pci;

	memset(pci->cfg, 0, sizeof(pci->cfg));
	memset(pci->wmask, 0, sizeof(pci->wmask));
	sim_cfg_init_header(sdev, pci);
	sim_cfg_init_exp(pci);
	sim_cfg_init_msix(pci);
}

static struct sim_dev *sim_slot(struct pci_bus *bus, unsigned int devfn)
{
	if (bus->number || PCI_FUNC(devfn))
		return NULL;
	return sim_get_dev(PCI_SLOT(devfn));
}

/* The function whose config space an access is for, NULL when nobody would answer. */
static struct sim_dev *sim_cfg_target(struct pci_bus *bus, unsigned int devfn, int where, int size)
{
	struct sim_dev *sdev = sim_slot(bus, devfn);

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

/* kernel-doc in sim.h */
bool sim_pci_master(struct sim_dev *sdev)
{
	return READ_ONCE(sdev->pci->cfg[PCI_COMMAND]) & PCI_COMMAND_MASTER;
}

/* kernel-doc in sim.h */
bool sim_pci_msix_live(struct sim_dev *sdev)
{
	u8 flags = READ_ONCE(sdev->pci->cfg[SIM_MSIX_POS + PCI_MSIX_FLAGS + 1]);

	/* a message is a memory write like any other */
	return (flags & (PCI_MSIX_FLAGS_ENABLE >> 8)) &&
	       !(flags & (PCI_MSIX_FLAGS_MASKALL >> 8)) && sim_pci_master(sdev);
}

/* kernel-doc in sim.h */
bool sim_pci_poll(struct sim_dev *sdev)
{
	struct sim_pci *pci = sdev->pci;
	unsigned long flags;

	if (likely(!READ_ONCE(pci->flr)) || sdev->power == SIM_POWER_GONE)
		return false;

	sim_trace(sdev, "function level reset");
	sim_dev_reset(sdev);
	sim_msix_reset(sdev);
	raw_spin_lock_irqsave(&pci->lock, flags);
	sim_cfg_init(sdev);
	WRITE_ONCE(pci->flr, false);
	raw_spin_unlock_irqrestore(&pci->lock, flags);
	return true;
}

/* ---- plug and unplug ---- */

/* kernel-doc in sim.h */
struct sim_dev *sim_dev_of(struct device *dev)
{
	struct pci_dev *pdev;

	if (!dev || dev->bus != &pci_bus_type)
		return NULL;
	pdev = to_pci_dev(dev);
	return pdev->bus == sim_bus ? sim_slot(pdev->bus, pdev->devfn) : NULL;
}

/**
 * sim_pci_name - PCI address of a function, plugged or not
 * @sdev: the function
 * @buf: where to
 * @len: size of @buf
 *
 * Return: @buf.
 */
const char *sim_pci_name(struct sim_dev *sdev, char *buf, size_t len)
{
	snprintf(buf, len, "%04x:%02x:%02x.%x", sim_sysdata.domain, 0, sdev->index, 0);
	return buf;
}

static int sim_pci_power_on(void *arg)
{
	struct sim_dev *sdev = arg;

	WRITE_ONCE(sdev->pci->flr, false);
	sim_fault_reset(sdev);
	sim_dev_reset(sdev);
	sim_msix_reset(sdev);
	return 0;
}

static int sim_pci_go_live(void *arg)
{
	struct sim_dev *sdev = arg;

	sdev->present = true;
	return 0;
}

static int sim_pci_power_off(void *arg)
{
	struct sim_dev *sdev = arg;

	sdev->present = false;
	sdev->port_up = false;
	sim_fault_reset(sdev);
	sim_dev_reset(sdev);
	return 0;
}

/* The function is being deleted and its driver is gone. */
static void sim_pci_removed(struct sim_dev *sdev)
{
	if (!sdev->pdev)
		return;
	sim_netdev_exit(sdev);
	sim_hw_call(sim_pci_power_off, sdev);
	sim_dma_detach(sdev);
	sdev->pci->plugged = false;
	pci_dev_put(sdev->pdev);
	sdev->pdev = NULL;
}

static int sim_pci_notify(struct notifier_block *nb, unsigned long action, void *data)
{
	struct sim_dev *sdev;

	if (action != BUS_NOTIFY_DEL_DEVICE)
		return NOTIFY_DONE;
	sdev = sim_dev_of(data);
	if (sdev)
		sim_pci_removed(sdev);
	return NOTIFY_OK;
}

static struct notifier_block sim_pci_nb = { .notifier_call = sim_pci_notify };

static int sim_pci_plug_locked(struct sim_dev *sdev)
{
	struct pci_dev *pdev;
	int ret;

	if (sim_closed)
		return -ESHUTDOWN;
	if (sdev->pdev)
		return -EBUSY;

	sim_hw_call(sim_pci_power_on, sdev);
	sim_cfg_init(sdev);
	sdev->pci->plugged = true;
	pdev = pci_scan_single_device(sim_bus, PCI_DEVFN(sdev->index, 0));
	if (!pdev) {
		sdev->pci->plugged = false;
		return -ENODEV;
	}
	sdev->pdev = pci_dev_get(pdev);
	sim_dma_attach(sdev, &pdev->dev);

	ret = pci_claim_resource(pdev, 0);
	if (ret)
		goto err_remove;
	ret = sim_netdev_init(sdev);
	if (ret)
		goto err_remove;
	sim_hw_call(sim_pci_go_live, sdev);
	pci_bus_add_device(pdev);
	return 0;

err_remove:
	pci_stop_and_remove_bus_device(pdev);
	return ret;
}

/**
 * sim_pci_plug - put a function in its slot and let drivers bind
 * @sdev: the function
 *
 * Process context; takes the PCI rescan lock and waits for the driver's probe.
 * A probe that fails leaves the function plugged.
 *
 * Return: 0, -EBUSY when it is plugged already, -ESHUTDOWN when the module is
 * going away, or what claiming the BAR or creating the netdev returned.
 */
int sim_pci_plug(struct sim_dev *sdev)
{
	int ret;

	pci_lock_rescan_remove();
	ret = sim_pci_plug_locked(sdev);
	pci_unlock_rescan_remove();
	return ret;
}

static int sim_pci_vanish(void *arg)
{
	struct sim_dev *sdev = arg;

	WRITE_ONCE(sdev->pci->plugged, false);
	sim_power_gone(sdev);
	return 0;
}

/* Removes a function that may be gone. Caller must hold the rescan lock. */
static void sim_pci_remove_locked(struct sim_dev *sdev)
{
	if (!sdev->pdev)
		return;
	/* what a hotplug port says of a card that is not there any more */
	if (sdev->power == SIM_POWER_GONE)
		sdev->pdev->error_state = pci_channel_io_perm_failure;
	pci_stop_and_remove_bus_device(sdev->pdev);
}

/**
 * sim_pci_unplug - pull a function out of its slot
 * @sdev: the function
 * @ms: milliseconds until the bus notices, in which the driver may
 *
 * Process context; takes the PCI rescan lock and waits for the driver's remove.
 *
 * Return: 0, or -ENODEV when it is not plugged.
 */
int sim_pci_unplug(struct sim_dev *sdev, u32 ms)
{
	pci_lock_rescan_remove();
	if (!sdev->pdev) {
		pci_unlock_rescan_remove();
		return -ENODEV;
	}
	sim_hw_call(sim_pci_vanish, sdev);
	pci_unlock_rescan_remove();

	msleep(ms);
	pci_lock_rescan_remove();
	/* someone else may have removed it, and plugged the next one */
	if (sdev->power == SIM_POWER_GONE)
		sim_pci_remove_locked(sdev);
	pci_unlock_rescan_remove();
	return 0;
}

/**
 * sim_pci_close - remove everything for good, in good order
 *
 * Process context; takes the PCI rescan lock and waits for the drivers.
 */
void sim_pci_close(void)
{
	int i;

	pci_lock_rescan_remove();
	sim_closed = true;
	for (i = sim_num_devs() - 1; i >= 0; i--)
		sim_pci_remove_locked(sim_get_dev(i));
	pci_unlock_rescan_remove();
}

/* ---- bus ---- */

/* Domains beyond 16 bits are nobody's: firmware cannot name them. */
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

/* Removing a root bus leaves the bridge's first reference with who created it. */
static void sim_bus_remove(void)
{
	struct pci_host_bridge *bridge = pci_find_host_bridge(sim_bus);

	pci_stop_root_bus(sim_bus);
	pci_remove_root_bus(sim_bus);
	pci_free_host_bridge(bridge);
}

/**
 * sim_pci_init - create the root bus and its interrupt domain
 *
 * Process context; nothing is plugged yet.
 *
 * Return: 0, -ENOMEM, or what
 * registering the notifier returned.
 */
int sim_pci_init(void)
{
	LIST_HEAD(resources);
	int ret;

	sim_sysdata.domain = sim_pci_free_domain();
	pci_add_resource(&resources, &sim_busn);
	pci_add_resource(&resources, sim_bar_window());

	pci_lock_rescan_remove();
	sim_bus = pci_create_root_bus(NULL, 0, &sim_pci_ops, &sim_sysdata, &resources);
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
 * sim_pci_exit - undo sim_pci_init(); everything is unplugged
 */
void sim_pci_exit(void)
{
	pci_lock_rescan_remove();
	sim_bus_remove();
	pci_unlock_rescan_remove();
	bus_unregister_notifier(&pci_bus_type, &sim_pci_nb);
	sim_msix_domain_exit();
}

/**
 * sim_pci_dev_init - config space of a function, slot empty
 * @sdev: the function
 *
 * Return: 0 or -ENOMEM.
 */
int sim_pci_dev_init(struct sim_dev *sdev)
{
	sdev->pci = kvzalloc(sizeof(*sdev->pci), GFP_KERNEL);
	if (!sdev->pci)
		return -ENOMEM;
	raw_spin_lock_init(&sdev->pci->lock);
	return 0;
}

/**
 * sim_pci_dev_exit - undo sim_pci_dev_init()
 * @sdev: the function
 */
void sim_pci_dev_exit(struct sim_dev *sdev)
{
	kvfree(sdev->pci);
}
