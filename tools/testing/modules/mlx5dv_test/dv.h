/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5dv_test: suites of ibx_test on the builders of <rdma/mlx5dv.h>.
 *
 * They run on pairs whose QPs mlx5dv_create_qp() made, for all builders that QPs of
 * that type have. End 0 owns memory and mkeys, end 1 uses them, unless a case says
 * otherwise.
 */
#ifndef MLX5DV_TEST_H
#define MLX5DV_TEST_H

#include <rdma/mlx5dv.h>

#include "../ibx_test/ibx_test.h"

#define DV_REMOTE_RW	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ)

extern const struct t_case dv_wr_cases[];
extern const struct t_case dv_wr_bad_cases[];
extern const struct t_case dv_wr_frwr_cases[];
extern const struct t_case dv_wr_many_cases[];
extern const struct t_case dv_wr_ring_cases[];
extern const struct t_case dv_mkey_cases[];
extern const struct t_case dv_mkey_bad_cases[];
extern const struct t_case dv_mkey_kernel_cases[];
extern const struct t_case dv_mkey_random_cases[];
extern const struct t_case dv_hold_cases[];
extern const struct t_case dv_bench_cases[];
extern const struct t_case dv_memcpy_cases[];
extern const struct t_case dv_dc_cases[];

/* the usual pair of these suites, and one with room for layouts of 48 entries */
extern const struct t_opts dv_opts;
extern const struct t_opts dv_wide_opts;

/* dv.c */
struct ib_qp *dv_create_qp(struct ib_pd *pd, struct ib_qp_init_attr *attr);
int dv_post(struct ib_qp *qp, const struct ib_send_wr *wr);
int dv_start(struct t_end *e, u64 id, unsigned int flags);
void dv_next(struct t_end *e, u64 id, unsigned int flags);
void dv_build(struct mlx5dv_qp_ex *mqp, const struct ib_send_wr *wr);
int dv_expect_only(struct t_queue *q, u64 from, u64 to);
struct mlx5dv_mkey *dv_mkey(struct t_end *e, u32 flags, u16 entries);
int dv_rdma(struct t_end *e, u64 id, enum ib_wr_opcode op, const struct ib_sge *sge, u64 addr,
	    u32 rkey);

static inline struct mlx5dv_qp_ex *dv_of(const struct t_end *e)
{
	return mlx5dv_qp_ex_from_ib_qp(e->qp);
}

static inline struct ib_qp_ex *dv_qpx(const struct t_end *e)
{
	return &dv_of(e)->qp_ex;
}

#endif /* MLX5DV_TEST_H */
