// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * BSFs: decoding, and lengths in the two domains.
 *
 * The BSF of T10-DIF has the values of mlx5_ib (wr.c, mlx5_set_bsf()), the BSF
 * of CRCs has the values of libmlx5 (qp.c, mlx5_umr_fill_sig_bsf()). The
 * lengths in length_cases come from users of such keys: rdma/core/rw.c, and
 * test_mlx5_mkey.py of rdma-core.
 */
#include <kunit/test.h>
#include <linux/mlx5/qp.h>

#include "core/core.h"
#include "obj/caps.h"
#include "obj/obj.h"
#include "tests/dp_stubs.h"

struct bsf_ctx {
	struct sim_dev *sdev;
	struct mlx5_bsf raw;
	struct sim_bsf bsf;
	const char *why;
};

static int bsf_init(struct kunit *test)
{
	struct bsf_ctx *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, c);
	c->sdev = kunit_kzalloc(test, sizeof(*c->sdev), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, c->sdev);
	KUNIT_ASSERT_EQ(test, sim_caps_init(c->sdev), 0);
	test->priv = c;
	return 0;
}

static void bsf_exit(struct kunit *test)
{
	struct bsf_ctx *c = test->priv;

	if (c)
		sim_caps_exit(c->sdev);
}

static int bsf_run(struct bsf_ctx *c)
{
	return sim_bsf_decode(c->sdev, &c->raw, false, &c->bsf, &c->why);
}

/* Guard of type CRC, application tag 0xaabb, reference tags from 7 on */
static void inl_t10dif(struct mlx5_bsf_inl *inl)
{
	inl->vld_refresh = cpu_to_be16(0xc000);
	inl->dif_apptag = cpu_to_be16(0xaabb);
	inl->dif_reftag = cpu_to_be32(7);
	inl->sig_type = MLX5_DIF_CRC;
	inl->rp_inv_seed = 0x80;
	inl->dif_inc_ref_guard_check = 0x40;
	inl->dif_app_bitmask_check = cpu_to_be16(0xffff);
}

/* T10-DIF in both domains, with the same block structure, as in mlx5_ib */
static void raw_t10dif(struct bsf_ctx *c)
{
	c->raw.basic.bsf_size_sbs = 0x90;
	c->raw.basic.check_byte_mask = 0xff;
	c->raw.basic.wire.copy_byte_mask = 0xc0;
	c->raw.basic.mem.bs_selector = 1;
	c->raw.basic.raw_data_size = cpu_to_be32(4096);
	c->raw.basic.w_bfs_psv = cpu_to_be32(0x12);
	c->raw.basic.m_bfs_psv = cpu_to_be32(0x11);
	inl_t10dif(&c->raw.m_inl);
	inl_t10dif(&c->raw.w_inl);
}

/* No signature in memory and a CRC on the wire, as in libmlx5 */
static void raw_crc(struct bsf_ctx *c, u8 format, u8 selector)
{
	c->raw.basic.bsf_size_sbs = 0x80;
	c->raw.basic.check_byte_mask = 0xf0;
	c->raw.basic.wire.bs_selector = selector;
	c->raw.basic.raw_data_size = cpu_to_be32(U32_MAX);
	c->raw.basic.w_bfs_psv = cpu_to_be32((u32)format << 24 | 0x12);
}

static void decodes_t10dif(struct kunit *test)
{
	struct bsf_ctx *c = test->priv;

	raw_t10dif(c);
	KUNIT_ASSERT_EQ_MSG(test, bsf_run(c), 0, "%s", c->why);
	KUNIT_EXPECT_EQ(test, c->bsf.mem.type, SIM_SIG_T10DIF);
	KUNIT_EXPECT_EQ(test, c->bsf.wire.type, SIM_SIG_T10DIF);
	KUNIT_EXPECT_EQ(test, c->bsf.mem.block, 512);
	KUNIT_EXPECT_EQ(test, c->bsf.wire.block, 512);
	KUNIT_EXPECT_EQ(test, c->bsf.mem.psv, 0x11);
	KUNIT_EXPECT_EQ(test, c->bsf.wire.psv, 0x12);
	KUNIT_EXPECT_TRUE(test, c->bsf.mem.ref_inc);
	KUNIT_EXPECT_FALSE(test, c->bsf.mem.csum);
	KUNIT_EXPECT_EQ(test, c->bsf.mem.app_mask, 0xffff);
	KUNIT_EXPECT_EQ(test, c->bsf.check_mask, 0xff);
	KUNIT_EXPECT_EQ(test, c->bsf.copy_mask, 0xc0);
	KUNIT_EXPECT_EQ(test, c->bsf.raw_size, 4096);
}

static void decodes_crc(struct kunit *test)
{
	static const struct { u8 format; enum sim_sig_type type; } formats[] = {
		{ 0x22, SIM_SIG_CRC32 }, { 0x23, SIM_SIG_CRC32 }, { 0x42, SIM_SIG_CRC32C },
		{ 0x43, SIM_SIG_CRC32C }, { 0x52, SIM_SIG_CRC64 }, { 0x53, SIM_SIG_CRC64 },
	};
	static const struct { u8 selector; u16 block; } blocks[] = {
		{ 1, 512 }, { 2, 520 }, { 3, 4096 }, { 4, 4160 }, { 6, 4048 },
	};
	struct bsf_ctx *c = test->priv;
	int i, j;

	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		for (j = 0; j < ARRAY_SIZE(blocks); j++) {
			raw_crc(c, formats[i].format, blocks[j].selector);
			KUNIT_ASSERT_EQ_MSG(test, bsf_run(c), 0, "%s", c->why);
			KUNIT_EXPECT_EQ(test, c->bsf.mem.type, SIM_SIG_NONE);
			KUNIT_EXPECT_EQ(test, c->bsf.wire.type, formats[i].type);
			KUNIT_EXPECT_EQ(test, c->bsf.wire.block, blocks[j].block);
			KUNIT_EXPECT_EQ(test, c->bsf.wire.psv, 0x12);
		}
	}
}

static void no_capability(struct bsf_ctx *c, const struct sim_field f)
{
	sim_bits_set(sim_caps_page(c->sdev, MLX5_CAP_GENERAL, false), f, 0);
}

static void spoil_size(struct bsf_ctx *c)
{
	c->raw.basic.bsf_size_sbs = 0x50;
}

static void spoil_size_bits(struct bsf_ctx *c)
{
	c->raw.basic.bsf_size_sbs |= 1;
}

static void spoil_ext(struct bsf_ctx *c)
{
	c->raw.ext.m_tfs_psv = cpu_to_be32(1);
}

static void spoil_mem_block(struct bsf_ctx *c)
{
	c->raw.basic.mem.bs_selector = 5;
}

static void spoil_mem_none(struct bsf_ctx *c)
{
	c->raw.basic.mem.bs_selector = 0;
}

static void spoil_valid(struct bsf_ctx *c)
{
	c->raw.m_inl.vld_refresh = cpu_to_be16(0x4000);
}

static void spoil_guard(struct bsf_ctx *c)
{
	c->raw.w_inl.sig_type = 3;
}

static void spoil_repeat(struct bsf_ctx *c)
{
	c->raw.w_inl.rp_inv_seed = 0;
}

static void spoil_inl_flags(struct bsf_ctx *c)
{
	c->raw.w_inl.dif_inc_ref_guard_check |= 4;
}

static void spoil_inl_rsvd(struct bsf_ctx *c)
{
	c->raw.w_inl.rsvd[1] = 1;
}

static void spoil_types(struct bsf_ctx *c)
{
	memset(&c->raw.w_inl, 0, sizeof(c->raw.w_inl));
	c->raw.basic.w_bfs_psv = cpu_to_be32(0x22000012);
}

static void spoil_crc_inl(struct bsf_ctx *c)
{
	c->raw.basic.bsf_size_sbs = 0x80;
	c->raw.basic.wire.bs_selector = 1;
	c->raw.basic.w_bfs_psv = cpu_to_be32(0x22000012);
}

static void spoil_wire_none(struct bsf_ctx *c)
{
	c->raw.basic.bsf_size_sbs = 0x80;
	c->raw.basic.wire.bs_selector = 0;
}

static void only_crc(struct bsf_ctx *c, u8 format, u8 selector)
{
	memset(&c->raw, 0, sizeof(c->raw));
	raw_crc(c, format, selector);
}

static void spoil_format(struct bsf_ctx *c)
{
	only_crc(c, 0x32, 1);
}

static void spoil_crc_repeat(struct bsf_ctx *c)
{
	only_crc(c, 0x20, 1);
}

static void spoil_cap_crc32c(struct bsf_ctx *c)
{
	only_crc(c, 0x42, 1);
	no_capability(c, (struct sim_field)SIM_CAP_SIG_CRC32C);
}

static void spoil_cap_crc64(struct bsf_ctx *c)
{
	only_crc(c, 0x52, 1);
	no_capability(c, (struct sim_field)SIM_CAP_SIG_CRC64_XP10);
}

static void spoil_cap_4048(struct bsf_ctx *c)
{
	only_crc(c, 0x22, 6);
	no_capability(c, (struct sim_field)SIM_CAP_SIG_BLOCK_4048);
}

static const struct bsf_case {
	const char *name;
	void (*spoil)(struct bsf_ctx *c);
} bsf_cases_bad[] = {
	{ "size", spoil_size },
	{ "unknown bit of the size", spoil_size_bits },
	{ "signature of a transaction", spoil_ext },
	{ "block size of 1 GiB", spoil_mem_block },
	{ "memory without a block size", spoil_mem_none },
	{ "wire without a block size", spoil_wire_none },
	{ "inline section not valid", spoil_valid },
	{ "unknown guard", spoil_guard },
	{ "block does not repeat", spoil_repeat },
	{ "unknown flag", spoil_inl_flags },
	{ "reserved", spoil_inl_rsvd },
	{ "one structure, two types", spoil_types },
	{ "CRC with an inline section", spoil_crc_inl },
	{ "unknown format", spoil_format },
	{ "CRC does not repeat", spoil_crc_repeat },
	{ "CRC32C without the capability", spoil_cap_crc32c },
	{ "CRC64 without the capability", spoil_cap_crc64 },
	{ "4048 bytes without the capability", spoil_cap_4048 },
};

KUNIT_ARRAY_PARAM_DESC(bsf_bad, bsf_cases_bad, name);

static void bsf_refused(struct kunit *test)
{
	const struct bsf_case *k = test->param_value;
	struct bsf_ctx *c = test->priv;

	raw_t10dif(c);
	k->spoil(c);
	KUNIT_EXPECT_EQ(test, bsf_run(c), -EINVAL);
}

#define T10	{ .type = SIM_SIG_T10DIF, .block = 512 }
#define C32	{ .type = SIM_SIG_CRC32, .block = 512 }
#define T10_4K	{ .type = SIM_SIG_T10DIF, .block = 4096 }

/*
 * Byte counts of work requests: first of real users of keys, then other counts.
 * For each value of sig_count, a row contains the bytes that move on the wire
 * and in memory; 0 = refused. The comment of a row lists the values of
 * sig_count for which the transfer of the real user works.
 */
static const struct length_case {
	const char *name;
	struct sim_sig_domain mem, wire;
	u32 count;
	struct {
		u32 on_wire, in_mem;
	} by[3];		/* enum sim_sig_count: data, wire, memory */
} length_cases[] = {
	/* all */
	{ "rw.c: T10-DIF to T10-DIF", T10, T10, 1040,
	  { { 1040, 1040 }, { 1040, 1040 }, { 1040, 1040 } } },
	/* data, wire */
	{ "rw.c: T10-DIF to nothing", T10, {}, 1024,
	  { { 1024, 1040 }, { 1024, 1040 }, { 1016, 1024 } } },
	/* data, memory */
	{ "rw.c: nothing to T10-DIF", {}, T10, 1024,
	  { { 1040, 1024 }, { 1024, 1016 }, { 1040, 1024 } } },
	/* wire; used by isert before rw.c, and by the tests of Mellanox */
	{ "bytes on the wire, from nothing to T10-DIF", {}, T10, 1040,
	  { { 1056, 1040 }, { 1040, 1024 }, { 1056, 1040 } } },
	/* all values, since both ends have such a key */
	{ "mkey_sig_t10dif", {}, T10, 512, { { 520, 512 }, { 512, 512 }, { 520, 512 } } },
	{ "mkey_sig_crc", {}, C32, 512, { { 516, 512 }, { 512, 512 }, { 516, 512 } } },
	/* data, wire: the signature in memory is checked */
	{ "mkey_sig_err", C32, {}, 512, { { 512, 516 }, { 512, 516 } } },
	/* this row and the rows after it have no real user */
	{ "bytes in memory, of two structures", T10, T10_4K, 8 * 520,
	  { { 4104, 8 * 520 }, { 0 }, { 4104, 8 * 520 } } },
	{ "bytes on the wire, of two structures", T10, T10_4K, 4104,
	  { { 4048, 4104 }, { 4104, 8 * 520 }, { 4048, 4104 } } },
	{ "a block that is not complete", C32, {}, 600,
	  { { 600, 604 }, { 600, 604 }, { 596, 600 } } },
	{ "less than a block", {}, T10, 100, { { 100, 100 }, { 100, 100 }, { 100, 100 } } },
	{ "ends before the signature", T10, T10, 512, { { 0 }, { 512, 520 }, { 0 } } },
	{ "ends inside the signature", T10, T10, 519, { { 0 }, { 0 }, { 0 } } },
	{ "more than the raw size", T10, {}, 4200, { { 0 }, { 0 }, { 0 } } },
};

KUNIT_ARRAY_PARAM_DESC(length, length_cases, name);

static void lengths(struct kunit *test)
{
	const struct length_case *k = test->param_value;
	struct sim_bsf bsf = { .mem = k->mem, .wire = k->wire, .raw_size = 4096 };
	enum sim_sig_count by;

	for (by = SIM_SIG_COUNT_DATA; by <= SIM_SIG_COUNT_MEMORY; by++) {
		const u32 on_wire = k->by[by].on_wire;
		u32 wire = 0;

		sim_sig_count = by;
		KUNIT_EXPECT_EQ(test, sim_sig_wire_len(&bsf, k->count, &wire),
				on_wire ? 0 : -ERANGE);
		KUNIT_EXPECT_EQ(test, wire, on_wire);
		if (on_wire)
			KUNIT_EXPECT_EQ(test, sim_sig_mem_len(&bsf, wire), k->by[by].in_mem);
	}
	sim_sig_count = SIM_SIG_COUNT_DATA;
}

static void blocks_begin(struct kunit *test)
{
	struct sim_bsf bsf = { .mem = T10, .wire = T10_4K };
	u32 data;

	KUNIT_EXPECT_EQ(test, sim_sig_block(&bsf, 0, &data), 0);
	KUNIT_EXPECT_EQ(test, data, 0);
	KUNIT_EXPECT_EQ(test, sim_sig_block(&bsf, 8 * 520, &data), 0);
	KUNIT_EXPECT_EQ(test, data, 4096);
	KUNIT_EXPECT_EQ(test, sim_sig_block(&bsf, 520, &data), -ERANGE);
	KUNIT_EXPECT_EQ(test, sim_sig_block(&bsf, 8 * 520 + 1, &data), -ERANGE);
	KUNIT_EXPECT_EQ(test, sim_sig_block(&bsf, BIT_ULL(32), &data), -ERANGE);
}

static struct kunit_case bsf_cases[] = {
	KUNIT_CASE(decodes_t10dif),
	KUNIT_CASE(decodes_crc),
	KUNIT_CASE_PARAM(bsf_refused, bsf_bad_gen_params),
	KUNIT_CASE_PARAM(lengths, length_gen_params),
	KUNIT_CASE(blocks_begin),
	{}
};

static struct kunit_suite bsf_suite = {
	.name = "sim_bsf",
	.init = bsf_init,
	.exit = bsf_exit,
	.test_cases = bsf_cases,
};

kunit_test_suite(bsf_suite);

MODULE_DESCRIPTION("KUnit tests of mlx5sim's BSFs");
MODULE_LICENSE("Dual BSD/GPL");
