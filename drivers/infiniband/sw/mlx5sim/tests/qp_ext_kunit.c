// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The extension of state changes. Offsets are taken from init2init_qp_in,
 * rts2rts_qp_in and qpc_ext in rdma-core's mlx5_ifc.h, in bytes: qpc_ext 8 (bit
 * 7), opt_param_mask_95_32 0x108, the extension 0x110 to 0x1d0.
 */
#include <kunit/test.h>

#include "cmd/handlers.h"
#include "core/core.h"

#define SHORT_LEN	0x110
#define LONG_LEN	0x1d0

struct ext_row {
	const char *name;
	u32 len;
	int err;
	struct sim_qp_ext want;
	struct {
		u16 at;
		u8 val;
	} set[5];
};

static const struct ext_row ext_rows[] = {
	{ "as the kernel sends it", SHORT_LEN, 0 },
	{ "longer, with nothing there", LONG_LEN, 0 },
	{ "as libmlx5 enables copies", LONG_LEN, 0, { true, 8, true },
	  { { 8, 0x80 }, { 0x10f, 8 }, { 0x110, 0x20 } } },
	{ "copies disabled", LONG_LEN, 0, { true, 8 }, { { 8, 0x80 }, { 0x10f, 8 } } },
	{ "as libmlx5 resets a stream", LONG_LEN, 0, { true, 1, false, 0x123 },
	  { { 8, 0x80 }, { 0x10f, 1 }, { 0x112, 1 }, { 0x113, 0x23 } } },
	{ "both", LONG_LEN, 0, { true, 9, true, 5 },
	  { { 8, 0x80 }, { 0x10f, 9 }, { 0x110, 0x20 }, { 0x113, 5 } } },
	{ "announced and not there", SHORT_LEN, -EMSGSIZE, {}, { { 8, 0x80 } } },
	{ "a little longer", SHORT_LEN + 8, -EMSGSIZE },
	{ "cut off", LONG_LEN - 8, -EMSGSIZE },
	{ "mask without extension", SHORT_LEN, -EINVAL, {}, { { 0x10f, 8 } } },
	{ "mask not announced", LONG_LEN, -EINVAL, {}, { { 0x10f, 8 } } },
	{ "high mask", LONG_LEN, -EINVAL, {}, { { 8, 0x80 }, { 0x10b, 1 } } },
	{ "copies not in the mask", LONG_LEN, -EINVAL, {},
	  { { 8, 0x80 }, { 0x10f, 1 }, { 0x110, 0x20 } } },
	{ "stream not in the mask", LONG_LEN, -EINVAL, {},
	  { { 8, 0x80 }, { 0x10f, 8 }, { 0x113, 1 } } },
	{ "extension not announced", LONG_LEN, -EINVAL, {}, { { 0x110, 0x20 } } },
	{ "reserved bit beside", LONG_LEN, -EINVAL, {},
	  { { 8, 0x80 }, { 0x10f, 8 }, { 0x110, 0x60 } } },
	{ "reserved byte", LONG_LEN, -EINVAL, {},
	  { { 8, 0x80 }, { 0x10f, 8 }, { 0x111, 1 } } },
	{ "last byte", LONG_LEN, -EINVAL, {},
	  { { 8, 0x80 }, { 0x10f, 8 }, { 0x1cf, 1 } } },
};

KUNIT_ARRAY_PARAM_DESC(ext, ext_rows, name);

static void extension(struct kunit *test)
{
	const struct ext_row *row = test->param_value;
	u8 *in = kunit_kzalloc(test, LONG_LEN, GFP_KERNEL);
	struct sim_qp_ext ext;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, in);
	for (i = 0; row->set[i].at; i++)
		in[row->set[i].at] = row->set[i].val;
	KUNIT_ASSERT_EQ(test, sim_qp_ext_parse(in, row->len, &ext), row->err);
	if (row->err)
		return;
	KUNIT_EXPECT_EQ(test, ext.present, row->want.present);
	KUNIT_EXPECT_EQ(test, ext.mask, row->want.mask);
	KUNIT_EXPECT_EQ(test, ext.mmo, row->want.mmo);
	KUNIT_EXPECT_EQ(test, ext.stream, row->want.stream);
}

static struct kunit_case qp_ext_cases[] = {
	KUNIT_CASE_PARAM(extension, ext_gen_params),
	{}
};

static struct kunit_suite qp_ext_suite = {
	.name = "sim_qp_ext",
	.test_cases = qp_ext_cases,
};

kunit_test_suite(qp_ext_suite);

MODULE_DESCRIPTION("KUnit tests of mlx5sim's extension of the QP context");
MODULE_LICENSE("Dual BSD/GPL");
