// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Static rates: enum ib_rate and the device's numbers of them. Pure functions.
 */
#include "enc/qpc.h"

/*
 * In order of speed, which neither numbering is. The device's numbers have four
 * bits in a path; @hw is 0 for rates that have no such number.
 */
static const struct {
	u8 ib;
	u8 hw;
} rates[] = {
	{ IB_RATE_2_5_GBPS, 7 },
	{ IB_RATE_5_GBPS, 10 },
	{ IB_RATE_10_GBPS, 8 },
	{ IB_RATE_14_GBPS, 0 },
	{ IB_RATE_20_GBPS, 11 },
	{ IB_RATE_25_GBPS, 2 },
	{ IB_RATE_28_GBPS, 0 },
	{ IB_RATE_30_GBPS, 9 },
	{ IB_RATE_40_GBPS, 12 },
	{ IB_RATE_50_GBPS, 5 },
	{ IB_RATE_56_GBPS, 1 },
	{ IB_RATE_60_GBPS, 13 },
	{ IB_RATE_80_GBPS, 14 },
	{ IB_RATE_100_GBPS, 3 },
	{ IB_RATE_112_GBPS, 0 },
	{ IB_RATE_120_GBPS, 15 },
	{ IB_RATE_168_GBPS, 0 },
	{ IB_RATE_200_GBPS, 4 },
	{ IB_RATE_300_GBPS, 0 },
	{ IB_RATE_400_GBPS, 6 },
	{ IB_RATE_600_GBPS, 0 },
};

/**
 * ibx_rate - static rate as the device counts it
 * @has: the device's rates, a bit for each number (capability stat_rate_support)
 * @rate: enum ib_rate
 *
 * Picks the fastest rate the device has that is not faster than @rate.
 *
 * Return: the number, 0 for no limit (also when the device has no rate that
 * slow), or -EINVAL for a rate that does not exist.
 */
int ibx_rate(u16 has, u8 rate)
{
	u8 hw = 0;
	int i;

	if (rate == IB_RATE_PORT_CURRENT || rate == IB_RATE_800_GBPS)
		return 0;
	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		if (rates[i].hw && has & BIT(rates[i].hw))
			hw = rates[i].hw;
		if (rates[i].ib == rate)
			return hw;
	}
	return -EINVAL;
}

/**
 * ibx_rate_of - the static rate a number of the device stands for
 * @hw: as in a QP context
 *
 * Return: enum ib_rate; IB_RATE_PORT_CURRENT for none.
 */
u8 ibx_rate_of(u8 hw)
{
	int i;

	for (i = 0; hw && i < ARRAY_SIZE(rates); i++)
		if (rates[i].hw == hw)
			return rates[i].ib;
	return IB_RATE_PORT_CURRENT;
}
