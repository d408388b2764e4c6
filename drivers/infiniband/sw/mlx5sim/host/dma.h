/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Accesses of the simulated device to host memory.
 *
 * The dma_map_ops of a simulated function map memory to bus addresses of this
 * function. Every address that the driver passes to the device is such a bus
 * address, valid only from map to unmap and only in the mapped direction. The
 * device accesses host memory with the C functions of host/dma.c only.
 *
 * Each mapping has its own window of bus addresses, 4 GiB wide, at id << 32.
 * There are about 2^31 ids, allocated cyclically, so an address that was
 * unmapped is not used again for a very long time. Two mappings are never
 * adjacent, so an access beyond the end of a mapping is always detected. The
 * low 30 bits of a bus address are equal to the low 30 bits of the physical
 * address, so that an address that is aligned in memory (up to 1 GiB) is
 * aligned on the bus too.
 *
 * With strict_dma=0 the kernel maps memory as for a real device without an
 * IOMMU: the bus address is the physical address, and these rules are not
 * checked.
 */
#ifndef MLX5SIM_DMA_H
#define MLX5SIM_DMA_H

#include <linux/bits.h>
#include <linux/minmax.h>
#include <linux/sizes.h>
#include <linux/types.h>

#define SIM_DMA_ID_SHIFT	32
#define SIM_DMA_ID_MIN		0x100u		/* first address: 1 TiB */
#define SIM_DMA_ID_MAX		0x7fffffffu
#define SIM_DMA_KEEP_BITS	30
#define SIM_DMA_MAX_LEN		SZ_2G		/* fits into a window at any start */

/* Access rights of the device */
#define SIM_DMA_CAN_READ	BIT(0)
#define SIM_DMA_CAN_WRITE	BIT(1)

/**
 * struct sim_map - one mapping
 * @bus: first bus address
 * @len: number of bytes
 * @kaddr: kernel address of the memory
 * @rights: SIM_DMA_CAN_*
 */
struct sim_map {
	u64 bus;
	u64 len;
	void *kaddr;
	u8 rights;
};

/* First bus address of the mapping @id of the memory at @phys */
static inline u64 sim_dma_bus(u32 id, u64 phys)
{
	return (u64)id << SIM_DMA_ID_SHIFT | (phys & GENMASK_ULL(SIM_DMA_KEEP_BITS - 1, 0));
}

static inline u32 sim_dma_id(u64 bus)
{
	return bus >> SIM_DMA_ID_SHIFT;
}

/**
 * sim_map_clip() - number of bytes of a range that a mapping covers
 * @map: the mapping
 * @addr: first bus address of the range
 * @len: number of bytes of the range
 *
 * Return: number of bytes from @addr on that lie in the mapping, at most @len;
 * 0 when the byte at @addr does not lie in the mapping.
 */
static inline u64 sim_map_clip(const struct sim_map *map, u64 addr, u64 len)
{
	if (addr < map->bus || addr - map->bus >= map->len)
		return 0;
	return min(len, map->len - (addr - map->bus));
}

/*
 * Number of 64-byte lines that a transaction touches; 0 for an empty
 * transaction
 */
static inline u64 sim_dma_lines(u64 addr, u32 len)
{
	return len ? ((addr + len - 1) >> 6) - (addr >> 6) + 1 : 0;
}

/**
 * struct sim_buf - a queue buffer described by a page list
 * @pas: bus address of each page
 * @npages: number of pages
 * @page_shift: log2 of the page size, 12 or more
 * @offset: bytes from the start of the first page to the first byte of the
 *	buffer
 */
struct sim_buf {
	u64 *pas;
	u32 npages;
	u8 page_shift;
	u32 offset;
};

/**
 * sim_buf_locate() - find the bus address of a byte of a buffer
 * @buf: the buffer
 * @off: bytes from the start of the buffer
 * @len: number of requested bytes
 * @addr: set to the bus address of the byte
 *
 * Return: number of bytes from @addr to the end of the page, at most @len; 0
 * when @off lies beyond the last page.
 */
static inline u32 sim_buf_locate(const struct sim_buf *buf, u64 off, u32 len, u64 *addr)
{
	u64 pos = off + buf->offset;
	u64 page = pos >> buf->page_shift;
	u64 in_page = pos & (BIT_ULL(buf->page_shift) - 1);

	if (pos < off || page >= buf->npages)
		return 0;
	*addr = buf->pas[page] + in_page;
	return min_t(u64, len, BIT_ULL(buf->page_shift) - in_page);
}

#define SIM_BUF_MAX_SHIFT	31

#endif /* MLX5SIM_DMA_H */
