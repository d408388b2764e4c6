// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of ib_mr_set_*(): what is mapped for DMA, what becomes of the
 * MR, and what is posted of it. What lists become is in enc_whole_kunit.c.
 *
 * The mapping is ours: memory appears on the bus where a row says, run by run.
 */

#include <linux/bvec.h>
#include <linux/mm.h>

#include "kunit.h"

#define MAX_PIECES	6
#define ENTRIES		16
#define MTT_KEY		0x111100
#define KLM_KEY		0x222200
#define BUS		0x700000000000
#define MAX_RUN		0x8000

struct piece {
	u64 addr;
	u32 len;
};

/* how many runs can be mapped, and whether they keep their distances */
static struct {
	unsigned int left;
	bool apart;
} bus;

int ibx_map_run(struct ib_device *ibdev, struct ib_frwr_runs *runs, phys_addr_t start, u32 len)
{
	u64 addr = BUS + start;

	if (runs->nr == runs->max)
		return -ENOSPC;
	if (!bus.left)
		return -ENOMEM;
	bus.left--;
	if (bus.apart)
		addr = BUS + 0x100000 * (runs->nr + 1) + offset_in_page(start);
	runs->run[runs->nr++] = (struct ib_frwr_run){ .addr = addr, .len = len };
	return 0;
}

struct set {
	struct kt *kt;
	struct ib_pd pd;
	struct ibx_mr mr;
	u8 list[ENTRIES * 16];
	struct ib_frwr_run run[ENTRIES];
	struct ib_frwr_runs runs;
	struct ib_reg_wr reg;
};

static struct set *new_set(struct kunit *test, bool gaps)
{
	struct set *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->kt = kt_create(test, IB_QPT_RC);
	s->kt->dev->max_run = MAX_RUN;
	s->pd.local_dma_lkey = 0x00c0ffee;
	s->mr.ibmr.device = &s->kt->dev->ibdev;
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
	s->runs.run = s->run;
	s->runs.max = ENTRIES;
	bus.left = 100;
	bus.apart = false;
	return s;
}

static int set_bvec(struct set *s, const struct piece *p, int n)
{
	struct bio_vec bvec[MAX_PIECES];
	int i;

	for (i = 0; i < n; i++)
		bvec_set_page(&bvec[i], pfn_to_page(PHYS_PFN(p[i].addr)), p[i].len,
			      offset_in_page(p[i].addr));
	return ibx_frwr.set_biovec(&s->mr.ibmr, bvec, n, &s->runs);
}

static int set_pages(struct set *s, const u64 *addr, size_t offset, size_t length)
{
	struct page *pages[MAX_PIECES];
	int i;

	for (i = 0; i < MAX_PIECES; i++)
		pages[i] = pfn_to_page(PHYS_PFN(addr[i]));
	return ibx_frwr.set_pages(&s->mr.ibmr, pages, offset, length, &s->runs);
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

struct bvec_case {
	const char *name;
	struct piece in[MAX_PIECES];
	int nents;
	bool gaps;
	bool apart;
	unsigned int can_map;
	/* results */
	int ret;
	u32 runs;
	struct piece run[MAX_PIECES];	/* without BUS */
	u8 shift;			/* 0: ranges */
	u32 n;
};

static const struct bvec_case bvec_cases[] = {
	{ "a page", { { 0x10000, 0x1000 } }, 1, 0, 0, 9, 0, 1, { { 0x10000, 0x1000 } }, 12, 1 },
	{ "several pages in one", { { 0x10800, 0x3000 } }, 1, 0, 0, 9,
	  0, 1, { { 0x10800, 0x3000 } }, 14, 1 },
	{ "offset of several pages", { { 0x12345, 0x10 } }, 1, 0, 0, 9,
	  0, 1, { { 0x12345, 0x10 } }, 12, 1 },
	{ "scattered", { { 0x11000, 0x1000 }, { 0x33000, 0x1000 }, { 0x22000, 0x1000 } }, 3, 0, 0,
	  9, 0, 3, { { 0x11000, 0x1000 }, { 0x33000, 0x1000 }, { 0x22000, 0x1000 } }, 12, 3 },
	{ "contiguous", { { 0x10000, 0x1000 }, { 0x11000, 0x1000 }, { 0x12000, 0x2000 } }, 3, 0, 0,
	  9, 0, 1, { { 0x10000, 0x4000 } }, 14, 1 },
	{ "contiguous in pairs", { { 0x11000, 0x1000 }, { 0x12000, 0x1000 }, { 0x33000, 0x1000 },
	    { 0x34000, 0x1000 } }, 4, 0, 0, 9,
	  0, 2, { { 0x11000, 0x2000 }, { 0x33000, 0x2000 } }, 12, 4 },
	{ "first and last not whole", { { 0x11800, 0x800 }, { 0x33000, 0x10 } }, 2, 0, 0, 9,
	  0, 2, { { 0x11800, 0x800 }, { 0x33000, 0x10 } }, 12, 2 },
	{ "physical address zero", { { 0, 0x1000 }, { 0x1000, 0x1000 } }, 2, 0, 0, 9,
	  0, 1, { { 0, 0x2000 } }, 13, 1 },
	{ "the same page again", { { 0x11000, 0x1000 }, { 0x11000, 0x1000 } }, 2, 0, 0, 9,
	  0, 2, { { 0x11000, 0x1000 }, { 0x11000, 0x1000 } }, 12, 2 },
	/* on the bus, large pages are as the bus has them */
	{ "contiguous runs, apart on the bus", { { 0x10000, 0x2000 }, { 0x40000, 0x2000 } }, 2, 0,
	  1, 9, 0, 2, { { 0x100000, 0x2000 }, { 0x200000, 0x2000 } }, 13, 2 },
	/* longest run: 0x8000 */
	{ "one longer than a run", { { 0x10000, 0xa000 } }, 1, 0, 0, 9,
	  0, 2, { { 0x10000, 0x8000 }, { 0x18000, 0x2000 } }, 16, 1 },
	{ "two longer than a run", { { 0x10000, 0x6000 }, { 0x16000, 0x6000 } }, 2, 0, 0, 9,
	  0, 2, { { 0x10000, 0x8000 }, { 0x18000, 0x4000 } }, 16, 1 },
	{ "longer than a run, cut at the end of a page", { { 0x10200, 0x4010 },
	    { 0x14210, 0x4df0 } }, 2, 0, 1, 9,
	  0, 2, { { 0x100200, 0x7e00 }, { 0x200000, 0x1000 } }, 15, 2 },
	{ "exactly a run", { { 0x10000, 0x8000 }, { 0x18000, 0x1000 } }, 2, 0, 0, 9,
	  0, 2, { { 0x10000, 0x8000 }, { 0x18000, 0x1000 } }, 16, 1 },
	{ "gap", { { 0x10000, 0x10 }, { 0x30010, 0x10 } }, 2, 1, 0, 9,
	  0, 2, { { 0x10000, 0x10 }, { 0x30010, 0x10 } }, 0, 2 },
	{ "no gap, though there may be", { { 0x11000, 0x1000 }, { 0x33000, 0x10 } }, 2, 1, 0, 9,
	  0, 2, { { 0x11000, 0x1000 }, { 0x33000, 0x10 } }, 12, 2 },
	/* what was mapped is said, and the MR has no list */
	{ "hole", { { 0x11000, 0x10 }, { 0x33000, 0x1000 } }, 2, 0, 0, 9,
	  -EINVAL, 2, { { 0x11000, 0x10 }, { 0x33000, 0x1000 } } },
	{ "empty first", { { 0x11000, 0 }, { 0x33000, 0x1000 } }, 2, 0, 0, 9, -EINVAL },
	{ "empty last", { { 0x11000, 0x1000 }, { 0x33000, 0x1000 }, { 0x34000, 0 } }, 3, 1, 0, 9,
	  -EINVAL, 1, { { 0x11000, 0x1000 } } },
	{ "nothing can be mapped", { { 0x11000, 0x1000 } }, 1, 0, 0, 0, -ENOMEM },
	{ "the second cannot be mapped", { { 0x11000, 0x1000 }, { 0x33000, 0x1000 },
	    { 0x55000, 0x1000 } }, 3, 0, 0, 1, -ENOMEM, 1, { { 0x11000, 0x1000 } } },
	{ "the last cannot be mapped", { { 0x11000, 0x1000 }, { 0x33000, 0x1000 },
	    { 0x55000, 0x1000 } }, 3, 0, 0, 2, -ENOMEM,
	  2, { { 0x11000, 0x1000 }, { 0x33000, 0x1000 } } },
	{ "too long", { { 0x10000, 0x8000 }, { 0x20000, 0x8000 }, { 0x30000, 0x1000 } }, 3, 0, 0, 9,
	  -ENOSPC, 3, { { 0x10000, 0x8000 }, { 0x20000, 0x8000 }, { 0x30000, 0x1000 } } },
};

KUNIT_ARRAY_PARAM_DESC(bvec, bvec_cases, name);

static void check_runs(struct kunit *test, const struct set *s, const struct bvec_case *c)
{
	int i;

	KUNIT_ASSERT_EQ(test, s->runs.nr, c->runs);
	for (i = 0; i < c->runs; i++) {
		KUNIT_EXPECT_EQ(test, s->run[i].addr, BUS + c->run[i].addr);
		KUNIT_EXPECT_EQ(test, s->run[i].len, c->run[i].len);
	}
}

static void bvec(struct kunit *test)
{
	const struct bvec_case *c = test->param_value;
	struct set *s = new_set(test, c->gaps);
	u32 key = c->shift ? MTT_KEY : KLM_KEY;
	u64 length = 0;
	int i;

	s->mr.nents = 5;
	bus.left = c->can_map;
	bus.apart = c->apart;
	KUNIT_EXPECT_EQ(test, set_bvec(s, c->in, c->nents), c->ret);
	check_runs(test, s, c);
	if (c->ret) {
		KUNIT_EXPECT_EQ(test, s->mr.nents, 0);
		KUNIT_EXPECT_EQ(test, s->mr.ibmr.rkey, MTT_KEY | 0x17);
		return;
	}
	for (i = 0; i < c->nents; i++)
		length += c->in[i].len;
	KUNIT_EXPECT_EQ(test, s->mr.nents, c->n);
	KUNIT_EXPECT_EQ(test, s->mr.page_shift, c->shift);
	KUNIT_EXPECT_EQ(test, s->mr.ibmr.iova, BUS + c->run[0].addr);
	KUNIT_EXPECT_EQ(test, s->mr.ibmr.length, length);
	KUNIT_EXPECT_EQ(test, s->mr.ibmr.page_size, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, s->mr.mkey, key);
	KUNIT_EXPECT_EQ(test, s->mr.ibmr.rkey, key | 0x17);
	KUNIT_EXPECT_EQ(test, s->mr.ibmr.lkey, key | 0x17);
	KUNIT_EXPECT_EQ(test, s->mr.list_bytes, c->shift ? ALIGN(c->n, 8) * 8 : 64);
}

struct pages_case {
	const char *name;
	u64 pages[MAX_PIECES];
	size_t offset;
	size_t length;
	u32 runs;
	struct piece run[MAX_PIECES];	/* without BUS */
};

static const struct pages_case pages_cases[] = {
	{ "a page", { 0x11000 }, 0, 0x1000, 1, { { 0x11000, 0x1000 } } },
	{ "inside a page", { 0x11000 }, 0x123, 0x45, 1, { { 0x11123, 0x45 } } },
	{ "to the end of a page", { 0x11000, 0x33000 }, 0xfff, 1, 1, { { 0x11fff, 1 } } },
	{ "across pages", { 0x11000, 0x33000 }, 0xfff, 2, 2, { { 0x11fff, 1 }, { 0x33000, 1 } } },
	{ "three pages", { 0x11000, 0x33000, 0x22000 }, 0x800, 0x1801, 3,
	  { { 0x11800, 0x800 }, { 0x33000, 0x1000 }, { 0x22000, 1 } } },
	{ "contiguous", { 0x11000, 0x12000, 0x13000 }, 0x800, 0x2000, 1, { { 0x11800, 0x2000 } } },
	{ "all but the last contiguous", { 0x11000, 0x12000, 0x44000 }, 0, 0x3000, 2,
	  { { 0x11000, 0x2000 }, { 0x44000, 0x1000 } } },
};

KUNIT_ARRAY_PARAM_DESC(pages, pages_cases, name);

static void pages(struct kunit *test)
{
	const struct pages_case *c = test->param_value;
	struct set *s = new_set(test, false);
	int i;

	KUNIT_EXPECT_EQ(test, set_pages(s, c->pages, c->offset, c->length), 0);
	KUNIT_ASSERT_EQ(test, s->runs.nr, c->runs);
	for (i = 0; i < c->runs; i++) {
		KUNIT_EXPECT_EQ(test, s->run[i].addr, BUS + c->run[i].addr);
		KUNIT_EXPECT_EQ(test, s->run[i].len, c->run[i].len);
	}
	KUNIT_EXPECT_EQ(test, s->mr.ibmr.iova, BUS + c->run[0].addr);
	KUNIT_EXPECT_EQ(test, s->mr.ibmr.length, c->length);
}

static void pages_fail(struct kunit *test)
{
	static const u64 pages[MAX_PIECES] = { 0x11000, 0x33000, 0x22000 };
	struct set *s = new_set(test, false);

	KUNIT_EXPECT_EQ(test, set_pages(s, pages, 0, 0x3000), 0);
	s->runs.nr = 0;
	bus.left = 2;
	KUNIT_EXPECT_EQ(test, set_pages(s, pages, 0, 0x3000), -ENOMEM);
	KUNIT_EXPECT_EQ(test, s->runs.nr, 2);
	KUNIT_EXPECT_EQ(test, s->mr.nents, 0);
	s->runs.nr = 0;
	s->runs.max = 2;
	bus.left = 100;
	KUNIT_EXPECT_EQ(test, set_pages(s, pages, 0, 0x3000), -ENOSPC);
	KUNIT_EXPECT_EQ(test, s->runs.nr, 2);
	KUNIT_EXPECT_EQ(test, s->mr.nents, 0);
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

/* of the WQE at the start of the ring: mkey context and list */
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

/* a registration of less than the list says so, and nothing else changes */
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

/* an iova that is not where large pages would have it gets pages that fit */
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
	/* the rest of the list is still there, for a registration of all of it */
	s->mr.ibmr.iova = 0x3000;
	s->mr.ibmr.length = 0x8000;
	KUNIT_EXPECT_EQ(test, post(s), 0);
	KUNIT_EXPECT_EQ(test, SEG_SHIFT(s), 12);
	for (i = 0; i < 8; i++)
		KUNIT_EXPECT_EQ(test, SEG_MTT(s, i), BUS + 0x10003 + 0x1000 * i);
	/* and small pages are good for any */
	s->mr.ibmr.iova = 0x5555555000;
	KUNIT_EXPECT_EQ(test, post(s), 0);
	KUNIT_EXPECT_EQ(test, SEG_START(s), 0x5555555000);
	KUNIT_EXPECT_EQ(test, SEG_SHIFT(s), 12);
	/* but an iova elsewhere in a page is in no page */
	s->mr.ibmr.iova = 0x5555555010;
	KUNIT_EXPECT_EQ(test, post(s), -EINVAL);
}

/* no page is smaller than PAGE_SIZE, even if that many would fit */
static void posts_moved_inside(struct kunit *test)
{
	static const struct piece p[] = { { 0x10000, 0x20 } };
	struct set *s = new_set(test, false);

	KUNIT_EXPECT_EQ(test, set_sg(s, p, 1), 0);
	s->mr.ibmr.iova = 0x5010;
	KUNIT_EXPECT_EQ(test, post(s), -EINVAL);
	KUNIT_EXPECT_EQ(test, s->mr.page_shift, PAGE_SHIFT);
}

/* where the list begins inside a page and ends inside one */
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

/* ranges are good for any iova */
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
	/* nor does a moved iova bring it back */
	s->mr.ibmr.iova += 0x1000;
	KUNIT_EXPECT_EQ(test, post(s), -EINVAL);
	KUNIT_EXPECT_EQ(test, s->mr.nents, 0);
}

/* as many pages as the MR takes, at once and split */
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
	KUNIT_CASE_PARAM(bvec, bvec_gen_params),
	KUNIT_CASE_PARAM(pages, pages_gen_params),
	KUNIT_CASE(pages_fail),
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
