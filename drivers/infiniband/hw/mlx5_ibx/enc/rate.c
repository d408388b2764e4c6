// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5_ibx: static rates, between enum ib_rate and the numbers of the device.
 */
#include <rdma/ib_verbs.h>

#include "enc/rate.h"

/*
 * Slowest first; neither numbering is in order of speed. The number of the device,
 * @hw, is a field of four bits in an address path; 0 if the rate has no number.
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
 * ibx_rate() - convert a static rate to the number of the device
 * @has: rates of the device, a bit for each number (capability stat_rate_support)
 * @rate: enum ib_rate
 *
 * Chooses the fastest rate of the device that is not faster than @rate.
 *
 * Context: any.
 * Return: the number; 0 for no limit, also when all rates of the device are
 * faster; -EINVAL for a rate that does not exist.
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
 * ibx_rate_of() - convert a number of the device to a static rate
 * @hw: number, as in a QP context
 *
 * Context: any.
 * Return: enum ib_rate; IB_RATE_PORT_CURRENT if no rate has this number.
 */
u8 ibx_rate_of(u8 hw)
{
	int i;

	for (i = 0; hw && i < ARRAY_SIZE(rates); i++)
		if (rates[i].hw == hw)
			return rates[i].ib;
	return IB_RATE_PORT_CURRENT;
}
