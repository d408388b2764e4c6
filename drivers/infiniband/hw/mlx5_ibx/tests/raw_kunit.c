// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of raw WQEs: each length at each position of the ring.
 *
 * The ring copies the WQE of the caller. Only the index, which depends on the
 * ring, and the signature are replaced (mlx5dv_wr_post(3)), so the vector is
 * the WQE of the caller with these changes.
 */

#include "kunit.h"

#define MAX_DS		60	/* 15 blocks */
#define RAW_ID		0x7777
#define NEXT_ID		0x5555

static const enum ib_qp_type raw_types[] = { IB_QPT_RC, IB_QPT_UC, IB_QPT_UD, IB_QPT_DRIVER };

static void raw_desc(const enum ib_qp_type *type, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "QP type %d", *type);
}

KUNIT_ARRAY_PARAM(raw, raw_types, raw_desc);

/* fills in a WQE of @ds units of 16 bytes, all different */
static void fill_wqe(u8 *wqe, u32 ds)
{
	struct mlx5_wqe_ctrl_seg *ctrl = (void *)wqe;
	u32 i;

	for (i = 0; i < ds * IBX_DS; i++)
		wqe[i] = i % IBX_DS ? 3 * i + i / IBX_DS : i / IBX_DS;
	ctrl->opmod_idx_opcode = cpu_to_be32(0x01abcd00 | MLX5_OPCODE_NOP);
	ctrl->qpn_ds = cpu_to_be32(KT_QPN << 8 | ds);
	ctrl->signature = 0x77;
}

/* changes the WQE to the form that it must have at block @pos of the ring */
static void place_wqe(u8 *wqe, u16 pos)
{
	struct mlx5_wqe_ctrl_seg *ctrl = (void *)wqe;

	ctrl->opmod_idx_opcode = cpu_to_be32(0x01000000 | (u32)pos << 8 | MLX5_OPCODE_NOP);
	ctrl->signature = 0;
}

static void start_at(struct kt *kt, u16 pos)
{
	memset(kt->sq_ring, POISON, KT_BBS * IBX_BB);
	kt_sq_reset(&kt->qp->sq);
	kt->qp->sq.cur_post = pos;
	/* the ring has space for a WQE of 15 blocks, and a WQE of one block */
	kt->qp->sq.max_ds = MAX_DS;
	KUNIT_ASSERT_EQ(kt->test, ib_wr_start(&kt->qp->dv.qp_ex), 0);
}

static void add_block(struct kt *kt)
{
	struct ib_qp_ex *qpx = &kt->qp->dv.qp_ex;
	__be32 wqe[4] = { 0, cpu_to_be32(1) };

	qpx->wr_id = NEXT_ID;
	KUNIT_EXPECT_EQ(kt->test, mlx5dv_wr_raw_wqe(&kt->qp->dv, wqe), 0);
}

/* checks the WQE at @pos, the WQE after it, and that no other byte changed */
static void check_ring(struct kt *kt, u16 pos, const u8 *want, u32 ds, u8 *flat)
{
	const u32 blocks = DIV_ROUND_UP(ds, IBX_BB / IBX_DS);
	const struct ibx_sq *sq = &kt->qp->sq;
	const u16 next = pos + blocks;
	const u8 *second = flat + blocks * IBX_BB, *end = flat + KT_BBS * IBX_BB;

	kt_unroll(kt, pos, flat);
	KUNIT_EXPECT_EQ_MSG(kt->test, kt_first_diff(flat, want, ds * IBX_DS), ds * IBX_DS,
			    "%u units at %u", ds, pos);
	flat += ds * IBX_DS;
	KUNIT_EXPECT_NULL(kt->test, memchr_inv(flat, POISON, second - flat));
	KUNIT_EXPECT_NULL(kt->test, memchr_inv(second + IBX_DS, POISON, end - second - IBX_DS));
	KUNIT_EXPECT_EQ(kt->test, second[1] << 8 | second[2], next);
	KUNIT_EXPECT_EQ(kt->test, sq->cur_post, (u16)(next + 1));
	KUNIT_EXPECT_EQ(kt->test, sq->head - sq->tail, 2);
	KUNIT_EXPECT_EQ(kt->test, be32_to_cpu(kt->dbr[MLX5_SND_DBR]), sq->cur_post);
	KUNIT_EXPECT_EQ(kt->test, sq->shadow[pos & sq->mask].wr_id, RAW_ID);
	KUNIT_EXPECT_EQ(kt->test, sq->shadow[pos & sq->mask].next, next);
	KUNIT_EXPECT_EQ(kt->test, sq->shadow[next & sq->mask].wr_id, NEXT_ID);
}

static void raw_lengths(struct kunit *test)
{
	struct kt *kt = kt_create(test, *(const enum ib_qp_type *)test->param_value);
	u8 *wqe = kunit_kzalloc(test, MAX_DS * IBX_DS, GFP_KERNEL);
	u8 *flat = kunit_kzalloc(test, KT_BBS * IBX_BB, GFP_KERNEL);
	u16 pos;
	u32 ds;

	KUNIT_ASSERT_NOT_NULL(test, wqe);
	KUNIT_ASSERT_NOT_NULL(test, flat);
	for (pos = 0xffff - KT_BBS; pos != KT_BBS; pos++)
		for (ds = 1; ds <= MAX_DS; ds++) {
			start_at(kt, pos);
			fill_wqe(wqe, ds);
			kt->qp->dv.qp_ex.wr_id = RAW_ID;
			KUNIT_EXPECT_EQ(test, mlx5dv_wr_raw_wqe(&kt->qp->dv, wqe), 0);
			add_block(kt);
			KUNIT_ASSERT_EQ(test, ib_wr_complete(&kt->qp->dv.qp_ex), 0);
			place_wqe(wqe, pos);
			check_ring(kt, pos, wqe, ds, flat);
		}
}

/* a length of 0, and lengths that are not allowed on the QP, are refused */
static void raw_bad_lengths(struct kunit *test)
{
	static const u32 bad[] = { 0, MAX_DS + 1, 63 };
	struct kt *kt = kt_create(test, IB_QPT_RC);
	__be32 wqe[4] = {};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		start_at(kt, 0);
		wqe[1] = cpu_to_be32(KT_QPN << 8 | bad[i]);
		KUNIT_EXPECT_EQ(test, mlx5dv_wr_raw_wqe(&kt->qp->dv, wqe), -EINVAL);
		KUNIT_EXPECT_EQ(test, ib_wr_complete(&kt->qp->dv.qp_ex), -EINVAL);
		KUNIT_EXPECT_EQ(test, kt->qp->sq.cur_post, 0);
	}
}

static struct kunit_case raw_tests[] = {
	KUNIT_CASE_PARAM(raw_lengths, raw_gen_params),
	KUNIT_CASE(raw_bad_lengths),
	{}
};

static struct kunit_suite raw_suite = {
	.name = "mlx5_ibx_raw",
	.test_cases = raw_tests,
};

kunit_test_suite(raw_suite);
