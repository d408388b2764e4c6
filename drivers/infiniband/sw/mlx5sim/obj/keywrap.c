// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * AES key wrap (RFC 3394, and KW of NIST SP 800-38F), on the kernel's AES
 * library. The device only unwraps.
 */
#include <linux/string.h>
#include <linux/unaligned.h>

#include "obj/crypto.h"

#define HALF	8			/* half a block of AES */
#define LAPS	6
#define WRAP_IV	0xa6a6a6a6a6a6a6a6ull

/*
 * The steps of wrapping in reverse order, on @n halves at @out. Returns the
 * check value.
 */
static u64 unwrap_halves(const struct aes_key *kek, u8 *out, u32 n, u64 iv)
{
	u8 block[2 * HALF];
	u32 step;

	for (step = LAPS * n; step; step--) {
		u8 *half = out + (step - 1) % n * HALF;

		put_unaligned_be64(iv ^ step, block);
		memcpy(block + HALF, half, HALF);
		aes_decrypt(kek, block, block);
		iv = get_unaligned_be64(block);
		memcpy(half, block + HALF, HALF);
	}
	memzero_explicit(block, sizeof(block));
	return iv;
}

/**
 * sim_unwrap() - unwrap a key
 * @kek: key encryption key
 * @kek_len: bytes of @kek
 * @in: wrapped key
 * @len: bytes of @in, a multiple of 8, at least 24
 * @out: out: the key, @len - 8 bytes; cleared for -EBADMSG
 *
 * Context: any.
 * Return:
 * * 0
 * * -EBADMSG: the key was wrapped with another key, or the wrapped key was
 *   changed
 * * -EINVAL: AES has no keys of @kek_len bytes
 */
int sim_unwrap(const u8 *kek, u32 kek_len, const u8 *in, u32 len, u8 *out)
{
	struct aes_key key;
	int err;

	err = aes_preparekey(&key, kek, kek_len);
	if (err)
		return err;
	memcpy(out, in + HALF, len - HALF);
	if (unwrap_halves(&key, out, len / HALF - 1, get_unaligned_be64(in)) != WRAP_IV) {
		memzero_explicit(out, len - HALF);
		err = -EBADMSG;
	}
	memzero_explicit(&key, sizeof(key));
	return err;
}
