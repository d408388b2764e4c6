// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The page pool: the pages of host memory that the device has, and the number
 * of pages that it needs.
 *
 * The firmware uses the boot pages and most of the init pages from INIT_HCA to
 * TEARDOWN_HCA. The other pages hold objects: a page has space for a fixed
 * number of objects of one type. When the pool has no page for the next object,
 * the device requests SIM_POOL_STEP pages or more. When more than SIM_POOL_HIGH
 * pages are unused, the device requests that the host reclaims all unused pages
 * except SIM_POOL_STEP pages.
 *
 * The host gives at most the pages that the device has requested. It may
 * reclaim unused pages at any time, and give them again later. Each page is in
 * the pool only once.
 *
 * This file does arithmetic only: cmd/pages.c has the commands and the accesses
 * to the pages. Pools belong to the hardware thread.
 */
#include <kunit/visibility.h>
#include <linux/mlx5/device.h>
#include <linux/slab.h>

#include "obj/pool.h"

#define SIM_POOL_STEP	8
#define SIM_POOL_HIGH	24

/* Objects per page; types without an entry need no page of the host */
static const u8 sim_pool_objects[SIM_OBJ_MAX] = {
	[SIM_OBJ_EQ]	= 1,
	[SIM_OBJ_CQ]	= 32,
	[SIM_OBJ_MKEY]	= 32,
	[SIM_OBJ_SRQ]	= 16,
	[SIM_OBJ_QP]	= 8,
	[SIM_OBJ_DCT]	= 8,
};

/**
 * sim_pool_init() - set up an empty pool
 * @pool: pool, zeroed
 * @boot: pages that the device needs before SET_HCA_CAP
 * @init: further pages that it needs before INIT_HCA
 * @spare: pages of @init that are for objects
 */
void sim_pool_init(struct sim_pool *pool, u32 boot, u32 init, u32 spare)
{
	xa_init(&pool->index);
	pool->boot = boot;
	pool->init = init;
	pool->spare = spare;
}
EXPORT_SYMBOL_IF_KUNIT(sim_pool_init);

/**
 * sim_pool_clear() - remove all pages and requests
 * @pool: the pool
 *
 * The host may give no page until sim_pool_open().
 */
void sim_pool_clear(struct sim_pool *pool)
{
	xa_destroy(&pool->index);
	kvfree(pool->page);
	pool->page = NULL;
	WRITE_ONCE(pool->n, 0);
	pool->size = 0;
	pool->room = 0;
	pool->asked = 0;
	pool->returning = 0;
	pool->refused = false;
}
EXPORT_SYMBOL_IF_KUNIT(sim_pool_clear);

/**
 * sim_pool_open() - permit the boot and init pages
 * @pool: the pool, empty
 */
void sim_pool_open(struct sim_pool *pool)
{
	pool->room = pool->boot + pool->init;
}
EXPORT_SYMBOL_IF_KUNIT(sim_pool_open);

/**
 * sim_pool_creates() - type of the object that a command creates in a page
 * @opcode: MLX5_CMD_OP_*
 *
 * Return: the type; SIM_OBJ_MAX for a command that needs no page.
 */
enum sim_obj_type sim_pool_creates(u16 opcode)
{
	switch (opcode) {
	case MLX5_CMD_OP_CREATE_EQ:
		return SIM_OBJ_EQ;
	case MLX5_CMD_OP_CREATE_CQ:
		return SIM_OBJ_CQ;
	case MLX5_CMD_OP_CREATE_MKEY:
		return SIM_OBJ_MKEY;
	case MLX5_CMD_OP_CREATE_SRQ:
	case MLX5_CMD_OP_CREATE_XRC_SRQ:
	case MLX5_CMD_OP_CREATE_RMP:
		return SIM_OBJ_SRQ;
	case MLX5_CMD_OP_CREATE_QP:
		return SIM_OBJ_QP;
	case MLX5_CMD_OP_CREATE_DCT:
		return SIM_OBJ_DCT;
	default:
		return SIM_OBJ_MAX;
	}
}
EXPORT_SYMBOL_IF_KUNIT(sim_pool_creates);

/**
 * sim_pool_used() - number of pages in use between INIT_HCA and TEARDOWN_HCA
 * @pool: the pool
 * @count: number of objects, SIM_OBJ_MAX elements by type
 *
 * Return: number of pages; more than @pool->n if the pool lacks pages.
 */
u32 sim_pool_used(const struct sim_pool *pool, const u32 *count)
{
	u32 used = pool->boot + pool->init - pool->spare;
	int type;

	for (type = 0; type < SIM_OBJ_MAX; type++)
		if (sim_pool_objects[type])
			used += DIV_ROUND_UP(count[type], sim_pool_objects[type]);
	return used;
}
EXPORT_SYMBOL_IF_KUNIT(sim_pool_used);

/**
 * sim_pool_want() - number of pages that the host must give or reclaim
 * @pool: the pool
 * @op_mod: MLX5_QUERY_PAGES_IN_OP_MOD_*
 * @npages: set to the number of pages, negative for pages to reclaim
 *
 * Return: true; false for an unknown @op_mod.
 */
bool sim_pool_want(const struct sim_pool *pool, u16 op_mod, s32 *npages)
{
	s32 n = pool->n;

	switch (op_mod) {
	case MLX5_QUERY_PAGES_IN_OP_MOD_BOOT_PAGES:
		*npages = max_t(s32, (s32)pool->boot - n, 0);
		return true;
	case MLX5_QUERY_PAGES_IN_OP_MOD_INIT_PAGES:
		*npages = max_t(s32, (s32)(pool->boot + pool->init) - n, 0);
		return true;
	case MLX5_QUERY_PAGES_IN_OP_MOD_REGULAR_PAGES:
		*npages = (s32)pool->asked - (s32)pool->returning;
		return true;
	default:
		return false;
	}
}
EXPORT_SYMBOL_IF_KUNIT(sim_pool_want);

static int sim_pool_enlarge(struct sim_pool *pool, u32 n)
{
	u64 *page;

	if (pool->n + n <= pool->size)
		return 0;
	page = kvmalloc_array(pool->n + n, sizeof(*page), GFP_KERNEL);
	if (!page)
		return -ENOMEM;
	if (pool->n)
		memcpy(page, pool->page, pool->n * sizeof(*page));
	kvfree(pool->page);
	pool->page = page;
	pool->size = pool->n + n;
	return 0;
}

static int sim_pool_push(struct sim_pool *pool, u64 addr)
{
	int err;

	if (!addr || addr % SIM_POOL_PAGE)
		return -EINVAL;
	err = xa_insert(&pool->index, addr / SIM_POOL_PAGE, xa_mk_value(1), GFP_KERNEL);
	if (err)
		return err == -EBUSY ? -EEXIST : err;
	pool->page[pool->n] = addr;
	WRITE_ONCE(pool->n, pool->n + 1);
	return 0;
}

static u64 sim_pool_pop(struct sim_pool *pool)
{
	u64 addr = pool->page[pool->n - 1];

	WRITE_ONCE(pool->n, pool->n - 1);
	xa_erase(&pool->index, addr / SIM_POOL_PAGE);
	return addr;
}

/**
 * sim_pool_give() - add all pages that the host gives, or no page
 * @pool: the pool
 * @pas: bus addresses of the pages
 * @n: number of pages
 * @bad: set to the index of the page that is refused, on failure
 *
 * Return:
 * * 0
 * * -ENOSPC: more pages than the device requested
 * * -EINVAL: an address is 0 or is not a multiple of the page size
 * * -EEXIST: the pool has the page already
 * * -ENOMEM
 */
int sim_pool_give(struct sim_pool *pool, const __be64 *pas, u32 n, u32 *bad)
{
	u32 i, before = pool->n;
	int err;

	*bad = pool->room;
	if (n > pool->room)
		return -ENOSPC;
	err = sim_pool_enlarge(pool, n);
	for (i = 0; i < n && !err; i++) {
		*bad = i;
		err = sim_pool_push(pool, be64_to_cpu(pas[i]));
	}
	if (err) {
		while (pool->n > before)
			sim_pool_pop(pool);
		return err;
	}
	pool->room -= n;
	pool->asked -= min(pool->asked, n);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(sim_pool_give);

/**
 * sim_pool_take() - remove unused pages, which the host reclaims
 * @pool: the pool
 * @used: number of pages in use
 * @pas: set to the bus addresses of the pages
 * @n: largest number of pages
 *
 * Return: number of pages in @pas.
 */
u32 sim_pool_take(struct sim_pool *pool, u32 used, __be64 *pas, u32 n)
{
	u32 i, due;

	n = min(n, pool->n > used ? pool->n - used : 0);
	for (i = 0; i < n; i++)
		pas[i] = cpu_to_be64(sim_pool_pop(pool));
	due = min(pool->returning, n);
	pool->returning -= due;
	pool->room += n - due;
	return n;
}
EXPORT_SYMBOL_IF_KUNIT(sim_pool_take);

/**
 * sim_pool_request() - number of pages to request from the host
 * @pool: the pool, without a pending request
 * @used: number of pages that will be in use
 *
 * The host may then give this number of pages.
 *
 * Return: number of pages, at least SIM_POOL_STEP; 0 if the pool suffices.
 */
u32 sim_pool_request(struct sim_pool *pool, u32 used)
{
	if (used <= pool->n)
		return 0;
	pool->asked = max(used - pool->n, SIM_POOL_STEP);
	pool->room += pool->asked;
	return pool->asked;
}
EXPORT_SYMBOL_IF_KUNIT(sim_pool_request);

/**
 * sim_pool_surplus() - number of pages that the host should reclaim
 * @pool: the pool
 * @used: number of pages in use
 *
 * Return: number of pages; 0 if few pages are unused or the last request is
 * still pending.
 */
u32 sim_pool_surplus(struct sim_pool *pool, u32 used)
{
	if (pool->asked || pool->returning || pool->n <= used + SIM_POOL_HIGH)
		return 0;
	pool->returning = pool->n - used - SIM_POOL_STEP;
	return pool->returning;
}
EXPORT_SYMBOL_IF_KUNIT(sim_pool_surplus);

/**
 * sim_pool_refuse() - end the requests that the host refuses
 * @pool: the pool
 */
void sim_pool_refuse(struct sim_pool *pool)
{
	if (pool->asked)
		pool->refused = true;
	pool->room -= pool->asked;
	pool->asked = 0;
	pool->returning = 0;
}
EXPORT_SYMBOL_IF_KUNIT(sim_pool_refuse);
