/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Access to fields of the device's structures by the names of <linux/mlx5/mlx5_ifc.h>. A member of
 * n bytes in that header describes a field of n bits. Here, structures are big endian byte arrays.
 *
 * put_bits() writes bit after bit. The device may read doorbell records, registers and ownership
 * bits at any time: store_be32() and store_be64() write each such word in one store.
 */
#ifndef VFIO_BITS_H
#define VFIO_BITS_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

/* <linux/mlx5/mlx5_ifc.h> needs these macros; -DMLX5_IFC is its path */
#define BIT(n)		(1ul << (n))
#define BIT_ULL(n)	(1ull << (n))
#define DECLARE_FLEX_ARRAY(type, name)	struct { struct {} empty_##name; type name[]; }

#include MLX5_IFC

#define BIT_OFF(typ, fld)	((unsigned int)offsetof(struct mlx5_ifc_##typ##_bits, fld))
#define BIT_LEN(typ, fld)	((unsigned int)sizeof(((struct mlx5_ifc_##typ##_bits *)0)->fld))
#define BYTES(typ)		((unsigned int)sizeof(struct mlx5_ifc_##typ##_bits) / 8)
#define BYTE_OFF(typ, fld)	(BIT_OFF(typ, fld) / 8)
#define PTR(typ, p, fld)	((void *)((u8 *)(p) + BYTE_OFF(typ, fld)))
#define SET(typ, p, fld, v)	put_bits(p, BIT_OFF(typ, fld), BIT_LEN(typ, fld), v)
#define GET(typ, p, fld)	get_bits(p, BIT_OFF(typ, fld), BIT_LEN(typ, fld))

/* @at: first bit of the field; bit 0 is the highest bit of the first byte */
static inline void put_bits(void *p, unsigned int at, unsigned int len, u64 v)
{
	u8 *bytes = p;

	for (; len; at++) {
		u8 bit = 0x80 >> at % 8;

		len--;
		if (v >> len & 1)
			bytes[at / 8] |= bit;
		else
			bytes[at / 8] &= ~bit;
	}
}

/* Stores a word that the device may read at any time. The device sees earlier stores first. */
static inline void store_be32(void *p, u32 v)
{
	__atomic_store_n((u32 *)p, htobe32(v), __ATOMIC_RELEASE);
}

/* Rings a doorbell register. The device sees earlier stores to doorbell records first. */
static inline void store_be64(void *p, u64 v)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n((u64 *)p, htobe64(v), __ATOMIC_RELAXED);
}

static inline u64 get_bits(const void *p, unsigned int at, unsigned int len)
{
	const u8 *bytes = p;
	u64 v = 0;

	for (; len; at++, len--)
		v = v << 1 | (bytes[at / 8] >> (7 - at % 8) & 1);
	return v;
}

#endif /* VFIO_BITS_H */
