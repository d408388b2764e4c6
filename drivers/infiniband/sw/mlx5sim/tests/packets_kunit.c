// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Messages of several packets that fail late: the packets before the failure
 * have moved; with atomic_messages, no packet has moved. The suite uses the two
 * ends of flow.h; one packet is 1024 bytes.
 *
 * The errors come from the InfiniBand Architecture, which permits a responder
 * to execute a packet before the next packet arrives.
 */
#include "core/core.h"
#include "dp/dp.h"
#include "obj/obj.h"
#include "tests/flow.h"

#define LEN	3000

/**
 * struct packets_case - a message of LEN bytes
 * @name: name of the case
 * @opcode: MLX5_OPCODE_*
 * @local: bytes that the sender's key covers
 * @remote: bytes that the receiver's key covers: the remote key, or the key of
 *	the receive WQE
 * @space: bytes of the receive WQE; 0 = no receive WQE
 * @syndrome: syndrome of the sender's completion; 0 = the message is sent again
 *	later
 * @recv_syndrome: syndrome of the receiver's completion; 0 = no completion
 * @vio: violation of one end, recorded once; SIM_VIO_MAX = no violation
 * @moved: bytes that have moved
 */
struct packets_case {
	const char *name;
	u8 opcode;
	u32 local, remote, space;
	u8 syndrome, recv_syndrome;
	enum sim_vio vio;
	u32 moved;
};

#define S(_name)	MLX5_CQE_SYNDROME_##_name##_ERR

static const struct packets_case packets_cases[] = {
	{ "SEND, receive too short", MLX5_OPCODE_SEND, LEN, LEN, 2500,
	  S(REMOTE_INVAL_REQ), S(LOCAL_LENGTH), SIM_VIO_MAX, 2048 },
	{ "SEND, receive shorter than a packet", MLX5_OPCODE_SEND, LEN, LEN, 1023,
	  S(REMOTE_INVAL_REQ), S(LOCAL_LENGTH), SIM_VIO_MAX, 0 },
	{ "SEND, key of the receive WQE", MLX5_OPCODE_SEND, LEN, 1500, LEN,
	  S(REMOTE_OP), S(LOCAL_PROT), SIM_VIO_mkey_range, 1024 },
	{ "SEND, key of the gather list", MLX5_OPCODE_SEND, 1500, LEN, LEN,
	  S(LOCAL_PROT), 0, SIM_VIO_mkey_range, 1024 },
	{ "SEND, both keys at once", MLX5_OPCODE_SEND, 2049, 2500, LEN,
	  S(LOCAL_PROT), 0, SIM_VIO_mkey_range, 2048 },
	{ "SEND with invalidate of no key", MLX5_OPCODE_SEND_INVAL, LEN, LEN, LEN,
	  S(REMOTE_ACCESS), 0, SIM_VIO_MAX, 2048 },
	{ "WRITE, remote key", MLX5_OPCODE_RDMA_WRITE, LEN, LEN - 1, 0,
	  S(REMOTE_ACCESS), 0, SIM_VIO_MAX, 2048 },
	{ "WRITE, remote key in the first packet", MLX5_OPCODE_RDMA_WRITE, LEN, 1023, 0,
	  S(REMOTE_ACCESS), 0, SIM_VIO_MAX, 0 },
	{ "WRITE, remote key before local key", MLX5_OPCODE_RDMA_WRITE, 2500, 1500, 0,
	  S(REMOTE_ACCESS), 0, SIM_VIO_MAX, 1024 },
	{ "WRITE with immediate, no receive WQE", MLX5_OPCODE_RDMA_WRITE_IMM, LEN, LEN, 0,
	  0, 0, SIM_VIO_MAX, 2048 },
	{ "READ, remote key", MLX5_OPCODE_RDMA_READ, LEN, 2048, 0,
	  S(REMOTE_ACCESS), 0, SIM_VIO_MAX, 2048 },
	{ "READ, key of the scatter list", MLX5_OPCODE_RDMA_READ, 1500, LEN, 0,
	  S(LOCAL_PROT), 0, SIM_VIO_mkey_range, 1024 },
};

KUNIT_ARRAY_PARAM_DESC(packets, packets_cases, name);

static void key_covers(struct sim_mkey *key, const u8 *mem, u32 len)
{
	key->len64 = false;
	key->start = (uintptr_t)mem;
	key->len = len;
}

/* The receive WQE uses the key whose length the case limits. */
static void post_recv(struct flow *f, u32 space)
{
	struct mlx5_wqe_data_seg *data = (void *)(f->b.ring + FLOW_RQ);

	if (!space)
		return;
	flow_post_recv(&f->b, f->b.mem, space);
	data->lkey = cpu_to_be32(FLOW_MR_KEY);
}

static void run_case(struct kunit *test, const struct packets_case *c)
{
	bool read = c->opcode == MLX5_OPCODE_RDMA_READ;
	bool rdma = c->opcode != MLX5_OPCODE_SEND && c->opcode != MLX5_OPCODE_SEND_INVAL;
	struct flow *f = test->priv;
	u8 *to = read ? f->a.mem : f->b.mem;
	u32 next = 0;
	int i;

	memset(read ? f->b.mem : f->a.mem, 0x5a, LEN);
	key_covers(&f->pa, f->a.mem, c->local);
	key_covers(&f->mr, f->b.mem, c->remote);
	post_recv(f, c->space);
	flow_post(&f->a, c->opcode, MLX5_WQE_CTRL_CQ_UPDATE, f->a.mem, LEN,
		  rdma ? f->b.mem : NULL);
	sim_qp_poll(f->a.sdev);

	if (c->recv_syndrome)
		flow_expect(test, &next, &f->b.rcq, 0, c->recv_syndrome);
	if (c->syndrome)
		flow_expect(test, &next, &f->a.scq, 0, c->syndrome);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.cqes, next);
	KUNIT_EXPECT_EQ(test, f->a.qp->dp->waiting, !c->syndrome);
	for (i = 0; i < SIM_VIO_MAX; i++)
		KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[i], i == c->vio);
	KUNIT_EXPECT_NULL(test, memchr_inv(to, 0x5a, c->moved));
	KUNIT_EXPECT_NULL(test, memchr_inv(to + c->moved, 0, PAGE_SIZE - c->moved));
}

static void packets_before_move(struct kunit *test)
{
	run_case(test, test->param_value);
}

/* With atomic_messages, the sender's keys are checked before a packet moves. */
static void nothing_moves(struct kunit *test)
{
	struct packets_case c = *(const struct packets_case *)test->param_value;

	sim_atomic_messages = true;
	c.moved = 0;
	if (c.local < LEN) {
		c.syndrome = S(LOCAL_PROT);
		c.vio = SIM_VIO_mkey_range;
	}
	run_case(test, &c);
}

static struct kunit_case packets_kunit_cases[] = {
	KUNIT_CASE_PARAM(packets_before_move, packets_gen_params),
	KUNIT_CASE_PARAM(nothing_moves, packets_gen_params),
	{ }
};

static struct kunit_suite packets_kunit_suite = {
	.name = "sim_packets",
	.init = flow_init,
	.exit = flow_exit,
	.test_cases = packets_kunit_cases,
};

kunit_test_suite(packets_kunit_suite);

MODULE_DESCRIPTION("KUnit tests of messages that fail after their first packet");
MODULE_LICENSE("Dual BSD/GPL");
