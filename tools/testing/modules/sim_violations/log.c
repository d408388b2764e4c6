// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * sim_violations: the files in debugfs, with the log of all cases. main.c opens the files.
 */
#include "sim_violations.h"

struct test_debugfs v_debugfs = TEST_DEBUGFS_INIT(v_debugfs, "sim_violations");
