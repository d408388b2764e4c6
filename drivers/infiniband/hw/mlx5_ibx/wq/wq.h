/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: the rings.
 *
 * The memory of a ring is virtually contiguous. The verbs layer allocates it
 * before ibx_sq_init() / ibx_rq_init() / ibx_cqb_init() and frees it after
 * ibx_sq_fini() / ibx_rq_fini(). This folder allocates only the shadow arrays
 * of the rings and the marks of keys, and it issues no command.
 *
 * A send ring consists of basic blocks (BB) of 64 bytes. A WQE fills one or more
 * blocks and may wrap from the last block to the first. Space is counted in
 * WRs: a WR may fill max_wqe bytes (ibx_sq_params), and max_post WRs of that
 * size fit in the ring. So a ring with space for a WR always has space for its
 * blocks.
 * Posting changes the indices of a send ring only in ibx_chain_post(): a WR that
 * fails while it is built leaves them unchanged. ibx_chain_post() also rings the
 * doorbell, once per chain.
 *
 * Locks: the @lock of a ring protects the side of the poster. The lock of the
 * CQ protects the side of the consumer (@tail). The consumer stores @tail with
 * release after it has read a shadow entry; the poster loads @tail with acquire
 * before it overwrites the entry. The poster stores @head with release after it
 * has written a shadow entry; a flush in software loads @head with acquire
 * before it reads the entry. A reset writes to both sides: the lock of the CQ
 * is held, and the state of the QP does not allow posting.
 *
 * dma_wmb() alone orders only stores. The store of @head with release before
 * dma_wmb() also orders earlier reads of the caller from its buffers before the
 * doorbell record: the device may write to these buffers after it has read the
 * record.
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
 * struct ibx_sq_params - geometry and resources of a send ring
 * @buf: ring, 64-byte aligned, @wqe_cnt * 64 bytes, zeroed
 * @wqe_cnt: number of blocks, a power of two, at most IBX_RING_MAX
 * @max_wqe: largest WQE in bytes: a multiple of 64, at most IBX_SQ_WQE_MAX, and
 *	at least IBX_RC_WQE_MIN on RC
 * @max_post: most outstanding WRs; max_post * max_wqe must fit in the ring
 * @max_gs: most scatter/gather entries of a WR
 * @max_inline: most bytes of inline data of a WR
 * @dbr: doorbell record of the send queue
 * @db_reg: doorbell register in the UAR page
 * @db_toggle: bytes from @db_reg to a second register; doorbells alternate
 *	between the two
 * @dma_lkey: lkey with which the device reads descriptor lists
 * @umr_fence: MLX5_FENCE_MODE_* that registrations carry
 * @copies: memory copies may be posted to the QP
 * @umr_atomic: the device lets a UMR change remote atomic access
 * @key_marks: marks of registered keys
 * @sig_all: every WR is signalled
 * @node: NUMA node of the shadow array
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
	bool copies;
	bool umr_atomic;
	struct ibx_key_marks *key_marks;
	bool sig_all;
	int node;
};

/**
 * struct ibx_rq_params - geometry and resources of a receive ring
 * @buf: ring, @wqe_cnt << @wqe_shift bytes, zeroed
 * @wqe_cnt: number of WQEs, a power of two, at most IBX_RING_MAX
 * @wqe_shift: log2 of the bytes of a WQE, 4 to 16
 * @max_gs: most scatter entries of a WR, at most the entries of a WQE
 * @dbr: doorbell record of the receive queue
 * @term_lkey: lkey of the entry that ends a list shorter than its WQE (see
 *	mlx5_core_get_terminate_scatter_list_mkey())
 * @node: NUMA node of the shadow array
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
 * struct ibx_srq_ring_params - geometry and resources of the ring of an SRQ
 * @buf: ring, @wqe_cnt << @wqe_shift bytes, zeroed
 * @wqe_cnt: number of WQEs, a power of two, 2 to IBX_RING_MAX
 * @wqe_shift: log2 of the bytes of a WQE: at least IBX_SRQ_WQE_MIN bytes, at most
 *	64 KiB
 * @dbr: doorbell record of the SRQ
 * @term_lkey: lkey of the entry that ends a list shorter than its WQE
 * @node: NUMA node of the shadow array
 */
struct ibx_srq_ring_params {
	void *buf;
	u32 wqe_cnt;
	u32 wqe_shift;
	__be32 *dbr;
	__be32 term_lkey;
	int node;
};

/**
 * struct ibx_umr_mr - an MR of a process that gets an mkey by a UMR (wq/post_umr.c)
 * @iova: address of the first byte in work requests
 * @length: bytes
 * @list: bus addresses of its pages, big endian, with IBX_MTT_PRESENT; padded with 0
 * @list_dma: unless inline, bus address of @list, a multiple of IBX_DESC_ALIGN
 * @list_bytes: size of @list, a multiple of IBX_BB; at most the size of the
 *	mkey
 * @key: key that the mkey gets: its index, and any variant
 * @pdn: number of its PD
 * @access: IB_ACCESS_*: local write, remote write, read and atomic
 * @page_shift: log2 of the bytes of a page
 */
struct ibx_umr_mr {
	u64 iova;
	u64 length;
	const void *list;
	dma_addr_t list_dma;
	u32 list_bytes;
	u32 key;
	u32 pdn;
	u8 access;
	u8 page_shift;
};

/**
 * struct ibx_umr_rights - PD and access flags for an MR of a process (wq/post_umr.c)
 * @key: key of the MR, which does not change
 * @pdn: number of its PD
 * @access: IB_ACCESS_*: local write, remote write, read and atomic, relaxed ordering
 * @more: further fields that the UMR sets, as far as UMRs of the device can
 *	change them: MLX5_MKEY_MASK_A, MLX5_MKEY_MASK_RELAXED_ORDERING_*
 */
struct ibx_umr_rights {
	u32 key;
	u32 pdn;
	u32 access;
	u64 more;
};

/* is a list short enough to be inline in the WQE? */
static inline bool ibx_umr_is_inline(const struct ibx_sq *sq, u32 list_bytes)
{
	return list_bytes <= sq->max_umr_inline;
}

/* ---- sq.c ---- */
int ibx_sq_init(struct ibx_sq *sq, const struct ibx_sq_params *p);
void ibx_sq_allow_copies(struct ibx_sq *sq);
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
int ibx_sq_cancel(struct ibx_sq *sq, u16 block, u64 wr_id);

/* ---- post.c ---- */
int ibx_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr);
int ibx_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr);
int ibx_post_nop(struct ibx_qp *qp, struct ib_cqe *cqe);

/* ---- poll.c ---- */
int ibx_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc);
int ibx_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);
void ibx_cq_clean(struct ibx_cq *cq, u32 qpn, struct ibx_srq_ring *ring, bool listed);
void ibx_cq_drop_sig_errors(struct ibx_cq *cq, u32 key);
void ibx_cqb_init(struct ibx_cqb *cqb, void *buf, u32 cqe_cnt, __be32 *set_ci);
void ibx_cqb_fill(void *buf, u32 cqe_cnt);
bool ibx_cqb_move(struct ibx_cqb *cqb);

/* ---- sig.c ---- */
int ibx_sig_join(struct ibx_wr *wr, struct ibx_sig *sig);
void ibx_sigs_leave(struct ibx_wr *wr, bool posted);
void ibx_sig_fetch_errors(struct ibx_sig *sig);
int ibx_sig_take_error(struct ibx_sig *sig, struct mlx5dv_mkey_err *err);
int ibx_sig_may_restart(const struct ibx_sig *sig);
void ibx_sig_forget(struct ibx_sig *sig);
bool ibx_sig_error(struct ibx_dev *dev, const struct mlx5_cqe64 *cqe64);

/* ---- unit.c ---- */
int ibx_unit_join(struct ibx_wr *wr, struct ibx_unit *unit);
void ibx_units_leave(struct ibx_wr *wr, bool posted);

/* ---- map.c ---- */
struct ibx_list;

extern struct ib_frwr_provider ibx_frwr;

int ibx_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents,
		  unsigned int *offset);
int ibx_mr_resplit(struct ibx_mr *mr);
void ibx_mr_set_list(struct ibx_mr *mr, const struct ibx_list *l);
void ibx_mr_set_ranges(struct ibx_mr *mr, u32 n, u64 length);

/* ---- map_pi.c ---- */
int ibx_map_mr_sg_pi(struct ib_mr *ibmr, struct scatterlist *data_sg, int data_nents,
		     unsigned int *data_offset, struct scatterlist *meta_sg, int meta_nents,
		     unsigned int *meta_offset);

/* ---- post_pi.c ---- */
int ibx_post_reg_pi(struct ibx_chain *c, const struct ib_reg_wr *wr);

/* ---- post_umr.c ---- */
int ibx_post_umr_mr(struct ibx_qp *qp, const struct ibx_umr_mr *mr, struct ib_cqe *cqe);
int ibx_post_umr_rights(struct ibx_qp *qp, const struct ibx_umr_rights *rights,
			struct ib_cqe *cqe);
int ibx_post_umr_free(struct ibx_qp *qp, u32 key, u32 pdn, struct ib_cqe *cqe);

/* ---- key_marks.c ---- */
int ibx_key_mark_add(struct ibx_key_marks *marks, u32 key);
void ibx_key_marks_exit(struct ibx_key_marks *marks);

static inline unsigned long *ibx_key_mark_piece(const struct ibx_key_marks *marks, u32 key)
{
	/* pairs with cmpxchg_release() in ibx_key_mark_add() */
	return smp_load_acquire(&marks->piece[key >> (8 + IBX_KEY_MARK_SHIFT)]);
}

static inline unsigned int ibx_key_mark_bit(u32 key)
{
	return (key >> 8) & (BIT(IBX_KEY_MARK_SHIFT) - 1);
}

/* is a key marked? */
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

/* @key may be of any kind of MR; nothing is written for a key without a mark */
static __always_inline void ibx_key_mark_clear(struct ibx_key_marks *marks, u32 key)
{
	unsigned long *piece = ibx_key_mark_piece(marks, key);

	if (unlikely(piece) && test_bit(ibx_key_mark_bit(key), piece))
		clear_bit(ibx_key_mark_bit(key), piece);
}

/* ---- post.c, post_pi.c ---- */
/* fence of a registration: at least the fence that the device requires */
static inline u8 ibx_reg_fence(const struct ibx_chain *c, u32 flags)
{
	const u8 umr_fence = c->sq->umr_fence;

	if (likely(!(flags & IB_SEND_FENCE)) || umr_fence == MLX5_FENCE_MODE_STRONG_ORDERING)
		return umr_fence;
	return umr_fence || c->next_fence ? MLX5_FENCE_MODE_SMALL_AND_FENCE : c->sq->fence;
}

/* ---- state of rings ---- */

/* true if every posted WR has been polled, or completed by a later WR that was polled */
static inline bool ibx_sq_idle(const struct ibx_sq *sq)
{
	return READ_ONCE(sq->head) == READ_ONCE(sq->tail);
}

static inline bool ibx_rq_idle(const struct ibx_rq *rq)
{
	return READ_ONCE(rq->head) == READ_ONCE(rq->tail);
}

/* true if outstanding WRs of @qp, which uses @cq, are flushed in software and not by the device */
static inline bool ibx_qp_is_flushed(const struct ibx_cq *cq, const struct ibx_qp *qp)
{
	return ibx_dead(to_idev(cq->ibcq.device)) || READ_ONCE(qp->stopped);
}

/* asserts that spin_lock() may take an irq-safe lock (ibx.h) */
static __always_inline void ibx_assert_irqs_off(void)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		lockdep_assert_irqs_disabled();
}

#endif /* MLX5_IBX_WQ_H */
