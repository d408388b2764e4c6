// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Send queues full of configurations of signature mkeys, on a CQ with one entry for each work
 * request of the QP. All work requests are flushed: each completes once, and the CQ does not
 * overrun.
 *
 * A work request of this QP takes 9 WQE basic blocks, so that the ring has exactly 14 work
 * requests, and the CQ 16 entries.
 */
#include "sig.h"

#define FULL_DEPTH	14

static const struct t_opts full_opts = {
	.create_qp = dv_create_qp, .destroy_qp = mlx5dv_destroy_qp, .post = dv_post,
	.inline_size = 448, .sq_depth = FULL_DEPTH, .cqe = FULL_DEPTH,
};

static const struct sig_dom crc_512 = {
	.on = true, .type = MLX5DV_SIG_TYPE_CRC, .size = MLX5DV_BLOCK_SIZE_512,
};

static const struct sig_dom crc_4096 = {
	.on = true, .type = MLX5DV_SIG_TYPE_CRC, .size = MLX5DV_BLOCK_SIZE_4096,
};

static int post_sig(struct t_end *e, u64 id, struct mlx5dv_mkey *mkey, const struct sig_case *c)
{
	struct mlx5dv_mkey_conf_attr attr = {};

	T_TRY(dv_start(e, id, IB_SEND_INLINE));
	mlx5dv_wr_mkey_configure(dv_of(e), mkey, 1, &attr);
	sig_build(e, c);
	return ib_wr_complete(dv_qpx(e));
}

static int post_send(struct t_end *e, u64 id)
{
	T_TRY(dv_start(e, id, 0));
	ib_wr_send(dv_qpx(e));
	ib_wr_set_sge_list(dv_qpx(e), 0, NULL);
	return ib_wr_complete(dv_qpx(e));
}

/* posts configurations until the ring is full, then SENDs; returns the number of work requests */
static int fill_ring(struct sig_run *r, u64 id, const struct sig_case *c)
{
	struct t_end *e = &r->p->end[0];
	const u64 first = id;
	int ret;

	do {
		ret = post_sig(e, id, r->mkey, c);
	} while (!ret && id++ < T_WRS - 1);
	T_EXPECT(ret, -ENOMEM);
	do {
		ret = post_send(e, id);
	} while (!ret && id++ < T_WRS - 1);
	T_EXPECT(ret, -ENOMEM);
	return id - first;
}

/* the QP is in ERR, so all work requests are flushed */
static int run_full(struct sig_run *r)
{
	struct t_end *e = &r->p->end[0];
	const struct sig_dom small = sig_fit(r, &crc_512), large = sig_fit(r, &crc_4096);
	const struct sig_case cases[] = {
		{ .mem = small, .wire = large }, { .mem = small }, { .wire = small },
	};
	int i, n;

	T_TRY(t_move(e->qp, IB_QPS_ERR));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		n = fill_ring(r, 0, &cases[i]);
		if (n < 0)
			return n;
		T_TRY(t_expect_flushed(&e->sq, 0, n - 1));
		T_EXPECT(e->sq.nr, n);
		t_clear_counts(&e->sq);
	}
	return 0;
}

/* the peer refuses the first work request; later ones are flushed, or have been executed */
static int run_full_refused(struct sig_run *r)
{
	struct t_end *e = &r->p->end[0];
	const struct sig_case c = {
		.mem = sig_fit(r, &crc_512), .wire = sig_fit(r, &crc_4096),
	};
	const struct ib_sge sge = t_sge(e, 0, 64);
	int id, n;

	T_TRY(dv_start(e, 0, IB_SEND_SIGNALED));
	ib_wr_rdma_write(dv_qpx(e), r->p->end[1].mr[0]->rkey ^ 1, 0);
	ib_wr_set_sge_list(dv_qpx(e), 1, &sge);
	T_EXPECT(ib_wr_complete(dv_qpx(e)), 0);
	n = fill_ring(r, 1, &c);
	if (n < 0)
		return n;
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_REM_ACCESS_ERR);
	T_EXPECT(t_wait(&e->sq, n), IB_WC_WR_FLUSH_ERR);
	T_TRY(t_settle(&e->sq));
	for (id = 0; id <= n; id++)
		T_EXPECT(e->sq.seen[id] > 1, 0);
	return 0;
}

int sig_full(struct t_pair *p)
{
	return sig_with(p, run_full);
}

int sig_full_refused(struct t_pair *p)
{
	return sig_with(p, run_full_refused);
}

const struct t_case dv_sig_full_cases[] = {
	{ "sig_full", sig_full, &full_opts },
	{ "sig_full_refused", sig_full_refused, &full_opts },
	{ }
};
