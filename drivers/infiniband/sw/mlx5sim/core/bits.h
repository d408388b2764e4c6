/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Bit fields of big-endian structures.
 */
#ifndef MLX5SIM_CORE_BITS_H
#define MLX5SIM_CORE_BITS_H

#include <linux/types.h>

/**
 * struct sim_field - a bit field of a big-endian structure
 * @off: offset in bits; bit 0 is the most significant bit of the first byte
 * @len: length in bits
 */
struct sim_field {
	u16 off;
	u16 len;
};

#define SIM_F(typ, fld)	{ __mlx5_bit_off(typ, fld), __mlx5_bit_sz(typ, fld) }

/* Largest number of bytes that sim_fields_only() can check */
#define SIM_CMD_FIXED_MAX	640

#endif /* MLX5SIM_CORE_BITS_H */
