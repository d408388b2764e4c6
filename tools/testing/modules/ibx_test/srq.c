// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shared receive queues. A message of any QP consumes the first posted receive of the
 * SRQ. The receive completes on the CQ of that QP. Its entry is free after the
 * completion was polled, in any state of the QP. A limit raises one event. During
 * srq_drain_dead, a script causes a fatal error of the first device, and during srq_fails
 * an error of the SRQs of the first device.
 *
 * End 0 receives. Some cases create a second QP on each end, on the SRQ of the end.
 */
#include <linux/delay.h>
#include <linux/prandom.h>
#include <linux/slab.h>

#include "ibx_test.h"
#include "on_cq.h"

#define S_DEPTH		7	/* both drivers use 7 entries of a ring of 8 WQEs */
#define S_PART		64	/* bytes of the buffer for each receive */
#define S_QP2		128	/* added to wr_ids of sends on the second QP */

static const struct t_opts s_opts = { .srq_depth = S_DEPTH };
static const struct t_opts s_opts_lists = { .srq_depth = S_DEPTH, .recv_sges = 3 };
static const struct t_opts s_opts_ud = { .type = IB_QPT_UD, .srq_depth = S_DEPTH };
static const struct t_opts s_opts_uc = { .type = IB_QPT_UC, .srq_depth = S_DEPTH };

/**
 * struct s_second - a second QP on each end
 * @qp: QPs that use the SRQs of their ends
 * @rq: receives of @qp[0]
 */
struct s_second {
	struct ib_qp *qp[2];
	struct t_queue rq;
};

static int s_post(struct t_end *e, u64 id)
{
	struct ib_sge sge = t_sge(e, id * S_PART, S_PART);

	return t_post_recv_sges(e, id, &sge, 1);
}

static int s_post_all(struct t_end *e)
{
	int i;

	for (i = 0; i < S_DEPTH; i++)
		T_TRY(s_post(e, i));
	return 0;
}

/* end 1 SENDs S_PART bytes, whose place and pattern depend on @id */
static int s_send(struct t_pair *p, struct ib_qp *qp, u64 id)
{
	u32 offset = id * S_PART % T_BUF_SIZE;
	struct ib_sge sge = t_sge(&p->end[1], offset, S_PART);
	struct ib_send_wr wr;

	t_fill(&p->end[1], offset, S_PART, id);
	t_send_wr(&wr, &sge, id);
	return ib_post_send(qp, &wr, NULL);
}

/* end 1 SENDs the first @len bytes of its buffer */
static int s_send_len(struct t_pair *p, u32 len, u64 id)
{
	struct ib_sge sge = t_sge(&p->end[1], 0, len);
	struct ib_send_wr wr;

	t_send_wr(&wr, &sge, id);
	wr.num_sge = len ? 1 : 0;
	return ib_post_send(p->end[1].qp, &wr, NULL);
}

/* checks that message @msg has consumed receive @id, and that the receive completed on @qp */
static int s_arrived(struct t_end *e, struct t_queue *q, struct ib_qp *qp, u64 id, u64 msg)
{
	T_EXPECT(t_wait(q, id), IB_WC_SUCCESS);
	T_EXPECT(q->wc[id].opcode, IB_WC_RECV);
	T_EXPECT(q->wc[id].byte_len, S_PART);
	T_EXPECT(q->wc[id].qp == qp, 1);
	return t_check(e, id * S_PART, S_PART, msg);
}

static int in_order(struct t_pair *p)
{
	struct t_end *e = &p->end[0];
	int i;

	t_set(e, T_GUARD);
	T_TRY(s_post_all(e));
	for (i = 0; i < S_DEPTH; i++)
		T_TRY(s_send(p, p->end[1].qp, 10 + i));
	for (i = 0; i < S_DEPTH; i++) {
		T_TRY(s_arrived(e, &e->rq, e->qp, i, 10 + i));
		T_EXPECT(t_wait(&p->end[1].sq, 10 + i), IB_WC_SUCCESS);
	}
	T_TRY(t_settle(&e->rq));
	T_EXPECT(e->rq.nr, S_DEPTH);
	return 0;
}

/* lists shorter than a WQE, as long as a WQE, and empty, in several rounds of the ring */
static int srq_lists(struct t_pair *p)
{
	struct t_end *e = &p->end[0];
	struct ib_sge sges[3];
	int round, n, i;

	for (round = 0; round < 5 * S_DEPTH; round++) {
		n = round % 4;
		for (i = 0; i < n; i++)
			sges[i] = t_sge(e, (3 - i) * PAGE_SIZE - 7, 20);
		t_set(e, T_GUARD);
		T_TRY(t_post_recv_sges(e, round, sges, n));
		t_fill(&p->end[1], 0, 60, round);
		T_TRY(s_send_len(p, 20 * n, round));
		T_EXPECT(t_wait(&e->rq, round), IB_WC_SUCCESS);
		T_EXPECT(t_wait(&p->end[1].sq, round), IB_WC_SUCCESS);
		T_EXPECT(e->rq.wc[round].byte_len, 20 * n);
		t_sync(e);
		for (i = 0; i < n; i++)
			T_EXPECT(memcmp(e->buf + (3 - i) * PAGE_SIZE - 7,
					p->end[1].buf + 20 * i, 20), 0);
	}
	return 0;
}

/* each kind of message that consumes a receive */
static int srq_kinds(struct t_pair *p)
{
	const struct t_msg send = { .op = IB_WR_SEND, .len = 3000, .seed = 1 };
	const struct t_msg imm = {
		.op = IB_WR_SEND_WITH_IMM, .len = 1, .seed = 2, .imm = htonl(0x12345678),
	};
	const struct t_msg write = {
		.op = IB_WR_RDMA_WRITE_WITH_IMM, .len = 700, .seed = 3, .imm = htonl(0xfedcba98),
	};
	struct t_msg inv = { .op = IB_WR_SEND_WITH_INV, .len = 64, .seed = 4 };
	int i;

	for (i = 0; i < 5; i++) {
		T_TRY(t_open(p, IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE));
		T_TRY(t_message(p, &send));
		T_TRY(t_message(p, &imm));
		T_TRY(t_message(p, &write));
		inv.inv_rkey = p->end[0].mr[0]->rkey;
		T_TRY(t_message(p, &inv));
	}
	return 0;
}

/* max_wr receives can be posted, and bad_wr names the next; a consumed receive frees one entry */
static int exactly_full(struct t_pair *p)
{
	struct ib_recv_wr wr[2 * S_DEPTH] = {};
	const struct ib_recv_wr *bad = NULL;
	struct t_end *e = &p->end[0];
	struct ib_srq_attr attr;
	struct ib_sge sge;
	int i;

	T_TRY(ib_query_srq(e->srq, &attr));
	T_EXPECT(attr.max_wr, S_DEPTH);
	T_EXPECT(attr.srq_limit, 0);
	sge = t_sge(e, 0, S_PART);
	for (i = 0; i < ARRAY_SIZE(wr); i++) {
		wr[i].wr_id = i;
		wr[i].sg_list = &sge;
		wr[i].num_sge = 1;
		wr[i].next = i + 1 < ARRAY_SIZE(wr) ? &wr[i + 1] : NULL;
	}
	T_EXPECT(ib_post_srq_recv(e->srq, wr, &bad), -ENOMEM);
	T_EXPECT(bad == &wr[S_DEPTH], 1);
	T_EXPECT(s_post(e, 100), -ENOMEM);
	T_TRY(s_send(p, p->end[1].qp, 0));
	T_EXPECT(t_wait(&e->rq, 0), IB_WC_SUCCESS);
	T_TRY(s_post(e, 100));
	T_EXPECT(s_post(e, 101), -ENOMEM);
	return 0;
}

/*
 * A WR that cannot be posted ends the chain. The receives before it are posted, and
 * messages consume them.
 */
static int bad_wr(struct t_pair *p)
{
	struct t_end *e = &p->end[0];
	struct ib_sge sges[8] = { t_sge(e, 0, S_PART) };
	struct ib_recv_wr wr[3] = {
		{ .wr_id = 0, .sg_list = sges, .num_sge = 1, .next = &wr[1] },
		{ .wr_id = 1, .sg_list = sges, .num_sge = 8, .next = &wr[2] },
		{ .wr_id = 2, .sg_list = sges, .num_sge = 1 },
	};
	const struct ib_recv_wr *bad = NULL;

	T_EXPECT(ib_post_srq_recv(e->srq, wr, &bad), -EINVAL);
	T_EXPECT(bad == &wr[1], 1);
	wr[0].wr_id = 3;
	wr[0].next = NULL;
	T_TRY(ib_post_srq_recv(e->srq, wr, &bad));
	T_TRY(s_send(p, p->end[1].qp, 0));
	T_TRY(s_send(p, p->end[1].qp, 1));
	T_EXPECT(t_wait(&e->rq, 0), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&e->rq, 3), IB_WC_SUCCESS);
	T_TRY(t_settle(&e->rq));
	T_EXPECT(e->rq.nr, 2);
	return 0;
}

/* a QP with an SRQ has no receive queue: ib_post_recv() fails */
static int not_by_the_qp(struct t_pair *p)
{
	const struct ib_recv_wr *bad = NULL;
	struct ib_recv_wr wr = {};

	T_EXPECT(ib_post_recv(p->end[0].qp, &wr, &bad) < 0, 1);
	T_EXPECT(bad == &wr, 1);
	return 0;
}

/* no receive is posted: the sender waits, and completes when a receive was posted */
static int not_ready(struct t_pair *p)
{
	struct t_end *e = &p->end[0];

	T_TRY(s_send(p, p->end[1].qp, 5));
	T_TRY(t_settle(&p->end[1].sq));
	T_EXPECT(p->end[1].sq.nr, 0);
	T_TRY(s_post(e, 1));
	T_TRY(s_arrived(e, &e->rq, e->qp, 1, 5));
	T_EXPECT(t_wait(&p->end[1].sq, 5), IB_WC_SUCCESS);
	return 0;
}

/* ---- several QPs ---- */

static void s_second_destroy(struct s_second *s)
{
	int i;

	for (i = 0; i < 2; i++)
		if (!IS_ERR_OR_NULL(s->qp[i]))
			ib_destroy_qp(s->qp[i]);
	if (!IS_ERR_OR_NULL(s->rq.cq))
		ib_destroy_cq(s->rq.cq);
	kvfree(s);
}

static struct s_second *s_second_create(struct t_pair *p)
{
	struct ib_cq_init_attr attr = { .cqe = 4 * T_DEPTH };
	struct t_end *a = &p->end[0], *b = &p->end[1];
	struct s_second *s;

	s = kvzalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return NULL;
	s->rq.cq = ib_create_cq(a->dev, NULL, NULL, NULL, &attr);
	if (IS_ERR(s->rq.cq))
		goto destroy;
	s->qp[0] = t_qp_create(a, a->sq.cq, s->rq.cq, p->opts);
	s->qp[1] = t_qp_create(b, b->sq.cq, b->rq.cq, p->opts);
	if (IS_ERR(s->qp[0]) || IS_ERR(s->qp[1]))
		goto destroy;
	if (t_qp_connect(a, s->qp[0], b, s->qp[1]->qp_num, &t_default_path) ||
	    t_qp_connect(b, s->qp[1], a, s->qp[0]->qp_num, &t_default_path))
		goto destroy;
	return s;

destroy:
	s_second_destroy(s);
	return NULL;
}

static int s_with_second(struct t_pair *p, int (*run)(struct t_pair *p, struct s_second *s))
{
	struct s_second *s = s_second_create(p);
	int ret;

	if (!s)
		return T_FAIL("cannot make a second pair of QPs");
	ret = run(p, s);
	s_second_destroy(s);
	return ret;
}

/* an outstanding message: its receive @id, its pattern @msg, and whether the second QP sent it */
struct s_flight {
	u64 id;
	u64 msg;
	bool second;
};

static int s_share_round(struct t_pair *p, struct s_second *s, struct s_flight *f,
			 struct rnd_state *rnd)
{
	struct t_end *e = &p->end[0];
	int i, j;

	for (i = 0; i < S_DEPTH; i++) {
		f[i].msg = prandom_u32_state(rnd) % S_QP2;
		f[i].second = prandom_u32_state(rnd) & 1;
		p->end[1].sq.seen[f[i].msg] = 0;
		T_TRY(s_send(p, f[i].second ? s->qp[1] : p->end[1].qp, f[i].msg));
		T_EXPECT(t_wait(&p->end[1].sq, f[i].msg), IB_WC_SUCCESS);
	}
	for (i = S_DEPTH; i > 0; i--) {
		j = prandom_u32_state(rnd) % i;
		swap(f[j], f[i - 1]);
		T_TRY(s_arrived(e, f[i - 1].second ? &s->rq : &e->rq,
				f[i - 1].second ? s->qp[0] : e->qp, f[i - 1].id, f[i - 1].msg));
		T_TRY(s_post(e, f[i - 1].id));
	}
	return 0;
}

/*
 * Two QPs share an SRQ and have a CQ each. In each round, messages are sent to both QPs in
 * random order, completions are polled in another order, and completed receives are
 * posted again at once. Messages always consume the receives in the order of posting.
 */
static int s_share(struct t_pair *p, struct s_second *s)
{
	struct s_flight f[S_DEPTH];
	struct rnd_state rnd;
	int round, i;

	prandom_seed_state(&rnd, 3);
	for (i = 0; i < S_DEPTH; i++) {
		f[i].id = i;
		T_TRY(s_post(&p->end[0], i));
	}
	for (round = 0; round < 40; round++) {
		T_TRY(s_share_round(p, s, f, &rnd));
		/* the round has posted the receives from the last to the first */
		for (i = 0; i < S_DEPTH / 2; i++)
			swap(f[i], f[S_DEPTH - 1 - i]);
		t_clear_counts(&p->end[0].rq);
		t_clear_counts(&s->rq);
		t_clear_counts(&p->end[1].sq);
	}
	return 0;
}

static int srq_shared(struct t_pair *p)
{
	return s_with_second(p, s_share);
}

/*
 * A QP in ERR raises one last-WQE event and flushes no receive of the SRQ. The other QP consumes
 * the posted receives.
 */
static int s_error(struct t_pair *p, struct s_second *s)
{
	struct t_end *e = &p->end[0];
	int i;

	T_TRY(s_post_all(e));
	T_TRY(s_send(p, p->end[1].qp, 0));
	T_EXPECT(t_wait(&e->rq, 0), IB_WC_SUCCESS);
	T_TRY(t_move(e->qp, IB_QPS_ERR));
	T_TRY(t_wait_event(e, IB_EVENT_QP_LAST_WQE_REACHED));
	T_TRY(t_settle(&e->rq));
	T_EXPECT(e->rq.nr, 1);
	T_EXPECT(atomic_read(&e->events[IB_EVENT_QP_LAST_WQE_REACHED]), 1);
	for (i = 1; i < S_DEPTH; i++) {
		T_TRY(s_send(p, s->qp[1], S_QP2 + i));
		T_TRY(s_arrived(e, &s->rq, s->qp[0], i, S_QP2 + i));
	}
	return 0;
}

static int one_in_error(struct t_pair *p)
{
	return s_with_second(p, s_error);
}

/* in each round, a QP goes to ERR, to RESET and to RTS, and receives from the same SRQ */
static int reset_and_back(struct t_pair *p)
{
	struct t_end *e = &p->end[0];
	int i, j;

	T_TRY(s_post_all(e));
	for (i = 0; i < S_DEPTH; i++) {
		T_TRY(s_send(p, p->end[1].qp, i));
		T_TRY(s_arrived(e, &e->rq, e->qp, i, i));
		for (j = 0; j < 2; j++) {
			T_TRY(t_move(p->end[j].qp, IB_QPS_ERR));
			T_TRY(t_move(p->end[j].qp, IB_QPS_RESET));
		}
		T_TRY(t_pair_connect(p));
	}
	return 0;
}

/*
 * A message arrives, its completion is not polled, and the QP is reset. RESET removes
 * the completion and frees the entry of the SRQ: otherwise the SRQ would be full
 * after S_DEPTH rounds.
 */
static int reset_returns(struct t_pair *p)
{
	struct t_end *e = &p->end[0];
	int round, i;

	for (round = 0; round < 3 * S_DEPTH; round++) {
		T_TRY(s_post(e, round));
		T_TRY(s_send(p, p->end[1].qp, round));
		T_EXPECT(t_wait(&p->end[1].sq, round), IB_WC_SUCCESS);
		for (i = 0; i < 2; i++)
			T_TRY(t_move(p->end[i].qp, IB_QPS_RESET));
		T_TRY(t_pair_connect(p));
	}
	T_TRY(t_settle(&e->rq));
	T_EXPECT(e->rq.nr, 0);
	T_TRY(s_post_all(e));
	T_EXPECT(s_post(e, 100), -ENOMEM);
	return 0;
}

/* destroying a QP also frees the entries of the SRQ whose CQEs were not polled */
static int destroy_returns(struct t_pair *p)
{
	struct t_end *e = &p->end[0];
	struct s_second *s;
	int round;

	for (round = 0; round < 3 * S_DEPTH; round++) {
		s = s_second_create(p);
		if (!s)
			return T_FAIL("round %d: cannot make a second pair of QPs", round);
		if (s_post(e, round) || s_send(p, s->qp[1], round) ||
		    t_wait(&p->end[1].sq, round)) {
			s_second_destroy(s);
			return T_FAIL("round %d: no message", round);
		}
		s_second_destroy(s);
	}
	T_TRY(s_post_all(e));
	T_EXPECT(s_post(e, 100), -ENOMEM);
	return 0;
}

/* a message longer than its receive fails at both ends, and no other receive is consumed */
static int too_long(struct t_pair *p)
{
	struct t_end *e = &p->end[0];

	T_TRY(s_post(e, 1));
	T_TRY(s_post(e, 2));
	T_TRY(s_send_len(p, S_PART + 1, 0));
	T_EXPECT(t_wait(&e->rq, 1), IB_WC_LOC_LEN_ERR);
	T_EXPECT(t_wait(&p->end[1].sq, 0), IB_WC_REM_INV_REQ_ERR);
	T_TRY(t_wait_event(e, IB_EVENT_QP_LAST_WQE_REACHED));
	T_TRY(t_settle(&e->rq));
	T_EXPECT(e->rq.nr, 1);
	return 0;
}

/* ---- limit ---- */

static int s_arm(struct t_end *e, u32 limit)
{
	struct ib_srq_attr attr = { .srq_limit = limit };

	return ib_modify_srq(e->srq, &attr, IB_SRQ_LIMIT);
}

static int s_limit(struct t_end *e)
{
	struct ib_srq_attr attr;

	T_TRY(ib_query_srq(e->srq, &attr));
	return attr.srq_limit;
}

/* the event comes once, when fewer receives are left than the limit */
static int limit_once(struct t_pair *p)
{
	struct t_end *e = &p->end[0];
	atomic_t *told = &e->events[IB_EVENT_SRQ_LIMIT_REACHED];
	int i;

	T_TRY(s_post_all(e));
	T_TRY(s_arm(e, 5));
	T_EXPECT(s_limit(e), 5);
	for (i = 0; i < S_DEPTH; i++) {
		T_TRY(s_send(p, p->end[1].qp, i));
		T_EXPECT(t_wait(&e->rq, i), IB_WC_SUCCESS);
		/* i is 1: 5 receives are left, which is the limit; i is 2: 4 receives are left */
		if (i == 1) {
			T_TRY(t_settle(&e->rq));
			T_EXPECT(atomic_read(told), 0);
		}
		if (i == 2)
			T_TRY(t_wait_event(e, IB_EVENT_SRQ_LIMIT_REACHED));
	}
	T_TRY(t_settle(&e->rq));
	T_EXPECT(atomic_read(told), 1);
	T_EXPECT(s_limit(e), 0);
	return 0;
}

/* a limit that is set again raises another event, at once if it is reached; limit 0 disarms */
static int limit_again(struct t_pair *p)
{
	struct t_end *e = &p->end[0];
	atomic_t *told = &e->events[IB_EVENT_SRQ_LIMIT_REACHED];
	int i;

	T_TRY(s_post(e, 0));
	for (i = 0; i < 3; i++) {
		atomic_set(told, 0);
		T_TRY(s_arm(e, 2));
		T_TRY(t_wait_event(e, IB_EVENT_SRQ_LIMIT_REACHED));
	}
	atomic_set(told, 0);
	T_TRY(s_arm(e, 1));
	T_TRY(s_arm(e, 0));
	T_TRY(s_send(p, p->end[1].qp, 0));
	T_EXPECT(t_wait(&e->rq, 0), IB_WC_SUCCESS);
	T_TRY(t_settle(&e->rq));
	T_EXPECT(atomic_read(told), 0);
	return 0;
}

/* ---- attributes ---- */

static int s_create(struct t_end *e, u32 max_wr, u32 max_sge)
{
	struct ib_srq_init_attr attr = {
		.attr = { .max_wr = max_wr, .max_sge = max_sge },
		.srq_type = IB_SRQT_BASIC,
	};
	struct ib_srq *srq = ib_create_srq(e->pd, &attr);
	int ret = 0;

	if (IS_ERR(srq))
		return PTR_ERR(srq);
	if (attr.attr.max_wr < max_wr || attr.attr.max_sge < max_sge)
		ret = -ERANGE;
	ib_destroy_srq(srq);
	return ret;
}

static int srq_attributes(struct t_pair *p)
{
	struct t_end *e = &p->end[0];
	const struct ib_device_attr *dev = &e->dev->attrs;
	struct ib_srq_attr attr = { .max_wr = 100 };
	struct ib_qp_init_attr init = {};
	struct ib_qp_attr qp_attr = {};

	T_TRY(ib_query_qp(e->qp, &qp_attr, IB_QP_STATE, &init));
	T_EXPECT(init.srq == e->srq, 1);
	T_EXPECT(dev->max_srq > 0 && dev->max_srq_wr > 0 && dev->max_srq_sge > 0, 1);
	T_TRY(s_create(e, 1, 1));
	T_TRY(s_create(e, 100, dev->max_srq_sge));
	T_TRY(s_create(e, dev->max_srq_wr, 1));
	T_EXPECT(s_create(e, dev->max_srq_wr + 1, 1), -EINVAL);
	/* the limit and two more: mlx5_ib accepts one SGE more than it reports */
	T_EXPECT(s_create(e, 1, dev->max_srq_sge + 2), -EINVAL);
	T_EXPECT(s_create(e, U32_MAX, 1), -EINVAL);
	T_EXPECT(s_create(e, 1, U32_MAX), -EINVAL);
	/* an SRQ cannot be resized, and a limit cannot exceed the size */
	T_EXPECT(ib_modify_srq(e->srq, &attr, IB_SRQ_MAX_WR) < 0, 1);
	T_TRY(s_arm(e, S_DEPTH));
	T_EXPECT(s_arm(e, S_DEPTH + 1), -EINVAL);
	T_EXPECT(s_arm(e, 0x10000), -EINVAL);
	return 0;
}

/* ---- draining ---- */

struct s_done {
	struct ib_cqe cqe;
	atomic_t done;
};

static void s_done(struct ib_cq *cq, struct ib_wc *wc)
{
	atomic_inc(&container_of(wc->wr_cqe, struct s_done, cqe)->done);
}

/* ib_drain_qp() ends before the timeout of the core, which is a minute */
static int s_drain(struct ib_qp *qp)
{
	unsigned long start = jiffies;

	ib_drain_qp(qp);
	T_EXPECT(time_after(jiffies, start + 55 * HZ), 0);
	return 0;
}

/* a message consumes one of two receives: that receive completes before the drain ends */
static int srq_drain(struct t_pair *p, struct ib_qp *qp)
{
	struct t_end *e = &p->end[0];
	struct s_done d = { .cqe.done = s_done };
	struct ib_sge sge = t_sge(e, 0, S_PART);
	struct ib_recv_wr recv = { .wr_cqe = &d.cqe, .sg_list = &sge, .num_sge = 1 };

	T_TRY(t_pair_connect_qp(p, qp));
	T_TRY(ib_post_srq_recv(e->srq, &recv, NULL));
	T_TRY(ib_post_srq_recv(e->srq, &recv, NULL));
	T_TRY(s_send(p, p->end[1].qp, 0));
	T_EXPECT(t_wait(&p->end[1].sq, 0), IB_WC_SUCCESS);
	T_TRY(s_drain(qp));
	T_EXPECT(atomic_read(&d.done), 1);
	return 0;
}

/*
 * The device of end 0 has a fatal error while the case waits, so the device raises
 * no last-WQE event.
 */
static int srq_drain_dead(struct t_pair *p, struct ib_qp *qp)
{
	unsigned long end = jiffies + msecs_to_jiffies(T_TIMEOUT_MS);

	T_TRY(t_pair_connect_qp(p, qp));
	while (s_post(&p->end[0], 0) != -EIO) {
		if (time_after(jiffies, end))
			return T_FAIL("the device does not die");
		msleep(20);
	}
	return s_drain(qp);
}

/* ---- failure ---- */

/* the SRQ of end 0 has an error while the case waits: it raises an event, and messages fail */
static int srq_fails(struct t_pair *p)
{
	struct t_end *e = &p->end[0];

	T_TRY(s_post_all(e));
	T_TRY(t_wait_event(e, IB_EVENT_SRQ_ERR));
	T_TRY(s_send(p, p->end[1].qp, 0));
	T_EXPECT(t_wait(&p->end[1].sq, 0), IB_WC_REM_OP_ERR);
	T_TRY(t_wait_event(e, IB_EVENT_QP_FATAL));
	T_TRY(t_settle(&e->rq));
	T_EXPECT(e->rq.nr, 0);
	T_EXPECT(atomic_read(&e->events[IB_EVENT_SRQ_ERR]), 1);
	return 0;
}

/* ---- other services ---- */

/* the data of a datagram follow the 40 bytes of the header */
static int srq_datagram(struct t_pair *p)
{
	struct t_end *e = &p->end[0], *from = &p->end[1];
	struct ib_sge sge = t_sge(from, 0, S_PART);
	struct ib_ud_wr wr = {
		.ah = from->ah, .remote_qpn = e->qp->qp_num, .remote_qkey = T_QKEY,
	};
	struct ib_sge to;
	int i;

	for (i = 0; i < 3 * S_DEPTH; i++) {
		to = t_sge(e, i * PAGE_SIZE % T_BUF_SIZE, 40 + S_PART);
		T_TRY(t_post_recv_sges(e, i, &to, 1));
		t_fill(from, 0, S_PART, i);
		t_send_wr(&wr.wr, &sge, i);
		T_TRY(ib_post_send(from->qp, &wr.wr, NULL));
		T_EXPECT(t_wait(&e->rq, i), IB_WC_SUCCESS);
		T_EXPECT(e->rq.wc[i].byte_len, 40 + S_PART);
		T_EXPECT(e->rq.wc[i].wc_flags & IB_WC_GRH ? 1 : 0, 1);
		T_EXPECT(e->rq.wc[i].src_qp, from->qp->qp_num);
		T_TRY(t_check(e, i * PAGE_SIZE % T_BUF_SIZE + 40, S_PART, i));
		T_EXPECT(t_wait(&from->sq, i), IB_WC_SUCCESS);
	}
	return 0;
}

const struct t_case t_srq_cases[] = {
	{ "srq_in_order", in_order, &s_opts },
	{ "srq_lists", srq_lists, &s_opts_lists },
	{ "srq_kinds", srq_kinds, &s_opts },
	{ "srq_exactly_full", exactly_full, &s_opts },
	{ "srq_bad_wr", bad_wr, &s_opts },
	{ "srq_not_by_the_qp", not_by_the_qp, &s_opts },
	{ "srq_not_ready", not_ready, &s_opts },
	{ "srq_shared", srq_shared, &s_opts },
	{ "srq_one_in_error", one_in_error, &s_opts },
	{ "srq_reset_and_back", reset_and_back, &s_opts },
	{ "srq_reset_returns", reset_returns, &s_opts },
	{ "srq_destroy_returns", destroy_returns, &s_opts },
	{ "srq_too_long", too_long, &s_opts },
	{ "srq_limit_once", limit_once, &s_opts },
	{ "srq_limit_again", limit_again, &s_opts },
	{ "srq_attributes", srq_attributes, &s_opts },
	T_ON_CQ(srq_drain, .opts = &s_opts),
	T_ON_CQ(srq_drain_dead, .opts = &s_opts),
	{ "srq_fails", srq_fails, &s_opts },
	{ "srq_datagram", srq_datagram, &s_opts_ud },
	{ "srq_unreliable", in_order, &s_opts_uc },
	{}
};
