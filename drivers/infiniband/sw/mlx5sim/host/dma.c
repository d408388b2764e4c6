// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * DMA: the mappings of the driver, and the memory accesses of the device.
 *
 * The DMA operations run in the driver's context, which may be atomic. They add
 * a mapping to the xarray of the simulated function, or remove it (dma.h
 * describes bus addresses). The accesses of the device run on the hardware
 * thread. An access looks the mapping up in a small cache of copies, which is
 * filled from the xarray under the lock of the xarray. An unmap on another CPU
 * clears the copy under the same lock.
 *
 * An access that no mapping in the right direction covers moves no data, is a
 * violation and returns -EFAULT; the caller then responds as a device would. It
 * is also a violation to unmap an address that is not mapped, to unmap with
 * another length or direction than in the map, and to leave mappings when the
 * simulated function is removed.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "core/compat.h"
#include "core/core.h"
#include "host/cfg.h"
#include "host/host.h"

#define SIM_DMA_CACHE	64	/* a power of two */

/**
 * struct sim_dma - bus address space of one simulated function
 * @maps: mappings by id; its lock is taken in any context, with interrupts
 *	disabled
 * @next: id from which the cyclic search for a free id continues
 * @nr: number of mappings, changed under the lock of @maps
 * @cache: copies of mappings for the hardware thread, by id modulo
 *	SIM_DMA_CACHE. Only the hardware thread fills an entry, under the lock
 *	of @maps. An unmap clears sim_map.bus of the entry under the same lock
 */
struct sim_dma {
	struct xarray maps;
	u32 next;
	long nr;
	struct sim_map cache[SIM_DMA_CACHE];
};

#ifndef CONFIG_ARCH_HAS_DMA_OPS
#error "mlx5sim needs CONFIG_ARCH_HAS_DMA_OPS (x86: GART_IOMMU or XEN, arm64: XEN)"
#endif

static struct kmem_cache *sim_map_cache;

static u8 sim_dma_rights(enum dma_data_direction dir)
{
	switch (dir) {
	case DMA_TO_DEVICE:
		return SIM_DMA_CAN_READ;
	case DMA_FROM_DEVICE:
		return SIM_DMA_CAN_WRITE;
	case DMA_BIDIRECTIONAL:
		return SIM_DMA_CAN_READ | SIM_DMA_CAN_WRITE;
	default:
		return 0;
	}
}

/* ---- mappings ---- */

static dma_addr_t sim_map_add(struct sim_dev *sdev, phys_addr_t phys, size_t len,
			      enum dma_data_direction dir)
{
	struct sim_dma *dma = sdev->dma;
	struct sim_map *map;
	unsigned long flags;
	u32 id;
	int ret;

	if (!len || len > SIM_DMA_MAX_LEN || !pfn_valid(PHYS_PFN(phys)))
		return DMA_MAPPING_ERROR;

	map = kmem_cache_alloc(sim_map_cache, GFP_ATOMIC | __GFP_NOWARN);
	if (!map)
		return DMA_MAPPING_ERROR;
	map->len = len;
	map->kaddr = phys_to_virt(phys);
	map->rights = sim_dma_rights(dir);

	xa_lock_irqsave(&dma->maps, flags);
	ret = __xa_alloc_cyclic(&dma->maps, &id, map,
				XA_LIMIT(SIM_DMA_ID_MIN, SIM_DMA_ID_MAX), &dma->next,
				GFP_ATOMIC | __GFP_NOWARN);
	if (ret >= 0) {
		map->bus = sim_dma_bus(id, phys);
		dma->nr++;
	}
	xa_unlock_irqrestore(&dma->maps, flags);

	if (ret < 0) {
		kmem_cache_free(sim_map_cache, map);
		return DMA_MAPPING_ERROR;
	}
	return map->bus;
}

static void sim_map_del(struct sim_dev *sdev, dma_addr_t bus, size_t len,
			enum dma_data_direction dir)
{
	struct sim_dma *dma = sdev->dma;
	struct sim_map *map, *cached;
	unsigned long flags;

	xa_lock_irqsave(&dma->maps, flags);
	map = xa_load(&dma->maps, sim_dma_id(bus));
	if (map && map->bus == bus) {
		__xa_erase(&dma->maps, sim_dma_id(bus));
		dma->nr--;
		cached = &dma->cache[sim_dma_id(bus) % SIM_DMA_CACHE];
		if (cached->bus == bus)
			WRITE_ONCE(cached->bus, 0);
	} else {
		map = NULL;
	}
	xa_unlock_irqrestore(&dma->maps, flags);

	if (!map) {
		pr_warn_once("mlx5sim: unmap of %pad, which is not mapped\n", &bus);
		sim_violation(sdev, SIM_VIO_dma_unmapped, "unmap of %#llx, which is not mapped",
			      (u64)bus);
		return;
	}
	if (map->len != len || map->rights != sim_dma_rights(dir)) {
		pr_warn_once("mlx5sim: unmap of %pad does not match its map\n", &bus);
		sim_violation(sdev, SIM_VIO_dma_unmapped,
			      "unmap of %#llx: length %zu direction %d, mapped %llu rights %u",
			      (u64)bus, len, dir, map->len, map->rights);
	}
	kmem_cache_free(sim_map_cache, map);
}

/* ---- DMA operations, driver's context ---- */

/* the device accesses memory only, not the registers of another device */
static dma_addr_t sim_op_map_phys(struct device *dev, phys_addr_t phys, size_t size,
				  enum dma_data_direction dir, unsigned long attrs)
{
	if (attrs & DMA_ATTR_MMIO)
		return DMA_MAPPING_ERROR;
	return sim_map_add(sim_dev_of(dev), phys, size, dir);
}

SIM_DEFINE_MAP_PAGE(sim_op_map_page, sim_op_map_phys)

static void sim_op_unmap_phys(struct device *dev, dma_addr_t bus, size_t size,
			      enum dma_data_direction dir, unsigned long attrs)
{
	sim_map_del(sim_dev_of(dev), bus, size, dir);
}

static void sim_op_unmap_sg(struct device *dev, struct scatterlist *sgl, int nents,
			    enum dma_data_direction dir, unsigned long attrs)
{
	struct sim_dev *sdev = sim_dev_of(dev);
	struct scatterlist *sg;
	int i;

	for_each_sg(sgl, sg, nents, i)
		sim_map_del(sdev, sg_dma_address(sg), sg_dma_len(sg), dir);
}

static int sim_op_map_sg(struct device *dev, struct scatterlist *sgl, int nents,
			 enum dma_data_direction dir, unsigned long attrs)
{
	struct sim_dev *sdev = sim_dev_of(dev);
	struct scatterlist *sg;
	int i;

	for_each_sg(sgl, sg, nents, i) {
		sg_dma_address(sg) = sim_map_add(sdev, sg_phys(sg), sg->length, dir);
		if (sg_dma_address(sg) == DMA_MAPPING_ERROR)
			goto err_unmap;
		sg_dma_len(sg) = sg->length;
	}
	return nents;

err_unmap:
	sim_op_unmap_sg(dev, sgl, i, dir, attrs);
	return -ENOMEM;
}

static void *sim_op_alloc(struct device *dev, size_t size, dma_addr_t *bus, gfp_t gfp,
			  unsigned long attrs)
{
	void *vaddr;

	vaddr = alloc_pages_exact(size, gfp | __GFP_ZERO);
	if (!vaddr)
		return NULL;
	*bus = sim_map_add(sim_dev_of(dev), virt_to_phys(vaddr), size, DMA_BIDIRECTIONAL);
	if (*bus == DMA_MAPPING_ERROR) {
		free_pages_exact(vaddr, size);
		return NULL;
	}
	return vaddr;
}

static void sim_op_free(struct device *dev, size_t size, void *vaddr, dma_addr_t bus,
			unsigned long attrs)
{
	sim_map_del(sim_dev_of(dev), bus, size, DMA_BIDIRECTIONAL);
	free_pages_exact(vaddr, size);
}

static struct page *sim_op_alloc_pages(struct device *dev, size_t size, dma_addr_t *bus,
				       enum dma_data_direction dir, gfp_t gfp)
{
	struct page *page;

	page = alloc_pages(gfp, get_order(size));
	if (!page)
		return NULL;
	*bus = sim_map_add(sim_dev_of(dev), page_to_phys(page), size, dir);
	if (*bus == DMA_MAPPING_ERROR) {
		__free_pages(page, get_order(size));
		return NULL;
	}
	return page;
}

static void sim_op_free_pages(struct device *dev, size_t size, struct page *page,
			      dma_addr_t bus, enum dma_data_direction dir)
{
	sim_map_del(sim_dev_of(dev), bus, size, dir);
	__free_pages(page, get_order(size));
}

/* Bus addresses need 63 bits; a DMA mask with fewer bits is refused. */
static int sim_op_supported(struct device *dev, u64 mask)
{
	return mask >= DMA_BIT_MASK(63);
}

static u64 sim_op_required_mask(struct device *dev)
{
	return DMA_BIT_MASK(63);
}

static size_t sim_op_max_size(struct device *dev)
{
	return SIM_DMA_MAX_LEN;
}

/*
 * sync_* are absent since memory is coherent; mmap, get_sgtable, map_resource
 * are unsupported.
 */
static const struct dma_map_ops sim_dma_ops = {
	.alloc			= sim_op_alloc,
	.free			= sim_op_free,
	.alloc_pages_op		= sim_op_alloc_pages,
	.free_pages		= sim_op_free_pages,
	SIM_MAP_OPS(sim_op_map_page, sim_op_map_phys, sim_op_unmap_phys),
	.map_sg			= sim_op_map_sg,
	.unmap_sg		= sim_op_unmap_sg,
	.dma_supported		= sim_op_supported,
	.get_required_mask	= sim_op_required_mask,
	.max_mapping_size	= sim_op_max_size,
};

/* ---- life cycle ---- */

/**
 * sim_dma_module_init() - create the slab cache of struct sim_map
 *
 * Context: process context.
 * Return: 0 or -ENOMEM.
 */
int sim_dma_module_init(void)
{
	sim_map_cache = KMEM_CACHE(sim_map, 0);
	return sim_map_cache ? 0 : -ENOMEM;
}

/**
 * sim_dma_module_exit() - undo sim_dma_module_init(); no mapping exists
 */
void sim_dma_module_exit(void)
{
	kmem_cache_destroy(sim_map_cache);
}

/**
 * sim_dma_init() - create an empty bus address space
 * @sdev: simulated function
 *
 * Context: process context.
 * Return: 0 or -ENOMEM.
 */
int sim_dma_init(struct sim_dev *sdev)
{
	sdev->dma = kvzalloc(sizeof(*sdev->dma), GFP_KERNEL);
	if (!sdev->dma)
		return -ENOMEM;
	xa_init_flags(&sdev->dma->maps, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_IRQ);
	sdev->dma->next = SIM_DMA_ID_MIN;
	return 0;
}

/**
 * sim_dma_attach() - set the DMA operations of a PCI device
 * @sdev: simulated function
 * @dev: its struct device; no driver is bound yet
 */
void sim_dma_attach(struct sim_dev *sdev, struct device *dev)
{
	/*
	 * with strict_dma=0 the kernel maps directly, as for a real device
	 * without an IOMMU
	 */
	if (sim_strict_dma)
		set_dma_ops(dev, &sim_dma_ops);
}

/**
 * sim_dma_detach() - report and remove the mappings left by a removed device
 * @sdev: simulated function, no longer polled by the hardware thread
 *
 * The memory belongs to the driver and stays allocated.
 *
 * Context: process context.
 */
void sim_dma_detach(struct sim_dev *sdev)
{
	struct sim_dma *dma = sdev->dma;
	struct sim_map *map;
	unsigned long id;
	long left = dma->nr;

	if (left)
		pr_warn("mlx5sim: device %d removed with %ld DMA mappings left\n", sdev->index,
			left);
	xa_for_each(&dma->maps, id, map) {
		sim_violation(sdev, SIM_VIO_dma_leak, "mapping left: %#llx length %llu", map->bus,
			      map->len);
		sim_map_del(sdev, map->bus, map->len,
			    map->rights == SIM_DMA_CAN_READ ? DMA_TO_DEVICE :
			    map->rights == SIM_DMA_CAN_WRITE ? DMA_FROM_DEVICE :
			    DMA_BIDIRECTIONAL);
	}
	memset(dma->cache, 0, sizeof(dma->cache));
}

/**
 * sim_dma_exit() - undo sim_dma_init()
 * @sdev: simulated function, detached
 */
void sim_dma_exit(struct sim_dev *sdev)
{
	xa_destroy(&sdev->dma->maps);
	kvfree(sdev->dma);
}

/**
 * sim_dma_count() - number of mappings
 * @sdev: simulated function
 *
 * Context: any.
 * Return: number of mappings; always 0 with strict_dma=0.
 */
long sim_dma_count(struct sim_dev *sdev)
{
	return READ_ONCE(sdev->dma->nr);
}

/* ---- the device's accesses, hardware thread ---- */

/*
 * Copies the mapping with the id of @addr to @out, because an unmap may clear
 * the cached entry at any time. Returns false when no mapping has this id.
 */
static bool sim_map_lookup(struct sim_dev *sdev, u64 addr, struct sim_map *out)
{
	struct sim_dma *dma = sdev->dma;
	struct sim_map *cached = &dma->cache[sim_dma_id(addr) % SIM_DMA_CACHE];
	u64 bus = READ_ONCE(cached->bus);
	struct sim_map *map;
	unsigned long flags;

	if (bus && sim_dma_id(bus) == sim_dma_id(addr)) {
		out->bus = bus;
		out->len = cached->len;
		out->kaddr = cached->kaddr;
		out->rights = cached->rights;
		return true;
	}

	xa_lock_irqsave(&dma->maps, flags);
	map = xa_load(&dma->maps, sim_dma_id(addr));
	if (map) {
		*cached = *map;
		*out = *map;
	}
	xa_unlock_irqrestore(&dma->maps, flags);
	return map;
}

static void *sim_span_physical(struct sim_dev *sdev, u64 addr, bool write)
{
	if (pfn_valid(PHYS_PFN(addr)))
		return phys_to_virt(addr);
	sim_violation(sdev, SIM_VIO_dma_unmapped, "%s %#llx: no such memory",
		      write ? "write" : "read", addr);
	return ERR_PTR(-EFAULT);
}

/**
 * sim_dma_mapped() - check whether a bus address is mapped
 * @sdev: simulated function
 * @addr: bus address
 *
 * This is for accesses that a real device does not make: no transaction is
 * counted, and no violation is recorded.
 *
 * Context: hardware thread.
 * Return: true if @addr is mapped in any direction; always true with
 * strict_dma=0.
 */
bool sim_dma_mapped(struct sim_dev *sdev, u64 addr)
{
	struct sim_map map;

	return !sim_strict_dma ||
	       (sim_map_lookup(sdev, addr, &map) && sim_map_clip(&map, addr, 1));
}

/**
 * sim_dma_span() - get the kernel address of host memory at a bus address
 * @sdev: simulated function
 * @addr: bus address
 * @len: in: number of requested bytes, at least 1; out: number of contiguous
 *	bytes, at most the requested number
 * @write: true when the device writes, false when it reads
 *
 * The pointer is valid until the driver unmaps the range, which may happen at
 * any time on another CPU. (An unmap before the completion is a bug of the
 * driver: use after free.) Callers use the pointer at once and do not keep it
 * across a sleep. No transaction is counted: callers that move data call
 * sim_dma_account() once per transaction.
 *
 * Context: hardware thread.
 * Return: kernel address; ERR_PTR(-EFAULT), after a violation, when @addr is
 * not mapped or not in this direction.
 */
void *sim_dma_span(struct sim_dev *sdev, u64 addr, u32 *len, bool write)
{
	u8 need = write ? SIM_DMA_CAN_WRITE : SIM_DMA_CAN_READ;
	struct sim_map map;
	u64 clip = 0;

	if (!sim_strict_dma)
		return sim_span_physical(sdev, addr, write);

	if (sim_map_lookup(sdev, addr, &map))
		clip = sim_map_clip(&map, addr, *len);
	if (unlikely(!clip)) {
		sim_violation(sdev, SIM_VIO_dma_unmapped, "%s %#llx length %u: not mapped",
			      write ? "write" : "read", addr, *len);
		return ERR_PTR(-EFAULT);
	}
	if (unlikely(!(map.rights & need))) {
		sim_violation(sdev, SIM_VIO_dma_direction, "%s %#llx length %u: mapped %s only",
			      write ? "write" : "read", addr, *len,
			      write ? "to device" : "from device");
		return ERR_PTR(-EFAULT);
	}
	*len = clip;
	return map.kaddr + (addr - map.bus);
}

/**
 * sim_dma_account() - count one DMA transaction
 * @sdev: simulated function
 * @addr: bus address
 * @len: number of bytes moved
 * @write: true when the device wrote, false when it read
 *
 * Context: hardware thread.
 */
void sim_dma_account(struct sim_dev *sdev, u64 addr, u32 len, bool write)
{
	u64 lines = sim_dma_lines(addr, len);

	if (write) {
		sim_count(sdev, dma_writes);
		sim_count_add(sdev, dma_write_lines, lines);
	} else {
		sim_count(sdev, dma_reads);
		sim_count_add(sdev, dma_read_lines, lines);
	}
}

/*
 * Gets the kernel address of a range that one mapping covers completely, or
 * fails. Two mappings cannot cover a range, because they are never adjacent.
 */
static void *sim_dma_contiguous(struct sim_dev *sdev, u64 addr, u32 len, bool write)
{
	u32 got = len;
	void *p = sim_dma_span(sdev, addr, &got, write);

	if (IS_ERR(p))
		return p;
	if (unlikely(got < len)) {
		sim_violation(sdev, SIM_VIO_dma_unmapped, "%s %#llx length %u: only %u mapped",
			      write ? "write" : "read", addr, len, got);
		return ERR_PTR(-EFAULT);
	}
	sim_dma_account(sdev, addr, len, write);
	return p;
}

/**
 * sim_dma_read() - device reads host memory
 * @sdev: simulated function
 * @addr: bus address
 * @dst: destination of the bytes
 * @len: number of bytes, may be 0
 *
 * Context: hardware thread.
 * Return: 0; -EFAULT, after a violation, when the range is not completely
 * mapped: no byte has been read.
 */
int sim_dma_read(struct sim_dev *sdev, u64 addr, void *dst, u32 len)
{
	void *p;

	if (!len)
		return 0;
	p = sim_dma_contiguous(sdev, addr, len, false);
	if (IS_ERR(p))
		return PTR_ERR(p);
	memcpy(dst, p, len);
	return 0;
}

/**
 * sim_dma_write() - device writes host memory
 * @sdev: simulated function
 * @addr: bus address
 * @src: bytes to write
 * @len: number of bytes, may be 0
 *
 * Context: hardware thread.
 * Return: 0; -EFAULT, after a violation, when the range is not completely
 * mapped: no byte has been written.
 */
int sim_dma_write(struct sim_dev *sdev, u64 addr, const void *src, u32 len)
{
	void *p;

	if (!len)
		return 0;
	p = sim_dma_contiguous(sdev, addr, len, true);
	if (IS_ERR(p))
		return PTR_ERR(p);
	memcpy(p, src, len);
	return 0;
}

/**
 * sim_dma_read_be32() - device reads one word, such as a doorbell record
 * @sdev: simulated function
 * @addr: bus address, multiple of 4
 * @val: set to the value, in CPU byte order
 *
 * Later accesses of the device are ordered after the accesses that the driver
 * made before it wrote the word.
 *
 * Context: hardware thread.
 * Return: 0; -EFAULT, after a violation, when the word is not mapped.
 */
int sim_dma_read_be32(struct sim_dev *sdev, u64 addr, u32 *val)
{
	__be32 *p = sim_dma_contiguous(sdev, addr, sizeof(*p), false);

	if (IS_ERR(p))
		return PTR_ERR(p);
	/*
	 * The consumer index of a CQ is read before CQEs are overwritten: pairs
	 * with smp_store_release() in set_consumed() of mlx5_ibx
	 */
	*val = be32_to_cpu(smp_load_acquire(p));
	return 0;
}

/**
 * sim_dma_write_be32() - device writes one word
 * @sdev: simulated function
 * @addr: bus address, multiple of 4
 * @val: new value, in CPU byte order
 *
 * A driver that reads the new word also reads the earlier writes of the device.
 *
 * Context: hardware thread.
 * Return: 0; -EFAULT, after a violation, when the word is not mapped.
 */
int sim_dma_write_be32(struct sim_dev *sdev, u64 addr, u32 val)
{
	__be32 *p = sim_dma_contiguous(sdev, addr, sizeof(*p), true);

	if (IS_ERR(p))
		return PTR_ERR(p);
	/* pairs with dma_rmb() of the driver after its read of the word */
	smp_wmb();
	WRITE_ONCE(*p, cpu_to_be32(val));
	return 0;
}

/* ---- buffers described by page lists ---- */

/**
 * sim_buf_init() - copy a page list
 * @buf: filled in; sim_buf_free() frees its list
 * @pas_be: @npages big-endian bus addresses of pages; bits 0 and 1 are ignored
 * @npages: number of pages, at least 1
 * @page_shift: log2 of the page size, 12 to 31
 * @offset: bytes from the start of the first page to the first byte of the
 *	buffer, less than a page
 *
 * Context: process context.
 * Return:
 * * 0
 * * -EINVAL: an argument is out of range, or a page address is not a
 *   multiple of the page size
 * * -ENOMEM
 */
int sim_buf_init(struct sim_buf *buf, const __be64 *pas_be, u32 npages, u8 page_shift,
		 u32 offset)
{
	u32 i;

	if (!npages || page_shift < 12 || page_shift > SIM_BUF_MAX_SHIFT || offset >> page_shift)
		return -EINVAL;
	buf->pas = kvmalloc_array(npages, sizeof(*buf->pas), GFP_KERNEL);
	if (!buf->pas)
		return -ENOMEM;
	for (i = 0; i < npages; i++) {
		buf->pas[i] = be64_to_cpu(pas_be[i]) & ~3ULL;
		if (IS_ALIGNED(buf->pas[i], BIT_ULL(page_shift)))
			continue;
		sim_buf_free(buf);
		return -EINVAL;
	}
	buf->npages = npages;
	buf->page_shift = page_shift;
	buf->offset = offset;
	return 0;
}

/**
 * sim_buf_free() - free a page list
 * @buf: buffer, from sim_buf_init() or zeroed
 */
void sim_buf_free(struct sim_buf *buf)
{
	kvfree(buf->pas);
	memset(buf, 0, sizeof(*buf));
}

static int sim_buf_copy(struct sim_dev *sdev, const struct sim_buf *buf, u64 off, void *p,
			u32 len, bool write)
{
	while (len) {
		u64 addr;
		u32 n = sim_buf_locate(buf, off, len, &addr);
		int ret;

		if (!n) {
			sim_violation(sdev, SIM_VIO_dma_unmapped,
				      "offset %#llx beyond a buffer of %u pages", off,
				      buf->npages);
			return -EFAULT;
		}
		ret = write ? sim_dma_write(sdev, addr, p, n) : sim_dma_read(sdev, addr, p, n);
		if (ret)
			return ret;
		off += n;
		p += n;
		len -= n;
	}
	return 0;
}

/**
 * sim_buf_read() - device reads from a buffer
 * @sdev: simulated function
 * @buf: the buffer
 * @off: bytes from the start of the buffer
 * @dst: destination of the bytes
 * @len: number of bytes
 *
 * Context: hardware thread.
 * Return: 0; -EFAULT, after a violation, when a page is not mapped or the range
 * exceeds the buffer: the bytes of the pages before have been read.
 */
int sim_buf_read(struct sim_dev *sdev, const struct sim_buf *buf, u64 off, void *dst, u32 len)
{
	return sim_buf_copy(sdev, buf, off, dst, len, false);
}

/**
 * sim_buf_write() - device writes to a buffer
 * @sdev: simulated function
 * @buf: the buffer
 * @off: bytes from the start of the buffer
 * @src: bytes to write
 * @len: number of bytes
 *
 * Context: hardware thread.
 * Return: 0; -EFAULT, after a violation, when a page is not mapped or the range
 * exceeds the buffer: the bytes of the pages before have been written.
 */
int sim_buf_write(struct sim_dev *sdev, const struct sim_buf *buf, u64 off, const void *src,
		  u32 len)
{
	return sim_buf_copy(sdev, buf, off, (void *)src, len, true);
}
