/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: the DEKs of <rdma/mlx5dv_crypto.h>.
 */
#ifndef MLX5_IBX_CRYPTO_H
#define MLX5_IBX_CRYPTO_H

#include <rdma/mlx5dv_crypto.h>

/**
 * struct mlx5dv_dek - a data encryption key; the device alone has the key
 * @pd: its PD
 * @dekn: number of the object in the device
 * @has_keytag: it was created with a keytag
 */
struct mlx5dv_dek {
	struct ib_pd *pd;
	u32 dekn;
	bool has_keytag;
};

#endif /* MLX5_IBX_CRYPTO_H */
