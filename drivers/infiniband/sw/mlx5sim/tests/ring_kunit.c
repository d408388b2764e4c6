// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Receive rings: the WQE that a message consumes, and the number of the WQE in
 * the completion.
 *
 * For a ring that is consumed in order, libmlx5 and mlx5e mask the number in
 * the completion, and the datagrams and cyclic RMPs of UCX require a counter of
 * 16 bits. For a chain, libmlx5, mlx5e and UCX use the number as an index.
 */
#include "core/core.h"
#include "dp/dp.h"
#include "obj/obj.h"
#include "tests/flow.h"

#define ROUNDS		3	/* laps around the ring */

/* Sends a message of one byte, and checks the completion of its receive. */
static void send_one(struct kunit *test, struct flow *f, u32 *next, u16 counter, u8 byte)
{
	f->a.mem[0] = byte;
	flow_post(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 1, NULL);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, next, &f->b.rcq, counter, 0);
	KUNIT_EXPECT_EQ(test, f->b.mem[0], byte);
}

/* A driver that does not mask the counter fails after the first lap. */
static void own_ring_counts(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;
	int i;

	for (i = 0; i < ROUNDS * FLOW_RING; i++) {
		flow_post_recv(&f->b, f->b.mem, 8);
		send_one(test, f, &next, i, 0x40 + i);
	}
}

static void own_ring_has_16_bits(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	f->b.qp->rq.ci = 0xffff;
	f->b.dbr[MLX5_RCV_DBR] = cpu_to_be32(0xffff);
	flow_post_recv(&f->b, f->b.mem, 8);
	flow_post_recv(&f->b, f->b.mem, 8);
	send_one(test, f, &next, 0xffff, 1);
	send_one(test, f, &next, 0, 2);
}

/*
 * The counter of completions in error continues the counter of earlier
 * completions, for a receive that failed and for flushed receives.
 */
static void errors_count(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;
	int i;

	for (i = 0; i < FLOW_RING; i++) {
		flow_post_recv(&f->b, f->b.mem, 8);
		send_one(test, f, &next, i, i);
	}
	for (i = 0; i < 3; i++)
		flow_post_recv(&f->b, f->b.mem, 8);
	flow_post(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 9, NULL);
	sim_qp_poll(f->a.sdev);
	sim_qp_poll(f->b.sdev);
	flow_expect(test, &next, &f->b.rcq, FLOW_RING, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
	flow_expect(test, &next, &f->a.scq, FLOW_RING, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR);
	flow_expect(test, &next, &f->b.rcq, FLOW_RING + 1, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	flow_expect(test, &next, &f->b.rcq, FLOW_RING + 2, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	flow_no_more(test, next);
}

static void chain_has_indices(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;
	int i;

	flow_make_srq(f);
	for (i = 0; i < ROUNDS * FLOW_SRQ_WQES; i++) {
		flow_post_srq(f, i % FLOW_SRQ_WQES, f->b.mem, 8);
		send_one(test, f, &next, i % FLOW_SRQ_WQES, 0x40 + i);
	}
}

/* The links of a cyclic RMP are not followed, and may have any value. */
static void cyclic_counts(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;
	int i;

	flow_make_srq(f);
	f->srq.cyclic = true;
	for (i = 0; i < FLOW_SRQ_WQES; i++)
		memset(f->srq_ring + i * 32 + 2, 0x99, 2);
	for (i = 0; i < ROUNDS * FLOW_SRQ_WQES; i++) {
		flow_post_srq(f, i % FLOW_SRQ_WQES, f->b.mem, 8);
		send_one(test, f, &next, i, 0x40 + i);
	}
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_srq_list], 0);
}

/* Basic WQEs of a cyclic RMP have data segments only, like WQEs of a QP. */
static void cyclic_basic(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;
	int i;

	flow_make_srq(f);
	f->srq.cyclic = true;
	f->srq.basic = true;
	for (i = 0; i < ROUNDS * FLOW_SRQ_WQES; i++) {
		u8 *wqe = f->srq_ring + i % FLOW_SRQ_WQES * 32;

		flow_post_srq(f, i % FLOW_SRQ_WQES, f->b.mem, 8);
		memmove(wqe, wqe + 16, 16);
		((struct mlx5_wqe_data_seg *)wqe)[1] = (struct mlx5_wqe_data_seg) {
			.lkey = cpu_to_be32(sim_terminate_lkey(f->b.sdev)),
		};
		send_one(test, f, &next, i, 0x40 + i);
	}
}

/*
 * An RMP is in error, like an SRQ, if more WQEs are posted than the ring has
 * space for.
 */
static void cyclic_overrun(struct kunit *test)
{
	struct flow *f = test->priv;

	flow_make_srq(f);
	f->srq.cyclic = true;
	f->srq_dbr = cpu_to_be32(FLOW_SRQ_WQES + 1);
	flow_post(&f->a, MLX5_OPCODE_SEND, 0, f->a.mem, 1, NULL);
	sim_qp_poll(f->a.sdev);
	KUNIT_EXPECT_TRUE(test, f->srq.error);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_srq_list], 1);
	/*
	 * events: error of the RMP, error of the QP, and last WQE of the QP
	 * reached
	 */
	KUNIT_EXPECT_EQ(test, sim_dp_stub.events, 3);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.event, MLX5_EVENT_TYPE_SRQ_LAST_WQE);
}

static void send_to_port(struct flow *f, u32 len)
{
	flow_post(&f->a, MLX5_OPCODE_RDMA_WRITE, MLX5_WQE_CTRL_CQ_UPDATE, f->a.mem, len, f->b.mem);
	sim_qp_poll(f->a.sdev);
}

/*
 * A packet longer than the MTU of a port is lost, so the message is retried
 * until it fails. A shorter packet arrives with any path MTU.
 */
static void port_mtu(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	f->a.qp->mtu = 4;
	f->b.qp->mtu = 4;
	sim_dp_stub.mtu = 1500;
	send_to_port(f, 1500 - 96);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	send_to_port(f, 1500 - 95);
	flow_no_more(test, next);
	f->a.qp->dp->wait_until = 0;
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 1, MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
}

/* Packets of the path MTU are not lost, for any length of the message. */
static void path_mtu_fits(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	sim_dp_stub.mtu = 1500;
	send_to_port(f, 4096);
	flow_expect(test, &next, &f->a.scq, 0, 0);
}

/*
 * A message that does not leave the device passes no port, so the MTU of the
 * ports has no effect.
 */
static void loopback_has_no_port(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	sim_dp_stub.mtu = 256;
	f->a.qp->mtu = 5;
	f->a.qp->path = (struct sim_path){ .fl = true, .ack_timeout = 14 };
	f->a.qp->remote_qpn = sim_qp_qpn(f->a.qp);
	flow_post(&f->a, MLX5_OPCODE_RDMA_WRITE, MLX5_WQE_CTRL_CQ_UPDATE, f->a.mem, 2048,
		  f->a.mem + 2048);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, 0);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(own_ring_counts),
	KUNIT_CASE(own_ring_has_16_bits),
	KUNIT_CASE(errors_count),
	KUNIT_CASE(chain_has_indices),
	KUNIT_CASE(cyclic_counts),
	KUNIT_CASE(cyclic_basic),
	KUNIT_CASE(cyclic_overrun),
	KUNIT_CASE(port_mtu),
	KUNIT_CASE(path_mtu_fits),
	KUNIT_CASE(loopback_has_no_port),
	{}
};

static struct kunit_suite ring_suite = {
	.name = "sim_ring",
	.init = flow_init,
	.exit = flow_exit,
	.test_cases = ring_cases,
};

kunit_test_suite(ring_suite);

MODULE_DESCRIPTION("KUnit tests of mlx5sim's receive rings and packets");
MODULE_LICENSE("Dual BSD/GPL");
