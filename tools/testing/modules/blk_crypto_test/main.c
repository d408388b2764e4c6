// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * blk_crypto_test: the module. Its suites appear among the suites of ibx_test, in the place of the
 * suites of mlx5dv_test.
 */
#include <linux/module.h>

#include "blk_crypto_test.h"

static bool hold;
module_param(hold, bool, 0644);
MODULE_PARM_DESC(hold, "disk_hold keeps the disk until this is N");

/**
 * bt_holds() - value of the parameter hold
 *
 * Return: true if hold is Y.
 */
bool bt_holds(void)
{
	return READ_ONCE(hold);
}

static const struct t_suite bt_suites[] = {
	{ "disk", bt_disk_cases },
	{ "disk_bad", bt_disk_bad_cases },
	{ }
};

static int __init bt_init(void)
{
	return t_suites_add(bt_suites);
}
module_init(bt_init);

static void __exit bt_exit(void)
{
	t_suites_remove(bt_suites);
}
module_exit(bt_exit);

MODULE_DESCRIPTION("Selftests of inline encryption of a block device over RDMA");
MODULE_LICENSE("Dual BSD/GPL");
