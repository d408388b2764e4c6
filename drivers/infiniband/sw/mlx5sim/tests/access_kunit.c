// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory keys: access checks, and the host memory of an address.
 *
 * Bus addresses are kernel addresses here. Expected positions follow from the
 * meaning of an MTT and of a KLM list. Entry 0 of an MTT is the page of the
 * start address, and entry i is the i-th page after it. The pieces of a KLM
 * list follow one another.
 */
#include <kunit/test.h>

#include "core/core.h"
#include "dp/dp.h"
#include "obj/klm.h"
#include "obj/obj.h"
#include "tests/dp_stubs.h"

#define PD	7
#define QPN	0x55

struct access_ctx {
	struct sim_dev *sdev;
	u8 *mem;		/* 8 pages */
	u8 *out;
	struct sim_mkey pa, mtt, klm, nest;
	u64 mtt_ent[4];
	struct sim_klm klm_ent[3], nest_ent[1];
};

static void init_key(struct sim_mkey *mkey, u32 index, enum sim_mkey_mode mode)
{
	memset(mkey, 0, sizeof(*mkey));
	mkey->obj.id = index;
	mkey->variant = 1;
	mkey->mode = mode;
	mkey->access = SIM_MKEY_LR | SIM_MKEY_LW | SIM_MKEY_RR;
	mkey->qpn = SIM_ANY_QPN;
	mkey->pdn = PD;
	mkey->log_page_size = PAGE_SHIFT;
	sim_dp_stub.mkey[index] = mkey;
}

static int access_init(struct kunit *test)
{
	struct access_ctx *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	u64 base;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, c);
	c->sdev = kunit_kzalloc(test, sizeof(*c->sdev), GFP_KERNEL);
	c->mem = kunit_kmalloc(test, 8 * PAGE_SIZE, GFP_KERNEL);
	c->out = kunit_kzalloc(test, 8 * PAGE_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, c->sdev);
	KUNIT_ASSERT_NOT_NULL(test, c->mem);
	KUNIT_ASSERT_NOT_NULL(test, c->out);
	test->priv = c;
	for (i = 0; i < 8 * PAGE_SIZE; i++)
		c->mem[i] = i * 7 + (i >> 12);
	base = (uintptr_t)c->mem;
	sim_dp_stub_reset();

	init_key(&c->pa, 1, SIM_MKEY_PA);
	c->pa.len64 = true;

	/* four pages from byte 0x800 on; pages 1 and 2 are contiguous */
	init_key(&c->mtt, 2, SIM_MKEY_MTT);
	c->mtt.start = 0x10800;
	c->mtt.len = 4 * PAGE_SIZE - 0x800;
	c->mtt.xlt_octwords = 2;
	c->mtt.xlt_used = 2;
	c->mtt.mtt = c->mtt_ent;
	c->mtt_ent[0] = base + 5 * PAGE_SIZE;
	c->mtt_ent[1] = base + 1 * PAGE_SIZE;
	c->mtt_ent[2] = base + 2 * PAGE_SIZE;
	c->mtt_ent[3] = base + 7 * PAGE_SIZE;

	init_key(&c->klm, 3, SIM_MKEY_KLM);
	c->klm.start = 0x5;
	c->klm.len = 0x130;
	c->klm.xlt_octwords = 3;
	c->klm.xlt_used = 3;
	c->klm.klm = c->klm_ent;
	c->klm_ent[0] = (struct sim_klm) { .byte_count = 0x10, .key = 0x101, .va = base + 3 };
	c->klm_ent[1] = (struct sim_klm) { .byte_count = 0x20, .key = 0x101, .va = base + 0x777 };
	c->klm_ent[2] = (struct sim_klm) { .byte_count = 0x100, .key = 0x201, .va = 0x10ff0 };

	init_key(&c->nest, 4, SIM_MKEY_KLM);
	c->nest.len = 0x100;
	c->nest.xlt_octwords = 1;
	c->nest.xlt_used = 1;
	c->nest.klm = c->nest_ent;
	c->nest_ent[0] = (struct sim_klm) { .byte_count = 0x100, .key = 0x301, .va = 0x15 };
	return 0;
}

static int check(struct access_ctx *c, u32 key, u64 va, u32 len, u8 rights, bool local)
{
	struct sim_seg seg = { .key = key, .va = va, .len = len };
	struct sim_acc acc = {
		.sdev = c->sdev, .pdn = PD, .qpn = QPN, .rights = rights, .local = local,
	};

	return sim_access_check(&acc, &seg, 1, len);
}

struct check_case {
	const char *name;
	u32 key;
	u64 va;
	u32 len;
	u8 rights;
	int err;
	int vio;
};

static const struct check_case check_cases[] = {
	{ "whole MTT key", 0x201, 0x10800, 0x3800, SIM_MKEY_LR, 0, -1 },
	{ "last byte", 0x201, 0x13fff, 1, SIM_MKEY_LR, 0, -1 },
	{ "one byte before", 0x201, 0x107ff, 2, SIM_MKEY_LR, -ERANGE, SIM_VIO_mkey_range },
	{ "one byte beyond", 0x201, 0x13fff, 2, SIM_MKEY_LR, -ERANGE, SIM_VIO_mkey_range },
	{ "address wraps", 0x201, ~0ULL, 2, SIM_MKEY_LR, -ERANGE, SIM_VIO_mkey_range },
	{ "other variant", 0x202, 0x10800, 1, SIM_MKEY_LR, -ENOENT, SIM_VIO_mkey_lookup },
	{ "no such key", 0x701, 0x10800, 1, SIM_MKEY_LR, -ENOENT, SIM_VIO_mkey_lookup },
	{ "right not granted", 0x201, 0x10800, 1, SIM_MKEY_RW, -EPERM, SIM_VIO_mkey_access },
	{ "whole KLM key", 0x301, 0x5, 0x130, SIM_MKEY_LR, 0, -1 },
	{ "beyond KLM key", 0x301, 0x6, 0x130, SIM_MKEY_LR, -ERANGE, SIM_VIO_mkey_range },
	{ "KLM of KLM of MTT", 0x401, 0, 0x100, SIM_MKEY_LR, 0, -1 },
	{ "anything physical", 0x101, 0x123456789ULL, 0x40000000, SIM_MKEY_LW, 0, -1 },
};

KUNIT_ARRAY_PARAM_DESC(check, check_cases, name);

static void access_checked(struct kunit *test)
{
	const struct check_case *k = test->param_value;
	struct access_ctx *c = test->priv;
	int i;

	KUNIT_EXPECT_EQ(test, check(c, k->key, k->va, k->len, k->rights, false), k->err);
	for (i = 0; i < SIM_VIO_MAX; i++)
		KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[i], 0);
	KUNIT_EXPECT_EQ(test, check(c, k->key, k->va, k->len, k->rights, true), k->err);
	for (i = 0; i < SIM_VIO_MAX; i++)
		KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[i], i == k->vio);
}

static void state_checked(struct kunit *test)
{
	struct access_ctx *c = test->priv;

	c->mtt.free = true;
	KUNIT_EXPECT_EQ(test, check(c, 0x201, 0x10800, 1, SIM_MKEY_LR, true), -ENOENT);
	/* the keys of an indirect key must be valid as well */
	KUNIT_EXPECT_EQ(test, check(c, 0x301, 0x5, 0x130, SIM_MKEY_LR, true), -ENOENT);
	KUNIT_EXPECT_EQ(test, check(c, 0x301, 0x5, 0x30, SIM_MKEY_LR, true), 0);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_mkey_lookup], 2);
	c->mtt.free = false;
	c->mtt.pdn = PD + 1;
	KUNIT_EXPECT_EQ(test, check(c, 0x201, 0x10800, 1, SIM_MKEY_LR, true), -EPERM);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_mkey_pd], 1);
	c->mtt.pdn = PD;
	c->mtt.qpn = QPN + 1;
	KUNIT_EXPECT_EQ(test, check(c, 0x201, 0x10800, 1, SIM_MKEY_LR, true), -EPERM);
	c->mtt.qpn = QPN;
	KUNIT_EXPECT_EQ(test, check(c, 0x201, 0x10800, 1, SIM_MKEY_LR, true), 0);
	/*
	 * the translations in force limit an access, not the space for
	 * translations
	 */
	c->mtt.xlt_used = 1;
	KUNIT_EXPECT_EQ(test, check(c, 0x201, 0x11fff, 2, SIM_MKEY_LR, true), -ERANGE);
	KUNIT_EXPECT_EQ(test, check(c, 0x201, 0x11fff, 1, SIM_MKEY_LR, true), 0);
	/* a remote access needs only local rights on the keys in the list */
	c->mtt.xlt_used = 2;
	c->mtt.access = SIM_MKEY_LR;
	KUNIT_EXPECT_EQ(test, check(c, 0x301, 0x5, 0x130, SIM_MKEY_RR, false), 0);
}

/*
 * A misaligned page address is a violation by the owner of the key, for local
 * and remote access.
 */
static void pages_are_aligned(struct kunit *test)
{
	struct access_ctx *c = test->priv;

	c->mtt_ent[2] += 8;
	KUNIT_EXPECT_EQ(test, check(c, 0x201, 0x10800, 0x1800, SIM_MKEY_LR, true), 0);
	KUNIT_EXPECT_EQ(test, check(c, 0x201, 0x10800, 0x1801, SIM_MKEY_LR, true), -ERANGE);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_mkey_range], 1);
	KUNIT_EXPECT_EQ(test, check(c, 0x201, 0x12fff, 1, SIM_MKEY_RR, false), -ERANGE);
	KUNIT_EXPECT_EQ(test, check(c, 0x201, 0x13000, 1, SIM_MKEY_RR, false), 0);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_mkey_range], 2);
}

/*
 * The start address is not aligned, and the length is nearly 2^64: positions
 * must not wrap.
 */
static void huge_key_does_not_wrap(struct kunit *test)
{
	struct access_ctx *c = test->priv;

	c->mtt.start = 0xfff;
	c->mtt.len = ~0ULL;
	KUNIT_EXPECT_EQ(test, check(c, 0x201, 0xfff, 1, SIM_MKEY_LR, true), 0);
	KUNIT_EXPECT_EQ(test, check(c, 0x201, ~0ULL - 1, 1, SIM_MKEY_LR, true), -ERANGE);
	c->mtt.len64 = true;
	KUNIT_EXPECT_EQ(test, check(c, 0x201, 0, 1, SIM_MKEY_LR, true), -ERANGE);
	KUNIT_EXPECT_EQ(test, check(c, 0x201, 0, 0x2000, SIM_MKEY_LR, true), -ERANGE);
}

static void loop_of_keys_ends(struct kunit *test)
{
	struct access_ctx *c = test->priv;

	c->nest_ent[0].key = 0x401;
	c->nest_ent[0].va = 0;
	KUNIT_EXPECT_EQ(test, check(c, 0x401, 0, 1, SIM_MKEY_LR, true), -EPERM);
}

static void mtt_spans(struct kunit *test)
{
	struct access_ctx *c = test->priv;
	u64 base = (uintptr_t)c->mem, bus;

	KUNIT_EXPECT_EQ(test, sim_mtt_span(&c->mtt, 0x10800, 0x3800, &bus), 0x800);
	KUNIT_EXPECT_EQ(test, bus, base + 5 * PAGE_SIZE + 0x800);
	KUNIT_EXPECT_EQ(test, sim_mtt_span(&c->mtt, 0x11004, 0x2ffc, &bus), 0x1ffc);
	KUNIT_EXPECT_EQ(test, bus, base + PAGE_SIZE + 4);
	KUNIT_EXPECT_EQ(test, sim_mtt_span(&c->mtt, 0x11004, 0x10, &bus), 0x10);
	KUNIT_EXPECT_EQ(test, sim_mtt_span(&c->mtt, 0x13000, 0x1000, &bus), 0x1000);
	KUNIT_EXPECT_EQ(test, bus, base + 7 * PAGE_SIZE);
}

/* Copies [va, va + len) of a key to c->out. */
static enum sim_copy_result fetch(struct access_ctx *c, u32 key, u64 va, u32 len)
{
	struct sim_seg from = { .key = key, .va = va, .len = len };
	struct sim_seg to[2] = {
		{ .kmem = c->out, .len = 3 },
		{ .kmem = c->out + 3, .len = len },
	};
	struct sim_iter src, dst;

	sim_iter_init(&src, c->sdev, &from, 1, false);
	sim_iter_init(&dst, c->sdev, to, 2, true);
	return sim_copy(&dst, &src, len);
}

static void copies_follow_the_lists(struct kunit *test)
{
	struct access_ctx *c = test->priv;
	u8 *m = c->mem;

	KUNIT_ASSERT_EQ(test, fetch(c, 0x201, 0x10800, 0x3800), SIM_COPIED);
	KUNIT_EXPECT_MEMEQ(test, c->out, m + 5 * PAGE_SIZE + 0x800, 0x800);
	KUNIT_EXPECT_MEMEQ(test, c->out + 0x800, m + PAGE_SIZE, 0x2000);
	KUNIT_EXPECT_MEMEQ(test, c->out + 0x2800, m + 7 * PAGE_SIZE, 0x1000);

	/* 15 bytes of entry 0, 32 of entry 1, 16 + 9 of two MTT pages */
	KUNIT_ASSERT_EQ(test, fetch(c, 0x301, 0x6, 15 + 32 + 0x19), SIM_COPIED);
	KUNIT_EXPECT_MEMEQ(test, c->out, m + 4, 15);
	KUNIT_EXPECT_MEMEQ(test, c->out + 15, m + 0x777, 32);
	KUNIT_EXPECT_MEMEQ(test, c->out + 47, m + 5 * PAGE_SIZE + 0xff0, 0x10);
	KUNIT_EXPECT_MEMEQ(test, c->out + 63, m + PAGE_SIZE, 9);

	KUNIT_ASSERT_EQ(test, fetch(c, 0x401, 1, 0x30), SIM_COPIED);
	KUNIT_EXPECT_MEMEQ(test, c->out, m + 0x777 + 1, 0x1f);
	KUNIT_EXPECT_MEMEQ(test, c->out + 0x1f, m + 5 * PAGE_SIZE + 0xff0, 0x10);
}

/*
 * Three laps of 8 bytes of the MTT key and 4 bytes of another key. In the
 * second lap, the 8 bytes cross a page boundary.
 */
static void copies_follow_the_pattern(struct kunit *test)
{
	struct access_ctx *c = test->priv;
	u8 *m = c->mem, want[36];
	int lap;

	c->klm.start = 0;
	c->klm.len = 36;
	c->klm_ent[0] = (struct sim_klm) {
		.byte_count = 12, .key = MLX5_STRIDE_BLOCK_OP, .va = 3ULL << 32 | 2,
	};
	c->klm_ent[1] = (struct sim_klm) {
		.byte_count = 10 << 16 | 8, .key = 0x201, .va = 0x10ff2,
	};
	c->klm_ent[2] = (struct sim_klm) {
		.byte_count = 100 << 16 | 4, .key = 0x101, .va = (uintptr_t)m + 1,
	};
	for (lap = 0; lap < 3; lap++) {
		memcpy(want + 12 * lap, m + (lap < 2 ? 5 * PAGE_SIZE + 0xff2 + 10 * lap :
						       PAGE_SIZE + 6), 8);
		memcpy(want + 12 * lap + 8, m + 1 + 100 * lap, 4);
	}
	/* four of the eight bytes of the second lap are in the next page */
	memcpy(want + 12 + 4, m + PAGE_SIZE, 4);
	KUNIT_EXPECT_EQ(test, check(c, 0x301, 0, 36, SIM_MKEY_RR, false), 0);
	KUNIT_EXPECT_EQ(test, check(c, 0x301, 0, 37, SIM_MKEY_RR, false), -ERANGE);
	KUNIT_ASSERT_EQ(test, fetch(c, 0x301, 0, 36), SIM_COPIED);
	KUNIT_EXPECT_MEMEQ(test, c->out, want, 36);
	KUNIT_ASSERT_EQ(test, fetch(c, 0x301, 15, 20), SIM_COPIED);
	KUNIT_EXPECT_MEMEQ(test, c->out, want + 15, 20);
	/* rights are checked in the key of each block */
	c->mtt.access = SIM_MKEY_LR;
	KUNIT_EXPECT_EQ(test, check(c, 0x301, 0, 8, SIM_MKEY_LW, true), -EPERM);
	KUNIT_EXPECT_EQ(test, check(c, 0x301, 8, 4, SIM_MKEY_LW, true), 0);
}

static void unmapped_memory_is_the_sources_fault(struct kunit *test)
{
	struct access_ctx *c = test->priv;

	sim_dp_stub.hole = (uintptr_t)c->mem + 2 * PAGE_SIZE;
	KUNIT_EXPECT_EQ(test, fetch(c, 0x201, 0x11000, 0x2000), SIM_COPY_SRC);
}

/* Four indirect keys in a row lead to memory, five do not. */
static void depth_is_limited(struct kunit *test)
{
	struct sim_mkey deep[2];
	struct access_ctx *c = test->priv;
	struct sim_klm ent[3] = {
		{ .byte_count = 0x80, .key = 0x401, .va = 0x10 },
		{ .byte_count = 0x40, .key = 0x501, .va = 0x20 },
		{ .byte_count = 0x20, .key = 0x601, .va = 0 },
	};
	u8 *m = c->mem;
	int i;

	for (i = 0; i < 2; i++) {
		init_key(&deep[i], 5 + i, SIM_MKEY_KLM);
		deep[i].len = ent[i].byte_count;
		deep[i].xlt_octwords = 1;
		deep[i].xlt_used = 1;
		deep[i].klm = &ent[i];
	}
	KUNIT_EXPECT_EQ(test, check(c, 0x601, 0, 0x40, SIM_MKEY_LR, true), 0);
	/* byte 0x30 of key 4 is byte 0x40 of key 3: byte 0x10 of entry 2 */
	KUNIT_ASSERT_EQ(test, fetch(c, 0x601, 0, 0x40), SIM_COPIED);
	KUNIT_EXPECT_MEMEQ(test, c->out, m + PAGE_SIZE, 0x40);
	KUNIT_EXPECT_EQ(test, check(c, 0x601, 1, 0x40, SIM_MKEY_LR, true), -ERANGE);

	init_key(&c->pa, 1, SIM_MKEY_KLM);
	c->pa.len = ent[2].byte_count;
	c->pa.xlt_used = 1;
	c->pa.klm = &ent[2];
	KUNIT_EXPECT_EQ(test, check(c, 0x101, 0, 1, SIM_MKEY_LR, true), -EPERM);
	KUNIT_EXPECT_EQ(test, sim_dp_stub.vio[SIM_VIO_mkey_access], 1);
}

static struct kunit_case access_cases[] = {
	KUNIT_CASE_PARAM(access_checked, check_gen_params),
	KUNIT_CASE(state_checked),
	KUNIT_CASE(pages_are_aligned),
	KUNIT_CASE(huge_key_does_not_wrap),
	KUNIT_CASE(loop_of_keys_ends),
	KUNIT_CASE(mtt_spans),
	KUNIT_CASE(copies_follow_the_lists),
	KUNIT_CASE(copies_follow_the_pattern),
	KUNIT_CASE(unmapped_memory_is_the_sources_fault),
	KUNIT_CASE(depth_is_limited),
	{}
};

static struct kunit_suite access_suite = {
	.name = "sim_access",
	.init = access_init,
	.test_cases = access_cases,
};

kunit_test_suite(access_suite);

MODULE_DESCRIPTION("KUnit tests of mlx5sim's memory keys");
MODULE_LICENSE("Dual BSD/GPL");
