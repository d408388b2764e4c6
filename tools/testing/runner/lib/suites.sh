# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# A test that runs the suites in $SUITES, which selftest.py reads from the config of the test. The
# suites belong to the module ibx_test or, on devices with direct verbs, to mlx5dv_test (another
# module with DV_TEST). mlx5_ibx has direct verbs. With BACKEND=1 in the config, mlx5dv_ib adds
# direct verbs to mlx5_ib (tools/ulps/mlx5_ib). A test.sh sources this file and calls run_suites. If
# test.sh defines a function with the name of a case, the function runs instead of the case.

# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=ibx_test.sh
. "$TESTLIB/ibx_test.sh"
# shellcheck source=mlx5dv_test.sh
. "$TESTLIB/mlx5dv_test.sh"

# open_suites [PARAMETER=VALUE...]: load ibx_test and, where there are direct verbs, $DV_TEST with
# these parameters; set pair_cases to the cases of $SUITES
open_suites() {
	modprobe ibx_test
	! has_direct_verbs || load_direct_verbs "$@"
	# shellcheck disable=SC2046,SC2086
	on_pair $(suite $SUITES | leave_out_own)
}

# leave_out_own: filter out the cases in $OWN_CASES, which test verbs of mlx5_ibx, if mlx5_ib drives
# the devices. For a case that does not exist, print a name that the module refuses to run.
leave_out_own() {
	local all name

	all=$(cat)
	if ! on_backend; then
		echo "$all"
		return
	fi
	for name in ${OWN_CASES:-}; do
		echo "# left out, because mlx5_ib has the verbs: $name" >&2
		grep -qx "$name" <<< "$all" || echo "no_case_$name"
		all=$(grep -vx "$name" <<< "$all")
	done
	echo "$all"
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
