// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Errors of one end that also affect the other end. Completions have the expected status at both
 * ends. The failing QP enters ERR and flushes later work requests exactly once. Only packets before
 * the failing one change memory.
 *
 * Keys are in keys.c.
 */
#include <linux/delay.h>
#include <linux/ktime.h>

#include "ibx_test.h"

/* SENDs wr_id 10 to 12 of one element, in one chain */
static int t_post_three(struct t_end *e, struct ib_sge *sge)
{
	struct ib_send_wr wr[3];
	int i;

	for (i = 0; i < ARRAY_SIZE(wr); i++) {
		t_send_wr(&wr[i], sge, 10 + i);
		wr[i].next = i + 1 < ARRAY_SIZE(wr) ? &wr[i + 1] : NULL;
	}
	return ib_post_send(e->qp, &wr[0], NULL);
}

/**
 * struct t_blow - effects of three SENDs; the first SEND fails
 * @sender: status of the message at the sender
 * @receiver: status of receive 0, or IB_WC_SUCCESS if the message does not consume it
 * @receives: number of receives posted, with wr_ids from 0
 * @lives: the receiver's QP stays in RTS
 * @packets: bytes in the packets before the failing packet; they may have arrived at the start of
 *	the receiver's buffer, with pattern 0
 */
struct t_blow {
	enum ib_wc_status sender;
	enum ib_wc_status receiver;
	int receives;
	bool lives;
	u32 packets;
};

/* checks the effects of three SENDs with wr_ids 10 to 12 */
static int t_expect_blow(struct t_pair *p, const struct t_blow *b)
{
	struct t_end *rx = &p->end[0], *tx = &p->end[1];
	int first = b->receiver ? 1 : 0;

	T_EXPECT(t_wait(&tx->sq, 10), b->sender);
	T_TRY(t_expect_flushed(&tx->sq, 11, 12));
	T_EXPECT(tx->sq.nr, 3);
	T_EXPECT(t_state(tx), IB_QPS_ERR);
	if (b->lives) {
		T_EXPECT(t_state(rx), IB_QPS_RTS);
		T_TRY(t_settle(&rx->rq));
		T_EXPECT(rx->rq.nr, 0);
		return t_check_packets(rx, 0, 0, b->packets, 0);
	}
	T_EXPECT(t_state(rx), IB_QPS_ERR);
	if (b->receiver)
		T_EXPECT(t_wait(&rx->rq, 0), b->receiver);
	if (first < b->receives)
		T_TRY(t_expect_flushed(&rx->rq, first, b->receives - 1));
	T_EXPECT(rx->rq.nr, b->receives);
	return t_check_packets(rx, 0, 0, b->packets, 0);
}

/* a message that is one byte longer than its receive; its first packet may arrive */
static int receive_too_small(struct t_pair *p)
{
	const struct t_blow b = {
		.sender = IB_WC_REM_INV_REQ_ERR, .receiver = IB_WC_LOC_LEN_ERR, .receives = 3,
		.packets = T_MTU,
	};
	struct t_end *rx = &p->end[0], *tx = &p->end[1];
	struct ib_sge small = t_sge(rx, 0, 1999), sge = t_sge(tx, 0, 2000);

	t_set(rx, T_GUARD);
	t_fill(tx, 0, 2000, 0);
	T_TRY(t_post_recv_sges(rx, 0, &small, 1));
	T_TRY(t_post_recv(rx, 1));
	T_TRY(t_post_recv(rx, 2));
	T_TRY(t_post_three(tx, &sge));
	return t_expect_blow(p, &b);
}

static int receive_of_nothing(struct t_pair *p)
{
	const struct t_blow b = {
		.sender = IB_WC_REM_INV_REQ_ERR, .receiver = IB_WC_LOC_LEN_ERR, .receives = 1,
	};
	struct t_end *rx = &p->end[0], *tx = &p->end[1];
	struct ib_sge sge = t_sge(tx, 0, 1);

	t_set(rx, T_GUARD);
	T_TRY(t_post_recv_sges(rx, 0, NULL, 0));
	T_TRY(t_post_three(tx, &sge));
	return t_expect_blow(p, &b);
}

/*
 * The receive has an lkey that is not registered. The sender's completion reports
 * only that the operation failed. A simulated device counts one violation.
 */
static int receive_bad_key(struct t_pair *p)
{
	const struct t_blow b = {
		.sender = IB_WC_REM_OP_ERR, .receiver = IB_WC_LOC_PROT_ERR, .receives = 2,
	};
	struct t_end *rx = &p->end[0], *tx = &p->end[1];
	struct ib_sge bad = t_sge(rx, 0, 1000), sge = t_sge(tx, 0, 1000);

	t_set(rx, T_GUARD);
	bad.lkey = rx->mr[0]->lkey;	/* not registered */
	T_TRY(t_post_recv_sges(rx, 0, &bad, 1));
	T_TRY(t_post_recv(rx, 1));
	T_TRY(t_post_three(tx, &sge));
	return t_expect_blow(p, &b);
}

/* a message of 1 GiB + 1 byte, more than a QP can send, fails before a packet is sent */
static int message_too_long(struct t_pair *p)
{
	const struct t_blow b = { .sender = IB_WC_LOC_LEN_ERR, .receives = 1, .lives = true };
	struct t_end *rx = &p->end[0], *tx = &p->end[1];
	struct ib_sge sge = t_sge(tx, 0, SZ_1G + 1);

	t_set(rx, T_GUARD);
	T_TRY(t_post_recv(rx, 0));
	T_TRY(t_post_three(tx, &sge));
	return t_expect_blow(p, &b);
}

/* RDMA to a QP whose access flags do not allow it */
static int t_no_right(struct t_pair *p, enum ib_wr_opcode op, int access)
{
	struct t_end *rx = &p->end[0], *tx = &p->end[1];
	struct t_path path = t_default_path;
	struct ib_rdma_wr wr;
	struct ib_sge sge;
	int status;

	path.access = access;
	T_TRY(t_pair_connect_path(p, &path));
	T_TRY(t_open(p, IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ));
	t_set(rx, T_GUARD);
	t_set(tx, T_GUARD);
	T_TRY(t_post_recv(rx, 0));
	t_write_wr(&wr, &sge, tx, 10);
	wr.wr.opcode = op;
	wr.rkey = rx->mr[0]->rkey;
	wr.remote_addr = rx->mr[0]->iova;
	memset(tx->buf, 0, PAGE_SIZE);
	T_TRY(ib_post_send(tx->qp, &wr.wr, NULL));
	status = t_wait(&tx->sq, 10);
	/* the standard requires REM_INV_REQ_ERR; some devices report REM_ACCESS_ERR */
	T_EXPECT(status == IB_WC_REM_INV_REQ_ERR || status == IB_WC_REM_ACCESS_ERR, 1);
	T_EXPECT(t_state(tx), IB_QPS_ERR);
	T_TRY(t_expect_flushed(&rx->rq, 0, 0));
	T_EXPECT(t_state(rx), IB_QPS_ERR);
	T_TRY(t_untouched(rx, T_GUARD));
	T_EXPECT(memchr_inv(tx->buf, 0, PAGE_SIZE) ? 1 : 0, 0);
	return 0;
}

static int write_not_allowed(struct t_pair *p)
{
	return t_no_right(p, IB_WR_RDMA_WRITE, IB_ACCESS_REMOTE_READ);
}

static int read_not_allowed(struct t_pair *p)
{
	return t_no_right(p, IB_WR_RDMA_READ, IB_ACCESS_REMOTE_WRITE);
}

/* SEND with invalidate of a key that does not exist: no data arrive, and both QPs enter ERR */
static int invalidates_nothing(struct t_pair *p)
{
	struct t_end *rx = &p->end[0], *tx = &p->end[1];
	struct ib_sge sge = t_sge(tx, 0, 100);
	struct ib_send_wr wr;

	t_set(rx, T_GUARD);
	T_TRY(t_post_recv(rx, 0));
	t_send_wr(&wr, &sge, 10);
	wr.opcode = IB_WR_SEND_WITH_INV;
	wr.ex.invalidate_rkey = rx->mr[0]->rkey;	/* not registered */
	T_TRY(ib_post_send(tx->qp, &wr, NULL));
	T_EXPECT(t_wait(&tx->sq, 10), IB_WC_REM_ACCESS_ERR);
	T_EXPECT(t_state(tx), IB_QPS_ERR);
	T_EXPECT(t_state(rx), IB_QPS_ERR);
	T_TRY(t_expect_flushed(&rx->rq, 0, 0));
	return t_untouched(rx, T_GUARD);
}

/* a refused access raises an event of the QP that refused it, and no event of the other QP */
static int access_event(struct t_pair *p)
{
	struct t_end *rx = &p->end[0], *tx = &p->end[1];
	struct ib_rdma_wr wr;
	struct ib_sge sge;

	t_write_wr(&wr, &sge, tx, 10);
	wr.rkey = rx->mr[0]->rkey;		/* not registered */
	T_TRY(ib_post_send(tx->qp, &wr.wr, NULL));
	T_EXPECT(t_wait(&tx->sq, 10), IB_WC_REM_ACCESS_ERR);
	T_TRY(t_wait_event(rx, IB_EVENT_QP_ACCESS_ERR));
	T_EXPECT(atomic_read(&rx->events[IB_EVENT_QP_ACCESS_ERR]), 1);
	T_EXPECT(atomic_read(&tx->events[IB_EVENT_QP_ACCESS_ERR]), 0);
	return 0;
}

#define T_RNR_10MS	20	/* code of 10.24 ms */
#define T_RNR_164MS	28	/* code of 163.84 ms */
#define T_ACK_8MS	11	/* code of 8.4 ms */

/* the peer has no receive: the SEND fails after @retries retries; the peer's QP stays in RTS */
static int t_rnr(struct t_pair *p, u8 retries)
{
	const struct t_blow b = { .sender = IB_WC_RNR_RETRY_EXC_ERR, .lives = true };
	struct t_path path = t_default_path;
	struct t_end *tx = &p->end[1];
	struct ib_sge sge = t_sge(tx, 0, 100);
	ktime_t start;

	path.rnr_retry = retries;
	path.min_rnr_timer = T_RNR_10MS;
	T_TRY(t_pair_connect_path(p, &path));
	t_set(&p->end[0], T_GUARD);
	start = ktime_get();
	T_TRY(t_post_three(tx, &sge));
	T_EXPECT(t_wait(&tx->sq, 10), IB_WC_RNR_RETRY_EXC_ERR);
	T_EXPECT(ktime_ms_delta(ktime_get(), start) >= 10 * retries, 1);
	return t_expect_blow(p, &b);
}

static int rnr_no_retry(struct t_pair *p)
{
	return t_rnr(p, 0);
}

static int rnr_exhausted(struct t_pair *p)
{
	return t_rnr(p, 3);
}

/* a retry count of 7 means no limit: the SEND waits until the peer has a receive, and arrives */
static int rnr_for_ever(struct t_pair *p)
{
	struct t_path path = t_default_path;
	struct t_end *rx = &p->end[0], *tx = &p->end[1];
	struct ib_sge sge = t_sge(tx, 64, 700);
	struct ib_send_wr wr;

	path.min_rnr_timer = T_RNR_10MS;
	T_TRY(t_pair_connect_path(p, &path));
	t_fill(tx, 64, 700, 1);
	t_set(rx, T_GUARD);
	t_send_wr(&wr, &sge, 0);
	T_TRY(ib_post_send(tx->qp, &wr, NULL));
	/* ten times the timer */
	msleep(100);
	T_EXPECT(t_collect(&tx->sq), 0);
	T_TRY(t_post_recv(rx, 0));
	T_EXPECT(t_wait(&tx->sq, 0), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&rx->rq, 0), IB_WC_SUCCESS);
	return t_check_only(rx, 0, 700, 1);
}

/* Repeated changes of an attribute neither shorten the wait nor add retries. */
static int rnr_while_modified(struct t_pair *p)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RTS };
	struct t_path path = t_default_path;
	struct t_end *tx = &p->end[1];
	struct ib_sge sge = t_sge(tx, 0, 100);
	struct ib_send_wr wr;
	ktime_t start;
	int i;

	path.rnr_retry = 1;
	path.min_rnr_timer = T_RNR_164MS;
	T_TRY(t_pair_connect_path(p, &path));
	t_send_wr(&wr, &sge, 0);
	start = ktime_get();
	T_TRY(ib_post_send(tx->qp, &wr, NULL));
	for (i = 0; i < 100 && !tx->sq.nr; i++) {
		msleep(40);
		/* the QP is in ERR by now */
		if (ib_modify_qp(tx->qp, &attr, IB_QP_STATE | IB_QP_ACCESS_FLAGS))
			break;
		T_TRY(t_collect(&tx->sq));
	}
	T_EXPECT(t_wait(&tx->sq, 0), IB_WC_RNR_RETRY_EXC_ERR);
	T_EXPECT(ktime_ms_delta(ktime_get(), start) >= 160, 1);
	T_EXPECT(i >= 2 && i < 100, 1);
	return 0;
}

/*
 * WRITE with immediate data needs a receive too. Its data may arrive before the
 * device detects that no receive is posted.
 */
static int rnr_write_imm(struct t_pair *p)
{
	struct t_path path = t_default_path;
	struct t_end *rx = &p->end[0], *tx = &p->end[1];
	struct ib_rdma_wr wr;
	struct ib_sge sge;

	path.rnr_retry = 1;
	path.min_rnr_timer = T_RNR_10MS;
	T_TRY(t_pair_connect_path(p, &path));
	T_TRY(t_open(p, IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE));
	t_write_wr(&wr, &sge, tx, 10);
	wr.wr.opcode = IB_WR_RDMA_WRITE_WITH_IMM;
	wr.rkey = rx->mr[0]->rkey;
	wr.remote_addr = rx->mr[0]->iova;
	T_TRY(ib_post_send(tx->qp, &wr.wr, NULL));
	T_EXPECT(t_wait(&tx->sq, 10), IB_WC_RNR_RETRY_EXC_ERR);
	T_EXPECT(t_state(rx), IB_QPS_RTS);
	return 0;
}

/* no response: the peer's QP is in RESET */
static int retry_exhausted(struct t_pair *p)
{
	struct t_path path = t_default_path;
	struct t_end *tx = &p->end[1];
	struct ib_sge sge = t_sge(tx, 0, 100);
	ktime_t start;

	path.timeout = T_ACK_8MS;
	path.retry_cnt = 2;
	T_TRY(t_qp_connect(tx, tx->qp, &p->end[0], p->end[0].qp->qp_num, &path));
	start = ktime_get();
	T_TRY(t_post_three(tx, &sge));
	T_EXPECT(t_wait(&tx->sq, 10), IB_WC_RETRY_EXC_ERR);
	T_EXPECT(ktime_ms_delta(ktime_get(), start) >= 16, 1);
	T_TRY(t_expect_flushed(&tx->sq, 11, 12));
	T_EXPECT(t_state(tx), IB_QPS_ERR);
	return 0;
}

/* the peer's QP enters RTR while the message is being repeated: the message arrives once */
static int retry_succeeds(struct t_pair *p)
{
	struct t_path path = t_default_path;
	struct t_end *rx = &p->end[0], *tx = &p->end[1];
	struct ib_sge sge = t_sge(tx, 64, 700);
	struct ib_send_wr wr;

	/* 7 retries after half a second each */
	path.timeout = 17;
	T_TRY(t_qp_connect(tx, tx->qp, rx, rx->qp->qp_num, &path));
	t_fill(tx, 64, 700, 2);
	t_set(rx, T_GUARD);
	t_send_wr(&wr, &sge, 0);
	T_TRY(ib_post_send(tx->qp, &wr, NULL));
	T_EXPECT(t_collect(&tx->sq), 0);
	T_TRY(t_qp_connect(rx, rx->qp, tx, tx->qp->qp_num, &path));
	T_TRY(t_post_recv(rx, 0));
	T_TRY(t_post_recv(rx, 1));
	T_EXPECT(t_wait(&tx->sq, 0), IB_WC_SUCCESS);
	T_EXPECT(t_wait(&rx->rq, 0), IB_WC_SUCCESS);
	T_TRY(t_settle(&rx->rq));
	T_EXPECT(rx->rq.nr, 1);
	return t_check_only(rx, 0, 700, 2);
}

static const struct t_opts t_unconnected = { .unconnected = true };

const struct t_case t_errors_cases[] = {
	{ "receive_too_small", receive_too_small },
	{ "receive_of_nothing", receive_of_nothing },
	{ "receive_bad_key", receive_bad_key },
	{ "message_too_long", message_too_long },
	{ "write_not_allowed", write_not_allowed, &t_unconnected },
	{ "read_not_allowed", read_not_allowed, &t_unconnected },
	{ "invalidates_nothing", invalidates_nothing },
	{ "access_event", access_event },
	{ "rnr_no_retry", rnr_no_retry, &t_unconnected },
	{ "rnr_exhausted", rnr_exhausted, &t_unconnected },
	{ "rnr_for_ever", rnr_for_ever, &t_unconnected },
	{ "rnr_while_modified", rnr_while_modified, &t_unconnected },
	{ "rnr_write_imm", rnr_write_imm, &t_unconnected },
	{ "retry_exhausted", retry_exhausted, &t_unconnected },
	{ "retry_succeeds", retry_succeeds, &t_unconnected },
	{ }
};
