/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The suites of mlx5dv_test. T_SUITE(name): the cases are dv_<name>_cases[], in <name>.c. Kbuild
 * reads this file too. Includers define T_SUITE first, hence no include guard.
 */
T_SUITE(wr)
T_SUITE(wr_bad)
T_SUITE(wr_frwr)
T_SUITE(wr_many)
T_SUITE(wr_raw)
T_SUITE(wr_ring)
T_SUITE(mkey)
T_SUITE(mkey_bad)
T_SUITE(mkey_kernel)
T_SUITE(mkey_random)
T_SUITE(mkey_hold)
T_SUITE(mkey_use)
T_SUITE(bench_dv)
T_SUITE(memcpy)
T_SUITE(dc)
T_SUITE(dc_drain)
T_SUITE(dv_caps)
T_SUITE(sig)
T_SUITE(sig_err)
T_SUITE(sig_bad)
T_SUITE(sig_caps)
T_SUITE(sig_pipe)
T_SUITE(devx)
