// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of SG_GAPS MRs: the mkey that a map picks, the keys of the MR
 * after the map, and the refusal to register one key while the other may be
 * valid (wq/key_marks.c). sg_list_partial_kunit.c tests the lists.
 */

#include "kunit.h"

#define MAX_SG		6
#define MTT_KEY		0x111100
#define KLM_KEY		0x222200
#define ENTRIES		4

struct gaps {
	struct kt *kt;
	struct ib_pd pd;
	struct ibx_mr mr;
	u8 list[ENTRIES * 16];
	struct scatterlist sgl[MAX_SG];
	struct ib_reg_wr reg;
	struct ib_send_wr inv;
};

static void marks_exit(void *marks)
{
	ibx_key_marks_exit(marks);
}

static struct gaps *new_gaps(struct kunit *test)
{
	struct gaps *g = kunit_kzalloc(test, sizeof(*g), GFP_KERNEL);
	struct ibx_key_marks *marks;

	KUNIT_ASSERT_NOT_NULL(test, g);
	g->kt = kt_create(test, IB_QPT_RC);
	marks = &g->kt->dev->key_marks;
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, marks_exit, marks), 0);
	KUNIT_ASSERT_EQ(test, ibx_key_mark_add(marks, MTT_KEY), 0);
	KUNIT_ASSERT_EQ(test, ibx_key_mark_add(marks, KLM_KEY), 0);

	g->pd.local_dma_lkey = 0x00c0ffee;
	g->mr.ibmr.pd = &g->pd;
	g->mr.ibmr.page_size = 4096;
	g->mr.ibmr.rkey = MTT_KEY;
	g->mr.ibmr.lkey = MTT_KEY;
	g->mr.mkey = MTT_KEY;
	g->mr.other = KLM_KEY;
	g->mr.mode = MLX5_MKC_ACCESS_MODE_MTT;
	g->mr.gaps = true;
	g->mr.list = g->list;
	g->mr.max_ents = ENTRIES;
	g->mr.max_shift = IBX_MAX_PAGE_SHIFT;
	sg_init_table(g->sgl, MAX_SG);
	return g;
}

static void set_sg(struct gaps *g, int i, u64 addr, u32 len)
{
	sg_dma_address(&g->sgl[i]) = addr;
	sg_dma_len(&g->sgl[i]) = len;
}

/* maps a list of pages, or with @gaps a list with a gap */
static int map(struct gaps *g, bool gaps)
{
	set_sg(g, 0, 0x10000, gaps ? 0x10 : 0x1000);
	set_sg(g, 1, 0x30000, 0x1000);
	return ibx_map_mr_sg(&g->mr.ibmr, g->sgl, 2, NULL);
}

static int post_reg(struct gaps *g)
{
	const struct ib_send_wr *bad;

	g->reg = (struct ib_reg_wr){
		.wr = { .opcode = IB_WR_REG_MR },
		.mr = &g->mr.ibmr,
		.key = g->mr.ibmr.rkey,
	};
	return ibx_post_send(&g->kt->qp->ibqp, &g->reg.wr, &bad);
}

static int post_inv(struct gaps *g, u32 rkey)
{
	const struct ib_send_wr *bad;

	g->inv = (struct ib_send_wr){
		.opcode = IB_WR_LOCAL_INV,
		.ex.invalidate_rkey = rkey,
	};
	return ibx_post_send(&g->kt->qp->ibqp, &g->inv, &bad);
}

struct pick_case {
	const char *name;
	struct {
		u64 addr;
		u32 len;
	} sg[MAX_SG];
	int nents;
	unsigned int offset;
	u32 page_size;
	/* expected results */
	int ret;
	u8 mode;
	u32 nents_out;
	u64 length;
};

#define PAGES	MLX5_MKC_ACCESS_MODE_MTT
#define RANGES	MLX5_MKC_ACCESS_MODE_KLMS

static const struct pick_case pick_cases[] = {
	{ "pages", { { 0x10000, 0x1000 }, { 0x30000, 0x1000 } }, 2, 0, 4096, 2, PAGES, 2, 0x2000 },
	{ "one range, not aligned", { { 0x10123, 0x2000 } }, 1, 0, 4096, 1, PAGES, 3, 0x2000 },
	{ "gap", { { 0x10000, 0x10 }, { 0x30000, 0x10 } }, 2, 0, 4096, 2, RANGES, 2, 0x20 },
	{ "gap, then a range in two elements", { { 0x10000, 0x10 }, { 0x30000, 0x10 },
	    { 0x30010, 0x20 } }, 3, 0, 4096, 3, RANGES, 2, 0x40 },
	{ "gap, then an empty one", { { 0x10000, 0x10 }, { 0x30000, 0x10 }, { 0x50000, 0 } },
	  3, 0, 4096, 3, RANGES, 2, 0x20 },
	{ "gap, then one of more than 2 GiB", { { 0x10000, 0x10 }, { 0x30000, 0x80000008 } },
	  2, 0, 4096, 2, RANGES, 3, 0x80000018 },
	{ "gap, and few ranges in more elements than entries", { { 0x10000, 0x10 },
	    { 0x30000, 0x10 }, { 0x30010, 0x10 }, { 0x50000, 0x10 }, { 0x60000, 0x10 } },
	  5, 0, 4096, 5, RANGES, 4, 0x50 },
	{ "gap, and a range at address 0", { { 0, 0x10 }, { 0x30000, 0x10 } }, 2, 0, 4096,
	  2, RANGES, 2, 0x20 },
	{ "gap at the end", { { 0x10000, 0x1000 }, { 0x20000, 0x1000 }, { 0x30001, 1 } }, 3, 0,
	  4096, 3, RANGES, 3, 0x2001 },
	{ "more pages than entries, few ranges", { { 0x10000, 0x5000 }, { 0x30000, 0x1000 } }, 2, 0,
	  4096, 2, RANGES, 2, 0x6000 },
	{ "more of both", { { 0x10000, 0x5000 }, { 0x30001, 1 }, { 0x40001, 1 }, { 0x50001, 1 },
	    { 0x60001, 1 } }, 5, 0, 4096, 4, RANGES, 4, 0x5003 },
	{ "more pages of 4 KiB, few of 64 KiB", { { 0x10000, 0x20000 } }, 1, 0, 65536,
	  1, PAGES, 2, 0x20000 },
	{ "no page size", { { 0x10000, 0x1000 }, { 0x30000, 0x1000 } }, 2, 0, 0,
	  2, PAGES, 2, 0x2000 },
	{ "a page size that is none", { { 0x10000, 0x1000 }, { 0x30000, 0x1000 } }, 2, 0, 12345,
	  2, PAGES, 2, 0x2000 },
	{ "offset into a gap", { { 0x10000, 0x100 }, { 0x30000, 0x10 } }, 2, 0xf0, 4096,
	  2, RANGES, 2, 0x20 },
	{ "offset past the gap", { { 0x10000, 0x100 }, { 0x30010, 0x10 } }, 2, 0x100, 4096,
	  2, PAGES, 1, 0x10 },
};

KUNIT_ARRAY_PARAM_DESC(pick, pick_cases, name);

/* the ranges are the bytes of the elements in their order, and zeroes follow */
static void expect_ranges(struct kunit *test, const struct gaps *g, const struct pick_case *c)
{
	const struct mlx5_klm *klm = (void *)g->list;
	u64 va = be64_to_cpu(klm->va);
	u32 left = be32_to_cpu(klm->bcount);
	u32 len, n = 0;
	int i;

	for (i = 0; i < c->ret; i++) {
		u64 addr = c->sg[i].addr + (i ? 0 : c->offset);
		u64 more = c->sg[i].len - (i ? 0 : c->offset);

		for (; more; more -= len, addr += len) {
			if (!left) {
				KUNIT_ASSERT_LT(test, ++n, (u32)ENTRIES);
				va = be64_to_cpu(klm[n].va);
				left = be32_to_cpu(klm[n].bcount);
			}
			KUNIT_ASSERT_NE(test, left, 0u);
			KUNIT_EXPECT_EQ(test, va, addr);
			KUNIT_EXPECT_EQ(test, be32_to_cpu(klm[n].key), g->pd.local_dma_lkey);
			len = min_t(u64, left, more);
			va += len;
			left -= len;
		}
	}
	KUNIT_EXPECT_EQ(test, left, 0u);
	KUNIT_EXPECT_EQ(test, n + 1, c->nents_out);
	KUNIT_EXPECT_NULL(test, memchr_inv(klm + n + 1, 0, (ENTRIES - n - 1) * sizeof(*klm)));
}

/*
 * The mkey that a map picks does not depend on the previous map. A map attaches
 * all elements that fit.
 */
static void picks(struct kunit *test)
{
	const struct pick_case *c = test->param_value;
	struct gaps *g = new_gaps(test);
	unsigned int offset;
	int round, i;

	for (round = 0; round < 2; round++) {
		KUNIT_EXPECT_EQ(test, map(g, round), 2);
		for (i = 0; i < c->nents; i++)
			set_sg(g, i, c->sg[i].addr, c->sg[i].len);
		offset = c->offset;
		g->mr.ibmr.page_size = c->page_size;
		KUNIT_EXPECT_EQ(test, ibx_map_mr_sg(&g->mr.ibmr, g->sgl, c->nents, &offset),
				c->ret);
		KUNIT_EXPECT_EQ(test, offset, 0);
		KUNIT_EXPECT_EQ(test, g->mr.mode, c->mode);
		KUNIT_EXPECT_EQ(test, g->mr.mkey, c->mode == PAGES ? MTT_KEY : KLM_KEY);
		KUNIT_EXPECT_EQ(test, g->mr.other, c->mode == PAGES ? KLM_KEY : MTT_KEY);
		KUNIT_EXPECT_EQ(test, g->mr.ibmr.rkey & ~0xff, g->mr.mkey);
		KUNIT_EXPECT_EQ(test, g->mr.ibmr.lkey, g->mr.ibmr.rkey);
		KUNIT_EXPECT_EQ(test, g->mr.nents, c->nents_out);
		KUNIT_EXPECT_EQ(test, g->mr.ibmr.length, c->length);
		KUNIT_EXPECT_EQ(test, g->mr.ibmr.iova, c->offset == c->sg[0].len ?
				c->sg[1].addr : c->sg[0].addr + c->offset);
		if (c->mode == RANGES)
			expect_ranges(test, g, c);
	}
}

static void refused_leaves_the_keys(struct kunit *test)
{
	struct gaps *g = new_gaps(test);
	unsigned int offset = 0x1001;
	u32 rkey;

	KUNIT_EXPECT_EQ(test, map(g, true), 2);
	rkey = g->mr.ibmr.rkey;
	set_sg(g, 0, 0x10000, 0x1000);
	KUNIT_EXPECT_EQ(test, ibx_map_mr_sg(&g->mr.ibmr, g->sgl, 0, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, ibx_map_mr_sg(&g->mr.ibmr, g->sgl, 1, &offset), -EINVAL);
	KUNIT_EXPECT_EQ(test, offset, 0x1001);
	KUNIT_EXPECT_EQ(test, g->mr.ibmr.rkey, rkey);
}

/* no key repeats if a ULP increments the low byte before or after each map */
static void one_count_for_both_keys(struct kunit *test)
{
	static const bool gaps[] = { false, true, true, false, true, false, false };
	struct gaps *g = new_gaps(test);
	u32 seen[2 * ARRAY_SIZE(gaps)];
	int i, j, n = 0;

	for (i = 0; i < ARRAY_SIZE(gaps); i++) {
		ib_update_fast_reg_key(&g->mr.ibmr, ib_inc_rkey(g->mr.ibmr.rkey));
		KUNIT_EXPECT_EQ(test, map(g, gaps[i]), 2);
		seen[n++] = g->mr.ibmr.rkey;
		KUNIT_EXPECT_EQ(test, map(g, !gaps[i]), 2);
		ib_update_fast_reg_key(&g->mr.ibmr, ib_inc_rkey(g->mr.ibmr.rkey));
		seen[n++] = g->mr.ibmr.rkey;
	}
	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_NE(test, seen[i], seen[j]);
}

/* the key that the map did not pick cannot be registered */
static void registers_the_picked_key_only(struct kunit *test)
{
	struct gaps *g = new_gaps(test);
	const struct ib_send_wr *bad;

	KUNIT_EXPECT_EQ(test, map(g, true), 2);
	KUNIT_EXPECT_EQ(test, post_reg(g), 0);
	g->reg.key = MTT_KEY;
	KUNIT_EXPECT_EQ(test, ibx_post_send(&g->kt->qp->ibqp, &g->reg.wr, &bad), -EINVAL);
}

static void other_key_registered(struct kunit *test)
{
	struct gaps *g = new_gaps(test);
	u16 at;

	KUNIT_EXPECT_EQ(test, map(g, false), 2);
	KUNIT_EXPECT_EQ(test, post_reg(g), 0);
	/* as iSER: map while the old key is valid, invalidate, then register */
	KUNIT_EXPECT_EQ(test, map(g, true), 2);
	at = g->kt->qp->sq.cur_post;
	KUNIT_EXPECT_EQ(test, post_reg(g), -EBUSY);
	KUNIT_EXPECT_EQ(test, g->kt->qp->sq.cur_post, at);
	/* an invalidation of another MR's key does not clear the mark */
	KUNIT_EXPECT_EQ(test, post_inv(g, MTT_KEY + 0x100), 0);
	KUNIT_EXPECT_EQ(test, post_reg(g), -EBUSY);
	KUNIT_EXPECT_EQ(test, post_inv(g, MTT_KEY), 0);
	KUNIT_EXPECT_EQ(test, post_reg(g), 0);
	/* the same with the two keys swapped */
	KUNIT_EXPECT_EQ(test, map(g, false), 2);
	KUNIT_EXPECT_EQ(test, post_reg(g), -EBUSY);
}

/* the driver does not refuse a second registration of a key; the device does */
static void same_key_registered(struct kunit *test)
{
	struct gaps *g = new_gaps(test);

	KUNIT_EXPECT_EQ(test, map(g, true), 2);
	KUNIT_EXPECT_EQ(test, post_reg(g), 0);
	KUNIT_EXPECT_EQ(test, post_reg(g), 0);
}

static void completes(struct gaps *g, u8 opcode, u16 wqe, u8 syndrome, u32 inval_rkey)
{
	struct ibx_cqb *cqb = &g->kt->cq->cqb;
	struct mlx5_cqe64 *cqe = cqb->buf + (cqb->ci & (cqb->cqe_cnt - 1)) * sizeof(*cqe);
	struct ib_wc wc;

	memset(cqe, 0, sizeof(*cqe));
	cqe->sop_drop_qpn = cpu_to_be32(KT_QPN);
	cqe->wqe_counter = cpu_to_be16(wqe);
	if (syndrome)
		((struct mlx5_err_cqe *)cqe)->syndrome = syndrome;
	else
		cqe->inval_rkey = cpu_to_be32(inval_rkey);
	cqe->op_own = opcode << 4 | (cqb->ci & cqb->cqe_cnt ? MLX5_CQE_OWNER_MASK : 0);
	KUNIT_ASSERT_EQ(g->kt->test, ibx_poll_cq(&g->kt->cq->ibcq, 1, &wc), 1);
}

static void peer_invalidates(struct kunit *test)
{
	struct gaps *g = new_gaps(test);

	KUNIT_EXPECT_EQ(test, map(g, false), 2);
	KUNIT_EXPECT_EQ(test, post_reg(g), 0);
	KUNIT_EXPECT_EQ(test, map(g, true), 2);
	completes(g, MLX5_CQE_RESP_SEND_INV, 0, 0, KLM_KEY);
	KUNIT_EXPECT_EQ(test, post_reg(g), -EBUSY);
	completes(g, MLX5_CQE_RESP_SEND_INV, 0, 0, MTT_KEY | 0x55);
	KUNIT_EXPECT_EQ(test, post_reg(g), 0);
}

/* after a flushed invalidation, the key may still be valid */
static void failed_invalidation(struct kunit *test)
{
	struct gaps *g = new_gaps(test);
	u16 at;

	KUNIT_EXPECT_EQ(test, map(g, false), 2);
	KUNIT_EXPECT_EQ(test, post_reg(g), 0);
	at = g->kt->qp->sq.cur_post;
	KUNIT_EXPECT_EQ(test, post_inv(g, MTT_KEY), 0);
	completes(g, MLX5_CQE_REQ_ERR, at, MLX5_CQE_SYNDROME_WR_FLUSH_ERR, 0);
	KUNIT_EXPECT_EQ(test, map(g, true), 2);
	KUNIT_EXPECT_EQ(test, post_reg(g), -EBUSY);
	KUNIT_EXPECT_EQ(test, post_inv(g, MTT_KEY), 0);
	KUNIT_EXPECT_EQ(test, post_reg(g), 0);
}

/* the driver flushes the invalidation after a CQ error: the key may be valid */
static void flushed_invalidation(struct kunit *test)
{
	struct gaps *g = new_gaps(test);
	u16 at = g->kt->qp->sq.cur_post;
	struct ib_wc wc;

	KUNIT_EXPECT_EQ(test, map(g, false), 2);
	KUNIT_EXPECT_EQ(test, post_reg(g), 0);
	completes(g, MLX5_CQE_REQ, at, 0, 0);
	g->kt->cq->flushes = true;
	g->kt->qp->state = IB_QPS_ERR;
	g->kt->qp->stopped = true;
	KUNIT_EXPECT_EQ(test, post_inv(g, MTT_KEY), 0);
	KUNIT_EXPECT_EQ(test, ibx_poll_cq(&g->kt->cq->ibcq, 1, &wc), 1);
	KUNIT_EXPECT_EQ(test, wc.status, IB_WC_WR_FLUSH_ERR);

	g->kt->qp->state = IB_QPS_RTS;
	KUNIT_EXPECT_EQ(test, map(g, true), 2);
	KUNIT_EXPECT_EQ(test, post_reg(g), -EBUSY);
}

/* after a registration with an error, the key may be valid */
static void failed_registration(struct kunit *test)
{
	struct gaps *g = new_gaps(test);
	u16 at;

	KUNIT_EXPECT_EQ(test, map(g, false), 2);
	at = g->kt->qp->sq.cur_post;
	KUNIT_EXPECT_EQ(test, post_reg(g), 0);
	KUNIT_EXPECT_EQ(test, post_inv(g, MTT_KEY), 0);
	completes(g, MLX5_CQE_REQ_ERR, at, MLX5_CQE_SYNDROME_MW_BIND_ERR, 0);
	KUNIT_EXPECT_EQ(test, map(g, true), 2);
	KUNIT_EXPECT_EQ(test, post_reg(g), -EBUSY);
}

/* keys in different pieces of the marks; ibx_key_mark_add() clears a mark */
static void live_marks(struct kunit *test)
{
	static const u32 keys[] = { 0, 0x100, 0x7fffff00, 0x800000, 0x7fff00, 0xffffff00 };
	struct ibx_key_marks *marks = kunit_kzalloc(test, sizeof(*marks), GFP_KERNEL);
	int i, j;

	KUNIT_ASSERT_NOT_NULL(test, marks);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, marks_exit, marks), 0);
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		ibx_key_mark_set(marks, keys[i]);
		ibx_key_mark_clear(marks, keys[i]);
		KUNIT_EXPECT_FALSE(test, ibx_key_mark_test(marks, keys[i]));
		KUNIT_ASSERT_EQ(test, ibx_key_mark_add(marks, keys[i]), 0);
	}
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		ibx_key_mark_set(marks, keys[i] | 0xa5);
		for (j = 0; j < ARRAY_SIZE(keys); j++)
			KUNIT_EXPECT_EQ(test, ibx_key_mark_test(marks, keys[j]), i == j);
		KUNIT_ASSERT_EQ(test, ibx_key_mark_add(marks, keys[i]), 0);
		KUNIT_EXPECT_FALSE(test, ibx_key_mark_test(marks, keys[i]));
	}
}

static struct kunit_case gaps_tests[] = {
	KUNIT_CASE_PARAM(picks, pick_gen_params),
	KUNIT_CASE(refused_leaves_the_keys),
	KUNIT_CASE(one_count_for_both_keys),
	KUNIT_CASE(registers_the_picked_key_only),
	KUNIT_CASE(other_key_registered),
	KUNIT_CASE(same_key_registered),
	KUNIT_CASE(peer_invalidates),
	KUNIT_CASE(failed_invalidation),
	KUNIT_CASE(flushed_invalidation),
	KUNIT_CASE(failed_registration),
	KUNIT_CASE(live_marks),
	{}
};

static struct kunit_suite gaps_suite = {
	.name = "mlx5_ibx_gaps",
	.test_cases = gaps_tests,
};

kunit_test_suite(gaps_suite);
