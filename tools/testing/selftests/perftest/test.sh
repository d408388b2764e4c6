#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The programs of perftest (such as ib_write_bw) on unmodified libmlx5, on both drivers, with few
# iterations between the two simulated devices. No program breaks a rule of the device. Killed
# processes leave no object. A connection survives on a busy machine, but ends when the link is down
# for longer than the timeout that the program requested.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/programs.sh
. "$(dirname "$0")/../../runner/lib/programs.sh"

# both PROGRAM ARGUMENT...: run a server and a client, which must end with success
both() {
	ends
	clear_violations
	start_server timeout "$LIMIT" "$1" -F -d "$IB_B" "${@:2}"
	run_client "$1" -F -d "$IB_A" "${@:2}" "$IP_B"
	no_violations
}

# Case: for the first user, mlx5_ib creates objects that all processes share.
first_user() {
	ends_up
	clear_violations
	both ib_write_bw -n 5 -s 8
	live_objects > "$WORK/objects"
}

write_bw_all() {
	both ib_write_bw -a -n 5
}

write_bw_bidirectional() {
	both ib_write_bw -b -q 4 -n 20
}

read_bw() {
	both ib_read_bw -n 20
}

send_bw_rc() {
	both ib_send_bw -n 20
}

send_bw_uc() {
	both ib_send_bw -c UC -n 20
}

send_bw_ud() {
	both ib_send_bw -c UD -n 20 -s 1024
}

send_bw_srq() {
	both ib_send_bw --use-srq -r 64 -q 2 -n 20
}

# Case: each QP has a separate connection and SRQ
send_bw_xrc() {
	both ib_send_bw -c XRC -q 2 -n 20
}

write_bw_xrc() {
	both ib_write_bw -c XRC -n 20
}

# Case: XRC QPs send one message at a time, in both directions.
xsrq_pingpong() {
	ends
	clear_violations
	mark_data
	gid_of_ip "$IB_B" "$IP_B"
	start_server timeout "$LIMIT" ibv_xsrq_pingpong -d "$IB_B" -g "$GID_INDEX"
	gid_of_ip "$IB_A" "$IP_A"
	timeout "$LIMIT" ibv_xsrq_pingpong -d "$IB_A" -g "$GID_INDEX" "$IP_B" \
		> "$WORK/client" 2>&1 || fail "$(cat "$WORK/client" "$WORK/server")"
	wait "$SERVER" || fail "$(cat "$WORK/server")"
	moving 20480 || fail "the data took another way"
	no_violations
}

send_bw_dc() {
	both ib_send_bw -c DC -n 20
}

send_bw_dc_streams() {
	both ib_send_bw -c DC --log_dci_streams=2 -n 20
}

atomic_bw() {
	both ib_atomic_bw -n 20
	both ib_atomic_bw -A CMP_AND_SWAP -n 20
}

write_lat() {
	both ib_write_lat -n 50
}

send_lat_events() {
	both ib_send_lat -e -n 20
}

cm_bidirectional() {
	both ib_write_bw -R -q 4 -b -n 20
}

# Case: processes are killed while their QPs send; no object is left.
killed() {
	long ib_write_bw -b -q 2 -D 60
	kill -9 "$CLIENT"
	kill -9 "$SERVER"
	no_objects_left
	no_violations
}

# Case: the peer of a killed process gets completions with errors, and ends.
peer_killed() {
	long ib_write_bw -D 60
	kill -9 "$SERVER"
	wait_for 20 ended "$CLIENT" || fail "the client goes on: $(cat "$WORK/client")"
	grep -q "status 1[02]" "$WORK/client" || fail "another error: $(cat "$WORK/client")"
	no_objects_left
	no_violations
}

# busy N COMMAND...: run a command and N busy loops at the same time
busy() {
	local hogs='' status=0 i n=$1

	for ((i = 0; i < n; i++)); do
		sh -c 'while :; do :; done' &
		hogs="$hogs $!"
	done
	"${@:2}" || status=$?
	# shellcheck disable=SC2086
	kill $hogs
	return "$status"
}

# Case: the retry timer is 4 ms (-u 10), and a message takes longer because all processors are busy.
# The device does not treat a slow message as lost.
busy_machine() {
	local retries

	ends
	retries=$(sim_sum retries)
	busy 3 both ib_write_bw -s 8388608 -n 5 -u 10
	want_eq "messages sent again" "$(sim_sum retries)" "$retries"
}

# Case: the link is down, and the machine is not busy. The error comes after 7 retries, with 4.096
# us * 2^16 before each retry and before the error: 2.1 s.
link_down() {
	local port start took

	long ib_write_bw -D 60 -u 16
	port=$SIM_DEBUGFS/$(ib_pci "$IB_B")/faults/port
	# shellcheck disable=SC2064
	trap "echo up > '$port'" EXIT
	echo down > "$port"
	start=$(now_ms)
	wait_for 30 ended "$CLIENT" || fail "the client goes on: $(cat "$WORK/client")"
	took=$(($(now_ms) - start))
	kill -9 "$SERVER" || :
	echo up > "$port"
	grep -q "status 12" "$WORK/client" || fail "another error: $(cat "$WORK/client")"
	say "$took ms"
	want_ge "milliseconds until the error" "$took" 1800
	[ "$took" -le $((15000 * SLOWER)) ] || fail "the error takes too long"
	wait_for 30 port_active "$IB_B"
	wait_for 30 gid_of_ip "$IB_B" "$IP_B"
	no_objects_left
	no_violations
}

ktap_run first_user write_bw_all write_bw_bidirectional read_bw send_bw_rc send_bw_uc send_bw_ud \
	send_bw_srq send_bw_xrc write_bw_xrc xsrq_pingpong send_bw_dc send_bw_dc_streams atomic_bw \
	write_lat send_lat_events cm_bidirectional killed peer_killed busy_machine link_down \
	no_objects_left no_violations
