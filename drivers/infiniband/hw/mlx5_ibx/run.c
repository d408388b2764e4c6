// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: mapping a run for DMA; the KUnit suites bring their own.
 */

#include <linux/memremap.h>
#include <linux/mm.h>

#include "ibx.h"

/**
 * ibx_map_run() - map physically contiguous memory for DMA, and note it
 * @ibdev: the device
 * @runs: gets the run
 * @start: physical address
 * @len: bytes
 *
 * Context: any.
 * Return: 0; -ENOSPC when @runs is full; -EINVAL for memory of another PCI
 * device, which scatterlists only can hold; -ENOMEM when mapping fails.
 */
int ibx_map_run(struct ib_device *ibdev, struct ib_frwr_runs *runs, phys_addr_t start, u32 len)
{
	struct page *page = pfn_to_page(PHYS_PFN(start));
	dma_addr_t addr;

	if (unlikely(runs->nr == runs->max))
		return -ENOSPC;
	if (unlikely(is_pci_p2pdma_page(page)))
		return -EINVAL;
	addr = ib_dma_map_page(ibdev, page, offset_in_page(start), len, runs->dir);
	if (unlikely(ib_dma_mapping_error(ibdev, addr)))
		return -ENOMEM;
	runs->run[runs->nr++] = (struct ib_frwr_run){ .addr = addr, .len = len };
	return 0;
}
