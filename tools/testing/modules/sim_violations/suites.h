/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The suites of sim_violations. T_SUITE(name): the cases are v_<name>_cases[], in <name>.c. Kbuild
 * reads this file too. Includers define T_SUITE first, hence no include guard.
 */
T_SUITE(cmds)
T_SUITE(wqes)
T_SUITE(queues)
T_SUITE(dc)
T_SUITE(conn)
T_SUITE(doorbells)
