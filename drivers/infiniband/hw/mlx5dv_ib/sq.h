/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5dv_ib: prototypes.
 */
#ifndef MLX5DV_IB_SQ_H
#define MLX5DV_IB_SQ_H

#include "dv/backend.h"

/* ---- sq.c; struct ibx_backend describes the functions ---- */
void mlx5dv_ib_get_sq(struct ib_qp *ibqp, struct ibx_backend_sq *sq);
int mlx5dv_ib_may_post(struct ib_qp *ibqp);
int mlx5dv_ib_lock_sq(struct ib_qp *ibqp, u32 nr);
void mlx5dv_ib_post_sq(struct ib_qp *ibqp, const struct ibx_chain *c);

#endif /* MLX5DV_IB_SQ_H */
