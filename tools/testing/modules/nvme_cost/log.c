// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * nvme_cost: the files in debugfs, with the log of all measurements. main.c opens the files.
 */
#include "nvme_cost.h"

struct test_debugfs c_debugfs = TEST_DEBUGFS_INIT(c_debugfs, "nvme_cost");
