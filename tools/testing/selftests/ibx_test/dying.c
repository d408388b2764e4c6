// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A device that dies under a case. Somebody else kills the first device while
 * the case waits for it; what was posted is flushed in software from then on.
 */
#include <linux/delay.h>
#include <linux/kthread.h>

#include "ibx_test.h"

#define T_QPS		8
#define T_EACH		(T_WRS / T_QPS)		/* receives posted to each */

/* polls what end 0 receives, as fast as it can */
static int t_poller(void *arg)
{
	struct t_end *e = arg;
	int ret = 0;

	while (!kthread_should_stop()) {
		if (!ret)
			ret = t_collect(&e->rq);
		if (ret <= 0)
			cond_resched();
		if (ret > 0)
			ret = 0;
	}
	return ret;
}

static int t_fill_qps(struct t_pair *p, struct ib_qp **qps)
{
	struct t_end *e = &p->end[0], *peer = &p->end[1];
	struct ib_sge sge = t_sge(e, 0, 64);
	struct ib_recv_wr wr = { .sg_list = &sge, .num_sge = 1 };
	int i, n;

	for (i = 0; i < T_QPS; i++) {
		qps[i] = t_qp_create(e, e->sq.cq, e->rq.cq, p->opts);
		if (IS_ERR(qps[i]))
			return PTR_ERR(qps[i]);
		T_TRY(t_qp_connect(e, qps[i], peer, peer->qp->qp_num, &t_default_path));
		for (n = 0; n < T_EACH; n++) {
			wr.wr_id = i * T_EACH + n;
			T_TRY(ib_post_recv(qps[i], &wr, NULL));
		}
	}
	return 0;
}

/* one receive is polled: the device is dead. The rest is raced for. */
static int t_race(struct t_end *e, struct ib_qp **qps)
{
	unsigned long end = jiffies + msecs_to_jiffies(2 * T_TIMEOUT_MS);
	struct task_struct *poller;
	int i, err, ret = 0;

	while (!e->rq.nr) {
		T_TRY(t_collect(&e->rq));
		if (time_after(jiffies, end))
			return T_FAIL("the device lives");
		usleep_range(100, 200);
	}
	poller = kthread_run(t_poller, e, "ibx_test_poller");
	if (IS_ERR(poller))
		return PTR_ERR(poller);
	for (i = 0; i < T_QPS && !ret; i++) {
		ret = t_move(qps[i], IB_QPS_RESET);
		usleep_range(20, 40);
	}
	err = kthread_stop(poller);
	return ret ? ret : err;
}

/*
 * QPs go to RESET, one after the other, while another CPU polls their flush:
 * each receive completes once or, if the reset was first, never.
 */
static int dying_reset(struct t_pair *p)
{
	struct ib_qp *qps[T_QPS] = {};
	struct t_end *e = &p->end[0];
	unsigned int before;
	int i, ret;

	ret = t_fill_qps(p, qps);
	if (!ret)
		ret = t_race(e, qps);
	before = e->rq.nr;
	for (i = 0; i < T_QPS; i++)
		if (!IS_ERR_OR_NULL(qps[i]))
			ib_destroy_qp(qps[i]);
	T_TRY(ret);
	T_TRY(t_settle(&e->rq));
	T_EXPECT(e->rq.nr, before);
	for (i = 0; i < T_WRS; i++) {
		T_EXPECT(e->rq.seen[i] <= 1, 1);
		if (e->rq.seen[i])
			T_EXPECT(e->rq.wc[i].status, IB_WC_WR_FLUSH_ERR);
	}
	t_log("%u of %d flushed\n", e->rq.nr, T_WRS);
	return 0;
}

static const struct t_opts many = { .rq_depth = T_EACH, .cqe = 2 * T_WRS };

const struct t_case t_dying_cases[] = {
	{ "dying_reset", dying_reset, &many },
	{ }
};
