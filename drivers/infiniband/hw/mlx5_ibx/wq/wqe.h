/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: the WQE builder.
 *
 *	spin_lock(&sq->lock);
 *	c = ibx_chain_begin(sq);
 *	if (!ibx_chain_room(&c)) ...
 *	w = ibx_wqe_begin(&c);
 *	ibx_wqe_raddr(), ibx_wqe_data(), ...	segments in the order of the WQE
 *	ibx_wqe_finish(&c, &w, &fin);		now it is of the chain
 *	... more WQEs ...
 *	ibx_chain_post(&c);			once: now the device sees them
 *	spin_unlock(&sq->lock);
 *
 * There is no other way into a send ring: ib_post_send() (post.c) and the work
 * request API (wr.c) both go this one. A WQE that was begun and not finished never
 * was: no undoing. Those of a chain that shall not be posted are forgotten by
 * ibx_chain_drop().
 *
 * The cursor is 16-byte aligned and wraps from the ring's last block to its
 * first. Fixed segments never straddle the wrap, because the ring's end is a
 * 64-byte bound and every segment starts at a multiple of its own size, or so
 * that it ends on one; data that could (inline, lists) is copied in two parts.
 * A setter leaves the cursor where the next may start. The cursor stays in
 * registers as long as no function that is not inlined gets its address.
 *
 * Order among WQEs. A READ or a memory copy is ordered before later WQEs by
 * IB_SEND_FENCE alone. The WQE after a registration or an invalidation carries a
 * small fence, so that it sees the changed mkey, unless it is a raw WQE, whose
 * owner sets its fence. A registration carries the fence that the device requires,
 * or a stronger one. ib_post_send() sets the fences that mlx5_ib sets, the work
 * request API those that libmlx5 sets.
 */
#ifndef MLX5_IBX_WQE_H
#define MLX5_IBX_WQE_H

#include "enc/enc.h"
#include "ibx.h"
#include "wq/wq.h"

#define IBX_SEND_FLAGS								\
	(IB_SEND_FENCE | IB_SEND_SIGNALED | IB_SEND_SOLICITED | IB_SEND_INLINE)

/* states in which a QP takes sends */
#define IBX_SEND_STATES								\
	(BIT(IB_QPS_RTS) | BIT(IB_QPS_SQD) | BIT(IB_QPS_SQE) | BIT(IB_QPS_ERR))

/**
 * struct ibx_wqe_fin - what a WQE is, once its segments are set
 * @wr_id: cookie of the completion
 * @imm: immediate, rkey or mkey of the control segment
 * @opcode: MLX5_OPCODE_*
 * @fm_ce_se: fence, completion, solicited
 * @wc_opcode: enum ib_wc_opcode
 * @next_fence: fence the WQE after it shall carry
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
 * ibx_chain_begin() - a chain without WQEs
 * @sq: ring, locked until the chain is posted or dropped
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

/* likewise, of a chain that is in memory anyway */
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
 * ibx_chain_post() - give the device what the chain has, if anything
 * @c: chain, of no use afterwards
 *
 * The doorbell register is shared by all QPs without a lock: a store of 64 bits is one.
 */
static __always_inline void ibx_chain_post(const struct ibx_chain *c)
{
	struct ibx_sq *sq = c->sq;

	lockdep_assert_held(&sq->lock);
	if (unlikely(!c->last))
		return;
	sq->cur_post = c->cur;
	sq->next_fence = c->next_fence;
	/* pairs with the flush of a dead device, which follows the shadow */
	smp_store_release(&sq->head, c->head);

	/* the WQEs before the record that counts them */
	dma_wmb();
	*sq->dbr = cpu_to_be32(c->cur);
	/* the record before the register that makes the device look */
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
 * ibx_chain_room() - may another WR be posted?
 * @c: chain
 *
 * Return: false when as many WRs as the ring holds are outstanding.
 */
static __always_inline bool ibx_chain_room(const struct ibx_chain *c)
{
	/* shadow entries up to the tail were read, and may be written */
	return c->head - smp_load_acquire(&c->sq->tail) < c->sq->max_post;
}

/**
 * ibx_wqe_begin() - start a WQE
 * @c: chain with room
 *
 * Return: cursor behind the control segment, which is written last.
 */
static __always_inline struct ibx_wqe ibx_wqe_begin(const struct ibx_chain *c)
{
	struct ibx_sq *sq = c->sq;
	const u16 cur = c->cur;
	struct mlx5_wqe_ctrl_seg *ctrl = sq->buf + (cur & sq->mask) * IBX_BB;

	return (struct ibx_wqe){ .sq = sq, .ctrl = ctrl, .seg = ctrl + 1, .ds = 1, .cur = cur };
}

/* remote address, right after the control segment */
static __always_inline void ibx_wqe_raddr(struct ibx_wqe *w, u64 raddr, u32 rkey)
{
	ibx_enc_raddr(w->seg, raddr, rkey);
	w->seg += sizeof(struct mlx5_wqe_raddr_seg);
	w->ds++;
}

/* address vector, right after the control segment */
static __always_inline void ibx_wqe_datagram(struct ibx_wqe *w, const struct mlx5_av *av,
					     u32 qpn, u32 qkey)
{
	ibx_enc_datagram(w->seg, av, qpn, qkey);
	ibx_wqe_advance(w, sizeof(struct mlx5_wqe_datagram_seg));
}

/* operands of an atomic, right after the remote address */
static __always_inline void ibx_wqe_atomic(struct ibx_wqe *w, u64 swap_add, u64 compare)
{
	ibx_enc_atomic(w->seg, swap_add, compare);
	w->seg += sizeof(struct mlx5_wqe_atomic_seg);
	w->ds++;
}

/* memory for the device to work with, right after the control segment */
static __always_inline void ibx_wqe_opaque(struct ibx_wqe *w, u64 addr)
{
	ibx_enc_opaque(w->seg, addr, w->sq->dma_lkey);
	w->seg += sizeof(struct ibx_opaque_seg);
	w->ds++;
}

/* pointer to data; @len is 1 to IBX_SGE_MAX */
static __always_inline void ibx_wqe_data(struct ibx_wqe *w, u64 addr, u32 len, u32 lkey)
{
	ibx_enc_data(w->seg, addr, len, lkey);
	ibx_wqe_advance(w, sizeof(struct mlx5_wqe_data_seg));
}

/* pointer to data, as the last segment */
static __always_inline void ibx_wqe_last_data(struct ibx_wqe *w, u64 addr, u32 len, u32 lkey)
{
	ibx_enc_data(w->seg, addr, len, lkey);
	w->ds++;
}

/* a registration, right after the control segment; its list comes next */
static __always_inline void ibx_wqe_umr_reg(struct ibx_wqe *w, const struct ibx_enc_reg *p)
{
	ibx_enc_umr_reg(w->seg, p);
	ibx_wqe_advance(w, sizeof(struct mlx5_wqe_umr_ctrl_seg));
	ibx_enc_mkey_reg(w->seg, p);
	ibx_wqe_advance(w, sizeof(struct mlx5_mkey_seg));
}

/* a local invalidation, right after the control segment; nothing comes after it */
static __always_inline void ibx_wqe_umr_inv(struct ibx_wqe *w)
{
	ibx_enc_umr_inv(w->seg);
	ibx_wqe_advance(w, sizeof(struct mlx5_wqe_umr_ctrl_seg));
	ibx_enc_mkey_inv(w->seg);
	w->ds += sizeof(struct mlx5_mkey_seg) / IBX_DS;
}

/* a list, of @len bytes, at least one: whole blocks, and it starts at one */
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

/* data that were copied behind the header of an inline segment, up to @p */
static __always_inline void ibx_wqe_inlined(struct ibx_wqe *w, void *p, u32 total)
{
	ibx_enc_inline_hdr(w->seg, total);
	w->seg = ibx_ring_pad(w->sq, p);
	w->ds += DIV_ROUND_UP(sizeof(struct mlx5_wqe_inline_seg) + total, IBX_DS);
}

/* @total bytes of data in @n pieces at kernel addresses; at least one byte */
static __always_inline void ibx_wqe_inline(struct ibx_wqe *w, const struct ib_sge *sge, u32 n,
					   u32 total)
{
	ibx_wqe_inlined(w, ibx_ring_inline(w->sq, w->seg, sge, n), total);
}

/* what software remembers of the WQE at the cursor: what it is, */
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
 * ibx_chain_link() - a WQE is complete, and so is what ibx_sqe_what() remembers of it
 * @c: chain, whose last it becomes
 * @w: cursor, with all segments set
 * @sqe: of the WQE
 * @next_fence: fence the WQE after it shall carry
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
 * ibx_wqe_finish() - a WQE is complete but for its control segment
 * @c: chain, whose last it becomes
 * @w: cursor, with all segments set
 * @f: what it is
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

/* completion and solicited bits of the control segment; @flags are of IBX_SEND_FLAGS */
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
 * @states: states in which it takes them, as bits
 *
 * Return: 0; -EINVAL in another state; -EIO when the device died, unless the QP is
 * in ERR.
 */
static inline int ibx_may_post(const struct ibx_qp *qp, unsigned long states)
{
	enum ib_qp_state state = READ_ONCE(qp->state);

	lockdep_assert(lockdep_is_held(&qp->sq.lock) || lockdep_is_held(&qp->rq.lock));
	if (unlikely(!(BIT(state) & states)))
		return -EINVAL;
	if (unlikely(ibx_dead(to_idev(qp->ibqp.device)) && state != IB_QPS_ERR))
		return -EIO;
	return 0;
}

#endif /* MLX5_IBX_WQE_H */
