// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion entries, headers of datagrams, and the arithmetic of packets and
 * timers.
 *
 * The expected offsets and values come from struct mlx5_cqe64 and struct
 * mlx5_err_cqe (<linux/mlx5/device.h>, <linux/mlx5/cq.h>), the expected timers
 * from the InfiniBand Architecture Specification: RNR NAK timer field and local
 * ACK timeout.
 */
#include <kunit/test.h>

#include "dp/dp.h"
#include "net/net.h"
#include "obj/obj.h"

static const struct sim_qp plain_qp = {
	.obj.id = 0x123456, .rq_type = MLX5_NON_ZERO_RQ, .user_index = 0xffffff,
};

/* The bytes of an entry that are not zero */
struct cqe_byte {
	u8 at;
	u8 val;
};

static void expect_cqe(struct kunit *test, const struct mlx5_cqe64 *cqe,
		       const struct cqe_byte *want, u32 n)
{
	u8 bytes[64] = {};
	u32 i;

	for (i = 0; i < n; i++)
		bytes[want[i].at] = want[i].val;
	KUNIT_EXPECT_MEMEQ(test, (u8 *)cqe, bytes, sizeof(bytes));
}

static void requester(struct kunit *test)
{
	static const struct cqe_byte want[] = {
		{ 33, 0xff }, { 34, 0xff }, { 35, 0xff },		/* user index */
		{ 46, 0x12 },						/* byte count */
		{ 56, 0x10 }, { 57, 0x12 }, { 58, 0x34 }, { 59, 0x56 },	/* opcode, QP */
		{ 60, 0xab }, { 61, 0xcd },				/* WQE */
	};
	struct mlx5_cqe64 cqe;

	memset(&cqe, 0xee, sizeof(cqe));
	sim_cqe_req(&cqe, &plain_qp, MLX5_OPCODE_RDMA_READ, 0xabcd, 0x1200);
	expect_cqe(test, &cqe, want, ARRAY_SIZE(want));
}

static void responder(struct kunit *test)
{
	static const struct cqe_byte want[] = {
		{ 34, 0x77 }, { 47, 9 },
		{ 57, 0x12 }, { 58, 0x34 }, { 59, 0x56 }, { 61, 3 },
		{ 63, MLX5_CQE_RESP_SEND_IMM << 4 },
	};
	struct sim_qp qp = plain_qp;
	struct mlx5_cqe64 cqe;

	qp.user_index = 0x7700;
	memset(&cqe, 0xee, sizeof(cqe));
	sim_cqe_resp(&cqe, &qp, MLX5_CQE_RESP_SEND_IMM, 3, 9);
	expect_cqe(test, &cqe, want, ARRAY_SIZE(want));
}

static void error(struct kunit *test)
{
	static const struct cqe_byte want[] = {
		{ 33, 0xff }, { 34, 0xff }, { 35, 0xff },
		{ 54, 0x88 }, { 55, 0x13 },				/* vendor, syndrome */
		{ 56, 0x08 }, { 57, 0x12 }, { 58, 0x34 }, { 59, 0x56 },
		{ 61, 7 }, { 63, MLX5_CQE_REQ_ERR << 4 },
	};
	struct mlx5_cqe64 cqe;

	memset(&cqe, 0xee, sizeof(cqe));
	sim_cqe_err(&cqe, &plain_qp, true, 7, MLX5_OPCODE_RDMA_WRITE,
		    MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	expect_cqe(test, &cqe, want, ARRAY_SIZE(want));

	sim_cqe_err(&cqe, &plain_qp, false, 7, 0, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, cqe.op_own >> 4, MLX5_CQE_RESP_ERR);
}

static void shared_queue_is_named(struct kunit *test)
{
	struct sim_srq srq = { .obj.id = 0x4321, .kind = SIM_SRQ_RMP, .user_index = 0x99 };
	struct sim_qp qp = plain_qp;
	struct mlx5_cqe64 cqe;

	qp.rq_type = MLX5_SRQ_RQ;
	qp.srq = &srq;
	sim_cqe_resp(&cqe, &qp, MLX5_CQE_RESP_SEND, 0, 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(cqe.srqn), 0x4321);
	qp.user_index = 0x55;
	sim_cqe_resp(&cqe, &qp, MLX5_CQE_RESP_SEND, 0, 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(cqe.srqn), 0x55);
	srq.kind = SIM_SRQ_XRC;
	qp.st = MLX5_QP_ST_XRC;
	sim_cqe_resp(&cqe, &qp, MLX5_CQE_RESP_SEND, 0, 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(cqe.srqn), 0x99);
	sim_cqe_req(&cqe, &qp, MLX5_OPCODE_SEND, 0, 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(cqe.srqn), 0x55);
}

static void packets_and_timers(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, sim_packets(0, 5), 1);
	KUNIT_EXPECT_EQ(test, sim_packets(4096, 5), 1);
	KUNIT_EXPECT_EQ(test, sim_packets(4097, 5), 2);
	KUNIT_EXPECT_EQ(test, sim_packets(1024, 1), 4);
	KUNIT_EXPECT_EQ(test, sim_rnr_ns(0), 655360000);
	KUNIT_EXPECT_EQ(test, sim_rnr_ns(1), 10000);
	KUNIT_EXPECT_EQ(test, sim_rnr_ns(12), 640000);
	KUNIT_EXPECT_EQ(test, sim_rnr_ns(31), 491520000);
	KUNIT_EXPECT_EQ(test, sim_ack_timeout_ns(0), 0);
	KUNIT_EXPECT_EQ(test, sim_ack_timeout_ns(14), 67108864);
}

static void datagram_headers(struct kunit *test)
{
	static const u8 ipv4[20] = {
		0x45, 0x02, 0, 20 + 8 + 24 + 100, 0, 0, 0x40, 0, 64, 17, 0x26, 0x51,
		10, 0, 0, 1, 10, 0, 0, 2,
	};
	struct sim_gid gid = { .raw = { [10] = 0xff, 0xff, 10, 0, 0, 1 }, .roce_version = 2 };
	struct sim_route rt = { .sgid = &gid };
	struct mlx5_av av = {
		.tclass = 2, .hop_limit = 64, .rgid = { [10] = 0xff, 0xff, 10, 0, 0, 2 },
		.grh_gid_fl = cpu_to_be32(0x40012345),
	};
	__be32 grh[SIM_GRH_LEN / 4];
	u8 *b = (u8 *)grh;

	KUNIT_EXPECT_EQ(test, sim_ud_grh(b, &rt, &av, 100), MLX5_CQE_ROCE_L3_HEADER_TYPE_IPV4);
	KUNIT_EXPECT_MEMEQ(test, b + 20, ipv4, sizeof(ipv4));
	/*
	 * the header contains the length of the padded payload, so 97 bytes
	 * give the same header
	 */
	sim_ud_grh(b, &rt, &av, 97);
	KUNIT_EXPECT_MEMEQ(test, b + 20, ipv4, sizeof(ipv4));

	gid.l3_type = MLX5_ROCE_L3_TYPE_IPV6;
	KUNIT_EXPECT_EQ(test, sim_ud_grh(b, &rt, &av, 100), MLX5_CQE_ROCE_L3_HEADER_TYPE_IPV6);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(grh[0]), 0x60212345);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(grh[1]), (100 + 32) << 16 | 17 << 8 | 64);
	KUNIT_EXPECT_MEMEQ(test, b + 8, gid.raw, 16);
	KUNIT_EXPECT_MEMEQ(test, b + 24, av.rgid, 16);

	gid.roce_version = 0;
	KUNIT_EXPECT_EQ(test, sim_ud_grh(b, &rt, &av, 100), MLX5_CQE_ROCE_L3_HEADER_TYPE_GRH);
	KUNIT_EXPECT_EQ(test, b[6], 0x1b);
}

static struct kunit_case cqe_cases[] = {
	KUNIT_CASE(requester),
	KUNIT_CASE(responder),
	KUNIT_CASE(error),
	KUNIT_CASE(shared_queue_is_named),
	KUNIT_CASE(packets_and_timers),
	KUNIT_CASE(datagram_headers),
	{}
};

static struct kunit_suite cqe_suite = {
	.name = "sim_cqe",
	.test_cases = cqe_cases,
};

kunit_test_suite(cqe_suite);

MODULE_DESCRIPTION("KUnit tests of mlx5sim's completions and headers");
MODULE_LICENSE("Dual BSD/GPL");
