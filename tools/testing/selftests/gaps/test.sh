#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# SG_GAPS MRs, on public verbs: lists of pieces of pages, lists of pages, and both kinds alternately
# on one MR (suite gaps of the module ibx_test); and devices without some capabilities of fast
# registration.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"
# shellcheck source=../../runner/lib/ibx_test.sh
. "$(dirname "$0")/../../runner/lib/ibx_test.sh"

# Case: a registered MR is registered again. mlx5_ibx refuses the work request; mlx5_ib posts it,
# and the device refuses a key that is not free.
gaps_registered_twice() {
	ends
	clear_violations
	ibx_test gaps_registered_twice
	if [ "$PROVIDER" = mlx5_ib ]; then
		want_eq "umr_state violations" "$(sim_violation_class umr_state)" 1
		clear_violations
	fi
}

# with_caps OVERRIDE: load all modules again, on devices with other capabilities
with_caps() {
	modprobe -r ibx_test
	sim_reload "$@"
	start_ibx_test
}

# refused CASE: the pair of the case cannot be created, because the device does not support its MRs
refused() {
	ends
	if (ibx_test "$1") > /dev/null 2>&1; then
		fail "$1 found MRs"
	fi
	grep -qx "cannot make a pair: -95" "$IBX_TEST/log" || {
		cat "$IBX_TEST/log"
		fail "$1 failed for another reason"
	}
}

# Case: a device that registers lists of pages, but not lists with gaps
caps_no_gaps() {
	with_caps caps=general.imaicl=0
	ibx_test key_opens
	refused gaps_counts
}

# Case: a device without fast registration
caps_no_registration() {
	with_caps caps=general.umr_modify_entity_size_disabled=1
	refused key_opens
	refused gaps_counts
}

# Case: create the devices that later tests in the VM expect
caps_again() {
	with_caps
	ibx_test key_opens
}

modprobe ibx_test
# shellcheck disable=SC2046,SC2086
on_pair $(suite $SUITES | grep -vx -e gaps_registered_twice -e gaps_two_keys)
cases="$pair_cases no_violations gaps_registered_twice"
if [ "$PROVIDER" = mlx5_ibx ]; then
	gaps_two_keys() { ends; ibx_test gaps_two_keys; }
	cases="$cases gaps_two_keys no_violations"
	# not on the debug kernel: these cases would take two thirds of the time, and test only the
	# start of a device
	if [ "$SLOWER" -eq 1 ]; then
		cases="$cases caps_no_gaps no_violations caps_no_registration no_violations"
		cases="$cases caps_again"
	fi
fi

# shellcheck disable=SC2086
ktap_run load_ibx_test $cases unload_ibx_test no_violations
