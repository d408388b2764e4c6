// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Big-endian structures: their checksum, access to bit fields, and the check
 * that all other bits are zero. Any context.
 */
#include <kunit/visibility.h>
#include <linux/string.h>

#include "core/core.h"

/**
 * sim_xor8() - checksum of command slots and mailboxes
 * @buf: bytes of the checksum
 * @len: number of bytes
 *
 * Return: exclusive or of the bytes. The result is 0xff over a slot or mailbox
 * with a correct signature.
 */
u8 sim_xor8(const void *buf, size_t len)
{
	const u8 *p = buf;
	u8 sum = 0;

	while (len--)
		sum ^= *p++;
	return sum;
}
EXPORT_SYMBOL_IF_KUNIT(sim_xor8);

static void sim_mask_add(u8 *mask, u32 bit, u32 len)
{
	while (len) {
		if (!(bit % 8) && len >= 8) {
			mask[bit / 8] = 0xff;
			bit += 8;
			len -= 8;
			continue;
		}
		mask[bit / 8] |= 0x80 >> (bit % 8);
		bit++;
		len--;
	}
}

/**
 * sim_fields_only() - check that all bits outside the known fields are zero
 * @p: the command, from its first byte
 * @len: number of bytes to check, at most SIM_CMD_FIXED_MAX
 * @fields: known fields, ended by a field of length 0; the 8-byte header is
 *	always known
 *
 * Context: any.
 * Return: true if all bits outside the known fields are zero; false when a bit
 * is set, or @len is too large.
 */
bool sim_fields_only(const u8 *p, u32 len, const struct sim_field *fields)
{
	u8 mask[SIM_CMD_FIXED_MAX] = {};
	u32 i;

	if (len > sizeof(mask))
		return false;
	sim_mask_add(mask, 0, 64);
	for (; fields->len; fields++)
		if (fields->off + fields->len <= len * 8)
			sim_mask_add(mask, fields->off, fields->len);
	for (i = 0; i < len; i++)
		if (p[i] & ~mask[i])
			return false;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(sim_fields_only);

/**
 * sim_bits_get() - read a field of a big-endian structure
 * @p: the structure
 * @f: bit offset and length, at most 32; may straddle words
 *
 * Return: value of the field.
 */
u32 sim_bits_get(const void *p, struct sim_field f)
{
	const u8 *b = p;
	u32 val = 0, i;

	for (i = f.off; i < f.off + f.len; i++)
		val = val << 1 | ((b[i / 8] >> (7 - i % 8)) & 1);
	return val;
}
EXPORT_SYMBOL_IF_KUNIT(sim_bits_get);

/**
 * sim_bits_set() - write a field of a big-endian structure
 * @p: the structure
 * @f: bit offset and length, at most 32; may straddle words
 * @val: new value; bits beyond the length of the field are ignored
 *
 * Bits outside the field keep their values.
 */
void sim_bits_set(void *p, struct sim_field f, u32 val)
{
	u8 *b = p;
	u32 i;

	for (i = f.off + f.len; i-- > f.off; val >>= 1) {
		if (val & 1)
			b[i / 8] |= 0x80 >> (i % 8);
		else
			b[i / 8] &= ~(0x80 >> (i % 8));
	}
}
EXPORT_SYMBOL_IF_KUNIT(sim_bits_set);
