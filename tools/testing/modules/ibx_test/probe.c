// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Probes: behaviour of a device that no specification defines.
 *
 * A probe logs one line, "answer: ...", and passes for any behaviour. It fails if the device cannot
 * be brought to the point in question, or if a completion is lost when a CQ is resized.
 * tools/testing/probe-card runs the probes and compares their lines with the lines on mlx5sim.
 * Documentation/infiniband/unrefereed.rst names the probe of a row, or why a row lacks a probe.
 */
#include <linux/delay.h>

#include "compat.h"
#include "ibx_test.h"

#define P_RW		(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ)
#define P_FEW		15	/* entries of the CQ that overruns */
#define P_MANY		60	/* number of completions, more than the CQ holds */
#define P_EVENT_MS	300	/* time after which no event is expected any longer */

static const char *p_state(struct t_end *e)
{
	static const char * const names[] = {
		"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR",
	};
	int state = t_state(e);

	return state >= 0 && state < ARRAY_SIZE(names) ? names[state] : "unknown";
}

/* the status of the completion of a WR, or "none" if the WR has not completed */
static const char *p_status(struct t_queue *q, u64 id)
{
	return q->seen[id] ? ib_wc_status_msg(q->wc[id].status) : "none";
}

static const char *p_changed(struct t_end *e)
{
	t_sync(e);
	return memchr_inv(e->buf, T_GUARD, T_BUF_SIZE) ? "some" : "none";
}

/* logs the answer when no more completions come */
static int p_answer(struct t_pair *p, u64 send, u64 recv)
{
	struct t_end *rx = &p->end[0], *tx = &p->end[1];

	T_TRY(t_settle(&tx->sq));
	T_TRY(t_settle(&rx->rq));
	t_log("answer: send %s, vendor_err %#x, receive %s, QPs %s and %s, %d events, data %s\n",
	      p_status(&tx->sq, send), tx->sq.wc[send].vendor_err, p_status(&rx->rq, recv),
	      p_state(tx), p_state(rx), atomic_read(&rx->events[IB_EVENT_QP_ACCESS_ERR]),
	      p_changed(rx));
	return 0;
}

static int p_write(struct t_pair *p, u32 rkey, u64 addr)
{
	struct t_end *tx = &p->end[1];
	struct ib_rdma_wr wr;
	struct ib_sge sge;

	t_set(&p->end[0], T_GUARD);
	T_TRY(t_post_recv(&p->end[0], 0));
	t_write_wr(&wr, &sge, tx, 10);
	wr.rkey = rkey;
	wr.remote_addr = addr;
	T_TRY(ib_post_send(tx->qp, &wr.wr, NULL));
	t_wait(&tx->sq, 10);
	return p_answer(p, 10, 0);
}

static int probe_refused_access(struct t_pair *p)
{
	struct ib_mr *mr = p->end[0].mr[0];

	return p_write(p, mr->rkey, mr->iova);	/* not registered */
}

static int probe_refused_right(struct t_pair *p)
{
	struct t_path path = t_default_path;
	struct ib_mr *mr = p->end[0].mr[0];

	path.access = IB_ACCESS_REMOTE_READ;
	T_TRY(t_pair_connect_path(p, &path));
	T_TRY(t_open(p, P_RW));
	return p_write(p, mr->rkey, mr->iova);
}

static int probe_refused_send_inv(struct t_pair *p)
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
	t_wait(&tx->sq, 10);
	return p_answer(p, 10, 0);
}

static int p_send(struct t_pair *p, u32 recv_len, u32 len)
{
	struct t_end *rx = &p->end[0], *tx = &p->end[1];
	struct ib_sge to = t_sge(rx, 0, recv_len), from = t_sge(tx, 0, len);
	struct ib_send_wr wr;

	t_set(rx, T_GUARD);
	t_set(tx, 0);
	T_TRY(t_post_recv_sges(rx, 0, &to, 1));
	t_send_wr(&wr, &from, 10);
	T_TRY(ib_post_send(tx->qp, &wr, NULL));
	t_wait(&tx->sq, 10);
	return p_answer(p, 10, 0);
}

static int probe_message_too_long(struct t_pair *p)
{
	return p_send(p, 1999, 2000);
}

/* the first packet fits in the receive, the last packet does not */
static int probe_packets_too_long(struct t_pair *p)
{
	return p_send(p, 5000, 6000);
}

static int probe_uc_lost(struct t_pair *p)
{
	struct ib_mr *mr = p->end[0].mr[0];

	return p_write(p, mr->rkey, mr->iova);	/* not registered */
}

/* the lkey of a SEND does not exist */
static int probe_uc_local_fault(struct t_pair *p)
{
	struct t_end *tx = &p->end[1];
	struct ib_sge sge = t_sge(tx, 0, 100);
	struct ib_send_wr wr;

	sge.lkey = 0xffffff00;
	t_set(&p->end[0], T_GUARD);
	t_send_wr(&wr, &sge, 10);
	T_TRY(ib_post_send(tx->qp, &wr, NULL));
	t_wait(&tx->sq, 10);
	return p_answer(p, 10, 0);
}

/* The second SGE has a key that does not exist: is the data of the first SGE sent? */
static int probe_second_sge(struct t_pair *p)
{
	struct t_end *rx = &p->end[0], *tx = &p->end[1];
	struct ib_sge sges[2] = { t_sge(tx, 0, 3000), t_sge(tx, 3000, 1000) };
	struct ib_send_wr wr;

	sges[1].lkey = 0xffffff00;
	t_set(rx, T_GUARD);
	t_set(tx, 0);
	T_TRY(t_post_recv(rx, 0));
	t_send_wr(&wr, sges, 10);
	wr.num_sge = 2;
	T_TRY(ib_post_send(tx->qp, &wr, NULL));
	t_wait(&tx->sq, 10);
	return p_answer(p, 10, 0);
}

/* registration of an MR that belongs to another PD than the QP */
static int probe_refused_umr(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	struct ib_pd *pd = ib_alloc_pd(e->dev, 0);
	struct ib_mr *mr;
	int ret = 0;

	if (IS_ERR(pd))
		return PTR_ERR(pd);
	mr = ib_alloc_mr(pd, IB_MR_TYPE_MEM_REG, T_PAGES);
	if (IS_ERR(mr)) {
		ret = PTR_ERR(mr);
	} else {
		ret = t_post_reg(e, 10, mr, IB_ACCESS_LOCAL_WRITE);
		if (!ret)
			t_wait(&e->sq, 10);
		t_log("answer: REG_MR %s, vendor_err %#x, QP %s\n", p_status(&e->sq, 10),
		      e->sq.wc[10].vendor_err, p_state(e));
		ib_dereg_mr(mr);
	}
	ib_dealloc_pd(pd);
	return ret;
}

/* an MR is registered, and registered again without an invalidation */
static int probe_umr_twice(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	int i;

	for (i = 10; i < 12; i++) {
		T_TRY(t_post_reg(e, i, e->mr[0], IB_ACCESS_LOCAL_WRITE));
		t_wait(&e->sq, i);
	}
	t_log("answer: first REG_MR %s, second %s, QP %s\n", p_status(&e->sq, 10),
	      p_status(&e->sq, 11), p_state(e));
	return 0;
}

/* LOCAL_INV of a key that is not registered */
static int probe_inv_free(struct t_pair *p)
{
	struct t_end *e = &p->end[1];

	T_TRY(t_post_inv(e, 10, e->mr[0]->rkey));
	t_wait(&e->sq, 10);
	t_log("answer: LOCAL_INV %s, QP %s\n", p_status(&e->sq, 10), p_state(e));
	return 0;
}

/* the CQ gets more completions than it has entries */
static int probe_cq_overrun(struct t_pair *p)
{
	struct t_end *tx = &p->end[1];
	struct ib_send_wr wr;
	int i;

	for (i = 0; i < P_MANY; i++) {
		t_send_wr(&wr, NULL, i);
		wr.num_sge = 0;
		T_TRY(t_post_recv(&p->end[0], i));
		T_TRY(ib_post_send(tx->qp, &wr, NULL));
	}
	msleep(P_EVENT_MS);
	t_log("answer: %d entries, QP %s, QP_FATAL events %d\n", tx->sq.cq->cqe, p_state(tx),
	      atomic_read(&tx->events[IB_EVENT_QP_FATAL]));
	return 0;
}

/* the CQ is resized to fewer entries than it has completions */
static int probe_resize_small(struct t_pair *p)
{
	struct t_end *tx = &p->end[1];
	struct ib_send_wr wr;
	int i, ret;

	for (i = 0; i < 2 * P_FEW; i++) {
		t_send_wr(&wr, NULL, i);
		wr.num_sge = 0;
		T_TRY(t_post_recv(&p->end[0], i));
		T_TRY(ib_post_send(tx->qp, &wr, NULL));
	}
	T_EXPECT(t_wait(&p->end[0].rq, 2 * P_FEW - 1), IB_WC_SUCCESS);
	msleep(P_EVENT_MS);
	ret = t_ib_resize_cq(tx->sq.cq, P_FEW);
	t_log("answer: %d, %d entries\n", ret, tx->sq.cq->cqe);
	T_EXPECT(t_wait(&tx->sq, 2 * P_FEW - 1), IB_WC_SUCCESS);
	return 0;
}

/* the limit of an SRQ is set above the number of receives that are posted */
static int probe_srq_limit_above(struct t_pair *p)
{
	struct ib_srq_attr attr = { .srq_limit = 8 };
	struct t_end *e = &p->end[0];

	T_TRY(t_post_recv(e, 0));
	T_TRY(ib_modify_srq(e->srq, &attr, IB_SRQ_LIMIT));
	msleep(P_EVENT_MS);
	t_log("answer: limit events %d\n", atomic_read(&e->events[IB_EVENT_SRQ_LIMIT_REACHED]));
	return 0;
}

/* a datagram is one byte longer than its receive */
static int probe_datagram_too_long(struct t_pair *p)
{
	struct t_end *rx = &p->end[0], *tx = &p->end[1];
	struct ib_sge to = t_sge(rx, 0, sizeof(struct ib_grh) + 99), from = t_sge(tx, 0, 100);
	struct ib_ud_wr wr = { .ah = tx->ah, .remote_qpn = rx->qp->qp_num, .remote_qkey = T_QKEY };

	T_TRY(t_post_recv_sges(rx, 0, &to, 1));
	t_send_wr(&wr.wr, &from, 10);
	T_TRY(ib_post_send(tx->qp, &wr.wr, NULL));
	t_wait(&tx->sq, 10);
	T_TRY(t_settle(&rx->rq));
	t_log("answer: send %s, receive %s, receiver's QP %s\n", p_status(&tx->sq, 10),
	      p_status(&rx->rq, 0), p_state(rx));
	return 0;
}

static const struct t_opts p_uc = { .type = IB_QPT_UC };
static const struct t_opts p_ud = { .type = IB_QPT_UD };
static const struct t_opts p_srq = { .srq_depth = 16 };
static const struct t_opts p_unconnected = { .unconnected = true };
static const struct t_opts p_small_cq = { .cqe = P_FEW, .sq_depth = P_MANY, .rq_depth = P_MANY };
static const struct t_opts p_resized = { .sq_depth = P_MANY, .rq_depth = P_MANY };

const struct t_case t_probe_cases[] = {
	{ "probe_refused_access", probe_refused_access },
	{ "probe_refused_right", probe_refused_right, &p_unconnected },
	{ "probe_refused_send_inv", probe_refused_send_inv },
	{ "probe_message_too_long", probe_message_too_long },
	{ "probe_packets_too_long", probe_packets_too_long },
	{ "probe_second_sge", probe_second_sge },
	{ "probe_uc_too_long", probe_message_too_long, &p_uc },
	{ "probe_uc_lost", probe_uc_lost, &p_uc },
	{ "probe_uc_local_fault", probe_uc_local_fault, &p_uc },
	{ "probe_refused_umr", probe_refused_umr },
	{ "probe_umr_twice", probe_umr_twice },
	{ "probe_inv_free", probe_inv_free },
	{ "probe_cq_overrun", probe_cq_overrun, &p_small_cq },
	{ "probe_resize_small", probe_resize_small, &p_resized },
	{ "probe_srq_limit_above", probe_srq_limit_above, &p_srq },
	{ "probe_datagram_too_long", probe_datagram_too_long, &p_ud },
	{ }
};
