/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: structures of rings and of the WQEs that are built in them; no
 * prototypes.
 */
#ifndef MLX5_IBX_RING_H
#define MLX5_IBX_RING_H

#include <linux/cache.h>
#include <linux/minmax.h>
#include <linux/mlx5/device.h>
#include <linux/mlx5/qp.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "conf.h"

/* Sizes for the code that chooses the geometry of a ring. */
#define IBX_BB			MLX5_SEND_WQE_BB	/* 64 */
#define IBX_DS			MLX5_SEND_WQE_DS	/* 16 */
/*
 * maximum number of entries of a ring: with 16-bit counters, a device can then
 * distinguish a full ring from an empty ring
 */
#define IBX_RING_MAX		32768
/* most bytes of a WQE: 15 blocks; the control segment allows 63 units of 16 */
#define IBX_SQ_WQE_MAX		960
/* bytes of a registration WQE without its list: control, UMR and mkey segment */
#define IBX_UMR_OVERHEAD	(16 + 48 + 64)
/*
 * Each WQE of an RC ring has space for an inline list of 256 bytes (32 pages).
 * The device need not fetch such a list from other memory.
 */
#define IBX_UMR_INLINE_MIN	256
/* bytes that any RC send WQE may need */
#define IBX_RC_WQE_MIN		(IBX_UMR_OVERHEAD + IBX_UMR_INLINE_MIN)
/*
 * A WR that registers an INTEGRITY MR: most bytes of the WR, and most WQEs
 * before its last WQE. If each WR had 11 blocks, a ring of IBX_RING_MAX blocks
 * would have too few WRs for iSER. Each WQE that is flushed takes an entry of
 * the CQ.
 */
#define IBX_PI_WR_MAX		(9 * IBX_BB)
#define IBX_PI_HIDDEN		3
/* bytes before the data: control, remote address (RC); control, AV (UD) */
#define IBX_RC_OVERHEAD		(16 + 16)
#define IBX_UD_OVERHEAD		(16 + 48)
/* a DCI: control, AV, remote address; an atomic fits in IBX_DCI_WQE_MIN */
#define IBX_DCI_OVERHEAD	(16 + 48 + 16)
#define IBX_DCI_WQE_MIN		IBX_UMR_OVERHEAD
#define IBX_INLINE_HDR		4
/* the smallest WQE of a shared receive ring: link and one entry */
#define IBX_SRQ_WQE_MIN	(sizeof(struct mlx5_wqe_srq_next_seg) + \
			 sizeof(struct mlx5_wqe_data_seg))
/* ibx_wr.ops: bits 31:0 are generic builders, bits 63:32 builders of mlx5 */
#define IBX_OPS_DV(op)		((u64)(op) << 32)

/* maximum number of entries of a ring; the device allows 2^@log_max */
static inline u32 ibx_ring_max(u8 log_max)
{
	return min_t(u64, BIT_ULL(log_max), IBX_RING_MAX);
}

struct ibx_key_marks;
struct ibx_qp;
struct ibx_sig;

/**
 * struct ibx_sqe - software state of a posted WQE
 * @wr_id: wr_id of the WR
 * @seq: value of ibx_sq.head after this WR was posted; its completion copies
 *	@seq to ibx_sq.tail
 * @next: block index (not masked) of the first WQE after this WR
 * @wc_opcode: opcode of its completion, enum ib_wc_opcode
 * @rsvd: unused
 *
 * Indexed by the first block of the WQE, which is the wqe_counter of its CQE.
 * All WQEs of a WR have the same values.
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
 * @lock: held by posting
 * @head: number of WRs posted, modulo 2^32
 * @max_post: maximum number of outstanding WRs
 * @buf: memory of the ring
 * @end: first byte after the ring
 * @mask: number of blocks less one
 * @cur_post: first block of the next WQE, not masked
 * @qpn_be: QP number in bits 31:8, as in the control segment
 * @fm_ce_se: fm_ce_se bits of every WQE, for IB_SIGNAL_ALL_WR
 * @next_fence: fence of the next WQE, required by the WQE before it
 * @umr_fence: fence of registrations
 * @fence: fence of ib_post_send() for IB_SEND_FENCE, if the WQE before requires
 *	no fence
 * @reg_access: IB_ACCESS_* flags that a registration may have
 * @reg_mask: mkey fields that a registration sets (mkey_mask of the UMR
 *	segment)
 * @key_marks: marks of the mkeys of SG_GAPS MRs
 * @max_gs: maximum number of SGEs of a WR
 * @max_inline: maximum bytes of inline data of a WR
 * @max_umr_inline: maximum bytes of inline descriptors of a WR
 * @max_ds: maximum size of a WQE, in units of 16 bytes
 * @shadow: software state of WQEs, one entry per block
 * @dbr: doorbell record
 * @db_reg: doorbell register
 * @db_offset: bytes from @db_reg to the register of the next doorbell
 * @db_toggle: bytes from @db_reg to the second doorbell register
 * @dma_lkey: local_dma_lkey of the PD, big endian
 * @tail: number of WRs completed, modulo 2^32; written by polling
 * @part_seq: ibx_sqe.seq of the WR in which a WQE before the last WQE failed
 * @part_syndrome: MLX5_CQE_SYNDROME_* of the failed WQE, or 0
 * @part_vendor: vendor_err_synd of the failed WQE
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
	u8 fence;
	int reg_access;
	__be64 reg_mask;
	struct ibx_key_marks *key_marks;

	u32 tail ____cacheline_aligned_in_smp;
	u32 part_seq;
	u8 part_syndrome;
	u8 part_vendor;
};

/**
 * struct ibx_rq - a receive ring; consumed in the order of posting
 * @lock: held by posting
 * @head: number of WRs posted, modulo 2^32
 * @mask: number of WQEs less one
 * @wqe_cnt: number of WQEs
 * @wqe_shift: log2 of a WQE's bytes
 * @buf: memory of the ring
 * @wrid: wr_id of each WQE
 * @max_gs: maximum number of SGEs of a WR
 * @wqe_gs: number of SGEs that a WQE holds
 * @term_lkey: lkey of the entry that ends a list shorter than its WQE
 * @dbr: doorbell record
 * @tail: number of WRs completed, modulo 2^32; written by polling
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

/*
 * numbers that no QP has: in CQEs of destroyed QPs (24 bits), and for an empty
 * cache (more than 24 bits, so that no CQE has the number)
 */
#define IBX_NO_QPN		0xffffff
#define IBX_NO_CACHED_QPN	U32_MAX

/**
 * struct ibx_cqb - a completion ring and its consumer, protected by the CQ's
 * lock
 * @buf: CQEs of 64 bytes
 * @cqe_cnt: number of entries, a power of two
 * @ci: number of CQEs consumed; bit log2(cqe_cnt) is the owner bit of the next
 *	one
 * @set_ci: doorbell record with the consumer index
 * @next_buf: memory of the new ring, used after a RESIZE_CQ entry; NULL without
 *	a resize
 * @next_cnt: number of entries in @next_buf
 * @last_qp: QP of the last CQE, cached; ibx_cq_clean() clears it
 * @last_qpn: number of @last_qp; IBX_NO_CACHED_QPN if @last_qp is NULL
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
 * struct ibx_srq_wqe - software state of a WQE of an SRQ
 * @wr_id: wr_id of the WR
 * @next: next WQE of the list, as in the link segment
 * @posted: posted to the device and not completed
 */
struct ibx_srq_wqe {
	u64 wr_id;
	u16 next;
	bool posted;
};

/**
 * struct ibx_srq_ring - a shared receive ring
 * @lock: protects all members below
 * @head: index of the next WQE to post
 * @tail: index of the last WQE of the list
 * @posted: number of WQEs posted, modulo 2^16
 * @wqe_cnt: number of WQEs, including one unused WQE
 * @wqe_shift: log2 of a WQE's bytes
 * @max_gs: maximum number of SGEs of a WQE
 * @buf: memory of the ring
 * @shadow: software state of each WQE
 * @dbr: doorbell record
 * @term_lkey: lkey of the entry that ends a list shorter than its WQE
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
 * struct ibx_chain - complete WQEs whose doorbell has not been rung
 * @sq: ring, locked
 * @last: control segment of the last WQE; NULL in an empty chain
 * @head: next value of ibx_sq.head
 * @cur: first block of the next WQE, not masked
 * @next_fence: fence that the next WQE needs
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
 * @ctrl: control segment of the WQE, written last
 * @seg: next byte to write
 * @ds: size so far, in units of 16 bytes
 * @cur: first block of the WQE
 */
struct ibx_wqe {
	struct ibx_sq *sq;
	struct mlx5_wqe_ctrl_seg *ctrl;
	void *seg;
	u32 ds;
	u16 cur;
};

/**
 * struct ibx_wr - a send queue that builders and setters can open
 * @open: the queue is open
 * @err: first error of the chain, or 0
 * @allowed: setters that may follow, bits of enum ibx_wr_setter
 * @left: number of setters that must follow; IBX_WR_SPOILED after an error
 * @todo: duties of ib_wr_complete(), bits of enum ibx_wr_todo
 * @next_fence: fence that the next WQE needs
 * @chain: complete WQEs; chain.sq is set when the QP is created and never changes
 * @w: WQE that is being built
 * @sqe: shadow entry of @w
 * @conf: mkey configuration that is being built
 * @owner: task that has the queue open, or NULL; with PREEMPT_RT
 * @next: next entry in the list of open queues of a CPU; with PREEMPT_RT
 * @irq_flags: interrupt flags to restore when the queue is closed; without PREEMPT_RT
 * @ops: builders that the QP was created for; never changes
 * @backend: posts the chains of a stand-in (dv/stand_in.c), else NULL; never changes
 * @sigs: signature mkeys that the chain configures (wq/sig.c)
 * @units: mkeys with encryption and without signatures that the chain
 *	configures (wq/unit.c)
 *
 * @open, @owner, chain.sq, @ops and @backend are always valid. The other members are
 * valid while the queue is open, under the lock of the ring. wq/open.h
 * describes owners.
 */
struct ibx_wr {
	bool open;
	int err;
	u32 allowed;
	u8 left;
	u8 todo;
	u8 next_fence;
	struct ibx_chain chain;
	struct ibx_wqe w;
	struct ibx_sqe *sqe;
	struct ibx_wr_conf conf;
#ifdef CONFIG_PREEMPT_RT
	struct task_struct *owner;
	struct ibx_wr *next;
#else
	unsigned long irq_flags;
#endif
	u64 ops;
	const struct ibx_backend *backend;
	struct ibx_sig *sigs;
	struct ibx_unit *units;
};

#endif /* MLX5_IBX_RING_H */
