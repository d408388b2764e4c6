/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5dv_test: suites of ibx_test on the builders of <rdma/mlx5dv.h>, listed in suites.h.
 * Directory and module mlx5dv_test, prefix dv_.
 *
 * The QPs of the pairs are created by mlx5dv_create_qp(), with all operations of their type. End 0
 * owns memory and mkeys, and end 1 uses them, except in cases that are described otherwise.
 */
#ifndef MLX5DV_TEST_H
#define MLX5DV_TEST_H

#include <linux/mlx5/qp.h>
#include <linux/module.h>
#include <linux/string.h>
#include <rdma/mlx5dv.h>

#include "../ibx_test/ibx_test.h"

#define DV_REMOTE_RW	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ)

#define T_SUITE(suite)	extern const struct t_case dv_##suite##_cases[];
#include "suites.h"
#undef T_SUITE

/* the usual pair of these suites, and a pair whose send WQEs have space for 48 entries */
extern const struct t_opts dv_opts;
extern const struct t_opts dv_wide_opts;

/* dv.c */
struct ib_qp *dv_create_qp(struct ib_pd *pd, struct ib_qp_init_attr *attr);
int dv_add_copies(struct ib_qp *qp);
int dv_post(struct ib_qp *qp, const struct ib_send_wr *wr);
int dv_start(struct t_end *e, u64 id, unsigned int flags);
void dv_next(struct t_end *e, u64 id, unsigned int flags);
void dv_build(struct mlx5dv_qp_ex *mqp, const struct ib_send_wr *wr);
int dv_expect_only(struct t_queue *q, u64 from, u64 to);
struct mlx5dv_mkey *dv_mkey(struct t_end *e, u32 flags, u16 entries);
int dv_rdma(struct t_end *e, u64 id, enum ib_wr_opcode op, const struct ib_sge *sge, u64 addr,
	    u32 rkey);

/* wr_raw.c */
void dv_raw_send(void *wqe, const struct ib_qp *qp, const struct mlx5_av *av, const void *data,
		 u32 len);
void dv_raw_av(struct mlx5_av *av, const struct t_end *e, const struct t_end *peer, u32 number);

/* Return: true if mlx5_ib drives the device, so that mlx5dv_ib implements the direct verbs */
static inline bool dv_on_mlx5_ib(const struct ib_device *dev)
{
	return !strcmp(module_name(dev->ops.owner), "mlx5_ib");
}

extern bool dv_patched;

/* Return: true if mlx5_ib drives the device and is not patched (tools/ulps/mlx5_ib_dv) */
static inline bool dv_on_unchanged(const struct ib_device *dev)
{
	return dv_on_mlx5_ib(dev) && !dv_patched;
}

/*
 * opcode of the completion of a configuration; an unchanged mlx5_ib reports every UMR as a
 * registration
 */
static inline int dv_wc_umr(const struct t_end *e)
{
	return dv_on_unchanged(e->dev) ? IB_WC_REG_MR : MLX5DV_WC_UMR;
}

/* opcode of the completion of a raw SEND; an unchanged mlx5_ib reports the opcode of the WQE */
static inline int dv_wc_raw_send(const struct t_end *e)
{
	return dv_on_unchanged(e->dev) ? IB_WC_SEND : MLX5DV_WC_RAW_WQE;
}

static inline struct mlx5dv_qp_ex *dv_of(const struct t_end *e)
{
	return mlx5dv_qp_ex_from_ib_qp(e->qp);
}

static inline struct ib_qp_ex *dv_qpx(const struct t_end *e)
{
	return &dv_of(e)->qp_ex;
}

#endif /* MLX5DV_TEST_H */
