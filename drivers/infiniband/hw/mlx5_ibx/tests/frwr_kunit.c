// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of ib_mr_set_*(): the members of the MR after the call, and
 * the WQE of its registration. sg_list_kunit.c tests the lists.
 */

#include "kunit.h"

#define MAX_PIECES	6
#define ENTRIES		16
#define MTT_KEY		0x111100
#define KLM_KEY		0x222200
#define BUS		0x700000000000

struct piece {
	u64 addr;
	u32 len;
};

struct set {
	struct kt *kt;
	struct ib_pd pd;
	struct ibx_mr mr;
	u8 list[ENTRIES * 16];
	struct ib_reg_wr reg;
};

static struct set *new_set(struct kunit *test, bool gaps)
{
	struct set *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->kt = kt_create(test, IB_QPT_RC);
	s->pd.local_dma_lkey = 0x00c0ffee;
	s->mr.ibmr.device = &s->kt->dev->ibdev;
	s->mr.ibmr.page_size = 4096;	/* ib_frwr sets it */
	s->mr.ibmr.pd = &s->pd;
	s->mr.ibmr.rkey = MTT_KEY | 0x17;
	s->mr.ibmr.lkey = s->mr.ibmr.rkey;
	s->mr.mkey = MTT_KEY;
	s->mr.other = KLM_KEY;
	s->mr.mode = MLX5_MKC_ACCESS_MODE_MTT;
	s->mr.gaps = gaps;
	s->mr.list = s->list;
	s->mr.list_dma = 0x7766554433221800;
	s->mr.max_ents = ENTRIES;
	s->mr.max_shift = IBX_MAX_PAGE_SHIFT;
	return s;
}

static int set_sg(struct set *s, const struct piece *p, int n)
{
	struct scatterlist sgl[MAX_PIECES];
	int i;

	sg_init_table(sgl, MAX_PIECES);
	for (i = 0; i < n; i++) {
		sg_dma_address(&sgl[i]) = BUS + p[i].addr;
		sg_dma_len(&sgl[i]) = p[i].len;
	}
	return ibx_frwr.set_sg(&s->mr.ibmr, sgl, n);
}

struct set_case {
	const char *name;
	struct piece in[MAX_PIECES];
	int nents;
	bool gaps;
	int ret;
	u8 shift;		/* log2 of the page size; 0 for ranges */
	u32 n;
};

static const struct set_case set_cases[] = {
	{ "a page", { { 0x10000, 0x1000 } }, 1, 0, 0, 12, 1 },
	{ "scattered", { { 0x11000, 0x1000 }, { 0x33000, 0x1000 }, { 0x22000, 0x1000 } }, 3, 0, 0,
	  12, 3 },
	{ "contiguous", { { 0x10000, 0x1000 }, { 0x11000, 0x1000 }, { 0x12000, 0x2000 } }, 3, 0, 0,
	  14, 1 },
	{ "gap", { { 0x10000, 0x10 }, { 0x30010, 0x10 } }, 2, 1, 0, 0, 2 },
	{ "no gap, though there may be", { { 0x11000, 0x1000 }, { 0x33000, 0x10 } }, 2, 1, 0,
	  12, 2 },
	{ "hole", { { 0x11000, 0x10 }, { 0x33000, 0x1000 } }, 2, 0, -EINVAL },
	{ "empty last", { { 0x11000, 0x1000 }, { 0x33000, 0x1000 }, { 0x34000, 0 } }, 3, 1,
	  -EINVAL },
	{ "gap, then a range in two elements", { { 0x10000, 0x10 }, { 0x30010, 0x10 },
	    { 0x30020, 0x20 } }, 3, 1, 0, 0, 2 },
	{ "gap, then one of more than 2 GiB", { { 0x10000, 0x10 }, { 0x30010, 0x80000008 } },
	  2, 1, 0, 0, 3 },
	{ "gap, then an empty one", { { 0x10000, 0x10 }, { 0x30010, 0x10 }, { 0x50000, 0 } },
	  3, 1, -EINVAL },
	{ "gap, then one that wraps", { { 0x10000, 0x10 }, { 0x30010, 0x10 },
	    { -BUS - 0x10, 0x20 } }, 3, 1, -EINVAL },
	{ "gap, then one that ends with the address space", { { 0x10000, 0x10 },
	    { 0x30010, 0x10 }, { -BUS - 0x10, 0x10 } }, 3, 1, -EINVAL },
	{ "too long", { { 0x10000, 0x8000 }, { 0x20000, 0x8000 }, { 0x30000, 0x1000 } }, 3, 0,
	  -ENOSPC },
};

KUNIT_ARRAY_PARAM_DESC(sets, set_cases, name);

/* sets a list for an MR that has a list already */
static void sets(struct kunit *test)
{
	const struct set_case *c = test->param_value;
	struct set *s = new_set(test, c->gaps);
	u32 key = c->shift ? MTT_KEY : KLM_KEY;
	u64 length = 0;
	int i;

	s->mr.nents = 5;
	KUNIT_EXPECT_EQ(test, set_sg(s, c->in, c->nents), c->ret);
	if (c->ret) {
		KUNIT_EXPECT_EQ(test, s->mr.nents, 0);
		KUNIT_EXPECT_EQ(test, s->mr.ibmr.rkey, MTT_KEY | 0x17);
		return;
	}
	for (i = 0; i < c->nents; i++)
		length += c->in[i].len;
	KUNIT_EXPECT_EQ(test, s->mr.nents, c->n);
	KUNIT_EXPECT_EQ(test, s->mr.page_shift, c->shift);
	KUNIT_EXPECT_EQ(test, s->mr.ibmr.iova, BUS + c->in[0].addr);
	KUNIT_EXPECT_EQ(test, s->mr.ibmr.length, length);
	KUNIT_EXPECT_EQ(test, s->mr.ibmr.page_size, 4096);
	KUNIT_EXPECT_EQ(test, s->mr.mkey, key);
	KUNIT_EXPECT_EQ(test, s->mr.ibmr.rkey, key | 0x17);
	KUNIT_EXPECT_EQ(test, s->mr.ibmr.lkey, key | 0x17);
	KUNIT_EXPECT_EQ(test, s->mr.list_bytes, 64);
}

/* ---- posting ---- */

static int post(struct set *s)
{
	const struct ib_send_wr *bad;

	s->reg = (struct ib_reg_wr){
		.wr = { .opcode = IB_WR_REG_MR },
		.mr = &s->mr.ibmr,
		.key = s->mr.ibmr.rkey,
	};
	s->kt->qp->sq.cur_post = 0;
	return ibx_post_send(&s->kt->qp->ibqp, &s->reg.wr, &bad);
}

/* fields of the WQE at the start of the ring: mkey context and list */
#define SEG(s, at)	be64_to_cpup((__be64 *)((s)->kt->sq_ring + (at)))
#define SEG_START(s)	SEG(s, 64 + 16)
#define SEG_LEN(s)	SEG(s, 64 + 24)
#define SEG_OCTWORDS(s)	((u32)SEG(s, 64 + 48))
#define SEG_SHIFT(s)	((s)->kt->sq_ring[64 + 59])
#define SEG_MTT(s, i)	SEG(s, 128 + 8 * (i))

static const struct piece eight[] = { { 0x10000, 0x8000 } };

static void posts_large_pages(struct kunit *test)
{
	struct set *s = new_set(test, false);

	KUNIT_EXPECT_EQ(test, set_sg(s, eight, 1), 0);
	KUNIT_EXPECT_EQ(test, post(s), 0);
	KUNIT_EXPECT_EQ(test, SEG_START(s), BUS + 0x10000);
	KUNIT_EXPECT_EQ(test, SEG_LEN(s), 0x8000);
	KUNIT_EXPECT_EQ(test, SEG_OCTWORDS(s), 4);
	KUNIT_EXPECT_EQ(test, SEG_SHIFT(s), 15);
	KUNIT_EXPECT_EQ(test, SEG_MTT(s, 0), BUS + 0x10003);
	KUNIT_EXPECT_EQ(test, SEG_MTT(s, 1), 0);
}

/* a registration of a part of the list differs only in its length */
static void posts_prefix(struct kunit *test)
{
	static const struct piece p[] = { { 0x11000, 0x1000 }, { 0x33000, 0x1000 } };
	struct set *s = new_set(test, false);

	KUNIT_EXPECT_EQ(test, set_sg(s, p, 2), 0);
	s->mr.ibmr.length = 0x10;
	KUNIT_EXPECT_EQ(test, post(s), 0);
	KUNIT_EXPECT_EQ(test, SEG_LEN(s), 0x10);
	KUNIT_EXPECT_EQ(test, SEG_OCTWORDS(s), 4);
	KUNIT_EXPECT_EQ(test, SEG_MTT(s, 0), BUS + 0x11003);
	KUNIT_EXPECT_EQ(test, SEG_MTT(s, 1), BUS + 0x33003);
}

/*
 * Large pages are split if the new iova has another offset into a large page
 * than the list.
 */
static void posts_moved(struct kunit *test)
{
	struct set *s = new_set(test, false);
	int i;

	KUNIT_EXPECT_EQ(test, set_sg(s, eight, 1), 0);
	s->mr.ibmr.iova = 0x2000;
	s->mr.ibmr.length = 0x10;
	KUNIT_EXPECT_EQ(test, post(s), 0);
	KUNIT_EXPECT_EQ(test, SEG_START(s), 0x2000);
	KUNIT_EXPECT_EQ(test, SEG_LEN(s), 0x10);
	KUNIT_EXPECT_EQ(test, SEG_SHIFT(s), 13);
	for (i = 0; i < 8; i++)
		KUNIT_EXPECT_EQ(test, SEG_MTT(s, i), i < 4 ? BUS + 0x10003 + 0x2000 * i : 0);
	/* the list is still complete, so all its bytes can be registered */
	s->mr.ibmr.iova = 0x3000;
	s->mr.ibmr.length = 0x8000;
	KUNIT_EXPECT_EQ(test, post(s), 0);
	KUNIT_EXPECT_EQ(test, SEG_SHIFT(s), 12);
	for (i = 0; i < 8; i++)
		KUNIT_EXPECT_EQ(test, SEG_MTT(s, i), BUS + 0x10003 + 0x1000 * i);
	/* small pages suit each iova with the same offset in a page */
	s->mr.ibmr.iova = 0x5555555000;
	KUNIT_EXPECT_EQ(test, post(s), 0);
	KUNIT_EXPECT_EQ(test, SEG_START(s), 0x5555555000);
	KUNIT_EXPECT_EQ(test, SEG_SHIFT(s), 12);
	/* an iova with another offset in a page suits no page size */
	s->mr.ibmr.iova = 0x5555555010;
	KUNIT_EXPECT_EQ(test, post(s), -EINVAL);
}

/* pages are not split below 4 KiB, even if the list has space for entries */
static void posts_moved_inside(struct kunit *test)
{
	static const struct piece p[] = { { 0x10000, 0x20 } };
	struct set *s = new_set(test, false);

	KUNIT_EXPECT_EQ(test, set_sg(s, p, 1), 0);
	s->mr.ibmr.iova = 0x5010;
	KUNIT_EXPECT_EQ(test, post(s), -EINVAL);
	KUNIT_EXPECT_EQ(test, s->mr.page_shift, 12);
}

/* pages are split, and the list begins and ends inside a page */
static void posts_moved_odd(struct kunit *test)
{
	static const struct piece p[] = { { 0x13010, 0x4ff0 }, { 0x28000, 0x1008 } };
	struct set *s = new_set(test, false);
	static const u64 mtt[] = { 0x13003, 0x14003, 0x15003, 0x16003, 0x17003, 0x28003, 0x29003 };
	int i;

	KUNIT_EXPECT_EQ(test, set_sg(s, p, 2), 0);
	KUNIT_EXPECT_EQ(test, s->mr.page_shift, 15);
	KUNIT_EXPECT_EQ(test, s->mr.nents, 2);
	s->mr.ibmr.iova = 0x10;
	KUNIT_EXPECT_EQ(test, post(s), 0);
	KUNIT_EXPECT_EQ(test, SEG_SHIFT(s), 12);
	KUNIT_EXPECT_EQ(test, SEG_LEN(s), 0x5ff8);
	for (i = 0; i < 8; i++)
		KUNIT_EXPECT_EQ(test, SEG_MTT(s, i), i < ARRAY_SIZE(mtt) ? BUS + mtt[i] : 0);
}

/* a list of ranges can be registered at each iova */
static void posts_moved_ranges(struct kunit *test)
{
	static const struct piece p[] = { { 0x13010, 0x10 }, { 0x28000, 0x1008 } };
	struct set *s = new_set(test, true);

	KUNIT_EXPECT_EQ(test, set_sg(s, p, 2), 0);
	s->mr.ibmr.iova = 0x123;
	KUNIT_EXPECT_EQ(test, post(s), 0);
	KUNIT_EXPECT_EQ(test, SEG_START(s), 0x123);
	KUNIT_EXPECT_EQ(test, SEG_SHIFT(s), 0);
}

static void posts_nothing_after_failure(struct kunit *test)
{
	static const struct piece hole[] = { { 0x13010, 0x10 }, { 0x28000, 0x1008 } };
	struct set *s = new_set(test, false);

	KUNIT_EXPECT_EQ(test, set_sg(s, eight, 1), 0);
	KUNIT_EXPECT_EQ(test, set_sg(s, hole, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, post(s), -EINVAL);
	/* after a refused map, a moved iova cannot be registered either */
	s->mr.ibmr.iova += 0x1000;
	KUNIT_EXPECT_EQ(test, post(s), -EINVAL);
	KUNIT_EXPECT_EQ(test, s->mr.nents, 0);
}

/* max_ents pages of PAGE_SIZE fit, even if larger pages are split */
static void posts_full(struct kunit *test)
{
	static const struct piece full[] = { { 0x13000, ENTRIES * 0x1000 } };
	static const struct piece more[] = { { 0x13000, ENTRIES * 0x1000 + 1 } };
	struct set *s = new_set(test, false);

	KUNIT_EXPECT_EQ(test, set_sg(s, more, 1), -ENOSPC);
	KUNIT_EXPECT_EQ(test, s->mr.nents, 0);
	KUNIT_EXPECT_EQ(test, set_sg(s, full, 1), 0);
	s->mr.ibmr.iova = 0;
	KUNIT_EXPECT_EQ(test, post(s), 0);
	KUNIT_EXPECT_EQ(test, s->mr.nents, ENTRIES);
	KUNIT_EXPECT_EQ(test, SEG_SHIFT(s), 12);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(((__be64 *)s->list)[ENTRIES - 1]),
			BUS + 0x13003 + (ENTRIES - 1) * 0x1000);
}

static struct kunit_case frwr_tests[] = {
	KUNIT_CASE_PARAM(sets, sets_gen_params),
	KUNIT_CASE(posts_large_pages),
	KUNIT_CASE(posts_prefix),
	KUNIT_CASE(posts_moved),
	KUNIT_CASE(posts_moved_inside),
	KUNIT_CASE(posts_moved_odd),
	KUNIT_CASE(posts_moved_ranges),
	KUNIT_CASE(posts_nothing_after_failure),
	KUNIT_CASE(posts_full),
	{}
};

static struct kunit_suite frwr_suite = {
	.name = "mlx5_ibx_frwr",
	.test_cases = frwr_tests,
};

kunit_test_suite(frwr_suite);
