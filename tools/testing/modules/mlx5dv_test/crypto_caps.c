// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Encryption on devices without some capabilities. For each case except
 * crypto_caps_all, selftests/crypto/test.sh changes capabilities of the simulator.
 */
#include "both.h"

static const struct crypto_case plain = {
	.unit = MLX5DV_BLOCK_SIZE_4096, .encrypt_on_tx = true, .pieces = 1, .len = 4096,
	.tweak = { 0x1122334455667788, 0x99aabbccddeeff00 },
};

static int query_caps(struct t_pair *p, struct mlx5dv_crypto_caps *caps)
{
	struct mlx5dv_context ctx = { .comp_mask = MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD };

	T_EXPECT(mlx5dv_query_device(p->end[0].dev, &ctx), 0);
	T_EXPECT(ctx.comp_mask, MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD);
	*caps = ctx.crypto_caps;
	return 0;
}

static int no_dek(struct t_pair *p)
{
	struct mlx5dv_dek_init_attr attr;
	struct mlx5dv_dek *dek;

	crypto_dek_attr(&plain, p->end[0].pd, &attr);
	dek = mlx5dv_dek_create(p->end[0].dev, &attr);
	if (!IS_ERR(dek)) {
		mlx5dv_dek_destroy(dek);
		return T_FAIL("the DEK was created");
	}
	T_EXPECT(PTR_ERR(dek), -EOPNOTSUPP);
	return 0;
}

static int no_login(struct t_pair *p)
{
	const struct mlx5dv_crypto_login_attr_ex attr = {
		.credential = crypto_credential, .credential_len = sizeof(crypto_credential),
	};
	struct mlx5dv_crypto_login_obj *login = mlx5dv_crypto_login_create(p->end[0].dev, &attr);

	if (!IS_ERR(login)) {
		mlx5dv_crypto_login_destroy(login);
		return T_FAIL("the login was created");
	}
	T_EXPECT(PTR_ERR(login), -EOPNOTSUPP);
	return 0;
}

static int no_mkey(struct t_pair *p, u32 flags)
{
	struct mlx5dv_mkey *mkey = dv_mkey(&p->end[0], flags, 4);

	if (!IS_ERR(mkey)) {
		mlx5dv_destroy_mkey(mkey);
		return T_FAIL("the mkey was created");
	}
	T_EXPECT(PTR_ERR(mkey), -EOPNOTSUPP);
	return 0;
}

static int crypto_caps_all(struct t_pair *p)
{
	struct mlx5dv_crypto_caps caps;

	T_TRY(query_caps(p, &caps));
	T_EXPECT(caps.crypto_engines, MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_SINGLE_BLOCK |
				      MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_MULTI_BLOCK);
	T_EXPECT(caps.flags, MLX5DV_CRYPTO_CAPS_CRYPTO);
	T_EXPECT(caps.wrapped_import_method, 0);
	T_EXPECT(caps.failed_selftests, 0);
	T_EXPECT(caps.log_max_num_deks, 12);
	return no_login(p);
}

/*
 * A device without encryption reports no capability, and creates neither a DEK nor
 * an mkey for encryption.
 */
static int crypto_caps_none(struct t_pair *p)
{
	struct mlx5dv_crypto_caps caps;

	T_TRY(query_caps(p, &caps));
	T_EXPECT(caps.crypto_engines || caps.flags || caps.wrapped_import_method ||
		 caps.failed_selftests || caps.log_max_num_deks, 0);
	T_TRY(no_dek(p));
	T_TRY(no_login(p));
	T_TRY(no_mkey(p, MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO));
	return no_mkey(p, MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO |
			  MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE);
}

/* a device that does not support encryption with signatures: encryption works */
static int crypto_caps_no_sho(struct crypto_run *r)
{
	r->c = plain;
	T_TRY(crypto_new_dek(r));
	T_TRY(crypto_configure(r));
	T_TRY(crypto_move(r, MOVE_SEND, 1));
	return no_mkey(r->p, MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO |
			     MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE);
}

/* a device that encrypts one data unit for each mkey, with little-endian tweaks */
static int crypto_caps_single(struct crypto_run *r)
{
	struct mlx5dv_crypto_caps caps;

	T_TRY(query_caps(r->p, &caps));
	T_EXPECT(caps.crypto_engines, MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_SINGLE_BLOCK);
	r->c = plain;
	T_TRY(crypto_new_dek(r));
	T_TRY(crypto_configure(r));
	T_TRY(crypto_move(r, MOVE_SEND, 1));
	T_TRY(crypto_move(r, MOVE_WRITE_BY_PEER, 2));
	r->c.len = 4096 + 16;
	T_EXPECT(crypto_configure(r), -EINVAL);
	return 0;
}

/* data and signatures must fit in one data unit, also if only the layout is configured */
static int crypto_caps_single_both(struct both_run *r)
{
	r->sig.c = (struct sig_case){ .mem = both_dif, .check_mask = 0xff, .data = 512 };
	r->order = MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX;
	r->crypto.c = (struct crypto_case){
		.unit = MLX5DV_BLOCK_SIZE_4096, .encrypt_on_tx = true,
		.tweak = { 0x1122334455667788, 0x99aabbccddeeff00 },
	};
	T_TRY(crypto_new_dek(&r->crypto));
	T_TRY(both_configure(r, BOTH_ALL));
	T_TRY(both_move(r, MOVE_SEND, 1));
	T_TRY(both_move(r, MOVE_WRITE_BY_PEER, 2));
	r->sig.c.data = 8 * 512;
	T_EXPECT(both_configure(r, BOTH_LAYOUT), -EINVAL);
	T_EXPECT(both_configure(r, BOTH_ALL), -EINVAL);
	r->sig.c.data = 7 * 512;
	T_TRY(both_configure(r, BOTH_LAYOUT));
	return both_move(r, MOVE_READ_BY_PEER, 3);
}

/*
 * a device that requires wrapped DEKs and does not support logins: no DEK can
 * be created
 */
static int crypto_caps_wrapped(struct t_pair *p)
{
	struct mlx5dv_crypto_caps caps;

	T_TRY(query_caps(p, &caps));
	T_EXPECT(caps.wrapped_import_method, MLX5DV_CRYPTO_WRAPPED_IMPORT_METHOD_CAP_AES_XTS);
	T_EXPECT(caps.flags, MLX5DV_CRYPTO_CAPS_CRYPTO |
			     MLX5DV_CRYPTO_CAPS_WRAPPED_CRYPTO_OPERATIONAL);
	T_TRY(no_login(p));
	return no_dek(p);
}

const struct t_case dv_crypto_caps_cases[] = {
	{ "crypto_caps_all", crypto_caps_all, &dv_opts },
	{ "crypto_caps_none", crypto_caps_none, &dv_opts },
	DV_CRYPTO(crypto_caps_no_sho),
	DV_CRYPTO(crypto_caps_single),
	DV_BOTH(crypto_caps_single_both),
	{ "crypto_caps_wrapped", crypto_caps_wrapped, &dv_opts },
	{ }
};
