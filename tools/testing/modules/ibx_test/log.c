// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibx_test: the files in debugfs, with the log of all cases. main.c opens the files.
 */
#include <linux/module.h>

#include "ibx_test.h"

struct test_debugfs t_debugfs = TEST_DEBUGFS_INIT(t_debugfs, "ibx_test");
EXPORT_SYMBOL_GPL(t_debugfs);
