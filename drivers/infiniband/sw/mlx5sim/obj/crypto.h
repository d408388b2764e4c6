/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Encryption of a memory key: its crypto BSF, data encryption keys, and
 * AES-XTS.
 *
 * <linux/mlx5/mlx5_ifc.h> describes neither the BSF nor a DEK for AES-XTS. The
 * layouts are the same as in libmlx5.
 */
#ifndef MLX5SIM_OBJ_CRYPTO_H
#define MLX5SIM_OBJ_CRYPTO_H

#include <linux/types.h>

#include "core/compat.h"
#include "obj/objects.h"

struct sim_mkey;

#define SIM_CRYPTO_MAX_UNIT	4160	/* bytes of the largest data unit */
#define SIM_XTS_TWEAK		16
#define SIM_XTS_MAX_KEY		64	/* bytes of both keys */
#define SIM_KEYTAG		8
#define SIM_DEK_OPAQUE		8
#define SIM_CREDENTIAL		40	/* bytes of a credential */

/**
 * struct sim_crypto_bsf - crypto BSF as in a UMR
 * @size_type: size in the high two bits, type in the low bits
 * @order: enum sim_crypto_order
 * @rsvd0: 0
 * @standard: 0 = AES-XTS
 * @raw_size: length limit of the mkey, in bytes
 * @unit: selector of the data unit, with the values of block selectors
 * @rsvd1: 0
 * @tweak: tweak of the first data unit
 * @dek: number of the DEK, in the low 24 bits
 * @rsvd2: 0
 * @keytag: keytag
 * @rsvd3: 0
 */
struct sim_crypto_bsf {
	u8 size_type;
	u8 order;
	u8 rsvd0;
	u8 standard;
	__be32 raw_size;
	u8 unit;
	u8 rsvd1[7];
	u8 tweak[SIM_XTS_TWEAK];
	__be32 dek;
	u8 rsvd2[4];
	u8 keytag[SIM_KEYTAG];
	u8 rsvd3[16];
};

/* crypto_en of the mkey context at bit @at of a structure; 1 = AES-XTS */
#define SIM_MKC_CRYPTO_EN(at)	{ (at) + 0x1e3, 2 }

/* Domain of the ciphertext, and whether the signatures are encrypted, too */
enum sim_crypto_order {
	SIM_CRYPTO_WIRE_SIG,	/* wire: enc(data and signatures) */
	SIM_CRYPTO_MEM_SIG,	/* memory: enc(data and signatures) */
	SIM_CRYPTO_RAW_WIRE,	/* wire: enc(data), signatures of enc(data) */
	SIM_CRYPTO_RAW_MEM,	/* memory: enc(data), signatures of enc(data) */
	SIM_CRYPTO_ORDERS
};

/**
 * struct sim_crypto - encryption of a memory key
 * @set: a UMR has set the members below
 * @order: order of encryption and signatures
 * @unit: bytes of a data unit
 * @tweak: tweak of the first data unit, little-endian
 * @raw_size: length limit of the mkey, in bytes
 * @dek: number of the DEK
 * @serial: sim_dek.serial of the DEK when the UMR was executed
 * @keytag: keytag that the DEK must have, if it has a keytag
 */
struct sim_crypto {
	bool set;
	enum sim_crypto_order order;
	u16 unit;
	u8 tweak[SIM_XTS_TWEAK];
	u32 raw_size;
	u32 dek;
	u64 serial;
	u8 keytag[SIM_KEYTAG];
};

/**
 * struct sim_xts - AES-XTS with a key
 * @data: key for data
 * @tweak: key for tweaks
 */
struct sim_xts {
	struct aes_key data;
	struct aes_key tweak;
};

/**
 * struct sim_dek - a data encryption key
 * @obj: obj.id is the number
 * @pd: protection domain
 * @serial: number of DEKs that were created before this DEK; not used again,
 *	unlike obj.id
 * @size: as in the object: 0 = two keys of 128 bits, 1 = two keys of 256 bits
 * @wrapped: the DEK was created from a wrapped key: QUERY needs a valid login
 * @has_keytag: mkeys that use the DEK must have the keytag of the DEK
 * @keytag: keytag
 * @opaque: as the driver set it
 * @xts: the cipher
 */
struct sim_dek {
	struct sim_obj obj;
	struct sim_pd *pd;
	u64 serial;
	u8 size;
	bool wrapped;
	bool has_keytag;
	u8 keytag[SIM_KEYTAG];
	u8 opaque[SIM_DEK_OPAQUE];
	struct sim_xts xts;
};

/**
 * struct sim_login - a crypto login
 * @obj: obj.id is the number
 * @deletions: sim_officer.deletions when the login was created
 */
struct sim_login {
	struct sim_obj obj;
	u32 deletions;
};

/* Is the ciphertext on the wire? Otherwise it is in memory. */
static inline bool sim_crypto_encrypts_tx(const struct sim_crypto *c)
{
	return c->order == SIM_CRYPTO_WIRE_SIG || c->order == SIM_CRYPTO_RAW_WIRE;
}

/*
 * Is the cipher between signatures and wire? Otherwise it is between memory and
 * signatures.
 */
static inline bool sim_crypto_at_wire(const struct sim_crypto *c)
{
	return c->order == SIM_CRYPTO_WIRE_SIG || c->order == SIM_CRYPTO_RAW_MEM;
}

/*
 * Are signatures calculated from the ciphertext? Otherwise signatures are
 * encrypted with the data.
 */
static inline bool sim_crypto_signed(const struct sim_crypto *c)
{
	return c->order == SIM_CRYPTO_RAW_WIRE || c->order == SIM_CRYPTO_RAW_MEM;
}

/* ---- cbsf.c ---- */

int sim_crypto_decode(struct sim_dev *sdev, const struct sim_crypto_bsf *raw, bool behind_sig,
		      struct sim_crypto *c, const char **why);
struct sim_dek *sim_crypto_dek(struct sim_dev *sdev, const struct sim_mkey *mkey,
			       const char **why);

/* ---- keywrap.c ---- */

int sim_unwrap(const u8 *kek, u32 kek_len, const u8 *in, u32 len, u8 *out);

/* ---- xts.c ---- */

int sim_xts_init(struct sim_xts *xts, const u8 *key, u32 len);
void sim_xts_exit(struct sim_xts *xts);
void sim_xts_unit(const struct sim_xts *xts, bool encrypt, const u8 *tweak, u8 *buf, u32 len);
void sim_xts_tweak(u8 *tweak, const u8 *first, u64 add);

#endif /* MLX5SIM_OBJ_CRYPTO_H */
