// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * AES-XTS, by the kernel's cipher. A synchronous one: the hardware thread waits.
 */
#include <crypto/skcipher.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/unaligned.h>

#include "obj/crypto.h"

/**
 * sim_xts_init() - prepare the cipher for a key
 * @xts: out: cipher
 * @key: key for data and key for tweaks, in a row; the cipher keeps what it needs of them
 * @len: bytes of both
 *
 * Context: may sleep, and may load the module of the cipher.
 * Return: 0; -ENOMEM; -ENOENT when the kernel does not have the cipher; -EINVAL
 * for a key that it refuses.
 */
int sim_xts_init(struct sim_xts *xts, const u8 *key, u32 len)
{
	int err;

	xts->tfm = crypto_alloc_skcipher("xts(aes)", 0, CRYPTO_ALG_ASYNC);
	if (IS_ERR(xts->tfm))
		return PTR_ERR(xts->tfm);
	err = -ENOMEM;
	xts->req = skcipher_request_alloc(xts->tfm, GFP_KERNEL);
	if (!xts->req)
		goto free_tfm;
	xts->buf = kmalloc(SIM_CRYPTO_MAX_UNIT, GFP_KERNEL);
	if (!xts->buf)
		goto free_req;
	err = crypto_skcipher_setkey(xts->tfm, key, len);
	if (err)
		goto free_buf;
	return 0;

free_buf:
	kfree(xts->buf);
free_req:
	skcipher_request_free(xts->req);
free_tfm:
	crypto_free_skcipher(xts->tfm);
	return err;
}

/**
 * sim_xts_exit() - undo sim_xts_init()
 * @xts: cipher; the key is cleared
 *
 * Context: may sleep.
 */
void sim_xts_exit(struct sim_xts *xts)
{
	kfree_sensitive(xts->buf);
	skcipher_request_free(xts->req);
	crypto_free_skcipher(xts->tfm);
}

/**
 * sim_xts_unit() - encrypt or decrypt a data unit in place
 * @xts: cipher
 * @encrypt: encrypt, otherwise decrypt
 * @tweak: tweak of the unit, SIM_XTS_TWEAK bytes
 * @buf: the unit
 * @len: its bytes, SIM_XTS_TWEAK to SIM_CRYPTO_MAX_UNIT
 *
 * Context: may sleep.
 * Return: 0, or the errno of the cipher.
 */
int sim_xts_unit(struct sim_xts *xts, bool encrypt, const u8 *tweak, u8 *buf, u32 len)
{
	u8 iv[SIM_XTS_TWEAK];
	struct scatterlist sg;
	int err;

	/* the cipher changes the tweak, and wants memory of the page allocator */
	memcpy(iv, tweak, sizeof(iv));
	memcpy(xts->buf, buf, len);
	sg_init_one(&sg, xts->buf, len);
	skcipher_request_set_callback(xts->req, CRYPTO_TFM_REQ_MAY_SLEEP, NULL, NULL);
	skcipher_request_set_crypt(xts->req, &sg, &sg, len, iv);
	err = encrypt ? crypto_skcipher_encrypt(xts->req) : crypto_skcipher_decrypt(xts->req);
	if (!err)
		memcpy(buf, xts->buf, len);
	return err;
}

/**
 * sim_xts_tweak() - tweak of a data unit
 * @tweak: out: tweak, a number of 128 bits, little-endian
 * @first: tweak of the first data unit
 * @add: number of data units before this one
 *
 * Context: any; pure.
 */
void sim_xts_tweak(u8 *tweak, const u8 *first, u64 add)
{
	u64 low = get_unaligned_le64(first);
	u64 high = get_unaligned_le64(first + 8);

	put_unaligned_le64(low + add, tweak);
	put_unaligned_le64(high + (low + add < low), tweak + 8);
}
