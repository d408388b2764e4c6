/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: types of rings and of the WQEs that are built in them. Types only.
 */
#ifndef MLX5_IBX_RING_H
#define MLX5_IBX_RING_H

#include <linux/cache.h>
#include <linux/minmax.h>
#include <linux/mlx5/device.h>
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
/* the smallest WQE of a shared receive ring: link and one entry */
#define IBX_SRQ_WQE_MIN	(sizeof(struct mlx5_wqe_srq_next_seg) + \
			 sizeof(struct mlx5_wqe_data_seg))
/* builders that a QP was created for: the generic ones, and those of mlx5 */
#define IBX_OPS_DV(op)		((u64)(op) << 32)

/* entries a ring may have on a device that allows 2^@log_max */
static inline u32 ibx_ring_max(u8 log_max)
{
	return min_t(u64, BIT_ULL(log_max), IBX_RING_MAX);
}

struct ibx_key_marks;
struct ibx_qp;

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
 * @key_marks: marks of registered keys
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
	struct ibx_key_marks *key_marks;

	u32 tail ____cacheline_aligned_in_smp;
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

/* no QP has it: a CQE that carries it belongs to a QP that is gone */
#define IBX_NO_QPN	0xffffff

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

/**
 * struct ibx_srq_wqe - what software remembers of a WQE
 * @wr_id: the consumer's cookie
 * @next: the WQE after it in the list, as its link says
 * @posted: the device has it
 */
struct ibx_srq_wqe {
	u64 wr_id;
	u16 next;
	bool posted;
};

/**
 * struct ibx_srq_ring - a shared receive ring
 * @lock: everything below
 * @head: WQE that is posted next
 * @tail: last WQE of the list
 * @posted: WQEs ever posted, modulo 2^16
 * @wqe_cnt: WQEs, one of which stays unused
 * @wqe_shift: log2 of a WQE's bytes
 * @max_gs: entries of a WQE
 * @buf: the ring
 * @shadow: one entry per WQE
 * @dbr: doorbell record
 * @term_lkey: see ibx_srq_ring_params
 */
struct ibx_srq_ring {
	spinlock_t lock;	/* everything below */
	u16 head;
	u16 tail;
	u16 posted;
	u32 wqe_cnt;
	u32 wqe_shift;
	u32 max_gs;
	void *buf;
	struct ibx_srq_wqe *shadow;
	__be32 *dbr;
	__be32 term_lkey;
};

/**
 * struct ibx_chain - WQEs that are finished and that the device does not know yet
 * @sq: ring, locked
 * @last: control segment of the last; NULL if there is none
 * @head: what ibx_sq.head becomes
 * @cur: block the next WQE starts at, not masked
 * @next_fence: fence the next WQE carries
 */
struct ibx_chain {
	struct ibx_sq *sq;
	struct mlx5_wqe_ctrl_seg *last;
	u32 head;
	u16 cur;
	u8 next_fence;
};

/**
 * struct ibx_wqe - a WQE being built
 * @sq: ring
 * @ctrl: its control segment, written last
 * @seg: cursor
 * @ds: 16-byte units so far
 * @cur: block it starts at
 */
struct ibx_wqe {
	struct ibx_sq *sq;
	struct mlx5_wqe_ctrl_seg *ctrl;
	void *seg;
	u32 ds;
	u16 cur;
};

/**
 * struct ibx_wr_conf - a mkey configuration that is being built
 * @seg: mkey context segment of its WQE
 * @max_entries: entries that the mkey holds
 */
struct ibx_wr_conf {
	struct mlx5_mkey_seg *seg;
	u32 max_entries;
};

/**
 * struct ibx_wr - a send queue that builders and setters can open
 * @open: some CPU has the queue open
 * @err: first error of the chain, or 0
 * @allowed: setters that may follow, of enum ibx_wr_setter
 * @left: number of setters that must follow; IBX_WR_SPOILED after an error
 * @inv: the chain has local invalidations
 * @next_fence: fence that the WQE after this one needs
 * @chain: complete WQEs; chain.sq is set when the QP is created and never changes
 * @w: WQE that is being built
 * @sqe: shadow entry of @w
 * @conf: mkey configuration that is being built
 * @irq_flags: interrupt flags to restore when the queue is closed
 * @ops: builders that the QP was created for; never changes
 *
 * All but @open, chain.sq and @ops are valid while the queue is open, and protected by the
 * lock of the ring. ibx_open_sq tells which queue a CPU has open.
 */
struct ibx_wr {
	bool open;
	int err;
	u32 allowed;
	u8 left;
	bool inv;
	u8 next_fence;
	struct ibx_chain chain;
	struct ibx_wqe w;
	struct ibx_sqe *sqe;
	struct ibx_wr_conf conf;
	unsigned long irq_flags;
	u64 ops;
};

#endif /* MLX5_IBX_RING_H */
