/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: mkeys and layouts of <rdma/mlx5dv.h> inside.
 */
#ifndef MLX5_IBX_MKEY_H
#define MLX5_IBX_MKEY_H

#include <rdma/mlx5dv.h>

/**
 * struct ibx_mkey - an indirect mkey
 * @dv: what its owner sees, and may give another tag
 * @pd: its PD
 * @key: as created
 * @flags: MLX5DV_MKEY_INIT_ATTR_FLAGS_*
 * @max_entries: entries that it holds
 */
struct ibx_mkey {
	struct mlx5dv_mkey dv;
	struct ib_pd *pd;
	u32 key;
	u32 flags;
	u32 max_entries;
};

/**
 * struct mlx5dv_layout - see <rdma/mlx5dv.h>
 * @dev: whose memory it is in
 * @buf: entries
 * @dma: bus address of @buf
 * @max: entries there is room for
 * @n: entries; 0, it is empty
 * @length: bytes that they lead to
 */
struct mlx5dv_layout {
	struct ibx_dev *dev;
	void *buf;
	dma_addr_t dma;
	u32 max;
	u32 n;
	u64 length;
};

static inline const struct ibx_mkey *to_imkey(const struct mlx5dv_mkey *dv)
{
	return container_of(dv, struct ibx_mkey, dv);
}

#endif /* MLX5_IBX_MKEY_H */
