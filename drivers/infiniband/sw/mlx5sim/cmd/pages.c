// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Pages of host memory for the device: QUERY_PAGES, MANAGE_PAGES, and the
 * events that request pages from the host and offer unused pages to the host.
 * obj/pool.c computes the numbers of pages.
 *
 * A command that creates an object for which the pool has no page waits in its
 * slot: the device raises PAGE_REQUEST, and executes the command after the host
 * has executed MANAGE_PAGES through the other slot of the ring. If the host
 * cannot give pages, if MANAGE_PAGES fails, or if no EQ is subscribed to
 * PAGE_REQUEST, the command completes with NO_RES_ERR.
 *
 * The device offers unused pages once the number of used pages is unchanged for
 * SIM_PAGES_LINGER. Otherwise a driver that unloads would get requests when it
 * destroys many objects just before its EQs. At that time mlx5_core executes
 * only DESTROY_EQ, and handles a request by freeing pages without a command.
 *
 * The device writes a pattern to each page that it gets. From time to time it
 * compares the pattern of one page and writes it again, and it also compares
 * the pattern before it returns a page. So a page that the host unmaps or
 * reuses too early is a violation. These accesses are not counted as DMA
 * transactions.
 *
 * In fatal error, after removal and after a reset the device has no pages.
 */
#define pr_fmt(fmt) "mlx5sim: " fmt

#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "cmd/handlers.h"
#include "core/core.h"
#include "host/host.h"
#include "obj/obj.h"
#include "obj/pool.h"

/* Limit of boot pages, of init pages, and of pages in one command */
#define SIM_PAGES_MAX		50000
#define SIM_PAGES_LINGER	(HZ / 2)	/* jiffies */
#define SIM_PAGES_PERIOD	8		/* ticks */
#define SIM_PAGES_PATTERN	0x5a1ab1e5eed0f00dULL

static unsigned int pages[3];
static unsigned int npages;
module_param_array(pages, uint, &npages, 0444);
MODULE_PARM_DESC(pages, "BOOT,INIT,SPARE: pages that the device requests at load, and number of these pages that are for objects (default 160,1024,4)");

/**
 * struct sim_pages - pages of the host, and the state of their checks
 * @pool: the pages
 * @ticks: ticks since the last check
 * @scrub: index of the page that is checked next
 * @used: number of pages in use at the last check
 * @since: time in jiffies since which @used pages are in use
 */
struct sim_pages {
	struct sim_pool pool;
	u32 ticks;
	u32 scrub;
	u32 used;
	unsigned long since;
};

/**
 * sim_pages_init() - create the empty page pool of a simulated function
 * @sdev: simulated function
 *
 * Context: process context.
 * Return:
 * * 0
 * * -ENOMEM
 * * -EINVAL, with a line in the log: wrong module parameter "pages"
 */
int sim_pages_init(struct sim_dev *sdev)
{
	u32 boot = npages > 0 ? pages[0] : sim_model()->boot_pages;
	u32 init = npages > 1 ? pages[1] : sim_model()->init_pages;
	u32 spare = npages > 2 ? pages[2] : sim_model()->spare_pages;

	if (boot > SIM_PAGES_MAX || init > SIM_PAGES_MAX || spare > init) {
		pr_err("pages=%u,%u,%u: at most %u, and not more SPARE than INIT\n", boot, init,
		       spare, SIM_PAGES_MAX);
		return -EINVAL;
	}
	sdev->pages = kzalloc(sizeof(*sdev->pages), GFP_KERNEL);
	if (!sdev->pages)
		return -ENOMEM;
	sim_pool_init(&sdev->pages->pool, boot, init, spare);
	return 0;
}

/**
 * sim_pages_exit() - undo sim_pages_init()
 * @sdev: simulated function
 */
void sim_pages_exit(struct sim_dev *sdev)
{
	sim_pool_clear(&sdev->pages->pool);
	kfree(sdev->pages);
	sdev->pages = NULL;
}

/**
 * sim_pages_reset() - drop all pages without an access to their memory
 * @sdev: simulated function
 *
 * Unrefereed: U-95.
 *
 * Context: hardware thread.
 */
void sim_pages_reset(struct sim_dev *sdev)
{
	sim_pool_clear(&sdev->pages->pool);
}

/**
 * sim_pages_count() - number of pages of the host that the device has
 * @sdev: simulated function
 *
 * Context: any.
 * Return: number of pages of 4 KiB.
 */
u32 sim_pages_count(struct sim_dev *sdev)
{
	return READ_ONCE(sdev->pages->pool.n);
}

/*
 * Number of pages in use after the command @opcode has created its object; with
 * @opcode 0, number of pages in use now
 */
static u32 sim_pages_used(struct sim_dev *sdev, u16 opcode)
{
	enum sim_obj_type creates = sim_pool_creates(opcode);
	u32 count[SIM_OBJ_MAX];
	int type;

	if (!sdev->hca_inited)
		return 0;
	for (type = 0; type < SIM_OBJ_MAX; type++)
		count[type] = sim_obj_count(sdev, type) + (type == creates);
	return sim_pool_used(&sdev->pages->pool, count);
}

/**
 * sim_pages_needed() - number of pages in use
 * @sdev: simulated function
 *
 * Context: hardware thread.
 * Return: number of pages of 4 KiB; 0 while the device is not initialised.
 */
u32 sim_pages_needed(struct sim_dev *sdev)
{
	return sim_pages_used(sdev, 0);
}

/* ---- the pattern ---- */

/*
 * Returns the memory of a page; NULL, after a violation, when a part of the
 * page is not mapped.
 */
static u64 *sim_page_span(struct sim_dev *sdev, u64 addr, bool write)
{
	u32 len = SIM_POOL_PAGE;
	u64 *page = sim_dma_span(sdev, addr, &len, write);

	if (IS_ERR(page))
		return NULL;
	if (len == SIM_POOL_PAGE)
		return page;
	sim_violation(sdev, SIM_VIO_dma_unmapped, "page %#llx of the device: %u bytes mapped",
		      addr, len);
	return NULL;
}

static void sim_page_fill(struct sim_dev *sdev, u64 addr)
{
	u64 *page = sim_page_span(sdev, addr, true);

	if (page)
		memset64(page, addr ^ SIM_PAGES_PATTERN, SIM_POOL_PAGE / sizeof(u64));
}

static void sim_page_check(struct sim_dev *sdev, u64 addr)
{
	u64 *page = sim_page_span(sdev, addr, false);
	int i;

	for (i = 0; page && i < SIM_POOL_PAGE / sizeof(u64); i++)
		if (READ_ONCE(page[i]) != (addr ^ SIM_PAGES_PATTERN)) {
			sim_violation(sdev, SIM_VIO_page_written,
				      "page %#llx of the device: byte %#zx was written", addr,
				      i * sizeof(u64));
			return;
		}
}

/* ---- requests ---- */

/* Raise PAGE_REQUEST. @n: pages to give; if negative, pages to reclaim */
static void sim_pages_event(struct sim_dev *sdev, s32 n)
{
	union ev_data data = {};

	sim_trace(sdev, "page request: %d", n);
	data.req_pages.num_pages = cpu_to_be32(n);
	sim_event(sdev, MLX5_EVENT_TYPE_PAGE_REQUEST, 0, &data);
}

/**
 * sim_pages_short() - check whether the pool has no page for a command
 * @sdev: simulated function
 * @opcode: MLX5_CMD_OP_*
 *
 * Context: hardware thread.
 * Return: true if the command cannot be executed.
 */
bool sim_pages_short(struct sim_dev *sdev, u16 opcode)
{
	return sim_pool_creates(opcode) != SIM_OBJ_MAX &&
	       sim_pages_used(sdev, opcode) > sdev->pages->pool.n;
}

/**
 * sim_pages_hold() - check whether a command waits for pages, and request pages
 * @sdev: simulated function
 * @opcode: MLX5_CMD_OP_*
 *
 * Unrefereed: U-91.
 *
 * Context: hardware thread.
 * Return: true if the command waits until sim_pages_pending() is false.
 */
bool sim_pages_hold(struct sim_dev *sdev, u16 opcode)
{
	struct sim_pool *pool = &sdev->pages->pool;

	if (likely(!sim_pages_short(sdev, opcode)))
		return false;
	if (pool->refused) {
		pool->refused = false;
		return false;
	}
	if (pool->asked)
		return true;
	if (!sim_event_wanted(sdev, MLX5_EVENT_TYPE_PAGE_REQUEST))
		return false;
	sim_pages_event(sdev, sim_pool_request(pool, sim_pages_used(sdev, opcode)));
	return true;
}

/**
 * sim_pages_pending() - check for a pending request for pages
 * @sdev: simulated function
 *
 * Context: hardware thread.
 * Return: true from the request until the host has served or refused it.
 */
bool sim_pages_pending(struct sim_dev *sdev)
{
	return sdev->pages->pool.asked;
}

/**
 * sim_pages_failed() - end the requests after a MANAGE_PAGES that failed
 * @sdev: simulated function
 *
 * mlx5_core does not repeat a MANAGE_PAGES that it sent for a request and
 * that failed.
 *
 * Context: hardware thread.
 */
void sim_pages_failed(struct sim_dev *sdev)
{
	sim_pool_refuse(&sdev->pages->pool);
}

static void sim_pages_shrink(struct sim_dev *sdev)
{
	struct sim_pages *p = sdev->pages;
	u32 n, used = sim_pages_used(sdev, 0);

	if (used != p->used) {
		p->used = used;
		p->since = jiffies;
	}
	if (!sdev->hca_inited || time_before(jiffies, p->since + SIM_PAGES_LINGER) ||
	    !sim_event_wanted(sdev, MLX5_EVENT_TYPE_PAGE_REQUEST))
		return;
	n = sim_pool_surplus(&p->pool, used);
	if (n)
		sim_pages_event(sdev, -(s32)n);
}

/**
 * sim_pages_tick() - check the next page, and offer unused pages
 * @sdev: simulated function that is not stopped
 *
 * Unrefereed: U-94.
 *
 * Context: hardware thread, about once a millisecond.
 */
void sim_pages_tick(struct sim_dev *sdev)
{
	struct sim_pages *p = sdev->pages;

	if (!p->pool.n || ++p->ticks < SIM_PAGES_PERIOD)
		return;
	p->ticks = 0;
	if (p->scrub >= p->pool.n)
		p->scrub = 0;
	sim_page_check(sdev, p->pool.page[p->scrub]);
	sim_page_fill(sdev, p->pool.page[p->scrub]);
	p->scrub++;
	sim_pages_shrink(sdev);
}

/* ---- commands ---- */

/* Unrefereed: U-89. */
u8 sim_cmd_query_pages(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	s32 n;

	if (!sim_pool_want(&sdev->pages->pool, cmd->op_mod, &n))
		return sim_cmd_bad_param(sdev, cmd, "op_mod %#x", cmd->op_mod);
	MLX5_SET(query_pages_out, cmd->out, num_pages, n);
	return MLX5_CMD_STAT_OK;
}

static u8 sim_pages_give(struct sim_dev *sdev, struct sim_cmd *cmd, u32 n)
{
	const __be64 *pas = MLX5_ADDR_OF(manage_pages_in, cmd->in, pas);
	u32 i, bad;
	int err;

	for (i = 0; i < n; i++)
		if (!sim_page_span(sdev, be64_to_cpu(pas[i]), true) ||
		    !sim_page_span(sdev, be64_to_cpu(pas[i]), false))
			return MLX5_CMD_STAT_BAD_PARAM_ERR;
	err = sim_pool_give(&sdev->pages->pool, pas, n, &bad);
	if (err == -ENOSPC)
		return sim_cmd_bad_param(sdev, cmd, "%u pages given, %u were requested", n, bad);
	if (err == -EINVAL || err == -EEXIST)
		return sim_cmd_bad_param(sdev, cmd, "page %#llx%s", be64_to_cpu(pas[bad]),
					 err == -EEXIST ? " given twice" : "");
	for (i = 0; i < n && !err; i++)
		sim_page_fill(sdev, be64_to_cpu(pas[i]));
	return sim_cmd_errno_ok(err);
}

static u8 sim_pages_take(struct sim_dev *sdev, struct sim_cmd *cmd, u32 n)
{
	__be64 *pas = MLX5_ADDR_OF(manage_pages_out, cmd->out, pas);
	u32 i;

	n = sim_pool_take(&sdev->pages->pool, sim_pages_used(sdev, 0), pas, n);
	for (i = 0; i < n; i++)
		sim_page_check(sdev, be64_to_cpu(pas[i]));
	MLX5_SET(manage_pages_out, cmd->out, output_num_entries, n);
	return MLX5_CMD_STAT_OK;
}

/*
 * Check the lengths of the lists in the input and in the output against the
 * number of entries in the command.
 */
static u8 sim_pages_sizes(struct sim_dev *sdev, struct sim_cmd *cmd, u32 n)
{
	bool give = cmd->op_mod == MLX5_MANAGE_PAGES_IN_OP_MOD_ALLOCATION_SUCCESS;
	bool take = cmd->op_mod == MLX5_MANAGE_PAGES_IN_OP_MOD_HCA_RETURN_PAGES;
	u32 in_len = MLX5_ST_SZ_BYTES(manage_pages_in);
	u32 out_len = MLX5_ST_SZ_BYTES(manage_pages_out);

	if (n > SIM_PAGES_MAX || (n && !give && !take))
		return sim_cmd_bad_param(sdev, cmd, "%u pages", n);
	in_len += give ? n * sizeof(u64) : 0;
	out_len += take ? n * sizeof(u64) : 0;
	if (cmd->in_len != in_len || cmd->out_len < out_len)
		return sim_cmd_size(sdev, cmd, "%u bytes in, %u out, want %u and %u", cmd->in_len,
				    cmd->out_len, in_len, out_len);
	return MLX5_CMD_STAT_OK;
}

/* Unrefereed: U-92, U-93. */
u8 sim_cmd_manage_pages(struct sim_dev *sdev, struct sim_cmd *cmd)
{
	u32 n = MLX5_GET(manage_pages_in, cmd->in, input_num_entries);
	u8 status = sim_pages_sizes(sdev, cmd, n);

	if (status)
		return status;
	switch (cmd->op_mod) {
	case MLX5_MANAGE_PAGES_IN_OP_MOD_ALLOCATION_FAIL:
		sim_pool_refuse(&sdev->pages->pool);
		return MLX5_CMD_STAT_OK;
	case MLX5_MANAGE_PAGES_IN_OP_MOD_ALLOCATION_SUCCESS:
		return sim_pages_give(sdev, cmd, n);
	case MLX5_MANAGE_PAGES_IN_OP_MOD_HCA_RETURN_PAGES:
		return sim_pages_take(sdev, cmd, n);
	default:
		return sim_cmd_bad_param(sdev, cmd, "op_mod %#x", cmd->op_mod);
	}
}

/**
 * sim_pages_enable() - start to accept the boot and init pages
 * @sdev: simulated function
 *
 * Context: hardware thread.
 */
void sim_pages_enable(struct sim_dev *sdev)
{
	sim_pool_open(&sdev->pages->pool);
}

/**
 * sim_pages_ready() - check whether the host has given the boot and init pages
 * @sdev: simulated function
 *
 * Context: hardware thread.
 * Return: true if the device has all boot and init pages.
 */
bool sim_pages_ready(struct sim_dev *sdev)
{
	const struct sim_pool *pool = &sdev->pages->pool;

	return pool->n >= pool->boot + pool->init;
}
