// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Signatures of blocks: their calculation, and their bytes in memory and on the
 * wire.
 *
 * A signature is a number of 64 bits, as in SET_PSV and in the CQE of an error:
 * guard, application tag and reference tag of T10-DIF; a CRC of 32 bits in the
 * upper half; a CRC of 64 bits. T10-DIF is big-endian in memory and on the
 * wire, CRCs are little-endian. CRC32, CRC32C and CRC64 are complemented at the
 * end, the CRC of T10-DIF is not.
 */
#include <linux/bitops.h>
#include <linux/crc-t10dif.h>
#include <linux/unaligned.h>
#include <net/checksum.h>

#include "core/compat.h"
#include "dp/dp.h"

/**
 * sim_guard_start() - begin a block
 * @guard: out: state of the calculation
 * @dom: signatures of the domain
 * @seed: initial signature, of the PSV
 */
void sim_guard_start(struct sim_guard *guard, const struct sim_sig_domain *dom, u64 seed)
{
	guard->dom = dom;
	guard->off = 0;
	switch (dom->type) {
	case SIM_SIG_T10DIF:
		guard->crc = seed >> 48;
		guard->sum = (__force __wsum)cpu_to_be16(seed >> 48);
		break;
	case SIM_SIG_CRC64:
		guard->crc = seed;
		break;
	default:
		guard->crc = seed >> 32;
		break;
	}
}

/**
 * sim_guard_add() - add data to a block
 * @guard: state of the calculation
 * @buf: data
 * @len: bytes of @buf
 *
 * Context: hardware thread.
 */
void sim_guard_add(struct sim_guard *guard, const u8 *buf, u32 len)
{
	switch (guard->dom->type) {
	case SIM_SIG_T10DIF:
		if (guard->dom->csum)
			guard->sum = csum_block_add(guard->sum, csum_partial(buf, len, 0),
						    guard->off);
		else
			guard->crc = crc_t10dif_update(guard->crc, buf, len);
		break;
	case SIM_SIG_CRC32:
		guard->crc = crc32_le(guard->crc, buf, len);
		break;
	case SIM_SIG_CRC32C:
		guard->crc = crc32c(guard->crc, buf, len);
		break;
	case SIM_SIG_CRC64:
		/* crc64_nvme() complements the CRC before and after the data */
		guard->crc = ~crc64_nvme(~guard->crc, buf, len);
		break;
	default:
		break;
	}
	guard->off += len;
}

/**
 * sim_guard_end() - end a block
 * @guard: state of the calculation
 *
 * Unrefereed: U-102.
 *
 * Return: the signature; for T10-DIF, only its guard.
 */
u64 sim_guard_end(const struct sim_guard *guard)
{
	switch (guard->dom->type) {
	case SIM_SIG_T10DIF:
		if (guard->dom->csum)
			return (u64)be16_to_cpu((__force __be16)csum_fold(guard->sum)) << 48;
		return guard->crc << 48;
	case SIM_SIG_CRC64:
		return ~guard->crc;
	default:
		return (u64)~(u32)guard->crc << 32;
	}
}

/**
 * sim_sig_put() - write a signature as it is in memory and on the wire
 * @type: type of the signature
 * @sig: signature
 * @buf: sim_sig_len() bytes
 *
 * Unrefereed: U-103.
 */
void sim_sig_put(enum sim_sig_type type, u64 sig, u8 *buf)
{
	if (type == SIM_SIG_T10DIF)
		put_unaligned_be64(sig, buf);
	else if (type == SIM_SIG_CRC64)
		put_unaligned_le64(sig, buf);
	else
		put_unaligned_le32(sig >> 32, buf);
}

/**
 * sim_sig_get() - read a signature
 * @type: type of the signature
 * @buf: sim_sig_len() bytes
 *
 * Return: the signature.
 */
u64 sim_sig_get(enum sim_sig_type type, const u8 *buf)
{
	if (type == SIM_SIG_T10DIF)
		return get_unaligned_be64(buf);
	if (type == SIM_SIG_CRC64)
		return get_unaligned_le64(buf);
	return (u64)get_unaligned_le32(buf) << 32;
}
