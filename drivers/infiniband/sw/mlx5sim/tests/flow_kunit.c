// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Messages from one simulated function to another: the two ends of flow.h.
 *
 * The expected results come from the InfiniBand Architecture for reliable and
 * unreliable connections and for shared receive queues, and the error syndromes
 * come from <linux/mlx5/cq.h>.
 */
#include <linux/delay.h>

#include "core/core.h"
#include "dp/dp.h"
#include "obj/obj.h"
#include "tests/flow.h"

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

/* Check that only these counters of an end's set have counted. */
#define counted(test, e, ...)							\
	expect_counts(test, e, (const struct count[]){ __VA_ARGS__, {} })

#define CE	MLX5_WQE_CTRL_CQ_UPDATE

static void send_arrives(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	strscpy(f->a.mem, "a message of two packets and more", 64);
	flow_post_recv(&f->b, f->b.mem, 2048);
	flow_post(&f->a, MLX5_OPCODE_SEND, CE, f->a.mem, 1500, NULL);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	KUNIT_EXPECT_STREQ(test, f->b.mem, "a message of two packets and more");
	KUNIT_EXPECT_EQ(test, be32_to_cpu(sim_dp_stub.cqe[0].byte_cnt), 1500);
	/* two packets of 1024; sequence numbers have 24 bits */
	KUNIT_EXPECT_EQ(test, f->a.qp->send_psn, 1);
	KUNIT_EXPECT_EQ(test, f->b.qp->recv_psn, 1);
	flow_no_more(test, next);
}

/*
 * The data of a QP with force loopback stays in its simulated function. The QP
 * needs no address, no link and no RoCE. The other simulated function has a QP
 * with the same number.
 */
static void loopback_stays(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	f->a.qp->path = (struct sim_path){ .fl = true, .ack_timeout = 14 };
	f->a.qp->remote_qpn = sim_qp_qpn(f->a.qp);
	f->a.sdev->roce_enabled = false;
	f->a.sdev->port_up = false;
	f->b.qp->obj.id = sim_qp_qpn(f->a.qp);
	f->b.qp->remote_qpn = sim_qp_qpn(f->a.qp);
	strscpy(f->a.mem, "round", 8);
	flow_post(&f->a, MLX5_OPCODE_RDMA_WRITE, CE, f->a.mem, 8, f->a.mem + 100);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	flow_no_more(test, next);
	KUNIT_EXPECT_STREQ(test, f->a.mem + 100, "round");
	counted(test, &f->a, COUNT(rx_write_requests, 1));
	counted(test, &f->b, {});
}

/* A QP that requires an address is not the peer of a QP with force loopback. */
static void loopback_needs_two(struct kunit *test)
{
	struct flow *f = test->priv;

	f->a.qp->path.fl = true;
	f->a.qp->remote_qpn = sim_qp_qpn(f->b.qp);
	f->b.sdev->present = false;
	sim_dp_stub.dev[1] = f->a.sdev;
	flow_post(&f->a, MLX5_OPCODE_RDMA_WRITE, CE, f->a.mem, 8, f->b.mem);
	sim_qp_poll(f->a.sdev);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.cqes, 0);
	KUNIT_EXPECT_TRUE(test, f->a.qp->dp->waiting);
}

static void expect_lost(struct kunit *test, struct flow *f)
{
	flow_post(&f->a, MLX5_OPCODE_RDMA_WRITE, CE, f->a.mem, 8, f->b.mem);
	sim_qp_poll(f->a.sdev);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.cqes, 0);
	KUNIT_EXPECT_TRUE(test, f->a.qp->dp->waiting);
	counted(test, &f->b, {});
}

/* The receiving QP uses another entry of its GID table, of RoCE v1. */
static void other_own_gid(struct kunit *test)
{
	struct flow *f = test->priv;
	struct sim_gid *gid = f->b.sdev->gid;

	gid[1] = gid[0];
	gid[1].roce_version = MLX5_ROCE_VERSION_1;
	f->b.qp->path.sgid_index = 1;
	expect_lost(test, f);
}

/* A RoCE v2 packet over IPv4 does not reach an address of IPv6. */
static void other_ip_version(struct kunit *test)
{
	struct flow *f = test->priv;

	f->a.sdev->gid[0].l3_type = MLX5_ROCE_L3_TYPE_IPV4;
	f->b.sdev->gid[0].l3_type = MLX5_ROCE_L3_TYPE_IPV6;
	expect_lost(test, f);
}

static void solicited_wakes(struct kunit *test)
{
	struct flow *f = test->priv;

	flow_post_recv(&f->b, f->b.mem, 8);
	flow_post_recv(&f->b, f->b.mem, 8);
	flow_post(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 8, NULL);
	flow_post(&f->a, MLX5_OPCODE_SEND, MLX5_WQE_CTRL_SOLICITED, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	KUNIT_ASSERT_EQ(test, sim_dp_stub.cqes, 2);
	KUNIT_EXPECT_FALSE(test, sim_dp_stub.solicited[0]);
	KUNIT_EXPECT_TRUE(test, sim_dp_stub.solicited[1]);
}

static void unsignalled_is_silent(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	flow_post(&f->a, MLX5_OPCODE_RDMA_WRITE, 0, f->a.mem, 64, f->b.mem);
	flow_post(&f->a, MLX5_OPCODE_RDMA_WRITE, CE, f->a.mem, 64, f->b.mem);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 1, 0);
	flow_no_more(test, next);
	counted(test, &f->a, {});
	counted(test, &f->b, COUNT(rx_write_requests, 2));
}

/*
 * CE 1 (DPDK: "only on first error", SPDK: "do not generate flush errors"): the
 * WQE that fails first completes in error, flushed WQEs with CE 1 do not
 * complete.
 */
static void no_flush_errors(struct kunit *test)
{
	const u8 ce = 1 << 2;
	struct flow *f = test->priv;
	u32 next = 0;

	flow_post(&f->a, MLX5_OPCODE_RDMA_WRITE, ce, f->a.mem, 64, f->b.mem);
	flow_post(&f->a, MLX5_OPCODE_RDMA_READ, ce, f->a.mem, 64, f->b.mem);
	flow_post(&f->a, MLX5_OPCODE_RDMA_READ, ce, f->a.mem, 64, f->b.mem);
	flow_post(&f->a, MLX5_OPCODE_RDMA_WRITE, ce, f->a.mem, 64, f->b.mem);
	flow_post(&f->a, MLX5_OPCODE_RDMA_WRITE, 0, f->a.mem, 64, f->b.mem);
	((struct mlx5_wqe_raddr_seg *)(f->a.ring + 16))->rkey = 0;
	sim_qp_poll(f->a.sdev);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	flow_expect(test, &next, &f->a.scq, 4, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	flow_no_more(test, next);
	KUNIT_EXPECT_EQ(test, f->a.sdev->ctr[SIM_CTR_wqes_flushed], 4);
}

/* CE 1, and WQEs that wait for a READ that fails late */
static void no_flush_errors_late(struct kunit *test)
{
	const u8 ce = 1 << 2;
	struct flow *f = test->priv;
	u32 next = 0;

	flow_post(&f->a, MLX5_OPCODE_RDMA_READ, ce, f->a.mem, 64, f->b.mem);
	flow_post(&f->a, MLX5_OPCODE_RDMA_WRITE, ce, f->a.mem + 256, 64, f->b.mem);
	flow_post(&f->a, MLX5_OPCODE_RDMA_WRITE, CE, f->a.mem + 256, 64, f->b.mem);
	sim_dp_stub.hole = (uintptr_t)f->a.mem + 32;
	sim_qp_poll(f->a.sdev);
	sim_dp_stub.hole = 0;
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	flow_expect(test, &next, &f->a.scq, 2, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	flow_no_more(test, next);
	KUNIT_EXPECT_EQ(test, f->a.sdev->ctr[SIM_CTR_wqes_flushed], 2);
}

/*
 * max_wqe_sz_sq, in bytes: a WQE of two segments fits, a WQE of three segments
 * does not
 */
static void wqe_size_is_limited(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	MLX5_SET(cmd_hca_cap, sim_caps_page(f->a.sdev, MLX5_CAP_GENERAL, false), max_wqe_sz_sq, 32);
	flow_post_recv(&f->b, f->b.mem, 8);
	flow_post(&f->a, MLX5_OPCODE_SEND, CE, f->a.mem, 8, NULL);
	flow_post(&f->a, MLX5_OPCODE_RDMA_WRITE, CE, f->a.mem, 8, f->b.mem);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 1, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_wqe_size], 1);
	flow_no_more(test, next);
}

/* Without a fence the SEND is sent before the data of the read arrives. */
static void read_lands_late(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	strscpy(f->a.mem, "old", 8);
	strscpy(f->b.mem, "new", 8);
	flow_post_recv(&f->b, f->b.mem + 100, 100);
	flow_post_recv(&f->b, f->b.mem + 200, 100);
	flow_post(&f->a, MLX5_OPCODE_RDMA_READ, CE, f->a.mem, 8, f->b.mem);
	flow_post(&f->a, MLX5_OPCODE_SEND, CE, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	KUNIT_EXPECT_STREQ(test, f->a.mem, "new");
	KUNIT_EXPECT_STREQ(test, f->b.mem + 100, "old");
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 1, 0);

	strscpy(f->a.mem, "old", 8);
	flow_post(&f->a, MLX5_OPCODE_RDMA_READ, CE, f->a.mem, 8, f->b.mem);
	flow_post(&f->a, MLX5_OPCODE_SEND, CE | MLX5_FENCE_MODE_FENCE, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	KUNIT_EXPECT_STREQ(test, f->b.mem + 200, "new");
	flow_expect(test, &next, &f->a.scq, 2, 0);
	flow_expect(test, &next, &f->b.rcq, 1, 0);
	flow_expect(test, &next, &f->a.scq, 3, 0);
	flow_no_more(test, next);
	counted(test, &f->a, {});
	counted(test, &f->b, COUNT(rx_read_requests, 2));
}

/*
 * The responder accepts one read; a second read before the response to the
 * first read is too many.
 */
static void reads_beyond_depth(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	f->b.qp->max_dest_rd_atomic = 1;
	flow_post(&f->a, MLX5_OPCODE_RDMA_READ, CE, f->a.mem, 8, f->b.mem);
	flow_post(&f->a, MLX5_OPCODE_RDMA_READ, CE, f->a.mem, 8, f->b.mem);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 1, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR);
	KUNIT_EXPECT_EQ(test, f->b.qp->state, MLX5_QP_STATE_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.event, MLX5_EVENT_TYPE_WQ_INVAL_REQ_ERROR);
	flow_no_more(test, next);
	counted(test, &f->a, COUNT(req_cqe_error, 1), COUNT(req_remote_invalid_request, 1));
	counted(test, &f->b, COUNT(rx_read_requests, 1), COUNT(resp_remote_invalid_request, 1));
}

static void rnr_waits_then_goes_on(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	flow_post(&f->a, MLX5_OPCODE_SEND, CE, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	flow_no_more(test, next);
	KUNIT_EXPECT_TRUE(test, f->a.qp->dp->waiting);
	KUNIT_EXPECT_EQ(test, f->b.sdev->ctr[SIM_CTR_rnr_naks], 1);
	flow_post_recv(&f->b, f->b.mem, 8);
	f->a.qp->dp->wait_until = 0;
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	flow_no_more(test, next);
	counted(test, &f->a, COUNT(rnr_nak_retry_err, 1));
	counted(test, &f->b, COUNT(out_of_buffer, 1));
}

static void rnr_gives_up(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	flow_post(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 8, NULL);
	flow_post(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	f->a.qp->dp->wait_until = 0;
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 1, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	flow_no_more(test, next);
	KUNIT_EXPECT_EQ(test, f->b.qp->state, MLX5_QP_STATE_RTS);
	counted(test, &f->a, COUNT(rnr_nak_retry_err, 1), COUNT(req_rnr_retries_exceeded, 1),
		COUNT(req_cqe_error, 2), COUNT(req_cqe_flush_error, 1));
	counted(test, &f->b, COUNT(out_of_buffer, 2));
}

/* A QP without a receive queue is like a QP with an empty receive queue. */
static void no_queue_is_an_empty_one(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	f->b.qp->rq_type = MLX5_ZERO_LEN_RQ;
	flow_post(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	flow_no_more(test, next);
	KUNIT_EXPECT_EQ(test, f->b.sdev->ctr[SIM_CTR_rnr_naks], 1);
	KUNIT_EXPECT_EQ(test, f->b.qp->state, MLX5_QP_STATE_RTS);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.events, 0);
}

/*
 * The MTU of the sender determines the packet size; the receiver refuses
 * packets above its MTU.
 */
static void packets_fit_the_mtu(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	f->b.qp->mtu = 2;
	flow_post_recv(&f->b, f->b.mem, 2048);
	flow_post_recv(&f->b, f->b.mem, 2048);
	flow_post(&f->a, MLX5_OPCODE_SEND, CE, f->a.mem, 512, NULL);
	flow_post(&f->a, MLX5_OPCODE_SEND, CE, f->a.mem, 513, NULL);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 1, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR);
	KUNIT_EXPECT_EQ(test, f->b.qp->state, MLX5_QP_STATE_ERR);
}

static void nobody_there(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	f->b.sdev->port_up = false;
	flow_post(&f->a, MLX5_OPCODE_SEND, CE, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	flow_no_more(test, next);
	KUNIT_EXPECT_EQ(test, f->a.sdev->ctr[SIM_CTR_retries], 1);
	f->a.qp->dp->wait_until = 0;
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
	flow_no_more(test, next);
	counted(test, &f->a, COUNT(local_ack_timeout_err, 1),
		COUNT(req_transport_retries_exceeded, 1), COUNT(req_cqe_error, 1));
	counted(test, &f->b, {});
}

/* The ACK timer counts device time only: 4.096 us * 2^14. */
static void timer_runs_on_device_time(struct kunit *test)
{
	const u64 timeout = 4096ULL << 14;
	struct flow *f = test->priv;
	u32 next = 0;

	sim_dp_stub.time = 1000;
	f->b.sdev->port_up = false;
	flow_post(&f->a, MLX5_OPCODE_SEND, CE, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	msleep(2 * timeout / NSEC_PER_MSEC);
	sim_dp_stub.time += timeout - 1;
	sim_qp_poll(f->a.sdev);
	flow_no_more(test, next);
	sim_dp_stub.time++;
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
	flow_no_more(test, next);
}

/*
 * A message ahead of the expected sequence number is NAKed once; later messages
 * are dropped.
 */
static void sequence_ahead(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	f->a.qp->send_psn = 3;
	f->a.qp->retry_count = 2;
	sim_dp_qp_rts(f->a.sdev, f->a.qp);
	flow_post(&f->a, MLX5_OPCODE_SEND, CE, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	flow_no_more(test, next);
	f->a.qp->dp->wait_until = 0;
	sim_qp_poll(f->a.sdev);
	flow_no_more(test, next);
	f->a.qp->dp->wait_until = 0;
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
	flow_no_more(test, next);
	counted(test, &f->a, COUNT(packet_seq_err, 1), COUNT(local_ack_timeout_err, 1),
		COUNT(req_transport_retries_exceeded, 1), COUNT(req_cqe_error, 1));
	counted(test, &f->b, COUNT(out_of_sequence, 3));
}

static void sequence_behind(struct kunit *test)
{
	struct flow *f = test->priv;

	f->a.qp->send_psn = 0xfffffe;
	flow_post(&f->a, MLX5_OPCODE_RDMA_WRITE, CE, f->a.mem, 8, f->b.mem);
	sim_qp_poll(f->a.sdev);
	flow_no_more(test, 0);
	counted(test, &f->a, COUNT(local_ack_timeout_err, 1));
	counted(test, &f->b, COUNT(duplicate_request, 1));
}

/* The events of a QP without a counter set are not counted. */
static void no_set(struct kunit *test)
{
	struct flow *f = test->priv;

	f->a.qp->qset = 0;
	f->b.qp->qset = 0;
	flow_post(&f->a, MLX5_OPCODE_RDMA_WRITE, CE, f->a.mem, 8, f->b.mem);
	flow_post(&f->a, MLX5_OPCODE_SEND, CE, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	KUNIT_EXPECT_EQ(test, f->b.sdev->ctr[SIM_CTR_rnr_naks], 1);
	counted(test, &f->a, {});
	counted(test, &f->b, {});
}

/*
 * A WQE with a bad remote key: both QPs go to error, and every later WQE is
 * flushed once.
 */
static void remote_access_error(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;
	int i;

	flow_post_recv(&f->b, f->b.mem, 8);
	flow_post_recv(&f->b, f->b.mem, 8);
	f->mr.free = true;
	memset(f->a.mem, 1, 8);
	flow_post(&f->a, MLX5_OPCODE_RDMA_WRITE, CE, f->a.mem, 8, f->b.mem);
	flow_post(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	KUNIT_EXPECT_EQ(test, f->b.qp->state, MLX5_QP_STATE_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.event, MLX5_EVENT_TYPE_WQ_ACCESS_ERROR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.events, 1);
	KUNIT_EXPECT_EQ(test, f->b.mem[0], 0);

	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 1, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	sim_qp_poll(f->b.sdev);
	flow_expect(test, &next, &f->b.rcq, 0, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	flow_expect(test, &next, &f->b.rcq, 1, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	flow_no_more(test, next);

	flow_post(&f->a, MLX5_OPCODE_RDMA_WRITE, CE, f->a.mem, 0, f->b.mem);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 2, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	flow_no_more(test, next);
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

	flow_post_recv(&f->b, f->b.mem, 8);
	flow_post(&f->a, MLX5_OPCODE_SEND, CE, f->a.mem, 9, NULL);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->b.rcq, 0, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR);
	flow_no_more(test, next);
	counted(test, &f->a, COUNT(req_remote_invalid_request, 1), COUNT(req_cqe_error, 1));
	counted(test, &f->b, COUNT(resp_local_length_error, 1), COUNT(resp_cqe_error, 1));
}

static void local_key_is_our_fault(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	flow_post_recv(&f->b, f->b.mem, 8);
	f->pa.free = true;
	flow_post(&f->a, MLX5_OPCODE_SEND, CE, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_mkey_lookup], 1);
	KUNIT_EXPECT_EQ(test, f->b.qp->state, MLX5_QP_STATE_RTS);
	flow_no_more(test, next);
	counted(test, &f->a, COUNT(req_local_protection, 1), COUNT(req_cqe_error, 1));
	counted(test, &f->b, {});
}

static void counter_beyond_the_ring(struct kunit *test)
{
	struct flow *f = test->priv;

	f->a.dbr[MLX5_SND_DBR] = cpu_to_be32(FLOW_RING + 1);
	sim_qp_poll(f->a.sdev);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_sq_counter], 1);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.event, MLX5_EVENT_TYPE_WQ_CATAS_ERROR);
	KUNIT_EXPECT_EQ(test, f->a.qp->state, MLX5_QP_STATE_ERR);
	flow_no_more(test, 0);
}

/*
 * Both counters are in one record: a record that is not mapped is read only
 * once.
 */
static void record_not_mapped(struct kunit *test)
{
	struct flow *f = test->priv;

	flow_post_recv(&f->a, f->a.mem, 8);
	sim_dp_stub.hole = (uintptr_t)&f->a.dbr[MLX5_SND_DBR];
	sim_qp_poll(f->a.sdev);
	KUNIT_EXPECT_EQ(test, f->a.qp->state, MLX5_QP_STATE_ERR);
	KUNIT_EXPECT_TRUE(test, f->a.qp->dp->sq_dead);
	KUNIT_EXPECT_TRUE(test, f->a.qp->dp->rq_dead);
	flow_no_more(test, 0);
}

static void atomic_on_unmapped_memory(struct kunit *test)
{
	struct flow *f = test->priv;
	struct mlx5_wqe_ctrl_seg *ctrl = (struct mlx5_wqe_ctrl_seg *)f->a.ring;
	struct mlx5_wqe_raddr_seg *raddr = (struct mlx5_wqe_raddr_seg *)(ctrl + 1);
	struct mlx5_wqe_atomic_seg *atomic = (struct mlx5_wqe_atomic_seg *)(raddr + 1);
	u32 next = 0;

	flow_post(&f->a, MLX5_OPCODE_ATOMIC_FA, CE, f->a.mem, 8, f->b.mem);
	memmove(atomic + 1, atomic, sizeof(struct mlx5_wqe_data_seg));
	memset(atomic, 0, sizeof(*atomic));
	ctrl->qpn_ds = cpu_to_be32(sim_qp_qpn(f->a.qp) << 8 | 4);
	sim_dp_stub.hole = (uintptr_t)f->b.mem;
	KUNIT_ASSERT_EQ(test, sim_caps_init(f->a.sdev), 0);
	sim_qp_poll(f->a.sdev);
	sim_caps_exit(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_REMOTE_OP_ERR);
	KUNIT_EXPECT_EQ(test, f->b.qp->state, MLX5_QP_STATE_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.event, MLX5_EVENT_TYPE_WQ_CATAS_ERROR);
	flow_no_more(test, next);
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
	flow_post_recv(&f->b, f->b.mem, 2048);
	flow_post(&f->a, MLX5_OPCODE_SEND, CE, f->a.mem, 1500, NULL);
	flow_post(&f->a, MLX5_OPCODE_RDMA_WRITE, CE, f->a.mem, 16, f->b.mem + 2048);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 1, 0);
	flow_no_more(test, next);
	KUNIT_EXPECT_STREQ(test, f->b.mem, "unreliable");
	KUNIT_EXPECT_STREQ(test, f->b.mem + 2048, "unreliable");
	KUNIT_EXPECT_EQ(test, f->a.qp->send_psn, 2);
	KUNIT_EXPECT_EQ(test, f->b.qp->recv_psn, 2);
}

/* Reasons for the loss of a message; the next message still arrives. */
enum loss { NO_RECV, NO_QUEUE, TOO_LONG, NO_RIGHT, BAD_KEY, PORT_DOWN, NOT_READY };

static const struct loss_case {
	const char *name;
	enum loss loss;
	u8 opcode;
} loss_cases[] = {
	{ "no receive", NO_RECV, MLX5_OPCODE_SEND },
	{ "no receive queue", NO_QUEUE, MLX5_OPCODE_SEND },
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
		flow_post_recv(&f->b, f->b.mem, 16);
	if (c->loss == NO_QUEUE)
		f->b.qp->rq_type = MLX5_ZERO_LEN_RQ;
	f->b.qp->rwe = c->loss != NO_RIGHT;
	f->mr.free = c->loss == BAD_KEY;
	f->b.sdev->port_up = c->loss != PORT_DOWN;
	if (c->loss == NOT_READY)
		f->b.qp->state = MLX5_QP_STATE_INIT;
	flow_post(&f->a, c->opcode, CE, f->a.mem, 17, write ? f->b.mem : NULL);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	flow_no_more(test, next);
	KUNIT_EXPECT_EQ(test, f->b.mem[0], 0);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.events, 0);
	KUNIT_EXPECT_EQ(test, f->a.sdev->ctr[SIM_CTR_retries], 0);
	KUNIT_EXPECT_EQ(test, f->b.sdev->ctr[SIM_CTR_rnr_naks], 0);
	KUNIT_EXPECT_EQ(test, f->a.sdev->ctr[SIM_CTR_tx_bytes], 17);
	KUNIT_EXPECT_EQ(test, f->b.sdev->ctr[SIM_CTR_rx_bytes], 0);

	f->b.sdev->port_up = true;
	f->b.qp->rq_type = MLX5_NON_ZERO_RQ;
	f->b.qp->state = MLX5_QP_STATE_RTS;
	if (c->loss != TOO_LONG)
		flow_post_recv(&f->b, f->b.mem, 16);
	flow_post(&f->a, MLX5_OPCODE_SEND, CE, f->a.mem, 16, NULL);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 1, 0);
	flow_no_more(test, next);
	KUNIT_EXPECT_EQ(test, f->b.mem[15], 1);
	KUNIT_EXPECT_EQ(test, f->b.qp->recv_psn, f->a.qp->send_psn);
	for (i = 0; i < SIM_VIO_MAX; i++)
		KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[i], 0);
}

/*
 * A local error stops the send queue (SQE) only: the QP receives, and can go
 * back to RTS.
 */
static void uc_local_fault(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	make_uc(f);
	flow_post_recv(&f->a, f->a.mem, 16);
	flow_post_recv(&f->b, f->b.mem, 16);
	f->pa.access = SIM_MKEY_LW;
	flow_post(&f->a, MLX5_OPCODE_SEND, CE, f->a.mem, 8, NULL);
	flow_post(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	KUNIT_EXPECT_EQ(test, f->a.qp->state, MLX5_QP_STATE_SQER);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 1, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);

	f->pa.access |= SIM_MKEY_LR;
	flow_post(&f->b, MLX5_OPCODE_SEND, CE, f->b.mem, 8, NULL);
	sim_qp_poll(f->b.sdev);
	flow_expect(test, &next, &f->a.rcq, 0, 0);
	flow_expect(test, &next, &f->b.scq, 0, 0);
	flow_no_more(test, next);
}

/*
 * WQEs posted before the QP is in RTS again are flushed, even if the driver
 * moves the QP to RTS at once.
 */
static void uc_flushed_before_recovery(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;
	int i;

	make_uc(f);
	flow_post_recv(&f->b, f->b.mem, 16);
	f->pa.access = SIM_MKEY_LW;
	for (i = 0; i < FLOW_RING; i++)
		flow_post(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	KUNIT_EXPECT_EQ(test, f->a.qp->state, MLX5_QP_STATE_SQER);
	f->pa.access |= SIM_MKEY_LR;
	sim_dp_sq_flush(f->a.sdev, f->a.qp);
	f->a.qp->state = MLX5_QP_STATE_RTS;
	sim_dp_qp_rts(f->a.sdev, f->a.qp);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	for (i = 1; i < FLOW_RING; i++)
		flow_expect(test, &next, &f->a.scq, i, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	flow_no_more(test, next);
	KUNIT_EXPECT_EQ(test, f->a.sdev->ctr[SIM_CTR_tx_bytes], 0);
}

static void uc_has_no_read(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	make_uc(f);
	flow_post(&f->a, MLX5_OPCODE_RDMA_READ, CE, f->a.mem, 8, f->b.mem);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_wqe_opcode], 1);
	flow_no_more(test, next);
}

/* ---- shared receive queues ---- */

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

	flow_make_srq(f);
	set_link(f, 0, 3);
	set_link(f, 3, 1);
	flow_post_srq(f, 0, f->b.mem, 8);
	flow_post_srq(f, 3, f->b.mem, 8);
	flow_post_srq(f, 1, f->b.mem, 8);
	for (i = 0; i < 3; i++)
		flow_post(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	flow_expect(test, &next, &f->b.rcq, 3, 0);
	flow_expect(test, &next, &f->b.rcq, 1, 0);
	flow_no_more(test, next);
}

/*
 * The limit event is raised once per arming, when fewer WQEs than the limit are
 * posted.
 */
static void srq_limit_once(struct kunit *test)
{
	struct flow *f = test->priv;
	int i;

	flow_make_srq(f);
	for (i = 0; i < 3; i++)
		flow_post_srq(f, i, f->b.mem, 8);
	f->srq.lwm = 2;
	sim_dp_srq_limit(f->b.sdev, &f->srq);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.events, 0);
	for (i = 0; i < 3; i++) {
		flow_post(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 8, NULL);
		sim_qp_poll(f->a.sdev);
		/* 2, 1 and 0 WQEs remain */
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

/* The keys in the WQEs of an SRQ belong to the PD of the SRQ. */
static void srq_has_its_own_pd(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	flow_make_srq(f);
	f->b.pd.obj.id = 9;
	flow_post_srq(f, 0, f->b.mem, 8);
	flow_post_srq(f, 1, f->b.mem, 8);
	flow_post(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->b.rcq, 0, 0);

	f->srq_pd.obj.id = 9;
	flow_post(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->b.rcq, 1, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_mkey_pd], 1);
	/*
	 * the QP goes to error and raises the last-WQE event; the SRQ stays
	 * usable
	 */
	KUNIT_EXPECT_EQ(test, f->b.qp->state, MLX5_QP_STATE_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.event, MLX5_EVENT_TYPE_SRQ_LAST_WQE);
	KUNIT_EXPECT_FALSE(test, f->srq.error);
}

static const struct srq_bad_case {
	const char *name;
	u8 offset;
	u8 value;
} srq_bad_cases[] = {
	{ "link out of range", 3, FLOW_SRQ_WQES },
	{ "signature", 4, 1 },
	{ "inline segment", 16, 0x80 },
};

KUNIT_ARRAY_PARAM_DESC(srq_bad, srq_bad_cases, name);

static void srq_malformed(struct kunit *test)
{
	const struct srq_bad_case *c = test->param_value;
	struct flow *f = test->priv;

	flow_make_srq(f);
	flow_post_srq(f, 0, f->b.mem, 8);
	f->srq_ring[c->offset] = c->value;
	flow_post(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	KUNIT_EXPECT_TRUE(test, f->srq.error);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_srq_list], 1);
	KUNIT_EXPECT_EQ(test, f->b.qp->state, MLX5_QP_STATE_ERR);
}

/* UCX stores private data in all reserved bytes except the signature. */
static void srq_reserved_ignored(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	flow_make_srq(f);
	flow_post_srq(f, 0, f->b.mem, 8);
	flow_post_srq(f, 1, f->b.mem, 8);
	memset(f->srq_ring, 0xff, 2);
	memset(f->srq_ring + 5, 0xff, 11);
	flow_post(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 8, NULL);
	flow_post(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 8, NULL);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	flow_expect(test, &next, &f->b.rcq, 1, 0);
	flow_no_more(test, next);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.ignored, 1);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_srq_list], 0);
}

/* A record or a buffer that is not mapped causes one error of the SRQ. */
static void srq_not_mapped(struct kunit *test)
{
	struct flow *f = test->priv;
	struct sim_rwqe *rwqe = kunit_kzalloc(test, sizeof(*rwqe), GFP_KERNEL);
	int i, ring;

	KUNIT_ASSERT_NOT_NULL(test, rwqe);
	flow_make_srq(f);
	flow_post_srq(f, 0, f->b.mem, 8);
	for (ring = 0; ring < 2; ring++) {
		sim_dp_stub.hole = ring ? 0 : (uintptr_t)&f->srq_dbr;
		if (ring)
			f->srq.buf.pas = NULL;
		f->srq.error = false;
		sim_dp_stub.events = 0;
		for (i = 0; i < 2; i++)
			KUNIT_EXPECT_EQ(test, sim_recv_peek(f->b.sdev, f->b.qp, rwqe), -EIO);
		KUNIT_EXPECT_TRUE(test, f->srq.error);
		KUNIT_EXPECT_EQ(test, sim_dp_stub.events, 1);
		KUNIT_EXPECT_EQ(test, sim_dp_stub.event, MLX5_EVENT_TYPE_SRQ_CATAS_ERROR);
	}
}

static void atomics_compute(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, sim_atomic_result(MLX5_OPCODE_ATOMIC_FA, ~0ULL, 2, 9), 1);
	KUNIT_EXPECT_EQ(test, sim_atomic_result(MLX5_OPCODE_ATOMIC_CS, 5, 7, 5), 7);
	KUNIT_EXPECT_EQ(test, sim_atomic_result(MLX5_OPCODE_ATOMIC_CS, 5, 7, 6), 5);
}

static struct kunit_case flow_cases[] = {
	KUNIT_CASE(send_arrives),
	KUNIT_CASE(other_own_gid),
	KUNIT_CASE(other_ip_version),
	KUNIT_CASE(loopback_stays),
	KUNIT_CASE(loopback_needs_two),
	KUNIT_CASE(solicited_wakes),
	KUNIT_CASE(unsignalled_is_silent),
	KUNIT_CASE(wqe_size_is_limited),
	KUNIT_CASE(no_flush_errors),
	KUNIT_CASE(no_flush_errors_late),
	KUNIT_CASE(read_lands_late),
	KUNIT_CASE(reads_beyond_depth),
	KUNIT_CASE(rnr_waits_then_goes_on),
	KUNIT_CASE(rnr_gives_up),
	KUNIT_CASE(no_queue_is_an_empty_one),
	KUNIT_CASE(packets_fit_the_mtu),
	KUNIT_CASE(nobody_there),
	KUNIT_CASE(timer_runs_on_device_time),
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
	KUNIT_CASE(uc_flushed_before_recovery),
	KUNIT_CASE(uc_has_no_read),
	KUNIT_CASE(srq_follows_links),
	KUNIT_CASE(srq_limit_once),
	KUNIT_CASE(srq_has_its_own_pd),
	KUNIT_CASE_PARAM(srq_malformed, srq_bad_gen_params),
	KUNIT_CASE(srq_reserved_ignored),
	KUNIT_CASE(srq_not_mapped),
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
