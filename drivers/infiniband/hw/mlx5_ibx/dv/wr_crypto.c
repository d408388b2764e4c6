// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: crypto attributes of mkeys: the end of a configuration.
 *
 * The BSF follows the layout in the WQE, and is written after the last setter.
 * An mkey without signatures keeps its crypto BSF until another crypto BSF is
 * set. So the driver has no copy of the BSF, and records only the length of the
 * longest layout that the BSF permits (wq/unit.c).
 *
 * A UMR with BSFs replaces all BSFs of the mkey. So the driver stores both BSFs
 * of an mkey for signatures and encryption. A configuration that changes one
 * BSF also writes the other BSF: signature BSF first, then crypto BSF.
 * wr_sig.c ends these configurations, with functions of this file.
 */
#include <linux/string.h>

#include "dv/wr.h"
#include "enc/crypto.h"

/* is there space for @bytes of BSFs in the WQE? */
static int check_bsf_space(const struct ibx_wr *wr, u32 bytes)
{
	const struct mlx5_wqe_umr_ctrl_seg *umr = ibx_wr_umr(wr);

	/*
	 * the device cannot fetch a layout from memory and take the BSFs from
	 * the WQE
	 */
	if (!(umr->flags & MLX5_UMR_INLINE))
		return -EOPNOTSUPP;
	return be16_to_cpu(umr->xlt_octowords) * IBX_DS + bytes > wr->chain.sq->max_umr_inline ?
		       -ENOMEM : 0;
}

/* lengths that the mkey has after the configuration, if it has @state before */
static __always_inline struct ibx_unit_state
crypto_next_state(const struct ibx_wr *wr, struct ibx_unit_state state)
{
	const struct ibx_wr_conf *conf = &wr->conf;

	if (conf->crypto_set)
		state.limit = conf->crypto_unit ?: U32_MAX;
	if (ibx_wr_umr(wr)->xlt_octowords)
		state.length = be64_to_cpu(conf->seg->len);
	return state;
}

static __always_inline bool is_too_long(struct ibx_unit_state state)
{
	return state.limit && state.length > state.limit;
}

static noinline int change_unit(struct ibx_wr *wr)
{
	struct ibx_unit *unit = wr->conf.unit;
	int err = ibx_unit_join(wr, unit);

	if (err)
		return err;
	unit->state = crypto_next_state(wr, unit->state);
	return is_too_long(unit->state) ? -EINVAL : 0;
}

/*
 * Check and set the lengths. A configuration that changes no length does not
 * make the mkey part of the chain.
 */
static __always_inline int set_unit(struct ibx_wr *wr)
{
	const struct ibx_unit *unit = wr->conf.unit;
	const struct ibx_unit_state next = crypto_next_state(wr, unit->state);
	const struct ibx_wr *chain = READ_ONCE(unit->chain);

	if (wr->conf.crypto_set) {
		int err = check_bsf_space(wr, sizeof(wr->conf.crypto_bsf));

		if (err)
			return err;
	}
	if (unlikely(next.length != unit->state.length ||
		     next.limit != unit->state.limit || (chain && chain != wr)))
		return change_unit(wr);
	return is_too_long(next) ? -EINVAL : 0;
}

/**
 * ibx_wr_finish_crypto() - add the configuration of an mkey without signatures to the chain
 * @wr: open send queue; all segments of wr->w but the BSF are written
 *
 * Spoils the chain as mlx5dv_wr_set_mkey_crypto() describes.
 */
void ibx_wr_finish_crypto(struct ibx_wr *wr)
{
	int err;

	err = set_unit(wr);
	if (err)
		return ibx_wr_fail(wr, err);
	if (wr->conf.crypto_set) {
		ibx_wr_append_bsf(wr, &wr->conf.crypto_bsf);
		ibx_enc_conf_bsf(ibx_wr_umr(wr), wr->conf.seg, IBX_CRYPTO_BSF_OCTWORDS);
		wr->conf.crypto_set = false;
	}
	ibx_wr_finish(wr);
}

/* ---- mkeys for signatures and encryption ---- */

static bool changes_bsf(const struct ibx_wr_conf *conf)
{
	return conf->sig_set || conf->sig_reset || conf->crypto_set;
}

/* a crypto BSF is written again: does its DEK still exist? */
static bool has_dek(const struct ibx_wr *wr, const struct ibx_both_state *state)
{
	struct ibx_dev *dev = container_of(wr, struct ibx_qp, wr)->dev;

	return xa_load(&dev->deks, be32_to_cpu(state->crypto.dekn)) == xa_mk_value(state->dek);
}

/* may the attributes be used together? */
static int check_attrs(const struct ibx_both_state *state, const struct ibx_sig_state *sig)
{
	if (!state->on)
		return 0;
	if (sig->length > (state->unit ?: U32_MAX))
		return -EINVAL;
	return ibx_crypto_of_data(&state->crypto) && sig->kind[IBX_SIG_MEM] != IBX_SIG_NONE &&
	       sig->kind[IBX_SIG_WIRE] != IBX_SIG_NONE ? -EINVAL : 0;
}

/**
 * ibx_wr_next_both() - set the BSFs that the mkey has after a configuration
 * @wr: open send queue; the mkey is part of its chain, and dropping the chain
 *	restores the BSFs
 * @sig: signature attributes that the mkey has after the configuration
 *
 * Return: 0; or the errno of mlx5dv_wr_set_mkey_crypto() or mlx5dv_wr_set_mkey_sig_block().
 */
int ibx_wr_next_both(struct ibx_wr *wr, const struct ibx_sig_state *sig)
{
	const struct ibx_wr_conf *conf = &wr->conf;
	struct ibx_both_state *state = &conf->sig->both->state;
	int err;

	if (conf->sig_set)
		state->sig = conf->sig_attrs.bsf;
	else if (conf->sig_reset)
		ibx_enc_bsf_none(&state->sig);
	if (conf->crypto_set) {
		state->crypto = conf->crypto_bsf;
		state->crypto.size_type |= IBX_BSF_BOTH;
		state->dek = conf->crypto_dek;
		state->unit = conf->crypto_unit;
		state->on = true;
	}
	if (state->on)
		state->sig.basic.bsf_size_sbs |= IBX_BSF_BOTH;
	err = check_attrs(state, sig);
	if (err || !changes_bsf(conf))
		return err;
	if (state->on && !has_dek(wr, state))
		return -EINVAL;
	return check_bsf_space(wr, sizeof(state->sig) + (state->on ? sizeof(state->crypto) : 0));
}

/**
 * ibx_wr_encode_both() - write the BSFs of a configuration, if it changes a BSF
 * @wr: open send queue, after ibx_wr_next_both(); all segments of wr->w but the BSFs are written
 */
void ibx_wr_encode_both(struct ibx_wr *wr)
{
	const struct ibx_both_state *state = &wr->conf.sig->both->state;
	u16 octwords = IBX_BSF_OCTWORDS;

	if (!changes_bsf(&wr->conf))
		return;
	ibx_wr_append_bsf(wr, &state->sig);
	if (state->on) {
		ibx_wr_append_bsf(wr, &state->crypto);
		octwords += IBX_CRYPTO_BSF_OCTWORDS;
	}
	ibx_enc_conf_bsf(ibx_wr_umr(wr), wr->conf.seg, octwords);
	wr->conf.crypto_set = false;
}
