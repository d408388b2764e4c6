/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The suites of ibx_test. T_SUITE(name): the cases are t_<name>_cases[], in <name>.c. Kbuild
 * reads this file too. Includers define T_SUITE first, hence no include guard.
 */
T_SUITE(keys)
T_SUITE(badinput)
T_SUITE(chains)
T_SUITE(rc)
T_SUITE(ud)
T_SUITE(errors)
T_SUITE(states)
T_SUITE(cq)
T_SUITE(sg)
T_SUITE(load)
T_SUITE(limits)
T_SUITE(srq)
T_SUITE(uc)
T_SUITE(dim)
T_SUITE(gaps)
T_SUITE(resize)
T_SUITE(counting)
T_SUITE(attrs)
T_SUITE(dying)
T_SUITE(frwr)
T_SUITE(frwr_long)
T_SUITE(frwr_bad)
T_SUITE(frwr_ctx)
T_SUITE(bench)
