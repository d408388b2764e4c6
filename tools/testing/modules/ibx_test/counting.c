// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Known numbers of messages and errors, for a shell test that reads the counters of both ports
 * before and after a case. The shell test contains the expected differences.
 *
 * End 1 is the requester, end 0 the responder. A case does not change the state of its QPs after
 * the messages. The destruction of the QPs does not change the counters.
 */
#include <linux/delay.h>

#include "ibx_test.h"

#define T_BIND_MS	240000	/* time for the test script to bind a counter */

static int t_open_mr(struct t_pair *p)
{
	struct t_end *e = &p->end[0];

	T_TRY(t_post_reg(e, 0, e->mr[0], IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
			 IB_ACCESS_REMOTE_READ));
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	return 0;
}

/* end 1 WRITEs or READs a page of end 0's MR, or SENDs a page */
static int t_request(struct t_pair *p, u64 id, enum ib_wr_opcode op)
{
	struct t_end *e = &p->end[1];
	struct ib_rdma_wr wr;
	struct ib_sge sge;

	t_write_wr(&wr, &sge, e, id);
	wr.wr.opcode = op;
	wr.remote_addr = p->end[0].mr[0]->iova;
	wr.rkey = p->end[0].mr[0]->rkey;
	return ib_post_send(e->qp, &wr.wr, NULL);
}

static int t_requests(struct t_pair *p, u64 id, int n, enum ib_wr_opcode op)
{
	int i;

	for (i = 0; i < n; i++) {
		T_TRY(t_request(p, id + i, op));
		T_EXPECT(t_wait(&p->end[1].sq, id + i), IB_WC_SUCCESS);
	}
	return 0;
}

/* 3 WRITEs, 1 WRITE with immediate data, 2 READs, 3 SENDs */
static int count_requests(struct t_pair *p)
{
	int i;

	for (i = 0; i < 4; i++)
		T_TRY(t_post_recv(&p->end[0], i));
	T_TRY(t_open_mr(p));
	T_TRY(t_requests(p, 0, 3, IB_WR_RDMA_WRITE));
	T_TRY(t_requests(p, 3, 1, IB_WR_RDMA_WRITE_WITH_IMM));
	T_TRY(t_requests(p, 4, 2, IB_WR_RDMA_READ));
	T_TRY(t_requests(p, 6, 3, IB_WR_SEND));
	return 0;
}

static const struct t_opts unconnected = { .unconnected = true };

static int t_connect_hasty(struct t_pair *p)
{
	struct t_path path = t_default_path;

	path.timeout = 1;
	path.retry_cnt = 2;
	path.rnr_retry = 2;
	path.min_rnr_timer = 1;
	return t_pair_connect_path(p, &path);
}

/* a SEND without a receive at the peer: it is sent three times */
static int count_rnr(struct t_pair *p)
{
	T_TRY(t_connect_hasty(p));
	T_TRY(t_request(p, 0, IB_WR_SEND));
	T_EXPECT(t_wait(&p->end[1].sq, 0), IB_WC_RNR_RETRY_EXC_ERR);
	return 0;
}

/* a SEND to a QP in RESET: it is sent three times; the SEND behind it is flushed */
static int count_timeout(struct t_pair *p)
{
	T_TRY(t_connect_hasty(p));
	T_TRY(t_move(p->end[0].qp, IB_QPS_RESET));
	T_TRY(t_request(p, 0, IB_WR_SEND));
	T_TRY(t_request(p, 1, IB_WR_SEND));
	T_EXPECT(t_wait(&p->end[1].sq, 0), IB_WC_RETRY_EXC_ERR);
	T_EXPECT(t_wait(&p->end[1].sq, 1), IB_WC_WR_FLUSH_ERR);
	return 0;
}

/*
 * Connects the ends. The first packet sequence number of end 1 is the number that end 0 expects,
 * plus @ahead, which may be negative.
 */
static int t_connect_psn(struct t_pair *p, int ahead)
{
	struct t_end *a = &p->end[0], *b = &p->end[1];
	struct t_path path = t_default_path;

	path.timeout = 1;
	path.retry_cnt = 2;
	T_TRY(t_qp_connect(a, a->qp, b, b->qp->qp_num, &path));
	path.psn += ahead;
	T_TRY(t_qp_connect(b, b->qp, a, a->qp->qp_num, &path));
	return 0;
}

static int count_ahead(struct t_pair *p)
{
	T_TRY(t_connect_psn(p, 5));
	T_TRY(t_request(p, 0, IB_WR_SEND));
	T_EXPECT(t_wait(&p->end[1].sq, 0), IB_WC_RETRY_EXC_ERR);
	return 0;
}

static int count_behind(struct t_pair *p)
{
	T_TRY(t_connect_psn(p, -5));
	T_TRY(t_request(p, 0, IB_WR_SEND));
	T_EXPECT(t_wait(&p->end[1].sq, 0), IB_WC_RETRY_EXC_ERR);
	return 0;
}

/* a WRITE to a key that was never registered: two receives and one SEND are flushed */
static int count_access(struct t_pair *p)
{
	T_TRY(t_post_recv(&p->end[0], 0));
	T_TRY(t_post_recv(&p->end[0], 1));
	T_TRY(t_request(p, 0, IB_WR_RDMA_WRITE));
	T_TRY(t_request(p, 1, IB_WR_SEND));
	T_EXPECT(t_wait(&p->end[1].sq, 0), IB_WC_REM_ACCESS_ERR);
	T_TRY(t_expect_flushed(&p->end[1].sq, 1, 1));
	T_TRY(t_expect_flushed(&p->end[0].rq, 0, 1));
	return 0;
}

/* a SEND of a page to a receive of 16 bytes */
static int count_length(struct t_pair *p)
{
	struct ib_sge sge = t_sge(&p->end[0], 0, 16);

	T_TRY(t_post_recv_sges(&p->end[0], 0, &sge, 1));
	T_TRY(t_request(p, 0, IB_WR_SEND));
	T_EXPECT(t_wait(&p->end[0].rq, 0), IB_WC_LOC_LEN_ERR);
	T_EXPECT(t_wait(&p->end[1].sq, 0), IB_WC_REM_INV_REQ_ERR);
	return 0;
}

/* ---- a counter for one QP: the shell test binds the QP of end 0 while the case waits ---- */

static int t_wait_bound(struct t_end *e, bool bound)
{
	unsigned long end = jiffies + msecs_to_jiffies(T_BIND_MS);

	while (!!READ_ONCE(e->qp->counter) != bound) {
		if (time_after(jiffies, end))
			return T_FAIL("the core does not %s a counter", bound ? "bind" : "unbind");
		usleep_range(1000, 2000);
	}
	return 0;
}

/* 5 WRITEs while the QP has its own counter, 3 more after it is unbound */
static int t_bound_traffic(struct t_pair *p)
{
	T_TRY(t_open_mr(p));
	T_TRY(t_requests(p, 0, 5, IB_WR_RDMA_WRITE));
	T_TRY(t_wait_bound(&p->end[0], false));
	T_TRY(t_requests(p, 5, 3, IB_WR_RDMA_WRITE));
	return 0;
}

static int bound_in_reset(struct t_pair *p)
{
	T_TRY(t_wait_bound(&p->end[0], true));
	T_TRY(t_pair_connect(p));
	return t_bound_traffic(p);
}

static int bound_in_init(struct t_pair *p)
{
	struct t_end *a = &p->end[0], *b = &p->end[1];

	T_TRY(t_to_init(a->qp, &t_default_path));
	T_TRY(t_wait_bound(a, true));
	T_TRY(t_to_rtr(a, a->qp, b, b->qp->qp_num, &t_default_path));
	T_TRY(t_to_rts(a->qp, &t_default_path));
	T_TRY(t_qp_connect(b, b->qp, a, a->qp->qp_num, &t_default_path));
	return t_bound_traffic(p);
}

static int bound_in_rts(struct t_pair *p)
{
	T_TRY(t_wait_bound(&p->end[0], true));
	return t_bound_traffic(p);
}

/* the script binds a counter after the device has moved the QP to ERR */
static int bound_in_error(struct t_pair *p)
{
	T_TRY(t_request(p, 0, IB_WR_RDMA_WRITE));
	T_EXPECT(t_wait(&p->end[1].sq, 0), IB_WC_REM_ACCESS_ERR);
	T_TRY(t_wait_bound(&p->end[0], true));
	T_TRY(t_wait_bound(&p->end[0], false));
	return 0;
}

/* the QP is destroyed with a bound counter */
static int destroyed_bound(struct t_pair *p)
{
	T_TRY(t_open_mr(p));
	T_TRY(t_wait_bound(&p->end[0], true));
	T_TRY(t_requests(p, 0, 2, IB_WR_RDMA_WRITE));
	return 0;
}

const struct t_case t_counting_cases[] = {
	{ "count_requests", count_requests },
	{ "count_rnr", count_rnr, &unconnected },
	{ "count_timeout", count_timeout, &unconnected },
	{ "count_ahead", count_ahead, &unconnected },
	{ "count_behind", count_behind, &unconnected },
	{ "count_access", count_access },
	{ "count_length", count_length },
	{ "bound_in_reset", bound_in_reset, &unconnected },
	{ "bound_in_init", bound_in_init, &unconnected },
	{ "bound_in_rts", bound_in_rts },
	{ "bound_in_error", bound_in_error },
	{ "destroyed_bound", destroyed_bound },
	{ }
};
