// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5dv_test: the module. Its suites appear among those of ibx_test.
 */
#include <linux/module.h>

#include "dv.h"

static const struct t_case *const dv_suites[] = {
	dv_wr_cases,
	dv_wr_bad_cases,
	dv_wr_frwr_cases,
	dv_wr_many_cases,
	dv_wr_ring_cases,
	dv_mkey_cases,
	dv_mkey_bad_cases,
	dv_mkey_kernel_cases,
	dv_mkey_random_cases,
	dv_hold_cases,
	dv_bench_cases,
	dv_memcpy_cases,
	dv_dc_cases,
};

static void dv_remove(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(dv_suites); i++)
		t_suite_remove(dv_suites[i]);
}

static int __init dv_init(void)
{
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(dv_suites); i++) {
		ret = t_suite_add(dv_suites[i]);
		if (ret) {
			dv_remove();
			return ret;
		}
	}
	return 0;
}
module_init(dv_init);

static void __exit dv_exit(void)
{
	dv_remove();
}
module_exit(dv_exit);

MODULE_DESCRIPTION("Selftests of mlx5 direct verbs");
MODULE_LICENSE("Dual BSD/GPL");
