/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The page pool of a simulated function (obj/pool.c).
 */
#ifndef MLX5SIM_OBJ_POOL_H
#define MLX5SIM_OBJ_POOL_H

#include <linux/types.h>
#include <linux/xarray.h>

#include "obj/objects.h"

#define SIM_POOL_PAGE	SZ_4K

/**
 * struct sim_pool - pages of host memory that belong to the device
 * @page: bus addresses; pages are returned from the end
 * @n: number of pages in @page
 * @size: number of elements of @page
 * @index: set of the pages in @page, by address / SIM_POOL_PAGE
 * @boot: pages that the device needs before SET_HCA_CAP
 * @init: further pages that the device needs before INIT_HCA
 * @spare: pages of @init that are for objects; the firmware uses the others
 * @room: pages that the host may still give
 * @asked: pages of a pending PAGE_REQUEST, included in @room
 * @returning: pages that the device has requested the host to reclaim
 * @refused: the host has refused to give pages, and no command has failed for
 *	this reason yet
 */
struct sim_pool {
	u64 *page;
	u32 n;
	u32 size;
	struct xarray index;
	u32 boot;
	u32 init;
	u32 spare;
	u32 room;
	u32 asked;
	u32 returning;
	bool refused;
};

void sim_pool_init(struct sim_pool *pool, u32 boot, u32 init, u32 spare);
void sim_pool_clear(struct sim_pool *pool);
void sim_pool_open(struct sim_pool *pool);
enum sim_obj_type sim_pool_creates(u16 opcode);
u32 sim_pool_used(const struct sim_pool *pool, const u32 *count);
bool sim_pool_want(const struct sim_pool *pool, u16 op_mod, s32 *npages);
int sim_pool_give(struct sim_pool *pool, const __be64 *pas, u32 n, u32 *bad);
u32 sim_pool_take(struct sim_pool *pool, u32 used, __be64 *pas, u32 n);
u32 sim_pool_request(struct sim_pool *pool, u32 used);
u32 sim_pool_surplus(struct sim_pool *pool, u32 used);
void sim_pool_refuse(struct sim_pool *pool);

#endif /* MLX5SIM_OBJ_POOL_H */
