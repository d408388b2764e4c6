// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Lists and strided patterns of indirect keys.
 *
 * A pattern consists of struct mlx5_stride_block_ctrl_seg and
 * mlx5_stride_block_entry of <linux/mlx5/qp.h>; the expected addresses come
 * from a plain loop over laps, blocks and bytes.
 */
#include <kunit/test.h>

#include "core/core.h"
#include "dp/dp.h"
#include "obj/klm.h"
#include "obj/obj.h"

#define ENTS	8

struct indirect_ctx {
	union {
		struct mlx5_klm ent[ENTS];
		struct {
			struct mlx5_stride_block_ctrl_seg head;
			struct mlx5_stride_block_entry block[ENTS - 1];
		};
	};
	struct sim_klm klm[ENTS];
	struct sim_mkey mkey;
};

static const struct { u16 bytes, stride; u64 va; } blocks[] = {
	{ 8, 10, 0x1000 }, { 0, 5, 0x77 }, { 3, 3, 0x2001 }, { 0xffff, 0xffff, 0x100000000 },
};

#define LAPS	3

static int indirect_init(struct kunit *test)
{
	struct indirect_ctx *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	u32 sum = 0;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, c);
	for (i = 0; i < ARRAY_SIZE(blocks); i++) {
		c->block[i].stride = cpu_to_be16(blocks[i].stride);
		c->block[i].bcount = cpu_to_be16(blocks[i].bytes);
		c->block[i].key = cpu_to_be32(0x100 * i);
		c->block[i].va = cpu_to_be64(blocks[i].va);
		sum += blocks[i].bytes;
	}
	c->head.bcount_per_cycle = cpu_to_be32(sum);
	c->head.op = cpu_to_be32(MLX5_STRIDE_BLOCK_OP);
	c->head.repeat_count = cpu_to_be32(LAPS);
	c->head.num_entries = cpu_to_be16(ARRAY_SIZE(blocks));
	c->mkey.mode = SIM_MKEY_KLM;
	c->mkey.klm = c->klm;
	c->mkey.xlt_octwords = ENTS;
	c->mkey.xlt_used = ENTS;
	test->priv = c;
	return 0;
}

/* Looks up every byte of every lap. */
static void pattern_bytes(struct kunit *test)
{
	struct indirect_ctx *c = test->priv;
	struct sim_klm_pos at = {};
	struct sim_piece p;
	const char *why;
	u32 lap, i, n, wrong = 0;
	u64 pos = 0;

	KUNIT_ASSERT_EQ(test, sim_klm_check(c->ent, ENTS, &why), 0);
	sim_klm_decode(c->klm, c->ent, ENTS);
	for (lap = 0; lap < LAPS; lap++)
		for (i = 0; i < ARRAY_SIZE(blocks); i++)
			for (n = 0; n < blocks[i].bytes; n++, pos++)
				wrong += sim_klm_find(&c->mkey, pos, &at, &p) ||
					 p.key != 0x100 * i || p.len != blocks[i].bytes - n ||
					 p.va != blocks[i].va + lap * blocks[i].stride + n;
	KUNIT_EXPECT_EQ(test, wrong, 0);
	KUNIT_EXPECT_EQ(test, sim_klm_find(&c->mkey, pos, &at, &p), -ERANGE);
	KUNIT_EXPECT_EQ(test, sim_klm_find(&c->mkey, ~0ULL, &at, &p), -ERANGE);
	c->mkey.xlt_used = 0;
	KUNIT_EXPECT_EQ(test, sim_klm_find(&c->mkey, 0, &at, &p), -ERANGE);
}

struct pattern_case {
	const char *name;
	void (*spoil)(struct indirect_ctx *c);
};

static void no_laps(struct indirect_ctx *c)
{
	c->head.repeat_count = 0;
}

static void no_blocks(struct indirect_ctx *c)
{
	c->head.num_entries = 0;
	c->head.bcount_per_cycle = 0;
}

static void too_many_blocks(struct indirect_ctx *c)
{
	c->head.num_entries = cpu_to_be16(ENTS);
}

static void stride_overflowed(struct indirect_ctx *c)
{
	c->block[0].stride = cpu_to_be16(7);
}

static void wrong_sum(struct indirect_ctx *c)
{
	be32_add_cpu(&c->head.bcount_per_cycle, 1);
}

static void no_bytes(struct indirect_ctx *c)
{
	c->head.num_entries = cpu_to_be16(1);
	c->head.bcount_per_cycle = 0;
	c->block[0].bcount = 0;
}

static void wraps(struct indirect_ctx *c)
{
	/* the last byte of the last of three laps is at 2 * 10 + 7 */
	c->block[0].va = cpu_to_be64(-27ULL);
}

static void wraps_after_all_laps(struct indirect_ctx *c)
{
	c->head.repeat_count = cpu_to_be32(U32_MAX);
	c->block[3].va = cpu_to_be64(-(1ULL << 44));
}

static const struct pattern_case pattern_cases[] = {
	{ "no laps", no_laps },
	{ "no blocks", no_blocks },
	{ "more blocks than entries", too_many_blocks },
	{ "stride overflowed", stride_overflowed },
	{ "wrong sum", wrong_sum },
	{ "no bytes", no_bytes },
	{ "wraps", wraps },
	{ "wraps in a late lap", wraps_after_all_laps },
};

KUNIT_ARRAY_PARAM_DESC(pattern, pattern_cases, name);

static void pattern_refused(struct kunit *test)
{
	const struct pattern_case *k = test->param_value;
	struct indirect_ctx *c = test->priv;
	const char *why = NULL;

	k->spoil(c);
	KUNIT_EXPECT_EQ(test, sim_klm_check(c->ent, ENTS, &why), -EINVAL);
	KUNIT_EXPECT_NOT_NULL(test, why);
}

/* mlx5_ib does not clear this field for IB_WR_REG_MR_INTEGRITY. */
static void reserved_field_of_pattern_is_ignored(struct kunit *test)
{
	struct indirect_ctx *c = test->priv;
	const char *why = NULL;

	c->head.rsvd = 0xffff;
	KUNIT_EXPECT_EQ(test, sim_klm_check(c->ent, ENTS, &why), 0);
}

/*
 * The entries of a KSM key are not checked, and the first entry is never the
 * head of a pattern.
 */
static void pattern_of_klm_keys_only(struct kunit *test)
{
	struct indirect_ctx *c = test->priv;

	sim_klm_decode(c->klm, c->ent, ENTS);
	KUNIT_EXPECT_TRUE(test, sim_klm_pattern(&c->mkey));
	c->mkey.mode = SIM_MKEY_KSM;
	KUNIT_EXPECT_FALSE(test, sim_klm_pattern(&c->mkey));
}

static void pattern_at_the_limit(struct kunit *test)
{
	struct indirect_ctx *c = test->priv;
	const char *why;

	c->block[0].va = cpu_to_be64(-28ULL);
	KUNIT_EXPECT_EQ(test, sim_klm_check(c->ent, ENTS, &why), 0);
	KUNIT_EXPECT_EQ(test, sim_klm_check(c->ent, ARRAY_SIZE(blocks) + 1, &why), 0);
	KUNIT_EXPECT_EQ(test, sim_klm_check(c->ent, ARRAY_SIZE(blocks), &why), -EINVAL);
	/* a list may have any keys and addresses */
	c->head.op = cpu_to_be32(0x500);
	c->head.repeat_count = 0;
	KUNIT_EXPECT_EQ(test, sim_klm_check(c->ent, 1, &why), 0);
}

/*
 * An entry of a list has at most 2^31 bytes. set_bind_wr() of libmlx5: "KLM
 * support only 2GB"
 */
static void list_lengths(struct kunit *test)
{
	struct mlx5_klm ent[2] = {};
	const char *why;

	ent[1].bcount = cpu_to_be32(0x80000000);
	KUNIT_EXPECT_EQ(test, sim_klm_check(ent, 2, &why), 0);
	ent[1].bcount = cpu_to_be32(0x80000001);
	KUNIT_EXPECT_EQ(test, sim_klm_check(ent, 2, &why), -EINVAL);
	KUNIT_EXPECT_EQ(test, sim_klm_check_list(&ent[1], 1, &why), -EINVAL);
	KUNIT_EXPECT_EQ(test, sim_klm_check(ent, 1, &why), 0);
}

static void list_positions(struct kunit *test)
{
	struct indirect_ctx *c = test->priv;
	struct sim_klm_pos at = {};
	struct sim_piece p;

	c->klm[0] = (struct sim_klm) { .byte_count = 0x10, .key = 0x501, .va = 0x1003 };
	c->klm[2] = (struct sim_klm) { .byte_count = 0x20, .key = 0x601, .va = 0x2000 };
	c->klm[3] = (struct sim_klm) { .byte_count = 0x100, .key = 0x701, .va = ~0xffULL };

	KUNIT_ASSERT_EQ(test, sim_klm_find(&c->mkey, 0xf, &at, &p), 0);
	KUNIT_EXPECT_EQ(test, p.key, 0x501);
	KUNIT_EXPECT_EQ(test, p.va, 0x1012);
	KUNIT_EXPECT_EQ(test, p.len, 1);
	/* the second entry is empty */
	KUNIT_ASSERT_EQ(test, sim_klm_find(&c->mkey, 0x10, &at, &p), 0);
	KUNIT_EXPECT_EQ(test, p.key, 0x601);
	KUNIT_EXPECT_EQ(test, at.klm, 2);
	KUNIT_EXPECT_EQ(test, at.base, 0x10);
	KUNIT_ASSERT_EQ(test, sim_klm_find(&c->mkey, 0x12f, &at, &p), 0);
	KUNIT_EXPECT_EQ(test, p.va, ~0ULL);
	/* a lookup before the last position restarts at the first entry */
	KUNIT_ASSERT_EQ(test, sim_klm_find(&c->mkey, 0, &at, &p), 0);
	KUNIT_EXPECT_EQ(test, p.len, 0x10);
	KUNIT_EXPECT_EQ(test, sim_klm_find(&c->mkey, 0x130, &at, &p), -ERANGE);
	/* addresses do not wrap */
	c->klm[3].va++;
	KUNIT_EXPECT_EQ(test, sim_klm_find(&c->mkey, 0x12f, &at, &p), -ERANGE);
	KUNIT_EXPECT_EQ(test, sim_klm_find(&c->mkey, 0x12e, &at, &p), 0);
}

static void pages_of_keys(struct kunit *test)
{
	struct indirect_ctx *c = test->priv;
	struct sim_klm_pos at = {};
	struct sim_piece p;

	c->mkey.mode = SIM_MKEY_KSM;
	c->mkey.log_page_size = 12;
	c->klm[ENTS - 1] = (struct sim_klm) { .key = 0x901, .va = 0x5000 };
	KUNIT_ASSERT_EQ(test, sim_klm_find(&c->mkey, (ENTS - 1) * 0x1000 + 1, &at, &p), 0);
	KUNIT_EXPECT_EQ(test, p.key, 0x901);
	KUNIT_EXPECT_EQ(test, p.va, 0x5001);
	KUNIT_EXPECT_EQ(test, p.len, 0xfff);
	KUNIT_EXPECT_EQ(test, sim_klm_find(&c->mkey, ENTS * 0x1000, &at, &p), -ERANGE);
	c->mkey.log_page_size = 32;
	KUNIT_EXPECT_EQ(test, sim_klm_find(&c->mkey, 0, &at, &p), -ERANGE);
}

static struct kunit_case indirect_cases[] = {
	KUNIT_CASE(pattern_bytes),
	KUNIT_CASE_PARAM(pattern_refused, pattern_gen_params),
	KUNIT_CASE(reserved_field_of_pattern_is_ignored),
	KUNIT_CASE(pattern_of_klm_keys_only),
	KUNIT_CASE(pattern_at_the_limit),
	KUNIT_CASE(list_lengths),
	KUNIT_CASE(list_positions),
	KUNIT_CASE(pages_of_keys),
	{}
};

static struct kunit_suite indirect_suite = {
	.name = "sim_indirect",
	.init = indirect_init,
	.test_cases = indirect_cases,
};

kunit_test_suite(indirect_suite);

MODULE_DESCRIPTION("KUnit tests of mlx5sim's indirect keys");
MODULE_LICENSE("Dual BSD/GPL");
