// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: signature attributes of mkeys, see <rdma/mlx5dv_sig.h>: the setter,
 * the end of each configuration of an mkey that was created for signatures, and
 * the query of errors, which wq/sig.c stores.
 *
 * The BSF follows the layout in the WQE, and the layout may be set later. So
 * the setter encodes the BSF into struct ibx_wr_conf. SET_PSV WQEs follow the
 * UMR: one for each domain with a signature. They are part of the same WR,
 * which completes with the last SET_PSV. If the QP enters ERR, each WQE takes
 * an entry of the CQ, even if the CQE completes no WR. So each WQE counts as a
 * WR of the ring, and the ring has IBX_RC_WQE_MIN bytes for each WQE.
 *
 * wq/sig.c explains when a configuration is refused because of an error.
 */
#include <linux/export.h>
#include <linux/string.h>

#include "dv/mkey.h"
#include "dv/wr.h"
#include "enc/bsf.h"
#include "wq/parts.h"

#define T10DIF_FLAGS								\
	(MLX5DV_SIG_T10DIF_FLAG_REF_REMAP | MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE |	\
	 MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE)

/* each SET_PSV WQE takes one block */
static_assert(IBX_SET_PSV_DS * IBX_DS <= IBX_BB);
static_assert(IBX_BB <= IBX_RC_WQE_MIN);

static int check_t10dif(const struct mlx5dv_sig_caps *caps, const struct mlx5dv_sig_t10dif *dif)
{
	if (dif->bg_type != MLX5DV_SIG_T10DIF_CRC && dif->bg_type != MLX5DV_SIG_T10DIF_CSUM)
		return -EINVAL;
	if ((dif->bg && dif->bg != U16_MAX) || dif->flags & ~T10DIF_FLAGS)
		return -EINVAL;
	return caps->t10dif_bg & BIT(dif->bg_type) ? 0 : -EOPNOTSUPP;
}

static int check_crc(const struct mlx5dv_sig_caps *caps, const struct mlx5dv_sig_crc *crc)
{
	switch (crc->type) {
	case MLX5DV_SIG_CRC_TYPE_CRC32:
	case MLX5DV_SIG_CRC_TYPE_CRC32C:
		if (lower_32_bits(crc->seed) && lower_32_bits(crc->seed) != U32_MAX)
			return -EINVAL;
		break;
	case MLX5DV_SIG_CRC_TYPE_CRC64_XP10:
		if (crc->seed && crc->seed != U64_MAX)
			return -EINVAL;
		break;
	default:
		return -EINVAL;
	}
	return caps->crc_type & BIT(crc->type) ? 0 : -EOPNOTSUPP;
}

static __always_inline int check_domain(const struct mlx5dv_sig_caps *caps,
					const struct mlx5dv_sig_block_domain *domain)
{
	int err;

	if (!domain)
		return 0;
	if (domain->comp_mask || (u32)domain->block_size > MLX5DV_BLOCK_SIZE_4160)
		return -EINVAL;
	switch (domain->sig_type) {
	case MLX5DV_SIG_TYPE_T10DIF:
		err = check_t10dif(caps, domain->sig.dif);
		break;
	case MLX5DV_SIG_TYPE_CRC:
		err = check_crc(caps, domain->sig.crc);
		break;
	default:
		return -EINVAL;
	}
	if (err)
		return err;
	return caps->block_size & BIT(domain->block_size) &&
	       caps->block_prot & BIT(domain->sig_type) ? 0 : -EOPNOTSUPP;
}

static int sig_check_attr(const struct mlx5dv_sig_caps *caps,
			  const struct mlx5dv_sig_block_attr *attr)
{
	int err;

	if ((!attr->mem && !attr->wire) || attr->comp_mask ||
	    attr->flags & ~MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK)
		return -EINVAL;
	err = check_domain(caps, attr->mem);
	if (!err)
		err = check_domain(caps, attr->wire);
	if (err)
		return err;
	if (attr->flags & MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK && !ibx_sig_same_structure(attr))
		return -EINVAL;
	return 0;
}

static int set_sig(struct ibx_wr *wr, const struct mlx5dv_sig_block_attr *attr)
{
	struct ibx_wr_conf *conf = &wr->conf;
	const struct ibx_sig *sig = conf->sig;
	int err;

	if (!sig)
		return -EINVAL;
	err = sig_check_attr(sig->caps, attr);
	if (err)
		return err;
	ibx_enc_bsf(&conf->sig_attrs, attr, sig->psv);
	conf->sig_set = true;
	return 0;
}

void mlx5dv_wr_set_mkey_sig_block(struct mlx5dv_qp_ex *mqp,
				  const struct mlx5dv_sig_block_attr *attr)
{
	struct ibx_wr *wr = &ibx_qp_of(&mqp->qp_ex)->wr;

	if (ibx_wr_setter_begin(wr, IBX_SET_SIG, IBX_SET_SIG))
		ibx_wr_conf_setter_end(wr, set_sig(wr, attr));
}
EXPORT_SYMBOL_GPL(mlx5dv_wr_set_mkey_sig_block);

/* ---- the end of a configuration ---- */

/* set the state of the mkey after the configuration, except state->errs */
static __always_inline void sig_next_state(const struct ibx_wr *wr,
					   struct ibx_sig_state *state)
{
	const struct ibx_wr_conf *conf = &wr->conf;
	const struct ibx_sig_set *set = &conf->sig_attrs;

	if (ibx_wr_umr(wr)->xlt_octowords)
		state->length = be64_to_cpu(conf->seg->len);
	if (conf->sig_set) {
		state->on = true;
		state->kind[IBX_SIG_MEM] = set->kind[IBX_SIG_MEM];
		state->kind[IBX_SIG_WIRE] = set->kind[IBX_SIG_WIRE];
		/* each word is written at once, as in ibx_copy_bsf() */
		WRITE_ONCE(state->start[IBX_SIG_MEM], set->start[IBX_SIG_MEM]);
		WRITE_ONCE(state->start[IBX_SIG_WIRE], set->start[IBX_SIG_WIRE]);
	} else if (conf->sig_reset) {
		state->on = false;
		state->kind[IBX_SIG_MEM] = IBX_SIG_NONE;
		state->kind[IBX_SIG_WIRE] = IBX_SIG_NONE;
	}
}

/* is there space for the BSF in the WQE, and for @psvs SET_PSV WQEs in the ring? */
static __always_inline int check_space(const struct ibx_wr *wr, u32 psvs)
{
	const struct mlx5_wqe_umr_ctrl_seg *umr = ibx_wr_umr(wr);
	const u32 octwords = be16_to_cpu(umr->xlt_octowords);
	const struct ibx_sq *sq = wr->chain.sq;

	if (wr->conf.sig_set) {
		/*
		 * the device cannot fetch a layout from memory and take the BSF
		 * from the WQE
		 */
		if (!(umr->flags & MLX5_UMR_INLINE))
			return -EOPNOTSUPP;
		if (octwords * IBX_DS + sizeof(wr->conf.sig_attrs.bsf) > sq->max_umr_inline)
			return -ENOMEM;
	}
	/* pairs with smp_store_release() in complete_send() */
	if (psvs && wr->chain.head + 1 + psvs - smp_load_acquire(&sq->tail) > sq->max_post)
		return -ENOMEM;
	return 0;
}

static __always_inline void encode_bsf(struct ibx_wr *wr, bool on)
{
	if (wr->conf.sig_set)
		ibx_wr_append_bsf(wr, &wr->conf.sig_attrs.bsf);
	if (wr->conf.sig_set || !on)
		ibx_enc_conf_bsf(ibx_wr_umr(wr), wr->conf.seg, on ? IBX_BSF_OCTWORDS : 0);
}

static __always_inline void encode_sig(struct ibx_wr *wr, const struct ibx_sig_state *state,
				       bool told, bool both)
{
	if (both)
		ibx_wr_encode_both(wr);
	else
		encode_bsf(wr, state->on);
	if (told)
		ibx_enc_conf_sig_errs(ibx_wr_umr(wr), wr->conf.seg, state->errs);
}

/*
 * Add the UMR, and the SET_PSV WQEs that follow the UMR, to the chain. Only the
 * last WQE is signalled.
 */
static __always_inline void finish_with_psvs(struct ibx_wr *wr, const struct ibx_sig *sig)
{
	const struct ibx_sig_state *state = &sig->state;
	struct mlx5_wqe_ctrl_seg *ctrl = wr->w.ctrl;
	const u8 signals = MLX5_WQE_CTRL_CQ_UPDATE | MLX5_WQE_CTRL_SOLICITED;
	struct ibx_chain *c = &wr->chain;
	struct ibx_sig_parts p = {
		.wr_id = wr->sqe->wr_id,
		.mem_start = state->start[IBX_SIG_MEM],
		.wire_start = state->start[IBX_SIG_WIRE],
		.mem_psv = state->kind[IBX_SIG_MEM] != IBX_SIG_NONE,
		.wire_psv = state->kind[IBX_SIG_WIRE] != IBX_SIG_NONE,
		.first_psv = wr->w.cur + DIV_ROUND_UP(wr->w.ds, IBX_BB / IBX_DS),
		.signals = ctrl->fm_ce_se & signals,
		.wc_opcode = MLX5DV_WC_UMR,
	};

	p.end = p.first_psv + p.mem_psv + p.wire_psv;
	c->head += 1 + p.mem_psv + p.wire_psv;
	ctrl->fm_ce_se &= ~signals;
	ibx_enc_ctrl_size(ctrl, c->sq->qpn_be | wr->w.ds);
	ibx_parts_put_shadow(c, &p, wr->w.cur);
	ibx_parts_put_psvs(c, sig, &p);
	c->cur = p.end;
	c->next_fence = wr->next_fence;
	wr->allowed = 0;
}

/* join the chain, and save the BSFs, which dropping the chain restores */
static int join_both(struct ibx_wr *wr, struct ibx_sig *sig)
{
	const bool joined = READ_ONCE(sig->chain) == wr;
	int err = ibx_sig_join(wr, sig);

	if (!err && !joined)
		sig->both->undo = sig->both->state;
	return err;
}

/* number of SET_PSV WQEs of a configuration that restarts the signatures */
static __always_inline u32 count_psvs(const struct ibx_sig_state *state)
{
	return (state->kind[IBX_SIG_MEM] != IBX_SIG_NONE) +
	       (state->kind[IBX_SIG_WIRE] != IBX_SIG_NONE);
}

/*
 * Record that ibx_sig_take_error() was not called between two configurations.
 * Must precede sig_next_state(): sig->mixed is set before the kinds change, and
 * stays set if the chain is dropped.
 */
static __always_inline void add_unchecked(const struct ibx_wr_conf *conf, struct ibx_sig *sig)
{
	const u8 *kind = sig->state.kind;

	sig->state.several = true;
	if (conf->sig_set ? memcmp(kind, conf->sig_attrs.kind, sizeof(sig->state.kind)) :
			    conf->sig_reset) {
		WRITE_ONCE(sig->mixed, true);
		/*
		 * pairs with smp_rmb() in kind_of(): mixed is set before the
		 * kind changes
		 */
		smp_wmb();
	}
}

/* @both: the mkey has encryption, too */
static __always_inline void finish_sig(struct ibx_wr *wr, struct ibx_sig *sig, bool both)
{
	struct ibx_sig_state *state = &sig->state;
	bool told;
	u32 errs, psvs;
	int err;

	err = both ? join_both(wr, sig) : ibx_sig_join(wr, sig);
	if (unlikely(err))
		return ibx_wr_fail(wr, err);
	errs = atomic_read(&sig->errs);
	if (unlikely(errs != state->errs)) {
		err = ibx_sig_may_restart(sig);
		if (err)
			return ibx_wr_fail(wr, err);
	}
	if (unlikely(state->confs != READ_ONCE(sig->checked)))
		add_unchecked(&wr->conf, sig);
	sig_next_state(wr, state);
	/*
	 * The signatures restart if the caller has set attributes, even the
	 * present attributes: the device may not have executed the previous
	 * configuration. They also restart to acknowledge an error.
	 */
	told = wr->conf.sig_set || errs != state->errs;
	WRITE_ONCE(state->errs, errs);
	WRITE_ONCE(state->confs, state->confs + state->on);
	psvs = state->on && told ? count_psvs(state) : 0;
	err = state->on && state->length > IBX_SIG_MAX_LENGTH ? -EINVAL : check_space(wr, psvs);
	if (both && !err)
		err = ibx_wr_next_both(wr, state);
	if (unlikely(err))
		return ibx_wr_fail(wr, err);

	encode_sig(wr, state, told, both);
	wr->conf.sig_set = false;
	wr->conf.sig_reset = false;
	if (psvs)
		finish_with_psvs(wr, sig);
	else
		ibx_wr_finish(wr);
}

/*
 * May the chain have a WR of several WQEs? If it fails, an unchanged mlx5_ib
 * completes each of its WQEs (struct ibx_backend), so the poller of the send CQ
 * must call the callback of wr_cqe. It does so for a CQ of ib_alloc_cq(), the
 * only function that sets ib_cq.wc.
 */
static bool may_have_parts(const struct ibx_wr *wr)
{
	const struct ibx_qp *qp = container_of(wr, struct ibx_qp, wr);

	return qp->dev->is_patched || qp->dv.qp_ex.qp->send_cq->wc;
}

static noinline void finish_special(struct ibx_wr *wr)
{
	struct ibx_sig *sig = wr->conf.sig;

	if (sig->foreign) {
		if (!may_have_parts(wr))
			return ibx_wr_fail(wr, -EOPNOTSUPP);
		ibx_sig_fetch_errors(sig);
	}
	finish_sig(wr, sig, sig->both);
}

/**
 * ibx_wr_finish_sig() - add the configuration of a signature mkey to the chain
 * @wr: open send queue; all segments of wr->w but the signatures are written
 *
 * Spoils the chain as mlx5dv_wr_set_mkey_sig_block() describes; for an mkey
 * with encryption, also as mlx5dv_wr_set_mkey_crypto() describes. The state of
 * the mkey changes even if the chain is spoiled: when the chain is dropped, the
 * state from before the chain is restored.
 */
void ibx_wr_finish_sig(struct ibx_wr *wr)
{
	struct ibx_sig *sig = wr->conf.sig;

	if (unlikely(sig->is_special))
		finish_special(wr);
	else
		finish_sig(wr, sig, false);
}

/* ---- errors ---- */

int mlx5dv_mkey_check(struct mlx5dv_mkey *dv, struct mlx5dv_mkey_err *err_info)
{
	struct ibx_sig *sig = to_imkey(dv)->sig;

	return sig ? ibx_sig_take_error(sig, err_info) : -EINVAL;
}
EXPORT_SYMBOL_GPL(mlx5dv_mkey_check);
