// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Compare and swap, fetch and add on a reliable connection.
 *
 * The expected results come from the InfiniBand Architecture for atomic
 * operations and fences, and from rdma-core's test_atomic.py for errors. The
 * reply is big-endian, except after the driver has set the endianness mode:
 * mlx5_core sets the mode.
 */
#include "core/core.h"
#include "dp/dp.h"
#include "obj/obj.h"
#include "tests/flow.h"

#define CE	MLX5_WQE_CTRL_CQ_UPDATE

static int atomic_init(struct kunit *test)
{
	struct flow *f;
	void *page;
	int err;

	err = flow_init(test);
	if (err)
		return err;
	f = test->priv;
	err = sim_caps_init(f->a.sdev);
	if (err)
		return err;
	page = sim_caps_page(f->a.sdev, MLX5_CAP_ATOMIC, false);
	MLX5_SET(atomic_caps, page, atomic_req_8B_endianness_mode, 1);
	return 0;
}

static void atomic_exit(struct kunit *test)
{
	struct flow *f = test->priv;

	if (!f)
		return;
	sim_caps_exit(f->a.sdev);
	flow_exit(test);
}

/* Posts an atomic on word 0 of end b; the reply goes to word @to of end a. */
static void post_atomic(struct flow *f, u8 opcode, u64 swap_add, u64 compare, u32 to)
{
	struct flow_end *e = &f->a;
	u8 *wqe = e->ring + (e->posted % FLOW_RING) * MLX5_SEND_WQE_BB;
	struct mlx5_wqe_ctrl_seg *ctrl = (struct mlx5_wqe_ctrl_seg *)wqe;
	struct mlx5_wqe_atomic_seg *aseg = (struct mlx5_wqe_atomic_seg *)(ctrl + 2);
	struct mlx5_wqe_data_seg *data = (struct mlx5_wqe_data_seg *)(aseg + 1);

	flow_post(e, opcode, CE, e->mem + 8 * to, 8, f->b.mem);
	ctrl->qpn_ds = cpu_to_be32(sim_qp_qpn(e->qp) << 8 | 4);
	*data = *(struct mlx5_wqe_data_seg *)aseg;
	aseg->swap_add = cpu_to_be64(swap_add);
	aseg->compare = cpu_to_be64(compare);
}

static u64 *word(struct flow_end *e, u32 n)
{
	return (u64 *)e->mem + n;
}

static void change_memory(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	*word(&f->b, 0) = 0x1122334455667788ULL;
	post_atomic(f, MLX5_OPCODE_ATOMIC_FA, 0x10, 0, 0);
	post_atomic(f, MLX5_OPCODE_ATOMIC_CS, 5, 6, 1);
	post_atomic(f, MLX5_OPCODE_ATOMIC_CS, 5, 0x1122334455667798ULL, 2);
	sim_qp_poll(f->a.sdev);
	while (next < 3)
		flow_expect(test, &next, &f->a.scq, next, 0);
	flow_no_more(test, next);
	KUNIT_EXPECT_EQ(test, *word(&f->a, 0), 0x1122334455667788ULL);
	KUNIT_EXPECT_EQ(test, *word(&f->a, 1), 0x1122334455667798ULL);
	KUNIT_EXPECT_EQ(test, *word(&f->a, 2), 0x1122334455667798ULL);
	KUNIT_EXPECT_EQ(test, *word(&f->b, 0), 5);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.qset[1].n[SIM_QCTR_rx_atomic_requests], 3);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(sim_dp_stub.cqe[0].byte_cnt), 8);
}

static void big_endian_reply(struct kunit *test)
{
	struct flow *f = test->priv;
	void *page = sim_caps_page(f->a.sdev, MLX5_CAP_ATOMIC, false);

	MLX5_SET(atomic_caps, page, atomic_req_8B_endianness_mode, 0);
	*word(&f->b, 0) = 0x11;
	post_atomic(f, MLX5_OPCODE_ATOMIC_FA, 1, 0, 0);
	sim_qp_poll(f->a.sdev);
	KUNIT_EXPECT_EQ(test, be64_to_cpup((__be64 *)word(&f->a, 0)), 0x11);
	KUNIT_EXPECT_EQ(test, *word(&f->b, 0), 0x12);
}

/*
 * The remote memory changes at once; without a fence, a SEND reads memory
 * before the reply arrives.
 */
static void reply_lands_late(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	*word(&f->b, 0) = 7;
	flow_post_recv(&f->b, word(&f->b, 1), 8);
	flow_post_recv(&f->b, word(&f->b, 2), 8);
	post_atomic(f, MLX5_OPCODE_ATOMIC_FA, 1, 0, 0);
	flow_post(&f->a, MLX5_OPCODE_SEND, CE, word(&f->a, 0), 8, NULL);
	flow_post(&f->a, MLX5_OPCODE_SEND, CE | MLX5_FENCE_MODE_FENCE, word(&f->a, 0), 8, NULL);
	sim_qp_poll(f->a.sdev);
	KUNIT_EXPECT_EQ(test, *word(&f->b, 0), 8);
	KUNIT_EXPECT_EQ(test, *word(&f->b, 1), 0);
	KUNIT_EXPECT_EQ(test, *word(&f->b, 2), 7);
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 1, 0);
	flow_expect(test, &next, &f->b.rcq, 1, 0);
	flow_expect(test, &next, &f->a.scq, 2, 0);
	flow_no_more(test, next);
}

/*
 * Reads and atomics share the responder's resources (beyond_depth) and the
 * requester's depth (within_depth).
 */
static void beyond_depth(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	f->b.qp->max_dest_rd_atomic = 1;
	flow_post(&f->a, MLX5_OPCODE_RDMA_READ, CE, word(&f->a, 0), 8, f->b.mem);
	post_atomic(f, MLX5_OPCODE_ATOMIC_FA, 1, 0, 1);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 1, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR);
	flow_no_more(test, next);
	KUNIT_EXPECT_EQ(test, *word(&f->b, 0), 0);
}

static void within_depth(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	f->a.qp->max_rd_atomic = 1;
	f->b.qp->max_dest_rd_atomic = 1;
	post_atomic(f, MLX5_OPCODE_ATOMIC_FA, 1, 0, 0);
	post_atomic(f, MLX5_OPCODE_ATOMIC_FA, 1, 0, 1);
	flow_post(&f->a, MLX5_OPCODE_RDMA_READ, CE, word(&f->a, 2), 8, f->b.mem);
	sim_qp_poll(f->a.sdev);
	while (next < 3)
		flow_expect(test, &next, &f->a.scq, next, 0);
	flow_no_more(test, next);
	KUNIT_EXPECT_EQ(test, *word(&f->a, 1), 1);
	KUNIT_EXPECT_EQ(test, *word(&f->a, 2), 2);
}

/* ---- refused ---- */

enum refusal { UNALIGNED, QP_RIGHT, KEY_RIGHT, KEY_UNKNOWN, LOCAL_KEY, LOCAL_RIGHT };

static const struct refusal_case {
	const char *name;
	enum refusal refusal;
	u8 synd;
	int vio;
} refusal_cases[] = {
	{ "unaligned", UNALIGNED, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR, -1 },
	{ "QP does not allow it", QP_RIGHT, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR, -1 },
	{ "key does not allow it", KEY_RIGHT, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR, -1 },
	{ "remote key unknown", KEY_UNKNOWN, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR, -1 },
	{ "local key unknown", LOCAL_KEY, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR, SIM_VIO_mkey_lookup },
	{ "reply not writable", LOCAL_RIGHT, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR,
	  SIM_VIO_mkey_access },
};

KUNIT_ARRAY_PARAM_DESC(refusal, refusal_cases, name);

static void refused(struct kunit *test)
{
	const struct refusal_case *c = test->param_value;
	struct flow *f = test->priv;
	struct mlx5_wqe_raddr_seg *raddr = (struct mlx5_wqe_raddr_seg *)f->a.ring + 1;
	struct mlx5_wqe_data_seg *data = (struct mlx5_wqe_data_seg *)f->a.ring + 3;
	u32 next = 0;
	int i;

	post_atomic(f, MLX5_OPCODE_ATOMIC_FA, 1, 0, 0);
	switch (c->refusal) {
	case UNALIGNED:
		raddr->raddr = cpu_to_be64((uintptr_t)f->b.mem + 4);
		break;
	case QP_RIGHT:
		f->b.qp->rae = false;
		break;
	case KEY_RIGHT:
		f->mr.access &= ~SIM_MKEY_A;
		break;
	case KEY_UNKNOWN:
		raddr->rkey = cpu_to_be32(FLOW_MR_KEY + 1);
		break;
	case LOCAL_KEY:
		data->lkey = cpu_to_be32(FLOW_PA_KEY + 1);
		break;
	case LOCAL_RIGHT:
		f->pa.access = SIM_MKEY_LR;
		break;
	}
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, c->synd);
	flow_no_more(test, next);
	KUNIT_EXPECT_EQ(test, *word(&f->b, 0), 0);
	for (i = 0; i < SIM_VIO_MAX; i++)
		KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[i], i == c->vio);
}

static struct kunit_case atomic_cases[] = {
	KUNIT_CASE(change_memory),
	KUNIT_CASE(big_endian_reply),
	KUNIT_CASE(reply_lands_late),
	KUNIT_CASE(beyond_depth),
	KUNIT_CASE(within_depth),
	KUNIT_CASE_PARAM(refused, refusal_gen_params),
	{}
};

static struct kunit_suite atomic_suite = {
	.name = "sim_atomic",
	.init = atomic_init,
	.exit = atomic_exit,
	.test_cases = atomic_cases,
};

kunit_test_suite(atomic_suite);

MODULE_DESCRIPTION("KUnit tests of mlx5sim's atomic operations");
MODULE_LICENSE("Dual BSD/GPL");
