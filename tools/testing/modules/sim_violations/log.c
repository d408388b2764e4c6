// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * sim_violations: the files in debugfs, with the log to which all cases write. main.c opens them.
 */
#include "sim_violations.h"

struct test_debugfs v_debugfs = TEST_DEBUGFS_INIT(v_debugfs, "sim_violations");
