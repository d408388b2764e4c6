// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mlx5dv_test: the module. Its suites appear among the suites of ibx_test.
 */
#include <linux/module.h>

#include "dv.h"

static const struct t_suite dv_suites[] = {
#define T_SUITE(suite)	{ #suite, dv_##suite##_cases },
#include "suites.h"
#undef T_SUITE
	{ }
};

static int __init dv_init(void)
{
	return t_suites_add(dv_suites);
}
module_init(dv_init);

static void __exit dv_exit(void)
{
	t_suites_remove(dv_suites);
}
module_exit(dv_exit);

MODULE_DESCRIPTION("Selftests of mlx5 direct verbs");
MODULE_LICENSE("Dual BSD/GPL");
