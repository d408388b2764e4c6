// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ib: the version by which mlx5dv_ib recognizes a patched mlx5_ib. An
 * unchanged mlx5_ib has no version.
 */
#include <linux/module.h>

#include "mlx5_ib_dv.h"

MODULE_VERSION(MLX5_IB_DV_VERSION);
