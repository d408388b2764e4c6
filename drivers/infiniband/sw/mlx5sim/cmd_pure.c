// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The arithmetic of the command interface and of queue entries: bytes in, bytes
 * or a verdict out. Nothing here touches a device, so all of it may be called
 * from any context, and KUnit runs it without one.
 */
#include <linux/mlx5/device.h>
#include <linux/string.h>

#include "cmd.h"

#define SIM_CQ_IDX_MASK		0xffffff
#define SIM_CQ_ARM_SOLICITED	BIT(24)

/**
 * sim_xor8 - the checksum of slots and mailboxes
 * @buf: bytes to add up
 * @len: how many
 *
 * Return: their exclusive or; 0xff over a signed object, signature included.
 */
u8 sim_xor8(const void *buf, size_t len)
{
	const u8 *p = buf;
	u8 sum = 0;

	while (len--)
		sum ^= *p++;
	return sum;
}

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
 * sim_fields_only - are all bits outside the known fields zero?
 * @p: the command, from its first byte
 * @len: bytes to look at, at most SIM_CMD_FIXED_MAX
 * @fields: known fields, ended by one of length 0; the 8-byte header is always known
 *
 * Any context.
 *
 * Return: true if so.
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

/**
 * sim_bits_get - read a field of a big-endian structure
 * @p: the structure
 * @f: bit offset and length, at most 32; may straddle words
 *
 * Pure.
 *
 * Return: its value.
 */
u32 sim_bits_get(const void *p, struct sim_field f)
{
	const u8 *b = p;
	u32 val = 0, i;

	for (i = f.off; i < f.off + f.len; i++)
		val = val << 1 | ((b[i / 8] >> (7 - i % 8)) & 1);
	return val;
}

/**
 * sim_bits_set - write a field of a big-endian structure
 * @p: the structure
 * @f: bit offset and length, at most 32; may straddle words
 * @val: its value; higher bits are ignored
 *
 * Pure; touches no other bit.
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

/**
 * sim_eqe_fill - lay out an event queue entry
 * @eqe: to fill, ownership bit included
 * @type: MLX5_EVENT_TYPE_*
 * @sub_type: of the type
 * @data: union ev_data, or NULL for none
 * @lap: times the producer has been round the ring
 *
 * Pure.
 */
void sim_eqe_fill(struct mlx5_eqe *eqe, u8 type, u8 sub_type, const void *data, u32 lap)
{
	memset(eqe, 0, sizeof(*eqe));
	eqe->type = type;
	eqe->sub_type = sub_type;
	if (data)
		memcpy(&eqe->data, data, sizeof(eqe->data));
	eqe->owner = lap & 1;
}

/**
 * sim_cqe_owner - the ownership bit for the entry with this index
 * @index: entries written before it, ever
 * @log_size: of the ring
 *
 * Pure.
 *
 * Return: 0 or 1.
 */
u8 sim_cqe_owner(u32 index, u8 log_size)
{
	return (index >> log_size) & 1;
}

/**
 * sim_cq_armed - does this arm word want an event now?
 * @arm: the word, in CPU order
 * @sn: number of events fired so far
 * @pi: index after the last entry
 * @solicited_pi: index after the last solicited or error entry
 *
 * Pure. Indices are compared in 24 bits, as the word carries them.
 *
 * Return: true if so.
 */
bool sim_cq_armed(u32 arm, u32 sn, u32 pi, u32 solicited_pi)
{
	u32 ci = arm & SIM_CQ_IDX_MASK;
	u32 have = arm & SIM_CQ_ARM_SOLICITED ? solicited_pi : pi;
	u32 ahead = (have - ci) & SIM_CQ_IDX_MASK;

	if (arm >> 28 != (sn & 3))
		return false;
	return ahead && ahead <= SIM_CQ_IDX_MASK / 2;
}
