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

/* Sizing, for whoever chooses the geometry of a ring. */
#define IBX_BB			MLX5_SEND_WQE_BB	/* 64 */
#define IBX_DS			MLX5_SEND_WQE_DS	/* 16 */
/* entries of a ring: a device that counts them in 16 bits tells full from empty */
#define IBX_RING_MAX		32768
/* the 6-bit count of 16-byte units in the control segment allows 63 */
#define IBX_SQ_WQE_MAX		960
/* what a registration is without its list: control, UMR, mkey */
#define IBX_UMR_OVERHEAD	(16 + 48 + 64)
/*
 * Lists up to here, 32 pages, ride in the WQE; an RC ring reserves for them. The
 * device then need not read them from elsewhere.
 */
#define IBX_UMR_INLINE_MIN	256
/* what every RC send WQE may need */
#define IBX_RC_WQE_MIN		(IBX_UMR_OVERHEAD + IBX_UMR_INLINE_MIN)
/* control and remote address; control and address vector */
#define IBX_RC_OVERHEAD		(16 + 16)
#define IBX_UD_OVERHEAD		(16 + 48)
/* a DCI's has both; room for an invalidation is room for an atomic, too */
#define IBX_DCI_OVERHEAD	(16 + 48 + 16)
#define IBX_DCI_WQE_MIN		IBX_UMR_OVERHEAD
#define IBX_INLINE_HDR		4

struct ibx_live;

/**
 * struct ibx_sqe - what software remembers of a posted WQE
 * @wr_id: the consumer's cookie
 * @seq: value of ibx_sq.head once this WR was posted: the tail it completes
 * @next: block index (not masked) of the WQE after this one
 * @wc_opcode: enum ib_wc_opcode of its completion
 * @rsvd: nothing
 *
 * Indexed by the first block of the WQE, so the wqe_counter of a CQE finds it.
 */
struct ibx_sqe {
	u64 wr_id;
	u32 seq;
	u16 next;
	u8 wc_opcode;
	u8 rsvd;
};

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
 * struct ibx_sq - a send ring
 * @lock: posting
 * @head: WRs ever charged, modulo 2^32
 * @max_post: WRs in flight at most
 * @buf: the ring
 * @end: one past its last byte
 * @mask: blocks less one
 * @cur_post: block the next WQE starts at, not masked
 * @qpn_be: QP number where the control segment wants it (bits 31:8)
 * @fm_ce_se: bits that every WQE carries (signal all)
 * @next_fence: fence the next WQE carries, because of the WQE before it
 * @umr_fence: fence a registration carries
 * @reg_access: access that a registration may ask for
 * @reg_mask: what a registration sets
 * @live: marks of registered keys
 * @max_gs: see ibx_sq_params
 * @max_inline: see ibx_sq_params
 * @max_umr_inline: bytes of descriptors that fit a WR
 * @max_ds: units of 16 bytes that a WR may take
 * @shadow: one entry per block
 * @dbr: doorbell record
 * @db_reg: doorbell register
 * @db_offset: which of the twins is next
 * @db_toggle: see ibx_sq_params
 * @dma_lkey: big endian
 * @tail: WRs ever completed (consumer's side)
 */
struct ibx_sq {
	spinlock_t lock;	/* posting */
	u32 head;
	u32 max_post;
	void *buf;
	void *end;
	u32 mask;
	u16 cur_post;
	u8 fm_ce_se;
	u8 next_fence;
	u32 qpn_be;
	struct ibx_sqe *shadow;
	u32 max_gs;
	u32 max_inline;
	u32 max_umr_inline;
	u32 max_ds;
	__be32 *dbr;
	void __iomem *db_reg;
	u32 db_offset;
	u32 db_toggle;
	__be32 dma_lkey;
	u8 umr_fence;
	int reg_access;
	__be64 reg_mask;
	struct ibx_live *live;

	u32 tail ____cacheline_aligned_in_smp;
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
 * struct ibx_rq - a receive ring; consumed in the order of posting
 * @lock: posting
 * @head: WRs ever posted
 * @mask: WQEs less one
 * @wqe_cnt: WQEs
 * @wqe_shift: log2 of a WQE's bytes
 * @buf: the ring
 * @wrid: the consumers' cookies, one per WQE
 * @max_gs: entries of a WR
 * @wqe_gs: entries a WQE holds
 * @term_lkey: see ibx_rq_params
 * @dbr: doorbell record
 * @tail: WRs ever completed (consumer's side)
 */
struct ibx_rq {
	spinlock_t lock;	/* posting */
	u32 head;
	u32 mask;
	u32 wqe_cnt;
	u32 wqe_shift;
	void *buf;
	u64 *wrid;
	u32 max_gs;
	u32 wqe_gs;
	__be32 term_lkey;
	__be32 *dbr;

	u32 tail ____cacheline_aligned_in_smp;
};

/* entries a ring may have on a device that allows 2^@log_max */
static inline u32 ibx_ring_max(u8 log_max)
{
	return min_t(u64, BIT_ULL(log_max), IBX_RING_MAX);
}

struct ibx_qp;

/**
 * struct ibx_cqb - a completion ring and its consumer, all under the CQ's lock
 * @buf: CQEs of 64 bytes
 * @cqe_cnt: entries, a power of two
 * @ci: CQEs ever consumed; bit log2(cqe_cnt) is the owner bit of the next one
 * @set_ci: doorbell record that tells the device
 * @next_buf: ring that takes over at a RESIZE_CQ entry, NULL when none is due
 * @next_cnt: its entries
 * @last_qp: QP of the last CQE; ibx_cq_clean() drops it
 * @last_qpn: its number, IBX_NO_QPN if none
 */
struct ibx_cqb {
	void *buf;
	u32 cqe_cnt;
	u32 ci;
	__be32 *set_ci;
	void *next_buf;
	u32 next_cnt;
	struct ibx_qp *last_qp;
	u32 last_qpn;
};

/* no QP has it: a CQE that carries it belongs to a QP that is gone */
#define IBX_NO_QPN	0xffffff

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
