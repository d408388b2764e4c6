/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Example of <rdma/mlx5dv.h>: the examples from the manual page
 * mlx5dv_wr_mkey_configure(3), as kernel code.
 */
#ifndef MKEY_LAYOUTS_H
#define MKEY_LAYOUTS_H

#include <rdma/mlx5dv.h>

struct ib_qp *mkey_layouts_qp(struct ib_pd *pd, struct ib_cq *cq);
struct mlx5dv_mkey *mkey_layouts_mkey(struct ib_pd *pd);
int mkey_layouts_list(struct ib_qp *qp, struct mlx5dv_mkey *mkey, const struct ib_sge *mr1,
		      const struct ib_sge *mr2);
int mkey_layouts_interleaved(struct ib_qp *qp, struct mlx5dv_mkey *mkey,
			     const struct ib_sge *mr1, const struct ib_sge *mr2);

#endif /* MKEY_LAYOUTS_H */
