// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fences after UMRs.
 *
 * The rules come from the drivers for the device. SPDK (spdk_internal/mlx5.h):
 * the small fence waits for local WQEs, the fence for READs and atomics, strong
 * ordering for all WQEs. The first RDMA operation that uses an mkey must have
 * the small fence. mlx5_ib: the WQE after IB_WR_REG_MR has the small fence, or
 * the small fence and the fence. The WQE after IB_WR_LOCAL_INV has no fence.
 * libmlx5: the WQE after any UMR has the small fence.
 */
#include "core/core.h"
#include "dp/dp.h"
#include "obj/obj.h"
#include "tests/flow.h"

#define CE	MLX5_WQE_CTRL_CQ_UPDATE
#define OLD_KEY	0x301
#define NEW_KEY	0x302

/* the key that UMRs change, at end a */
static struct sim_mkey fence_mkey;

static int fence_init(struct kunit *test)
{
	struct flow *f;
	int err;

	err = flow_init(test);
	if (err)
		return err;
	f = test->priv;
	fence_mkey = f->mr;
	fence_mkey.obj.id = OLD_KEY >> 8;
	fence_mkey.access_made = fence_mkey.access;
	fence_mkey.umr_en = true;
	sim_dp_stub.mkey[2] = &fence_mkey;
	flow_post_recv(&f->b, f->b.mem, 8);
	flow_post_recv(&f->b, f->b.mem + 8, 8);
	strscpy(f->a.mem, "data", 8);
	return 0;
}

/* Posts a UMR of @key without translations, which has two basic blocks. */
static struct mlx5_wqe_umr_ctrl_seg *post_umr(struct flow_end *e, u8 fm, u32 key, u64 mask)
{
	struct mlx5_wqe_ctrl_seg *ctrl = (void *)(e->ring + (e->posted % FLOW_RING) *
						  MLX5_SEND_WQE_BB);
	struct mlx5_wqe_umr_ctrl_seg *umr = (struct mlx5_wqe_umr_ctrl_seg *)(ctrl + 1);

	flow_post(e, MLX5_OPCODE_UMR, CE | fm, NULL, 0, NULL);
	memset(umr, 0, 2 * MLX5_SEND_WQE_BB - sizeof(*ctrl));
	ctrl->qpn_ds = cpu_to_be32(sim_qp_qpn(e->qp) << 8 | 8);
	ctrl->imm = cpu_to_be32(key);
	umr->flags = MLX5_UMR_INLINE;
	umr->mkey_mask = cpu_to_be64(mask);
	e->dbr[MLX5_SND_DBR] = cpu_to_be32(++e->posted);
	return umr;
}

/* Posts a UMR that makes the key valid as NEW_KEY. */
static void post_reg(struct flow_end *e, u8 fm)
{
	struct mlx5_wqe_umr_ctrl_seg *umr = post_umr(e, fm, NEW_KEY, MLX5_MKEY_MASK_FREE |
						     MLX5_MKEY_MASK_KEY | MLX5_MKEY_MASK_LEN);
	struct mlx5_mkey_seg *seg = (struct mlx5_mkey_seg *)(umr + 1);

	umr->flags |= MLX5_UMR_CHECK_NOT_FREE;
	seg->qpn_mkey7_0 = cpu_to_be32(0xffffff00 | (NEW_KEY & 0xff));
	seg->flags_pd = cpu_to_be32(BIT(31));	/* length64 */
}

static void post_inv(struct flow_end *e, u8 fm)
{
	struct mlx5_mkey_seg *seg = (void *)(post_umr(e, fm, OLD_KEY, MLX5_MKEY_MASK_FREE) + 1);

	seg->status = MLX5_MKEY_STATUS_FREE;
}

/* Posts a SEND of the first 8 bytes of the memory of @e. */
static void post_send(struct flow_end *e, u8 fm, u32 key)
{
	struct mlx5_wqe_data_seg *data = (void *)(e->ring + (e->posted % FLOW_RING) *
						  MLX5_SEND_WQE_BB +
						  sizeof(struct mlx5_wqe_ctrl_seg));

	flow_post(e, MLX5_OPCODE_SEND, CE | fm, e->mem, 8, NULL);
	data->lkey = cpu_to_be32(key);
}

static void expect_vio(struct kunit *test, enum sim_vio vio, u32 n)
{
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[vio], n);
}

static const struct mode_case {
	const char *name;
	u8 fm;
	bool waits;
} mode_cases[] = {
	{ "none", MLX5_FENCE_MODE_NONE, false },
	{ "small", MLX5_FENCE_MODE_INITIATOR_SMALL, true },
	{ "fence", MLX5_FENCE_MODE_FENCE, false },
	{ "strong ordering", MLX5_FENCE_MODE_STRONG_ORDERING, true },
	{ "small and fence", MLX5_FENCE_MODE_SMALL_AND_FENCE, true },
};

KUNIT_ARRAY_PARAM_DESC(mode, mode_cases, name);

/* A key that is registered and used in one chain */
static void registered(struct kunit *test)
{
	const struct mode_case *c = test->param_value;
	struct flow *f = test->priv;
	u32 next = 0;

	fence_mkey.free = true;
	post_reg(&f->a, 0);
	post_send(&f->a, c->fm, NEW_KEY);
	sim_qp_poll(f->a.sdev);
	if (!c->waits) {
		flow_expect(test, &next, &f->a.scq, 0, 0);
		flow_expect(test, &next, &f->a.scq, 2, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	} else {
		flow_expect(test, &next, &f->a.scq, 0, 0);
		flow_expect(test, &next, &f->b.rcq, 0, 0);
		flow_expect(test, &next, &f->a.scq, 2, 0);
	}
	flow_no_more(test, next);
	expect_vio(test, SIM_VIO_fence_missing, !c->waits);
	expect_vio(test, SIM_VIO_mkey_lookup, !c->waits);
}

/* A key that is invalidated and used in one chain: the fence is optional */
static void invalidated(struct kunit *test)
{
	const struct mode_case *c = test->param_value;
	struct flow *f = test->priv;
	u32 next = 0;

	post_inv(&f->a, 0);
	post_send(&f->a, c->fm, OLD_KEY);
	sim_qp_poll(f->a.sdev);
	if (!c->waits)
		flow_expect(test, &next, &f->b.rcq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 2,
		    c->waits ? MLX5_CQE_SYNDROME_LOCAL_PROT_ERR : 0);
	flow_no_more(test, next);
	KUNIT_EXPECT_TRUE(test, fence_mkey.free);
	expect_vio(test, SIM_VIO_fence_missing, 0);
	expect_vio(test, SIM_VIO_mkey_lookup, c->waits);
}

/* The chain of rdma_rw: UMRs need no fence and keep their order. */
static void umrs_in_order(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	post_inv(&f->a, 0);
	post_reg(&f->a, 0);
	post_send(&f->a, MLX5_FENCE_MODE_INITIATOR_SMALL, NEW_KEY);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 2, 0);
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 4, 0);
	flow_no_more(test, next);
	expect_vio(test, SIM_VIO_fence_missing, 0);
}

/*
 * One fence is enough for all later WQEs, also the fence of a NOP. A missing
 * fence is counted once.
 */
static void one_fence(struct kunit *test)
{
	struct flow *f = test->priv;

	fence_mkey.free = true;
	post_reg(&f->a, 0);
	flow_post(&f->a, MLX5_OPCODE_NOP, 0, NULL, 0, NULL);
	flow_post(&f->a, MLX5_OPCODE_NOP, MLX5_FENCE_MODE_INITIATOR_SMALL, NULL, 0, NULL);
	post_send(&f->a, 0, NEW_KEY);
	post_send(&f->a, 0, NEW_KEY);
	sim_qp_poll(f->a.sdev);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.cqes, 5);
	expect_vio(test, SIM_VIO_fence_missing, 0);

	flow_post_recv(&f->b, f->b.mem, 8);
	flow_post_recv(&f->b, f->b.mem, 8);
	post_umr(&f->a, 0, NEW_KEY, 0);
	post_send(&f->a, 0, FLOW_PA_KEY);
	post_send(&f->a, 0, FLOW_PA_KEY);
	sim_qp_poll(f->a.sdev);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.cqes, 10);
	expect_vio(test, SIM_VIO_fence_missing, 1);
}

/* A driver that waits for the completion of the UMR needs no fence. */
static void after_completion(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	fence_mkey.free = true;
	post_reg(&f->a, 0);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	KUNIT_EXPECT_FALSE(test, fence_mkey.free);
	post_send(&f->a, 0, NEW_KEY);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 2, 0);
	flow_no_more(test, next);
	expect_vio(test, SIM_VIO_fence_missing, 0);
}

/* A small fence waits for a UMR, but not for the READ before it. */
static void small_beside_read(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	strscpy(f->b.mem + 100, "read", 8);
	fence_mkey.free = true;
	flow_post(&f->a, MLX5_OPCODE_RDMA_READ, CE, f->a.mem, 8, f->b.mem + 100);
	post_reg(&f->a, 0);
	post_send(&f->a, MLX5_FENCE_MODE_INITIATOR_SMALL, NEW_KEY);
	post_send(&f->a, MLX5_FENCE_MODE_FENCE, NEW_KEY);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 1, 0);
	flow_expect(test, &next, &f->a.scq, 3, 0);
	flow_expect(test, &next, &f->b.rcq, 1, 0);
	flow_expect(test, &next, &f->a.scq, 4, 0);
	flow_no_more(test, next);
	KUNIT_EXPECT_STREQ(test, f->b.mem, "data");
	KUNIT_EXPECT_STREQ(test, f->b.mem + 8, "read");
	expect_vio(test, SIM_VIO_fence_missing, 0);
}

/*
 * A UMR fails after a later WQE was executed. The later WQE is still flushed.
 */
static void fails_late(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	post_reg(&f->a, 0);	/* requires a free key, but the key is valid */
	post_send(&f->a, 0, FLOW_PA_KEY);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->b.rcq, 0, 0);
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_MW_BIND_ERR);
	flow_expect(test, &next, &f->a.scq, 2, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	flow_no_more(test, next);
	expect_vio(test, SIM_VIO_umr_state, 1);
}

/* A UMR fails before a WQE with a fence: that WQE is not executed. */
static void fails_at_the_fence(struct kunit *test)
{
	struct flow *f = test->priv;
	u32 next = 0;

	post_reg(&f->a, 0);
	post_send(&f->a, MLX5_FENCE_MODE_INITIATOR_SMALL, FLOW_PA_KEY);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 0, MLX5_CQE_SYNDROME_MW_BIND_ERR);
	sim_qp_poll(f->a.sdev);
	flow_expect(test, &next, &f->a.scq, 2, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	flow_no_more(test, next);
	expect_vio(test, SIM_VIO_fence_missing, 0);
}

static struct kunit_case fence_cases[] = {
	KUNIT_CASE_PARAM(registered, mode_gen_params),
	KUNIT_CASE_PARAM(invalidated, mode_gen_params),
	KUNIT_CASE(umrs_in_order),
	KUNIT_CASE(one_fence),
	KUNIT_CASE(after_completion),
	KUNIT_CASE(small_beside_read),
	KUNIT_CASE(fails_late),
	KUNIT_CASE(fails_at_the_fence),
	{}
};

static struct kunit_suite fence_suite = {
	.name = "sim_fence",
	.init = fence_init,
	.exit = flow_exit,
	.test_cases = fence_cases,
};

kunit_test_suite(fence_suite);

MODULE_DESCRIPTION("KUnit tests of mlx5sim's fences");
MODULE_LICENSE("Dual BSD/GPL");
