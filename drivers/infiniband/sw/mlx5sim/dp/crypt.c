// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The encryption engine: a stream of bytes through AES-XTS.
 *
 * The stream is cut into data units, which are encrypted or decrypted when they
 * are complete. A transfer begins at the start of a data unit. The tweak of a
 * unit is the tweak of the BSF plus the index of the unit from the start of the
 * key, so a retransmitted message has the same tweaks. Unrefereed: U-128.
 */
#include "core/core.h"
#include "dp/dp.h"
#include "obj/obj.h"

/**
 * sim_crypt_init() - start a stream
 * @crypt: out: stream
 * @sdev: simulated function
 * @mkey: key with encryption
 * @off: bytes from the start of the key to the start of the transfer, in the
 *	domain next to the cipher (sim_crypto_at_wire())
 * @write: true: the stream goes from wire to memory; false: memory to wire
 *
 * Context: hardware thread.
 * Return: 0; -EFAULT when no data unit begins at @off, or the DEK is unusable.
 */
int sim_crypt_init(struct sim_crypt *crypt, struct sim_dev *sdev, const struct sim_mkey *mkey,
		   u32 off, bool write)
{
	const char *why;

	crypt->c = mkey->crypto;
	crypt->dek = sim_crypto_dek(sdev, mkey, &why);
	crypt->encrypt = sim_crypto_encrypts_tx(crypt->c) != write;
	crypt->unit = off / crypt->c->unit;
	crypt->have = 0;
	crypt->total = 0;
	crypt->units = 0;
	return crypt->dek && off % crypt->c->unit == 0 ? 0 : -EFAULT;
}

/* Encrypt or decrypt the bytes in the buffer, to @out. */
static void crypt_unit(struct sim_crypt *crypt, u8 *out)
{
	u8 tweak[SIM_XTS_TWEAK];

	sim_xts_tweak(tweak, crypt->c->tweak, crypt->unit);
	sim_xts_unit(&crypt->dek->xts, crypt->encrypt, tweak, crypt->buf, crypt->have);
	memcpy(out, crypt->buf, crypt->have);
	crypt->have = 0;
	crypt->unit++;
	crypt->units++;
}

/**
 * sim_crypt_feed() - move bytes through a stream
 * @crypt: stream
 * @in: bytes
 * @n: number of bytes at @in
 * @out: bytes of the data units that are complete; SIM_CRYPT_ROOM(@n) bytes of
 *	space
 *
 * Context: hardware thread.
 * Return: number of bytes written to @out.
 */
u32 sim_crypt_feed(struct sim_crypt *crypt, const u8 *in, u32 n, u8 *out)
{
	u32 k, total = 0;

	crypt->total += n;
	for (; n; n -= k, in += k) {
		k = min_t(u32, n, crypt->c->unit - crypt->have);
		memcpy(crypt->buf + crypt->have, in, k);
		crypt->have += k;
		if (crypt->have < crypt->c->unit)
			continue;
		crypt_unit(crypt, out + total);
		total += crypt->c->unit;
	}
	return total;
}

/*
 * Does mlx5dv_wr_set_mkey_crypto(3) allow the length of a transfer whose last
 * data unit is incomplete? The length must be a multiple of 16 bytes, the size
 * of a cipher block. The last unit must have at least 16 bytes, and lack at
 * least 16 bytes. Unrefereed: U-129.
 */
static bool crypt_length_ok(const struct sim_crypt *crypt)
{
	return crypt->total % SIM_XTS_TWEAK == 0 && crypt->have >= SIM_XTS_TWEAK &&
	       crypt->have <= crypt->c->unit - SIM_XTS_TWEAK;
}

/**
 * sim_crypt_end() - end a stream
 * @crypt: stream
 * @out: bytes of the last data unit if it is not complete; SIM_CRYPTO_MAX_UNIT
 *	bytes of space
 *
 * Context: hardware thread.
 * Return: number of bytes written to @out; -ERANGE when the length of the
 * transfer is not allowed.
 */
int sim_crypt_end(struct sim_crypt *crypt, u8 *out)
{
	u32 n = crypt->have;

	if (!n)
		return 0;
	if (!crypt_length_ok(crypt))
		return -ERANGE;
	crypt_unit(crypt, out);
	return n;
}
