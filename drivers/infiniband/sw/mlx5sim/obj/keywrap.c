// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * AES key wrap (RFC 3394, and KW of NIST SP 800-38F), by the kernel's cipher. The device only
 * unwraps. The kernel's kw(aes) is not used: nothing else in the kernel does.
 */
#include <crypto/skcipher.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/unaligned.h>

#include "obj/crypto.h"

#define HALF	8			/* the algorithm works on halves of blocks of AES */
#define LAPS	6
#define WRAP_IV	0xa6a6a6a6a6a6a6a6ull

/* Decrypt a block of AES at @block, which is memory of kmalloc(). */
static int decrypt_block(struct crypto_skcipher *tfm, u8 *block)
{
	struct skcipher_request *req = skcipher_request_alloc(tfm, GFP_KERNEL);
	struct scatterlist sg;
	int err;

	if (!req)
		return -ENOMEM;
	sg_init_one(&sg, block, 2 * HALF);
	skcipher_request_set_callback(req, CRYPTO_TFM_REQ_MAY_SLEEP, NULL, NULL);
	skcipher_request_set_crypt(req, &sg, &sg, 2 * HALF, NULL);
	err = crypto_skcipher_decrypt(req);
	skcipher_request_free(req);
	return err;
}

/* The steps of wrapping, backwards, on @n halves at @out; *@iv is the check value */
static int unwrap_halves(struct crypto_skcipher *tfm, u8 *out, u32 n, u64 *iv)
{
	u8 *block = kmalloc(2 * HALF, GFP_KERNEL);
	int err = 0;
	u32 step;

	if (!block)
		return -ENOMEM;
	for (step = LAPS * n; step && !err; step--) {
		u8 *half = out + (step - 1) % n * HALF;

		put_unaligned_be64(*iv ^ step, block);
		memcpy(block + HALF, half, HALF);
		err = decrypt_block(tfm, block);
		*iv = get_unaligned_be64(block);
		memcpy(half, block + HALF, HALF);
	}
	kfree_sensitive(block);
	return err;
}

/**
 * sim_unwrap() - unwrap a key
 * @kek: key that it is wrapped with
 * @kek_len: bytes of @kek
 * @in: wrapped key
 * @len: its bytes, a multiple of 8, at least 24
 * @out: out: the key, @len - 8 bytes; cleared on errors
 *
 * Context: may sleep, and may load the module of the cipher.
 * Return: 0; -EBADMSG when it was wrapped with another key, or changed; or the
 * errno of the cipher.
 */
int sim_unwrap(const u8 *kek, u32 kek_len, const u8 *in, u32 len, u8 *out)
{
	struct crypto_skcipher *tfm = crypto_alloc_skcipher("ecb(aes)", 0, CRYPTO_ALG_ASYNC);
	u64 iv = get_unaligned_be64(in);
	int err;

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	memcpy(out, in + HALF, len - HALF);
	err = crypto_skcipher_setkey(tfm, kek, kek_len);
	if (!err)
		err = unwrap_halves(tfm, out, len / HALF - 1, &iv);
	if (!err && iv != WRAP_IV)
		err = -EBADMSG;
	if (err)
		memzero_explicit(out, len - HALF);
	crypto_free_skcipher(tfm);
	return err;
}
