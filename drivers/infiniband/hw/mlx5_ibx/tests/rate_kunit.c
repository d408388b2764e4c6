// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: suite of static rates. The numbers of the device are those that
 * mlx5_ib sends: 1 to 6 for 56, 25, 100, 200, 50 and 400 Gbit/s, and enum ib_rate
 * plus 5 for the other rates.
 */
#include <kunit/test.h>
#include <rdma/ib_verbs.h>

#include "enc/rate.h"

struct rate_case {
	const char *name;
	u16 has;
	u8 rate;
	int want;
};

static const struct rate_case rate_cases[] = {
	{ "no limit", 0xffff, IB_RATE_PORT_CURRENT, 0 },
	{ "800, faster than any number", 0xffff, IB_RATE_800_GBPS, 0 },
	{ "2.5 is 7", 0xffff, IB_RATE_2_5_GBPS, 7 },
	{ "5 is 10", 0xffff, IB_RATE_5_GBPS, 10 },
	{ "10 is 8", 0xffff, IB_RATE_10_GBPS, 8 },
	{ "20 is 11", 0xffff, IB_RATE_20_GBPS, 11 },
	{ "25 is 2", 0xffff, IB_RATE_25_GBPS, 2 },
	{ "30 is 9", 0xffff, IB_RATE_30_GBPS, 9 },
	{ "40 is 12", 0xffff, IB_RATE_40_GBPS, 12 },
	{ "50 is 5", 0xffff, IB_RATE_50_GBPS, 5 },
	{ "56 is 1", 0xffff, IB_RATE_56_GBPS, 1 },
	{ "60 is 13", 0xffff, IB_RATE_60_GBPS, 13 },
	{ "80 is 14", 0xffff, IB_RATE_80_GBPS, 14 },
	{ "100 is 3", 0xffff, IB_RATE_100_GBPS, 3 },
	{ "120 is 15", 0xffff, IB_RATE_120_GBPS, 15 },
	{ "200 is 4", 0xffff, IB_RATE_200_GBPS, 4 },
	{ "400 is 6", 0xffff, IB_RATE_400_GBPS, 6 },
	{ "14 has no number: 10", 0xffff, IB_RATE_14_GBPS, 8 },
	{ "28 has no number: 25", 0xffff, IB_RATE_28_GBPS, 2 },
	{ "300 has no number: 200", 0xffff, IB_RATE_300_GBPS, 4 },
	{ "600 has no number: 400", 0xffff, IB_RATE_600_GBPS, 6 },
	{ "slower than any the device has", BIT(3), IB_RATE_50_GBPS, 0 },
	{ "next slower one the device has", BIT(2) | BIT(4), IB_RATE_100_GBPS, 2 },
	{ "a device without rates", 0, IB_RATE_100_GBPS, 0 },
	{ "bit 0 is no rate", BIT(0), IB_RATE_100_GBPS, 0 },
	{ "1 is no rate", 0xffff, 1, -EINVAL },
	{ "24 is no rate", 0xffff, 24, -EINVAL },
	{ "255 is no rate", 0xffff, 255, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(rate, rate_cases, name);

static void rate_to_number(struct kunit *test)
{
	const struct rate_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, ibx_rate(c->has, c->rate), c->want);
}

static void number_to_rate(struct kunit *test)
{
	u8 hw;

	KUNIT_EXPECT_EQ(test, ibx_rate_of(0), IB_RATE_PORT_CURRENT);
	KUNIT_EXPECT_EQ(test, ibx_rate_of(1), IB_RATE_56_GBPS);
	KUNIT_EXPECT_EQ(test, ibx_rate_of(15), IB_RATE_120_GBPS);
	KUNIT_EXPECT_EQ(test, ibx_rate_of(16), IB_RATE_PORT_CURRENT);
	for (hw = 1; hw < 16; hw++)
		KUNIT_EXPECT_EQ(test, ibx_rate(0xffff, ibx_rate_of(hw)), hw);
}

static struct kunit_case rate_tests[] = {
	KUNIT_CASE_PARAM(rate_to_number, rate_gen_params),
	KUNIT_CASE(number_to_rate),
	{}
};

static struct kunit_suite rate_suite = {
	.name = "mlx5_ibx_rate",
	.test_cases = rate_tests,
};

kunit_test_suite(rate_suite);
