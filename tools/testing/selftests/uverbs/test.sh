#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Processes on Debian's unmodified libibverbs and libmlx5: attributes, the examples of libibverbs
# and perftest between the two simulated devices, with verified data where the program verifies.
# No program breaks a rule of the device, and none leaves an object behind. Then, on mlx5_ibx,
# requests that no library makes (bad.py), killed processes, and devices that go away under them.
set -eu
# shellcheck source=../../lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
# shellcheck source=../../lib/programs.sh
. "$(dirname "$0")/../../lib/programs.sh"

HERE=$(cd "$(dirname "$0")" && pwd)

# pair SERVER-COMMAND -- CLIENT-COMMAND: both to their good end, with data through both devices
pair() {
	local server=()

	while [ "$1" != -- ]; do
		server+=("$1")
		shift
	done
	shift
	clear_violations
	mark_data
	start_server timeout "$LIMIT" "${server[@]}"
	run_client "$@"
	no_violations
	no_objects_left
}

# pingpong PROGRAM BYTES ARGUMENT...: each way so many bytes at least
pingpong() {
	local gid_a gid_b

	ends
	gid_of_ip "$IB_A" "$IP_A"
	gid_a=$GID_INDEX
	gid_of_ip "$IB_B" "$IP_B"
	gid_b=$GID_INDEX
	pair "$1" -d "$IB_B" -g "$gid_b" "${@:3}" -- "$1" -d "$IB_A" -g "$gid_a" "${@:3}" "$IP_B"
	both_moved "$2"
}

# perf PROGRAM ARGUMENT...
perf() {
	ends
	pair "$1" -F -d "$IB_B" "${@:2}" -- "$1" -F -d "$IB_A" "${@:2}" "$IP_B"
}

first_user() {
	ends_up
	clear_violations
	ibv_devinfo -d "$IB_A" > "$WORK/devinfo" || fail "$(cat "$WORK/devinfo")"
	# on mlx5_ib, what is kept for all processes is created with the first QP
	live_objects > "$WORK/objects"
	start_server timeout "$LIMIT" ib_write_bw -F -d "$IB_B" -n 5 -s 8
	run_client ib_write_bw -F -d "$IB_A" -n 5 -s 8 "$IP_B"
	live_objects > "$WORK/objects"
}

devinfo() {
	ends
	ibv_devinfo -v -d "$IB_A" > "$WORK/devinfo" || fail "$(cat "$WORK/devinfo")"
	grep "atomic_cap\|vendor_part_id\|state:\|GID" "$WORK/devinfo"
	grep -q "state:.*PORT_ACTIVE" "$WORK/devinfo" || fail "the port is not active"
	grep -q "atomic_cap:.*ATOMIC_HCA" "$WORK/devinfo" || fail "no atomics"
	grep -q "vendor_part_id:.*4125" "$WORK/devinfo" || fail "another device"
	no_violations
}

rc_pingpong() { pingpong ibv_rc_pingpong 4096000 -c; }
rc_pingpong_events() { pingpong ibv_rc_pingpong 409600 -c -e -n 100; }
uc_pingpong() { pingpong ibv_uc_pingpong 409600 -n 100; }
ud_pingpong() { pingpong ibv_ud_pingpong 102400 -s 1024 -n 100; }
srq_pingpong() { pingpong ibv_srq_pingpong 409600 -n 100; }
# entries of 128 bytes
rc_pingpong_cqe128() { MLX5_CQE_SIZE=128 pingpong ibv_rc_pingpong 409600 -c -n 100; }

write_bw() { perf ib_write_bw -a -n 5; }
read_bw() { perf ib_read_bw -n 20; }
send_bw() { perf ib_send_bw -n 20; }
write_bw_many() { perf ib_write_bw -b -q 8 -n 20; }
send_bw_srq() { perf ib_send_bw --use-srq -r 64 -q 2 -n 20; }
send_bw_ud() { perf ib_send_bw -c UD -n 20 -s 1024; }
atomic_bw() { perf ib_atomic_bw -n 20; }
send_lat_events() { perf ib_send_lat -e -n 20; }
cm_write_bw() { perf ib_write_bw -R -n 20; }

# bad CASE: of bad.py
bad() {
	local dev

	ends
	clear_violations
	for dev in "/sys/class/infiniband/$IB_A/device/infiniband_verbs/"*; do
		dev=/dev/infiniband/${dev##*/}
	done
	timeout "$LIMIT" python3 -B "$HERE/bad.py" "$dev" "$1" || fail "see above"
	no_violations
	no_objects_left
}

bad_contexts() { bad contexts; }
bad_mappings() { bad mappings; }
bad_cqs() { bad cqs; }
bad_qps() { bad qps; }
bad_srqs() { bad srqs; }
bad_mrs() { bad mrs; }
objects_left_at_exit() { bad left; }

killed() {
	long ib_write_bw -D 60
	kill -9 "$CLIENT" "$SERVER"
	no_objects_left
	no_violations
}

# The driver lets its device go at once, though processes have it open and send.
unbound_while_open() {
	local adev bus=/sys/bus/auxiliary/drivers/mlx5_ibx.rdma start took

	long ib_write_bw -D 60
	for adev in "/sys/class/infiniband/$IB_A/device/"mlx5_core.rdma.*; do
		adev=${adev##*/}
	done
	start=$(now_ms)
	echo "$adev" > "$bus/unbind"
	took=$(($(now_ms) - start))
	say "$took ms"
	[ "$took" -le $((5000 * SLOWER)) ] || fail "unbinding takes $took ms"
	# the client finds no completions, and perftest does not ask for events
	kill -9 "$CLIENT" "$SERVER"
	wait_for 20 ended "$CLIENT" || fail "the client cannot be killed"
	no_violations
	echo "$adev" > "$bus/bind"
	ends_up
	no_objects_left
	perf ib_write_bw -n 5
}

both="first_user devinfo rc_pingpong rc_pingpong_events rc_pingpong_cqe128 uc_pingpong ud_pingpong
	srq_pingpong write_bw read_bw send_bw write_bw_many send_bw_srq send_bw_ud atomic_bw
	send_lat_events cm_write_bw killed"
ours="bad_contexts bad_mappings bad_cqs bad_qps bad_srqs bad_mrs objects_left_at_exit
	unbound_while_open"
[ "$PROVIDER" = mlx5_ibx ] || ours=
# shellcheck disable=SC2086
ktap_run ${CASES:-$both $ours}
