// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A fatal error of the device, or CQs in error, during a case. The script causes the error of the
 * first device, or of its CQs, while the case waits for the error. From the error on, the driver
 * flushes work requests in software.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>

#include "ibx_test.h"
#include "on_cq.h"

#define T_QPS		8
#define T_EACH		(T_WRS / T_QPS)		/* receives posted to each QP */

struct t_poll {
	struct t_end *e;
	struct completion started;
};

/* polls the receive CQ of end 0 without a pause */
static int t_poller(void *arg)
{
	struct t_poll *poll = arg;
	struct t_end *e = poll->e;
	int ret = 0;

	complete(&poll->started);
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

/*
 * Waits until one receive is flushed, which shows that the device is in internal
 * error. Then resets QPs while a thread polls the rest of the receives.
 */
static int t_race(struct t_end *e, struct ib_qp **qps)
{
	unsigned long end = jiffies + msecs_to_jiffies(2 * T_TIMEOUT_MS);
	struct t_poll poll = { .e = e };
	struct task_struct *poller;
	int i, err, ret = 0;

	while (!e->rq.nr) {
		T_TRY(t_collect(&e->rq));
		if (time_after(jiffies, end))
			return T_FAIL("the device lives");
		usleep_range(100, 200);
	}
	init_completion(&poll.started);
	poller = kthread_run(t_poller, &poll, "ibx_test_poller");
	if (IS_ERR(poller))
		return PTR_ERR(poller);
	/* a thread that is stopped before it runs ends with -EINTR */
	wait_for_completion(&poll.started);
	for (i = 0; i < T_QPS && !ret; i++) {
		ret = t_move(qps[i], IB_QPS_RESET);
		usleep_range(20, 40);
	}
	err = kthread_stop(poller);
	return ret ? ret : err;
}

/*
 * QPs are moved to RESET, one after the other, while a thread polls their flushed receives. A
 * receive completes at most once. A receive that was not polled before the reset does not complete.
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

/* ---- CQs in error ---- */

#define T_RECVS		4
#define T_SENDS		3

struct t_flushed {
	struct ib_cqe cqe;
	atomic_t good;
	atomic_t bad;
};

static void t_flushed(struct ib_cq *cq, struct ib_wc *wc)
{
	struct t_flushed *f = container_of(wc->wr_cqe, struct t_flushed, cqe);

	atomic_inc(wc->status == IB_WC_WR_FLUSH_ERR ? &f->good : &f->bad);
}

/* waits for the event QP_FATAL of @qps QPs of an end, including the QP of the pair */
static int t_wait_failed(struct t_end *e, int qps)
{
	unsigned long end = jiffies + msecs_to_jiffies(T_TIMEOUT_MS);

	while (atomic_read(&e->events[IB_EVENT_QP_FATAL]) < qps) {
		if (time_after(jiffies, end))
			return T_FAIL("%d QPs failed",
				      atomic_read(&e->events[IB_EVENT_QP_FATAL]));
		msleep(20);
	}
	return 0;
}

static int t_done(const struct t_flushed *f)
{
	return atomic_read(&f->good) + atomic_read(&f->bad);
}

static int t_wait_done(const struct t_flushed *f, int want)
{
	unsigned long end = jiffies + msecs_to_jiffies(T_TIMEOUT_MS);

	while (t_done(f) < want) {
		if (time_after(jiffies, end))
			return T_FAIL("%d of %d completed", t_done(f), want);
		msleep(20);
	}
	return 0;
}

static int t_is_err(struct ib_qp *qp)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;

	T_TRY(ib_query_qp(qp, &attr, IB_QP_STATE, &init));
	T_EXPECT(attr.qp_state, IB_QPS_ERR);
	return 0;
}

/*
 * Work requests are posted before and after the CQ enters the error state. ib_query_qp() then
 * returns ERR, but no work request completes until ib_drain_qp() has moved the QP to ERR. When
 * ib_drain_qp() returns, all work requests have completed.
 */
static int cq_fails(struct t_pair *p, struct ib_qp *qp)
{
	struct t_end *e = &p->end[0], *peer = &p->end[1];
	struct t_flushed f = { .cqe.done = t_flushed };
	struct ib_sge sge = t_sge(e, 0, 64);
	struct ib_recv_wr recv = { .wr_cqe = &f.cqe, .sg_list = &sge, .num_sge = 1 };
	struct ib_send_wr send = {
		.wr_cqe = &f.cqe, .sg_list = &sge, .num_sge = 1,
		.opcode = IB_WR_SEND, .send_flags = IB_SEND_SIGNALED,
	};
	int i;

	T_TRY(t_qp_connect(e, qp, peer, peer->qp->qp_num, &t_default_path));
	for (i = 0; i < T_RECVS; i++)
		T_TRY(ib_post_recv(qp, &recv, NULL));
	T_TRY(t_wait_failed(e, 2));
	for (i = 0; i < T_SENDS; i++)
		T_TRY(ib_post_send(qp, &send, NULL));
	msleep(100);
	/* the device may use posted work requests until ib_modify_qp() moves the QP to ERR */
	T_EXPECT(t_done(&f), 0);
	T_TRY(t_is_err(qp));
	msleep(100);
	T_EXPECT(t_done(&f), 0);
	ib_drain_qp(qp);
	T_EXPECT(atomic_read(&f.good), T_RECVS + T_SENDS);
	T_EXPECT(atomic_read(&f.bad), 0);
	return t_is_err(qp);
}

/* the QP is in ERR, and its work request was flushed, before the CQ enters the error state */
static int cq_fails_late(struct t_pair *p, struct ib_qp *qp)
{
	struct t_end *e = &p->end[0], *peer = &p->end[1];
	struct t_flushed f = { .cqe.done = t_flushed };
	struct ib_sge sge = t_sge(e, 0, 64);
	struct ib_recv_wr recv = { .wr_cqe = &f.cqe, .sg_list = &sge, .num_sge = 1 };
	int i;

	T_TRY(t_qp_connect(e, qp, peer, peer->qp->qp_num, &t_default_path));
	T_TRY(ib_post_recv(qp, &recv, NULL));
	T_TRY(t_move(qp, IB_QPS_ERR));
	T_TRY(t_wait_done(&f, 1));
	T_TRY(t_wait_failed(e, 1));
	msleep(200);
	for (i = 0; i < T_RECVS; i++)
		T_TRY(ib_post_recv(qp, &recv, NULL));
	T_TRY(t_wait_done(&f, 1 + T_RECVS));
	ib_drain_qp(qp);
	T_EXPECT(atomic_read(&f.good), 1 + T_RECVS);
	T_EXPECT(atomic_read(&f.bad), 0);
	T_TRY(t_move(qp, IB_QPS_RESET));
	return 0;
}

/* ---- consumers that only wait ---- */

static int t_wait_dead(struct t_end *e)
{
	unsigned long end = jiffies + msecs_to_jiffies(T_TIMEOUT_MS);

	while (t_post_recv(e, 0) != -EIO) {
		if (time_after(jiffies, end))
			return T_FAIL("the device lives");
		msleep(20);
	}
	return 0;
}

/*
 * After the fatal error, the case neither posts nor polls. The driver calls the handler of the CQ,
 * and all receives are flushed.
 */
static int recvs_told(struct t_pair *p, struct ib_qp *qp)
{
	struct t_flushed f = { .cqe.done = t_flushed };
	struct ib_sge sge = t_sge(&p->end[0], 0, 64);
	struct ib_recv_wr recv = { .wr_cqe = &f.cqe, .sg_list = &sge, .num_sge = 1 };
	int i;

	T_TRY(t_pair_connect_qp(p, qp));
	for (i = 0; i < T_RECVS; i++)
		T_TRY(ib_post_recv(qp, &recv, NULL));
	T_TRY(t_wait_done(&f, T_RECVS));
	T_EXPECT(atomic_read(&f.bad), 0);
	return 0;
}

/* the peer has no receives, so the sends are outstanding at the fatal error */
static int sends_told(struct t_pair *p, struct ib_qp *qp)
{
	struct t_flushed f = { .cqe.done = t_flushed };
	struct ib_sge sge = t_sge(&p->end[0], 0, 64);
	struct ib_send_wr send = {
		.wr_cqe = &f.cqe, .sg_list = &sge, .num_sge = 1,
		.opcode = IB_WR_SEND, .send_flags = IB_SEND_SIGNALED,
	};
	int i;

	T_TRY(t_pair_connect_qp(p, qp));
	for (i = 0; i < T_SENDS; i++)
		T_TRY(ib_post_send(qp, &send, NULL));
	T_TRY(t_wait_done(&f, T_SENDS));
	T_EXPECT(atomic_read(&f.bad), 0);
	return 0;
}

/* causes another event of the QP than the last-WQE event: a message arrives in RTR */
static int t_comm_est(struct t_pair *p, struct ib_qp *qp)
{
	struct t_end *e = &p->end[0], *peer = &p->end[1];
	struct ib_sge sge = t_sge(peer, 0, 64);
	struct ib_send_wr wr;

	T_TRY(t_move(peer->qp, IB_QPS_RESET));
	T_TRY(t_qp_connect(peer, peer->qp, e, qp->qp_num, &t_default_path));
	T_TRY(t_to_init(qp, &t_default_path));
	T_TRY(t_to_rtr(e, qp, peer, peer->qp->qp_num, &t_default_path));
	T_TRY(t_post_recv(e, 0));
	t_send_wr(&wr, &sge, 0);
	T_TRY(ib_post_send(peer->qp, &wr, NULL));
	T_EXPECT(t_wait(&peer->sq, 0), IB_WC_SUCCESS);
	T_TRY(t_wait_event(e, IB_EVENT_COMM_EST));
	return t_to_rts(qp, &t_default_path);
}

/*
 * Each QP has one last-WQE event. The device raises the event of the first QP before the fatal
 * error. The driver raises the event of the second QP after the error, although the second QP has
 * had an event of another kind.
 */
static int t_last_wqes(struct t_pair *p, struct ib_qp *second)
{
	struct t_end *e = &p->end[0];
	atomic_t *events = &e->events[IB_EVENT_QP_LAST_WQE_REACHED];
	int i;

	T_TRY(t_move(e->qp, IB_QPS_ERR));
	T_TRY(t_wait_event(e, IB_EVENT_QP_LAST_WQE_REACHED));
	T_TRY(t_comm_est(p, second));
	T_TRY(t_wait_dead(e));
	T_EXPECT(atomic_read(events), 1);
	T_TRY(t_move(second, IB_QPS_ERR));
	for (i = 0; i < 100 && atomic_read(events) < 2; i++)
		msleep(20);
	/* the driver checks its QPs every 20 ms */
	msleep(200);
	T_EXPECT(atomic_read(events), 2);
	return 0;
}

static int last_wqe_once(struct t_pair *p)
{
	struct t_end *e = &p->end[0];
	struct ib_qp *second = t_qp_create(e, e->sq.cq, e->rq.cq, p->opts);
	int ret;

	if (IS_ERR(second))
		return PTR_ERR(second);
	ret = t_last_wqes(p, second);
	ib_destroy_qp(second);
	return ret;
}

static const struct t_opts shared = { .srq_depth = T_DEPTH };

/* ---- commands that fail ---- */

static int t_three(struct t_pair *p, u32 len)
{
	struct t_msg m = { .op = IB_WR_SEND, .len = len };

	for (m.seed = 1; m.seed <= 3; m.seed++)
		T_TRY(t_message(p, &m));
	return 0;
}

/*
 * The device resets a QP, but returns an error for the command. ib_query_qp() then returns RESET.
 * After the QP is connected again, it executes only work requests posted after the reset.
 */
static int reset_unheard(struct t_pair *p)
{
	struct t_end *tx = &p->end[1];

	T_TRY(t_three(p, 2500));
	T_EXPECT(t_move(tx->qp, IB_QPS_RESET), -EIO);
	T_EXPECT(t_state(tx), IB_QPS_RESET);
	T_TRY(t_move(p->end[0].qp, IB_QPS_RESET));
	T_TRY(t_pair_connect(p));
	return t_three(p, 300);
}

/* The device refuses a change of state once: the QP stays in RTS, and sends. */
static int t_stays(struct t_pair *p, enum ib_qp_state state)
{
	struct t_end *tx = &p->end[1];

	T_TRY(t_three(p, 300));
	T_EXPECT(t_move(tx->qp, state), -EIO);
	T_TRY(t_three(p, 300));
	T_EXPECT(t_state(tx), IB_QPS_RTS);
	T_TRY(t_move(tx->qp, state));
	T_EXPECT(t_state(tx), state);
	return 0;
}

static int reset_refused(struct t_pair *p)
{
	return t_stays(p, IB_QPS_RESET);
}

static int error_refused(struct t_pair *p)
{
	return t_stays(p, IB_QPS_ERR);
}

const struct t_case t_dying_cases[] = {
	{ "dying_reset", dying_reset, &many },
	T_ON_CQ(recvs_told),
	T_ON_CQ(sends_told),
	{ "last_wqe_once", last_wqe_once, &shared },
	T_ON_CQ(cq_fails),
	T_ON_CQ(cq_fails_late),
	{ "reset_unheard", reset_unheard },
	{ "reset_refused", reset_refused },
	{ "error_refused", error_refused },
	{ }
};
