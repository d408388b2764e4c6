// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of the checks of values that processes pass.
 *
 * The lengths are sizes of structures of <rdma/mlx5-abi.h>. The offsets of
 * mappings and the rings are those that libmlx5 44 requests:
 * get_uar_mmap_offset(), and mlx5_calc_wq_size() for the programs named.
 */
#include <kunit/test.h>

#include "abi/check.h"

struct len_case {
	const char *name;
	size_t len;
	size_t min;
	size_t max;
	ssize_t want;
};

static const struct len_case len_cases[] = {
	{ "as long as here", 40, 8, 40, 40 },
	{ "an older library", 24, 16, 32, 24 },
	{ "the shortest", 16, 16, 32, 16 },
	{ "a byte too short", 15, 16, 32, -EINVAL },
	{ "a newer library", 33, 16, 32, 32 },
	{ "far longer", SIZE_MAX, 16, 32, 32 },
	{ "nothing, and nothing is needed", 0, 0, 32, 0 },
	{ "nothing", 0, 1, 32, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(len, len_cases, name);

static void negotiate_len(struct kunit *test)
{
	const struct len_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, ibx_abi_len(c->len, c->min, c->max), c->want);
}

struct mmap_case {
	const char *name;
	unsigned long pgoff;
	int want;
};

static const struct mmap_case mmap_cases[] = {
	{ "regular page 0", 0, -EOPNOTSUPP },
	{ "regular page 255", 0xff, -EOPNOTSUPP },
	{ "contiguous pages", 0x100, -EOPNOTSUPP },
	{ "write-combining", 0x200, -EOPNOTSUPP },
	{ "uncached", 0x300, -EOPNOTSUPP },
	{ "no command 4", 0x400, -EINVAL },
	{ "clock", 0x500, IBX_MMAP_KIND_CLOCK },
	{ "clock has one page", 0x501, -EINVAL },
	{ "allocated write-combining", 0x600, -EOPNOTSUPP },
	{ "clock information", 0x700, IBX_MMAP_KIND_CLOCK_INFO },
	{ "clock information of another version", 0x701, -EOPNOTSUPP },
	{ "device memory", 0x800, -EOPNOTSUPP },
	{ "no command 9", 0x900, -EINVAL },
	{ "no command 255", 0xffff, -EINVAL },
	{ "first UAR", 0x10000, IBX_MMAP_KIND_UAR },
	{ "clock's number as a UAR", 0x10500, IBX_MMAP_KIND_UAR },
	{ "last offset", ULONG_MAX, IBX_MMAP_KIND_UAR },
};

KUNIT_ARRAY_PARAM_DESC(mmap, mmap_cases, name);

static void find_mapping(struct kunit *test)
{
	const struct mmap_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, ibx_mmap_kind(c->pgoff), c->want);
}

struct rings_case {
	const char *name;
	struct ibx_user_rings rings;
	int want;
	u32 rq_bytes;
	u32 sq_bytes;
};

static const struct rings_case rings_cases[] = {
	{ "ibv_rc_pingpong", { 4, 512, 4 }, 0, 8192, 256 },
	{ "ibv_srq_pingpong", { 4, 0, 0, true }, 0, 0, 256 },
	{ "one receive, at least a basic block", { 4, 4, 4 }, 0, 64, 256 },
	{ "no rings", {}, 0, 0, 0 },
	{ "largest", { 32768, 32768, 9 }, 0, 32768 << 9, 32768 << 6 },
	{ "size of WQEs without any", { 4, 0, 77 }, 0, 0, 256 },
	{ "receives only, less than a basic block", { 0, 1, 4 }, 0, 16, 0 },
	{ "too many sends", { 65536 }, -EINVAL },
	{ "most sends that fit", { 0x80000000 }, -EINVAL },
	{ "sends that are no power of two", { 3 }, -EINVAL },
	{ "all ones", { U32_MAX, U32_MAX, U32_MAX }, -EINVAL },
	{ "too many receives", { 4, 65536, 4 }, -EINVAL },
	{ "receives that are no power of two", { 4, 511, 4 }, -EINVAL },
	{ "WQEs of less than an entry", { 4, 512, 3 }, -EINVAL },
	{ "WQEs of 1 byte", { 4, 512, 0 }, -EINVAL },
	{ "WQEs that are too large", { 4, 512, 10 }, -EINVAL },
	{ "shift of a word", { 4, 512, 32 }, -EINVAL },
	{ "shift of a word and more", { 4, 512, 36 }, -EINVAL },
	{ "sends off a basic block", { 4, 2, 4 }, -EINVAL },
	{ "receives beside an SRQ", { 4, 512, 4, true }, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(rings, rings_cases, name);

static void check_rings(struct kunit *test)
{
	const struct ibx_qp_limits lim = { .max_wqes = 32768, .max_rq_wqe = 512 };
	const struct rings_case *c = test->param_value;
	struct ibx_qp_geom geom;

	KUNIT_EXPECT_EQ(test, ibx_user_rings_geometry(&c->rings, &lim, &geom), c->want);
	if (c->want)
		return;
	KUNIT_EXPECT_EQ(test, ibx_geom_rq_bytes(&geom), c->rq_bytes);
	KUNIT_EXPECT_EQ(test, ibx_geom_sq_bytes(&geom), c->sq_bytes);
}

static struct kunit_case abi_tests[] = {
	KUNIT_CASE_PARAM(negotiate_len, len_gen_params),
	KUNIT_CASE_PARAM(find_mapping, mmap_gen_params),
	KUNIT_CASE_PARAM(check_rings, rings_gen_params),
	{}
};

static struct kunit_suite abi_suite = {
	.name = "mlx5_ibx_abi",
	.test_cases = abi_tests,
};

kunit_test_suite(abi_suite);
