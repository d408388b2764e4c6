// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: keys of the block layer, see <rdma/mlx5dv_blk_crypto.h>.
 */
#include <linux/export.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include <rdma/mlx5dv_blk_crypto.h>

#include "compat.h"

/* both keys of AES-256-XTS */
#define KEY_BYTES	64

static_assert(sizeof(ibx_blk_key_bytes((struct blk_crypto_key *)0)) >= KEY_BYTES);

/* get the size of the data unit of a configuration */
static int find_unit(const struct blk_crypto_config *cfg, enum mlx5dv_block_size *unit)
{
	if (cfg->crypto_mode != BLK_ENCRYPTION_MODE_AES_256_XTS || !ibx_blk_key_is_raw(cfg))
		return -EOPNOTSUPP;
	switch (cfg->data_unit_size) {
	case SZ_512:
		*unit = MLX5DV_BLOCK_SIZE_512;
		return 0;
	case SZ_4K:
		*unit = MLX5DV_BLOCK_SIZE_4096;
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

struct mlx5dv_dek *mlx5dv_dek_create_blk(struct ib_pd *pd, const struct blk_crypto_key *key)
{
	struct mlx5dv_dek_init_attr attr = {
		.key_size = MLX5DV_CRYPTO_KEY_SIZE_256,
		.key_purpose = MLX5DV_CRYPTO_KEY_PURPOSE_AES_XTS,
		.pd = pd,
		.comp_mask = MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN,
	};
	enum mlx5dv_block_size unit;
	struct mlx5dv_dek *dek;
	int err;

	err = find_unit(&key->crypto_cfg, &unit);
	if (!err && key->size != KEY_BYTES)
		err = -EINVAL;
	if (err)
		return ERR_PTR(err);
	memcpy(attr.key, ibx_blk_key_bytes(key), KEY_BYTES);
	dek = mlx5dv_dek_create(pd->device, &attr);
	memzero_explicit(&attr, sizeof(attr));
	return dek;
}
EXPORT_SYMBOL_GPL(mlx5dv_dek_create_blk);

int mlx5dv_crypto_attr_blk(struct mlx5dv_crypto_attr *attr, struct mlx5dv_dek *dek,
			   const struct blk_crypto_key *key,
			   const u64 dun[BLK_CRYPTO_DUN_ARRAY_SIZE])
{
	enum mlx5dv_block_size unit;
	int err;

	err = find_unit(&key->crypto_cfg, &unit);
	if (err)
		return err;
	if (dun[2] || dun[3])
		return -EINVAL;
	*attr = (struct mlx5dv_crypto_attr){
		.crypto_standard = MLX5DV_CRYPTO_STANDARD_AES_XTS,
		.data_unit_size = unit,
		.dek = dek,
	};
	put_unaligned_le64(dun[0], attr->initial_tweak);
	put_unaligned_le64(dun[1], attr->initial_tweak + 8);
	return 0;
}
EXPORT_SYMBOL_GPL(mlx5dv_crypto_attr_blk);
