/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * ib_frwr: what its KUnit suites share.
 *
 * A device made of memory. Its driver takes every list whole, however long or
 * odd, which is more than any real one does, so that what is refused was refused
 * by ib_frwr; it can be told to stop, or to fail. It notes what it is given.
 * Mapping for DMA moves addresses by FT_BUS and is noted as well.
 */
#ifndef IB_FRWR_TESTS_KUNIT_H
#define IB_FRWR_TESTS_KUNIT_H

#include <kunit/test.h>

#include "../frwr.h"

#define FT_BUS		0x100000000ULL
#define FT_PAGES	16		/* one block of physical memory */
#define FT_ELEMS		32		/* elements that the driver notes */
#define FT_LIMIT	512		/* max_fast_reg_page_list_len */
#define FT_KEY		0xabcd00

/**
 * struct ft_elem - an element, as the driver found it or as it should be
 * @at: byte from the beginning of the block of pages
 * @len: bytes
 */
struct ft_elem {
	u64 at;
	u32 len;
};

/**
 * struct ft - the device
 * @test: whose it is
 * @dev: the device
 * @port: its ports; [1] is the one there is
 * @pd: a PD
 * @page: FT_PAGES pages in a row
 * @base: physical address of the first
 * @alloc_err: what alloc_mr fails with, or 0
 * @dereg_err: likewise dereg_mr
 * @map_says: what map_mr_sg returns; 0 is all elements
 * @hook_err: what hooks fail with, or 0
 * @hook_len: bytes that hooks say they took; 0 is all
 * @dma_fails: mapping for DMA fails
 * @dma_merges: all elements become one, as with an IOMMU
 * @max_seg: of an element
 * @type: of the last MR allocated
 * @max_num_sg: likewise
 * @elem: elements of the last list
 * @nr: how many
 * @page_size: that the driver found
 * @keys: lkey when the driver was given the last list
 * @mrs: allocated now
 * @mapped: lists mapped now
 * @dir: direction of the last one
 * @dereg_mapped: @mapped when an MR was deregistered
 * @hooks: calls of hooks
 */
struct ft {
	struct kunit *test;
	struct ib_device *dev;
	struct ib_port_data *port;
	struct ib_pd pd;
	struct page *page;
	u64 base;
	int alloc_err;
	int dereg_err;
	int map_says;
	int hook_err;
	u64 hook_len;
	bool dma_fails;
	bool dma_merges;
	u32 max_seg;
	enum ib_mr_type type;
	u32 max_num_sg;
	struct ft_elem elem[FT_ELEMS];
	u32 nr;
	unsigned int page_size;
	u32 keys;
	int mrs;
	int mapped;
	enum dma_data_direction dir;
	int dereg_mapped;
	int hooks;
};

struct ft *ft_create(struct kunit *test);
struct ib_mr *ft_mr(struct ft *ft, u32 max, u32 flags);
int ft_add_hooks(struct ft *ft);
int ft_set_page(struct ft *ft, struct ib_mr *mr, enum dma_data_direction dir);

#endif /* IB_FRWR_TESTS_KUNIT_H */
