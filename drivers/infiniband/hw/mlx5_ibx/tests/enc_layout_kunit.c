// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of layouts: entries that are refused at any position, and
 * layouts of scatterlists. recorded_dv_kunit.c compares the other layouts with
 * layouts that libmlx5 wrote.
 *
 * The bytes are those of struct mlx5_klm in <linux/mlx5/qp.h>. The limits are
 * from mlx5dv_wr_mkey_configure(3), and from the 16-bit fields of
 * mlx5_wqe_umr_repeat_ent_seg in mlx5dv.h of rdma-core.
 */

#include "enc/layout.h"
#include "kunit.h"

#define MAX_ENTRIES	5
#define LKEY		0x00c0ffee
#define TOP		(-BIT_ULL(16))	/* start of the last 2^16 bytes of the address space */

struct stride_case {
	const char *name;
	struct mlx5dv_mr_interleaved entry;
	u32 repeat;
	bool ok;
};

static const struct stride_case stride_cases[] = {
	{ "one byte", { 0, 1, 0, LKEY }, 1, true },
	{ "the widest block", { 0, 0xffff, 0, LKEY }, 1, true },
	{ "the widest stride", { 0, 1, 0xfffe, LKEY }, U32_MAX, true },
	{ "no byte", { 0, 0, 0, LKEY }, 1, false },
	{ "no byte, but a stride", { 0, 0, 8, LKEY }, 1, false },
	{ "a block too wide", { 0, 0x10000, 0, LKEY }, 1, false },
	{ "a stride too wide", { 0, 1, 0xffff, LKEY }, 1, false },
	{ "a stride that wraps", { 0, 8, -8, LKEY }, 1, false },
	{ "a stride that wraps to one byte", { 0, 8, -7, LKEY }, 1, false },
	{ "the widest numbers", { 0, U32_MAX, U32_MAX, LKEY }, 1, false },
	{ "up to the top", { TOP, 0x100, 0x100, LKEY }, 0x80, true },
	{ "up to the last byte", { TOP + 0x100, 0x100, 0x100, LKEY }, 0x80, true },
	{ "a byte beyond the top", { TOP + 0x101, 0x100, 0x100, LKEY }, 0x80, false },
	{ "high, and far from the top", { BIT_ULL(63), 0xffff, 0, LKEY }, U32_MAX, true },
	{ "all turns from the lower half", { BIT_ULL(63) - 1, 0xffff, 0, LKEY }, U32_MAX,
	  true },
};

KUNIT_ARRAY_PARAM_DESC(stride, stride_cases, name);

/* one bad entry among good entries is detected at each position */
static void check_strides(struct kunit *test)
{
	const struct stride_case *c = test->param_value;
	struct mlx5_stride_block_entry out[MAX_ENTRIES];
	struct mlx5dv_mr_interleaved data[MAX_ENTRIES];
	u32 n, at, i, cycle, expected;

	for (n = 1; n <= MAX_ENTRIES; n++) {
		for (at = 0; at < n; at++) {
			expected = 0;
			for (i = 0; i < n; i++) {
				data[i] = (struct mlx5dv_mr_interleaved){ 0x1000, 3, 5, LKEY };
				if (i == at)
					data[i] = c->entry;
				expected += data[i].bytes_count;
			}
			cycle = ibx_enc_strides(out, data, n, c->repeat);
			KUNIT_EXPECT_EQ_MSG(test, cycle, c->ok ? expected : 0, "%u of %u", at, n);
		}
	}
	KUNIT_EXPECT_EQ(test, ibx_enc_strides(out, data, 0, 1), 0);
}

/* "KLM support only 2GB" (libmlx5, set_bind_wr()): longer pieces are refused */
static void klms_with_bad_piece(struct kunit *test)
{
	struct ib_sge sge[MAX_ENTRIES];
	struct mlx5_klm out[MAX_ENTRIES];
	u32 n, at, i;

	for (n = 1; n <= MAX_ENTRIES; n++) {
		for (i = 0; i < n; i++)
			sge[i] = (struct ib_sge){ .length = SZ_2G };
		KUNIT_EXPECT_EQ(test, ibx_enc_klms(out, sge, n), (u64)n * SZ_2G);
		for (at = 0; at < n; at++) {
			sge[at].length = 0;
			KUNIT_EXPECT_EQ(test, ibx_enc_klms(out, sge, n), 0);
			sge[at].length = SZ_2G + 1U;
			KUNIT_EXPECT_EQ(test, ibx_enc_klms(out, sge, n), 0);
			sge[at].length = 1;
		}
	}
	KUNIT_EXPECT_EQ(test, ibx_enc_klms(out, sge, 0), 0);
}

struct sg_case {
	const char *name;
	struct kt_sg sg[4];
	u32 nents;
	u32 max;
	int ret;
	u64 length;
	const char *hex;
};

static const struct sg_case sg_cases[] = {
	{ "one", { { 0x10010, 0x20 } }, 1, 1, 1, 0x20, HEX(00000020 00c0ffee 0000000000010010) },
	{ "two that follow one another are one", { { 0x1000, 0x1000 }, { 0x2000, 1 } }, 2, 1, 1,
	  0x1001, HEX(00001001 00c0ffee 0000000000001000) },
	{ "a gap", { { 0x1000, 0x1000 }, { 0x2001, 1 } }, 2, 2, 2, 0x1001,
	  HEX(00001000 00c0ffee 0000000000001000 00000001 00c0ffee 0000000000002001) },
	{ "no more than 2 GiB are one", { { 0, 0x80000000 }, { 0x80000000, 1 } }, 2, 2, 2,
	  0x80000001,
	  HEX(80000000 00c0ffee 0000000000000000 00000001 00c0ffee 0000000080000000) },
	{ "an element of more than 2 GiB is two", { { 0, 0x80000001 } }, 1, 2, 2, 0x80000001,
	  HEX(80000000 00c0ffee 0000000000000000 00000001 00c0ffee 0000000080000000) },
	{ "an element of more than 2 GiB does not fit", { { 0, 0x80000001 } }, 1, 1, -ENOSPC },
	{ "too many", { { 0x1000, 8 }, { 0x3000, 8 }, { 0x5000, 8 } }, 3, 2, -ENOSPC },
	{ "none", { }, 0, 2, -EINVAL },
	{ "an empty one first", { { 0x1000, 0 }, { 0x3000, 8 } }, 2, 2, -EINVAL },
	{ "an empty one last", { { 0x1000, 8 }, { 0x1008, 0 } }, 2, 2, -EINVAL },
	{ "one that wraps", { { -8ULL, 16 } }, 1, 2, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(sg, sg_cases, name);

static void klms_from_sg(struct kunit *test)
{
	const struct sg_case *c = test->param_value;
	struct scatterlist sg[4];
	struct mlx5_klm out[4];
	u64 length = 0;

	kt_fill_sg(sg, c->sg, c->nents);
	KUNIT_ASSERT_EQ(test, ibx_enc_klms_sg(out, c->max, sg, c->nents, LKEY, &length), c->ret);
	if (c->ret < 0)
		return;
	KUNIT_EXPECT_EQ(test, length, c->length);
	kt_expect_bytes(test, c->name, out, c->hex);
}

static struct kunit_case layout_tests[] = {
	KUNIT_CASE_PARAM(check_strides, stride_gen_params),
	KUNIT_CASE(klms_with_bad_piece),
	KUNIT_CASE_PARAM(klms_from_sg, sg_gen_params),
	{}
};

static struct kunit_suite layout_suite = {
	.name = "mlx5_ibx_enc_layout",
	.test_cases = layout_tests,
};

kunit_test_suite(layout_suite);
