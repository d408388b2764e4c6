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

#include "ibx.h"

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
 * @key_marks: marks of registered keys
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
	struct ibx_key_marks *key_marks;
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

/**
 * struct ibx_srq_ring_params - how the verbs layer describes a shared ring
 * @buf: ring, @wqe_cnt << @wqe_shift bytes, zeroed
 * @wqe_cnt: WQEs, a power of two, 2 to IBX_RING_MAX
 * @wqe_shift: log2 of a WQE's bytes, at least that of IBX_SRQ_WQE_MIN
 * @dbr: the doorbell record
 * @term_lkey: ends a list of entries that does not fill its WQE
 * @node: NUMA node of the shadow
 */
struct ibx_srq_ring_params {
	void *buf;
	u32 wqe_cnt;
	u32 wqe_shift;
	__be32 *dbr;
	__be32 term_lkey;
	int node;
};

/* ---- sq.c ---- */
int ibx_sq_init(struct ibx_sq *sq, const struct ibx_sq_params *p);
void ibx_sq_set_qpn(struct ibx_sq *sq, u32 qpn);
void ibx_sq_reset(struct ibx_sq *sq);
void ibx_sq_fini(struct ibx_sq *sq);

/* ---- rq.c ---- */
int ibx_rq_init(struct ibx_rq *rq, const struct ibx_rq_params *p);
void ibx_rq_reset(struct ibx_rq *rq);
void ibx_rq_fini(struct ibx_rq *rq);

/* ---- srq_ring.c ---- */
int ibx_srq_ring_init(struct ibx_srq_ring *ring, const struct ibx_srq_ring_params *p);
void ibx_srq_ring_fini(struct ibx_srq_ring *ring);
int ibx_srq_ring_post(struct ibx_srq_ring *ring, const struct ib_recv_wr **wr);
bool ibx_srq_ring_complete(struct ibx_srq_ring *ring, u16 index, u64 *wr_id);

/* ---- wqe.c ---- */
void *ibx_ring_copy(const struct ibx_sq *sq, void *p, const void *src, u32 len);
void *ibx_ring_pad(const struct ibx_sq *sq, void *p);
void *ibx_ring_inline(const struct ibx_sq *sq, void *p, const struct ib_sge *sge, u32 n);
void ibx_chain_drop(const struct ibx_chain *c);

/* ---- post.c ---- */
/* the ring that is open for the work request API on this CPU */
DECLARE_PER_CPU(struct ibx_sq *, ibx_open_sq);

int ibx_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr);
int ibx_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr);

/* ---- poll.c ---- */
int ibx_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc);
int ibx_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);
void ibx_cq_clean(struct ibx_cq *cq, u32 qpn, struct ibx_srq_ring *ring);
void ibx_cqb_init(struct ibx_cqb *cqb, void *buf, u32 cqe_cnt, __be32 *set_ci);
void ibx_cqb_fill(void *buf, u32 cqe_cnt);
bool ibx_cqb_move(struct ibx_cqb *cqb);

/* ---- map.c ---- */
extern struct ib_frwr_provider ibx_frwr;

int ibx_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents,
		  unsigned int *offset);
int ibx_mr_resplit(struct ibx_mr *mr);

/* ---- key_marks.c ---- */
int ibx_key_mark_add(struct ibx_key_marks *marks, u32 key);
void ibx_key_marks_exit(struct ibx_key_marks *marks);

static inline unsigned long *ibx_key_mark_piece(const struct ibx_key_marks *marks, u32 key)
{
	/* pairs with the release in ibx_key_mark_add() */
	return smp_load_acquire(&marks->piece[key >> (8 + IBX_KEY_MARK_SHIFT)]);
}

static inline unsigned int ibx_key_mark_bit(u32 key)
{
	return (key >> 8) & (BIT(IBX_KEY_MARK_SHIFT) - 1);
}

/* is this key marked? */
static inline bool ibx_key_mark_test(const struct ibx_key_marks *marks, u32 key)
{
	const unsigned long *piece = ibx_key_mark_piece(marks, key);

	return piece && test_bit(ibx_key_mark_bit(key), piece);
}

static inline void ibx_key_mark_set(struct ibx_key_marks *marks, u32 key)
{
	unsigned long *piece = ibx_key_mark_piece(marks, key);

	if (piece)
		set_bit(ibx_key_mark_bit(key), piece);
}

/* a key of whatever MR; writes nothing if it is not marked */
static __always_inline void ibx_key_mark_clear(struct ibx_key_marks *marks, u32 key)
{
	unsigned long *piece = ibx_key_mark_piece(marks, key);

	if (unlikely(piece) && test_bit(ibx_key_mark_bit(key), piece))
		clear_bit(ibx_key_mark_bit(key), piece);
}

/* ---- state of rings ---- */

/* true if every WR that was posted has completed, as far as polling knows */
static inline bool ibx_sq_idle(const struct ibx_sq *sq)
{
	return READ_ONCE(sq->head) == READ_ONCE(sq->tail);
}

static inline bool ibx_rq_idle(const struct ibx_rq *rq)
{
	return READ_ONCE(rq->head) == READ_ONCE(rq->tail);
}

/* true if what the QP owes this CQ of its is completed in software: the device will not */
static inline bool ibx_owed(const struct ibx_cq *cq, const struct ibx_qp *qp)
{
	return ibx_dead(to_idev(cq->ibcq.device)) ||
	       (READ_ONCE(cq->failed) && READ_ONCE(qp->state) == IB_QPS_ERR);
}

#endif /* MLX5_IBX_WQ_H */
