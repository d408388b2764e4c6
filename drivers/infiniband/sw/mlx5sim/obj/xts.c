// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * AES-XTS (IEEE 1619), on the kernel's AES library.
 *
 * The crypto API is not used, because it loads and tests a cipher at the first
 * allocation, which would stop the hardware thread for seconds. The functions
 * of the library are available once mlx5sim is loaded.
 */
#include <linux/string.h>
#include <linux/unaligned.h>

#include "obj/crypto.h"

static_assert(SIM_XTS_TWEAK == AES_BLOCK_SIZE);

/**
 * sim_xts_init() - prepare the cipher for a key
 * @xts: out: cipher
 * @key: key for data, followed by the key for tweaks; not used after the call
 * @len: length of both keys in bytes: 32 or 64
 *
 * Context: any.
 * Return: 0; -EINVAL for other values of @len.
 */
int sim_xts_init(struct sim_xts *xts, const u8 *key, u32 len)
{
	if (len != SIM_XTS_MAX_KEY && len != SIM_XTS_MAX_KEY / 2)
		return -EINVAL;
	return aes_preparekey(&xts->data, key, len / 2) ?:
	       aes_preparekey(&xts->tweak, key + len / 2, len / 2);
}

/**
 * sim_xts_exit() - undo sim_xts_init()
 * @xts: cipher; the keys are cleared
 *
 * Context: any.
 */
void sim_xts_exit(struct sim_xts *xts)
{
	memzero_explicit(xts, sizeof(*xts));
}

/* Multiply a tweak by the primitive element of GF(2^128). */
static void xts_next_tweak(u8 *tweak)
{
	u64 low = get_unaligned_le64(tweak);
	u64 high = get_unaligned_le64(tweak + 8);

	put_unaligned_le64(low << 1 ^ (high >> 63 ? 0x87 : 0), tweak);
	put_unaligned_le64(high << 1 | low >> 63, tweak + 8);
}

static void xts_xor(u8 *block, const u8 *with)
{
	put_unaligned(get_unaligned((u64 *)block) ^ get_unaligned((const u64 *)with),
		      (u64 *)block);
	put_unaligned(get_unaligned((u64 *)(block + 8)) ^ get_unaligned((const u64 *)(with + 8)),
		      (u64 *)(block + 8));
}

static void xts_block(const struct sim_xts *xts, bool encrypt, const u8 *tweak, u8 *block)
{
	xts_xor(block, tweak);
	if (encrypt)
		aes_encrypt(&xts->data, block, block);
	else
		aes_decrypt(&xts->data, block, block);
	xts_xor(block, tweak);
}

/*
 * The last complete block and the @rest bytes after it, with ciphertext
 * stealing. Decryption uses the two tweaks in the opposite order.
 */
static void xts_steal(const struct sim_xts *xts, bool encrypt, const u8 *tweak, u8 *block,
		      u32 rest)
{
	u8 next[SIM_XTS_TWEAK], tail[SIM_XTS_TWEAK];

	memcpy(next, tweak, sizeof(next));
	xts_next_tweak(next);
	xts_block(xts, encrypt, encrypt ? tweak : next, block);
	memcpy(tail, block, sizeof(tail));
	memcpy(tail, block + SIM_XTS_TWEAK, rest);
	memcpy(block + SIM_XTS_TWEAK, block, rest);
	xts_block(xts, encrypt, encrypt ? next : tweak, tail);
	memcpy(block, tail, sizeof(tail));
}

/**
 * sim_xts_unit() - encrypt or decrypt a data unit in place
 * @xts: cipher
 * @encrypt: true: encrypt; false: decrypt
 * @tweak: tweak of the unit, SIM_XTS_TWEAK bytes
 * @buf: the unit
 * @len: bytes of the unit, SIM_XTS_TWEAK to SIM_CRYPTO_MAX_UNIT
 *
 * Context: any.
 */
void sim_xts_unit(const struct sim_xts *xts, bool encrypt, const u8 *tweak, u8 *buf, u32 len)
{
	u32 rest = len % SIM_XTS_TWEAK;
	u8 *end = buf + len - rest - (rest ? SIM_XTS_TWEAK : 0);
	u8 t[SIM_XTS_TWEAK];

	aes_encrypt(&xts->tweak, t, tweak);
	for (; buf < end; buf += SIM_XTS_TWEAK) {
		xts_block(xts, encrypt, t, buf);
		xts_next_tweak(t);
	}
	if (rest)
		xts_steal(xts, encrypt, t, buf, rest);
}

/**
 * sim_xts_tweak() - tweak of a data unit
 * @tweak: out: tweak, a number of 128 bits, little-endian
 * @first: tweak of the first data unit
 * @add: number of data units that precede the data unit
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
