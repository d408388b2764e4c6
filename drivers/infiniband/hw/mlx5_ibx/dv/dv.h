/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5_ibx: how mlx5dv_create_qp() tells ibx_create_qp() what a QP is to take.
 */
#ifndef MLX5_IBX_DV_H
#define MLX5_IBX_DV_H

#include <rdma/ib_verbs.h>
#include <rdma/mlx5dv.h>

/* a driver's own, of those the core leaves to drivers: the attributes are a struct ibx_qp_init */
#define IBX_QP_CREATE_DV		IB_QP_CREATE_RESERVED_START

/**
 * struct ibx_qp_init - attributes of a QP for builders
 * @base: those of the RDMA core
 * @ops: builders it takes, of enum ib_qp_create_send_ops_flags and IBX_OPS_DV()
 * @layouts: its WRs have room for max_inline_data bytes of layout
 * @dc_type: of a DCI or a DCT, else 0
 * @has_streams: a DCI is to have streams
 * @streams: these
 * @dct_key: access key of a DCT
 */
struct ibx_qp_init {
	struct ib_qp_init_attr base;
	u64 ops;
	bool layouts;
	enum mlx5dv_dc_type dc_type;
	bool has_streams;
	struct mlx5dv_dci_streams streams;
	u64 dct_key;
};

#endif /* MLX5_IBX_DV_H */
