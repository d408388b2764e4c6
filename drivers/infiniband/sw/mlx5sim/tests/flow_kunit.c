// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Messages from one function to another: two functions with a connected QP
 * each, real requester and responder, a record of completions instead of CQs.
 *
 * What is expected is what the InfiniBand Architecture says of a reliable or
 * unreliable connection and of shared receive queues, and the error syndromes of
 * <linux/mlx5/cq.h>.
 */
#include <kunit/test.h>
#include <linux/etherdevice.h>

#include "dp_stubs.h"

#define RING		8	/* basic blocks, and receive WQEs of 16 bytes */
#define BUF_RQ		(RING * MLX5_SEND_WQE_BB)
#define PA_KEY		0x101
#define MR_KEY		0x201
#define SRQ_WQES	4	/* of 32 bytes */

struct flow_end {
	struct sim_dev *sdev;
	struct sim_qp *qp;
	struct sim_cq scq, rcq;
	struct sim_pd pd;
	u8 *ring;		/* send ring, receive ring */
	u64 pas;
	__be32 dbr[2];
	u16 posted;
	u8 *mem;		/* a page */
};

struct flow {
	struct flow_end a, b;
	struct sim_mkey pa, mr;
	struct sim_srq srq;	/* of end b, when a case asks for it */
	struct sim_pd srq_pd;
	u64 srq_pas;
	u8 srq_ring[SRQ_WQES * 32];
	__be32 srq_dbr;
};

static void end_init(struct kunit *test, struct flow_end *e, int i)
{
	struct sim_gid *gid;

	e->sdev = kunit_kzalloc(test, sizeof(*e->sdev), GFP_KERNEL);
	e->qp = kunit_kzalloc(test, sizeof(*e->qp), GFP_KERNEL);
	e->ring = kunit_kzalloc(test, BUF_RQ + RING * 16, GFP_KERNEL);
	e->mem = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, e->sdev);
	KUNIT_ASSERT_NOT_NULL(test, e->qp);
	KUNIT_ASSERT_NOT_NULL(test, e->ring);
	KUNIT_ASSERT_NOT_NULL(test, e->mem);

	*e->sdev = (struct sim_dev) {
		.index = i, .present = true, .hca_inited = true, .roce_enabled = true,
		.port_up = true,
	};
	INIT_LIST_HEAD(&e->sdev->qps);
	gid = &e->sdev->gid[0];
	gid->valid = true;
	gid->roce_version = MLX5_ROCE_VERSION_2;
	gid->raw[15] = i + 1;
	gid->mac[5] = i + 1;

	e->pd.obj.id = 7;
	e->pas = (uintptr_t)e->ring;
	*e->qp = (struct sim_qp) {
		.obj.id = 0x40 + i, .st = MLX5_QP_ST_RC, .state = MLX5_QP_STATE_RTS,
		.rq_type = MLX5_NON_ZERO_RQ, .pd = &e->pd, .scq = &e->scq, .rcq = &e->rcq,
		.buf = { .pas = &e->pas, .npages = 1 }, .dbr_addr = (uintptr_t)e->dbr,
		.sq = { .log_size = 3 }, .rq = { .off = BUF_RQ, .log_size = 3, .log_stride = 4 },
		.user_index = 0xffffff, .qset = 1,
		.remote_qpn = 0x41 - i, .mtu = 3, .log_msg_max = 30,
		.retry_count = 1, .rnr_retry = 1, .min_rnr_nak = 12, .max_rd_atomic = 4,
		.max_dest_rd_atomic = 4,
		.rre = true, .rwe = true, .rae = true,
		.path = { .ack_timeout = 14, .rgid = { [15] = 2 - i }, .rmac = { [5] = 2 - i } },
		.send_psn = 0xffffff, .recv_psn = 0xffffff,
	};
	sim_dp_stub.dev[i] = e->sdev;
	sim_dp_stub.qp[i] = e->qp;
	KUNIT_ASSERT_EQ(test, sim_dp_qp_create(e->sdev, e->qp), 0);
	sim_dp_qp_rts(e->sdev, e->qp);
}

static int flow_init(struct kunit *test)
{
	struct flow *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	sim_dp_stub_reset();
	end_init(test, &f->a, 0);
	end_init(test, &f->b, 1);
	f->pa = (struct sim_mkey) {
		.obj.id = PA_KEY >> 8, .variant = 1, .mode = SIM_MKEY_PA, .len64 = true,
		.access = SIM_MKEY_LR | SIM_MKEY_LW, .qpn = SIM_ANY_QPN, .pdn = 7,
	};
	f->mr = f->pa;
	f->mr.obj.id = MR_KEY >> 8;
	f->mr.access |= SIM_MKEY_RR | SIM_MKEY_RW | SIM_MKEY_A;
	f->mr.rinval_en = true;
	sim_dp_stub.mkey[0] = &f->pa;
	sim_dp_stub.mkey[1] = &f->mr;
	test->priv = f;
	return 0;
}

static void flow_exit(struct kunit *test)
{
	struct flow *f = test->priv;

	if (!f)
		return;
	sim_dp_qp_destroy(f->a.sdev, f->a.qp);
	sim_dp_qp_destroy(f->b.sdev, f->b.qp);
}

/* One WQE of one basic block; @remote is NULL for opcodes that take no remote address. */
static void post(struct flow_end *e, u8 opcode, u8 fm, void *at, u32 len, void *remote)
{
	u8 *wqe = e->ring + (e->posted % RING) * MLX5_SEND_WQE_BB;
	struct mlx5_wqe_ctrl_seg *ctrl = (struct mlx5_wqe_ctrl_seg *)wqe;
	struct mlx5_wqe_raddr_seg *raddr = (struct mlx5_wqe_raddr_seg *)(ctrl + 1);
	struct mlx5_wqe_data_seg *data = (struct mlx5_wqe_data_seg *)(remote ? raddr + 1 : raddr);

	memset(wqe, 0, MLX5_SEND_WQE_BB);
	ctrl->opmod_idx_opcode = cpu_to_be32((u32)e->posted << 8 | opcode);
	ctrl->qpn_ds = cpu_to_be32(sim_qp_qpn(e->qp) << 8 | (remote ? 3 : 2));
	ctrl->fm_ce_se = fm;
	if (remote) {
		raddr->raddr = cpu_to_be64((uintptr_t)remote);
		raddr->rkey = cpu_to_be32(MR_KEY);
	}
	data->byte_count = cpu_to_be32(len);
	data->lkey = cpu_to_be32(PA_KEY);
	data->addr = cpu_to_be64((uintptr_t)at);
	e->dbr[MLX5_SND_DBR] = cpu_to_be32(++e->posted);
}

static void post_recv(struct flow_end *e, void *at, u32 len)
{
	u32 n = be32_to_cpu(e->dbr[MLX5_RCV_DBR]);
	struct mlx5_wqe_data_seg *data = (void *)(e->ring + BUF_RQ + (n % RING) * 16);

	data->byte_count = cpu_to_be32(len);
	data->lkey = cpu_to_be32(PA_KEY);
	data->addr = cpu_to_be64((uintptr_t)at);
	e->dbr[MLX5_RCV_DBR] = cpu_to_be32(n + 1);
}

/* The next completion that was not looked at: whose, and its syndrome (0 = good) */
static void expect(struct kunit *test, u32 *next, const struct sim_cq *cq, u16 counter, u8 synd)
{
	struct mlx5_cqe64 *cqe = &sim_dp_stub.cqe[*next];
	u8 opcode = cqe->op_own >> 4;
	bool bad = opcode == MLX5_CQE_REQ_ERR || opcode == MLX5_CQE_RESP_ERR;

	KUNIT_ASSERT_LT(test, *next, sim_dp_stub.cqes);
	KUNIT_EXPECT_PTR_EQ(test, sim_dp_stub.cqe_cq[*next], (struct sim_cq *)cq);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(cqe->wqe_counter), counter);
	KUNIT_EXPECT_EQ(test, bad ? ((struct mlx5_err_cqe *)cqe)->syndrome : 0, synd);
	++*next;
}

static void expect_no_more(struct kunit *test, u32 next)
{
	KUNIT_EXPECT_EQ(test, sim_dp_stub.cqes, next);
	sim_qp_poll(sim_dp_stub.dev[0]);
	sim_qp_poll(sim_dp_stub.dev[1]);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.cqes, next);
}

struct count {
	enum sim_qctr ctr;
	u32 n;
};

static void expect_counts(struct kunit *test, const struct flow_end *e, const struct count *want)
{
	const struct sim_qset *set = &sim_dp_stub.qset[e->sdev->index];
	u32 left[SIM_QCTR_MAX];
	int i;

	memcpy(left, set->n, sizeof(left));
	for (; want->n; want++)
		left[want->ctr] -= want->n;
	for (i = 0; i < SIM_QCTR_MAX; i++)
		KUNIT_EXPECT_EQ_MSG(test, left[i], 0, "counter %d of function %d is %u", i,
				    e->sdev->index, set->n[i]);
}

#define COUNT(_name, _n)	{ SIM_QCTR_##_name, _n }

/* these counters of an end's set, and no others, count something */
#define counted(test, e, ...)							\
	expect_counts(test, e, (const struct count[]){ __VA_ARGS__, {} })

#define CE	MLX5_WQE_CTRL_CQ_UPDATE

static void send_arrives(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	strscpy(f->a.mem, "a message of two packets and more", 64);
	post_recv(&f->b, f->b.mem, 2048);
	post(&f->a, MLX5_OPCODE_SEND, CE, f->a.mem, 1500, NULL);
	sim_qp_poll(f->a.sdev);
	expect(test, &next, &f->b.rcq, 0, 0);
	expect(test, &next, &f->a.scq, 0, 0);
	KUNIT_EXPECT_STREQ(test, f->b.mem, "a message of two packets and more");
	KUNIT_EXPECT_EQ(test, be32_to_cpu(sim_dp_stub.cqe[0].byte_cnt), 1500);
	/* two packets of 1024; sequence numbers have 24 bits */
	KUNIT_EXPECT_EQ(test, f->a.qp->send_psn, 1);
	KUNIT_EXPECT_EQ(test, f->b.qp->recv_psn, 1);
	expect_no_more(test, next);
}

static void solicited_wakes(struct kunit *test)
{
	struct flow *f = test->priv;

	post_recv(&f->b, f->b.mem, 8);
	post_recv(&f->b, f->b.mem, 8);
	post(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 8, NULL);
	post(&f->a, MLX5_OPCODE_SEND, MLX5_WQE_CTRL_SOLICITED, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	KUNIT_ASSERT_EQ(test, sim_dp_stub.cqes, 2);
	KUNIT_EXPECT_FALSE(test, sim_dp_stub.solicited[0]);
	KUNIT_EXPECT_TRUE(test, sim_dp_stub.solicited[1]);
}

static void unsignalled_is_silent(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	post(&f->a, MLX5_OPCODE_RDMA_WRITE, 0, f->a.mem, 64, f->b.mem);
	post(&f->a, MLX5_OPCODE_RDMA_WRITE, CE, f->a.mem, 64, f->b.mem);
	sim_qp_poll(f->a.sdev);
	expect(test, &next, &f->a.scq, 1, 0);
	expect_no_more(test, next);
	counted(test, &f->a, {});
	counted(test, &f->b, COUNT(rx_write_requests, 2));
}

/* Without a fence the SEND goes out before the data of the read is there. */
static void read_lands_late(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	strscpy(f->a.mem, "old", 8);
	strscpy(f->b.mem, "new", 8);
	post_recv(&f->b, f->b.mem + 100, 100);
	post_recv(&f->b, f->b.mem + 200, 100);
	post(&f->a, MLX5_OPCODE_RDMA_READ, CE, f->a.mem, 8, f->b.mem);
	post(&f->a, MLX5_OPCODE_SEND, CE, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	KUNIT_EXPECT_STREQ(test, f->a.mem, "new");
	KUNIT_EXPECT_STREQ(test, f->b.mem + 100, "old");
	expect(test, &next, &f->b.rcq, 0, 0);
	expect(test, &next, &f->a.scq, 0, 0);
	expect(test, &next, &f->a.scq, 1, 0);

	strscpy(f->a.mem, "old", 8);
	post(&f->a, MLX5_OPCODE_RDMA_READ, CE, f->a.mem, 8, f->b.mem);
	post(&f->a, MLX5_OPCODE_SEND, CE | MLX5_FENCE_MODE_FENCE, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	KUNIT_EXPECT_STREQ(test, f->b.mem + 200, "new");
	expect(test, &next, &f->a.scq, 2, 0);
	expect(test, &next, &f->b.rcq, 1, 0);
	expect(test, &next, &f->a.scq, 3, 0);
	expect_no_more(test, next);
	counted(test, &f->a, {});
	counted(test, &f->b, COUNT(rx_read_requests, 2));
}

/* The responder keeps one read; the second before the first is answered is one too many. */
static void reads_beyond_depth(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	f->b.qp->max_dest_rd_atomic = 1;
	post(&f->a, MLX5_OPCODE_RDMA_READ, CE, f->a.mem, 8, f->b.mem);
	post(&f->a, MLX5_OPCODE_RDMA_READ, CE, f->a.mem, 8, f->b.mem);
	sim_qp_poll(f->a.sdev);
	expect(test, &next, &f->a.scq, 0, 0);
	expect(test, &next, &f->a.scq, 1, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR);
	KUNIT_EXPECT_EQ(test, f->b.qp->state, MLX5_QP_STATE_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.event, MLX5_EVENT_TYPE_WQ_INVAL_REQ_ERROR);
	expect_no_more(test, next);
	counted(test, &f->a, COUNT(req_cqe_error, 1), COUNT(req_remote_invalid_request, 1));
	counted(test, &f->b, COUNT(rx_read_requests, 1), COUNT(resp_remote_invalid_request, 1));
}

static void rnr_waits_then_goes_on(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	post(&f->a, MLX5_OPCODE_SEND, CE, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	expect_no_more(test, next);
	KUNIT_EXPECT_TRUE(test, f->a.qp->dp->waiting);
	KUNIT_EXPECT_EQ(test, f->b.sdev->ctr[SIM_CTR_rnr_naks], 1);
	post_recv(&f->b, f->b.mem, 8);
	f->a.qp->dp->wait_until = 0;
	sim_qp_poll(f->a.sdev);
	expect(test, &next, &f->b.rcq, 0, 0);
	expect(test, &next, &f->a.scq, 0, 0);
	expect_no_more(test, next);
	counted(test, &f->a, COUNT(rnr_nak_retry_err, 1));
	counted(test, &f->b, COUNT(out_of_buffer, 1));
}

static void rnr_gives_up(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	post(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 8, NULL);
	post(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	f->a.qp->dp->wait_until = 0;
	sim_qp_poll(f->a.sdev);
	expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR);
	sim_qp_poll(f->a.sdev);
	expect(test, &next, &f->a.scq, 1, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	expect_no_more(test, next);
	KUNIT_EXPECT_EQ(test, f->b.qp->state, MLX5_QP_STATE_RTS);
	counted(test, &f->a, COUNT(rnr_nak_retry_err, 1), COUNT(req_rnr_retries_exceeded, 1),
		COUNT(req_cqe_error, 2), COUNT(req_cqe_flush_error, 1));
	counted(test, &f->b, COUNT(out_of_buffer, 2));
}

static void nobody_there(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	f->b.sdev->port_up = false;
	post(&f->a, MLX5_OPCODE_SEND, CE, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	expect_no_more(test, next);
	KUNIT_EXPECT_EQ(test, f->a.sdev->ctr[SIM_CTR_retries], 1);
	f->a.qp->dp->wait_until = 0;
	sim_qp_poll(f->a.sdev);
	expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
	expect_no_more(test, next);
	counted(test, &f->a, COUNT(local_ack_timeout_err, 1),
		COUNT(req_transport_retries_exceeded, 1), COUNT(req_cqe_error, 1));
	counted(test, &f->b, {});
}

/* Ahead of what is expected: said so once, and silence after that. */
static void sequence_ahead(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	f->a.qp->send_psn = 3;
	f->a.qp->retry_count = 2;
	sim_dp_qp_rts(f->a.sdev, f->a.qp);
	post(&f->a, MLX5_OPCODE_SEND, CE, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	expect_no_more(test, next);
	f->a.qp->dp->wait_until = 0;
	sim_qp_poll(f->a.sdev);
	expect_no_more(test, next);
	f->a.qp->dp->wait_until = 0;
	sim_qp_poll(f->a.sdev);
	expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
	expect_no_more(test, next);
	counted(test, &f->a, COUNT(packet_seq_err, 1), COUNT(local_ack_timeout_err, 1),
		COUNT(req_transport_retries_exceeded, 1), COUNT(req_cqe_error, 1));
	counted(test, &f->b, COUNT(out_of_sequence, 3));
}

static void sequence_behind(struct kunit *test)
{
	struct flow *f = test->priv;

	f->a.qp->send_psn = 0xfffffe;
	post(&f->a, MLX5_OPCODE_RDMA_WRITE, CE, f->a.mem, 8, f->b.mem);
	sim_qp_poll(f->a.sdev);
	expect_no_more(test, 0);
	counted(test, &f->a, COUNT(local_ack_timeout_err, 1));
	counted(test, &f->b, COUNT(duplicate_request, 1));
}

/* A QP without a set counts nowhere. */
static void no_set(struct kunit *test)
{
	struct flow *f = test->priv;

	f->a.qp->qset = 0;
	f->b.qp->qset = 0;
	post(&f->a, MLX5_OPCODE_RDMA_WRITE, CE, f->a.mem, 8, f->b.mem);
	post(&f->a, MLX5_OPCODE_SEND, CE, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	KUNIT_EXPECT_EQ(test, f->b.sdev->ctr[SIM_CTR_rnr_naks], 1);
	counted(test, &f->a, {});
	counted(test, &f->b, {});
}

/* A peer's bad key: both ends to error, everything behind flushed, once, also what comes later. */
static void remote_access_error(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;
	int i;

	post_recv(&f->b, f->b.mem, 8);
	post_recv(&f->b, f->b.mem, 8);
	f->mr.free = true;
	memset(f->a.mem, 1, 8);
	post(&f->a, MLX5_OPCODE_RDMA_WRITE, CE, f->a.mem, 8, f->b.mem);
	post(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	KUNIT_EXPECT_EQ(test, f->b.qp->state, MLX5_QP_STATE_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.event, MLX5_EVENT_TYPE_WQ_ACCESS_ERROR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.events, 1);
	KUNIT_EXPECT_EQ(test, f->b.mem[0], 0);

	sim_qp_poll(f->a.sdev);
	expect(test, &next, &f->a.scq, 1, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	sim_qp_poll(f->b.sdev);
	expect(test, &next, &f->b.rcq, 0, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	expect(test, &next, &f->b.rcq, 1, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	expect_no_more(test, next);

	post(&f->a, MLX5_OPCODE_RDMA_WRITE, CE, f->a.mem, 0, f->b.mem);
	sim_qp_poll(f->a.sdev);
	expect(test, &next, &f->a.scq, 2, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	expect_no_more(test, next);
	for (i = 0; i < SIM_VIO_MAX; i++)
		KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[i], 0);
	counted(test, &f->a, COUNT(req_remote_access_errors, 1), COUNT(req_cqe_error, 3),
		COUNT(req_cqe_flush_error, 2));
	counted(test, &f->b, COUNT(resp_remote_access_errors, 1), COUNT(resp_cqe_error, 2),
		COUNT(resp_cqe_flush_error, 2));
}

static void message_too_long(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	post_recv(&f->b, f->b.mem, 8);
	post(&f->a, MLX5_OPCODE_SEND, CE, f->a.mem, 9, NULL);
	sim_qp_poll(f->a.sdev);
	expect(test, &next, &f->b.rcq, 0, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
	expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR);
	expect_no_more(test, next);
	counted(test, &f->a, COUNT(req_remote_invalid_request, 1), COUNT(req_cqe_error, 1));
	counted(test, &f->b, COUNT(resp_local_length_error, 1), COUNT(resp_cqe_error, 1));
}

static void local_key_is_our_fault(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	post_recv(&f->b, f->b.mem, 8);
	f->pa.free = true;
	post(&f->a, MLX5_OPCODE_SEND, CE, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_mkey_lookup], 1);
	KUNIT_EXPECT_EQ(test, f->b.qp->state, MLX5_QP_STATE_RTS);
	expect_no_more(test, next);
	counted(test, &f->a, COUNT(req_local_protection, 1), COUNT(req_cqe_error, 1));
	counted(test, &f->b, {});
}

static void counter_beyond_the_ring(struct kunit *test)
{
	struct flow *f = test->priv;

	f->a.dbr[MLX5_SND_DBR] = cpu_to_be32(RING + 1);
	sim_qp_poll(f->a.sdev);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_sq_counter], 1);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.event, MLX5_EVENT_TYPE_WQ_CATAS_ERROR);
	KUNIT_EXPECT_EQ(test, f->a.qp->state, MLX5_QP_STATE_ERR);
	expect_no_more(test, 0);
}

/* Both counters are in one record: what is unmapped once is not looked at twice. */
static void record_not_mapped(struct kunit *test)
{
	struct flow *f = test->priv;

	post_recv(&f->a, f->a.mem, 8);
	sim_dp_stub.hole = (uintptr_t)&f->a.dbr[MLX5_SND_DBR];
	sim_qp_poll(f->a.sdev);
	KUNIT_EXPECT_EQ(test, f->a.qp->state, MLX5_QP_STATE_ERR);
	KUNIT_EXPECT_TRUE(test, f->a.qp->dp->sq_dead);
	KUNIT_EXPECT_TRUE(test, f->a.qp->dp->rq_dead);
	expect_no_more(test, 0);
}

static void atomic_on_unmapped_memory(struct kunit *test)
{
	struct flow *f = test->priv;
	struct mlx5_wqe_ctrl_seg *ctrl = (struct mlx5_wqe_ctrl_seg *)f->a.ring;
	struct mlx5_wqe_raddr_seg *raddr = (struct mlx5_wqe_raddr_seg *)(ctrl + 1);
	struct mlx5_wqe_atomic_seg *atomic = (struct mlx5_wqe_atomic_seg *)(raddr + 1);
	u32 next = 0;

	post(&f->a, MLX5_OPCODE_ATOMIC_FA, CE, f->a.mem, 8, f->b.mem);
	memmove(atomic + 1, atomic, sizeof(struct mlx5_wqe_data_seg));
	memset(atomic, 0, sizeof(*atomic));
	ctrl->qpn_ds = cpu_to_be32(sim_qp_qpn(f->a.qp) << 8 | 4);
	sim_dp_stub.hole = (uintptr_t)f->b.mem;
	KUNIT_ASSERT_EQ(test, sim_caps_init(f->a.sdev), 0);
	sim_qp_poll(f->a.sdev);
	sim_caps_exit(f->a.sdev);
	expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_REMOTE_OP_ERR);
	KUNIT_EXPECT_EQ(test, f->b.qp->state, MLX5_QP_STATE_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.event, MLX5_EVENT_TYPE_WQ_CATAS_ERROR);
	expect_no_more(test, next);
}

/* ---- unreliable connections ---- */

static void make_uc(struct flow *f)
{
	f->a.qp->st = MLX5_QP_ST_UC;
	f->b.qp->st = MLX5_QP_ST_UC;
}

static void uc_arrives(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	make_uc(f);
	strscpy(f->a.mem, "unreliable", 16);
	post_recv(&f->b, f->b.mem, 2048);
	post(&f->a, MLX5_OPCODE_SEND, CE, f->a.mem, 1500, NULL);
	post(&f->a, MLX5_OPCODE_RDMA_WRITE, CE, f->a.mem, 16, f->b.mem + 2048);
	sim_qp_poll(f->a.sdev);
	expect(test, &next, &f->b.rcq, 0, 0);
	expect(test, &next, &f->a.scq, 0, 0);
	expect(test, &next, &f->a.scq, 1, 0);
	expect_no_more(test, next);
	KUNIT_EXPECT_STREQ(test, f->b.mem, "unreliable");
	KUNIT_EXPECT_STREQ(test, f->b.mem + 2048, "unreliable");
	KUNIT_EXPECT_EQ(test, f->a.qp->send_psn, 2);
	KUNIT_EXPECT_EQ(test, f->b.qp->recv_psn, 2);
}

/* What gets lost, and why; the message after it arrives all the same. */
enum loss { NO_RECV, TOO_LONG, NO_RIGHT, BAD_KEY, PORT_DOWN, NOT_READY };

static const struct loss_case {
	const char *name;
	enum loss loss;
	u8 opcode;
} loss_cases[] = {
	{ "no receive", NO_RECV, MLX5_OPCODE_SEND },
	{ "no receive for the immediate of a write", NO_RECV, MLX5_OPCODE_RDMA_WRITE_IMM },
	{ "too long", TOO_LONG, MLX5_OPCODE_SEND },
	{ "no right to write", NO_RIGHT, MLX5_OPCODE_RDMA_WRITE },
	{ "key that is free", BAD_KEY, MLX5_OPCODE_RDMA_WRITE },
	{ "port down", PORT_DOWN, MLX5_OPCODE_SEND },
	{ "QP not ready", NOT_READY, MLX5_OPCODE_SEND },
};

KUNIT_ARRAY_PARAM_DESC(loss, loss_cases, name);

static void uc_loses(struct kunit *test)
{
	const struct loss_case *c = test->param_value;
	bool write = c->opcode != MLX5_OPCODE_SEND;
	struct flow *f = test->priv;
	u32 next = 0;
	int i;

	make_uc(f);
	memset(f->a.mem, 1, 32);
	if (c->loss == TOO_LONG)
		post_recv(&f->b, f->b.mem, 16);
	f->b.qp->rwe = c->loss != NO_RIGHT;
	f->mr.free = c->loss == BAD_KEY;
	f->b.sdev->port_up = c->loss != PORT_DOWN;
	if (c->loss == NOT_READY)
		f->b.qp->state = MLX5_QP_STATE_INIT;
	post(&f->a, c->opcode, CE, f->a.mem, 17, write ? f->b.mem : NULL);
	sim_qp_poll(f->a.sdev);
	expect(test, &next, &f->a.scq, 0, 0);
	expect_no_more(test, next);
	KUNIT_EXPECT_EQ(test, f->b.mem[0], 0);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.events, 0);
	KUNIT_EXPECT_EQ(test, f->a.sdev->ctr[SIM_CTR_retries], 0);
	KUNIT_EXPECT_EQ(test, f->b.sdev->ctr[SIM_CTR_rnr_naks], 0);
	KUNIT_EXPECT_EQ(test, f->a.sdev->ctr[SIM_CTR_tx_bytes], 17);
	KUNIT_EXPECT_EQ(test, f->b.sdev->ctr[SIM_CTR_rx_bytes], 0);

	f->b.sdev->port_up = true;
	f->b.qp->state = MLX5_QP_STATE_RTS;
	if (c->loss != TOO_LONG)
		post_recv(&f->b, f->b.mem, 16);
	post(&f->a, MLX5_OPCODE_SEND, CE, f->a.mem, 16, NULL);
	sim_qp_poll(f->a.sdev);
	expect(test, &next, &f->b.rcq, 0, 0);
	expect(test, &next, &f->a.scq, 1, 0);
	expect_no_more(test, next);
	KUNIT_EXPECT_EQ(test, f->b.mem[15], 1);
	KUNIT_EXPECT_EQ(test, f->b.qp->recv_psn, f->a.qp->send_psn);
	for (i = 0; i < SIM_VIO_MAX; i++)
		KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[i], 0);
}

/* Our own fault stops the send queue, not the QP: it receives, and can be recovered. */
static void uc_local_fault(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	make_uc(f);
	post_recv(&f->a, f->a.mem, 16);
	post_recv(&f->b, f->b.mem, 16);
	f->pa.access = SIM_MKEY_LW;
	post(&f->a, MLX5_OPCODE_SEND, CE, f->a.mem, 8, NULL);
	post(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	KUNIT_EXPECT_EQ(test, f->a.qp->state, MLX5_QP_STATE_SQER);
	sim_qp_poll(f->a.sdev);
	expect(test, &next, &f->a.scq, 1, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);

	f->pa.access |= SIM_MKEY_LR;
	post(&f->b, MLX5_OPCODE_SEND, CE, f->b.mem, 8, NULL);
	sim_qp_poll(f->b.sdev);
	expect(test, &next, &f->a.rcq, 0, 0);
	expect(test, &next, &f->b.scq, 0, 0);
	expect_no_more(test, next);
}

static void uc_has_no_read(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	make_uc(f);
	post(&f->a, MLX5_OPCODE_RDMA_READ, CE, f->a.mem, 8, f->b.mem);
	sim_qp_poll(f->a.sdev);
	expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_wqe_opcode], 1);
	expect_no_more(test, next);
}

/* ---- shared receive queues ---- */

static void make_srq(struct flow *f)
{
	struct mlx5_wqe_srq_next_seg *link;
	int i;

	for (i = 0; i < SRQ_WQES; i++) {
		link = (void *)(f->srq_ring + i * 32);
		link->next_wqe_index = cpu_to_be16((i + 1) % SRQ_WQES);
	}
	f->srq_pas = (uintptr_t)f->srq_ring;
	f->srq_pd.obj.id = 7;
	f->srq = (struct sim_srq) {
		.obj.id = 0x77, .kind = SIM_SRQ_RMP, .pd = &f->srq_pd,
		.buf = { .pas = &f->srq_pas, .npages = 1 },
		.log_size = 2, .log_stride = 5, .dbr_addr = (uintptr_t)&f->srq_dbr,
	};
	f->b.qp->rq_type = MLX5_SRQ_RQ;
	f->b.qp->srq = &f->srq;
}

/* A WQE of the shared ring; the chain is that of make_srq() unless a case changes it. */
static void post_srq(struct flow *f, u16 index, void *at, u32 len)
{
	struct mlx5_wqe_data_seg *data = (void *)(f->srq_ring + index * 32 + 16);

	data->byte_count = cpu_to_be32(len);
	data->lkey = cpu_to_be32(PA_KEY);
	data->addr = cpu_to_be64((uintptr_t)at);
	f->srq_dbr = cpu_to_be32(be32_to_cpu(f->srq_dbr) + 1);
}

static void set_link(struct flow *f, u16 index, u16 next)
{
	struct mlx5_wqe_srq_next_seg *link = (void *)(f->srq_ring + index * 32);

	link->next_wqe_index = cpu_to_be16(next);
}

static void srq_follows_links(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;
	int i;

	make_srq(f);
	set_link(f, 0, 3);
	set_link(f, 3, 1);
	post_srq(f, 0, f->b.mem, 8);
	post_srq(f, 3, f->b.mem, 8);
	post_srq(f, 1, f->b.mem, 8);
	for (i = 0; i < 3; i++)
		post(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	expect(test, &next, &f->b.rcq, 0, 0);
	expect(test, &next, &f->b.rcq, 3, 0);
	expect(test, &next, &f->b.rcq, 1, 0);
	expect_no_more(test, next);
}

/* The limit event comes once per arming, when fewer than the limit are posted. */
static void srq_limit_once(struct kunit *test)
{
	struct flow *f = test->priv;
	int i;

	make_srq(f);
	for (i = 0; i < 3; i++)
		post_srq(f, i, f->b.mem, 8);
	f->srq.lwm = 2;
	sim_dp_srq_limit(f->b.sdev, &f->srq);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.events, 0);
	for (i = 0; i < 3; i++) {
		post(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 8, NULL);
		sim_qp_poll(f->a.sdev);
		/* 2, 1, 0 are left */
		KUNIT_EXPECT_EQ(test, sim_dp_stub.events, i > 0);
	}
	KUNIT_EXPECT_EQ(test, sim_dp_stub.event, MLX5_EVENT_TYPE_SRQ_RQ_LIMIT);
	KUNIT_EXPECT_EQ(test, f->srq.lwm, 0);

	f->srq.lwm = 1;
	sim_dp_srq_limit(f->b.sdev, &f->srq);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.events, 2);
	sim_dp_srq_limit(f->b.sdev, &f->srq);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.events, 2);
}

/* The keys of its WQEs are those of its own protection domain. */
static void srq_has_its_own_pd(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	make_srq(f);
	f->b.pd.obj.id = 9;
	post_srq(f, 0, f->b.mem, 8);
	post_srq(f, 1, f->b.mem, 8);
	post(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	expect(test, &next, &f->b.rcq, 0, 0);

	f->srq_pd.obj.id = 9;
	post(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	expect(test, &next, &f->b.rcq, 1, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_mkey_pd], 1);
	/* the QP goes, and says that it is done with the SRQ, which stays */
	KUNIT_EXPECT_EQ(test, f->b.qp->state, MLX5_QP_STATE_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.event, MLX5_EVENT_TYPE_SRQ_LAST_WQE);
	KUNIT_EXPECT_FALSE(test, f->srq.error);
}

static const struct srq_bad_case {
	const char *name;
	u8 offset;
	u8 value;
} srq_bad_cases[] = {
	{ "link out of range", 3, SRQ_WQES },
	{ "reserved byte before the link", 0, 1 },
	{ "signature", 4, 1 },
	{ "last reserved byte", 15, 1 },
	{ "inline segment", 16, 0x80 },
};

KUNIT_ARRAY_PARAM_DESC(srq_bad, srq_bad_cases, name);

static void srq_malformed(struct kunit *test)
{
	const struct srq_bad_case *c = test->param_value;
	struct flow *f = test->priv;

	make_srq(f);
	post_srq(f, 0, f->b.mem, 8);
	f->srq_ring[c->offset] = c->value;
	post(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	KUNIT_EXPECT_TRUE(test, f->srq.error);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_srq_list], 1);
	KUNIT_EXPECT_EQ(test, f->b.qp->state, MLX5_QP_STATE_ERR);
}

static void atomics_compute(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, sim_atomic_result(MLX5_OPCODE_ATOMIC_FA, ~0ULL, 2, 9), 1);
	KUNIT_EXPECT_EQ(test, sim_atomic_result(MLX5_OPCODE_ATOMIC_CS, 5, 7, 5), 7);
	KUNIT_EXPECT_EQ(test, sim_atomic_result(MLX5_OPCODE_ATOMIC_CS, 5, 7, 6), 5);
}

static struct kunit_case flow_cases[] = {
	KUNIT_CASE(send_arrives),
	KUNIT_CASE(solicited_wakes),
	KUNIT_CASE(unsignalled_is_silent),
	KUNIT_CASE(read_lands_late),
	KUNIT_CASE(reads_beyond_depth),
	KUNIT_CASE(rnr_waits_then_goes_on),
	KUNIT_CASE(rnr_gives_up),
	KUNIT_CASE(nobody_there),
	KUNIT_CASE(sequence_ahead),
	KUNIT_CASE(sequence_behind),
	KUNIT_CASE(no_set),
	KUNIT_CASE(remote_access_error),
	KUNIT_CASE(message_too_long),
	KUNIT_CASE(local_key_is_our_fault),
	KUNIT_CASE(counter_beyond_the_ring),
	KUNIT_CASE(record_not_mapped),
	KUNIT_CASE(atomic_on_unmapped_memory),
	KUNIT_CASE(uc_arrives),
	KUNIT_CASE_PARAM(uc_loses, loss_gen_params),
	KUNIT_CASE(uc_local_fault),
	KUNIT_CASE(uc_has_no_read),
	KUNIT_CASE(srq_follows_links),
	KUNIT_CASE(srq_limit_once),
	KUNIT_CASE(srq_has_its_own_pd),
	KUNIT_CASE_PARAM(srq_malformed, srq_bad_gen_params),
	KUNIT_CASE(atomics_compute),
	{}
};

static struct kunit_suite flow_suite = {
	.name = "sim_flow",
	.init = flow_init,
	.exit = flow_exit,
	.test_cases = flow_cases,
};

kunit_test_suite(flow_suite);

MODULE_DESCRIPTION("KUnit tests of messages between simulated functions");
MODULE_LICENSE("Dual BSD/GPL");
