// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of polling: a case writes CQEs as a device does, and checks
 * the completions. CQEs are built field by field from linux/mlx5/device.h
 * (mlx5_cqe64, mlx5_err_cqe) and opcodes of linux/mlx5/cq.h.
 */

#include "kunit.h"

#define WR_ID(n)	(0x1000ULL + (u32)(n))

/* writes the CQE with index @n, owned by software */
static struct mlx5_cqe64 *write_cqe(struct kt *kt, u32 n, u8 opcode, u16 counter)
{
	struct mlx5_cqe64 *cqe = kt->cq->cqb.buf + n % KT_CQES * 64;

	memset(cqe, 0, sizeof(*cqe));
	cqe->sop_drop_qpn = cpu_to_be32(0x0a000000 | KT_QPN);
	cqe->wqe_counter = cpu_to_be16(counter);
	cqe->op_own = opcode << 4 | (n / KT_CQES & 1);
	return cqe;
}

static void write_error(struct kt *kt, u32 n, u8 opcode, u16 counter, u8 syndrome)
{
	struct mlx5_err_cqe *cqe = (struct mlx5_err_cqe *)write_cqe(kt, n, opcode, counter);

	cqe->syndrome = syndrome;
	cqe->vendor_err_synd = 0x88;
}

static int poll(struct kt *kt, int num, struct ib_wc *wc)
{
	memset(wc, POISON, num * sizeof(*wc));
	return ibx_poll_cq(&kt->cq->ibcq, num, wc);
}

/* posts @n invalidations, whose WQEs have two blocks each */
static void post_invs(struct kt *kt, int n)
{
	struct ib_send_wr wr = { .opcode = IB_WR_LOCAL_INV };
	const struct ib_send_wr *bad;

	while (n--) {
		wr.wr_id = WR_ID(kt->qp->sq.head);
		KUNIT_ASSERT_EQ(kt->test, ibx_post_send(&kt->qp->ibqp, &wr, &bad), 0);
	}
}

static void post_recvs(struct kt *kt, int n)
{
	const struct ib_recv_wr *bad;
	struct ib_recv_wr wr = {};

	while (n--) {
		wr.wr_id = WR_ID(kt->qp->rq.head);
		KUNIT_ASSERT_EQ(kt->test, ibx_post_recv(&kt->qp->ibqp, &wr, &bad), 0);
	}
}

static void expect_wc(struct kt *kt, const struct ib_wc *wc, u64 wr_id, enum ib_wc_status status)
{
	KUNIT_EXPECT_EQ(kt->test, wc->wr_id, wr_id);
	KUNIT_EXPECT_EQ(kt->test, wc->status, status);
	KUNIT_EXPECT_PTR_EQ(kt->test, wc->qp, &kt->qp->ibqp);
}

static void empty(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ib_wc wc[2];

	KUNIT_EXPECT_EQ(test, poll(kt, 2, wc), 0);
	KUNIT_EXPECT_EQ(test, poll(kt, 0, wc), 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->set_ci), 0);
}

#define DEVX_QPN	(KT_QPN + 1)

struct passed {
	unsigned int n;
	u32 qpn;
	u16 counter;
};

static void note_cqe(void *arg, const void *cqe)
{
	const struct mlx5_cqe64 *c = cqe;
	struct passed *p = arg;

	p->n++;
	p->qpn = be32_to_cpu(c->sop_drop_qpn) & 0xffffff;
	p->counter = be16_to_cpu(c->wqe_counter);
}

/*
 * CQEs of QPs that are not in the table are passed to cqe_cb() in their order,
 * each once. CQEs of destroyed QPs are not passed.
 */
static void pass_to_ulp(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct passed p = {};
	struct ib_wc wc[2];

	kt->cq->cqe_cb = note_cqe;
	kt->cq->cqe_arg = &p;
	post_invs(kt, 2);
	write_cqe(kt, 0, MLX5_CQE_REQ, 7)->sop_drop_qpn = cpu_to_be32(DEVX_QPN);
	write_cqe(kt, 1, MLX5_CQE_REQ, 0);
	KUNIT_EXPECT_EQ(test, poll(kt, 1, wc), 1);
	expect_wc(kt, wc, WR_ID(0), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, p.n, 1);
	KUNIT_EXPECT_EQ(test, p.qpn, DEVX_QPN);
	KUNIT_EXPECT_EQ(test, p.counter, 7);
	write_cqe(kt, 2, MLX5_CQE_REQ_ERR, 8)->sop_drop_qpn = cpu_to_be32(DEVX_QPN);
	write_cqe(kt, 3, MLX5_CQE_REQ, 0)->sop_drop_qpn = cpu_to_be32(IBX_NO_QPN);
	KUNIT_EXPECT_EQ(test, poll(kt, 2, wc), 0);
	KUNIT_EXPECT_EQ(test, p.n, 2);
	KUNIT_EXPECT_EQ(test, p.counter, 8);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->set_ci), 4);
	/*
	 * while a DCT is being created, the CQE is not consumed; it is passed
	 * after that
	 */
	kt->cq->dcts_new = 1;
	write_cqe(kt, 4, MLX5_CQE_REQ, 9)->sop_drop_qpn = cpu_to_be32(DEVX_QPN);
	KUNIT_EXPECT_EQ(test, poll(kt, 2, wc), 0);
	KUNIT_EXPECT_EQ(test, p.n, 2);
	kt->cq->dcts_new = 0;
	KUNIT_EXPECT_EQ(test, poll(kt, 2, wc), 0);
	KUNIT_EXPECT_EQ(test, p.n, 3);
	KUNIT_EXPECT_EQ(test, p.counter, 9);
}

static void write_sig_error(struct kt *kt, u32 n, u32 key)
{
	struct mlx5_sig_err_cqe *cqe;

	cqe = (struct mlx5_sig_err_cqe *)write_cqe(kt, n, MLX5_CQE_SIG_ERR, 0);
	cqe->qpn = cpu_to_be32(DEVX_QPN);
	cqe->mkey = cpu_to_be32(key);
}

/*
 * A signature error of a QP of DEVX is passed, unless its mkey is an mkey of
 * the driver. While a DCT is being created, it is passed later, as other CQEs
 * are.
 */
static void pass_sig_error(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ibx_sig sig = {};
	struct passed p = {};
	struct ib_wc wc;
	void *old;

	spin_lock_init(&sig.lock);
	old = xa_store(&kt->dev->sigs, KT_MKEY >> 8, &sig, GFP_KERNEL);
	KUNIT_ASSERT_EQ(test, xa_err(old), 0);
	kt->cq->cqe_cb = note_cqe;
	kt->cq->cqe_arg = &p;
	write_sig_error(kt, 0, KT_MKEY);
	KUNIT_EXPECT_EQ(test, poll(kt, 1, &wc), 0);
	KUNIT_EXPECT_EQ(test, p.n, 0);
	KUNIT_EXPECT_TRUE(test, sig.has_err);
	write_sig_error(kt, 1, KT_MKEY + 0x100);
	KUNIT_EXPECT_EQ(test, poll(kt, 1, &wc), 0);
	KUNIT_EXPECT_EQ(test, p.n, 1);
	KUNIT_EXPECT_EQ(test, p.qpn, DEVX_QPN);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->set_ci), 2);
	kt->cq->dcts_new = 1;
	write_sig_error(kt, 2, KT_MKEY + 0x100);
	KUNIT_EXPECT_EQ(test, poll(kt, 1, &wc), 0);
	KUNIT_EXPECT_EQ(test, p.n, 1);
	kt->cq->dcts_new = 0;
	KUNIT_EXPECT_EQ(test, poll(kt, 1, &wc), 0);
	KUNIT_EXPECT_EQ(test, p.n, 2);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->set_ci), 3);
	xa_erase(&kt->dev->sigs, KT_MKEY >> 8);
}

/* over several rounds of the ring, each CQE is consumed once */
static void laps(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ib_wc wc[2];
	u32 n;

	for (n = 0; n < 5 * KT_CQES; n++) {
		post_invs(kt, 1);
		write_cqe(kt, n, MLX5_CQE_REQ, 2 * n);
		KUNIT_ASSERT_EQ(test, poll(kt, 2, wc), 1);
		expect_wc(kt, wc, WR_ID(n), IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, wc->opcode, IB_WC_LOCAL_INV);
		KUNIT_EXPECT_EQ(test, wc->wc_flags, 0);
		KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->set_ci), n + 1);
		KUNIT_ASSERT_EQ(test, poll(kt, 2, wc), 0);
	}
}

/* the doorbell record wraps at 24 bits, the index of blocks at 16 bits */
static void counters_wrap(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ib_wc wc[2];

	kt->cq->cqb.ci = 0xffffff;
	kt->qp->sq.cur_post = 0xfffe;
	kt->qp->sq.head = ~0;
	kt->qp->sq.tail = ~0;
	post_invs(kt, 2);
	write_cqe(kt, 0xffffff, MLX5_CQE_REQ, 0xfffe);
	write_cqe(kt, 0x1000000, MLX5_CQE_REQ, 0);
	KUNIT_EXPECT_EQ(test, poll(kt, 2, wc), 2);
	expect_wc(kt, &wc[0], WR_ID(~0), IB_WC_SUCCESS);
	expect_wc(kt, &wc[1], WR_ID(0), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->set_ci), 1);
	KUNIT_EXPECT_TRUE(test, ibx_sq_idle(&kt->qp->sq));
}

/* a CQE also completes the unsignaled WRs before its WR: their space is free */
static void unsignaled(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ib_wc wc[4];

	post_invs(kt, KT_MAX_POST);
	write_cqe(kt, 0, MLX5_CQE_REQ, 2 * 3);
	KUNIT_EXPECT_EQ(test, poll(kt, 4, wc), 1);
	expect_wc(kt, wc, WR_ID(3), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, kt->qp->sq.tail, 4);
	post_invs(kt, 4);
}

static void batch(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ib_wc wc[4];
	int i;

	post_invs(kt, 4);
	for (i = 0; i < 4; i++)
		write_cqe(kt, i, MLX5_CQE_REQ, 2 * i);
	KUNIT_EXPECT_EQ(test, poll(kt, 3, wc), 3);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->set_ci), 3);
	for (i = 0; i < 3; i++)
		expect_wc(kt, &wc[i], WR_ID(i), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, poll(kt, 3, wc), 1);
	expect_wc(kt, wc, WR_ID(3), IB_WC_SUCCESS);
}

static void receives(struct kunit *test)
{
	static const struct {
		u8 opcode;
		enum ib_wc_opcode wc_opcode;
		int flags;
	} rows[] = {
		{ MLX5_CQE_RESP_SEND, IB_WC_RECV, 0 },
		{ MLX5_CQE_RESP_SEND_IMM, IB_WC_RECV, IB_WC_WITH_IMM },
		{ MLX5_CQE_RESP_SEND_INV, IB_WC_RECV, IB_WC_WITH_INVALIDATE },
		{ MLX5_CQE_RESP_WR_IMM, IB_WC_RECV_RDMA_WITH_IMM, IB_WC_WITH_IMM },
	};
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct mlx5_cqe64 *cqe;
	struct ib_wc wc[4];
	int i;

	post_recvs(kt, 4);
	for (i = 0; i < 4; i++) {
		cqe = write_cqe(kt, i, rows[i].opcode, i);
		cqe->byte_cnt = cpu_to_be32(100 + i);
		cqe->immediate = cpu_to_be32(0x01020304);
	}
	KUNIT_ASSERT_EQ(test, poll(kt, 4, wc), 4);
	for (i = 0; i < 4; i++) {
		expect_wc(kt, &wc[i], WR_ID(i), IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, wc[i].opcode, rows[i].wc_opcode);
		KUNIT_EXPECT_EQ(test, wc[i].wc_flags, rows[i].flags);
		KUNIT_EXPECT_EQ(test, wc[i].byte_len, 100 + i);
	}
	KUNIT_EXPECT_EQ(test, be32_to_cpu(wc[1].ex.imm_data), 0x01020304);
	KUNIT_EXPECT_EQ(test, wc[2].ex.invalidate_rkey, 0x01020304);
	KUNIT_EXPECT_TRUE(test, ibx_rq_idle(&kt->qp->rq));
}

static void datagrams(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_GSI);
	struct mlx5_cqe64 *cqe;
	struct ib_wc wc;

	post_recvs(kt, 1);
	cqe = write_cqe(kt, 0, MLX5_CQE_RESP_SEND, 0);
	cqe->flags_rqpn = cpu_to_be32(0x12000001);
	KUNIT_ASSERT_EQ(test, poll(kt, 1, &wc), 1);
	KUNIT_EXPECT_EQ(test, wc.src_qp, 1);
	KUNIT_EXPECT_EQ(test, wc.wc_flags, IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE);
	KUNIT_EXPECT_EQ(test, wc.network_hdr_type, RDMA_NETWORK_IPV4);
}

/* after the first WR has failed, each other WR is flushed once */
static void errors(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ib_wc wc[8];
	int i;

	post_invs(kt, 3);
	post_recvs(kt, 2);
	write_error(kt, 0, MLX5_CQE_REQ_ERR, 0, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	write_error(kt, 1, MLX5_CQE_REQ_ERR, 2, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	write_error(kt, 2, MLX5_CQE_RESP_ERR, 0, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	write_error(kt, 3, MLX5_CQE_REQ_ERR, 4, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	write_error(kt, 4, MLX5_CQE_RESP_ERR, 1, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	KUNIT_ASSERT_EQ(test, poll(kt, 8, wc), 5);
	expect_wc(kt, &wc[0], WR_ID(0), IB_WC_REM_ACCESS_ERR);
	expect_wc(kt, &wc[1], WR_ID(1), IB_WC_WR_FLUSH_ERR);
	expect_wc(kt, &wc[2], WR_ID(0), IB_WC_WR_FLUSH_ERR);
	expect_wc(kt, &wc[3], WR_ID(2), IB_WC_WR_FLUSH_ERR);
	expect_wc(kt, &wc[4], WR_ID(1), IB_WC_WR_FLUSH_ERR);
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_EQ(test, wc[i].vendor_err, 0x88);
	KUNIT_EXPECT_TRUE(test, ibx_sq_idle(&kt->qp->sq));
	KUNIT_EXPECT_TRUE(test, ibx_rq_idle(&kt->qp->rq));
}

/* CQEs with an unknown QP or opcode are skipped, and all other CQEs complete */
static void strangers(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ib_wc wc[4];

	post_invs(kt, 2);
	write_cqe(kt, 0, MLX5_CQE_REQ, 0)->sop_drop_qpn = cpu_to_be32(KT_QPN + 1);
	write_cqe(kt, 1, MLX5_CQE_REQ, 0);
	write_cqe(kt, 2, MLX5_CQE_REQ, 0)->sop_drop_qpn = cpu_to_be32(IBX_NO_QPN);
	/* cqb.last_qp is NULL now */
	write_cqe(kt, 3, MLX5_CQE_REQ, 0)->sop_drop_qpn = cpu_to_be32(IBX_NO_QPN);
	write_cqe(kt, 4, 9, 0);			/* no such opcode */
	write_cqe(kt, 5, MLX5_CQE_REQ, 2);
	KUNIT_EXPECT_EQ(test, poll(kt, 4, wc), 2);
	expect_wc(kt, &wc[0], WR_ID(0), IB_WC_SUCCESS);
	expect_wc(kt, &wc[1], WR_ID(1), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->set_ci), 6);
}

/* writes one CQE of each kind, the first with index @n */
static void write_each(struct kt *kt, u32 n)
{
	write_cqe(kt, n, MLX5_CQE_REQ, 0);
	write_error(kt, n + 1, MLX5_CQE_REQ_ERR, 0, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	write_cqe(kt, n + 2, MLX5_CQE_RESP_SEND, 0);
	write_error(kt, n + 3, MLX5_CQE_RESP_ERR, 0, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
}

/* CQEs of a QP that uses another CQ complete no WR */
static void of_another_cq(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ib_cq other = {};
	struct ib_wc wc[4];

	post_invs(kt, 1);
	post_recvs(kt, 1);
	kt->qp->ibqp.send_cq = &other;
	kt->qp->ibqp.recv_cq = &other;
	write_each(kt, 0);
	KUNIT_EXPECT_EQ(test, poll(kt, 4, wc), 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->set_ci), 4);
	KUNIT_EXPECT_FALSE(test, ibx_sq_idle(&kt->qp->sq));
	KUNIT_EXPECT_FALSE(test, ibx_rq_idle(&kt->qp->rq));
	/*
	 * last_qp is not set: when the QP is destroyed, last_qp is cleared only
	 * in the CQs of the QP
	 */
	KUNIT_EXPECT_NULL(test, kt->cq->cqb.last_qp);
}

/* CQEs of a QP without rings complete no WR */
static void of_no_ring(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ib_wc wc[4];

	ibx_sq_fini(&kt->qp->sq);
	ibx_rq_fini(&kt->qp->rq);
	write_each(kt, 0);
	KUNIT_EXPECT_EQ(test, poll(kt, 4, wc), 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->set_ci), 4);
}

/* a block index that is out of range is masked */
static void wild_counter(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ib_wc wc;

	post_invs(kt, 1);
	write_cqe(kt, 0, MLX5_CQE_REQ, 0xfff0);
	KUNIT_EXPECT_EQ(test, poll(kt, 1, &wc), 1);
	expect_wc(kt, &wc, WR_ID(0), IB_WC_SUCCESS);
}

/* ibx_cq_clean(): CQEs complete no WR of a later QP with the same number */
static void clean(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ib_wc wc[4];
	unsigned long flags;

	post_invs(kt, 3);
	write_cqe(kt, 0, MLX5_CQE_REQ, 0);
	KUNIT_EXPECT_EQ(test, poll(kt, 4, wc), 1);
	write_cqe(kt, 1, MLX5_CQE_REQ, 2);
	write_cqe(kt, 2, MLX5_CQE_REQ, 4)->sop_drop_qpn = cpu_to_be32(KT_QPN + 1);

	spin_lock_irqsave(&kt->cq->lock, flags);
	ibx_cq_clean(kt->cq, KT_QPN, NULL, true);
	spin_unlock_irqrestore(&kt->cq->lock, flags);
	KUNIT_EXPECT_NULL(test, kt->cq->cqb.last_qp);

	xa_store(&kt->dev->qps, KT_QPN + 1, kt->qp, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, poll(kt, 4, wc), 1);
	expect_wc(kt, wc, WR_ID(2), IB_WC_SUCCESS);
}

/* all CQEs of a full ring belong to the QP */
static void clean_full(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	unsigned long flags;
	struct ib_wc wc;
	int i;

	for (i = 0; i < KT_CQES; i++)
		write_cqe(kt, i, MLX5_CQE_REQ, 0);
	spin_lock_irqsave(&kt->cq->lock, flags);
	ibx_cq_clean(kt->cq, KT_QPN, NULL, true);
	spin_unlock_irqrestore(&kt->cq->lock, flags);
	/* ibx_cq_clean() frees the entries without a poll */
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->set_ci), KT_CQES);
	KUNIT_EXPECT_EQ(test, poll(kt, 1, &wc), 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->set_ci), KT_CQES);
}

/* a fatal error: each outstanding WR is flushed once, and CQEs are ignored */
static void dead(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ib_wc wc[8];
	int i;

	post_invs(kt, 2);
	write_cqe(kt, 0, MLX5_CQE_REQ, 2);
	KUNIT_EXPECT_EQ(test, poll(kt, 8, wc), 1);
	post_invs(kt, 4);
	post_recvs(kt, 2);
	write_cqe(kt, 1, MLX5_CQE_REQ, 6);
	kt->mdev->state = MLX5_DEVICE_STATE_INTERNAL_ERROR;

	KUNIT_EXPECT_EQ(test, ibx_req_notify_cq(&kt->cq->ibcq, IB_CQ_NEXT_COMP |
						IB_CQ_REPORT_MISSED_EVENTS), 1);
	KUNIT_ASSERT_EQ(test, poll(kt, 3, wc), 3);
	KUNIT_ASSERT_EQ(test, poll(kt, 5, wc + 3), 3);
	for (i = 0; i < 4; i++)
		expect_wc(kt, &wc[i], WR_ID(2 + i), IB_WC_WR_FLUSH_ERR);
	for (i = 0; i < 2; i++)
		expect_wc(kt, &wc[4 + i], WR_ID(i), IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, poll(kt, 8, wc), 0);
	KUNIT_EXPECT_EQ(test, ibx_req_notify_cq(&kt->cq->ibcq, IB_CQ_NEXT_COMP |
						IB_CQ_REPORT_MISSED_EVENTS), 0);
}

/*
 * After a fatal error, a send of the GSI QP completes with IB_WC_FATAL_ERR,
 * which ib_cm reports, even if it was posted after the error. A receive is
 * flushed with IB_WC_WR_FLUSH_ERR.
 */
static void dead_gsi(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_GSI);
	const struct ib_send_wr *bad;
	struct ibx_ah ah = {};
	struct ib_ud_wr wr = {
		.wr = { .opcode = IB_WR_SEND, .wr_id = WR_ID(0) },
		.ah = &ah.ibah,
	};
	struct ib_wc wc[4];

	KUNIT_ASSERT_EQ(test, ibx_post_send(&kt->qp->ibqp, &wr.wr, &bad), 0);
	post_recvs(kt, 1);
	kt->mdev->state = MLX5_DEVICE_STATE_INTERNAL_ERROR;
	wr.wr.wr_id = WR_ID(1);
	KUNIT_ASSERT_EQ(test, ibx_post_send(&kt->qp->ibqp, &wr.wr, &bad), 0);

	KUNIT_ASSERT_EQ(test, poll(kt, 4, wc), 3);
	expect_wc(kt, &wc[0], WR_ID(0), IB_WC_FATAL_ERR);
	expect_wc(kt, &wc[1], WR_ID(1), IB_WC_FATAL_ERR);
	expect_wc(kt, &wc[2], WR_ID(0), IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, poll(kt, 4, wc), 0);
}

/* shadow entries from before RESET do not count as outstanding WRs */
static void dead_after_reset(struct kunit *test)
{
	struct ib_send_wr old = { .opcode = IB_WR_SEND, .wr_id = 0xdead };
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ibx_sq *sq = &kt->qp->sq;
	const struct ib_send_wr *bad;
	struct ib_wc wc[4];
	u32 first;
	int i;

	for (i = 0; i < KT_MAX_POST; i++)
		KUNIT_ASSERT_EQ(test, ibx_post_send(&kt->qp->ibqp, &old, &bad), 0);
	kt_sq_reset(sq);
	KUNIT_EXPECT_TRUE(test, ibx_sq_idle(sq));
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->dbr[MLX5_SND_DBR]), 0);

	first = sq->head;
	post_invs(kt, 3);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->dbr[MLX5_SND_DBR]), 2 * 3);
	write_cqe(kt, 0, MLX5_CQE_REQ, 0);
	KUNIT_ASSERT_EQ(test, poll(kt, 4, wc), 1);
	expect_wc(kt, wc, WR_ID(first), IB_WC_SUCCESS);

	kt->mdev->state = MLX5_DEVICE_STATE_INTERNAL_ERROR;
	KUNIT_ASSERT_EQ(test, poll(kt, 4, wc), 2);
	expect_wc(kt, &wc[0], WR_ID(first + 1), IB_WC_WR_FLUSH_ERR);
	expect_wc(kt, &wc[1], WR_ID(first + 2), IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, poll(kt, 4, wc), 0);
}

/* the oldest WR is found, not a WQE of an aborted chain at a lower block */
static void dead_after_drop(struct kunit *test)
{
	struct ib_send_wr wr = { .opcode = IB_WR_SEND };
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ib_qp_ex *qpx = &kt->qp->dv.qp_ex;
	const struct ib_send_wr *bad;
	struct ib_wc wc[8];
	u32 i;

	for (i = 0; i < KT_BBS - 1; i++) {
		KUNIT_ASSERT_EQ(test, ibx_post_send(&kt->qp->ibqp, &wr, &bad), 0);
		write_cqe(kt, i, MLX5_CQE_REQ, i);
		KUNIT_ASSERT_EQ(test, poll(kt, 1, wc), 1);
	}
	/* this WR is in the last block, the aborted chain in the first ones */
	wr.wr_id = WR_ID(0);
	KUNIT_ASSERT_EQ(test, ibx_post_send(&kt->qp->ibqp, &wr, &bad), 0);
	KUNIT_ASSERT_EQ(test, ib_wr_start(qpx), 0);
	qpx->wr_id = 0xdead;
	for (i = 0; i < 3; i++) {
		ib_wr_send(qpx);
		ib_wr_set_sge_list(qpx, 0, NULL);
	}
	ib_wr_abort(qpx);
	/* ib_drain_qp() posts in ERR too */
	kt->qp->state = IB_QPS_ERR;
	wr.wr_id = WR_ID(1);
	KUNIT_ASSERT_EQ(test, ibx_post_send(&kt->qp->ibqp, &wr, &bad), 0);

	kt->mdev->state = MLX5_DEVICE_STATE_INTERNAL_ERROR;
	KUNIT_ASSERT_EQ(test, poll(kt, 8, wc), 2);
	expect_wc(kt, &wc[0], WR_ID(0), IB_WC_WR_FLUSH_ERR);
	expect_wc(kt, &wc[1], WR_ID(1), IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, poll(kt, 8, wc), 0);
}

static void post_srq(struct kt *kt, struct ibx_srq *srq, u64 wr_id)
{
	struct ib_recv_wr wr = { .wr_id = wr_id };
	const struct ib_recv_wr *one = &wr;

	KUNIT_ASSERT_EQ(kt->test, ibx_srq_ring_post(&srq->ring, &one), 0);
}

/* a CQE completes the SRQ receive with its index, if that receive is posted */
static void shared_receives(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ibx_srq *srq = kt_create_srq(kt);
	struct ib_wc wc[4];
	int i;

	for (i = 0; i < 3; i++)
		post_srq(kt, srq, WR_ID(i));
	write_cqe(kt, 0, MLX5_CQE_RESP_SEND, 2)->byte_cnt = cpu_to_be32(77);
	write_cqe(kt, 1, MLX5_CQE_RESP_SEND_IMM, 2);
	write_cqe(kt, 2, MLX5_CQE_RESP_SEND, KT_SRQ_WQES);
	write_error(kt, 3, MLX5_CQE_RESP_ERR, 3, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
	write_error(kt, 4, MLX5_CQE_RESP_ERR, 0, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
	KUNIT_ASSERT_EQ(test, poll(kt, 4, wc), 2);
	expect_wc(kt, &wc[0], WR_ID(2), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, wc[0].byte_len, 77);
	expect_wc(kt, &wc[1], WR_ID(0), IB_WC_LOC_LEN_ERR);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->set_ci), 5);

	/* both completed WQEs are free, and no other WQE is */
	post_srq(kt, srq, WR_ID(3));
	post_srq(kt, srq, WR_ID(4));
	write_cqe(kt, 5, MLX5_CQE_RESP_SEND, 1);
	KUNIT_EXPECT_EQ(test, poll(kt, 4, wc), 1);
	expect_wc(kt, wc, WR_ID(1), IB_WC_SUCCESS);
}

/* ibx_cq_clean() disowns CQEs, and frees the SRQ WQEs that they complete */
static void clean_shared(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ibx_srq *srq = kt_create_srq(kt);
	struct ib_wc wc[4];
	unsigned long flags;
	int i;

	for (i = 0; i < 3; i++)
		post_srq(kt, srq, WR_ID(i));
	post_invs(kt, 1);
	write_cqe(kt, 0, MLX5_CQE_RESP_SEND, 0);
	/* the block index of this send equals the index of a posted receive */
	write_cqe(kt, 1, MLX5_CQE_REQ, 1);
	write_error(kt, 2, MLX5_CQE_RESP_ERR, 2, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	write_cqe(kt, 3, MLX5_CQE_RESP_SEND, 1)->sop_drop_qpn = cpu_to_be32(KT_QPN + 1);

	spin_lock_irqsave(&kt->cq->lock, flags);
	ibx_cq_clean(kt->cq, KT_QPN, &srq->ring, true);
	spin_unlock_irqrestore(&kt->cq->lock, flags);
	KUNIT_EXPECT_EQ(test, srq->ring.shadow[0].posted, false);
	KUNIT_EXPECT_EQ(test, srq->ring.shadow[1].posted, true);
	KUNIT_EXPECT_EQ(test, srq->ring.shadow[2].posted, false);

	/* the completion of another QP with the same SRQ remains */
	xa_store(&kt->dev->qps, KT_QPN + 1, kt->qp, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, poll(kt, 4, wc), 1);
	expect_wc(kt, wc, WR_ID(1), IB_WC_SUCCESS);
}

/* after a fatal error, the receives of an SRQ are not flushed */
static void dead_shared(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ibx_srq *srq = kt_create_srq(kt);
	struct ib_wc wc[4];

	post_srq(kt, srq, WR_ID(0));
	write_cqe(kt, 0, MLX5_CQE_RESP_SEND, 0);
	kt->mdev->state = MLX5_DEVICE_STATE_INTERNAL_ERROR;
	KUNIT_EXPECT_EQ(test, poll(kt, 4, wc), 0);
	KUNIT_EXPECT_EQ(test, ibx_req_notify_cq(&kt->cq->ibcq, IB_CQ_NEXT_COMP |
						IB_CQ_REPORT_MISSED_EVENTS), 0);
}

/*
 * A DCT receives before it is in the table. While a DCT is being created on the
 * CQ, polling stops at a CQE of an unknown QP, and continues when the QP is in
 * the table.
 */
static void early_receives(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ibx_srq *srq = kt_create_srq(kt);
	struct ib_wc wc[4];
	int i;

	for (i = 0; i < 3; i++)
		post_srq(kt, srq, WR_ID(i));
	kt->cq->dcts_new = 1;
	write_cqe(kt, 0, MLX5_CQE_RESP_SEND, 0);
	write_cqe(kt, 1, MLX5_CQE_RESP_SEND, 1)->sop_drop_qpn = cpu_to_be32(IBX_NO_QPN);
	write_cqe(kt, 2, MLX5_CQE_RESP_SEND, 1)->sop_drop_qpn = cpu_to_be32(KT_QPN + 1);
	write_cqe(kt, 3, MLX5_CQE_RESP_SEND, 2);
	KUNIT_EXPECT_EQ(test, poll(kt, 4, wc), 1);
	expect_wc(kt, wc, WR_ID(0), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->set_ci), 2);
	KUNIT_EXPECT_EQ(test, poll(kt, 4, wc), 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(kt->set_ci), 2);

	xa_store(&kt->dev->qps, KT_QPN + 1, kt->qp, GFP_KERNEL);
	kt->cq->dcts_new = 0;
	KUNIT_ASSERT_EQ(test, poll(kt, 4, wc), 2);
	expect_wc(kt, &wc[0], WR_ID(1), IB_WC_SUCCESS);
	expect_wc(kt, &wc[1], WR_ID(2), IB_WC_SUCCESS);
}

/*
 * The CQE of a later WR comes first, and frees the space of both WRs. The CQE
 * of the earlier WR frees no space.
 */
static void not_in_order(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ib_wc wc[4];

	post_invs(kt, 3);
	write_cqe(kt, 0, MLX5_CQE_REQ, 2 * 2);
	write_cqe(kt, 1, MLX5_CQE_REQ, 2 * 1);
	KUNIT_ASSERT_EQ(test, poll(kt, 4, wc), 2);
	expect_wc(kt, &wc[0], WR_ID(2), IB_WC_SUCCESS);
	expect_wc(kt, &wc[1], WR_ID(1), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, kt->qp->sq.tail, 3);
	KUNIT_EXPECT_TRUE(test, ibx_sq_idle(&kt->qp->sq));
	kt->mdev->state = MLX5_DEVICE_STATE_INTERNAL_ERROR;
	KUNIT_EXPECT_EQ(test, poll(kt, 4, wc), 0);
}

static int missed(struct kt *kt)
{
	return ibx_req_notify_cq(&kt->cq->ibcq, IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS);
}

/* moves the QP to ERR, and sets the members that ibx_qp_set_stopped() sets */
static void stop(struct kt *kt)
{
	kt->qp->state = IB_QPS_ERR;
	kt->qp->stopped = true;
	kt->cq->flushes = true;
}

/*
 * A CQ in error. Written CQEs complete. The other WRs are not flushed when the
 * QP is in ERR, but when the device has stopped the QP.
 */
static void failed(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ib_wc wc[8];
	int i;

	post_invs(kt, 4);
	post_recvs(kt, 2);
	write_cqe(kt, 0, MLX5_CQE_REQ, 2);
	kt->cq->failed = true;
	kt->cq->silent = true;
	KUNIT_EXPECT_EQ(test, missed(kt), 1);
	KUNIT_ASSERT_EQ(test, poll(kt, 8, wc), 1);
	expect_wc(kt, wc, WR_ID(1), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, missed(kt), 0);
	KUNIT_ASSERT_EQ(test, poll(kt, 8, wc), 0);

	kt->qp->state = IB_QPS_ERR;
	KUNIT_EXPECT_EQ(test, missed(kt), 0);
	KUNIT_ASSERT_EQ(test, poll(kt, 8, wc), 0);

	stop(kt);
	KUNIT_EXPECT_EQ(test, missed(kt), 1);
	KUNIT_ASSERT_EQ(test, poll(kt, 3, wc), 3);
	KUNIT_ASSERT_EQ(test, poll(kt, 5, wc + 3), 1);
	for (i = 0; i < 2; i++) {
		expect_wc(kt, &wc[i], WR_ID(2 + i), IB_WC_WR_FLUSH_ERR);
		expect_wc(kt, &wc[2 + i], WR_ID(i), IB_WC_WR_FLUSH_ERR);
	}
	KUNIT_EXPECT_EQ(test, missed(kt), 0);
}

/*
 * The QP was stopped because its other CQ is in error. The CQEs in this CQ
 * complete before the other WRs are flushed.
 */
static void stopped(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ib_wc wc[8];
	int i;

	post_invs(kt, 3);
	write_cqe(kt, 0, MLX5_CQE_REQ, 0);
	stop(kt);
	KUNIT_ASSERT_EQ(test, poll(kt, 1, wc), 1);
	expect_wc(kt, wc, WR_ID(0), IB_WC_SUCCESS);
	KUNIT_ASSERT_EQ(test, poll(kt, 8, wc), 2);
	for (i = 0; i < 2; i++)
		expect_wc(kt, &wc[i], WR_ID(1 + i), IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, poll(kt, 8, wc), 0);
}

/* a CQ that is being destroyed is not armed, but checked for CQEs */
static void silent(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_RC);
	struct ib_wc wc;

	post_invs(kt, 1);
	kt->cq->silent = true;
	KUNIT_EXPECT_EQ(test, missed(kt), 0);
	write_cqe(kt, 0, MLX5_CQE_REQ, 0);
	KUNIT_EXPECT_EQ(test, missed(kt), 1);
	KUNIT_ASSERT_EQ(test, poll(kt, 1, &wc), 1);
	KUNIT_EXPECT_EQ(test, missed(kt), 0);
}

/* a receive on UC has the same fields as on RC: no source QP and no GRH */
static void unreliable(struct kunit *test)
{
	struct kt *kt = kt_create(test, IB_QPT_UC);
	struct ib_wc wc;

	post_recvs(kt, 1);
	write_cqe(kt, 0, MLX5_CQE_RESP_SEND, 0)->flags_rqpn = cpu_to_be32(0x12000001);
	KUNIT_ASSERT_EQ(test, poll(kt, 1, &wc), 1);
	expect_wc(kt, &wc, WR_ID(0), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, wc.wc_flags, 0);
}

static struct kunit_case poll_tests[] = {
	KUNIT_CASE(empty),
	KUNIT_CASE(pass_to_ulp),
	KUNIT_CASE(pass_sig_error),
	KUNIT_CASE(laps),
	KUNIT_CASE(counters_wrap),
	KUNIT_CASE(unsignaled),
	KUNIT_CASE(batch),
	KUNIT_CASE(receives),
	KUNIT_CASE(datagrams),
	KUNIT_CASE(errors),
	KUNIT_CASE(strangers),
	KUNIT_CASE(of_another_cq),
	KUNIT_CASE(of_no_ring),
	KUNIT_CASE(wild_counter),
	KUNIT_CASE(clean),
	KUNIT_CASE(clean_full),
	KUNIT_CASE(dead),
	KUNIT_CASE(dead_gsi),
	KUNIT_CASE(dead_after_reset),
	KUNIT_CASE(dead_after_drop),
	KUNIT_CASE(shared_receives),
	KUNIT_CASE(clean_shared),
	KUNIT_CASE(dead_shared),
	KUNIT_CASE(early_receives),
	KUNIT_CASE(not_in_order),
	KUNIT_CASE(failed),
	KUNIT_CASE(stopped),
	KUNIT_CASE(silent),
	KUNIT_CASE(unreliable),
	{}
};

static struct kunit_suite poll_suite = {
	.name = "mlx5_ibx_poll",
	.test_cases = poll_tests,
};

kunit_test_suite(poll_suite);
