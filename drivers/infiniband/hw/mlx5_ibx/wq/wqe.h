/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: the WQE builder.
 *
 *	spin_lock(&sq->lock);
 *	c = ibx_chain_begin(sq);
 *	if (!ibx_chain_has_space(&c)) ...		the ring is full
 *	w = ibx_wqe_begin(&c);
 *	ibx_wqe_raddr(), ibx_wqe_data(), ...	segments in the order of the WQE
 *	ibx_wqe_finish(&c, &w, &fin);		adds the WQE to the chain
 *	... more WQEs ...
 *	ibx_chain_post(&c);			once: posts all WQEs of the chain
 *	spin_unlock(&sq->lock);
 *
 * Every WQE of a send ring is built this way, both by ib_post_send() (post.c) and
 * by the work request API (dv/wr.c). A WQE that was begun and not finished needs no
 * cleanup. ibx_chain_drop() drops a chain with finished WQEs.
 *
 * The cursor (ibx_wqe.seg) is 16-byte aligned and wraps from the last block of
 * the ring to the first. Fixed segments never wrap, because the ring ends at a
 * multiple of 64 bytes, and no fixed segment crosses such a multiple. Data
 * that may wrap (inline data, lists) are copied in parts. A setter leaves the
 * cursor where the next segment starts. The cursor stays in registers as long
 * as its address is passed to inlined functions only.
 *
 * Order among WQEs: only IB_SEND_FENCE orders a READ or a memory copy before
 * later WQEs. A copy is local work: only the small fence is sure to wait for
 * it. So IB_SEND_FENCE sets both fences on a QP for copies. The WQE after a
 * registration or an invalidation carries a small fence, so that it uses the
 * changed mkey; a raw WQE carries the fence that its owner sets. A registration
 * carries the fence that the device requires, or a stronger one.
 * Otherwise ib_post_send() sets the same fences as mlx5_ib, and the work
 * request API the same fences as libmlx5.
 */
#ifndef MLX5_IBX_WQE_H
#define MLX5_IBX_WQE_H

#include "enc/enc.h"
#include "ibx.h"
#include "wq/wq.h"

#define IBX_SEND_FLAGS								\
	(IB_SEND_FENCE | IB_SEND_SIGNALED | IB_SEND_SOLICITED | IB_SEND_INLINE)

/* states in which sends may be posted */
#define IBX_SEND_STATES								\
	(BIT(IB_QPS_RTS) | BIT(IB_QPS_SQD) | BIT(IB_QPS_SQE) | BIT(IB_QPS_ERR))

/**
 * struct ibx_wqe_fin - control segment of a WQE, and values for its completion
 * @wr_id: wr_id of the WR
 * @imm: immediate, rkey or mkey of the control segment
 * @opcode: MLX5_OPCODE_*
 * @fm_ce_se: fence, completion and solicited bits of the control segment
 * @wc_opcode: opcode of the completion, enum ib_wc_opcode
 * @next_fence: MLX5_FENCE_MODE_* that the next WQE must carry
 */
struct ibx_wqe_fin {
	u64 wr_id;
	__be32 imm;
	u8 opcode;
	u8 fm_ce_se;
	u8 wc_opcode;
	u8 next_fence;
};

/**
 * ibx_chain_begin() - start an empty chain
 * @sq: send ring; its lock is held until the chain is posted or dropped
 *
 * Return: the chain.
 */
static __always_inline struct ibx_chain ibx_chain_begin(struct ibx_sq *sq)
{
	lockdep_assert_held(&sq->lock);
	return (struct ibx_chain){
		.sq = sq, .head = sq->head, .cur = sq->cur_post, .next_fence = sq->next_fence,
	};
}

/* ibx_chain_begin() for a chain that is in memory, not in registers */
static __always_inline void ibx_chain_init(struct ibx_chain *c, struct ibx_sq *sq)
{
	lockdep_assert_held(&sq->lock);
	c->sq = sq;
	c->last = NULL;
	c->head = sq->head;
	c->cur = sq->cur_post;
	c->next_fence = sq->next_fence;
}

/**
 * ibx_chain_post() - post the WQEs of a chain, if it has any
 * @c: chain, invalid afterwards
 *
 * The doorbell register, shared by all QPs, needs no lock: one 64-bit store.
 */
static __always_inline void ibx_chain_post(const struct ibx_chain *c)
{
	struct ibx_sq *sq = c->sq;

	lockdep_assert_held(&sq->lock);
	if (unlikely(!c->last))
		return;
	sq->cur_post = c->cur;
	sq->next_fence = c->next_fence;
	/* pairs with smp_load_acquire() in flush_send(); orders reads (wq.h) */
	smp_store_release(&sq->head, c->head);

	/* WQEs before the record: the device reads the record first */
	dma_wmb();
	*sq->dbr = cpu_to_be32(c->cur);
	/* record before the register, which makes the device read it */
	wmb();
	mlx5_write64((__be32 *)c->last, sq->db_reg + sq->db_offset);
	sq->db_offset ^= sq->db_toggle;
}

static __always_inline void ibx_wqe_advance(struct ibx_wqe *w, u32 bytes)
{
	w->seg += bytes;
	w->ds += bytes / IBX_DS;
	if (unlikely(w->seg == w->sq->end))
		w->seg = w->sq->buf;
}

/**
 * ibx_chain_has_space() - does the ring have space for one more WR?
 * @c: chain
 *
 * Return: true; false when max_post WRs are outstanding or in the chain.
 */
static __always_inline bool ibx_chain_has_space(const struct ibx_chain *c)
{
	/* pairs with smp_store_release() in complete_send() */
	return c->head - smp_load_acquire(&c->sq->tail) < c->sq->max_post;
}

/**
 * ibx_wqe_begin() - start a WQE
 * @c: chain, for which ibx_chain_has_space() is true
 *
 * Return: cursor after the control segment, which ibx_wqe_finish() writes.
 */
static __always_inline struct ibx_wqe ibx_wqe_begin(const struct ibx_chain *c)
{
	struct ibx_sq *sq = c->sq;
	const u16 cur = c->cur;
	struct mlx5_wqe_ctrl_seg *ctrl = sq->buf + (cur & sq->mask) * IBX_BB;

	return (struct ibx_wqe){ .sq = sq, .ctrl = ctrl, .seg = ctrl + 1, .ds = 1, .cur = cur };
}

/* remote address segment, directly after the control segment */
static __always_inline void ibx_wqe_raddr(struct ibx_wqe *w, u64 raddr, u32 rkey)
{
	ibx_enc_raddr(w->seg, raddr, rkey);
	w->seg += sizeof(struct mlx5_wqe_raddr_seg);
	w->ds++;
}

/* address vector, directly after the control segment */
static __always_inline void ibx_wqe_datagram(struct ibx_wqe *w, const struct mlx5_av *av,
					     u32 qpn, u32 qkey)
{
	ibx_enc_datagram(w->seg, av, qpn, qkey);
	ibx_wqe_advance(w, sizeof(struct mlx5_wqe_datagram_seg));
}

/* operands of an atomic, directly after the remote address */
static __always_inline void ibx_wqe_atomic(struct ibx_wqe *w, u64 swap_add, u64 compare)
{
	ibx_enc_atomic(w->seg, swap_add, compare);
	w->seg += sizeof(struct mlx5_wqe_atomic_seg);
	w->ds++;
}

/* address of memory that the device uses for a memory copy, directly after the control segment */
static __always_inline void ibx_wqe_opaque(struct ibx_wqe *w, u64 addr)
{
	ibx_enc_opaque(w->seg, addr, w->sq->dma_lkey);
	w->seg += sizeof(struct ibx_opaque_seg);
	w->ds++;
}

/* data segment; @len is 1 to IBX_SGE_MAX bytes */
static __always_inline void ibx_wqe_data(struct ibx_wqe *w, u64 addr, u32 len, u32 lkey)
{
	ibx_enc_data(w->seg, addr, len, lkey);
	ibx_wqe_advance(w, sizeof(struct mlx5_wqe_data_seg));
}

/* data segment that is the last segment of its WQE */
static __always_inline void ibx_wqe_last_data(struct ibx_wqe *w, u64 addr, u32 len, u32 lkey)
{
	ibx_enc_data(w->seg, addr, len, lkey);
	w->ds++;
}

/* segments of a registration, after the control segment; then comes its list */
static __always_inline void ibx_wqe_umr_reg(struct ibx_wqe *w, const struct ibx_enc_reg *p)
{
	ibx_enc_umr_reg(w->seg, p);
	ibx_wqe_advance(w, sizeof(struct mlx5_wqe_umr_ctrl_seg));
	ibx_enc_mkey_reg(w->seg, p);
	ibx_wqe_advance(w, sizeof(struct mlx5_mkey_seg));
}

/*
 * segments of a local invalidation, after the control segment and to the end of the WQE;
 * @clear as for ibx_enc_umr_inv()
 */
static __always_inline void ibx_wqe_umr_inv(struct ibx_wqe *w, __be64 clear)
{
	ibx_enc_umr_inv(w->seg, clear);
	ibx_wqe_advance(w, sizeof(struct mlx5_wqe_umr_ctrl_seg));
	ibx_enc_mkey_inv(w->seg);
	w->ds += sizeof(struct mlx5_mkey_seg) / IBX_DS;
}

/* list of a registration: @len bytes, a multiple of IBX_BB, from a block's start on */
static __always_inline void ibx_wqe_list(struct ibx_wqe *w, const u64 *list, u32 len)
{
	const u64 *const end = list + len / sizeof(*list);
	u64 *seg;

	for (; list != end; list += IBX_BB / sizeof(*list)) {
		seg = w->seg;
		seg[0] = list[0];
		seg[1] = list[1];
		seg[2] = list[2];
		seg[3] = list[3];
		seg[4] = list[4];
		seg[5] = list[5];
		seg[6] = list[6];
		seg[7] = list[7];
		ibx_wqe_advance(w, IBX_BB);
	}
}

/* finish an inline segment: @total bytes were copied after its header, up to @p */
static __always_inline void ibx_wqe_inlined(struct ibx_wqe *w, void *p, u32 total)
{
	ibx_enc_inline_hdr(w->seg, total);
	w->seg = ibx_ring_pad(w->sq, p);
	w->ds += DIV_ROUND_UP(sizeof(struct mlx5_wqe_inline_seg) + total, IBX_DS);
}

/* inline segment of @total bytes, at least one, from @n SGEs at kernel virtual addresses */
static __always_inline void ibx_wqe_inline(struct ibx_wqe *w, const struct ib_sge *sge, u32 n,
					   u32 total)
{
	ibx_wqe_inlined(w, ibx_ring_inline(w->sq, w->seg, sge, n), total);
}

/* fill the shadow entry of a WQE; ibx_chain_link() sets its seq and next */
static __always_inline void ibx_sqe_what(struct ibx_sqe *sqe, u64 wr_id, u8 wc_opcode)
{
	sqe->wr_id = wr_id;
	sqe->wc_opcode = wc_opcode;
}

static __always_inline struct ibx_sqe *ibx_sqe_of(const struct ibx_wqe *w)
{
	return &w->sq->shadow[w->cur & w->sq->mask];
}

/**
 * ibx_chain_link() - add a complete WQE to a chain
 * @c: chain
 * @w: the WQE, with all its segments
 * @sqe: its shadow entry, filled by ibx_sqe_what()
 * @next_fence: MLX5_FENCE_MODE_* that the next WQE must carry
 */
static __always_inline void ibx_chain_link(struct ibx_chain *c, const struct ibx_wqe *w,
					   struct ibx_sqe *sqe, u8 next_fence)
{
	const u16 next = w->cur + DIV_ROUND_UP(w->ds, IBX_BB / IBX_DS);
	const u32 seq = c->head + 1;

	c->last = w->ctrl;
	c->cur = next;
	c->next_fence = next_fence;
	c->head = seq;
	sqe->seq = seq;
	sqe->next = next;
}

/**
 * ibx_wqe_finish() - write the control segment of a WQE and add the WQE to a chain
 * @c: chain
 * @w: the WQE, with all its other segments
 * @f: control segment, and values for the completion
 */
static __always_inline void ibx_wqe_finish(struct ibx_chain *c, const struct ibx_wqe *w,
					   const struct ibx_wqe_fin *f)
{
	const struct ibx_sq *sq = w->sq;
	struct ibx_sqe *sqe = ibx_sqe_of(w);

	ibx_enc_ctrl(w->ctrl, f->opcode, w->cur, sq->qpn_be | w->ds, sq->fm_ce_se | f->fm_ce_se,
		     f->imm);
	ibx_sqe_what(sqe, f->wr_id, f->wc_opcode);
	ibx_chain_link(c, w, sqe, f->next_fence);
}

/* completion and solicited bits of the control segment for @flags, a subset of IBX_SEND_FLAGS */
static inline u8 ibx_flag_bits(u32 flags)
{
#define BITS_OF(flags)								\
	(((flags) & IB_SEND_SIGNALED ? MLX5_WQE_CTRL_CQ_UPDATE : 0) |		\
	 ((flags) & IB_SEND_SOLICITED ? MLX5_WQE_CTRL_SOLICITED : 0))
	static const u8 bits[] = {
		BITS_OF(0), BITS_OF(1), BITS_OF(2), BITS_OF(3),
		BITS_OF(4), BITS_OF(5), BITS_OF(6), BITS_OF(7),
		BITS_OF(8), BITS_OF(9), BITS_OF(10), BITS_OF(11),
		BITS_OF(12), BITS_OF(13), BITS_OF(14), BITS_OF(15),
	};
#undef BITS_OF
	static_assert(ARRAY_SIZE(bits) > IBX_SEND_FLAGS);

	return bits[flags];
}

/**
 * ibx_may_post() - may WRs be posted to a QP?
 * @qp: QP; the lock of the ring is held
 * @states: bits of the QP states in which posting is allowed
 *
 * WRs can be posted to the GSI QP after a fatal error, too: ib_cm reports an
 * event for a MAD that completes with an error (flush_send() in poll.c), and no
 * event for a MAD that cannot be posted.
 *
 * Return: 0; -EINVAL in another state; -EIO after a fatal error of the device,
 * unless the QP is in ERR or is the GSI QP.
 */
static inline int ibx_may_post(const struct ibx_qp *qp, unsigned long states)
{
	enum ib_qp_state state = READ_ONCE(qp->state);

	lockdep_assert(lockdep_is_held(&qp->sq.lock) || lockdep_is_held(&qp->rq.lock));
	if (unlikely(!(BIT(state) & states)))
		return -EINVAL;
	if (unlikely(ibx_dead(to_idev(qp->ibqp.device)) && state != IB_QPS_ERR &&
		     qp->ibqp.qp_type != IB_QPT_GSI))
		return -EIO;
	return 0;
}

#endif /* MLX5_IBX_WQE_H */
