/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: functions of dv/ that other files call, except functions of
 * <rdma/ib_wr.h> and <rdma/mlx5dv.h>. The inline functions of builders and
 * setters are in wr.h.
 */
#ifndef MLX5_IBX_DV_H
#define MLX5_IBX_DV_H

#include "ibx.h"

/* ---- dek.c ---- */
int ibx_crypto_init(struct ibx_dev *dev);
void ibx_crypto_exit(struct ibx_dev *dev);

/* ---- memcpy.c ---- */
int ibx_mmo_init(struct ibx_dev *dev);
void ibx_mmo_exit(struct ibx_dev *dev);

/* ---- mkey.c ---- */
u32 ibx_mkey_max_entries(const struct ibx_dev *dev);

/* ---- mkey_pool.c ---- */
int ibx_mkey_pool_init(void);
void ibx_mkey_pool_exit(void);

/* ---- stand_in.c ---- */
struct ibx_qp *ibx_stand_in_create(struct ibx_dev *dev, struct ib_qp *ibqp, u64 ops);
struct ibx_qp *ibx_stand_in_find(const struct ib_qp *ibqp);
void ibx_stand_in_destroy(struct ibx_qp *qp);
int ibx_stand_in_destroy_qp(struct ibx_qp *qp);

/* ---- mkeys_show.c ---- */
int ibx_mkeys_show_init(struct ibx_dev *dev);
void ibx_mkeys_show_exit(struct ibx_dev *dev);

#endif /* MLX5_IBX_DV_H */
