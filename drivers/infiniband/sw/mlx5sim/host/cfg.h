/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Config space, and the exports of the files of host/ to each other. Not for
 * other folders.
 */
#ifndef MLX5SIM_CFG_H
#define MLX5SIM_CFG_H

#include <linux/pci.h>

#include "core/sim.h"

#define SIM_CFG_SIZE	4096
#define SIM_EXP_POS	0x60	/* PCI Express capability */
#define SIM_MSIX_POS	0x9c

/* the last two pages of the BAR */
#define SIM_MSIX_TABLE_OFF	(SIM_BAR_SIZE - 2 * SIM_UAR_SIZE)
#define SIM_MSIX_PBA_OFF	(SIM_BAR_SIZE - SIM_UAR_SIZE)

/**
 * struct sim_pci - config space of one simulated function
 * @lock: serialises changes of @cfg, @wmask and @flr; taken with interrupts
 *	disabled
 * @pdev: device of the host's PCI core, NULL while the slot is empty; changes
 *	under pci_lock_rescan_remove()
 * @plugged: config space responds to accesses
 * @flr: a function level reset is requested and not yet done
 * @cfg: values that the host reads
 * @wmask: bits of @cfg that the host can write
 */
struct sim_pci {
	raw_spinlock_t lock;		/* serialises changes of @cfg, @wmask, @flr */
	struct pci_dev *pdev;
	bool plugged;
	bool flr;
	u8 cfg[SIM_CFG_SIZE];
	u8 wmask[SIM_CFG_SIZE];
};

extern struct pci_bus *sim_bus;

void sim_cfg_init(struct sim_dev *sdev);
struct sim_dev *sim_cfg_slot(struct pci_bus *bus, unsigned int devfn);
bool sim_cfg_msix_live(struct sim_dev *sdev);

struct resource *sim_bar_window(void);

void sim_dma_attach(struct sim_dev *sdev, struct device *dev);
void sim_dma_detach(struct sim_dev *sdev);

int sim_msix_domain_init(struct pci_bus *bus);
void sim_msix_domain_exit(void);
void sim_msix_deliver_pending(struct sim_dev *sdev);
void sim_msix_reset(struct sim_dev *sdev);

#endif /* MLX5SIM_CFG_H */
