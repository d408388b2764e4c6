/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: WRs that consist of several WQEs: UMRs, and SET_PSV WQEs behind them.
 *
 * Only the last WQE is signalled. The shadow entries of all WQEs of a WR are
 * the same, so that the WR completes with an error whichever WQE fails.
 *
 * The functions are inline, so that struct ibx_sig_parts can stay in registers.
 */
#ifndef MLX5_IBX_PARTS_H
#define MLX5_IBX_PARTS_H

#include "enc/psv.h"
#include "wq/wqe.h"

/**
 * struct ibx_sig_parts - a WR that consists of UMRs and SET_PSV WQEs
 * @wr_id: wr_id of the WR
 * @mem_start: value of the PSV of the memory domain
 * @wire_start: value of the PSV of the wire domain
 * @mem_psv: the memory domain has a PSV
 * @wire_psv: the wire domain has a PSV
 * @first_psv: first block of the first SET_PSV WQE, not masked
 * @end: block behind the WR, not masked
 * @signals: completion and solicited bits of the WR
 * @wc_opcode: opcode of its completion
 */
struct ibx_sig_parts {
	u64 wr_id;
	u64 mem_start;
	u64 wire_start;
	bool mem_psv;
	bool wire_psv;
	u16 first_psv;
	u16 end;
	u8 signals;
	u8 wc_opcode;
};

/**
 * ibx_parts_put_shadow() - fill the shadow entry of a WQE
 * @c: open chain; its head is set
 * @p: the WR
 * @cur: first block of the WQE, not masked
 *
 * Context: the lock of the ring is held.
 */
static __always_inline void ibx_parts_put_shadow(const struct ibx_chain *c,
						 const struct ibx_sig_parts *p, u16 cur)
{
	struct ibx_sqe *sqe = &c->sq->shadow[cur & c->sq->mask];

	lockdep_assert_held(&c->sq->lock);
	ibx_sqe_what(sqe, p->wr_id, p->wc_opcode);
	sqe->seq = c->head;
	sqe->next = p->end;
}

/* write a SET_PSV WQE at block @cur, with @signals, as last WQE of the chain */
static __always_inline void ibx_parts_put_psv(struct ibx_chain *c, const struct ibx_sig_parts *p,
					      u16 cur, u32 psv, u64 start, u8 signals)
{
	struct ibx_sq *sq = c->sq;
	struct mlx5_wqe_ctrl_seg *ctrl = sq->buf + (cur & sq->mask) * IBX_BB;

	ibx_parts_put_shadow(c, p, cur);
	ibx_enc_ctrl(ctrl, MLX5_OPCODE_SET_PSV, cur, sq->qpn_be | IBX_SET_PSV_DS,
		     MLX5_FENCE_MODE_INITIATOR_SMALL | signals, 0);
	ibx_enc_set_psv((void *)(ctrl + 1), psv, start);
	c->last = ctrl;
}

/**
 * ibx_parts_put_psvs() - write the SET_PSV WQEs at the end of a WR
 * @c: open chain; its head is set
 * @sig: signatures
 * @p: the WR; at least one of its domains has a PSV
 *
 * The last SET_PSV WQE has the signals of the WR, and becomes c->last.
 *
 * Context: the lock of the ring is held.
 */
static __always_inline void ibx_parts_put_psvs(struct ibx_chain *c, const struct ibx_sig *sig,
					       const struct ibx_sig_parts *p)
{
	if (p->mem_psv)
		ibx_parts_put_psv(c, p, p->first_psv, sig->psv[IBX_SIG_MEM], p->mem_start,
				  p->wire_psv ? 0 : p->signals);
	if (p->wire_psv)
		ibx_parts_put_psv(c, p, p->end - 1, sig->psv[IBX_SIG_WIRE], p->wire_start,
				  p->signals);
}

#endif /* MLX5_IBX_PARTS_H */
