#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Keys, on public verbs: the access that a registered key permits (suite keys of the module
# ibx_test). A stale key, a key of another PD, and a key beyond its range permit no access: the work
# request fails with the right status, and each later work request is flushed once. Invalid requests
# of a peer are no violations. Each case in $own causes one violation.
#
# If a message fails after its first packet, a device may have moved the earlier packets. The cases
# run on simulated devices that do so, which is the default, and then on devices that move no data
# of such a message.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/ibx_test.sh
. "$(dirname "$0")/../../runner/lib/ibx_test.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"

own="local_stale local_stale_late"

local_stale() {
	own_fault local_stale mkey_lookup
}

local_stale_late() {
	own_fault local_stale_late mkey_lookup
}

atomic_devices() {
	sim_reload atomic_messages=1
	load_ibx_test
	echo 1 > /sys/module/ibx_test/parameters/whole_messages
}

usual_devices() {
	sim_reload
	ends_up
}

modprobe ibx_test
# shellcheck disable=SC2046,SC2086
on_pair $(suite $SUITES | grep -v '^local_stale')

# The cases in $own need a simulated device: rxe completes a stale local key with a flush error.
cases="$pair_cases no_violations"
if on_sim; then
	cases="$cases $own unload_ibx_test no_violations atomic_devices"
	for name in $pair_cases $own; do
		eval "atomic_$name() { $name; }"
		cases="$cases atomic_$name"
	done
	cases="$cases no_violations unload_ibx_test usual_devices"
else
	cases="$cases unload_ibx_test"
fi
# shellcheck disable=SC2086
ktap_run load_ibx_test $cases no_violations
