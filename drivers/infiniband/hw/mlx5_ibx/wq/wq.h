/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: the rings.
 *
 * A ring is virtually contiguous and belongs to the verbs layer, which
 * allocates it before ibx_sq_init() / ibx_rq_init() / ibx_cqb_init() and frees
 * it after ibx_sq_fini() / ibx_rq_fini(). Nothing here allocates but the arrays
 * that shadow the rings, and nothing here issues a command.
 *
 * Send ring: basic blocks (BB) of 64 bytes; a WQE takes one or more and may
 * wrap from the last to the first. Room is counted in WRs: a WR may fill
 * @max_wqe bytes, and @max_post of those fit the ring, so that a ring with
 * room for a WR always has room for its blocks.
 * Nothing of a WQE counts until ibx_chain_post(): a WR that fails half way
 * leaves the ring as it was. The device learns of WQEs from it as well, once per
 * chain.
 *
 * Locks: the poster's side of a ring is under its @lock, the consumer's side
 * (@tail) under the lock of the CQ. The two sides meet in @tail, stored with
 * release after the shadow entry was read, loaded with acquire before it is
 * written again; and, when the device died and polling flushes, in @head, the
 * other way round. A reset touches both sides: it happens under the lock of the
 * CQ, in a state of the QP in which nobody posts.
 */
#ifndef MLX5_IBX_WQ_H
#define MLX5_IBX_WQ_H

#include <linux/cache.h>
#include <linux/io.h>
#include <linux/minmax.h>
#include <linux/mlx5/cq.h>
#include <linux/mlx5/device.h>
#include <linux/mlx5/doorbell.h>
#include <linux/mlx5/qp.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "ring.h"

/**
 * struct ibx_sq_params - how the verbs layer describes a send ring
 * @buf: ring, 64-byte aligned, @wqe_cnt * 64 bytes, zeroed
 * @wqe_cnt: blocks, a power of two, at most IBX_RING_MAX
 * @max_wqe: bytes one WR may take: multiple of 64, at most IBX_SQ_WQE_MAX, and
 *	at least IBX_RC_WQE_MIN on RC
 * @max_post: WRs; max_post * max_wqe must fit the ring
 * @max_gs: scatter/gather entries of a WR
 * @max_inline: bytes of inline data of a WR
 * @dbr: the doorbell record of sends
 * @db_reg: the doorbell register in the UAR page
 * @db_toggle: distance to its twin: doorbells alternate between the two
 * @dma_lkey: lkey by which the device reads descriptor lists
 * @umr_fence: MLX5_FENCE_MODE_* that registrations carry
 * @umr_atomic: device lets a UMR change remote atomic access
 * @live: marks of registered keys
 * @sig_all: every WR is signalled
 * @node: NUMA node of the shadow
 */
struct ibx_sq_params {
	void *buf;
	u32 wqe_cnt;
	u32 max_wqe;
	u32 max_post;
	u32 max_gs;
	u32 max_inline;
	__be32 *dbr;
	void __iomem *db_reg;
	u32 db_toggle;
	u32 dma_lkey;
	u8 umr_fence;
	bool umr_atomic;
	struct ibx_live *live;
	bool sig_all;
	int node;
};

/**
 * struct ibx_rq_params - how the verbs layer describes a receive ring
 * @buf: ring, @wqe_cnt << @wqe_shift bytes, zeroed
 * @wqe_cnt: WQEs, a power of two, at most IBX_RING_MAX
 * @wqe_shift: log2 of a WQE's bytes, at least 4
 * @max_gs: scatter entries of a WR, at most what a WQE holds
 * @dbr: the doorbell record of receives
 * @term_lkey: lkey that ends a list shorter than a WQE (see
 *	mlx5_core_get_terminate_scatter_list_mkey())
 * @node: NUMA node of the shadow
 */
struct ibx_rq_params {
	void *buf;
	u32 wqe_cnt;
	u32 wqe_shift;
	u32 max_gs;
	__be32 *dbr;
	__be32 term_lkey;
	int node;
};

/* entries a ring may have on a device that allows 2^@log_max */
static inline u32 ibx_ring_max(u8 log_max)
{
	return min_t(u64, BIT_ULL(log_max), IBX_RING_MAX);
}

/* ---- sq.c ---- */
int ibx_sq_init(struct ibx_sq *sq, const struct ibx_sq_params *p);
void ibx_sq_set_qpn(struct ibx_sq *sq, u32 qpn);
void ibx_sq_reset(struct ibx_sq *sq);
void ibx_sq_fini(struct ibx_sq *sq);

/* ---- rq.c ---- */
int ibx_rq_init(struct ibx_rq *rq, const struct ibx_rq_params *p);
void ibx_rq_reset(struct ibx_rq *rq);
void ibx_rq_fini(struct ibx_rq *rq);

/* ---- poll.c ---- */
void ibx_cqb_init(struct ibx_cqb *cqb, void *buf, u32 cqe_cnt, __be32 *set_ci);
void ibx_cqb_fill(void *buf, u32 cqe_cnt);
bool ibx_cqb_move(struct ibx_cqb *cqb);

/* true if every WR that was posted has completed, as far as polling knows */
static inline bool ibx_sq_idle(const struct ibx_sq *sq)
{
	return READ_ONCE(sq->head) == READ_ONCE(sq->tail);
}

static inline bool ibx_rq_idle(const struct ibx_rq *rq)
{
	return READ_ONCE(rq->head) == READ_ONCE(rq->tail);
}

#endif /* MLX5_IBX_WQ_H */
