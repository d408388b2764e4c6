/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5sim is written for the newest kernel. This file defines the functions
 * that older kernels lack.
 */
#ifndef MLX5SIM_CORE_COMPAT_H
#define MLX5SIM_CORE_COMPAT_H

#include <crypto/aes.h>
#include <linux/crc32.h>
#include <linux/crc64.h>
#include <linux/dma-map-ops.h>
#include <linux/irq.h>

#include "compat/features.h"

#ifndef HAVE_CRC32C_LIB
#include <linux/crc32c.h>
#define crc32c __crc32c_le
#endif

#ifndef HAVE_CRC64_NVME
#define crc64_nvme crc64_rocksoft_generic
#endif

#ifndef HAVE_AES_KEY
#define aes_key crypto_aes_ctx
#define aes_preparekey aes_expandkey
#endif

/*
 * SIM_MAP_OPS(name, map, unmap) initialises the operations of struct
 * dma_map_ops that map and unmap. Older kernels map a struct page instead of a
 * physical address: SIM_DEFINE_MAP_PAGE(name, map) then defines the function
 * @name, which calls @map.
 */
#ifdef HAVE_DMA_MAP_PHYS
#define SIM_DEFINE_MAP_PAGE(name, map)
#define SIM_MAP_OPS(name, map, unmap) .map_phys = map, .unmap_phys = unmap
#else
#ifndef DMA_ATTR_MMIO
#define DMA_ATTR_MMIO 0
#endif
#define SIM_DEFINE_MAP_PAGE(name, map)						\
static dma_addr_t name(struct device *dev, struct page *page, unsigned long offset,	\
		       size_t size, enum dma_data_direction dir, unsigned long attrs)	\
{										\
	return map(dev, page_to_phys(page) + offset, size, dir, attrs);		\
}
#define SIM_MAP_OPS(name, map, unmap) .map_page = name, .unmap_page = unmap
#endif

/* Permit a new affinity of @virq at any time, not only during its delivery. */
static inline void sim_irq_move_at_any_time(unsigned int virq)
{
#ifndef HAVE_IRQ_MOVE_DEFERRED
	irq_set_status_flags(virq, IRQ_MOVE_PCNTXT);
#endif
}

#endif /* MLX5SIM_CORE_COMPAT_H */
