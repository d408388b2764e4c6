/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * ib_frwr: fixture of the KUnit suites.
 *
 * The device exists in memory only. Its driver accepts every list, also a list
 * that is too long or malformed. So if a list is refused, ib_frwr has refused
 * it. A test can make the driver attach a part of a list, or fail. The driver
 * records the lists that it gets. Mapping for DMA adds FT_BUS to addresses and
 * is recorded, too.
 */
#ifndef IB_FRWR_TESTS_KUNIT_H
#define IB_FRWR_TESTS_KUNIT_H

#include <kunit/test.h>

#include "../frwr.h"

#define FT_BUS		0x100000000ULL
#define FT_PAGES	16		/* size of the block of pages */
#define FT_ELEMS		32		/* size of ft.elem */
#define FT_LIMIT	512		/* max_fast_reg_page_list_len */
#define FT_KEY		0xabcd00
#define FT_NONE		INT_MAX
#define FT_REGS		4		/* size of ft.reg */

/**
 * struct ft_elem - element of a list of the driver, or expected element
 * @at: offset from the beginning of the block of pages in bytes
 * @len: length in bytes
 */
struct ft_elem {
	u64 at;
	u32 len;
};

/**
 * struct ft - device of a test
 * @test: test that created the device
 * @dev: RDMA device
 * @port: port data of @dev; [1] is the only port
 * @pd: PD of all MRs
 * @page: first of FT_PAGES contiguous pages
 * @base: physical address of @page
 * @alloc_err: errno that alloc_mr returns, or 0
 * @dereg_err: error that dereg_mr returns, or 0
 * @map_says: return value of map_mr_sg; 0 stands for all elements, FT_NONE for 0
 * @hook_err: error that the hook of ft_add_hooks() returns, or 0
 * @hook_len: length that this hook sets; 0 stands for the length of the list
 * @dma_err: error of mapping for DMA, or 0
 * @dma_merges: mapping for DMA merges all elements into one, like an IOMMU
 * @max_seg: longest element in bytes
 * @type: type of the last MR allocated
 * @max_num_sg: max_num_sg of the last MR allocated
 * @elem: elements of the last list
 * @nr: number of elements of the last list
 * @page_size: page size of the last list
 * @keys: lkey of the MR when the driver got the last list
 * @mrs: number of MRs that exist
 * @mapped: number of lists that are mapped
 * @dir: direction of the last mapping
 * @dereg_mapped: @mapped when an MR was deregistered
 * @hooks: number of calls of the hook
 * @post_err: error of posting @post_bad, or 0
 * @post_bad: first work request that the driver does not post; the work
 *	requests after it are not posted either
 * @post_mute: the driver does not set *bad_wr
 * @posts: number of chains that were posted
 * @reg: registrations that were posted
 * @regs: number of registrations that were posted
 * @others: number of other work requests that were posted
 * @metas: number of elements of the last list of protection information; before
 *	the first list, max_meta_descs of the last MR allocated
 * @pi_err: error that map_mr_sg_pi returns, or 0
 * @sig: signature attributes of the MR when the driver got the last lists
 * @sig_errs: signature errors that check_mr_status will report
 * @status_err: error that check_mr_status returns, or 0
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
	int dma_err;
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
	int post_err;
	const struct ib_send_wr *post_bad;
	bool post_mute;
	int posts;
	struct ib_reg_wr reg[FT_REGS];
	int regs;
	int others;
	int metas;
	int pi_err;
	struct ib_sig_attrs sig;
	int sig_errs;
	int status_err;
};

struct ft *ft_create(struct kunit *test);
struct ib_mr *ft_mr(struct ft *ft, u32 max, u32 flags);
int ft_add_hooks(struct ft *ft);
int ft_set_page(struct ft *ft, struct ib_mr *mr, enum dma_data_direction dir);

#endif /* IB_FRWR_TESTS_KUNIT_H */
