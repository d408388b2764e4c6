# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# A test that runs the suites in $SUITES, which vmtest reads from the test's config. The suites
# belong to the module ibx_test, and on mlx5_ibx to mlx5dv_test or the module in DV_TEST. A test.sh
# sources this file and calls run_suites. If test.sh defines a function with the name of a case, the
# function runs instead of the case.

# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=ibx_test.sh
. "$TESTLIB/ibx_test.sh"
# shellcheck source=mlx5dv_test.sh
. "$TESTLIB/mlx5dv_test.sh"

# open_suites [PARAMETER=VALUE...]: load ibx_test and, on mlx5_ibx, $DV_TEST with these parameters;
# set pair_cases to the cases of $SUITES
open_suites() {
	modprobe ibx_test
	[ "$PROVIDER" != mlx5_ibx ] || modprobe "$DV_TEST" "$@"
	# shellcheck disable=SC2046,SC2086
	on_pair $(suite $SUITES)
}

load_suites() {
	load_ibx_test
}

unload_suites() {
	if [ -d "/sys/module/$DV_TEST" ]; then
		unload_mlx5dv_test
	else
		unload_ibx_test
	fi
}

run_suites() {
	open_suites
	# shellcheck disable=SC2086
	ktap_run load_suites $pair_cases no_violations unload_suites no_violations
}
