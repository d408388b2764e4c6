/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * mlx5dv_test: a DCI and a DCT, for the suites of the dynamically connected transport.
 */
#ifndef MLX5DV_TEST_DC_PAIR_H
#define MLX5DV_TEST_DC_PAIR_H

#include "dv.h"

#define DV_DC_KEY	0x1122334455667788	/* access key of the DCT */

/**
 * struct dc - a DCI and a DCT in addition to the QPs of a pair
 * @p: the pair
 * @to: end 0, which has the DCT
 * @e: end 1, which has the DCI
 * @dct: DCT
 * @dci: DCI
 * @ah: address handle of end 0, for the DCI
 */
struct dc {
	struct t_pair *p;
	struct t_end *to;
	struct t_end *e;
	struct ib_qp *dct;
	struct ib_qp *dci;
	struct ib_ah *ah;
};

struct ib_qp *dv_create_dct(struct t_end *to, u64 key);
struct ib_qp *dv_create_dci(struct t_end *e, struct ib_cq *cq,
			    const struct mlx5dv_dci_streams *streams, u32 len, u64 mlx5_ops);
int dv_connect_dct(const struct dc *dc, struct ib_qp *dct, int access);
int dv_connect_dci(struct ib_qp *dci, u8 rd_atomic);
int dv_dc_state(struct ib_qp *qp);
int dv_dc_open(struct dc *dc, struct t_pair *p, const struct mlx5dv_dci_streams *streams,
	       int access);
void dv_dc_close(struct dc *dc);
int dv_dc_with(struct t_pair *p, const struct mlx5dv_dci_streams *streams,
	       int (*run)(struct dc *dc));

/**
 * struct dv_dc_case - a case with a DCI and a DCT
 * @run: runs the case
 * @streams: streams of the DCI, or NULL
 */
struct dv_dc_case {
	int (*run)(struct dc *dc);
	const struct mlx5dv_dci_streams *streams;
};

int dv_dc_run(struct t_pair *p);

/* DV_DC(name, streams, opts): entry of a table of cases, for the function @name */
#define DV_DC(name, streams, opts)					\
	{ #name, dv_dc_run, opts, &(const struct dv_dc_case){ name, streams } }

static inline struct mlx5dv_qp_ex *dc_mqp(const struct dc *dc)
{
	return mlx5dv_qp_ex_from_ib_qp(dc->dci);
}

static inline struct ib_qp_ex *dc_qpx(const struct dc *dc)
{
	return &dc_mqp(dc)->qp_ex;
}

static inline int dc_start(const struct dc *dc, u64 id, u32 flags)
{
	int ret = ib_wr_start(dc_qpx(dc));

	dc_qpx(dc)->wr_id = id;
	dc_qpx(dc)->wr_flags = flags;
	return ret;
}

#endif /* MLX5DV_TEST_DC_PAIR_H */
