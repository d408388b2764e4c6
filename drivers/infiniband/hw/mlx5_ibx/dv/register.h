/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: registration of the back end for mlx5_ib (backend.h), for the module
 * of the back end.
 */
#ifndef MLX5_IBX_REGISTER_H
#define MLX5_IBX_REGISTER_H

struct ib_cqe;
struct ibx_backend;

/* ---- stand_in.c ---- */
extern struct ib_cqe ibx_part_cqe;

/* ---- companion.c ---- */
int ibx_backend_register(const struct ibx_backend *backend);
void ibx_backend_unregister(const struct ibx_backend *backend);

#endif /* MLX5_IBX_REGISTER_H */
