/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5dv_ib: prototypes. struct ibx_backend describes the functions.
 */
#ifndef MLX5DV_IB_H
#define MLX5DV_IB_H

#include "backend.h"

/* ---- layout.c ---- */
int mlx5dv_ib_start_checks(void);
void mlx5dv_ib_stop_checks(void);
int mlx5dv_ib_check_result(void);

/* ---- sq.c ---- */
void mlx5dv_ib_get_sq(struct ib_qp *ibqp, struct ibx_backend_sq *sq);
int mlx5dv_ib_may_post(struct ib_qp *ibqp);
int mlx5dv_ib_lock_sq(struct ib_qp *ibqp, u32 nr);
void mlx5dv_ib_post_sq(struct ib_qp *ibqp, const struct ibx_chain *c);

/* ---- sig.c ---- */
struct mlx5_core_sig_ctx *mlx5dv_ib_add_sig(struct ib_device *ibdev, u32 key);
void mlx5dv_ib_drop_sig_errors(struct ib_device *ibdev, u32 key, struct mlx5_core_sig_ctx *sig);
void mlx5dv_ib_take_sig_errors(struct ib_qp *qp);
void mlx5dv_ib_remove_sig(struct ib_device *ibdev, u32 key, struct mlx5_core_sig_ctx *sig);
u32 mlx5dv_ib_read_sig(struct ib_device *ibdev, struct mlx5_core_sig_ctx *sig, u32 seen,
		       struct ibx_backend_err *err);

#endif /* MLX5DV_IB_H */
