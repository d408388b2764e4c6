// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QP states: posting, receiving and flushing in each state, and QPs that are
 * connected again after RESET.
 */
#include <linux/delay.h>

#include "ibx_test.h"

static const struct t_msg t_some = { .op = IB_WR_SEND, .len = 2500, .seed = 11 };

static int t_reset_both(struct t_pair *p)
{
	int i;

	for (i = 0; i < 2; i++)
		T_TRY(t_move(p->end[i].qp, IB_QPS_RESET));
	return 0;
}

/* receives are posted in INIT; the first message arrives in RTR and raises an event */
static int receives_in_rtr(struct t_pair *p)
{
	struct t_end *rx = &p->end[0], *tx = &p->end[1];
	const struct t_path *path = &t_default_path;
	struct ib_sge sge = t_sge(tx, 0, 900);
	struct ib_send_wr wr;

	t_set(rx, T_GUARD);
	t_fill(tx, 0, 900, 1);
	T_TRY(t_to_init(rx->qp, path));
	T_TRY(t_post_recv(rx, 0));
	T_TRY(t_to_rtr(rx, rx->qp, tx, tx->qp->qp_num, path));
	T_TRY(t_qp_connect(tx, tx->qp, rx, rx->qp->qp_num, path));
	t_send_wr(&wr, &sge, 0);
	T_TRY(ib_post_send(tx->qp, &wr, NULL));
	T_EXPECT(t_wait(&tx->sq, 0), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&rx->rq, 0), IB_WC_SUCCESS);
	T_TRY(t_check_only(rx, 0, 900, 1));
	T_TRY(t_wait_event(rx, IB_EVENT_COMM_EST));
	T_EXPECT(t_state(rx), IB_QPS_RTR);
	/* the move to RTS does not repeat the event, and the QP still receives */
	T_TRY(t_to_rts(rx->qp, path));
	T_EXPECT(atomic_read(&rx->events[IB_EVENT_COMM_EST]), 1);
	t_clear_counts(&tx->sq);
	t_clear_counts(&rx->rq);
	return t_message(p, &t_some);
}

/* from INIT and from RTR to ERR: the posted receives are flushed */
static int flushed_from_early_states(struct t_pair *p)
{
	struct t_end *e = &p->end[0];
	int rtr, i;

	for (rtr = 0; rtr < 2; rtr++) {
		T_TRY(t_to_init(e->qp, &t_default_path));
		for (i = 0; i < 3; i++)
			T_TRY(t_post_recv(e, i));
		if (rtr)
			T_TRY(t_to_rtr(e, e->qp, &p->end[1], p->end[1].qp->qp_num,
				       &t_default_path));
		T_TRY(t_move(e->qp, IB_QPS_ERR));
		T_TRY(t_expect_flushed(&e->rq, 0, 2));
		T_EXPECT(e->rq.nr, 3);
		t_clear_counts(&e->rq);
		T_TRY(t_move(e->qp, IB_QPS_RESET));
	}
	return 0;
}

/* both queues have outstanding work requests when the QP enters ERR */
static int t_flush_round(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	struct ib_sge sge = t_sge(e, 0, 64);
	struct ib_send_wr wr;
	int i;

	/* the peer has no receive posted, so no send completes before ERR */
	for (i = 0; i < 4; i++) {
		t_send_wr(&wr, &sge, i);
		T_TRY(ib_post_send(e->qp, &wr, NULL));
		T_TRY(t_post_recv(e, i));
	}
	T_TRY(t_move(e->qp, IB_QPS_ERR));
	T_TRY(t_expect_flushed(&e->sq, 0, 3));
	T_TRY(t_expect_flushed(&e->rq, 0, 3));
	T_EXPECT(e->sq.nr + e->rq.nr, 8);
	t_clear_counts(&e->sq);
	t_clear_counts(&e->rq);
	return 0;
}

/* RESET removes unpolled completions from the CQs */
static int t_unpolled_round(struct t_pair *p)
{
	struct t_end *rx = &p->end[0], *tx = &p->end[1];
	struct ib_sge sge = t_sge(tx, 0, 64);
	struct ib_send_wr wr;
	int i;

	for (i = 0; i < 4; i++) {
		T_TRY(t_post_recv(rx, 100 + i));
		t_send_wr(&wr, &sge, 100 + i);
		T_TRY(ib_post_send(tx->qp, &wr, NULL));
	}
	/* the first completion is polled; the others are in the CQs, or are not written yet */
	T_EXPECT(t_wait(&tx->sq, 100), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&rx->rq, 100), IB_WC_SUCCESS);
	T_TRY(t_reset_both(p));
	T_TRY(t_settle(&tx->sq));
	T_TRY(t_settle(&rx->rq));
	T_EXPECT(tx->sq.nr, 1);
	T_EXPECT(rx->rq.nr, 1);
	t_clear_counts(&tx->sq);
	t_clear_counts(&rx->rq);
	return 0;
}

/*
 * Each round connects the QPs and transfers a message. It ends with ERR and RESET, or with
 * RESET and completions that were not polled.
 */
static int used_again(struct t_pair *p)
{
	int round;

	for (round = 0; round < 4; round++) {
		T_TRY(t_pair_connect(p));
		if (t_message(p, &t_some))
			return T_FAIL("round %d", round);
		if (round % 2 == 0) {
			T_TRY(t_flush_round(p));
			T_TRY(t_reset_both(p));
		} else {
			T_TRY(t_unpolled_round(p));
		}
	}
	return 0;
}

/*
 * RESET frees the entries of the completions that it removes from a CQ: more sends complete
 * than the send CQ has entries, and that CQ is not polled.
 */
static int never_polled(struct t_pair *p)
{
	struct t_end *rx = &p->end[0], *tx = &p->end[1];
	struct ib_sge sge = t_sge(tx, 0, 64);
	struct ib_send_wr wr;
	int round, i;

	for (round = 0; round < 6; round++) {
		T_TRY(t_pair_connect(p));
		for (i = 0; i < 4; i++) {
			T_TRY(t_post_recv(rx, i));
			t_send_wr(&wr, &sge, i);
			T_TRY(ib_post_send(tx->qp, &wr, NULL));
		}
		/* a send completes at its acknowledgment, shortly after the receive */
		T_EXPECT(t_wait(&rx->rq, 3), IB_WC_SUCCESS);
		msleep(20);
		T_TRY(t_reset_both(p));
		t_clear_counts(&rx->rq);
	}
	T_TRY(t_settle(&tx->sq));
	T_EXPECT(tx->sq.nr, 0);
	return 0;
}

static const struct t_opts few_cqes = { .unconnected = true, .cqe = 15 };

/*
 * SQD (send queue drained): the mlx5 drivers refuse this state, and the QP stays
 * in RTS. On a device that supports SQD, the QP returns to RTS.
 */
static int sqd_or_refused(struct t_pair *p)
{
	struct ib_qp *qp = p->end[1].qp;
	int ret = t_move(qp, IB_QPS_SQD);

	if (ret)
		T_EXPECT(ret == -EINVAL || ret == -EOPNOTSUPP, 1);
	else
		T_TRY(t_move(qp, IB_QPS_RTS));
	T_EXPECT(t_state(&p->end[1]), IB_QPS_RTS);
	return t_message(p, &t_some);
}

/* work requests that are posted when a QP is destroyed leave no completion in the CQs */
static int destroyed_while_full(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	struct ib_sge sge = t_sge(e, 0, 64);
	struct ib_send_wr wr;
	int i;

	for (i = 0; i < 8; i++) {
		t_send_wr(&wr, &sge, i);
		T_TRY(ib_post_send(e->qp, &wr, NULL));
		T_TRY(t_post_recv(e, i));
	}
	/* the QP is destroyed while its work requests are being flushed */
	T_TRY(t_move(e->qp, IB_QPS_ERR));
	T_TRY(t_qp_destroy(e->qp, p->opts));
	e->qp = NULL;
	T_TRY(t_settle(&e->sq));
	T_TRY(t_settle(&e->rq));
	T_EXPECT(e->sq.nr + e->rq.nr, 0);
	return 0;
}

static const struct t_opts t_unconnected = { .unconnected = true };

const struct t_case t_states_cases[] = {
	{ "receives_in_rtr", receives_in_rtr, &t_unconnected },
	{ "flushed_from_early_states", flushed_from_early_states, &t_unconnected },
	{ "used_again", used_again, &t_unconnected },
	{ "never_polled", never_polled, &few_cqes },
	{ "sqd_or_refused", sqd_or_refused },
	{ "destroyed_while_full", destroyed_while_full },
	{ }
};
