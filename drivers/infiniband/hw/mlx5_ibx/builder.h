/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: the WQE builder.
 *
 *	spin_lock(&sq->lock);
 *	if (!ibx_sq_room(sq)) ...
 *	w = ibx_wqe_begin(sq);
 *	ibx_wqe_raddr(), ibx_wqe_data(), ...	segments in the order of the WQE
 *	ibx_wqe_finish(&w, &fin);		now it counts
 *	... more WQEs ...
 *	ibx_sq_ring(sq, last);			once: now the device sees them
 *	spin_unlock(&sq->lock);
 *
 * There is no other way into a send ring. A WQE that was begun and not
 * finished never was: no undoing.
 *
 * The cursor is 16-byte aligned and wraps from the ring's last block to its
 * first. Fixed segments never straddle the wrap, because the ring's end is a
 * 64-byte bound and every segment starts at a multiple of its own size, or so
 * that it ends on one; data that could (inline, lists) is copied in two parts.
 * A setter leaves the cursor where the next may start. The cursor lives in
 * registers: its address goes to nobody.
 */
#ifndef MLX5_IBX_BUILDER_H
#define MLX5_IBX_BUILDER_H

#include "enc.h"
#include "wq.h"

/**
 * struct ibx_wqe - a WQE being built; lives on the builder's stack
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

void *ibx_ring_copy(const struct ibx_sq *sq, void *p, const void *src, u32 len);
void *ibx_ring_inline(const struct ibx_sq *sq, void *p, const struct ib_sge *sge, u32 n);
void ibx_sq_ring(struct ibx_sq *sq, struct mlx5_wqe_ctrl_seg *last);

static __always_inline void ibx_wqe_advance(struct ibx_wqe *w, u32 bytes)
{
	w->seg += bytes;
	w->ds += bytes / IBX_DS;
	if (unlikely(w->seg == w->sq->end))
		w->seg = w->sq->buf;
}

/**
 * ibx_sq_room() - may another WR be posted?
 * @sq: ring, locked
 *
 * Return: false when as many WRs as the ring holds are outstanding.
 */
static __always_inline bool ibx_sq_room(const struct ibx_sq *sq)
{
	/* shadow entries up to the tail were read, and may be written */
	return sq->head - smp_load_acquire(&sq->tail) < sq->max_post;
}

/**
 * ibx_wqe_begin() - start a WQE
 * @sq: ring with room, locked
 *
 * Return: cursor behind the control segment, which is written last.
 */
static __always_inline struct ibx_wqe ibx_wqe_begin(struct ibx_sq *sq)
{
	const u16 cur = sq->cur_post;
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

/* @total bytes of data in @n pieces at kernel addresses; at least one byte */
static __always_inline void ibx_wqe_inline(struct ibx_wqe *w, const struct ib_sge *sge, u32 n,
					   u32 total)
{
	ibx_enc_inline_hdr(w->seg, total);
	w->seg = ibx_ring_inline(w->sq, w->seg, sge, n);
	w->ds += DIV_ROUND_UP(sizeof(struct mlx5_wqe_inline_seg) + total, IBX_DS);
}

/**
 * ibx_wqe_finish() - the WQE is complete
 * @w: cursor, with all segments set
 * @f: what it is
 *
 * Return: its control segment, for ibx_sq_ring().
 */
static __always_inline struct mlx5_wqe_ctrl_seg *
ibx_wqe_finish(struct ibx_wqe *w, const struct ibx_wqe_fin *f)
{
	struct ibx_sq *sq = w->sq;
	u16 next = w->cur + DIV_ROUND_UP(w->ds, IBX_BB / IBX_DS);
	struct ibx_sqe *sqe = &sq->shadow[w->cur & sq->mask];
	u32 seq = sq->head + 1;

	ibx_enc_ctrl(w->ctrl, f->opcode, w->cur, sq->qpn_be | w->ds, sq->fm_ce_se | f->fm_ce_se,
		     f->imm);
	sq->cur_post = next;
	sq->next_fence = f->next_fence;

	sqe->wr_id = f->wr_id;
	sqe->seq = seq;
	sqe->next = next;
	sqe->wc_opcode = f->wc_opcode;
	/* pairs with the flush of a dead device, which follows the shadow */
	smp_store_release(&sq->head, seq);
	return w->ctrl;
}

#endif /* MLX5_IBX_BUILDER_H */
