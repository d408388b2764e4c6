/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The simulated function's view of host memory.
 *
 * The function has dma_map_ops of its own, so every address the driver hands
 * to the device is a bus address of ours, valid only from map to unmap and only
 * in the mapped direction. All device access to host memory uses the functions of
 * host/dma.c.
 *
 * Each mapping has a window of bus addresses of its own, 4 GiB wide, at
 * id << 32. Ids are given out cyclically, out of about two thousand million, so an
 * address that was unmapped does not come back for a very long time, and two
 * mappings are never neighbours: an access beyond the end of one is always caught.
 * Inside the window the low 30 bits are those of the physical address, so that
 * an address that is aligned in memory (up to 1 GiB) is aligned on the bus too.
 *
 * With strict_dma=0 the kernel maps for the function as for a real one without an
 * IOMMU: the bus address is the physical address, and none of the above is checked.
 */
#ifndef MLX5SIM_DMA_H
#define MLX5SIM_DMA_H

#include <linux/bits.h>
#include <linux/minmax.h>
#include <linux/sizes.h>
#include <linux/types.h>

#define SIM_DMA_ID_SHIFT	32
#define SIM_DMA_ID_MIN		0x100u		/* 1 TiB */
#define SIM_DMA_ID_MAX		0x7fffffffu
#define SIM_DMA_KEEP_BITS	30
#define SIM_DMA_MAX_LEN		SZ_2G		/* fits any window wherever it starts */

/* Directions, from the device's side */
#define SIM_DMA_CAN_READ	BIT(0)
#define SIM_DMA_CAN_WRITE	BIT(1)

/**
 * struct sim_map - one live mapping
 * @bus: first bus address
 * @len: bytes
 * @kaddr: the memory
 * @rights: SIM_DMA_CAN_*
 */
struct sim_map {
	u64 bus;
	u64 len;
	void *kaddr;
	u8 rights;
};

/* The bus address of a mapping */
static inline u64 sim_dma_bus(u32 id, u64 phys)
{
	return (u64)id << SIM_DMA_ID_SHIFT | (phys & GENMASK_ULL(SIM_DMA_KEEP_BITS - 1, 0));
}

static inline u32 sim_dma_id(u64 bus)
{
	return bus >> SIM_DMA_ID_SHIFT;
}

/**
 * sim_map_clip() - how much of a range a mapping covers
 * @map: the mapping
 * @addr: first bus address wanted
 * @len: bytes wanted
 *
 * Return: bytes from @addr on that lie in the mapping, 0 when @addr does not.
 */
static inline u64 sim_map_clip(const struct sim_map *map, u64 addr, u64 len)
{
	if (addr < map->bus || addr - map->bus >= map->len)
		return 0;
	return min(len, map->len - (addr - map->bus));
}

/* 64-byte lines a transaction touches, 0 for an empty one */
static inline u64 sim_dma_lines(u64 addr, u32 len)
{
	return len ? ((addr + len - 1) >> 6) - (addr >> 6) + 1 : 0;
}

/**
 * struct sim_buf - a queue buffer described by a page list
 * @pas: bus address of each page
 * @npages: number of pages
 * @page_shift: log2 of the page size, 12 or more
 * @offset: of the first byte within the first page
 */
struct sim_buf {
	u64 *pas;
	u32 npages;
	u8 page_shift;
	u32 offset;
};

/**
 * sim_buf_locate() - where a byte of a buffer is
 * @buf: the buffer
 * @off: offset of the byte
 * @len: bytes wanted
 * @addr: its bus address
 *
 * Return: bytes from there to the end of the page, at most @len; 0 when @off
 * lies beyond the last page.
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
