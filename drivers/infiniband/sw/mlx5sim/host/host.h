/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Exports of host/, the PCI host of a simulated function: the functions that
 * other folders call.
 *
 * Another front end (a vfio-user or QEMU device) can replace this folder. The
 * folders above do not depend on the location of the BAR memory, on the
 * delivery of interrupts to a CPU, or on the contents of config space. They
 * only use registers (sim_dev.bar, ordinary memory of SIM_BAR_SIZE bytes), read
 * and write bus addresses, raise interrupt vectors, and insert, reset and
 * delete simulated functions.
 *
 * sim_*_init() and sim_*_exit() are called at load and unload.
 */
#ifndef MLX5SIM_HOST_HOST_H
#define MLX5SIM_HOST_HOST_H

#include "core/sim.h"
#include "host/dma.h"

struct device;

/* ---- bar.c ---- */

int sim_bar_init(void);
void sim_bar_exit(void);
phys_addr_t sim_bar_phys(const struct sim_dev *sdev);
int sim_bar_dev_init(struct sim_dev *sdev);
void sim_bar_dev_exit(struct sim_dev *sdev);
u32 sim_bar_read_be32(struct sim_dev *sdev, u32 off);
void sim_bar_write_be32(struct sim_dev *sdev, u32 off, u32 val);
void sim_bar_reset(struct sim_dev *sdev);
void sim_bar_gone(struct sim_dev *sdev);
void sim_bar_tick(struct sim_dev *sdev);

/* ---- cfg.c ---- */

bool sim_pci_master(struct sim_dev *sdev);
struct sim_dev *sim_dev_of(struct device *dev);
int sim_pci_dev_init(struct sim_dev *sdev);
void sim_pci_dev_exit(struct sim_dev *sdev);

/* ---- dma.c ---- */

int sim_dma_module_init(void);
void sim_dma_module_exit(void);
int sim_dma_init(struct sim_dev *sdev);
void sim_dma_exit(struct sim_dev *sdev);
long sim_dma_count(struct sim_dev *sdev);
bool sim_dma_mapped(struct sim_dev *sdev, u64 addr);
void *sim_dma_span(struct sim_dev *sdev, u64 addr, u32 *len, bool write);
void sim_dma_account(struct sim_dev *sdev, u64 addr, u32 len, bool write);
int sim_dma_read(struct sim_dev *sdev, u64 addr, void *dst, u32 len);
int sim_dma_write(struct sim_dev *sdev, u64 addr, const void *src, u32 len);
int sim_dma_read_be32(struct sim_dev *sdev, u64 addr, u32 *val);
int sim_dma_write_be32(struct sim_dev *sdev, u64 addr, u32 val);
int sim_buf_init(struct sim_buf *buf, const __be64 *pas_be, u32 npages, u8 page_shift,
		 u32 offset);
void sim_buf_free(struct sim_buf *buf);
int sim_buf_read(struct sim_dev *sdev, const struct sim_buf *buf, u64 off, void *dst, u32 len);
int sim_buf_write(struct sim_dev *sdev, const struct sim_buf *buf, u64 off, const void *src,
		  u32 len);

/* ---- msix.c ---- */

void sim_msix_raise(struct sim_dev *sdev, u32 vector);
u32 sim_msix_nvec(struct sim_dev *sdev);
int sim_msix_dev_init(struct sim_dev *sdev);
void sim_msix_dev_exit(struct sim_dev *sdev);

/* ---- pci.c ---- */

const char *sim_pci_name(struct sim_dev *sdev, char *buf, size_t len);
void sim_pci_lock(void);
void sim_pci_unlock(void);
bool sim_pci_present(const struct sim_dev *sdev);
struct device *sim_pci_device(const struct sim_dev *sdev);
int sim_pci_insert(struct sim_dev *sdev);
void sim_pci_bind(struct sim_dev *sdev);
void sim_pci_vanish(struct sim_dev *sdev);
void sim_pci_delete(struct sim_dev *sdev, bool surprise);
bool sim_pci_reset_wanted(const struct sim_dev *sdev);
void sim_pci_reset(struct sim_dev *sdev);
int sim_pci_init(void (*removed)(struct sim_dev *sdev));
void sim_pci_exit(void);

#endif /* MLX5SIM_HOST_HOST_H */
