#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The first ULP (samples/first_ulp, Documentation/infiniband/first-ulp.rst) and its peer, which
# prepare.sh builds outside of the tree. Data goes to the peer and back, and both ends compare
# checksums. The ULP detects wrong data from the peer. When a peer that does not respond
# disconnects, or when the device of the ULP is removed, the requests end, and memory and objects
# are released.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"

MOVE=/sys/module/first_ulp/parameters/move
ROUNDS=20
REQUESTS=8		# number of requests, from first_ulp.h
BYTES=$((REQUESTS * 32 * 4096))

live_objects() {
	grep -H . "$SIM_DEBUGFS/"*:*/objects | grep -v ':eq '
}

no_objects_left() {
	on_sim || return 0
	live_objects | diff "$WORK/objects" - || fail "objects are left"
}

connect() {
	ends
	modprobe first_ulp_peer
	modprobe first_ulp local="$IP_A" peer="$IP_B"
}

disconnect() {
	modprobe -r first_ulp
	modprobe -r first_ulp_peer
}

# Case: the first connection, for which a provider creates shared objects.
first_connection() {
	ends_up
	clear_violations
	connect
	echo 1 > "$MOVE"
	disconnect
	! on_sim || live_objects > "$WORK/objects"
}

data_comes_back() {
	local before

	connect
	mark_data
	! on_sim || before=$(sim_sum registrations)
	echo "$ROUNDS" > "$MOVE"
	both_moved $((2 * ROUNDS * BYTES))
	! on_sim || want_eq registrations $(($(sim_sum registrations) - before)) \
		$((2 * ROUNDS * REQUESTS))
	disconnect
	no_objects_left
}

# error_of_move ERRNO-TEXT: start to move data; that must fail with this error
error_of_move() {
	local said

	said=$( (echo 1 > "$MOVE") 2>&1) && fail "the data was moved"
	[[ $said = *"$1"* ]] || fail "$said"
}

spoilt_data_is_noticed() {
	connect
	echo Y > /sys/module/first_ulp_peer/parameters/spoil
	error_of_move "Bad message"
	echo N > /sys/module/first_ulp_peer/parameters/spoil
	echo 1 > "$MOVE"
	disconnect
	no_objects_left
}

# wait_in_move: start to move data, with a peer that does not respond; sets MOVER to the process
wait_in_move() {
	echo Y > /sys/module/first_ulp_peer/parameters/mute
	(error_of_move "Connection reset by peer") &
	MOVER=$!
	sleep 2
	kill -0 "$MOVER" || fail "moving did not wait for the peer"
}

disconnected() {
	error_of_move "not connected"
}

peer_disconnects() {
	connect
	wait_in_move
	modprobe -r first_ulp_peer
	wait "$MOVER"
	wait_for 20 disconnected
	modprobe -r first_ulp
	no_objects_left
}

device_is_removed() {
	local driver=/sys/bus/auxiliary/drivers/$PROVIDER.rdma adev

	connect
	wait_in_move
	if on_sim; then
		adev=$(rdma_adev "$(ib_pci "$IB_A")")
		echo "$adev" > "$driver/unbind"
	else
		rdma link delete "$IB_A"
	fi
	wait "$MOVER"
	disconnect
	if on_sim; then
		echo "$adev" > "$driver/bind"
		wait_for 60 two_devices || fail "$(ib_devices | wc -l) devices"
	fi
	ends_up
	connect
	echo 1 > "$MOVE"
	disconnect
}

ktap_run first_connection data_comes_back spoilt_data_is_noticed peer_disconnects \
	no_violations device_is_removed no_violations
