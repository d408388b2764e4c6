// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The command envelope, bit fields, capability words, and the entries of event
 * and completion queues.
 *
 * Layouts come from <linux/mlx5/device.h> (struct mlx5_cmd_layout, struct
 * mlx5_eqe) and <linux/mlx5/mlx5_ifc.h>, the arm word from mlx5_cq_arm() in
 * <linux/mlx5/cq.h>. Ownership bits follow from the drivers: a driver owns an
 * entry when the bit of the entry equals the parity of the lap.
 */
#include <kunit/test.h>
#include <linux/mlx5/device.h>

#include "cmd/handlers.h"
#include "core/core.h"
#include "obj/obj.h"

/*
 * A slot that a driver has filled: QUERY_ISSI, 16 bytes of input, 112 bytes of
 * output
 */
static void slot_signature(struct kunit *test)
{
	struct mlx5_cmd_layout lay = {
		.type = 7,
		.inlen = cpu_to_be32(16),
		.in = { cpu_to_be32(0x010a0000) },
		.out_ptr = cpu_to_be64(0x10000001000),
		.outlen = cpu_to_be32(112),
		.token = 0x5a,
		.status_own = 1,
	};
	u8 *bytes = (u8 *)&lay;
	int i;

	/* 07 ^ 10 ^ 01 ^ 0a ^ 01 ^ 10 ^ 70 ^ 5a ^ 01 = 26 */
	KUNIT_EXPECT_EQ(test, sim_xor8(&lay, sizeof(lay)), 0x26);
	lay.sig = 0xd9;
	KUNIT_EXPECT_EQ(test, sim_xor8(&lay, sizeof(lay)), 0xff);
	for (i = 0; i < sizeof(lay); i++) {
		bytes[i] ^= 1 << (i % 8);
		KUNIT_EXPECT_NE_MSG(test, sim_xor8(&lay, sizeof(lay)), 0xff, "byte %d", i);
		bytes[i] ^= 1 << (i % 8);
	}
}

/*
 * A mailbox that a driver has filled: one byte of data, the next mailbox at
 * 0x10000000400
 */
static void mailbox_signature(struct kunit *test)
{
	struct mlx5_cmd_prot_block *blk = kunit_kzalloc(test, sizeof(*blk), GFP_KERNEL);
	u8 *bytes = (u8 *)blk;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, blk);
	blk->data[0] = 0x77;
	blk->next = cpu_to_be64(0x10000000400);
	blk->block_num = cpu_to_be32(3);
	blk->token = 0x5a;
	KUNIT_EXPECT_FALSE(test, sim_mbox_signed(blk));
	sim_mbox_sign(blk);
	/*
	 * ~(01 ^ 04 ^ 03 ^ 5a); ~(77 ^ ff), where ff is the exclusive or of the
	 * control part with its signature
	 */
	KUNIT_EXPECT_EQ(test, blk->ctrl_sig, 0xa3);
	KUNIT_EXPECT_EQ(test, blk->sig, 0x77);
	KUNIT_EXPECT_TRUE(test, sim_mbox_signed(blk));
	for (i = 0; i < sizeof(*blk); i++) {
		bytes[i] ^= 1 << (i % 8);
		KUNIT_EXPECT_FALSE_MSG(test, sim_mbox_signed(blk), "byte %d", i);
		bytes[i] ^= 1 << (i % 8);
	}
	/*
	 * the exclusive or of all bytes is unchanged, but the signature of the
	 * control part is wrong
	 */
	blk->data[0] ^= 1;
	blk->token ^= 1;
	KUNIT_EXPECT_FALSE(test, sim_mbox_signed(blk));
}

/*
 * The device signs the completed slot. The signature also covers the last byte,
 * which contains status and ownership bit.
 */
static void slot_signed_again(struct kunit *test)
{
	struct mlx5_cmd_layout lay = { .type = 7, .token = 0x5a, .sig = 0xa2, .status_own = 0x06 };

	sim_slot_sign(&lay);
	/* ~(07 ^ 5a ^ 06) */
	KUNIT_EXPECT_EQ(test, lay.sig, 0xa4);
}

/*
 * One interrupt per arm. To arm an EQ, eq_update_ci() of mlx5_core writes the
 * consumer index.
 */
static void eq_one_shot(struct kunit *test)
{
	struct sim_eq eq = {};

	eq.pi = 1;
	KUNIT_EXPECT_FALSE_MSG(test, sim_eq_fires(&eq), "not armed");
	KUNIT_EXPECT_TRUE_MSG(test, sim_eq_arm(&eq, 0), "an entry waits");
	KUNIT_EXPECT_FALSE_MSG(test, sim_eq_arm(&eq, 1), "no entry waits");
	KUNIT_EXPECT_FALSE(test, sim_eq_fires(&eq));
	eq.pi = 2;
	KUNIT_EXPECT_TRUE(test, sim_eq_fires(&eq));
	eq.pi = 3;
	KUNIT_EXPECT_FALSE_MSG(test, sim_eq_fires(&eq), "disarmed by the interrupt");
	/*
	 * no interrupt, because the driver polled all entries before it armed
	 * the EQ. But the device arms the EQ with an older index if a write may
	 * be hidden
	 */
	KUNIT_EXPECT_FALSE(test, sim_eq_arm(&eq, 3));
	eq.armed = false;
	KUNIT_EXPECT_TRUE(test, sim_eq_arm(&eq, eq.fired_pi));
}

/* Indices have 24 bits in the register, and 32 in the device. */
static void eq_index_wraps(struct kunit *test)
{
	struct sim_eq eq = { .pi = 0x1000001, .fired_pi = 0xffffff };

	KUNIT_EXPECT_FALSE(test, sim_eq_beyond(&eq, 0x01fffffe));
	KUNIT_EXPECT_FALSE(test, sim_eq_beyond(&eq, 0x01000001));
	KUNIT_EXPECT_TRUE(test, sim_eq_beyond(&eq, 0x01000002));
	KUNIT_EXPECT_FALSE(test, sim_eq_arm(&eq, 0x01000001));
	eq.armed = false;
	KUNIT_EXPECT_TRUE(test, sim_eq_arm(&eq, 0x01ffffff));
}

/* All bits of DESTROY_CQ, except header and cqn, must be zero. */
static void reserved_bits(struct kunit *test)
{
	static const struct sim_field fields[] = { SIM_F(destroy_cq_in, cqn), {} };
	u8 in[MLX5_ST_SZ_BYTES(destroy_cq_in)] = {};
	bool known;
	int bit;

	KUNIT_EXPECT_TRUE(test, sim_fields_only(in, sizeof(in), fields));
	for (bit = 0; bit < sizeof(in) * 8; bit++) {
		in[bit / 8] = 0x80 >> (bit % 8);
		/* cqn: 24 bits at 0x48 */
		known = bit < 64 || (bit >= 0x48 && bit < 0x60);
		KUNIT_EXPECT_EQ_MSG(test, sim_fields_only(in, sizeof(in), fields), known,
				    "bit %#x", bit);
		in[bit / 8] = 0;
	}
	KUNIT_EXPECT_FALSE(test, sim_fields_only(in, SIM_CMD_FIXED_MAX + 1, fields));
}

/*
 * sim_bits_get() and sim_bits_set() agree with MLX5_GET() and MLX5_SET(), for
 * any field.
 */
static void bits_like_the_kernel(struct kunit *test)
{
	u8 page[MLX5_ST_SZ_BYTES(cmd_hca_cap)];
	static const struct sim_field klm = SIM_F(cmd_hca_cap, log_max_klm_list_size);
	static const struct sim_field khz = SIM_F(cmd_hca_cap, device_frequency_khz);
	static const struct sim_field roce = SIM_F(cmd_hca_cap, roce);

	memset(page, 0, sizeof(page));
	sim_bits_set(page, klm, 0x15);
	sim_bits_set(page, khz, 0x12345678);
	sim_bits_set(page, roce, 1);
	KUNIT_EXPECT_EQ(test, MLX5_GET(cmd_hca_cap, page, log_max_klm_list_size), 0x15);
	KUNIT_EXPECT_EQ(test, MLX5_GET(cmd_hca_cap, page, device_frequency_khz), 0x12345678);
	KUNIT_EXPECT_EQ(test, MLX5_GET(cmd_hca_cap, page, roce), 1);
	KUNIT_EXPECT_EQ(test, page[0x21d / 8], 0x04);

	memset(page, 0xff, sizeof(page));
	sim_bits_set(page, klm, 0);
	KUNIT_EXPECT_EQ(test, MLX5_GET(cmd_hca_cap, page, log_max_klm_list_size), 0);
	KUNIT_EXPECT_EQ(test, MLX5_GET(cmd_hca_cap, page, null_mkey), 1);
	MLX5_SET(cmd_hca_cap, page, log_max_klm_list_size, 0x2a);
	KUNIT_EXPECT_EQ(test, sim_bits_get(page, klm), 0x2a);
	KUNIT_EXPECT_EQ(test, sim_bits_get(page, khz), 0xffffffff);
}

struct caps_row {
	const char *word;
	int err;
	u16 type;
	struct sim_field f;
	u32 val;
};

static const struct caps_row caps_rows[] = {
	{ "general.xrc=0", 0, MLX5_CAP_GENERAL, { 0x23c, 1 }, 0 },
	{ "general.log_max_qp=10", 0, MLX5_CAP_GENERAL, { 0x9b, 5 }, 10 },
	{ "roce.roce_version=4", 0, MLX5_CAP_ROCE, { 0x98, 8 }, 4 },
	{ "general@0x23c/1=1", 0, MLX5_CAP_GENERAL, { 0x23c, 1 }, 1 },
	{ "atomic@0x90/16=0x3", 0, MLX5_CAP_ATOMIC, { 0x90, 16 }, 3 },
	{ "general.xrc", -EINVAL },
	{ "general.xrc=", -EINVAL },
	{ "general.xrc=yes", -EINVAL },
	{ "xrc=1", -EINVAL },
	{ "special.xrc=1", -EINVAL },
	{ "generalxrc=1", -EINVAL },
	{ "general.no_such_thing=1", -ENOENT },
	{ "general.xrc=2", -ERANGE },
	{ "general.log_max_qp=32", -ERANGE },
	{ "general@0x23c/0=0", -ERANGE },
	{ "general@0x23c/33=0", -ERANGE },
	{ "general@0x8000/1=0", -ERANGE },
	{ "general@0x23c=0", -EINVAL },
};

static void caps_row_name(const struct caps_row *row, char *desc)
{
	strscpy(desc, row->word, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(caps_word, caps_rows, caps_row_name);

static void caps_word(struct kunit *test)
{
	const struct caps_row *row = test->param_value;
	struct sim_field f = {};
	u16 type = 0xffff;
	u32 val = 0xdead;

	KUNIT_ASSERT_EQ(test, sim_caps_parse(row->word, &type, &f, &val), row->err);
	if (row->err)
		return;
	KUNIT_EXPECT_EQ(test, type, row->type);
	KUNIT_EXPECT_EQ(test, f.off, row->f.off);
	KUNIT_EXPECT_EQ(test, f.len, row->f.len);
	KUNIT_EXPECT_EQ(test, val, row->val);
}

/*
 * Bytes of an entry: type at 1, subtype at 3, data from 32 on, ownership bit at
 * 63.
 */
static void event_entry(struct kunit *test)
{
	union ev_data data = { .comp.cqn = cpu_to_be32(0x123456) };
	u8 want[64] = { [1] = 0x0a, [3] = 4, [56] = 0, [57] = 0x12, [58] = 0x34, [59] = 0x56 };
	struct mlx5_eqe eqe;

	memset(&eqe, 0xee, sizeof(eqe));
	sim_eqe_fill(&eqe, MLX5_EVENT_TYPE_CMD, 4, &data, 0);
	KUNIT_EXPECT_MEMEQ(test, (u8 *)&eqe, want, sizeof(want));

	want[63] = 1;
	sim_eqe_fill(&eqe, MLX5_EVENT_TYPE_CMD, 4, &data, 3);
	KUNIT_EXPECT_MEMEQ(test, (u8 *)&eqe, want, sizeof(want));

	memset(want, 0, sizeof(want));
	want[1] = 9;
	sim_eqe_fill(&eqe, MLX5_EVENT_TYPE_PORT_CHANGE, 0, NULL, 2);
	KUNIT_EXPECT_MEMEQ(test, (u8 *)&eqe, want, sizeof(want));
}

static void completion_owner(struct kunit *test)
{
	/* the bit is 0 in the first lap, 1 in the second lap, and so on */
	static const struct { u32 index; u8 log, bit; } rows[] = {
		{ 0, 0, 0 }, { 1, 0, 1 }, { 2, 0, 0 },
		{ 0, 7, 0 }, { 127, 7, 0 }, { 128, 7, 1 }, { 255, 7, 1 }, { 256, 7, 0 },
		{ 0xffffffff, 7, 1 }, { 0xffffff7f, 7, 0 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_EQ_MSG(test, sim_cqe_owner(rows[i].index, rows[i].log), rows[i].bit,
				    "index %#x of 2^%u", rows[i].index, rows[i].log);
}

struct arm_row {
	const char *name;
	u32 arm;
	u32 sn;
	u32 pi;
	u32 solicited_pi;
	bool fires;
};

static const struct arm_row arm_rows[] = {
	{ "nothing there", 0x00000005, 0, 5, 0, false },
	{ "one more", 0x00000005, 0, 6, 0, true },
	{ "stale serial", 0x00000005, 1, 6, 0, false },
	{ "serial counts in two bits", 0x10000005, 5, 6, 0, true },
	{ "as a driver leaves it at first", 0x20000000, 0, 9, 9, false },
	{ "solicited wanted, none came", 0x01000005, 0, 9, 5, false },
	{ "solicited wanted, one came", 0x01000005, 0, 9, 7, true },
	{ "solicited one is behind", 0x01000005, 0, 9, 3, false },
	{ "index wraps", 0x00ffffff, 0, 0x1000000, 0, true },
	{ "driver is ahead", 0x00000009, 0, 6, 0, false },
};

static void arm_row_name(const struct arm_row *row, char *desc)
{
	strscpy(desc, row->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(arm_word, arm_rows, arm_row_name);

static void arm_word(struct kunit *test)
{
	const struct arm_row *row = test->param_value;

	KUNIT_EXPECT_EQ(test, sim_cq_armed(row->arm, row->sn, row->pi, row->solicited_pi),
			row->fires);
}

static struct kunit_case cmd_cases[] = {
	KUNIT_CASE(slot_signature),
	KUNIT_CASE(eq_one_shot),
	KUNIT_CASE(eq_index_wraps),
	KUNIT_CASE(mailbox_signature),
	KUNIT_CASE(slot_signed_again),
	KUNIT_CASE(reserved_bits),
	KUNIT_CASE(bits_like_the_kernel),
	KUNIT_CASE_PARAM(caps_word, caps_word_gen_params),
	KUNIT_CASE(event_entry),
	KUNIT_CASE(completion_owner),
	KUNIT_CASE_PARAM(arm_word, arm_word_gen_params),
	{}
};

static struct kunit_suite cmd_suite = {
	.name = "sim_cmd",
	.test_cases = cmd_cases,
};

kunit_test_suite(cmd_suite);

MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
MODULE_DESCRIPTION("KUnit tests of mlx5sim's command interface and queue entries");
MODULE_LICENSE("Dual BSD/GPL");
