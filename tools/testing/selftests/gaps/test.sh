#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# SG_GAPS MRs, on public verbs: lists of any pieces, of pages, and of both in turn on one MR (suite
# gaps of the module ibx_test), and fast registration on a device without some of the capabilities.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"
# shellcheck source=../../runner/lib/ibx_test.sh
. "$(dirname "$0")/../../runner/lib/ibx_test.sh"

# mlx5_ibx does not post it; mlx5_ib does, and the device refuses a key that is not free
gaps_registered_twice() {
	ends
	clear_violations
	ibx_test gaps_registered_twice
	if [ "$PROVIDER" = mlx5_ib ]; then
		want_eq "umr_state violations" "$(sim_violation_class umr_state)" 1
		clear_violations
	fi
}

# with_caps OVERRIDE: load everything again, on devices of other capabilities
with_caps() {
	modprobe -r ibx_test
	sim_reload "$@"
	start_ibx_test
}

# refused CASE: its pair cannot be created, because there are no such MRs
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

# lists of pages can be registered, lists with gaps cannot
caps_no_gaps() {
	with_caps caps=general.imaicl=0
	ibx_test key_opens
	refused gaps_counts
}

# no fast registration at all
caps_no_registration() {
	with_caps caps=general.umr_modify_entity_size_disabled=1
	refused key_opens
	refused gaps_counts
}

# restores the devices that later tests in the VM expect
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
	# takes two thirds of the time on the debug kernel, although it depends only on the start of
	# a device
	if [ "$SLOWER" -eq 1 ]; then
		cases="$cases caps_no_gaps no_violations caps_no_registration no_violations"
		cases="$cases caps_again"
	fi
fi

# shellcheck disable=SC2086
ktap_run load_ibx_test $cases unload_ibx_test no_violations
