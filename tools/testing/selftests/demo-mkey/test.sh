#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The sample mkey_demo, which prepare.sh builds outside of the tree: "make demo-mkey" passes with
# the first, a middle and the last block spoilt, and fails if no block is spoilt. All objects are
# destroyed when the peer disconnects, and when the device of the sample is lost.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"
# shellcheck source=../../runner/lib/mlx5dv_test.sh
. "$(dirname "$0")/../../runner/lib/mlx5dv_test.sh"

DEMO=$TOP/tools/testing/demo/mkey.sh
PARAMETERS=/sys/module/mkey_demo/parameters

live_objects() {
	grep -H . "$SIM_DEBUGFS/"*:*/objects | grep -v ':eq '
}

# Case: the demo. A companion, and the first connection, create objects that stay.
demo() {
	ends_up
	"$DEMO"
	load_backend
	live_objects > "$WORK/objects"
}

other_blocks() {
	SPOIL=0 "$DEMO"
	SPOIL=7 "$DEMO"
}

demo_fails() {
	expect_fail env SPOIL=-1 "$DEMO"
	cat "$WORK/expect_fail"
	grep -qx "FAILED: wrong part is none, expected guard" "$WORK/expect_fail"
	disconnect
}

connect() {
	ends
	! on_backend || loaded mlx5dv_ib || load_backend
	modprobe first_ulp_peer
	modprobe mkey_demo local="$IP_A" peer="$IP_B"
	echo -1 > "$PARAMETERS/read"
}

disconnect() {
	rmmod mkey_demo
	! loaded first_ulp_peer || rmmod first_ulp_peer
}

not_connected() {
	! cat "$PARAMETERS/result" > "$WORK/text" 2>&1 && grep -q "not connected" "$WORK/text"
}

no_objects_left() {
	live_objects | diff "$WORK/objects" - || fail "objects are left"
}

# Case: another error after an error, and an inverted bit that is inverted again
second_error() {
	connect
	echo 2 > "$PARAMETERS/read"
	grep -qx "block 2" "$PARAMETERS/result"
	echo 4 > "$PARAMETERS/read"
	grep -qx "block 2" "$PARAMETERS/result"
	echo 2 > "$PARAMETERS/read"
	grep -qx "block 4" "$PARAMETERS/result"
	echo 4 > "$PARAMETERS/read"
	grep -qx "error none" "$PARAMETERS/result"
	expect_fail eval "echo 8 > $PARAMETERS/read"
	disconnect
	no_objects_left
}

peer_disconnects() {
	connect
	rmmod first_ulp_peer
	wait_for 20 not_connected
	disconnect
	no_objects_left
}

# read_on: have the peer read until the connection ends
read_on() {
	while echo 3 > "$PARAMETERS/read"; do
		:
	done
}

# lose_device FILE TEXT: the command of on_lost_device, while the peer reads
lose_device() {
	local reader

	connect
	read_on 2> /dev/null &
	reader=$!
	sleep 1
	echo "$2" > "$1"
	wait "$reader"
	wait_for 60 not_connected
	disconnect
}

# Case: the device of the sample is unbound, unplugged, or has a fatal error, and returns. On an
# unplugged device of mlx5_ib, ib_drain_qp() does not return.
device_is_lost() {
	local way ways="unbound unplugged fatal"

	! on_backend || ways=unbound
	ends
	for way in $ways; do
		say "$way"
		on_lost_device "$way" lose_device
		cat "$WORK/said"
		want_eq "status of $way" "$LOST_STATUS" 0
		connect
		disconnect
	done
}

ktap_run demo other_blocks demo_fails second_error peer_disconnects no_violations \
	device_is_lost no_violations
