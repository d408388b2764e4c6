// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What configuring an mkey costs the CPU, from ib_wr_start() to ib_wr_complete(): the
 * calls that tools/testing/libmlx5/probe.c makes in userspace, counted the same way. See
 * ibx_test/bench.c.
 *
 * Lines in the log: "bench OPERATION dv LENGTH INSTRUCTIONS".
 */
#include <linux/slab.h>
#include <linux/timex.h>

#include "dv.h"

#define ROUNDS		16
#define MAX_ENTRIES	48

struct dv_bench {
	struct t_end *e;
	struct mlx5dv_qp_ex *mqp;
	struct mlx5dv_mkey *mkey;
	struct ib_sge sge[MAX_ENTRIES];
	struct mlx5dv_mr_interleaved data[MAX_ENTRIES];
};

typedef void (*builder)(struct dv_bench *b, int n);

static void conf_list(struct dv_bench *b, int n)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	mlx5dv_wr_mkey_configure(b->mqp, b->mkey, 2, &attr);
	mlx5dv_wr_set_mkey_access_flags(b->mqp, IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE);
	mlx5dv_wr_set_mkey_layout_list(b->mqp, n, b->sge);
}

static void conf_interleaved(struct dv_bench *b, int n)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	mlx5dv_wr_mkey_configure(b->mqp, b->mkey, 2, &attr);
	mlx5dv_wr_set_mkey_access_flags(b->mqp, IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE);
	mlx5dv_wr_set_mkey_layout_interleaved(b->mqp, 2, n, b->data);
}

static int measure_once(struct dv_bench *b, builder build, int n, u64 *cost)
{
	struct ib_qp_ex *qpx = &b->mqp->qp_ex;
	u64 start;
	int ret;

	start = get_cycles();
	ret = ib_wr_start(qpx);
	qpx->wr_id = 0;
	qpx->wr_flags = IB_SEND_INLINE | IB_SEND_SIGNALED;
	build(b, n);
	ret = ib_wr_complete(qpx);
	*cost = get_cycles() - start;
	T_EXPECT(ret, 0);
	T_EXPECT(t_wait(&b->e->sq, 0), IB_WC_SUCCESS);
	t_forget(&b->e->sq);
	return 0;
}

static int measure_builder(struct dv_bench *b, const char *name, builder build, int n)
{
	u64 best = U64_MAX, none = U64_MAX, cost;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		cost = get_cycles();
		cost = get_cycles() - cost;
		none = min(none, cost);
		T_TRY(measure_once(b, build, n, &cost));
		best = min(best, cost);
	}
	t_log("bench %s dv %d %llu\n", name, n, best - none);
	return 0;
}

static int bench_builders(struct dv_bench *b)
{
	static const int lengths[] = { 1, 4, 16, MAX_ENTRIES };
	int i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++)
		T_TRY(measure_builder(b, "mkey_configure_list", conf_list, lengths[i]));
	for (i = 0; i < ARRAY_SIZE(lengths); i++)
		T_TRY(measure_builder(b, "mkey_configure_interleaved", conf_interleaved,
				      min(lengths[i], MAX_ENTRIES - 1)));
	return 0;
}

static int bench_dv(struct t_pair *p)
{
	struct dv_bench *b;
	int i, ret;

	b = kzalloc(sizeof(*b), GFP_KERNEL);
	if (!b)
		return -ENOMEM;
	b->e = &p->end[0];
	b->mqp = dv_of(b->e);
	b->mkey = dv_mkey(b->e, 0, MAX_ENTRIES);
	if (IS_ERR(b->mkey)) {
		ret = PTR_ERR(b->mkey);
		kfree(b);
		return ret;
	}
	for (i = 0; i < MAX_ENTRIES; i++) {
		b->sge[i] = t_sge(b->e, 512 * i, 64 + i);
		b->data[i] = (struct mlx5dv_mr_interleaved){
			.addr = b->e->dma + 512 * i, .bytes_count = 128 + i,
			.bytes_skip = i, .lkey = b->e->pd->local_dma_lkey,
		};
	}
	ret = bench_builders(b);
	mlx5dv_destroy_mkey(b->mkey);
	kfree(b);
	return ret;
}

static const struct t_opts bench_opts = {
	.create_qp = dv_create_qp, .post = dv_post, .inline_size = MAX_ENTRIES * 16,
};

const struct t_case dv_bench_dv_cases[] = {
	{ "bench_dv", bench_dv, &bench_opts },
	{ }
};
