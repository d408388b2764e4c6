// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ib_frwr: attaching the first part of a scatterlist to an MR.
 *
 * Lists are written as pieces of one block of FT_PAGES pages. The driver of the
 * fixture ignores offsets and accepts every list.
 */
#include "kunit.h"

#define P	PAGE_SIZE
#define NR	6
#define ARB	IB_MR_REG_ARB_SG

struct part_case {
	const char *name;
	u32 max;
	u32 flags;
	struct ft_elem in[NR];	/* ends with a length of 0 */
	u32 offset;
	int ret;
	u32 rest;		/* offset after the call */
	struct ft_elem out[NR];	/* list that the driver gets */
};

static const struct part_case part_cases[] = {
	{ "all", 3, 0, { { 0, P }, { 2 * P, P } }, 0, 2, 0, { { 0, P }, { 2 * P, P } } },
	{ "some elements", 2, 0, { { 0, P }, { 2 * P, P }, { 4 * P, P } }, 0, 2, 0,
	  { { 0, P }, { 2 * P, P } } },
	{ "from an offset on", 2, 0, { { 0, P }, { 2 * P, P } }, 8, 2, 0,
	  { { 8, P - 8 }, { 2 * P, P } } },
	{ "part of the first", 2, 0, { { 0, 5 * P } }, 0, 0, 2 * P, { { 0, 2 * P } } },
	{ "part of its middle", 2, 0, { { 0, 5 * P } }, 2 * P, 0, 4 * P, { { 2 * P, 2 * P } } },
	{ "its end, and some of the next", 2, 0, { { 0, 5 * P }, { 8 * P, 4 * P } }, 4 * P, 1, P,
	  { { 4 * P, P }, { 8 * P, P } } },
	{ "from inside a page", 2, 0, { { 100, 5 * P } }, 0, 0, 2 * P - 100,
	  { { 100, 2 * P - 100 } } },
	{ "one page from inside", 1, 0, { { 100, 2 * P } }, 0, 0, P - 100, { { 100, P - 100 } } },
	{ "part of the second", 3, 0, { { 100, P - 100 }, { 2 * P, 4 * P } }, 0, 1, 2 * P,
	  { { 100, P - 100 }, { 2 * P, 2 * P } } },
	{ "ends with an element and the MR", 2, 0, { { 0, 2 * P }, { 4 * P, P } }, 0, 1, 0,
	  { { 0, 2 * P } } },
	{ "up to a gap before", 8, 0, { { 0, P }, { 2 * P + 8, P } }, 0, 1, 0, { { 0, P } } },
	{ "up to a gap behind", 8, 0, { { 0, P }, { 2 * P, 8 }, { 4 * P, P } }, 0, 2, 0,
	  { { 0, P }, { 2 * P, 8 } } },
	{ "adjacent pieces", 1, 0, { { 0, 8 }, { 8, P - 8 } }, 0, 1, 0, { { 0, 8 } } },
	{ "empty element", 8, 0, { { 0, P } }, P, -EINVAL, P },
	{ "offset beyond the element", 8, 0, { { 0, P } }, P + 1, -EINVAL, P + 1 },
	{ "far beyond", 8, 0, { { 0, P } }, U32_MAX, -EINVAL, U32_MAX },
	{ "wraps", 8, 0, { { -FT_BUS - P, 2 * P } }, 0, -EINVAL },
	{ "wraps behind the part", 1, 0, { { 0, P }, { -FT_BUS - P, 2 * P } }, 0, 1, 0,
	  { { 0, P } } },
	{ "pieces", 2, ARB, { { 3, 1 }, { 2, 1 }, { 2 * P - 1, 2 } }, 0, 2, 0,
	  { { 3, 1 }, { 2, 1 } } },
	{ "pieces from an offset on", 3, ARB, { { 3, 9 }, { 2, 1 } }, 5, 2, 0,
	  { { 8, 4 }, { 2, 1 } } },
	{ "a piece of many pages", 1, ARB, { { 3, 5 * P } }, 0, 1, 0, { { 3, 5 * P } } },
};

KUNIT_ARRAY_PARAM_DESC(part, part_cases, name);

static u32 make_list(struct ft *ft, struct scatterlist *sgl, const struct ft_elem *in)
{
	u32 n;

	sg_init_table(sgl, NR);
	for (n = 0; n < NR && in[n].len; n++) {
		sg_dma_address(&sgl[n]) = (in[n].at > S64_MAX ? 0 : ft->base) + FT_BUS + in[n].at;
		sg_dma_len(&sgl[n]) = in[n].len;
	}
	return n;
}

static void expect_part(struct ft *ft, const struct ib_mr *mr, const struct ft_elem *out)
{
	u64 length = 0;
	u32 n;

	for (n = 0; n < NR && out[n].len; n++) {
		KUNIT_EXPECT_EQ(ft->test, ft->elem[n].at, out[n].at);
		KUNIT_EXPECT_EQ(ft->test, ft->elem[n].len, out[n].len);
		length += out[n].len;
	}
	KUNIT_EXPECT_EQ(ft->test, ft->nr, n);
	KUNIT_EXPECT_EQ(ft->test, mr->length, length);
	KUNIT_EXPECT_EQ(ft->test, mr->iova, ft->base + FT_BUS + out[0].at);
}

/* @hook: the driver has a hook */
static void check_part(struct kunit *test, bool hook)
{
	const struct part_case *c = test->param_value;
	struct scatterlist sgl[NR], before[NR];
	struct ft *ft = ft_create(test);
	unsigned int offset = c->offset;
	struct ib_mr *mr, was;
	u32 n;

	if (hook)
		KUNIT_ASSERT_EQ(test, ft_add_hooks(ft), 0);
	mr = ft_mr(ft, c->max, c->flags);
	was = *mr;
	n = make_list(ft, sgl, c->in);
	memcpy(before, sgl, sizeof(sgl));
	KUNIT_EXPECT_EQ(test, ib_mr_set_sg_part(mr, sgl, n, &offset), c->ret);
	KUNIT_EXPECT_EQ(test, offset, c->rest);
	KUNIT_EXPECT_MEMEQ(test, sgl, before, sizeof(sgl));
	KUNIT_EXPECT_EQ(test, ft->hooks, hook && c->ret >= 0);
	if (c->ret < 0)
		KUNIT_EXPECT_MEMEQ(test, mr, &was, sizeof(was));
	else
		expect_part(ft, mr, c->out);
}

static void part(struct kunit *test)
{
	check_part(test, false);
}

static void part_hook(struct kunit *test)
{
	check_part(test, true);
}

/* if the driver fails, the MR is unchanged */
static void part_fails(struct kunit *test)
{
	static const struct ft_elem in[NR] = { { 8, 3 * P } };
	struct scatterlist sgl[NR], before[NR];
	struct ft *ft = ft_create(test);
	struct ib_mr *mr = ft_mr(ft, 2, 0), was = *mr;
	unsigned int offset = 16;

	make_list(ft, sgl, in);
	memcpy(before, sgl, sizeof(sgl));
	KUNIT_EXPECT_EQ(test, ib_mr_set_sg_part(mr, sgl, 0, &offset), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_mr_set_sg_part(mr, sgl, -1, &offset), -EINVAL);
	ft->map_says = -EIO;
	KUNIT_EXPECT_EQ(test, ib_mr_set_sg_part(mr, sgl, 1, &offset), -EIO);
	KUNIT_EXPECT_EQ(test, offset, 16);
	KUNIT_EXPECT_MEMEQ(test, sgl, before, sizeof(sgl));
	KUNIT_EXPECT_MEMEQ(test, mr, &was, sizeof(was));
	ft->map_says = 0;
	KUNIT_EXPECT_EQ(test, ib_mr_set_sg_part(mr, sgl, 1, &offset), 0);
	KUNIT_EXPECT_EQ(test, offset, 2 * P - 8);
	KUNIT_EXPECT_EQ(test, ib_mr_set_sg_part(mr, sgl, 1, &offset), -EBUSY);
}

/* the parts, in order, make up the list */
static void part_after_part(struct kunit *test)
{
	static const struct ft_elem in[NR] = {
		{ 100, 3 * P - 100 }, { 5 * P, 2 * P }, { 8 * P, 8 }, { 9 * P + 8, 2 * P },
	};
	struct ft *ft = ft_create(test);
	struct ib_mr *mr = ft_mr(ft, 2, 0);
	struct scatterlist sgl[NR], *sg = sgl;
	int left = make_list(ft, sgl, in), n, i, parts = 0;
	unsigned int offset = 0;
	u64 total = 0;

	while (left && parts < 20) {
		n = ib_mr_set_sg_part(mr, sg, left, &offset);
		KUNIT_ASSERT_GE(test, n, 0);
		total += mr->length;
		left -= n;
		for (i = 0; i < n; i++)
			sg = sg_next(sg);
		KUNIT_EXPECT_EQ(test, ib_mr_unset(mr), 0);
		parts++;
	}
	KUNIT_EXPECT_EQ(test, total, 7 * P - 100 + 8);
	KUNIT_EXPECT_EQ(test, parts, 5);
}

static struct kunit_case part_tests[] = {
	KUNIT_CASE_PARAM(part, part_gen_params),
	KUNIT_CASE_PARAM(part_hook, part_gen_params),
	KUNIT_CASE(part_fails),
	KUNIT_CASE(part_after_part),
	{}
};

static struct kunit_suite part_suite = {
	.name = "ib_frwr_part",
	.test_cases = part_tests,
};

kunit_test_suite(part_suite);
