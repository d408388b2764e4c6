/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Fields of big-endian structures.
 */
#ifndef MLX5SIM_CORE_BITS_H
#define MLX5SIM_CORE_BITS_H

#include <linux/types.h>

/**
 * struct sim_field - a field of a command that means something to the device
 * @off: its offset in the command, in bits, most significant first
 * @len: its length in bits
 */
struct sim_field {
	u16 off;
	u16 len;
};

#define SIM_F(typ, fld)	{ __mlx5_bit_off(typ, fld), __mlx5_bit_sz(typ, fld) }

/* The largest fixed part whose reserved bits a field list can describe */
#define SIM_CMD_FIXED_MAX	640

#endif /* MLX5SIM_CORE_BITS_H */
