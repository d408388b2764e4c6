/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the data path suites put in place of the rest of the device: a table of
 * mkeys, host memory whose bus addresses are kernel addresses, and a count of
 * the violations recorded.
 */
#ifndef MLX5SIM_TESTS_DP_STUBS_H
#define MLX5SIM_TESTS_DP_STUBS_H

#include "../dp.h"

#define STUB_MKEYS	8

struct sim_dp_stub {
	struct sim_mkey *mkey[STUB_MKEYS];
	u32 vio[SIM_VIO_MAX];
	u64 hole;			/* bus address that is not mapped, 0 = none */
};

extern struct sim_dp_stub sim_dp_stub;

void sim_dp_stub_reset(void);

#endif /* MLX5SIM_TESTS_DP_STUBS_H */
