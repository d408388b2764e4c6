// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Send queues full of registrations of integrity MRs, on a CQ with one entry for each work request
 * of the ULP. A registration is one work request of up to four WQEs. Each registration completes
 * once, and the CQ does not overrun.
 *
 * With mlx5_ib the CQ overruns, so this suite is not part of the test ``pi``.
 */
#include <linux/slab.h>

#include "integrity.h"

#define T_FULL_DEPTH	14

static const struct t_opts t_full_opts = {
	.create_qp = t_create_pi_qp, .sq_depth = T_FULL_DEPTH, .cqe = T_FULL_DEPTH,
};

/*
 * Both domains have protection information, and the data are scattered, so that the MR needs a list
 * mkey: a registration has four WQEs.
 */
static const struct t_pi t_full_pi = {
	.mem = true, .wire = true, .op = IB_WR_RDMA_WRITE, .pieces = T_PI_BLOCKS, .gaps = true,
};

/* map and register an MR; @id: wr_id of the work request, which is not signaled */
static int t_full_reg(struct t_end *e, struct ib_qp *qp, struct ib_mr *mr, u64 id)
{
	struct ib_reg_wr wr = {
		.wr = { .wr_id = id, .opcode = IB_WR_REG_MR_INTEGRITY },
		.mr = mr, .access = T_PI_ACCESS,
	};
	struct t_pi_lists l;

	t_pi_attrs(mr->sig_attrs, &t_full_pi);
	t_pi_lists(e, &t_full_pi, &l);
	T_EXPECT(ib_map_mr_sg_pi(mr, l.data, l.data_nents, NULL, l.meta, l.meta_nents, NULL,
				 PAGE_SIZE), 0);
	wr.key = mr->rkey;
	return ib_post_send(qp, &wr.wr, NULL);
}

static void t_full_free(struct ib_mr **mrs)
{
	int i;

	for (i = 0; i < T_FULL_DEPTH && mrs[i]; i++)
		ib_dereg_mr(mrs[i]);
	kfree(mrs);
}

static struct ib_mr **t_full_alloc(struct t_end *e)
{
	struct ib_mr **mrs = kcalloc(T_FULL_DEPTH, sizeof(*mrs), GFP_KERNEL);
	struct ib_mr *mr;
	int i;

	for (i = 0; mrs && i < T_FULL_DEPTH; i++) {
		mr = ib_alloc_mr_integrity(e->pd, T_PI_BLOCKS, T_PI_BLOCKS);
		if (IS_ERR(mr)) {
			t_full_free(mrs);
			return NULL;
		}
		mrs[i] = mr;
	}
	return mrs;
}

struct t_full_case {
	int (*run)(struct t_pair *p, struct ib_mr **mrs);
};

static int t_full_run(struct t_pair *p)
{
	const struct t_full_case *c = p->arg;
	struct ib_mr **mrs = t_full_alloc(&p->end[0]);
	int ret;

	if (!mrs)
		return -ENOMEM;
	ret = c->run(p, mrs);
	t_full_free(mrs);
	return ret;
}

/* entry of the table of cases, for the function @name */
#define T_FULL(name)	{ #name, t_full_run, &t_full_opts, &(const struct t_full_case){ name } }

/* registrations that are posted to a QP in ERR are flushed, each once */
static int pi_full(struct t_pair *p, struct ib_mr **mrs)
{
	struct t_end *e = &p->end[0];
	int i;

	T_TRY(t_move(e->qp, IB_QPS_ERR));
	for (i = 0; i < T_FULL_DEPTH; i++)
		T_EXPECT(t_full_reg(e, e->qp, mrs[i], i), 0);
	T_TRY(t_expect_flushed(&e->sq, 0, T_FULL_DEPTH - 1));
	T_EXPECT(e->sq.nr, T_FULL_DEPTH);
	return 0;
}

/* a second registration of a registered MR fails, in a WQE that is not the last of the four */
static int pi_full_failed(struct t_pair *p, struct ib_mr **mrs)
{
	struct t_end *e = &p->end[0];
	struct ib_mr_status status;
	int i;

	T_EXPECT(t_full_reg(e, e->qp, mrs[0], 0), 0);
	T_TRY(ib_check_mr_status(mrs[0], IB_MR_CHECK_SIG_STATUS, &status));
	T_EXPECT(t_full_reg(e, e->qp, mrs[0], 1), 0);
	for (i = 2; i < T_FULL_DEPTH; i++)
		T_EXPECT(t_full_reg(e, e->qp, mrs[i], i), 0);
	T_EXPECT(t_wait(&e->sq, 1) == IB_WC_SUCCESS, false);
	T_EXPECT(e->sq.wc[1].status == IB_WC_WR_FLUSH_ERR, false);
	T_EXPECT(t_wait(&e->sq, T_FULL_DEPTH - 1), IB_WC_WR_FLUSH_ERR);
	T_TRY(t_settle(&e->sq));
	/* registration 0 was not signaled */
	T_EXPECT(e->sq.nr, T_FULL_DEPTH - 1);
	for (i = 1; i < T_FULL_DEPTH; i++)
		T_EXPECT(e->sq.seen[i], 1);
	return 0;
}

/* two QPs share the CQ of the pair, which has enough entries for the work requests of both */
static int pi_full_both(struct t_pair *p, struct ib_mr **mrs)
{
	struct t_end *e = &p->end[0];
	const int cqe = e->sq.cq->cqe;
	struct ib_mr_status status;
	struct ib_qp *qp;
	int i, round, ret = 0;

	T_TRY(t_move(e->qp, IB_QPS_ERR));
	/* each round needs the CQ entries that the QP of the previous round had reserved */
	for (round = 0; round < 3 && !ret; round++) {
		qp = t_qp_create(e, e->sq.cq, e->sq.cq, p->opts);
		if (IS_ERR(qp))
			return T_FAIL("no QP: %ld", PTR_ERR(qp));
		ret = t_to_init(qp, &t_default_path) ?: t_move(qp, IB_QPS_ERR);
		for (i = 0; i < T_FULL_DEPTH && !ret; i++)
			ret = t_full_reg(e, i & 1 ? qp : e->qp, mrs[i], i);
		for (i = 0; i < T_FULL_DEPTH && !ret; i++)
			ret = t_wait(&e->sq, i) == IB_WC_WR_FLUSH_ERR ? 0 : T_FAIL("%d", i);
		ret = ret ?: t_settle(&e->sq);
		ib_destroy_qp(qp);
		for (i = 0; i < T_FULL_DEPTH; i++)
			ret = ret ?: ib_check_mr_status(mrs[i], IB_MR_CHECK_SIG_STATUS, &status);
		if (!ret && e->sq.nr != T_FULL_DEPTH)
			ret = T_FAIL("%u completions", e->sq.nr);
		t_clear_counts(&e->sq);
	}
	/* the size that the ULP has requested is unchanged */
	T_EXPECT(e->sq.cq->cqe, cqe);
	return ret;
}

const struct t_case t_pi_full_cases[] = {
	T_FULL(pi_full),
	T_FULL(pi_full_failed),
	T_FULL(pi_full_both),
	{ }
};
