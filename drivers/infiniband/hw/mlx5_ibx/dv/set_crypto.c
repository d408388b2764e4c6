// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: setter of the crypto attributes of an mkey, see
 * <rdma/mlx5dv_crypto.h>. The end of a configuration that uses this setter is
 * in wr_crypto.c.
 */
#include <linux/export.h>
#include <linux/string.h>

#include "dv/crypto.h"
#include "dv/wr.h"
#include "enc/crypto.h"

static int check_crypto(const struct ib_qp *qp, const struct mlx5dv_crypto_attr *attr)
{
	if (attr->comp_mask || attr->crypto_standard != MLX5DV_CRYPTO_STANDARD_AES_XTS ||
	    (u32)attr->signature_crypto_order >
		    MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX ||
	    (u32)attr->data_unit_size > MLX5DV_BLOCK_SIZE_4160)
		return -EINVAL;
	if (!attr->dek || attr->dek->pd != qp->pd)
		return -EINVAL;
	return !attr->dek->has_keytag && memchr_inv(attr->keytag, 0, sizeof(attr->keytag)) ?
		       -EINVAL : 0;
}

static int set_crypto(struct ibx_wr *wr, const struct ibx_qp *qp,
		      const struct mlx5dv_crypto_attr *attr)
{
	struct ibx_wr_conf *conf = &wr->conf;
	bool multi;
	int err;

	if (!(conf->has.flags & MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO))
		return -EINVAL;
	err = check_crypto(qp->dv.qp_ex.qp, attr);
	if (err)
		return err;
	multi = qp->dev->crypto_caps.crypto_engines &
		MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_MULTI_BLOCK;
	ibx_enc_crypto_bsf(&conf->crypto_bsf, attr, attr->dek->dekn, multi);
	conf->crypto_dek = attr->dek->serial;
	conf->crypto_unit = multi ? 0 : ibx_crypto_unit_bytes(attr->data_unit_size);
	conf->crypto_set = true;
	return 0;
}

void mlx5dv_wr_set_mkey_crypto(struct mlx5dv_qp_ex *mqp, const struct mlx5dv_crypto_attr *attr)
{
	struct ibx_qp *qp = ibx_qp_of(&mqp->qp_ex);
	struct ibx_wr *wr = &qp->wr;

	if (ibx_wr_setter_begin(wr, IBX_SET_CRYPTO, IBX_SET_CRYPTO))
		ibx_wr_conf_setter_end(wr, set_crypto(wr, qp, attr));
}
EXPORT_SYMBOL_GPL(mlx5dv_wr_set_mkey_crypto);
