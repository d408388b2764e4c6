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
 * @entry: in its pool
 * @dev_entry: in the list of its device
 */
struct ibx_mkey {
	struct mlx5dv_mkey dv;
	struct ib_pd *pd;
	u32 key;
	u32 flags;
	u32 max_entries;
	struct list_head entry;
	struct list_head dev_entry;
};

/**
 * struct mlx5dv_layout - see <rdma/mlx5dv.h>
 * @dev: whose memory it is in
 * @buf: entries
 * @dma: bus address of @buf
 * @max: entries there is room for
 * @n: entries; 0, it is empty
 * @length: bytes that they lead to
 * @sgt: memory mapped for it, if its sgl is not NULL
 * @dir: how
 */
struct mlx5dv_layout {
	struct ibx_dev *dev;
	void *buf;
	dma_addr_t dma;
	u32 max;
	u32 n;
	u64 length;
	struct sg_table sgt;
	enum dma_data_direction dir;
};

static inline struct ibx_mkey *to_imkey(struct mlx5dv_mkey *dv)
{
	return container_of(dv, struct ibx_mkey, dv);
}

#endif /* MLX5_IBX_MKEY_H */
