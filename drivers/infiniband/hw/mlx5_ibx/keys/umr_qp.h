/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: the UMR QP, on which the driver changes mkeys of MRs of processes.
 */
#ifndef MLX5_IBX_UMR_QP_H
#define MLX5_IBX_UMR_QP_H

#include "wq/wq.h"

struct ibx_umr_qp;

struct ibx_umr_qp *ibx_umr_qp_create(struct ibx_dev *dev);
void ibx_umr_qp_destroy(struct ibx_umr_qp *umr);
u32 ibx_umr_qp_pdn(const struct ibx_umr_qp *umr);
bool ibx_umr_qp_works(const struct ibx_umr_qp *umr);
int ibx_umr_qp_set_mr(struct ibx_umr_qp *umr, struct ibx_umr_mr *mr);
int ibx_umr_qp_set_rights(struct ibx_umr_qp *umr, const struct ibx_umr_rights *rights);
int ibx_umr_qp_free_key(struct ibx_umr_qp *umr, u32 key);
int ibx_umr_qp_settle(struct ibx_umr_qp *umr, u32 key);

#endif /* MLX5_IBX_UMR_QP_H */
