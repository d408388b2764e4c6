// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory copies: the QPs that may post copies, the checks of copies, and the
 * time at which copies execute. The expected results come from
 * mlx5dv_wr_post(3): a request that depends on a copy sets a fence; a copy
 * without the rights to source or destination is a local protection error.
 */
#include "core/core.h"
#include "dp/dp.h"
#include "obj/caps.h"
#include "obj/obj.h"
#include "tests/flow.h"

#define CE	MLX5_WQE_CTRL_CQ_UPDATE

static int mmo_init(struct kunit *test)
{
	struct flow *f;
	int err;

	err = flow_init(test);
	if (err)
		return err;
	f = test->priv;
	f->a.qp->mmo = true;
	return 0;
}

/*
 * Posts a copy from the first half of end a's page to the second half. The
 * address in the opaque segment is 64 bytes before the end of the page.
 */
static void post_copy(struct flow *f, u8 fm, u32 len)
{
	struct flow_end *e = &f->a;
	struct mlx5_wqe_ctrl_seg *ctrl = (void *)(e->ring + (e->posted % FLOW_RING) *
						  MLX5_SEND_WQE_BB);
	struct mlx5_wqe_data_seg *seg = (struct mlx5_wqe_data_seg *)(ctrl + 1);

	flow_post(e, SIM_OPCODE_MMO, fm, e->mem + PAGE_SIZE - 64, 0, NULL);
	ctrl->opmod_idx_opcode |= cpu_to_be32(SIM_OPMOD_MMO_DMA << 24);
	ctrl->qpn_ds = cpu_to_be32(sim_qp_qpn(e->qp) << 8 | 4);
	seg[1] = (struct mlx5_wqe_data_seg) {
		.byte_count = cpu_to_be32(len),
		.lkey = cpu_to_be32(FLOW_PA_KEY),
		.addr = cpu_to_be64((uintptr_t)e->mem),
	};
	seg[2] = seg[1];
	seg[2].lkey = cpu_to_be32(FLOW_MR_KEY);
	seg[2].addr = cpu_to_be64((uintptr_t)e->mem + PAGE_SIZE / 2);
}

static struct mlx5_wqe_data_seg *segment(struct flow *f, int i)
{
	return (struct mlx5_wqe_data_seg *)f->a.ring + 1 + i;
}

static void copies(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	strscpy(f->a.mem, "to be copied", 32);
	f->a.mem[PAGE_SIZE / 2 + 13] = 'x';
	post_copy(f, CE, 13);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	flow_no_more(test, next);
	KUNIT_EXPECT_STREQ(test, f->a.mem + PAGE_SIZE / 2, "to be copied");
	KUNIT_EXPECT_EQ(test, f->a.mem[PAGE_SIZE / 2 + 13], 'x');
	KUNIT_EXPECT_EQ(test, be32_to_cpu(sim_dp_stub.cqe[0].byte_cnt), 13);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(sim_dp_stub.cqe[0].sop_drop_qpn) >> 24, SIM_OPCODE_MMO);
	KUNIT_EXPECT_EQ(test, f->a.sdev->ctr[SIM_CTR_copies], 1);
	KUNIT_EXPECT_EQ(test, f->a.sdev->ctr[SIM_CTR_copied_bytes], 13);
	KUNIT_EXPECT_EQ(test, f->a.qp->send_psn, 0xffffff);
}

static const struct fence_case {
	const char *name;
	u8 fm;
} fence_cases[] = {
	{ "small", MLX5_FENCE_MODE_INITIATOR_SMALL },
	{ "strong ordering", MLX5_FENCE_MODE_STRONG_ORDERING },
	{ "small and fence", MLX5_FENCE_MODE_SMALL_AND_FENCE },
};

KUNIT_ARRAY_PARAM_DESC(fence, fence_cases, name);

/*
 * A SEND without a fence, or with a fence for READs, sends the bytes from
 * before the copy.
 */
static void fence_orders(struct kunit *test)
{
	const struct fence_case *c = test->param_value;
	struct flow *f = test->priv;
	u8 *to = f->a.mem + PAGE_SIZE / 2;
	u32 next = 0;

	strscpy(f->a.mem, "new", 8);
	strscpy(to, "old", 8);
	flow_post_recv(&f->b, f->b.mem, 8);
	flow_post_recv(&f->b, f->b.mem + 8, 8);
	flow_post_recv(&f->b, f->b.mem + 16, 8);
	post_copy(f, CE, 8);
	flow_post(&f->a, MLX5_OPCODE_SEND, CE, to, 8, NULL);
	flow_post(&f->a, MLX5_OPCODE_SEND, CE | MLX5_FENCE_MODE_FENCE, to, 8, NULL);
	flow_post(&f->a, MLX5_OPCODE_SEND, CE | c->fm, to, 8, NULL);
	sim_qp_poll(f->a.sdev);
	KUNIT_EXPECT_STREQ(test, f->b.mem, "old");
	KUNIT_EXPECT_STREQ(test, f->b.mem + 8, "old");
	KUNIT_EXPECT_STREQ(test, f->b.mem + 16, "new");
	/* completions are still in order */
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	flow_expect(test, &next, &f->b.rcq, 1, 0);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 1, 0);
	flow_expect(test, &next, &f->a.scq, 2, 0);
	flow_expect(test, &next, &f->b.rcq, 2, 0);
	flow_expect(test, &next, &f->a.scq, 3, 0);
	flow_no_more(test, next);
}

/* A copy does not count against the limit of two outstanding reads. */
static void beside_reads(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	f->a.qp->max_rd_atomic = 2;
	f->b.qp->max_dest_rd_atomic = 2;
	post_copy(f, CE, 8);
	flow_post(&f->a, MLX5_OPCODE_RDMA_READ, CE, f->a.mem + 64, 8, f->b.mem);
	post_copy(f, CE, 8);
	flow_post(&f->a, MLX5_OPCODE_RDMA_READ, CE, f->a.mem + 64, 8, f->b.mem);
	flow_post(&f->a, MLX5_OPCODE_RDMA_READ, CE, f->a.mem + 64, 8, f->b.mem);
	sim_qp_poll(f->a.sdev);
	while (next < 5)
		flow_expect(test, &next, &f->a.scq, next, 0);
	flow_no_more(test, next);
	KUNIT_EXPECT_EQ(test, f->a.qp->state, MLX5_QP_STATE_RTS);
}

/* ---- refused ---- */

enum fault { SRC_KEY, SRC_RIGHT, SRC_PD, DST_KEY, DST_RIGHT, DST_PD, DST_RANGE, OPAQUE_KEY,
	     SRC_HOLE, DST_HOLE };

static const struct fault_case {
	const char *name;
	enum fault fault;
	int vio;		/* -1: recorded by host/dma.c, not here */
} fault_cases[] = {
	{ "source key unknown", SRC_KEY, SIM_VIO_mkey_lookup },
	{ "source not readable", SRC_RIGHT, SIM_VIO_mkey_access },
	{ "source of another PD", SRC_PD, SIM_VIO_mkey_pd },
	{ "destination key unknown", DST_KEY, SIM_VIO_mkey_lookup },
	{ "destination not writable", DST_RIGHT, SIM_VIO_mkey_access },
	{ "destination of another PD", DST_PD, SIM_VIO_mkey_pd },
	{ "destination too short", DST_RANGE, SIM_VIO_mkey_range },
	{ "opaque key unknown", OPAQUE_KEY, SIM_VIO_mkey_lookup },
	{ "source not mapped", SRC_HOLE, -1 },
	{ "destination not mapped", DST_HOLE, -1 },
};

KUNIT_ARRAY_PARAM_DESC(fault, fault_cases, name);

static void break_copy(struct flow *f, enum fault fault)
{
	switch (fault) {
	case SRC_KEY:
		segment(f, 1)->lkey = cpu_to_be32(FLOW_PA_KEY + 1);
		break;
	case SRC_RIGHT:
		/*
		 * the opaque segment and the destination need only the write
		 * right
		 */
		f->pa.access = SIM_MKEY_LW;
		break;
	case SRC_PD:
		f->pa.pdn = 8;
		segment(f, 0)->lkey = cpu_to_be32(FLOW_MR_KEY);
		break;
	case DST_KEY:
		segment(f, 2)->lkey = cpu_to_be32(FLOW_MR_KEY + 1);
		break;
	case DST_RIGHT:
		f->mr.access = SIM_MKEY_LR | SIM_MKEY_RR | SIM_MKEY_RW;
		break;
	case DST_PD:
		f->mr.pdn = 8;
		break;
	case DST_RANGE:
		f->mr.len64 = false;
		f->mr.start = (uintptr_t)f->a.mem + PAGE_SIZE / 2;
		f->mr.len = 7;
		break;
	case OPAQUE_KEY:
		segment(f, 0)->lkey = cpu_to_be32(FLOW_PA_KEY + 1);
		break;
	case SRC_HOLE:
		sim_dp_stub.hole = (uintptr_t)f->a.mem;
		break;
	case DST_HOLE:
		sim_dp_stub.hole = (uintptr_t)f->a.mem + PAGE_SIZE / 2;
		break;
	}
}

static void protection(struct kunit *test)
{
	const struct fault_case *c = test->param_value;
	struct flow *f = test->priv;
	u32 next = 0;
	int i;

	memset(f->a.mem, 1, 8);
	post_copy(f, CE, 8);
	flow_post(&f->a, MLX5_OPCODE_NOP, 0, f->a.mem, 0, NULL);
	break_copy(f, c->fault);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 1, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	flow_no_more(test, next);
	KUNIT_EXPECT_EQ(test, f->a.mem[PAGE_SIZE / 2], 0);
	KUNIT_EXPECT_EQ(test, f->a.qp->state, MLX5_QP_STATE_ERR);
	for (i = 0; i < SIM_VIO_MAX; i++)
		KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[i], i == c->vio);
}

static void not_enabled(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	f->a.qp->mmo = false;
	post_copy(f, CE, 8);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_wqe_opcode], 1);
	flow_no_more(test, next);
}

static void cap_set(struct sim_dev *sdev, struct sim_field f, u32 val)
{
	sim_bits_set(sim_caps_page(sdev, MLX5_CAP_GENERAL, false), f, val);
}

/*
 * A device with only the capability of send queues executes copies on QPs that
 * have not enabled copies.
 */
static void without_enabling(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	f->a.qp->mmo = false;
	cap_set(f->a.sdev, (struct sim_field)SIM_CAP_DMA_MMO_QP, 0);
	post_copy(f, CE, 8);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	flow_no_more(test, next);
}

static void too_long(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	cap_set(f->a.sdev, (struct sim_field)SIM_CAP_LOG_DMA_MMO_MAX_SIZE, 4);
	post_copy(f, CE, 16);
	post_copy(f, CE, 17);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 1, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_wqe_segment], 1);
	flow_no_more(test, next);
}

/*
 * The longest copy, of 2 GB, has a count of 0. Source and destination are keys
 * that each map a megabyte 2048 times.
 */
static void two_gigabytes(struct kunit *test)
{
	const u32 n = SZ_2G / SZ_1M;
	struct flow *f = test->priv;
	struct sim_mkey key[2];
	u32 next = 0, i, k;
	u8 *mem;

	mem = kunit_kzalloc(test, 2 * SZ_1M, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, mem);
	for (k = 0; k < 2; k++) {
		key[k] = f->pa;
		key[k].obj.id = 0x10 + k;
		key[k].mode = SIM_MKEY_KSM;
		key[k].log_page_size = 20;
		key[k].xlt_octwords = n;
		key[k].xlt_used = n;
		key[k].klm = kunit_kcalloc(test, n, sizeof(*key[k].klm), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, key[k].klm);
		for (i = 0; i < n; i++) {
			key[k].klm[i].key = FLOW_PA_KEY;
			key[k].klm[i].va = (uintptr_t)mem + k * SZ_1M;
		}
		sim_dp_stub.mkey[2 + k] = &key[k];
	}
	for (i = 0; i < SZ_1M; i += 4096)
		mem[i] = 1 + i / 4096;

	cap_set(f->a.sdev, (struct sim_field)SIM_CAP_LOG_DMA_MMO_MAX_SIZE, 0);
	post_copy(f, CE, 0);
	for (k = 0; k < 2; k++) {
		segment(f, 1 + k)->lkey = cpu_to_be32((0x10 + k) << 8 | 1);
		segment(f, 1 + k)->addr = 0;
	}
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(sim_dp_stub.cqe[0].byte_cnt), 1U << 31);
	KUNIT_EXPECT_EQ(test, f->a.sdev->ctr[SIM_CTR_copied_bytes], 1ULL << 31);
	KUNIT_EXPECT_MEMEQ(test, mem, mem + SZ_1M, SZ_1M);
}

static struct kunit_case mmo_cases[] = {
	KUNIT_CASE(copies),
	KUNIT_CASE_PARAM(fence_orders, fence_gen_params),
	KUNIT_CASE(beside_reads),
	KUNIT_CASE_PARAM(protection, fault_gen_params),
	KUNIT_CASE(not_enabled),
	KUNIT_CASE(without_enabling),
	KUNIT_CASE(too_long),
	KUNIT_CASE_SLOW(two_gigabytes),
	{}
};

static struct kunit_suite mmo_suite = {
	.name = "sim_mmo",
	.init = mmo_init,
	.exit = flow_exit,
	.test_cases = mmo_cases,
};

kunit_test_suite(mmo_suite);

MODULE_DESCRIPTION("KUnit tests of mlx5sim's memory copies");
MODULE_LICENSE("Dual BSD/GPL");
