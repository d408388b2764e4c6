/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The encryption engine.
 */
#ifndef MLX5SIM_DP_CRYPT_H
#define MLX5SIM_DP_CRYPT_H

#include "obj/crypto.h"

/**
 * struct sim_crypt - a stream of bytes through the cipher of a key
 * @c: encryption of the key
 * @dek: DEK of the key
 * @encrypt: true: the stream is encrypted; false: it is decrypted
 * @unit: index of the current data unit, from the start of the key
 * @have: bytes of the current data unit in @buf
 * @total: bytes fed so far
 * @units: number of data units that were encrypted or decrypted
 * @buf: current data unit
 */
struct sim_crypt {
	const struct sim_crypto *c;
	struct sim_dek *dek;
	bool encrypt;
	u32 unit;
	u32 have;
	u64 total;
	u32 units;
	u8 buf[SIM_CRYPTO_MAX_UNIT];
};

/* Largest number of bytes that the engine outputs for @n input bytes */
#define SIM_CRYPT_ROOM(n)	((n) + SIM_CRYPTO_MAX_UNIT)

#endif /* MLX5SIM_DP_CRYPT_H */
