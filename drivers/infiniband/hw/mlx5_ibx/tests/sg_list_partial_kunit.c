// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suites of partial lists, which ib_map_mr_sg() writes and returns.
 *
 * A row has a scatterlist, and the bytes of the list that is written from it.
 * An MTT is the address of a page, with both permissions in its low bits; a KLM
 * is byte count, key and address, as in struct mlx5_klm of <linux/mlx5/qp.h>.
 * The rows check the kernel-doc of ib_map_mr_sg() in
 * drivers/infiniband/core/verbs.c: without SG_GAPS a list has no holes, with
 * SG_GAPS a list may have any holes, and in both cases the longest prefix that
 * fits is mapped.
 */

#include "enc/sg_list.h"
#include "kunit.h"

#define MAX_SG		6
#define MAX_MTT		16
#define MAX_KLM		8
#define LKEY		0x00c0ffee

/* ---- lists of pages ---- */

struct mtt_case {
	const char *name;
	struct kt_sg sg[MAX_SG];
	int nents;
	unsigned int offset;
	u32 max;
	u8 shift;
	/* results */
	int ret;
	unsigned int offset_out;
	u64 iova;
	u64 length;
	const char *hex;
};

static const struct mtt_case mtt_cases[] = {
	{ "one page", { { 0x10000, 0x1000 } }, 1, 0, 8, 12,
	  1, 0, 0x10000, 0x1000, HEX(0000000000010003) },
	{ "part of a page", { { 0x10010, 0x20 } }, 1, 0, 8, 12,
	  1, 0, 0x10010, 0x20, HEX(0000000000010003) },
	{ "bus address zero", { { 0, 0x1000 }, { 0x1000, 0x1000 } }, 2, 0, 8, 12,
	  2, 0, 0, 0x2000, HEX(0000000000000003 0000000000001003) },
	{ "highest address", { { 0xfffffffffffff000 - 0x1000, 0x1000 } }, 1, 0, 8, 12,
	  1, 0, 0xffffffffffffe000, 0x1000, HEX(ffffffffffffe003) },
	{ "two scattered pages", { { 0x10000, 0x1000 }, { 0x30000, 0x1000 } }, 2, 0, 8, 12,
	  2, 0, 0x10000, 0x2000, HEX(0000000000010003 0000000000030003) },
	{ "backwards", { { 0x30000, 0x1000 }, { 0x10000, 0x1000 } }, 2, 0, 8, 12,
	  2, 0, 0x30000, 0x2000, HEX(0000000000030003 0000000000010003) },
	{ "first starts inside, last ends inside",
	  { { 0x10800, 0x800 }, { 0x30000, 0x1000 }, { 0x50000, 0x10 } }, 3, 0, 8, 12,
	  3, 0, 0x10800, 0x1810, HEX(0000000000010003 0000000000030003 0000000000050003) },
	{ "one range of three pages", { { 0x10ff0, 0x1020 } }, 1, 0, 8, 12,
	  1, 0, 0x10ff0, 0x1020, HEX(0000000000010003 0000000000011003 0000000000012003) },
	{ "range cut inside a page", { { 0x10000, 0x200 }, { 0x10200, 0x1000 } }, 2, 0, 8, 12,
	  2, 0, 0x10000, 0x1200, HEX(0000000000010003 0000000000011003) },
	{ "range cut to crumbs",
	  { { 0x10100, 0x10 }, { 0x10110, 0x10 }, { 0x10120, 0x10 }, { 0x10130, 0x10 } },
	  4, 0, 8, 12, 4, 0, 0x10100, 0x40, HEX(0000000000010003) },
	{ "crumb then range to the bound",
	  { { 0x10100, 0xf00 }, { 0x11000, 0x1000 }, { 0x20000, 0x800 } }, 3, 0, 8, 12,
	  3, 0, 0x10100, 0x2700, HEX(0000000000010003 0000000000011003 0000000000020003) },
	{ "hole before the second", { { 0x10000, 0x800 }, { 0x30000, 0x1000 } }, 2, 0, 8, 12,
	  1, 0, 0x10000, 0x800, HEX(0000000000010003) },
	{ "hole inside the second", { { 0x10000, 0x1000 }, { 0x30010, 0x1000 } }, 2, 0, 8, 12,
	  1, 0, 0x10000, 0x1000, HEX(0000000000010003) },
	{ "hole after two", { { 0x10000, 0x1000 }, { 0x20000, 0x7ff }, { 0x30000, 1 } },
	  3, 0, 8, 12, 2, 0, 0x10000, 0x17ff, HEX(0000000000010003 0000000000020003) },
	{ "offset", { { 0x10000, 0x2000 } }, 1, 0x1800, 8, 12,
	  1, 0, 0x11800, 0x800, HEX(0000000000011003) },
	{ "offset is the whole first element", { { 0x10000, 0x1000 }, { 0x30010, 0x10 } },
	  2, 0x1000, 8, 12, 2, 0, 0x30010, 0x10, HEX(0000000000030003) },
	{ "empty element between", { { 0x10000, 0x1000 }, { 0x77777, 0 }, { 0x30000, 0x1000 } },
	  3, 0, 8, 12, 3, 0, 0x10000, 0x2000, HEX(0000000000010003 0000000000030003) },
	{ "full at an element", { { 0x10000, 0x1000 }, { 0x30000, 0x1000 }, { 0x50000, 0x1000 } },
	  3, 0, 2, 12, 2, 0, 0x10000, 0x2000, HEX(0000000000010003 0000000000030003) },
	{ "full inside an element", { { 0x10000, 0x1000 }, { 0x30000, 0x3000 } }, 2, 0, 2, 12,
	  1, 0x1000, 0x10000, 0x2000, HEX(0000000000010003 0000000000030003) },
	{ "full inside the first", { { 0x10800, 0x3000 } }, 1, 0, 2, 12,
	  0, 0x1800, 0x10800, 0x1800, HEX(0000000000010003 0000000000011003) },
	{ "full inside the first, with offset", { { 0x10000, 0x5000 } }, 1, 0x1800, 2, 12,
	  0, 0x3000, 0x11800, 0x1800, HEX(0000000000011003 0000000000012003) },
	{ "full in the page of the element before",
	  { { 0x10000, 0x800 }, { 0x10800, 0x1800 } }, 2, 0, 1, 12,
	  1, 0x800, 0x10000, 0x1000, HEX(0000000000010003) },
	{ "exactly full", { { 0x10000, 0x2000 } }, 1, 0, 2, 12,
	  1, 0, 0x10000, 0x2000, HEX(0000000000010003 0000000000011003) },
	{ "64 KiB pages", { { 0x10000, 0x10000 }, { 0x50000, 0x18000 } }, 2, 0, 8, 16,
	  2, 0, 0x10000, 0x28000, HEX(0000000000010003 0000000000050003 0000000000060003) },
	{ "4 KiB pieces are holes in 64 KiB pages",
	  { { 0x10000, 0x1000 }, { 0x30000, 0x1000 } }, 2, 0, 8, 16,
	  1, 0, 0x10000, 0x1000, HEX(0000000000010003) },
	{ "page of 2 GiB", { { 0x180000000, 0x80000000 } }, 1, 0, 8, 31,
	  1, 0, 0x180000000, 0x80000000, HEX(0000000180000003) },
	{ "eight entries need no padding", { { 0x10000, 0x8000 } }, 1, 0, 8, 12,
	  1, 0, 0x10000, 0x8000,
	  HEX(0000000000010003 0000000000011003 0000000000012003 0000000000013003
	      0000000000014003 0000000000015003 0000000000016003 0000000000017003) },
	{ "nine need seven", { { 0x10000, 0x9000 } }, 1, 0, 9, 12,
	  1, 0, 0x10000, 0x9000,
	  HEX(0000000000010003 0000000000011003 0000000000012003 0000000000013003
	      0000000000014003 0000000000015003 0000000000016003 0000000000017003
	      0000000000018003) },
};

KUNIT_ARRAY_PARAM_DESC(mtt, mtt_cases, name);

/*
 * Compares entries with the row. Zeroes follow up to a multiple of 64 bytes,
 * and no later byte is written.
 */
static void check_mtts(struct kunit *test, const struct mtt_case *c, const __be64 *mtt, u32 n)
{
	u8 want[MAX_MTT * 8];
	u32 i, padded = ALIGN(n, 8);

	kt_expect_bytes(test, c->name, mtt, c->hex);
	KUNIT_EXPECT_EQ(test, n * 8, kt_parse_hex(test, c->hex, want, sizeof(want)));
	for (i = n; i < padded; i++)
		KUNIT_EXPECT_EQ(test, be64_to_cpu(mtt[i]), 0);
	for (; i < MAX_MTT + 8; i++)
		KUNIT_EXPECT_EQ(test, be64_to_cpu(mtt[i]), 0xa5a5a5a5a5a5a5a5);
}

static void mtt_list(struct kunit *test)
{
	const struct mtt_case *c = test->param_value;
	__be64 mtt[MAX_MTT + 8];
	struct ibx_mtt_list l = { .mtt = mtt, .max = c->max, .page_shift = c->shift };
	struct scatterlist sgl[MAX_SG];
	unsigned int offset = c->offset;

	memset(mtt, POISON, sizeof(mtt));
	kt_fill_sg(sgl, c->sg, c->nents);
	KUNIT_EXPECT_EQ(test, ibx_mtt_from_sg_partial(&l, sgl, c->nents, &offset), c->ret);
	KUNIT_EXPECT_EQ(test, offset, c->offset_out);
	KUNIT_EXPECT_EQ(test, l.iova, c->iova);
	KUNIT_EXPECT_EQ(test, l.length, c->length);
	check_mtts(test, c, mtt, l.n);

	if (c->offset)
		return;
	/* a call without an offset writes the same list */
	KUNIT_EXPECT_EQ(test, ibx_mtt_from_sg_partial(&l, sgl, c->nents, NULL), c->ret);
	check_mtts(test, c, mtt, l.n);
}

static void mtt_list_refused(struct kunit *test)
{
	__be64 mtt[8];
	struct ibx_mtt_list l = { .mtt = mtt, .max = 8, .page_shift = 12 };
	struct scatterlist sg;
	unsigned int offset = 0x1001;

	sg_init_table(&sg, 1);
	sg_dma_address(&sg) = 0x10000;
	sg_dma_len(&sg) = 0x1000;
	KUNIT_EXPECT_EQ(test, ibx_mtt_from_sg_partial(&l, &sg, 0, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, ibx_mtt_from_sg_partial(&l, &sg, -1, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, ibx_mtt_from_sg_partial(&l, &sg, 1, &offset), -EINVAL);
}

/* a scatterlist of two chained tables */
static void mtt_list_chained(struct kunit *test)
{
	struct scatterlist a[3], b[2];
	__be64 mtt[8];
	struct ibx_mtt_list l = { .mtt = mtt, .max = 8, .page_shift = 12 };
	int i;

	sg_init_table(a, 3);
	sg_init_table(b, 2);
	sg_chain(a, 3, b);
	for (i = 0; i < 2; i++) {
		sg_dma_address(&a[i]) = 0x10000 * (i + 1);
		sg_dma_len(&a[i]) = 0x1000;
		sg_dma_address(&b[i]) = 0x10000 * (i + 3);
		sg_dma_len(&b[i]) = 0x1000;
	}
	KUNIT_EXPECT_EQ(test, ibx_mtt_from_sg_partial(&l, a, 4, NULL), 4);
	kt_expect_bytes(test, "chained", mtt,
			HEX(0000000000010003 0000000000020003 0000000000030003 0000000000040003));
}

/* successive full lists map each byte once */
static void mtt_list_resumed(struct kunit *test)
{
	static const struct mtt_case c = {
		"resumed",
		{ { 0x10800, 0x2800 }, { 0x20000, 0x5000 }, { 0x30000, 0x1 } }, 3
	};
	struct scatterlist sgl[MAX_SG], *sg = sgl;
	unsigned int offset = 0;
	int left = c.nents, n, rounds = 0;
	__be64 mtt[8];
	u64 total = 0;

	kt_fill_sg(sgl, c.sg, c.nents);
	while (left) {
		struct ibx_mtt_list l = { .mtt = mtt, .max = 2, .page_shift = 12 };

		KUNIT_ASSERT_LT(test, rounds++, 10);
		n = ibx_mtt_from_sg_partial(&l, sg, left, &offset);
		KUNIT_ASSERT_GE(test, n, 0);
		KUNIT_ASSERT_GT(test, l.length, 0);
		total += l.length;
		sg += n;
		left -= n;
	}
	KUNIT_EXPECT_EQ(test, total, 0x2800 + 0x5000 + 1);
}

static struct kunit_case mtt_tests[] = {
	KUNIT_CASE_PARAM(mtt_list, mtt_gen_params),
	KUNIT_CASE(mtt_list_refused),
	KUNIT_CASE(mtt_list_chained),
	KUNIT_CASE(mtt_list_resumed),
	{}
};

static struct kunit_suite mtt_suite = {
	.name = "mlx5_ibx_mtt_partial",
	.test_cases = mtt_tests,
};

/* ---- lists of ranges ---- */

struct klm_case {
	const char *name;
	struct kt_sg sg[MAX_SG];
	int nents;
	unsigned int offset;
	u32 max;
	/* results */
	int ret;
	u32 n;
	u64 iova;
	u64 length;
	const char *hex;
};

static const struct klm_case klm_cases[] = {
	{ "one range", { { 0x10010, 0x20 } }, 1, 0, 4, 1, 1, 0x10010, 0x20,
	  HEX(00000020 00c0ffee 0000000000010010) },
	{ "gaps", { { 0x10010, 0x20 }, { 0x30030, 0x1 }, { 0x20000, 0x1fff } }, 3, 0, 4,
	  3, 3, 0x10010, 0x2020,
	  HEX(00000020 00c0ffee 0000000000010010 00000001 00c0ffee 0000000000030030
	      00001fff 00c0ffee 0000000000020000) },
	{ "a range cut in three", { { 0x10010, 0x20 }, { 0x10030, 0xfd0 }, { 0x11000, 5 } },
	  3, 0, 4, 3, 1, 0x10010, 0xff5, HEX(00000ff5 00c0ffee 0000000000010010) },
	{ "first and last continue what is between",
	  { { 0x1000, 0x10 }, { 0x1010, 0x10 }, { 0x5000, 8 }, { 0x7000, 4 }, { 0x7004, 4 } },
	  5, 0, 4, 5, 3, 0x1000, 0x30,
	  HEX(00000020 00c0ffee 0000000000001000 00000008 00c0ffee 0000000000005000
	      00000008 00c0ffee 0000000000007000) },
	{ "backwards is a gap", { { 0x2000, 0x1000 }, { 0x1000, 0x1000 } }, 2, 0, 4,
	  2, 2, 0x2000, 0x2000,
	  HEX(00001000 00c0ffee 0000000000002000 00001000 00c0ffee 0000000000001000) },
	{ "the same again is a gap", { { 0x2000, 0x1000 }, { 0x2000, 0x1000 } }, 2, 0, 4,
	  2, 2, 0x2000, 0x2000,
	  HEX(00001000 00c0ffee 0000000000002000 00001000 00c0ffee 0000000000002000) },
	{ "offset", { { 0x10000, 0x100 }, { 0x20000, 0x10 } }, 2, 0xf0, 4, 2, 2, 0x100f0, 0x20,
	  HEX(00000010 00c0ffee 00000000000100f0 00000010 00c0ffee 0000000000020000) },
	{ "offset is the whole first element", { { 0x10000, 0x100 }, { 0x20001, 0x10 } }, 2,
	  0x100, 4, 2, 1, 0x20001, 0x10, HEX(00000010 00c0ffee 0000000000020001) },
	{ "empty element between", { { 0x10000, 8 }, { 0x77777, 0 }, { 0x10008, 8 } }, 3, 0, 4,
	  3, 1, 0x10000, 0x10, HEX(00000010 00c0ffee 0000000000010000) },
	{ "address zero", { { 0, 0x10 }, { 0x10, 0x10 } }, 2, 0, 4, 2, 1, 0, 0x20,
	  HEX(00000020 00c0ffee 0000000000000000) },
	{ "highest address", { { 0xfffffffffffff001, 0xfff } }, 1, 0, 4,
	  1, 1, 0xfffffffffffff001, 0xfff, HEX(00000fff 00c0ffee fffffffffffff001) },
	{ "full", { { 0x10000, 8 }, { 0x20000, 8 }, { 0x30000, 8 } }, 3, 0, 2,
	  2, 2, 0x10000, 0x10,
	  HEX(00000008 00c0ffee 0000000000010000 00000008 00c0ffee 0000000000020000) },
	{ "full, but the last goes on", { { 0x10000, 8 }, { 0x20000, 8 }, { 0x20008, 8 } }, 3, 0,
	  2, 3, 2, 0x10000, 0x18,
	  HEX(00000008 00c0ffee 0000000000010000 00000010 00c0ffee 0000000000020000) },
	{ "full, an empty one fits", { { 0x10000, 8 }, { 0x20000, 0 }, { 0x30000, 8 } }, 3, 0, 1,
	  2, 1, 0x10000, 8, HEX(00000008 00c0ffee 0000000000010000) },
	{ "2 GiB in two", { { 0x100000000, 0x40000000 }, { 0x140000000, 0x40000000 } }, 2, 0, 4,
	  2, 1, 0x100000000, 0x80000000, HEX(80000000 00c0ffee 0000000100000000) },
	{ "more than 2 GiB is two", { { 0x100000000, 0x80000000 }, { 0x180000000, 1 } }, 2, 0, 4,
	  2, 2, 0x100000000, 0x80000001,
	  HEX(80000000 00c0ffee 0000000100000000 00000001 00c0ffee 0000000180000000) },
	{ "an element of more than 2 GiB is two", { { 0x100000000, 0x80000001 } }, 1, 0, 4,
	  1, 2, 0x100000000, 0x80000001,
	  HEX(80000000 00c0ffee 0000000100000000 00000001 00c0ffee 0000000180000000) },
	{ "the longest element, and a byte behind it",
	  { { 0x10000, 8 }, { 0x20000, 0xffffffff }, { 0x10001ffff, 1 } }, 3, 0, 4,
	  3, 3, 0x10000, 0x100000008,
	  HEX(00000008 00c0ffee 0000000000010000 80000000 00c0ffee 0000000000020000
	      80000000 00c0ffee 0000000080020000) },
	{ "of an element of more than 2 GiB all or nothing", { { 0x10000, 8 },
	    { 0x100000000, 0x80000001 } }, 2, 0, 2, 1, 1, 0x10000, 8,
	  HEX(00000008 00c0ffee 0000000000010000) },
	{ "five need three", { { 0x1000, 1 }, { 0x3000, 1 }, { 0x5000, 1 }, { 0x7000, 1 },
	    { 0x9000, 1 } }, 5, 0, 5, 5, 5, 0x1000, 5,
	  HEX(00000001 00c0ffee 0000000000001000 00000001 00c0ffee 0000000000003000
	      00000001 00c0ffee 0000000000005000 00000001 00c0ffee 0000000000007000
	      00000001 00c0ffee 0000000000009000) },
	{ "all empty", { { 0x1000, 0 } }, 1, 0, 4, 1, 0, 0, 0, "" },
};

KUNIT_ARRAY_PARAM_DESC(klm, klm_cases, name);

/*
 * Compares entries with the row. Zeroes follow up to a multiple of 64 bytes,
 * and no later byte is written.
 */
static void check_klms(struct kunit *test, const struct klm_case *c, const u8 *klm)
{
	u32 i = c->n * 16;

	if (c->n)
		kt_expect_bytes(test, c->name, klm, c->hex);
	for (; i < ALIGN(c->n, 4) * 16; i++)
		KUNIT_EXPECT_EQ(test, klm[i], 0);
	for (; i < MAX_KLM * 16; i++)
		KUNIT_EXPECT_EQ(test, klm[i], POISON);
}

static void klm_list(struct kunit *test)
{
	const struct klm_case *c = test->param_value;
	struct mlx5_klm klm[MAX_KLM];
	struct ibx_klm_list l = { .klm = klm, .max = c->max, .lkey = LKEY };
	struct scatterlist sgl[MAX_SG];
	unsigned int offset = c->offset;

	memset(klm, POISON, sizeof(klm));
	kt_fill_sg(sgl, c->sg, c->nents);
	KUNIT_EXPECT_EQ(test, ibx_klm_from_sg_partial(&l, sgl, c->nents, &offset), c->ret);
	KUNIT_EXPECT_EQ(test, offset, 0);
	KUNIT_EXPECT_EQ(test, l.n, c->n);
	KUNIT_EXPECT_EQ(test, l.iova, c->iova);
	KUNIT_EXPECT_EQ(test, l.length, c->length);
	check_klms(test, c, (const u8 *)klm);

	if (c->offset)
		return;
	/* a call without an offset writes the same list */
	KUNIT_EXPECT_EQ(test, ibx_klm_from_sg_partial(&l, sgl, c->nents, NULL), c->ret);
	check_klms(test, c, (const u8 *)klm);
}

static void klm_list_refused(struct kunit *test)
{
	struct mlx5_klm klm[4];
	struct ibx_klm_list l = { .klm = klm, .max = 4, .lkey = LKEY };
	unsigned int offset = 0x1001;
	struct scatterlist sg;

	sg_init_table(&sg, 1);
	sg_dma_address(&sg) = 0x10000;
	sg_dma_len(&sg) = 0x1000;
	KUNIT_EXPECT_EQ(test, ibx_klm_from_sg_partial(&l, &sg, 0, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, ibx_klm_from_sg_partial(&l, &sg, -1, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, ibx_klm_from_sg_partial(&l, &sg, 1, &offset), -EINVAL);
	KUNIT_EXPECT_EQ(test, offset, 0x1001);
}

/* a scatterlist of two chained tables */
static void klm_list_chained(struct kunit *test)
{
	struct scatterlist a[3], b[2];
	struct mlx5_klm klm[4];
	struct ibx_klm_list l = { .klm = klm, .max = 4, .lkey = LKEY };
	int i;

	sg_init_table(a, 3);
	sg_init_table(b, 2);
	sg_chain(a, 3, b);
	for (i = 0; i < 2; i++) {
		sg_dma_address(&a[i]) = 0x1001 * (i + 1);
		sg_dma_len(&a[i]) = 2;
		sg_dma_address(&b[i]) = 0x1001 * (i + 3);
		sg_dma_len(&b[i]) = 2;
	}
	KUNIT_EXPECT_EQ(test, ibx_klm_from_sg_partial(&l, a, 4, NULL), 4);
	kt_expect_bytes(test, "chained", klm,
			HEX(00000002 00c0ffee 0000000000001001 00000002 00c0ffee 0000000000002002
			    00000002 00c0ffee 0000000000003003 00000002 00c0ffee 0000000000004004));
}

/* a list has a multiple of 64 bytes, a key has a multiple of 128 bytes */
static void klm_list_sizes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ibx_klm_bytes(1), 64);
	KUNIT_EXPECT_EQ(test, ibx_klm_bytes(4), 64);
	KUNIT_EXPECT_EQ(test, ibx_klm_bytes(5), 128);
	KUNIT_EXPECT_EQ(test, ibx_klm_key_octwords(1), 8);
	KUNIT_EXPECT_EQ(test, ibx_klm_key_octwords(8), 8);
	KUNIT_EXPECT_EQ(test, ibx_klm_key_octwords(9), 16);
}

static struct kunit_case klm_tests[] = {
	KUNIT_CASE_PARAM(klm_list, klm_gen_params),
	KUNIT_CASE(klm_list_refused),
	KUNIT_CASE(klm_list_chained),
	KUNIT_CASE(klm_list_sizes),
	{}
};

static struct kunit_suite klm_suite = {
	.name = "mlx5_ibx_klm_partial",
	.test_cases = klm_tests,
};

kunit_test_suites(&mtt_suite, &klm_suite);
