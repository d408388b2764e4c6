/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Suites about encryption. End 0 has an mkey with encryption, end 1 plain memory.
 */
#ifndef MLX5DV_TEST_CRYPTO_H
#define MLX5DV_TEST_CRYPTO_H

#include "moves.h"

#define CRYPTO_KEY_MAX	64

/* first bytes of all keys; the script searches logs for these bytes */
#define CRYPTO_KEY_HEAD	"\xc0\xde\x5e\xc2\xe7\x4b\x1d\x0f"

/**
 * struct crypto_case - a configuration and the data of its transfers
 * @unit: size of a data unit
 * @key_size: size of each of the two XTS keys
 * @encrypt_on_tx: encrypt_on_tx of mlx5dv_crypto_attr
 * @has_keytag: the DEK has a keytag
 * @pieces: number of pieces of the memory, 1 or MOVE_PIECES
 * @len: bytes of the mkey
 * @tweak: initial tweak: [0] low half, [1] high half
 */
struct crypto_case {
	enum mlx5dv_block_size unit;
	enum mlx5dv_crypto_key_size key_size;
	bool encrypt_on_tx;
	bool has_keytag;
	u8 pieces;
	u32 len;
	u64 tweak[2];
};

/**
 * struct crypto_run - mkey and buffers of a case
 * @p: the pair
 * @mkey: mkey with encryption, of end 0
 * @dek: DEK of @mkey, or NULL
 * @login: login of a DEK that is wrapped, or NULL
 * @c: the configuration
 * @in: bytes that are sent, in the input domain
 * @out: bytes that must arrive, in the output domain
 */
struct crypto_run {
	struct t_pair *p;
	struct mlx5dv_mkey *mkey;
	struct mlx5dv_dek *dek;
	struct mlx5dv_crypto_login_obj *login;
	struct crypto_case c;
	u8 *in;
	u8 *out;
};

/* crypto_ref.c */
u32 crypto_unit(enum mlx5dv_block_size unit);
u32 crypto_key_len(enum mlx5dv_crypto_key_size size);
void crypto_key(const struct crypto_case *c, u8 *key);
int crypto_wrap(const u8 *kek, const void *in, u32 len, u8 *out);
int crypto_reference(const struct crypto_case *c, bool encrypt, u32 first_unit, u8 *buf, u32 len);

/* the import KEK of the simulated device, and its credential */
extern const u8 crypto_kek[16];
extern const char crypto_credential[40];

/* crypto_run.c */
int crypto_wrap_key(struct mlx5dv_dek_init_attr *attr, const u8 *kek);
int crypto_with(struct t_pair *p, int (*run)(struct crypto_run *r));
int crypto_with_peer(struct t_pair *p, int (*run)(struct crypto_run *r));

/**
 * struct dv_crypto_case - a case with an mkey, a DEK and two buffers
 * @run: runs the case
 */
struct dv_crypto_case {
	int (*run)(struct crypto_run *r);
};

int dv_crypto_run(struct t_pair *p);

/* DV_CRYPTO(name): entry of a table of cases, for the function @name */
#define DV_CRYPTO(name)							\
	{ #name, dv_crypto_run, &dv_opts, &(const struct dv_crypto_case){ name } }

void crypto_dek_attr(const struct crypto_case *c, struct ib_pd *pd,
		     struct mlx5dv_dek_init_attr *attr);
int crypto_try_dek(struct ib_device *dev, const struct mlx5dv_dek_init_attr *attr);
int crypto_new_dek(struct crypto_run *r);
void crypto_attr(const struct crypto_run *r, struct mlx5dv_crypto_attr *attr);
int crypto_configure_with(struct crypto_run *r, const struct mlx5dv_crypto_attr *attr);
int crypto_configure(struct crypto_run *r);
int crypto_move(struct crypto_run *r, enum move_op op, u32 seed);
int crypto_read_by_peer(struct crypto_run *r, u32 off, u32 len);

#endif /* MLX5DV_TEST_CRYPTO_H */
