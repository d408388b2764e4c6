// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Unreliable connections: a message arrives completely or not at all, the sender's work
 * request completes either way, nothing is retried, and an error of the peer moves no QP
 * to ERR.
 */
#include "ibx_test.h"

#define U_RW	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE)

static const struct t_opts u_opts = { .type = IB_QPT_UC };
static const struct t_opts u_opts_inline = { .type = IB_QPT_UC, .inline_size = 200 };
static const struct t_opts u_opts_rc;

static int send_data(struct t_pair *p)
{
	const u32 sizes[] = { 0, 1, 1023, 1024, 1025, 5000 };
	struct t_msg m = { .op = IB_WR_SEND };
	int i;

	/* the messages go around the ring several times */
	for (i = 0; i < 4 * T_DEPTH; i++) {
		m.len = sizes[i % ARRAY_SIZE(sizes)];
		m.seed = i;
		m.flags = i % 3 ? 0 : IB_SEND_SOLICITED;
		T_TRY(t_message(p, &m));
	}
	return 0;
}

static int send_imm(struct t_pair *p)
{
	const struct t_msg m = {
		.op = IB_WR_SEND_WITH_IMM, .len = 1500, .seed = 2, .imm = htonl(0x12345678),
	};

	return t_message(p, &m);
}

static int inline_data(struct t_pair *p)
{
	struct t_msg m = { .op = IB_WR_SEND, .flags = IB_SEND_INLINE };

	for (m.len = 0; m.len <= 200; m.len += 8) {
		m.seed++;
		T_TRY(t_message(p, &m));
	}
	return 0;
}

/**
 * t_open_uc() - register end 0's first MR, as t_open(), if the QP of end 0 is UC
 * @p: the pair
 * @access: IB_ACCESS_*
 *
 * A UC QP cannot register an MR. A new RC QP of the same PD, connected to itself, registers the
 * MR. The RC QP is destroyed at once, and the MR stays registered.
 *
 * Return: 0 or a negative errno.
 */
int t_open_uc(struct t_pair *p, int access)
{
	struct t_end *e = &p->end[0];
	struct ib_qp *uc = e->qp, *rc;
	int ret;

	rc = t_qp_create(e, e->sq.cq, e->rq.cq, &u_opts_rc);
	if (IS_ERR(rc))
		return PTR_ERR(rc);
	e->qp = rc;
	ret = t_qp_connect(e, rc, e, rc->qp_num, &t_default_path);
	if (!ret)
		ret = t_open(p, access);
	e->qp = uc;
	ib_destroy_qp(rc);
	return ret;
}
EXPORT_SYMBOL_GPL(t_open_uc);

/* a WRITE has no completion at the peer, so the cases send a message after it */
static int u_write(struct t_pair *p, u32 rkey, u64 addr, u64 id)
{
	struct t_end *e = &p->end[1];
	struct ib_rdma_wr wr;
	struct ib_sge sge;

	t_write_wr(&wr, &sge, e, id);
	wr.rkey = rkey;
	wr.remote_addr = addr;
	T_TRY(ib_post_send(e->qp, &wr.wr, NULL));
	T_EXPECT(t_wait(&e->sq, id), IB_WC_SUCCESS);
	return 0;
}

static int write_data(struct t_pair *p)
{
	const struct t_msg imm = {
		.op = IB_WR_RDMA_WRITE_WITH_IMM, .len = 700, .seed = 6, .imm = htonl(0xfedcba98),
	};
	struct t_end *e = &p->end[0];
	struct ib_send_wr send;

	T_TRY(t_open_uc(p, U_RW));
	T_TRY(t_message(p, &imm));

	t_set(e, T_GUARD);
	t_fill(&p->end[1], 0, PAGE_SIZE, 9);
	T_TRY(t_post_recv_sges(e, 1, NULL, 0));
	T_TRY(u_write(p, e->mr[0]->rkey, e->mr[0]->iova + PAGE_SIZE, 0));
	t_send_wr(&send, NULL, 1);
	send.num_sge = 0;
	T_TRY(ib_post_send(p->end[1].qp, &send, NULL));
	T_EXPECT(t_wait(&e->rq, 1), IB_WC_SUCCESS);
	return t_check_only(e, PAGE_SIZE, PAGE_SIZE, 9);
}

/* nothing has arrived, both QPs are in RTS, and a later message arrives */
static int u_goes_on(struct t_pair *p)
{
	const struct t_msg m = { .op = IB_WR_SEND, .len = 3000, .seed = 77 };
	int i;

	T_TRY(t_settle(&p->end[0].rq));
	T_EXPECT(p->end[0].rq.nr, 0);
	for (i = 0; i < 2; i++)
		T_EXPECT(t_state(&p->end[i]), IB_QPS_RTS);
	t_clear_counts(&p->end[1].sq);
	return t_message(p, &m);
}

/* the peer has no receive: the message is lost */
static int lost_no_receive(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	struct ib_sge sge = t_sge(e, 0, 100);
	struct ib_send_wr wr;
	int i;

	for (i = 0; i < 5; i++) {
		t_send_wr(&wr, &sge, i);
		T_TRY(ib_post_send(e->qp, &wr, NULL));
		T_EXPECT(t_wait(&e->sq, i), IB_WC_SUCCESS);
	}
	return u_goes_on(p);
}

/* the peer's QP is in RESET: the message is lost */
static int lost_in_reset(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	struct ib_sge sge = t_sge(e, 0, 100);
	struct ib_send_wr wr;

	T_TRY(t_post_recv(&p->end[0], 9));
	T_TRY(t_move(p->end[0].qp, IB_QPS_RESET));
	t_send_wr(&wr, &sge, 0);
	T_TRY(ib_post_send(e->qp, &wr, NULL));
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_SUCCESS);
	T_TRY(t_qp_connect(&p->end[0], p->end[0].qp, e, e->qp->qp_num, &t_default_path));
	return u_goes_on(p);
}

/* WRITEs with keys that do not allow them write no data */
static int lost_bad_key(struct t_pair *p)
{
	struct t_end *e = &p->end[0];
	struct ib_mr *mr = e->mr[0];

	t_set(e, T_GUARD);
	T_TRY(t_open_uc(p, IB_ACCESS_REMOTE_READ));
	T_TRY(u_write(p, mr->rkey, mr->iova, 0));
	T_TRY(u_write(p, mr->rkey ^ 0x100, mr->iova, 1));
	T_TRY(u_write(p, mr->rkey, mr->iova + T_BUF_SIZE, 2));
	T_TRY(t_untouched(e, T_GUARD));
	return u_goes_on(p);
}

/* an error of the sender: the WR fails, later WRs are flushed, and after RTS the QP sends again */
static int local_fault(struct t_pair *p)
{
	struct t_end *e = &p->end[1];
	struct ib_sge bad = t_sge(e, 0, 100);
	struct ib_sge good = t_sge(e, 0, 100);
	struct ib_send_wr wr;
	int i;

	bad.lkey = 0xffffff00;
	for (i = 0; i < 4; i++) {
		t_send_wr(&wr, i ? &good : &bad, i);
		T_TRY(ib_post_send(e->qp, &wr, NULL));
	}
	T_EXPECT(t_wait(&e->sq, 0), IB_WC_LOC_PROT_ERR);
	T_TRY(t_expect_flushed(&e->sq, 1, 3));
	T_EXPECT(t_state(e), IB_QPS_SQE);
	T_TRY(t_move(e->qp, IB_QPS_RTS));
	return u_goes_on(p);
}

static int uc_flushed(struct t_pair *p)
{
	struct t_end *e = &p->end[0];
	struct ib_sge sge = t_sge(e, 0, 8);
	struct ib_send_wr wr;
	int i;

	for (i = 0; i < 4; i++)
		T_TRY(t_post_recv(e, i));
	T_TRY(t_move(e->qp, IB_QPS_ERR));
	T_TRY(t_expect_flushed(&e->rq, 0, 3));
	t_send_wr(&wr, &sge, 0);
	T_TRY(ib_post_send(e->qp, &wr, NULL));
	return t_expect_flushed(&e->sq, 0, 0);
}

const struct t_case t_uc_cases[] = {
	{ "uc_send", send_data, &u_opts },
	{ "uc_send_imm", send_imm, &u_opts },
	{ "uc_inline", inline_data, &u_opts_inline },
	{ "uc_write", write_data, &u_opts },
	{ "uc_lost_no_receive", lost_no_receive, &u_opts },
	{ "uc_lost_in_reset", lost_in_reset, &u_opts },
	{ "uc_lost_bad_key", lost_bad_key, &u_opts },
	{ "uc_flushed", uc_flushed, &u_opts },
	{ "uc_local_fault", local_fault, &u_opts },
	{}
};
