// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Config space of a simulated function: its power-on values, and the fields
 * that the rest of the device reads.
 *
 * Config space is an array of bytes, with a mask of the bits that a write
 * changes. host/pci.c implements the accesses of the host.
 */
#include <linux/slab.h>
#include <linux/unaligned.h>

#include "core/core.h"
#include "host/cfg.h"
#include "host/host.h"

/* The root bus of all simulated functions; host/pci.c creates it. */
struct pci_bus *sim_bus;

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
	u64 bar = sim_bar_phys(sdev);

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
	/* The FLR bit starts a reset and always reads 0 */
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

/**
 * sim_cfg_init() - set config space to its power-on values
 * @sdev: simulated function
 *
 * Context: any. The caller holds sim_pci.lock, or the slot is empty.
 */
void sim_cfg_init(struct sim_dev *sdev)
{
	struct sim_pci *pci = sdev->pci;

	memset(pci->cfg, 0, sizeof(pci->cfg));
	memset(pci->wmask, 0, sizeof(pci->wmask));
	sim_cfg_init_header(sdev, pci);
	sim_cfg_init_exp(pci);
	sim_cfg_init_msix(pci);
}

/**
 * sim_cfg_slot() - find the simulated function of a slot
 * @bus: a bus of the PCI domain of mlx5sim
 * @devfn: slot and function number, as PCI_DEVFN() encodes them
 *
 * Context: any.
 * Return: the simulated function, plugged or not; NULL for a slot without a
 * simulated function.
 */
struct sim_dev *sim_cfg_slot(struct pci_bus *bus, unsigned int devfn)
{
	if (bus->number || PCI_FUNC(devfn))
		return NULL;
	return sim_get_dev(PCI_SLOT(devfn));
}

/**
 * sim_pci_master() - check whether bus mastering is on
 * @sdev: simulated function
 *
 * Without bus mastering a device may neither access memory nor send interrupts.
 *
 * Unrefereed: U-63.
 *
 * Context: any.
 * Return: true if bus mastering is on.
 */
bool sim_pci_master(struct sim_dev *sdev)
{
	return READ_ONCE(sdev->pci->cfg[PCI_COMMAND]) & PCI_COMMAND_MASTER;
}

/**
 * sim_cfg_msix_live() - check whether messages of unmasked vectors may be sent
 * @sdev: simulated function
 *
 * Context: any.
 * Return: true if MSI-X is enabled, not all vectors are masked by the MSI-X
 * control register, and bus mastering is on.
 */
bool sim_cfg_msix_live(struct sim_dev *sdev)
{
	u8 flags = READ_ONCE(sdev->pci->cfg[SIM_MSIX_POS + PCI_MSIX_FLAGS + 1]);

	/* an MSI-X message is a memory write, so it needs bus mastering */
	return (flags & (PCI_MSIX_FLAGS_ENABLE >> 8)) &&
	       !(flags & (PCI_MSIX_FLAGS_MASKALL >> 8)) && sim_pci_master(sdev);
}

/**
 * sim_dev_of() - find the simulated function of a struct device
 * @dev: any device, or NULL
 *
 * Context: any.
 * Return: the simulated function; NULL when @dev is not a device of mlx5sim.
 */
struct sim_dev *sim_dev_of(struct device *dev)
{
	struct pci_dev *pdev;

	if (!dev || dev->bus != &pci_bus_type)
		return NULL;
	pdev = to_pci_dev(dev);
	return pdev->bus == sim_bus ? sim_cfg_slot(pdev->bus, pdev->devfn) : NULL;
}

/**
 * sim_pci_dev_init() - allocate the config space of a simulated function
 * @sdev: simulated function; its slot is empty
 *
 * Context: process context.
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
 * sim_pci_dev_exit() - undo sim_pci_dev_init()
 * @sdev: simulated function
 */
void sim_pci_dev_exit(struct sim_dev *sdev)
{
	kvfree(sdev->pci);
}
