// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of the range list: what ib_map_mr_sg() of an SG_GAPS MR writes
 * and returns when the list is no pages. Rows show a scatterlist and the list
 * as bytes: count, key, address, as struct mlx5_klm of <linux/mlx5/qp.h> has
 * them. The contract is the kernel-doc of ib_map_mr_sg(): none of the
 * constraints of a list of pages holds, and the largest prefix is mapped.
 */

#include "kunit.h"

#define MAX_SG		6
#define MAX_KLM		8
#define LKEY		0x00c0ffee

struct klm_case {
	const char *name;
	struct {
		u64 addr;
		u32 len;
	} sg[MAX_SG];
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

static const struct klm_case cases[] = {
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
	{ "five need three", { { 0x1000, 1 }, { 0x3000, 1 }, { 0x5000, 1 }, { 0x7000, 1 },
	    { 0x9000, 1 } }, 5, 0, 5, 5, 5, 0x1000, 5,
	  HEX(00000001 00c0ffee 0000000000001000 00000001 00c0ffee 0000000000003000
	      00000001 00c0ffee 0000000000005000 00000001 00c0ffee 0000000000007000
	      00000001 00c0ffee 0000000000009000) },
	{ "all empty", { { 0x1000, 0 } }, 1, 0, 4, 1, 0, 0, 0, "" },
};

KUNIT_ARRAY_PARAM_DESC(klm, cases, name);

static void fill_sg(struct scatterlist *sgl, const struct klm_case *c)
{
	int i;

	sg_init_table(sgl, MAX_SG);
	for (i = 0; i < c->nents; i++) {
		sg_dma_address(&sgl[i]) = c->sg[i].addr;
		sg_dma_len(&sgl[i]) = c->sg[i].len;
	}
}

/* entries as in the row, zeroes up to 64 bytes, nothing behind them */
static void check_entries(struct kunit *test, const struct klm_case *c, const u8 *klm)
{
	u32 i = c->n * 16;

	if (c->n)
		kt_expect_bytes(test, c->name, klm, c->hex);
	for (; i < ALIGN(c->n, 4) * 16; i++)
		KUNIT_EXPECT_EQ(test, klm[i], 0);
	for (; i < MAX_KLM * 16; i++)
		KUNIT_EXPECT_EQ(test, klm[i], POISON);
}

static void klm(struct kunit *test)
{
	const struct klm_case *c = test->param_value;
	struct mlx5_klm klm[MAX_KLM];
	struct ibx_klm_list l = { .klm = klm, .max = c->max, .lkey = LKEY };
	struct scatterlist sgl[MAX_SG];
	unsigned int offset = c->offset;

	memset(klm, POISON, sizeof(klm));
	fill_sg(sgl, c);
	KUNIT_EXPECT_EQ(test, ibx_enc_klm_sg(&l, sgl, c->nents, &offset), c->ret);
	KUNIT_EXPECT_EQ(test, offset, 0);
	KUNIT_EXPECT_EQ(test, l.n, c->n);
	KUNIT_EXPECT_EQ(test, l.iova, c->iova);
	KUNIT_EXPECT_EQ(test, l.length, c->length);
	check_entries(test, c, (const u8 *)klm);

	if (c->offset)
		return;
	/* callers that want no offset back get the same list */
	KUNIT_EXPECT_EQ(test, ibx_enc_klm_sg(&l, sgl, c->nents, NULL), c->ret);
	check_entries(test, c, (const u8 *)klm);
}

static void klm_refused(struct kunit *test)
{
	struct mlx5_klm klm[4];
	struct ibx_klm_list l = { .klm = klm, .max = 4, .lkey = LKEY };
	unsigned int offset = 0x1001;
	struct scatterlist sg;

	sg_init_table(&sg, 1);
	sg_dma_address(&sg) = 0x10000;
	sg_dma_len(&sg) = 0x1000;
	KUNIT_EXPECT_EQ(test, ibx_enc_klm_sg(&l, &sg, 0, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, ibx_enc_klm_sg(&l, &sg, -1, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, ibx_enc_klm_sg(&l, &sg, 1, &offset), -EINVAL);
	KUNIT_EXPECT_EQ(test, offset, 0x1001);
}

/* a list in two tables, chained */
static void klm_chained(struct kunit *test)
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
	KUNIT_EXPECT_EQ(test, ibx_enc_klm_sg(&l, a, 4, NULL), 4);
	kt_expect_bytes(test, "chained", klm,
			HEX(00000002 00c0ffee 0000000000001001 00000002 00c0ffee 0000000000002002
			    00000002 00c0ffee 0000000000003003 00000002 00c0ffee 0000000000004004));
}

/* sizes: the list in units of 64 bytes, the key in units of 128 */
static void klm_sizes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ibx_klm_bytes(1), 64);
	KUNIT_EXPECT_EQ(test, ibx_klm_bytes(4), 64);
	KUNIT_EXPECT_EQ(test, ibx_klm_bytes(5), 128);
	KUNIT_EXPECT_EQ(test, ibx_klm_key_octwords(1), 8);
	KUNIT_EXPECT_EQ(test, ibx_klm_key_octwords(8), 8);
	KUNIT_EXPECT_EQ(test, ibx_klm_key_octwords(9), 16);
}

static struct kunit_case klm_tests[] = {
	KUNIT_CASE_PARAM(klm, klm_gen_params),
	KUNIT_CASE(klm_refused),
	KUNIT_CASE(klm_chained),
	KUNIT_CASE(klm_sizes),
	{}
};

static struct kunit_suite klm_suite = {
	.name = "mlx5_ibx_enc_klm",
	.test_cases = klm_tests,
};

kunit_test_suite(klm_suite);
