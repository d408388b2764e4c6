// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: crypto BSFs, DEK objects and logins. See enc/crypto.h.
 */
#include <linux/string.h>
#include <linux/unaligned.h>

#include "enc/bsf.h"
#include "enc/crypto.h"

/* size_type: a BSF of 64 bytes without a signature BSF before it */
#define CRYPTO_BSF_ALONE	(2 << 6)
#define CRYPTO_BSF_TYPE		0x01

/*
 * order: the domain with the ciphertext, and whether signatures cover the
 * ciphertext
 */
#define ORDER_WIRE_OF_SIG	0	/* wire: enc(data and signatures) */
#define ORDER_MEM_OF_SIG	1	/* memory: enc(data and signatures) */
#define ORDER_WIRE_RAW		2	/* wire: enc(data), signatures of enc(data) */
#define ORDER_MEM_RAW		3	/* memory: enc(data), signatures of enc(data) */

#define STANDARD_AES_XTS	0

/* DEK object: the word of 32 bits at 0x8 */
#define DEK_STATE_AND_SIZE	2
#define DEK_SIZE_SHIFT		8
#define DEK_SIZE_128		0
#define DEK_SIZE_256		1
#define DEK_HAS_KEYTAG		BIT(7)
#define DEK_FOR_AES_XTS		3
/* DEK object: the next word of 32 bits */
#define DEK_PD			3
/* bytes that AES key wrap adds to a key */
#define DEK_WRAPPED		8

/* login object: two words of 32 bits, and the byte offset of the credential */
#define LOGIN_CREDENTIAL_ID	4
#define LOGIN_KEK_ID		5
#define LOGIN_CREDENTIAL_AT	0x40

#define CRYPTO_FIELD(field, value)	IBX_FIELD(struct ibx_crypto_bsf, field, value)

IBX_ASSERT_WORD(struct ibx_crypto_bsf, raw_size, 0);
IBX_ASSERT_WORD(struct ibx_crypto_bsf, unit, 1);
IBX_ASSERT_WORD(struct ibx_crypto_bsf, dekn, 4);
static_assert(offsetof(struct ibx_crypto_bsf, tweak) == 16);
static_assert(offsetof(struct ibx_crypto_bsf, keytag) == 40);

static u8 crypto_order(const struct mlx5dv_crypto_attr *attr)
{
	/* indexed by encrypt_on_tx and signature_crypto_order */
	static const u8 orders[2][2] = {
		{ ORDER_MEM_OF_SIG, ORDER_MEM_RAW },
		{ ORDER_WIRE_RAW, ORDER_WIRE_OF_SIG },
	};

	static_assert(MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_AFTER_CRYPTO_ON_TX == 0 &&
		      MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX == 1);
	return orders[attr->encrypt_on_tx][attr->signature_crypto_order];
}

/**
 * ibx_crypto_unit_bytes() - bytes of a data unit
 * @size: size of the data unit
 *
 * Context: any.
 * Return: bytes; 0 for a size that is unknown.
 */
u32 ibx_crypto_unit_bytes(enum mlx5dv_block_size size)
{
	switch (size) {
	case MLX5DV_BLOCK_SIZE_512:
		return 512;
	case MLX5DV_BLOCK_SIZE_520:
		return 520;
	case MLX5DV_BLOCK_SIZE_4048:
		return 4048;
	case MLX5DV_BLOCK_SIZE_4096:
		return 4096;
	case MLX5DV_BLOCK_SIZE_4160:
		return 4160;
	default:
		return 0;
	}
}

/**
 * ibx_crypto_of_data() - are signatures calculated from ciphertext?
 * @bsf: BSF from ibx_enc_crypto_bsf()
 *
 * No device supports this with signatures in both domains.
 *
 * Context: any.
 * Return: true if signatures are calculated from the ciphertext of the data;
 * false if signatures are part of the ciphertext.
 */
bool ibx_crypto_of_data(const struct ibx_crypto_bsf *bsf)
{
	return bsf->order == ORDER_WIRE_RAW || bsf->order == ORDER_MEM_RAW;
}

/**
 * ibx_enc_crypto_bsf() - write the crypto BSF of an mkey without signatures
 * @bsf: BSF; every byte is written
 * @attr: valid attributes
 * @dekn: number of the DEK
 * @be_tweak: the device needs a big-endian tweak, because it supports mkeys
 *	with several data units
 *
 * Context: any.
 */
void ibx_enc_crypto_bsf(struct ibx_crypto_bsf *bsf, const struct mlx5dv_crypto_attr *attr, u32 dekn,
			bool be_tweak)
{
	const char *tweak = attr->initial_tweak;

	ibx_put(bsf, 0, CRYPTO_FIELD(size_type, CRYPTO_BSF_ALONE | CRYPTO_BSF_TYPE) |
			CRYPTO_FIELD(order, crypto_order(attr)) |
			CRYPTO_FIELD(standard, STANDARD_AES_XTS) |
			CRYPTO_FIELD(raw_size, IBX_SIG_MAX_LENGTH));
	ibx_put(bsf, 1, CRYPTO_FIELD(unit, ibx_block_selector(attr->data_unit_size)));
	ibx_put(bsf, 2, be_tweak ? get_unaligned_le64(tweak + 8) : get_unaligned_be64(tweak));
	ibx_put(bsf, 3, be_tweak ? get_unaligned_le64(tweak) : get_unaligned_be64(tweak + 8));
	ibx_put(bsf, 4, CRYPTO_FIELD(dekn, dekn));
	ibx_put(bsf, 5, get_unaligned_be64(attr->keytag));
	ibx_put_zero(bsf, 6, 2);
}

/**
 * ibx_enc_dek() - write a DEK object to create
 * @obj: IBX_DEK_BYTES, zeroed
 * @attr: valid attributes
 * @pdn: number of the PD
 *
 * Only the valid bytes of @attr->key are copied: the AES-XTS key, 8 bytes of a
 * keytag, and 8 bytes that wrapping adds.
 *
 * Context: any.
 */
void ibx_enc_dek(void *obj, const struct mlx5dv_dek_init_attr *attr, u32 pdn)
{
	const bool big = attr->key_size == MLX5DV_CRYPTO_KEY_SIZE_256;
	const u32 len = (big ? 64 : 32) + (attr->has_keytag ? 8 : 0) +
			(attr->crypto_login ? DEK_WRAPPED : 0);
	__be32 *words = obj;

	words[DEK_STATE_AND_SIZE] = cpu_to_be32((big ? DEK_SIZE_256 : DEK_SIZE_128) <<
						DEK_SIZE_SHIFT |
						(attr->has_keytag ? DEK_HAS_KEYTAG : 0) |
						DEK_FOR_AES_XTS);
	words[DEK_PD] = cpu_to_be32(pdn);
	memcpy(obj + IBX_DEK_OPAQUE_AT, attr->opaque, sizeof(attr->opaque));
	memcpy(obj + IBX_DEK_KEY_AT, attr->key, len);
}

/**
 * ibx_enc_login() - write a login object to create
 * @obj: IBX_LOGIN_BYTES, zeroed
 * @attr: valid attributes
 *
 * Context: any.
 */
void ibx_enc_login(void *obj, const struct mlx5dv_crypto_login_attr_ex *attr)
{
	__be32 *words = obj;

	words[LOGIN_CREDENTIAL_ID] = cpu_to_be32(attr->credential_id);
	words[LOGIN_KEK_ID] = cpu_to_be32(attr->import_kek_id);
	memcpy(obj + LOGIN_CREDENTIAL_AT, attr->credential, attr->credential_len);
}
