/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: types that the files of DEVX in dv/ share.
 */
#ifndef MLX5_IBX_DV_DEVX_H
#define MLX5_IBX_DV_DEVX_H

#include "cmd/devx.h"

/**
 * struct mlx5dv_devx_ctx - a context of a ULP
 * @dev: device
 * @uid: its user context
 * @users: number of its objects, UMEMs, UARs, places for answers and event channels
 */
struct mlx5dv_devx_ctx {
	struct ibx_dev *dev;
	u16 uid;
	atomic_t users;
};

/**
 * struct mlx5dv_devx_obj - an object of a ULP
 * @ctx: its context
 * @obj: the object
 */
struct mlx5dv_devx_obj {
	struct mlx5dv_devx_ctx *ctx;
	struct ibx_devx_obj obj;
};

#endif /* MLX5_IBX_DV_DEVX_H */
