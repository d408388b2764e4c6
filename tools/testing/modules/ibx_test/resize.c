// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Resizing a CQ. No completion is lost, repeated or out of order, whatever the CQ
 * contains when it is resized, and also while it is polled.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>

#include "compat.h"
#include "ibx_test.h"

/* posts @nr SENDs of end 1, and receives of end 0; wr_ids begin at @from */
static int t_sends(struct t_pair *p, u64 from, int nr)
{
	struct ib_send_wr wr;
	struct ib_sge sge;
	int i;

	for (i = 0; i < nr; i++) {
		T_TRY(t_post_recv(&p->end[0], from + i));
		sge = t_sge(&p->end[1], 0, 4);
		t_send_wr(&wr, &sge, from + i);
		T_TRY(ib_post_send(p->end[1].qp, &wr, NULL));
	}
	return 0;
}

/* checks @nr completions with wr_ids from @from: each came once, in order */
static int t_expect_order(struct t_queue *q, u64 from, int nr)
{
	int i;

	T_EXPECT(t_wait(q, from + nr - 1), IB_WC_SUCCESS);
	for (i = 0; i < nr; i++) {
		T_EXPECT(q->seen[from + i], 1);
		T_EXPECT(q->wc[from + i].status, IB_WC_SUCCESS);
		T_EXPECT(q->order[q->nr - nr + i], from + i);
	}
	return 0;
}

static int t_resize(struct ib_cq *cq, int cqe)
{
	T_TRY(t_ib_resize_cq(cq, cqe));
	if (cq->cqe < cqe)
		return T_FAIL("requested %d entries, got %d", cqe, cq->cqe);
	return 0;
}

static int t_both_ways(struct t_pair *p, u64 from, int nr)
{
	T_TRY(t_sends(p, from, nr));
	T_TRY(t_expect_order(&p->end[1].sq, from, nr));
	return t_expect_order(&p->end[0].rq, from, nr);
}

/* an empty CQ is resized to many sizes; completions then go around each new ring */
static int resize_empty(struct t_pair *p)
{
	static const int sizes[] = { 255, 63, 31, 1023, 127, 32, 511, 31 };
	int i, round;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		T_TRY(t_resize(p->end[1].sq.cq, sizes[i]));
		T_TRY(t_resize(p->end[0].rq.cq, sizes[i]));
		for (round = 0; round < 4; round++) {
			t_clear_counts(&p->end[1].sq);
			t_clear_counts(&p->end[0].rq);
			T_TRY(t_both_ways(p, 0, 20));
		}
	}
	return 0;
}

/* the receiver has its completions, so the sender's completions are in its CQ now or soon */
static int t_outstanding(struct t_pair *p, int nr)
{
	t_clear_counts(&p->end[1].sq);
	t_clear_counts(&p->end[0].rq);
	T_TRY(t_sends(p, 0, nr));
	T_TRY(t_expect_order(&p->end[0].rq, 0, nr));
	msleep(20);
	return 0;
}

/* the CQ has completions that were not polled, at each place of the ring, at each resize */
static int resize_outstanding(struct t_pair *p)
{
	static const int sizes[] = { 255, 63, 31, 1023 };
	int i, nr;

	for (nr = 1; nr < 27; nr += 4) {
		T_TRY(t_outstanding(p, nr));
		for (i = 0; i < ARRAY_SIZE(sizes); i++)
			T_TRY(t_resize(p->end[1].sq.cq, sizes[i]));
		T_TRY(t_expect_order(&p->end[1].sq, 0, nr));
		t_clear_counts(&p->end[1].sq);
		t_clear_counts(&p->end[0].rq);
		T_TRY(t_both_ways(p, 0, nr));
	}
	return 0;
}

/* a CQ that is too small for its CQEs is refused, and the CQ is unchanged */
static int resize_too_small(struct t_pair *p)
{
	struct ib_cq *cq = p->end[1].sq.cq;
	int cqe = cq->cqe;

	T_TRY(t_outstanding(p, 20));
	T_EXPECT(t_ib_resize_cq(cq, 15), -EINVAL);
	T_EXPECT(cq->cqe, cqe);
	T_EXPECT(t_ib_resize_cq(cq, 7), -EINVAL);
	T_TRY(t_expect_order(&p->end[1].sq, 0, 20));
	T_TRY(t_resize(cq, 31));
	t_clear_counts(&p->end[1].sq);
	t_clear_counts(&p->end[0].rq);
	return t_both_ways(p, 0, 20);
}

/*
 * The new ring has more entries than the CQ has CQEs, and the old ring has an
 * entry for the CQE that ends it. 16 CQEs fill a ring of 16 entries.
 */
static int resize_full(struct t_pair *p)
{
	struct ib_cq *cq = p->end[1].sq.cq;

	T_TRY(t_outstanding(p, 16));
	T_EXPECT(t_ib_resize_cq(cq, 15), -EINVAL);
	T_TRY(t_expect_order(&p->end[1].sq, 0, 16));

	T_TRY(t_outstanding(p, 15));
	T_TRY(t_resize(cq, 15));
	T_EXPECT(cq->cqe, 15);
	T_TRY(t_expect_order(&p->end[1].sq, 0, 15));

	T_TRY(t_outstanding(p, 16));
	T_EXPECT(t_ib_resize_cq(cq, 31), -EINVAL);
	T_EXPECT(cq->cqe, 15);
	T_TRY(t_expect_order(&p->end[1].sq, 0, 16));

	T_TRY(t_outstanding(p, 15));
	T_TRY(t_resize(cq, 31));
	T_TRY(t_expect_order(&p->end[1].sq, 0, 15));
	t_clear_counts(&p->end[1].sq);
	t_clear_counts(&p->end[0].rq);
	return t_both_ways(p, 0, 20);
}

static int resize_bad(struct t_pair *p)
{
	struct ib_cq *cq = p->end[1].sq.cq;
	int cqe = cq->cqe;

	T_EXPECT(t_ib_resize_cq(cq, 0), -EINVAL);
	T_EXPECT(t_ib_resize_cq(cq, -1), -EINVAL);
	T_EXPECT(t_ib_resize_cq(cq, INT_MIN), -EINVAL);
	T_EXPECT(t_ib_resize_cq(cq, cq->device->attrs.max_cqe + 1), -EINVAL);
	T_EXPECT(t_ib_resize_cq(cq, INT_MAX), -EINVAL);
	T_EXPECT(cq->cqe, cqe);
	return t_both_ways(p, 0, 5);
}

/* completed by the event handler of a CQ; static, because the CQ exists until the case has ended */
static struct completion t_report;

static void t_reported(struct ib_cq *cq, void *context)
{
	complete(&t_report);
}

/* gives the sender, which is not connected yet, a CQ with an event handler */
static int t_reporting_cq(struct t_end *e, const struct t_opts *opts)
{
	struct ib_cq_init_attr attr = { .cqe = 100 };
	struct ib_cq *cq;
	struct ib_qp *qp;

	ib_destroy_qp(e->qp);
	e->qp = NULL;
	ib_destroy_cq(e->sq.cq);
	e->sq.cq = NULL;
	cq = ib_create_cq(e->dev, t_reported, NULL, NULL, &attr);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	e->sq.cq = cq;
	qp = t_qp_create(e, cq, e->rq.cq, opts);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	e->qp = qp;
	return 0;
}

/* a CQ that was armed before the resize raises its event after the resize */
static int resize_armed(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	int i;

	init_completion(&t_report);
	T_TRY(t_reporting_cq(e, p->opts));
	T_TRY(t_pair_connect(p));
	for (i = 0; i < 4; i++) {
		reinit_completion(&t_report);
		T_TRY(ib_req_notify_cq(e->sq.cq, IB_CQ_NEXT_COMP));
		T_TRY(t_resize(e->sq.cq, i & 1 ? 63 : 255));
		T_TRY(t_sends(p, i, 1));
		if (!wait_for_completion_timeout(&t_report, msecs_to_jiffies(T_TIMEOUT_MS)))
			return T_FAIL("round %d: not reported", i);
		T_EXPECT(t_wait(&e->sq, i), IB_WC_SUCCESS);
	}
	return 0;
}

#define T_RESIZES	20

/* a thread that resizes @cq, and the number of resizes so far */
struct t_resizer {
	struct ib_cq *cq;
	int nr;
};

static int t_resizer(void *arg)
{
	static const int sizes[] = { 63, 255, 511, 127 };
	struct t_resizer *r = arg;
	int ret = 0;

	while (!kthread_should_stop()) {
		if (!ret)
			ret = t_ib_resize_cq(r->cq, sizes[r->nr % ARRAY_SIZE(sizes)]);
		if (!ret)
			WRITE_ONCE(r->nr, r->nr + 1);
		cond_resched();
	}
	return ret;
}

/* the CQ is polled all the time, so that the poller reaches the end of the old ring */
static int resize_under_load(struct t_pair *p)
{
	unsigned long end = jiffies + msecs_to_jiffies(T_TIMEOUT_MS);
	struct t_resizer r = { .cq = p->end[1].sq.cq };
	struct task_struct *task;
	int round, err, ret = 0;

	task = kthread_run(t_resizer, &r, "ibx_test_resize");
	if (IS_ERR(task))
		return PTR_ERR(task);
	for (round = 0; !ret && (round < 60 || READ_ONCE(r.nr) < T_RESIZES); round++) {
		t_clear_counts(&p->end[1].sq);
		t_clear_counts(&p->end[0].rq);
		ret = t_both_ways(p, 0, 30);
		if (time_after(jiffies, end))
			break;
	}
	err = kthread_stop(task);
	T_TRY(ret);
	T_TRY(err);
	if (r.nr < T_RESIZES)
		return T_FAIL("resized %d times only", r.nr);
	return 0;
}

static const struct t_opts t_unconnected = { .unconnected = true };

const struct t_case t_resize_cases[] = {
	{ "resize_empty", resize_empty },
	{ "resize_outstanding", resize_outstanding },
	{ "resize_too_small", resize_too_small },
	{ "resize_full", resize_full },
	{ "resize_bad", resize_bad },
	{ "resize_armed", resize_armed, &t_unconnected },
	{ "resize_under_load", resize_under_load },
	{ }
};
