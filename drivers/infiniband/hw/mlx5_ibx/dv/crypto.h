/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: the DEKs and logins of <rdma/mlx5dv_crypto.h>.
 */
#ifndef MLX5_IBX_CRYPTO_H
#define MLX5_IBX_CRYPTO_H

#include <rdma/mlx5dv_crypto.h>

struct ibx_dev;

/**
 * struct mlx5dv_dek - a data encryption key; the key is only in the device
 * @dev: device
 * @pd: PD of the DEK
 * @dekn: number of the object in the device
 * @serial: counts the created DEKs of the device. It identifies the DEK, unlike
 *	@dekn, which the device may use again
 * @has_keytag: the DEK was created with a keytag
 */
struct mlx5dv_dek {
	struct ibx_dev *dev;
	struct ib_pd *pd;
	u32 dekn;
	unsigned long serial;
	bool has_keytag;
};

/**
 * struct mlx5dv_crypto_login_obj - a login for wrapped DEKs
 * @dev: device
 * @id: number of the object in the device
 */
struct mlx5dv_crypto_login_obj {
	struct ibx_dev *dev;
	u32 id;
};

#endif /* MLX5_IBX_CRYPTO_H */
