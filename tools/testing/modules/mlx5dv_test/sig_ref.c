// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Signatures in plain C, bit by bit, to compare with. This file uses no function of the kernel's
 * lib/.
 *
 * T10-DIF is big-endian, CRCs are little-endian and complemented at the end, as in iSCSI.
 */
#include <linux/string.h>
#include <linux/unaligned.h>

#include "sig.h"

u32 sig_block(const struct sig_dom *d)
{
	static const u16 bytes[] = { 512, 520, 4048, 4096, 4160 };

	return bytes[d->size];
}

u32 sig_len(const struct sig_dom *d)
{
	if (!d->on)
		return 0;
	if (d->type == MLX5DV_SIG_TYPE_T10DIF || d->crc.type == MLX5DV_SIG_CRC_TYPE_CRC64_XP10)
		return 8;
	return 4;
}

/*
 * The length of @data bytes of data with their signatures. An incomplete block has no
 * signature.
 */
u32 sig_bytes(const struct sig_dom *d, u32 data)
{
	return d->on ? data + data / sig_block(d) * sig_len(d) : data;
}

/* CRC of the bits, the least significant one first */
static u64 reflected_crc(u64 crc, u64 poly, const u8 *data, u32 len)
{
	int bit;

	while (len--) {
		crc ^= *data++;
		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ poly : crc >> 1;
	}
	return crc;
}

static u16 t10_crc(u16 crc, const u8 *data, u32 len)
{
	int bit;

	while (len--) {
		crc ^= *data++ << 8;
		for (bit = 0; bit < 8; bit++)
			crc = crc & 0x8000 ? crc << 1 ^ 0x8bb7 : crc << 1;
	}
	return crc;
}

/* the ones' complement of the ones' complement sum of 16-bit words */
static u16 ip_checksum(u16 seed, const u8 *data, u32 len)
{
	u32 sum = seed;

	for (; len; data += 2, len -= 2)
		sum += data[0] << 8 | data[1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

static void put_signature(const struct sig_dom *d, const u8 *data, u32 block, u8 *out)
{
	const u32 len = sig_block(d);
	const struct mlx5dv_sig_t10dif *dif = &d->dif;

	if (d->type == MLX5DV_SIG_TYPE_T10DIF) {
		put_unaligned_be16(dif->bg_type == MLX5DV_SIG_T10DIF_CRC ?
				   t10_crc(dif->bg, data, len) : ip_checksum(dif->bg, data, len),
				   out);
		put_unaligned_be16(dif->app_tag, out + 2);
		put_unaligned_be32(dif->ref_tag +
				   (dif->flags & MLX5DV_SIG_T10DIF_FLAG_REF_REMAP ? block : 0),
				   out + 4);
		return;
	}
	switch (d->crc.type) {
	case MLX5DV_SIG_CRC_TYPE_CRC32:
		put_unaligned_le32(~reflected_crc((u32)d->crc.seed, 0xedb88320, data, len), out);
		break;
	case MLX5DV_SIG_CRC_TYPE_CRC32C:
		put_unaligned_le32(~reflected_crc((u32)d->crc.seed, 0x82f63b78, data, len), out);
		break;
	default:
		put_unaligned_le64(~reflected_crc(d->crc.seed, 0x9a6c9329ac4bc9b5ULL, data, len),
				   out);
	}
}

/**
 * sig_encode() - write data with the signatures of a domain
 * @d: the domain
 * @data: the data
 * @len: bytes of data
 * @out: receives sig_bytes() bytes
 *
 * Return: bytes written.
 */
u32 sig_encode(const struct sig_dom *d, const u8 *data, u32 len, u8 *out)
{
	const u32 size = d->on ? sig_block(d) : len;
	u32 at, block = 0, total = 0;

	for (at = 0; at < len; at += size, block++) {
		u32 n = min(size, len - at);

		memcpy(out + total, data + at, n);
		total += n;
		if (!d->on || n < size)
			continue;
		put_signature(d, data + at, block, out + total);
		total += sig_len(d);
	}
	return total;
}

/* the bit of check_mask and copy_mask for byte @byte of a signature */
u8 sig_mask_bit(const struct sig_dom *d, u32 byte)
{
	if (d->type == MLX5DV_SIG_TYPE_T10DIF)
		return BIT(7 - byte);
	return sig_len(d) == 4 ? BIT(4 + byte) : BIT(byte);
}

/* the part of a signature that an error of @type concerns, as mlx5dv_mkey_check() reports it */
u64 sig_value(const struct sig_dom *d, const u8 *sig, enum mlx5dv_mkey_err_type type)
{
	if (d->type == MLX5DV_SIG_TYPE_CRC)
		return sig_len(d) == 4 ? get_unaligned_le32(sig) : get_unaligned_le64(sig);
	switch (type) {
	case MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD:
		return get_unaligned_be16(sig);
	case MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG:
		return get_unaligned_be16(sig + 2);
	default:
		return get_unaligned_be32(sig + 4);
	}
}
