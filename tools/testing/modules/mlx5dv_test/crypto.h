/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Suites of encryption: an mkey with encryption at end 0, plain memory at end 1.
 */
#ifndef MLX5DV_TEST_CRYPTO_H
#define MLX5DV_TEST_CRYPTO_H

#include "dv.h"

#define CRYPTO_AT	192	/* offset of the mkey's memory in the owner's buffer */
#define CRYPTO_GAP	32	/* bytes between its pieces */
#define CRYPTO_FAR	64	/* offset of the bytes of the wire in the peer's buffer */
#define CRYPTO_PIECES	3
#define CRYPTO_KEY_MAX	64

/* the first bytes of every key, which the script looks for in logs */
#define CRYPTO_KEY_HEAD	"\xc0\xde\x5e\xc2\xe7\x4b\x1d\x0f"

/**
 * struct crypto_case - a configuration and what moves through it
 * @unit: data unit
 * @key_size: of each of the two keys
 * @encrypt_on_tx: of mlx5dv_crypto_attr
 * @has_keytag: the DEK has a keytag
 * @pieces: of the memory, 1 or CRYPTO_PIECES
 * @len: bytes
 * @tweak: initial tweak, its low and its high half
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

/* operations on the mkey, by its owner and by the peer */
enum crypto_op {
	CRYPTO_SEND,		/* memory to wire */
	CRYPTO_WRITE,
	CRYPTO_READ_BY_PEER,
	CRYPTO_RECV,		/* wire to memory */
	CRYPTO_READ,
	CRYPTO_WRITE_BY_PEER,
	CRYPTO_OPS,
};

/**
 * struct crypto_run - what a case needs while it runs
 * @p: the pair
 * @mkey: mkey with encryption, of end 0
 * @dek: its DEK, or NULL
 * @login: login of a DEK that is wrapped, or NULL
 * @c: the configuration
 * @in: bytes that are sent
 * @out: bytes that must arrive
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
void crypto_dek_attr(const struct crypto_case *c, struct ib_pd *pd,
		     struct mlx5dv_dek_init_attr *attr);
int crypto_new_dek(struct crypto_run *r);
void crypto_attr(const struct crypto_run *r, struct mlx5dv_crypto_attr *attr);
int crypto_configure_with(struct crypto_run *r, const struct mlx5dv_crypto_attr *attr);
int crypto_configure(struct crypto_run *r);
int crypto_move(struct crypto_run *r, enum crypto_op op, u32 seed);
int crypto_read_by_peer(struct crypto_run *r, u32 off, u32 len);

static inline bool crypto_to_memory(enum crypto_op op)
{
	return op >= CRYPTO_RECV;
}

#endif /* MLX5DV_TEST_CRYPTO_H */
