// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Encryption with keys and data unit numbers of the block layer, <rdma/mlx5dv_blk_crypto.h>,
 * compared with the kernel's cipher; and refused keys.
 */
#include <rdma/mlx5dv_blk_crypto.h>

#include "compat.h"
#include "crypto.h"

/* makes the key of r->c, for data unit numbers of 16 bytes */
static void make_key(const struct crypto_run *r, struct blk_crypto_key *key)
{
	u8 raw[CRYPTO_KEY_MAX];

	crypto_key(&r->c, raw);
	*key = (struct blk_crypto_key){
		.crypto_cfg = {
			.crypto_mode = BLK_ENCRYPTION_MODE_AES_256_XTS,
			.data_unit_size = crypto_unit(r->c.unit),
			.dun_bytes = 16,
			T_BLK_KEY_IS_RAW
		},
		.data_unit_size_bits = ilog2(crypto_unit(r->c.unit)),
		.size = sizeof(raw),
	};
	memcpy(t_blk_key_bytes(key), raw, sizeof(raw));
}

static int set_case(struct crypto_run *r, enum mlx5dv_block_size unit,
		    struct blk_crypto_key *key)
{
	struct mlx5dv_dek *dek;

	r->c = (struct crypto_case){
		.unit = unit, .key_size = MLX5DV_CRYPTO_KEY_SIZE_256, .pieces = MOVE_PIECES,
		.len = 3 * crypto_unit(unit), .tweak = { ~0ull, 0x0123456789abcdef },
	};
	make_key(r, key);
	dek = mlx5dv_dek_create_blk(r->p->end[0].pd, key);
	if (IS_ERR(dek))
		return T_FAIL("no DEK: %ld", PTR_ERR(dek));
	if (r->dek)
		mlx5dv_dek_destroy(r->dek);
	r->dek = dek;
	return 0;
}

static int move_with(struct crypto_run *r, const struct blk_crypto_key *key, bool encrypt_on_tx)
{
	const u64 dun[BLK_CRYPTO_DUN_ARRAY_SIZE] = { r->c.tweak[0], r->c.tweak[1] };
	struct mlx5dv_crypto_attr attr;

	memset(&attr, 0xff, sizeof(attr));
	T_TRY(mlx5dv_crypto_attr_blk(&attr, r->dek, key, dun));
	attr.encrypt_on_tx = encrypt_on_tx;
	r->c.encrypt_on_tx = encrypt_on_tx;
	T_TRY(crypto_configure_with(r, &attr));
	return crypto_move(r, MOVE_WRITE, 1) ?: crypto_move(r, MOVE_READ, 2);
}

static int blk_keys(struct crypto_run *r)
{
	static const enum mlx5dv_block_size units[] = {
		MLX5DV_BLOCK_SIZE_512, MLX5DV_BLOCK_SIZE_4096,
	};
	struct blk_crypto_key key;
	int i;

	for (i = 0; i < ARRAY_SIZE(units); i++) {
		T_TRY(set_case(r, units[i], &key));
		T_TRY(move_with(r, &key, true));
		T_TRY(move_with(r, &key, false));
	}
	return 0;
}

static int try_key(struct crypto_run *r, const struct blk_crypto_key *key)
{
	struct mlx5dv_dek *dek = mlx5dv_dek_create_blk(r->p->end[0].pd, key);

	if (IS_ERR(dek))
		return PTR_ERR(dek);
	mlx5dv_dek_destroy(dek);
	return 0;
}

static int run_refused(struct crypto_run *r)
{
	u64 dun[BLK_CRYPTO_DUN_ARRAY_SIZE] = { 5 };
	struct mlx5dv_crypto_attr attr = {};
	struct blk_crypto_key good, bad;

	T_TRY(set_case(r, MLX5DV_BLOCK_SIZE_512, &good));
	T_EXPECT(try_key(r, &good), 0);
#define BAD(field, value, err)							\
	do {									\
		bad = good;							\
		bad.field = (value);						\
		T_EXPECT(try_key(r, &bad), err);				\
	} while (0)
	BAD(crypto_cfg.crypto_mode, BLK_ENCRYPTION_MODE_INVALID, -EOPNOTSUPP);
	BAD(crypto_cfg.crypto_mode, BLK_ENCRYPTION_MODE_ADIANTUM, -EOPNOTSUPP);
	BAD(crypto_cfg.data_unit_size, 1024, -EOPNOTSUPP);
	T_EXPECT(mlx5dv_crypto_attr_blk(&attr, r->dek, &bad, dun), -EOPNOTSUPP);
	BAD(size, 32, -EINVAL);
	BAD(size, 0, -EINVAL);
#undef BAD
	dun[2] = 1;
	T_EXPECT(mlx5dv_crypto_attr_blk(&attr, r->dek, &good, dun), -EINVAL);
	dun[2] = 0;
	dun[3] = 1;
	T_EXPECT(mlx5dv_crypto_attr_blk(&attr, r->dek, &good, dun), -EINVAL);
	T_EXPECT(!attr.dek, true);
	return 0;
}

static int blk_refused(struct t_pair *p)
{
	return crypto_with(p, run_refused);
}

const struct t_case dv_blk_cases[] = {
	DV_CRYPTO(blk_keys),
	{ "blk_refused", blk_refused, &dv_opts },
	{ }
};
