// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A load to which adaptive moderation reacts: completions of CQs that the core polls,
 * first few for each report, then many. The script that runs the cases checks
 * whether the driver changed the moderation of CQs.
 */
#include <linux/completion.h>
#include <linux/jiffies.h>

#include "ibx_test.h"

#define T_BURST		16
#define T_REPORTS	80	/* more than the algorithm processes in one run */

struct t_load {
	struct ib_cqe cqe;
	struct completion done;
	atomic_t left;
	int bad;
};

static void t_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct t_load *l = container_of(wc->wr_cqe, struct t_load, cqe);

	if (wc->status)
		l->bad = wc->status;
	if (atomic_dec_and_test(&l->left))
		complete(&l->done);
}

/* posts a chain of short WRITEs, which complete at nearly the same time */
static int t_burst(struct t_pair *p, struct t_load *l, int nr)
{
	struct t_end *e = &p->end[1];
	struct ib_rdma_wr wr[T_BURST];
	struct ib_sge sge;
	int i;

	for (i = 0; i < nr; i++) {
		t_write_wr(&wr[i], &sge, e, 0);
		sge.length = 8;
		wr[i].wr.wr_cqe = &l->cqe;
		wr[i].rkey = p->end[0].mr[0]->rkey;
		wr[i].remote_addr = p->end[0].mr[0]->iova;
		wr[i].wr.next = i + 1 < nr ? &wr[i + 1].wr : NULL;
	}
	atomic_set(&l->left, nr);
	reinit_completion(&l->done);
	T_TRY(ib_post_send(e->qp, &wr[0].wr, NULL));
	if (!wait_for_completion_timeout(&l->done, msecs_to_jiffies(T_TIMEOUT_MS)))
		return T_FAIL("%d of %d completions are missing", atomic_read(&l->left), nr);
	T_EXPECT(l->bad, IB_WC_SUCCESS);
	return 0;
}

static int t_loads(struct t_pair *p, struct t_load *l)
{
	static const int bursts[] = { 1, T_BURST, 1, T_BURST, 1, T_BURST };
	int i, n;

	T_TRY(t_pair_connect(p));
	T_TRY(t_post_reg(&p->end[0], 0, p->end[0].mr[0],
			 IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE));
	T_EXPECT(t_wait(&p->end[0].sq, 0), IB_WC_SUCCESS);
	for (i = 0; i < ARRAY_SIZE(bursts); i++)
		for (n = 0; n < T_REPORTS; n++)
			T_TRY(t_burst(p, l, bursts[i]));
	return 0;
}

/* runs the load on a QP of end 1 whose CQ the core polls and moderates */
static int t_dim(struct t_pair *p, enum ib_poll_context context)
{
	static struct t_load l;
	struct t_end *e = &p->end[1];
	struct ib_cq *cq;
	struct ib_qp *qp;
	int ret;

	l = (struct t_load){ .cqe.done = t_done };
	init_completion(&l.done);
	cq = ib_alloc_cq(e->dev, NULL, 4 * T_DEPTH, 0, context);
	if (IS_ERR(cq))
		return T_FAIL("ib_alloc_cq: %ld", PTR_ERR(cq));
	qp = t_qp_create(e, cq, e->rq.cq, p->opts);
	if (IS_ERR(qp)) {
		ib_free_cq(cq);
		return T_FAIL("ib_create_qp: %ld", PTR_ERR(qp));
	}
	swap(e->qp, qp);
	ret = t_loads(p, &l);
	swap(e->qp, qp);
	/* no receive was posted, so no receive has to be polled */
	ib_drain_sq(qp);
	ib_destroy_qp(qp);
	ib_free_cq(cq);
	return ret;
}

static int dim_softirq(struct t_pair *p)
{
	return t_dim(p, IB_POLL_SOFTIRQ);
}

static int dim_workqueue(struct t_pair *p)
{
	return t_dim(p, IB_POLL_WORKQUEUE);
}

static const struct t_opts t_unconnected = { .unconnected = true };

const struct t_case t_dim_cases[] = {
	{ "dim_softirq", dim_softirq, &t_unconnected },
	{ "dim_workqueue", dim_workqueue, &t_unconnected },
	{ }
};
