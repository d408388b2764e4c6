// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues as ULPs use them: polled by the core in each context, armed, moderated, shared,
 * full.
 */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/sched.h>

#include "ibx_test.h"

/* ---- the core's contexts, and draining ---- */

/**
 * struct t_sink - counts of the completions of a CQ of the core
 * @cqe: ib_cqe of every work request
 * @ctx: context in which completions must be reported
 * @ok: completions with success
 * @flushed: completions that were flushed
 * @bad: completions in another context, or with another status
 */
struct t_sink {
	struct ib_cqe cqe;
	enum ib_poll_context ctx;
	atomic_t ok;
	atomic_t flushed;
	atomic_t bad;
};

static bool t_in_context(enum ib_poll_context ctx)
{
	switch (ctx) {
	case IB_POLL_SOFTIRQ:
		return in_serving_softirq();
	case IB_POLL_WORKQUEUE:
	case IB_POLL_UNBOUND_WORKQUEUE:
		return !in_serving_softirq() && current->flags & PF_WQ_WORKER;
	default:
		return !in_serving_softirq() && !(current->flags & PF_WQ_WORKER);
	}
}

static void t_sink_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct t_sink *sink = container_of(wc->wr_cqe, struct t_sink, cqe);

	if (!t_in_context(sink->ctx))
		atomic_inc(&sink->bad);
	else if (wc->status == IB_WC_SUCCESS)
		atomic_inc(&sink->ok);
	else if (wc->status == IB_WC_WR_FLUSH_ERR)
		atomic_inc(&sink->flushed);
	else
		atomic_inc(&sink->bad);
}

/**
 * struct t_cqs - a QP of each end on CQs of the core
 * @cq: CQ of each end, for both queues of its QP
 * @qp: QP of each end
 * @sink: [0] completions of end 0's receives, [1] of end 1's sends
 */
struct t_cqs {
	struct ib_cq *cq[2];
	struct ib_qp *qp[2];
	struct t_sink sink[2];
};

static void t_cqs_destroy(struct t_cqs *c)
{
	int i;

	for (i = 0; i < 2; i++) {
		if (!IS_ERR_OR_NULL(c->qp[i]))
			ib_destroy_qp(c->qp[i]);
		if (!IS_ERR_OR_NULL(c->cq[i]))
			ib_free_cq(c->cq[i]);
	}
}

static int t_cqs_create(struct t_pair *p, struct t_cqs *c, enum ib_poll_context ctx)
{
	struct t_end *e;
	int i;

	for (i = 0; i < 2; i++) {
		e = &p->end[i];
		c->sink[i].cqe.done = t_sink_done;
		c->sink[i].ctx = ctx;
		c->cq[i] = ib_alloc_cq(e->dev, NULL, 4 * T_DEPTH, 0, ctx);
		if (IS_ERR(c->cq[i]))
			return T_FAIL("ib_alloc_cq: %ld", PTR_ERR(c->cq[i]));
		c->qp[i] = t_qp_create(e, c->cq[i], c->cq[i], p->opts);
		if (IS_ERR(c->qp[i]))
			return T_FAIL("no QP: %ld", PTR_ERR(c->qp[i]));
	}
	for (i = 0; i < 2; i++)
		T_TRY(t_qp_connect(&p->end[i], c->qp[i], &p->end[!i], c->qp[!i]->qp_num,
				   &t_default_path));
	return 0;
}

static int t_cqs_post(struct t_pair *p, struct t_cqs *c, int sends, int recvs)
{
	struct ib_sge from = t_sge(&p->end[1], 0, 64), to = t_sge(&p->end[0], 0, 64);
	struct ib_recv_wr recv = {
		.wr_cqe = &c->sink[0].cqe, .sg_list = &to, .num_sge = 1,
	};
	struct ib_send_wr send = {
		.wr_cqe = &c->sink[1].cqe, .sg_list = &from, .num_sge = 1,
		.opcode = IB_WR_SEND, .send_flags = IB_SEND_SIGNALED,
	};
	int i;

	for (i = 0; i < recvs; i++)
		T_TRY(ib_post_recv(c->qp[0], &recv, NULL));
	for (i = 0; i < sends; i++)
		T_TRY(ib_post_send(c->qp[1], &send, NULL));
	return 0;
}

static int t_cqs_wait(struct t_cqs *c, int want)
{
	unsigned long end = jiffies + msecs_to_jiffies(T_TIMEOUT_MS);
	int i;

	for (i = 0; i < 2; i++) {
		while (atomic_read(&c->sink[i].ok) + atomic_read(&c->sink[i].bad) < want) {
			if (c->sink[i].ctx == IB_POLL_DIRECT)
				ib_process_cq_direct(c->cq[i], -1);
			if (time_after(jiffies, end))
				return T_FAIL("end %d: %d of %d", i,
					      atomic_read(&c->sink[i].ok), want);
			usleep_range(100, 200);
		}
	}
	return 0;
}

/* three rounds of messages; after that, both QPs are drained with work requests outstanding */
static int t_cqs_run(struct t_pair *p, struct t_cqs *c)
{
	int i;

	for (i = 1; i <= 3; i++) {
		T_TRY(t_cqs_post(p, c, 16, 16));
		T_TRY(t_cqs_wait(c, 16 * i));
	}
	T_TRY(t_cqs_post(p, c, 0, 10));
	ib_drain_qp(c->qp[0]);
	T_EXPECT(atomic_read(&c->sink[0].flushed), 10);
	/* the peer is in ERR: these SENDs wait for a retry until the QP is in ERR too */
	T_TRY(t_cqs_post(p, c, 5, 0));
	ib_drain_qp(c->qp[1]);
	T_EXPECT(atomic_read(&c->sink[1].flushed), 5);
	for (i = 0; i < 2; i++) {
		T_EXPECT(atomic_read(&c->sink[i].ok), 48);
		T_EXPECT(atomic_read(&c->sink[i].bad), 0);
	}
	return 0;
}

static int t_context(struct t_pair *p)
{
	const enum ib_poll_context *ctx = p->arg;
	struct t_cqs c = {};
	int ret;

	ret = t_cqs_create(p, &c, *ctx);
	if (!ret)
		ret = t_cqs_run(p, &c);
	t_cqs_destroy(&c);
	return ret;
}

/* entry of the table of cases */
#define T_CONTEXT(name, ctx)	{ #name, t_context, .arg = &(const enum ib_poll_context){ ctx } }

/* ---- events ---- */

/**
 * struct t_armed - a CQ with an event handler, and a QP on this CQ
 * @cq: CQ of end 1, or of the end under test
 * @qp: QP of the same end
 * @events: calls of the handler
 * @when: time of the last call
 */
struct t_armed {
	struct ib_cq *cq;
	struct ib_qp *qp;
	atomic_t events;
	ktime_t when;
};

static void t_armed_event(struct ib_cq *cq, void *context)
{
	struct t_armed *a = context;

	WRITE_ONCE(a->when, ktime_get());
	atomic_inc(&a->events);
}

static void t_armed_destroy(struct t_armed *a)
{
	if (!IS_ERR_OR_NULL(a->qp))
		ib_destroy_qp(a->qp);
	if (!IS_ERR_OR_NULL(a->cq))
		ib_destroy_cq(a->cq);
}

static int t_armed_create(struct t_end *e, struct t_armed *a, int vector)
{
	struct ib_cq_init_attr attr = { .cqe = 64, .comp_vector = vector };

	a->cq = ib_create_cq(e->dev, t_armed_event, NULL, a, &attr);
	if (IS_ERR(a->cq))
		return T_FAIL("ib_create_cq: %ld", PTR_ERR(a->cq));
	return 0;
}

static int t_armed_wait(struct t_armed *a, int events)
{
	unsigned long end = jiffies + msecs_to_jiffies(T_TIMEOUT_MS);

	while (atomic_read(&a->events) < events) {
		if (time_after(jiffies, end))
			return T_FAIL("%d of %d events", atomic_read(&a->events), events);
		usleep_range(100, 200);
	}
	return 0;
}

static int t_empty(struct ib_cq *cq, int want)
{
	unsigned long end = jiffies + msecs_to_jiffies(T_TIMEOUT_MS);
	struct ib_wc wc;
	int n, got = 0;

	while (got < want) {
		n = ib_poll_cq(cq, 1, &wc);
		if (n < 0)
			return n;
		got += n;
		if (time_after(jiffies, end))
			return T_FAIL("%d of %d completions", got, want);
		if (!n)
			usleep_range(100, 200);
	}
	T_EXPECT(ib_poll_cq(cq, 1, &wc), 0);
	return 0;
}

/* a QP in error completes each posted work request at once */
static int t_vector_run(struct t_end *e, struct t_armed *a, const struct t_opts *opts)
{
	struct ib_sge sge = t_sge(e, 0, 64);
	struct ib_recv_wr wr = { .sg_list = &sge, .num_sge = 1 };
	int i;

	a->qp = t_qp_create(e, a->cq, a->cq, opts);
	if (IS_ERR(a->qp))
		return T_FAIL("no QP: %ld", PTR_ERR(a->qp));
	T_TRY(t_to_init(a->qp, &t_default_path));
	T_TRY(t_move(a->qp, IB_QPS_ERR));
	for (i = 1; i <= 5; i++) {
		T_TRY(ib_req_notify_cq(a->cq, IB_CQ_NEXT_COMP));
		T_TRY(ib_post_recv(a->qp, &wr, NULL));
		T_TRY(t_armed_wait(a, i));
		T_TRY(t_empty(a->cq, 1));
	}
	T_EXPECT(atomic_read(&a->events), 5);
	return 0;
}

/* a CQ of each vector of both devices raises its event; the shell test checks the interrupts */
static int cq_vectors(struct t_pair *p)
{
	struct t_armed a;
	int i, v, ret;

	for (i = 0; i < 2; i++) {
		for (v = 0; v < p->end[i].dev->num_comp_vectors; v++) {
			memset(&a, 0, sizeof(a));
			ret = t_armed_create(&p->end[i], &a, v);
			if (!ret)
				ret = t_vector_run(&p->end[i], &a, p->opts);
			t_armed_destroy(&a);
			if (ret)
				return T_FAIL("end %d vector %d", i, v);
		}
	}
	return 0;
}

/* creates a QP of end 1 on the armed CQ, and connects it to end 0's usual QP */
static int t_armed_connect(struct t_pair *p, struct t_armed *a)
{
	struct t_end *e = &p->end[1], *peer = &p->end[0];

	a->qp = t_qp_create(e, a->cq, a->cq, p->opts);
	if (IS_ERR(a->qp))
		return T_FAIL("no QP: %ld", PTR_ERR(a->qp));
	T_TRY(t_qp_connect(e, a->qp, peer, peer->qp->qp_num, &t_default_path));
	T_TRY(t_qp_connect(peer, peer->qp, e, a->qp->qp_num, &t_default_path));
	return 0;
}

struct t_armed_case {
	int (*run)(struct t_pair *p, struct t_armed *a);
};

static int t_with_armed(struct t_pair *p)
{
	const struct t_armed_case *c = p->arg;
	struct t_armed a = {};
	int ret;

	ret = t_armed_create(&p->end[1], &a, 0);
	if (!ret)
		ret = t_armed_connect(p, &a);
	if (!ret)
		ret = c->run(p, &a);
	t_armed_destroy(&a);
	return ret;
}

static const struct t_opts t_unconnected = { .unconnected = true };

/* entry of the table of cases, for the function @name */
#define T_ARMED(name)							\
	{ #name, t_with_armed, &t_unconnected, &(const struct t_armed_case){ name } }

#define T_COUNT		8

/* posts a chain of @nr SENDs to @qp, each of 64 bytes in the buffer of @from */
static int t_sends(struct t_end *from, struct ib_qp *qp, int nr, int flags)
{
	struct ib_sge sge = t_sge(from, 0, 64);
	struct ib_send_wr wr[T_COUNT];
	int i;

	for (i = 0; i < nr; i++) {
		t_send_wr(&wr[i], &sge, i);
		wr[i].send_flags |= flags;
		wr[i].next = i + 1 < nr ? &wr[i + 1] : NULL;
	}
	return ib_post_send(qp, wr, NULL);
}

#define T_PERIOD_US	4000	/* mlx5 has 12 bits for the period */

/* the time from posting @nr SENDs to the event of their armed CQ, in us */
static int t_event_after(struct t_pair *p, struct t_armed *a, int nr)
{
	int i, events = atomic_read(&a->events);
	ktime_t start;

	for (i = 0; i < nr; i++)
		T_TRY(t_post_recv(&p->end[0], i));
	T_TRY(ib_req_notify_cq(a->cq, IB_CQ_NEXT_COMP));
	start = ktime_get();
	T_TRY(t_sends(&p->end[1], a->qp, nr, 0));
	T_TRY(t_armed_wait(a, events + 1));
	T_TRY(t_empty(a->cq, nr));
	/* poll the receives, too, to free entries for the next ones */
	for (i = 0; i < nr; i++)
		T_EXPECT(t_wait(&p->end[0].rq, i), IB_WC_SUCCESS);
	t_clear_counts(&p->end[0].rq);
	return ktime_us_delta(READ_ONCE(a->when), start);
}

/* the shortest time of several runs, because the machine may be slow */
static int t_quickest(struct t_pair *p, struct t_armed *a, int nr)
{
	int i, us, best = INT_MAX;

	for (i = 0; i < 100 && best >= T_PERIOD_US; i++) {
		us = t_event_after(p, a, nr);
		if (us < 0)
			return us;
		best = min(best, us);
	}
	return best;
}

static int moderation(struct t_pair *p, struct t_armed *a)
{
	int us;

	T_TRY(rdma_set_cq_moderation(a->cq, T_COUNT, T_PERIOD_US));
	/* fewer completions than T_COUNT: the event comes after the period */
	us = t_event_after(p, a, T_COUNT - 1);
	T_TRY(us);
	if (us < T_PERIOD_US)
		return T_FAIL("the event of %d came after %d us", T_COUNT - 1, us);
	/* T_COUNT completions: the event comes before the end of the period */
	us = t_quickest(p, a, T_COUNT);
	T_TRY(us);
	if (us >= T_PERIOD_US)
		return T_FAIL("the event of %d came after %d us", T_COUNT, us);
	/* moderation is off: the event of one completion comes before the end of the period */
	T_TRY(rdma_set_cq_moderation(a->cq, 0, 0));
	us = t_quickest(p, a, 1);
	T_TRY(us);
	if (us >= T_PERIOD_US)
		return T_FAIL("unmoderated, the event came after %d us", us);
	return 0;
}

static int t_post_recvs(struct t_pair *p, struct t_armed *a, int nr)
{
	struct ib_sge sge = t_sge(&p->end[1], 0, 64);
	struct ib_recv_wr wr = { .sg_list = &sge, .num_sge = 1 };
	int i;

	for (i = 0; i < nr; i++)
		T_TRY(ib_post_recv(a->qp, &wr, NULL));
	return 0;
}

/* a CQ armed for solicited events: other receives raise no event, errors raise one */
static int solicited_only(struct t_pair *p, struct t_armed *a)
{
	struct t_end *tx = &p->end[0];

	T_TRY(t_post_recvs(p, a, 10));
	T_TRY(ib_req_notify_cq(a->cq, IB_CQ_SOLICITED));
	T_TRY(t_sends(tx, tx->qp, 3, 0));
	T_EXPECT(t_wait(&tx->sq, 2), IB_WC_SUCCESS);
	msleep(50);
	T_EXPECT(atomic_read(&a->events), 0);
	t_clear_counts(&tx->sq);
	T_TRY(t_sends(tx, tx->qp, 1, IB_SEND_SOLICITED));
	T_TRY(t_armed_wait(a, 1));
	T_TRY(t_empty(a->cq, 4));

	/* a CQ that is not armed again has no event */
	T_TRY(t_sends(tx, tx->qp, 1, IB_SEND_SOLICITED));
	T_TRY(t_empty(a->cq, 1));
	msleep(50);
	T_EXPECT(atomic_read(&a->events), 1);

	T_TRY(ib_req_notify_cq(a->cq, IB_CQ_SOLICITED));
	T_TRY(t_move(a->qp, IB_QPS_ERR));
	T_TRY(t_armed_wait(a, 2));
	return t_empty(a->cq, 5);
}

/*
 * Completions that are in the CQ before it is armed are not missed: ib_req_notify_cq() returns 1,
 * or the event comes at once.
 */
static int missed_events(struct t_pair *p, struct t_armed *a)
{
	struct t_end *tx = &p->end[0];
	int i, ret;

	T_TRY(t_post_recvs(p, a, 6));
	for (i = 1; i <= 3; i++) {
		T_TRY(t_sends(tx, tx->qp, 2, 0));
		T_EXPECT(t_wait(&tx->sq, 1), IB_WC_SUCCESS);
		t_clear_counts(&tx->sq);
		msleep(20);
		ret = ib_req_notify_cq(a->cq, IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS);
		T_TRY(ret);
		if (ret)
			atomic_inc(&a->events);
		T_TRY(t_armed_wait(a, i));
		T_TRY(t_empty(a->cq, 2));
	}
	return 0;
}

/* ---- CQs of several QPs, and full CQs ---- */

#define T_QPS	8
#define T_EACH	8	/* messages of each QP, each way */

/**
 * struct t_many - T_QPS QPs of each end, all on one CQ for each end
 * @qp: QPs, as [end][index]
 */
struct t_many {
	struct ib_qp *qp[2][T_QPS];
};

/* a wr_id: whether the work request is a SEND, index of the QP, number of the message */
static u64 t_many_id(bool sent, int nr, int i)
{
	return (u64)sent << 7 | nr << 3 | i;
}

static int t_many_post(struct t_pair *p, struct t_many *m, int nr, int i)
{
	struct ib_send_wr wr;
	struct ib_recv_wr recv;
	struct ib_sge sge;
	int end;

	for (end = 0; end < 2; end++) {
		sge = t_sge(&p->end[end], 128 * (nr * T_EACH + i), 32);
		recv = (struct ib_recv_wr) {
			.wr_id = t_many_id(false, nr, i), .sg_list = &sge, .num_sge = 1,
		};
		T_TRY(ib_post_recv(m->qp[end][nr], &recv, NULL));
	}
	for (end = 0; end < 2; end++) {
		sge = t_sge(&p->end[end], 128 * (nr * T_EACH + i) + 64, 32);
		t_fill(&p->end[end], 128 * (nr * T_EACH + i) + 64, 32, end * 100 + nr * T_EACH + i);
		t_send_wr(&wr, &sge, t_many_id(true, nr, i));
		T_TRY(ib_post_send(m->qp[end][nr], &wr, NULL));
	}
	return 0;
}

static int t_many_check(struct t_pair *p, struct t_many *m, int end)
{
	struct t_end *e = &p->end[end];
	int nr, i, sent;
	u64 id;

	for (nr = 0; nr < T_QPS; nr++) {
		for (i = 0; i < T_EACH; i++) {
			for (sent = 0; sent < 2; sent++) {
				id = t_many_id(sent, nr, i);
				T_EXPECT(t_wait(&e->sq, id), IB_WC_SUCCESS);
				T_EXPECT(e->sq.seen[id], 1);
				T_EXPECT(e->sq.wc[id].qp == m->qp[end][nr], 1);
				T_EXPECT(e->sq.wc[id].opcode, sent ? IB_WC_SEND : IB_WC_RECV);
			}
			T_TRY(t_check(e, 128 * (nr * T_EACH + i), 32,
				      !end * 100 + nr * T_EACH + i));
		}
	}
	T_EXPECT(e->sq.nr, 2 * T_QPS * T_EACH);
	return 0;
}

static int t_many_run(struct t_pair *p, struct t_many *m)
{
	struct t_end *e;
	int end, nr, i;

	for (end = 0; end < 2; end++) {
		e = &p->end[end];
		for (nr = 0; nr < T_QPS; nr++) {
			m->qp[end][nr] = t_qp_create(e, e->sq.cq, e->sq.cq, p->opts);
			if (IS_ERR(m->qp[end][nr]))
				return T_FAIL("QP %d: %ld", nr, PTR_ERR(m->qp[end][nr]));
		}
	}
	for (end = 0; end < 2; end++)
		for (nr = 0; nr < T_QPS; nr++)
			T_TRY(t_qp_connect(&p->end[end], m->qp[end][nr], &p->end[!end],
					   m->qp[!end][nr]->qp_num, &t_default_path));
	for (i = 0; i < T_EACH; i++)
		for (nr = 0; nr < T_QPS; nr++)
			T_TRY(t_many_post(p, m, nr, i));
	T_TRY(t_many_check(p, m, 0));
	return t_many_check(p, m, 1);
}

/* sends and receives of eight QPs on one CQ: each completion names its QP */
static int shared_by_many(struct t_pair *p)
{
	struct t_many m = {};
	int end, nr, ret;

	ret = t_many_run(p, &m);
	for (end = 0; end < 2; end++)
		for (nr = 0; nr < T_QPS; nr++)
			if (!IS_ERR_OR_NULL(m.qp[end][nr]))
				ib_destroy_qp(m.qp[end][nr]);
	return ret;
}

/* puts @n completions into the CQ of each end, then polls both CQs */
static int t_fill_cqs(struct t_pair *p, int n, u32 round)
{
	struct t_end *rx = &p->end[0], *tx = &p->end[1];
	unsigned long end = jiffies + msecs_to_jiffies(T_TIMEOUT_MS);
	const u8 *last = rx->buf + 16 * (n - 1);
	struct ib_sge sge;
	struct ib_send_wr wr;
	int i;

	t_set(rx, T_GUARD);
	t_set(tx, round);
	for (i = 0; i < n; i++) {
		sge = t_sge(rx, 16 * i, 16);
		T_TRY(t_post_recv_sges(rx, i, &sge, 1));
		sge = t_sge(tx, 0, 16);
		t_send_wr(&wr, &sge, i);
		T_TRY(ib_post_send(tx->qp, &wr, NULL));
	}
	while (READ_ONCE(*last) != round) {
		if (time_after(jiffies, end))
			return T_FAIL("round %u: the last message does not arrive", round);
		usleep_range(1000, 2000);
		t_sync(rx);
	}
	msleep(20);
	for (i = 0; i < n; i++) {
		T_EXPECT(t_wait(&tx->sq, i), IB_WC_SUCCESS);
		T_EXPECT(t_wait(&rx->rq, i), IB_WC_SUCCESS);
	}
	T_EXPECT(tx->sq.nr, n);
	T_EXPECT(rx->rq.nr, n);
	t_clear_counts(&tx->sq);
	t_clear_counts(&rx->rq);
	return 0;
}

static int exactly_full(struct t_pair *p)
{
	int n = min(p->end[0].rq.cq->cqe, p->end[1].sq.cq->cqe);
	int round;

	T_EXPECT(n >= p->opts->cqe && n < T_WRS, 1);
	for (round = 1; round <= 4; round++) {
		T_TRY(t_fill_cqs(p, n, round));
		/* five completions, so that the next round begins at another entry of the ring */
		T_TRY(t_fill_cqs(p, 5, round));
	}
	T_EXPECT(t_state(&p->end[0]), IB_QPS_RTS);
	T_EXPECT(t_state(&p->end[1]), IB_QPS_RTS);
	return 0;
}

static const struct t_opts t_one_cq = { .one_cq = true, .cqe = 2 * T_QPS * T_EACH };
static const struct t_opts t_full = { .sq_depth = 128, .rq_depth = 128, .cqe = 31 };

const struct t_case t_cq_cases[] = {
	T_CONTEXT(context_softirq, IB_POLL_SOFTIRQ),
	T_CONTEXT(context_workqueue, IB_POLL_WORKQUEUE),
	T_CONTEXT(context_unbound, IB_POLL_UNBOUND_WORKQUEUE),
	T_CONTEXT(context_direct, IB_POLL_DIRECT),
	{ "vectors", cq_vectors },
	T_ARMED(moderation),
	T_ARMED(solicited_only),
	T_ARMED(missed_events),
	{ "shared_by_many", shared_by_many, &t_one_cq },
	{ "exactly_full", exactly_full, &t_full },
	{ }
};
