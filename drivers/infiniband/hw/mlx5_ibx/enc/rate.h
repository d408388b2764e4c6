/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: static rates, between enum ib_rate and the numbers of the device.
 * Pure: values in, values out.
 */
#ifndef MLX5_IBX_RATE_H
#define MLX5_IBX_RATE_H

#include <linux/types.h>

int ibx_rate(u16 has, u8 rate);
u8 ibx_rate_of(u8 hw);

#endif /* MLX5_IBX_RATE_H */
