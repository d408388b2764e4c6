// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: crypto attributes of mkeys, see <rdma/mlx5dv_crypto.h>: the setter, and the end of a
 * configuration with it.
 *
 * As with signatures, the BSF lies behind the layout, whose setter may be called later. The mkey
 * keeps its crypto BSF until another one is set, so the driver has no state of it, and mkeys of
 * one PD can be configured on several QPs.
 */
#include <linux/export.h>
#include <linux/string.h>

#include "dv/crypto.h"
#include "dv/wr.h"
#include "enc/bsf.h"
#include "enc/crypto.h"

static int check_crypto(const struct ib_qp *qp, const struct mlx5dv_crypto_attr *attr)
{
	if (attr->comp_mask || attr->crypto_standard != MLX5DV_CRYPTO_STANDARD_AES_XTS ||
	    (u32)attr->signature_crypto_order >
		    MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX ||
	    !ibx_crypto_unit_bytes(attr->data_unit_size))
		return -EINVAL;
	if (!attr->dek || attr->dek->pd != qp->pd)
		return -EINVAL;
	return !attr->dek->has_keytag && memchr_inv(attr->keytag, 0, sizeof(attr->keytag)) ?
		       -EINVAL : 0;
}

static int set_crypto(struct ibx_wr *wr, const struct ib_qp *qp,
		      const struct mlx5dv_crypto_attr *attr)
{
	struct ibx_wr_conf *conf = &wr->conf;
	bool multi;
	int err;

	if (!(conf->has.flags & MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO))
		return -EINVAL;
	err = check_crypto(qp, attr);
	if (err)
		return err;
	multi = to_idev(qp->device)->crypto_caps.crypto_engines &
		MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_MULTI_BLOCK;
	ibx_enc_crypto_bsf(&conf->crypto_bsf, attr, attr->dek->dekn, multi);
	conf->crypto_unit = multi ? 0 : ibx_crypto_unit_bytes(attr->data_unit_size);
	conf->crypto_set = true;
	return 0;
}

static int check_crypto_space(const struct ibx_wr *wr)
{
	const struct mlx5_wqe_umr_ctrl_seg *umr = ibx_wr_umr(wr);
	const u32 octwords = be16_to_cpu(umr->xlt_octowords);
	const struct ibx_wr_conf *conf = &wr->conf;

	/* the device would fetch both, or neither */
	if (!(umr->flags & MLX5_UMR_INLINE))
		return -EOPNOTSUPP;
	if (octwords * IBX_DS + sizeof(conf->crypto_bsf) > wr->chain.sq->max_umr_inline)
		return -ENOMEM;
	if (octwords && be64_to_cpu(conf->seg->len) > (conf->crypto_unit ?: U32_MAX))
		return -EINVAL;
	return 0;
}

/**
 * ibx_wr_finish_crypto() - add a configuration with crypto attributes to the chain
 * @wr: open send queue; all segments of wr->w but the BSF are written
 *
 * Spoils the chain as mlx5dv_wr_set_mkey_crypto() describes.
 */
void ibx_wr_finish_crypto(struct ibx_wr *wr)
{
	const struct ibx_sq *sq = wr->chain.sq;
	void *at = (void *)wr->w.ctrl + wr->w.ds * IBX_DS;
	int err;

	err = check_crypto_space(wr);
	if (err)
		return ibx_wr_fail(wr, err);
	/* the layout ends at a block, as does the mkey context */
	if (at >= sq->end)
		at -= sq->end - sq->buf;
	memcpy(at, &wr->conf.crypto_bsf, sizeof(wr->conf.crypto_bsf));
	wr->w.ds += IBX_CRYPTO_BSF_OCTWORDS;
	ibx_enc_conf_bsf(ibx_wr_umr(wr), wr->conf.seg, true);
	wr->conf.crypto_set = false;
	ibx_wr_finish(wr);
}

void mlx5dv_wr_set_mkey_crypto(struct mlx5dv_qp_ex *mqp, const struct mlx5dv_crypto_attr *attr)
{
	struct ibx_wr *wr = &ibx_qp_of(&mqp->qp_ex)->wr;
	int err;

	if (!ibx_wr_setter_begin(wr, IBX_SET_CRYPTO, IBX_SET_CRYPTO))
		return;
	err = set_crypto(wr, mqp->qp_ex.qp, attr);
	if (err)
		ibx_wr_fail(wr, err);
	else if (!--wr->left)
		ibx_wr_finish_crypto(wr);
}
EXPORT_SYMBOL_GPL(mlx5dv_wr_set_mkey_crypto);
