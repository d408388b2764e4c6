/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: functions of dv/ that other files call, but for those of <rdma/ib_wr.h> and
 * <rdma/mlx5dv.h>. The inline functions of builders and setters are in wr.h.
 */
#ifndef MLX5_IBX_DV_H
#define MLX5_IBX_DV_H

#include "ibx.h"

/* ---- debugfs.c ---- */
int ibx_debugfs_init(struct ibx_dev *dev);
void ibx_debugfs_exit(struct ibx_dev *dev);

/**
 * struct ibx_cap_at - a general capability that <linux/mlx5/mlx5_ifc.h> does not know
 * @bit: its first bit, counted from the most significant one of the first byte
 * @width: its bits, all in one word of 32 bits
 */
struct ibx_cap_at {
	u16 bit;
	u8 width;
};

/* value of a capability; mlx5_core has read the words that contain it */
static inline u32 ibx_cap_get(const struct ibx_dev *dev, struct ibx_cap_at at)
{
	const __be32 *caps = (const __be32 *)dev->mdev->caps.hca[MLX5_CAP_GENERAL]->cur;
	u32 word = be32_to_cpu(caps[at.bit / 32]);

	return word >> (32 - at.bit % 32 - at.width) & (BIT(at.width) - 1);
}

/* ---- memcpy.c ---- */
int ibx_mmo_init(struct ibx_dev *dev);
void ibx_mmo_exit(struct ibx_dev *dev);

/* ---- mkey.c ---- */
u32 ibx_mkey_max_entries(const struct ibx_dev *dev);

/* ---- mkey_check.c ---- */
void ibx_sig_drop_error(struct ibx_sig *sig);

/* ---- mkey_pool.c ---- */
int ibx_mkey_pool_init(void);
void ibx_mkey_pool_exit(void);

/* ---- sig.c ---- */
int ibx_sig_init(struct ibx_dev *dev);
void ibx_sig_exit(struct ibx_dev *dev);
struct ibx_sig *ibx_sig_create(struct ib_pd *pd, u32 max_entries);
int ibx_sig_publish(struct ibx_dev *dev, struct ibx_sig *sig, u32 key);
void ibx_sig_unpublish(struct ibx_dev *dev, u32 key);
void ibx_sig_destroy(struct ibx_dev *dev, struct ibx_sig *sig);

#endif /* MLX5_IBX_DV_H */
