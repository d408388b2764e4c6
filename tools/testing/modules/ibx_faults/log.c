// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibx_faults: the files in debugfs, with the log to which all operations write. main.c opens them.
 */
#include "ibx_faults.h"

struct test_debugfs f_debugfs = TEST_DEBUGFS_INIT(f_debugfs, "ibx_faults");
