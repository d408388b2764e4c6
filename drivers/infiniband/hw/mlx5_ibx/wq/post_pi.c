// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: IB_WR_REG_MR_INTEGRITY.
 *
 * The WR is up to four WQEs: a UMR that registers the list of data and
 * protection information, if there is one; a UMR that registers the signature
 * mkey; and a SET_PSV WQE for each domain with a signature. Only the last WQE
 * is signalled. QPs of IB_QP_CREATE_INTEGRITY_EN have at least IBX_PI_WR_MAX
 * bytes for each WR, so that all four WQEs fit. These QPs reserve CQ entries
 * for the WQEs before the last WQE (ibx_cq_reserve()), because each flushed WQE
 * takes a CQE.
 */
#include "enc/pi.h"
#include "trace.h"
#include "wq/parts.h"

/*
 * a list of one block is inline; for a longer list, this block has a data
 * segment with the address of the list
 */
#define PI_LIST_INLINE		IBX_BB
#define PI_LIST_BBS		(IBX_UMR_OVERHEAD / IBX_BB + 1)

static_assert((PI_LIST_BBS + IBX_PI_UMR_BBS + IBX_SIG_DOMAINS) * IBX_BB <= IBX_PI_WR_MAX);
static_assert(IBX_PI_WR_MAX >= IBX_RC_WQE_MIN);
/* both UMRs and the SET_PSV WQEs, except the last WQE */
static_assert(1 + 1 + IBX_SIG_DOMAINS - 1 == IBX_PI_HIDDEN);
static_assert(IBX_UMR_OVERHEAD + IBX_PI_OCTWORDS * IBX_DS + sizeof(struct mlx5_bsf) ==
	      IBX_PI_UMR_BBS * IBX_BB);

static __always_inline int check_reg_pi(const struct ibx_sq *sq, const struct ib_reg_wr *wr,
					const struct ibx_pi *pi)
{
	if (unlikely(!pi || !pi->data.length || (wr->key ^ pi->key) & ~0xff || wr->wr.num_sge ||
		     wr->wr.send_flags & ~(IBX_SEND_FLAGS & ~IB_SEND_INLINE)))
		return -EINVAL;
	if (unlikely(wr->access & (~sq->reg_access | IB_ACCESS_REMOTE_ATOMIC)))
		return wr->access & ~IBX_REG_ACCESS ? -EINVAL : -EOPNOTSUPP;
	/*
	 * as in mlx5_ib, ib_check_mr_status() must have been called since the
	 * previous registration. After an error that was not read, the device
	 * may check no transfer
	 */
	return unlikely(pi->sig->state.confs != READ_ONCE(pi->sig->checked)) ? -EINVAL : 0;
}

/* write control segment and shadow entry of a UMR that is not signalled */
static __always_inline void finish_umr(struct ibx_chain *c, const struct ibx_wqe *w,
				       const struct ibx_sig_parts *p, u32 key, u8 fence)
{
	ibx_enc_ctrl(w->ctrl, MLX5_OPCODE_UMR, w->cur, w->sq->qpn_be | w->ds, fence,
		     cpu_to_be32(key));
	ibx_parts_put_shadow(c, p, w->cur);
}

static __always_inline void put_list(struct ibx_chain *c, const struct ibx_mr *list,
				     const struct ibx_sig_parts *p, u8 fence)
{
	const struct ibx_enc_reg reg = {
		.iova = list->start,
		.length = list->length,
		.mkey = list->mkey,
		.list_octwords = list->list_bytes / IBX_DS,
		.key_octwords = list->key_octwords,
		.page_shift = list->page_shift,
		.mode = list->mode,
		/* peers have access by the signature mkey only */
		.access = IB_ACCESS_LOCAL_WRITE,
		.inlined = list->list_bytes <= PI_LIST_INLINE,
		.replace = true,
		.mask = c->sq->reg_mask,
	};
	struct ibx_wqe w = ibx_wqe_begin(c);

	ibx_wqe_umr_reg(&w, &reg);
	if (reg.inlined)
		ibx_wqe_list(&w, list->list, IBX_BB);
	else
		ibx_wqe_last_data(&w, list->list_dma, list->list_bytes,
				  be32_to_cpu(c->sq->dma_lkey));
	finish_umr(c, &w, p, reg.mkey, fence);
	c->cur += PI_LIST_BBS;
}

static __always_inline void put_sig_mkey(struct ibx_chain *c, const struct ib_reg_wr *wr,
					 const struct ibx_sig_parts *p, struct ibx_pi_attrs *a,
					 u8 fence)
{
	const u16 block = wr->mr->sig_attrs->mem.sig.dif.pi_interval;
	const struct ibx_pi *pi = to_imr(wr->mr)->pi;
	struct ibx_sig_state *state = &pi->sig->state;
	const struct ibx_enc_pi reg = {
		.length = (u64)pi->data.length + pi->meta.length,
		.mkey = wr->key,
		.errs = atomic_read(&pi->sig->errs),
		.access = wr->access,
	};
	struct ibx_wqe w = ibx_wqe_begin(c);

	WRITE_ONCE(state->errs, reg.errs);
	WRITE_ONCE(state->confs, state->confs + 1);

	ibx_enc_pi_umr(w.seg);
	ibx_wqe_advance(&w, sizeof(struct mlx5_wqe_umr_ctrl_seg));
	ibx_enc_pi_mkey(w.seg, &reg);
	ibx_wqe_advance(&w, sizeof(struct mlx5_mkey_seg));
	ibx_enc_pi_layout(w.seg, pi, a->blocks, block);
	ibx_wqe_advance(&w, IBX_PI_OCTWORDS * IBX_DS);
	ibx_enc_pi_bsf(w.seg, a, pi->sig->psv, pi->data.length);
	w.ds += IBX_BSF_OCTWORDS;
	finish_umr(c, &w, p, reg.mkey, fence);
}

/**
 * ibx_post_reg_pi() - add an IB_WR_REG_MR_INTEGRITY to a chain
 * @c: chain with space for a WR
 * @wr: the WR
 *
 * A signature error that is polled after a call of ib_check_mr_status() is
 * stored; the next call of ib_check_mr_status() returns the error.
 *
 * Context: the lock of the ring is held.
 * Return:
 * * 0
 * * -EINVAL: the MR is no INTEGRITY MR, is not mapped, or does not have the key
 *   of the WR; ib_check_mr_status() was not called after the previous
 *   registration; ibx_pi_convert() refuses the lists or the signature
 *   attributes; or the WR has SGEs, inline data or unknown flags
 * * -EOPNOTSUPP: remote atomic access, or a QP without
 *   IB_QP_CREATE_INTEGRITY_EN
 */
int ibx_post_reg_pi(struct ibx_chain *c, const struct ib_reg_wr *wr)
{
	const struct ibx_qp *qp = container_of(c->sq, struct ibx_qp, sq);
	const struct ibx_pi *pi = to_imr(wr->mr)->pi;
	struct ibx_sig_parts p;
	struct ibx_pi_attrs a;
	u8 fence;
	int err;

	lockdep_assert_held(&c->sq->lock);
	if (unlikely(!qp->ibqp.integrity_en))
		return -EOPNOTSUPP;
	err = check_reg_pi(c->sq, wr, pi);
	if (unlikely(err))
		return err;
	err = ibx_pi_convert(&a, wr->mr->sig_attrs, pi->data.length, pi->meta.length);
	if (unlikely(err))
		return err;
	p = (struct ibx_sig_parts){
		.wr_id = wr->wr.wr_id,
		.mem_start = a.mem.start,
		.wire_start = a.wire.start,
		.mem_psv = a.in_mem,
		.wire_psv = a.on_wire,
		.first_psv = c->cur + (pi->listed ? PI_LIST_BBS : 0) + IBX_PI_UMR_BBS,
		.signals = c->sq->fm_ce_se | ibx_flag_bits(wr->wr.send_flags),
		.wc_opcode = IB_WC_REG_MR,
	};
	p.end = p.first_psv + p.mem_psv + p.wire_psv;
	fence = ibx_reg_fence(c, wr->wr.send_flags);
	c->head++;
	if (pi->listed)
		put_list(c, &pi->list, &p, fence);
	put_sig_mkey(c, wr, &p, &a, fence);
	ibx_parts_put_psvs(c, pi->sig, &p);
	c->cur = p.end;
	c->next_fence = MLX5_FENCE_MODE_INITIATOR_SMALL;
	trace_ibx_reg_mr(c->sq, wr, c->head, true);
	return 0;
}
