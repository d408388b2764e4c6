// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibx_faults: the files in debugfs, with the log of all operations. main.c opens the files.
 */
#include "ibx_faults.h"

struct test_debugfs f_debugfs = TEST_DEBUGFS_INIT(f_debugfs, "ibx_faults");
