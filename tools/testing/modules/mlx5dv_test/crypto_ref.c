// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Reference of encryption: xts(aes) of the kernel, for one data unit at a time; and
 * AES key wrap (RFC 3394), in code that is independent of the simulated device.
 */
#include <crypto/skcipher.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/unaligned.h>

#include "crypto.h"

/**
 * crypto_unit() - get the size of a data unit
 * @unit: size of a data unit, as in mlx5dv_crypto_attr
 *
 * Return: bytes of a data unit.
 */
u32 crypto_unit(enum mlx5dv_block_size unit)
{
	static const u16 bytes[] = { 512, 520, 4048, 4096, 4160 };

	return bytes[unit];
}

/**
 * crypto_key_len() - get the length of both XTS keys
 * @size: size of each key, as in mlx5dv_dek_init_attr
 *
 * Return: bytes of both keys together.
 */
u32 crypto_key_len(enum mlx5dv_crypto_key_size size)
{
	return size == MLX5DV_CRYPTO_KEY_SIZE_256 ? 64 : 32;
}

/**
 * crypto_key() - make both keys of a configuration
 * @c: configuration; the keys depend on its data unit and key size
 * @key: receives CRYPTO_KEY_MAX bytes
 */
void crypto_key(const struct crypto_case *c, u8 *key)
{
	u32 x = c->unit * 5 + c->key_size * 3 + 1;
	int i;

	for (i = 0; i < CRYPTO_KEY_MAX; i++) {
		x = x * 1103515245 + 12345;
		key[i] = x >> 16;
	}
	memcpy(key, CRYPTO_KEY_HEAD, sizeof(CRYPTO_KEY_HEAD) - 1);
}

static int crypt_units(struct skcipher_request *req, const struct crypto_case *c, bool encrypt,
		       u32 n, u8 *buf, u32 len)
{
	const u32 unit = crypto_unit(c->unit);
	struct scatterlist sg;
	u8 iv[16];
	u32 k;
	int err;

	for (; len; len -= k, buf += k, n++) {
		k = min(len, unit);
		put_unaligned_le64(c->tweak[0] + n, iv);
		put_unaligned_le64(c->tweak[1] + (c->tweak[0] + n < c->tweak[0]), iv + 8);
		sg_init_one(&sg, buf, k);
		skcipher_request_set_callback(req, CRYPTO_TFM_REQ_MAY_SLEEP, NULL, NULL);
		skcipher_request_set_crypt(req, &sg, &sg, k, iv);
		err = encrypt ? crypto_skcipher_encrypt(req) : crypto_skcipher_decrypt(req);
		if (err)
			return err;
	}
	return 0;
}

/**
 * crypto_reference() - encrypt or decrypt in place, as the device must
 * @c: configuration
 * @encrypt: encrypt, otherwise decrypt
 * @first_unit: index of the first data unit from the start of the mkey
 * @buf: the bytes, in memory of kmalloc()
 * @len: bytes at @buf
 *
 * Return: 0 or a negative errno.
 */
int crypto_reference(const struct crypto_case *c, bool encrypt, u32 first_unit, u8 *buf, u32 len)
{
	struct crypto_skcipher *tfm = crypto_alloc_skcipher("xts(aes)", 0, CRYPTO_ALG_ASYNC);
	struct skcipher_request *req;
	u8 key[CRYPTO_KEY_MAX];
	int err;

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	crypto_key(c, key);
	err = crypto_skcipher_setkey(tfm, key, crypto_key_len(c->key_size));
	req = skcipher_request_alloc(tfm, GFP_KERNEL);
	if (!err)
		err = req ? crypt_units(req, c, encrypt, first_unit, buf, len) : -ENOMEM;
	skcipher_request_free(req);
	crypto_free_skcipher(tfm);
	return err;
}

/* the steps of RFC 3394 on the @n 64-bit blocks that follow the first 64-bit block at @out */
static int wrap_steps(struct skcipher_request *req, u8 *out, u32 n)
{
	u8 *block = kmalloc(16, GFP_KERNEL);
	struct scatterlist sg;
	int err = 0;
	u32 step;

	if (!block)
		return -ENOMEM;
	sg_init_one(&sg, block, 16);
	skcipher_request_set_callback(req, CRYPTO_TFM_REQ_MAY_SLEEP, NULL, NULL);
	skcipher_request_set_crypt(req, &sg, &sg, 16, NULL);
	for (step = 0; step < 6 * n && !err; step++) {
		u8 *half = out + 8 + step % n * 8;

		memcpy(block, out, 8);
		memcpy(block + 8, half, 8);
		err = crypto_skcipher_encrypt(req);
		put_unaligned_be64(get_unaligned_be64(block) ^ (step + 1), out);
		memcpy(half, block + 8, 8);
	}
	kfree(block);
	return err;
}

/**
 * crypto_wrap() - wrap a key or a credential
 * @kek: key encryption key, 16 bytes
 * @in: the key or credential
 * @len: bytes at @in, a multiple of 8
 * @out: receives @len + 8 bytes
 *
 * Return: 0 or a negative errno.
 */
int crypto_wrap(const u8 *kek, const void *in, u32 len, u8 *out)
{
	struct crypto_skcipher *tfm = crypto_alloc_skcipher("ecb(aes)", 0, CRYPTO_ALG_ASYNC);
	struct skcipher_request *req;
	int err;

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	memset(out, 0xa6, 8);
	memcpy(out + 8, in, len);
	err = crypto_skcipher_setkey(tfm, kek, 16);
	req = skcipher_request_alloc(tfm, GFP_KERNEL);
	if (!err)
		err = req ? wrap_steps(req, out, len / 8) : -ENOMEM;
	skcipher_request_free(req);
	crypto_free_skcipher(tfm);
	return err;
}
