/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: types of the mkeys and layouts of <rdma/mlx5dv.h>.
 */
#ifndef MLX5_IBX_MKEY_H
#define MLX5_IBX_MKEY_H

#include <rdma/mlx5dv.h>

#include "conf.h"

/**
 * struct ibx_mkey - an indirect mkey
 * @dv: part that the owner sees; the owner may change the low byte of the keys
 * @dev: device
 * @pd: PD of the mkey
 * @key: key that the mkey was created with
 * @has: flags and number of entries with which the mkey was created
 * @sig: block signatures, or NULL
 * @unit: &own_unit if the mkey has encryption and no signatures; or NULL
 * @own_unit: lengths of the layouts, see struct ibx_unit
 * @entry: entry in mlx5dv_mkey_pool.free
 * @dev_entry: entry in ibx_dev.mkeys
 */
struct ibx_mkey {
	struct mlx5dv_mkey dv;
	struct ibx_dev *dev;
	struct ib_pd *pd;
	u32 key;
	struct ibx_mkey_has has;
	struct ibx_sig *sig;
	struct ibx_unit *unit;
	struct ibx_unit own_unit;
	struct list_head entry;
	struct list_head dev_entry;
};

/**
 * struct mlx5dv_layout - a layout in memory that the device reads
 * @dev: device that reads the layout
 * @buf: entries, in coherent memory
 * @dma: bus address of @buf
 * @max: entries that @buf has space for
 * @n: entries that are written; 0 for an empty layout
 * @length: bytes that the entries describe
 * @table: scatterlist of @max elements for memory that the layout maps for DMA
 * @sgt: elements of @table that are mapped for DMA; sgt.sgl is NULL if none is
 *	mapped
 * @dir: DMA direction of @sgt
 */
struct mlx5dv_layout {
	struct ibx_dev *dev;
	void *buf;
	dma_addr_t dma;
	u32 max;
	u32 n;
	u64 length;
	struct sg_table table;
	struct sg_table sgt;
	enum dma_data_direction dir;
};

static inline struct ibx_mkey *to_imkey(struct mlx5dv_mkey *dv)
{
	return container_of(dv, struct ibx_mkey, dv);
}

#endif /* MLX5_IBX_MKEY_H */
