#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Processes on Debian's unmodified libibverbs and libmlx5: attributes, the examples of libibverbs
# and of perftest between the two simulated devices (some programs verify the data), and
# asynchronous events. No program breaks a rule of the device or leaves an object. Then, on
# mlx5_ibx, requests that libraries do not send (bad.py), killed processes, and devices that are
# removed while processes use them: the device is unbound, moves to mlx5_ib, is unplugged, has a
# fatal error, or moves to another network namespace.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"
# shellcheck source=../../runner/lib/programs.sh
. "$(dirname "$0")/../../runner/lib/programs.sh"

HERE=$(cd "$(dirname "$0")" && pwd)

# pair SERVER-COMMAND -- CLIENT-COMMAND: run a server and a client, which must end with success;
# both devices move data
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

# pingpong PROGRAM BYTES ARGUMENT...: run a program that moves at least BYTES in each direction
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

# perf PROGRAM ARGUMENT...: run a program of perftest
perf() {
	ends
	pair "$1" -F -d "$IB_B" "${@:2}" -- "$1" -F -d "$IB_A" "${@:2}" "$IP_B"
}

first_user() {
	ends_up
	clear_violations
	ibv_devinfo -d "$IB_A" > "$WORK/devinfo" || fail "$(cat "$WORK/devinfo")"
	# on mlx5_ib, the first QP creates objects that all processes share
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
# CQEs of 128 bytes
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

# Case: the attributes that ibstat and scripts read have the names and values of mlx5_ib. Memory
# that MRs of a process pin counts as pinned until the process ends.
attributes() {
	local dir name pages

	ends
	dir=/sys/class/infiniband/$IB_A
	for name in hca_type hw_rev board_id fw_pages reg_pages; do
		say "$name: $(cat "$dir/$name")"
	done
	want_eq "hca_type" "$(cat "$dir/hca_type")" MT4125
	want_eq "hw_rev" "$(cat "$dir/hw_rev")" "$(printf %x "$(cat "$dir/device/revision")")"
	ibv_devinfo -d "$IB_A" > "$WORK/devinfo"
	grep -q "board_id:.*[A-Z0-9]$" "$WORK/devinfo" || fail "$(cat "$WORK/devinfo")"
	want_eq "board_id" "$(sed -n 's/^.*board_id:[[:space:]]*//p' "$WORK/devinfo")" \
		"$(cat "$dir/board_id")"
	want_ge "fw_pages" "$(cat "$dir/fw_pages")" 1
	pages=$(cat "$dir/reg_pages")
	long ib_write_bw -s 1048576 -D 60
	want_ge "pages of MRs" "$(cat "$dir/reg_pages")" $((pages + 256))
	kill -9 "$CLIENT" "$SERVER"
	no_objects_left
	want_eq "pages of MRs" "$(cat "$dir/reg_pages")" "$pages"
}

# in_group N: are N QPs of B attached to multicast groups?
in_group() {
	grep -q "^mcg $1\$" "$SIM_DEBUGFS/$(ib_pci "$IB_B")/objects"
}

# moved_by_b BYTES: fail unless B has moved at least BYTES since mark_data
moved_by_b() {
	local mark

	mapfile -t mark < "$WORK/mark"
	want_ge "bytes moved by $IB_B" $(($(data_bytes "$IB_B") - mark[1])) "$1"
}

# Case: datagrams to a multicast group; two QPs of B receive each datagram.
multicast() {
	local out receivers=()

	ends
	clear_violations
	mark_data
	for out in "$WORK/mckey1" "$WORK/mckey2"; do
		timeout "$LIMIT" mckey -m 239.77.0.1 -b "$IP_B" -C 20 -S 1000 > "$out" 2>&1 &
		receivers+=($!)
	done
	wait_for 20 in_group 2 || fail "$(cat "$WORK/mckey1" "$WORK/mckey2")"
	timeout "$LIMIT" mckey -m 239.77.0.1 -b "$IP_A" -s -C 20 -S 1000 > "$WORK/client" 2>&1 ||
		fail "$(cat "$WORK/client")"
	wait "${receivers[0]}" || fail "$(cat "$WORK/mckey1")"
	wait "${receivers[1]}" || fail "$(cat "$WORK/mckey2")"
	both_moved 20000
	moved_by_b 40000
	no_violations
	no_objects_left
}

# bad CASE: run a case of bad.py
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

# unpinned COMMAND...: run a command; afterwards, the number of pages that MRs pin is unchanged
unpinned() {
	local pages

	ends
	pages=$(cat "/sys/class/infiniband/$IB_A/reg_pages")
	"$@"
	want_eq "pages of MRs" "$(cat "/sys/class/infiniband/$IB_A/reg_pages")" "$pages"
}

bad_contexts() { bad contexts; }
bad_mappings() { bad mappings; }
bad_cqs() { bad cqs; }
bad_qps() { bad qps; }
bad_srqs() { bad srqs; }
bad_mrs() { unpinned bad mrs; }
bad_reregs() { bad reregs; }
bad_mws() { bad mws; }
bad_resizes() { bad resizes; }
bad_xrcs() { bad xrcs; }
bad_dcs() { bad dcs; }
bad_queries() { bad queries; }
objects_left_at_exit() { bad left; }

# flags [VARIABLE=VALUE]: run flags.py, with a variable in the environment
flags() {
	ends
	clear_violations
	gid_of_ip "$IB_A" "$IP_A"
	env "$@" timeout "$LIMIT" "$HERE/flags.py" "$IB_A" "$GID_INDEX" || fail "see above"
	no_violations
	no_objects_left
}

access_flags() { flags; }
access_flags_cqe128() { flags MLX5_CQE_SIZE=128; }

run_large() {
	timeout 600 "$HERE/large.py" "$IB_A" "$GID_INDEX" "$1" || fail "see above"
}

# large CASE: run a case of large.py
large() {
	ends
	clear_violations
	gid_of_ip "$IB_A" "$IP_A"
	unpinned run_large "$1"
	no_violations
	no_objects_left
}

large_mrs() { large pages; }
large_mrs_huge() {
	echo 1 > /proc/sys/vm/nr_hugepages
	want_eq "huge pages" "$(cat /proc/sys/vm/nr_hugepages)" 1
	large huge
	echo 0 > /proc/sys/vm/nr_hugepages
}

# keys CASE: run a case of keys.py. When the process has ended, the driver keeps no free mkeys.
keys() {
	ends
	clear_violations
	gid_of_ip "$IB_A" "$IP_A"
	timeout "$LIMIT" "$HERE/keys.py" "$IB_A" "$GID_INDEX" \
		"$SIM_DEBUGFS/$(ib_pci "$IB_A")/commands" "$1" || fail "see above"
	PCI=$(ib_pci "$IB_A")
	want_eq "free mkeys" "$(cat "/sys/kernel/debug/mlx5/$PCI/mlx5_ibx/free_mkeys")" 0
	no_objects_left
}

keys_reused() { keys reused; no_violations; }
keys_rights() { keys rights; no_violations; }
keys_atomics() { keys atomics; no_violations; }
keys_page_sizes() {
	echo 3 > /proc/sys/vm/nr_hugepages
	want_eq "huge pages" "$(cat /proc/sys/vm/nr_hugepages)" 3
	keys page_sizes
	no_violations
	echo 0 > /proc/sys/vm/nr_hugepages
}
keys_stale() { keys stale; no_violations; }
keys_own() { keys own; no_violations; }
keys_refused() { unpinned keys refused_commands; no_violations; }
keys_two() { keys two; no_violations; }
keys_many() { keys many; no_violations; }
keys_crowd() { keys crowd; no_violations; }
keys_aged() { keys aged; no_violations; }

# Case: the device refuses a UMR with which a process would choose physical pages.
keys_of_pages() {
	keys pages_of_process
	want_eq "umr_state violations" "$(sim_violation_class umr_state)" 1
	want_eq "violations" "$(sim_violations)" 1
	clear_violations
}

# umr_qp: set UMR_QP to the number of the UMR QP of A. rdma(8) does not list this QP: a trace has
# its number.
umr_qp() {
	local event=$TRACEFS/events/mlx5_ibx/ibx_post_send

	echo > "$TRACEFS/trace"
	echo 1 > "$event/enable"
	keys mended
	echo 0 > "$event/enable"
	UMR_QP=$(sed -n "s/.*: dev=$IB_A qpn=\(0x[0-9a-f]*\) .* op=REG_MR .*/\1/p" \
		"$TRACEFS/trace" | sort -u)
	[ -n "$UMR_QP" ] || fail "no MR was registered by a UMR"
}

# qps_begun: print the number of RST2INIT_QP commands of A
qps_begun() {
	sed -n 's/^.* RST2INIT_QP //p' "$SIM_DEBUGFS/$(ib_pci "$IB_A")/commands"
}

# Case: the UMR QP enters ERR, and the next MR resets the QP.
keys_qp_fails() {
	local first second

	ends
	first=$(qps_begun)
	umr_qp
	second=$(qps_begun)
	echo "$((UMR_QP))" > "$SIM_DEBUGFS/$(ib_pci "$IB_A")/faults/qp"
	keys mended
	no_violations
	want_eq "QPs that went to INIT" "$(($(qps_begun) - second))" $((second - first + 1))
	keys reused
	no_violations
}

# bind_again: unbind and bind the device of A ($PCI), and check that MRs use UMRs again
bind_again() {
	local adev bus=/sys/bus/auxiliary/drivers/mlx5_ibx.rdma

	adev=$(rdma_adev "$PCI")
	to_sysfs "$adev" "$bus/unbind"
	to_sysfs "$adev" "$bus/bind"
	ends_up
	keys reused
	no_violations
}

# Case: the CQ of the UMR QP enters error: MRs use commands until the device is bound again.
keys_cq_fails() {
	local adev bus=/sys/bus/auxiliary/drivers/mlx5_ibx.rdma cqs cq failed=0

	ends
	PCI=$(ib_pci "$IB_A")
	adev=$(rdma_adev "$PCI")
	to_sysfs "$adev" "$bus/unbind"
	cqs=/sys/kernel/debug/mlx5/$PCI/CQs
	ls "$cqs" > "$WORK/cqs"
	to_sysfs "$adev" "$bus/bind"
	ends_up
	rdma resource show cq dev "$IB_A" -dd > "$WORK/known"
	ls "$cqs" > "$WORK/cqs_now"
	comm -13 "$WORK/cqs" "$WORK/cqs_now" > "$WORK/cqs_new"
	while read -r cq; do
		if ! grep -q "drv_hw_cqn $cq " "$WORK/known"; then
			echo "$cq" > "$SIM_DEBUGFS/$PCI/faults/cq"
			failed=$((failed + 1))
		fi
	done < "$WORK/cqs_new"
	want_eq "CQs that rdma(8) does not list" "$failed" 1
	keys by_command
	no_violations
	bind_again
}

# rereg CASE: run a case of reregs.py
rereg() {
	ends
	clear_violations
	gid_of_ip "$IB_A" "$IP_A"
	timeout "$LIMIT" "$HERE/reregs.py" "$IB_A" "$GID_INDEX" \
		"$SIM_DEBUGFS/$(ib_pci "$IB_A")/commands" "$1" || fail "see above"
	no_violations
	no_objects_left
}

rereg_access() { rereg access; }
rereg_atomic() { rereg atomic; }
rereg_pd() { rereg pds; }
rereg_addr() { unpinned rereg addresses; }
rereg_others() { unpinned rereg others; }
rereg_no_commands() { rereg no_commands; }

# prepare PROGRAM CASE: start a case that waits for a line of input; sets PCI and WAITING
prepare() {
	ends
	clear_violations
	umr_qp
	PCI=$(ib_pci "$IB_A")
	gid_of_ip "$IB_A" "$IP_A"
	rm -f "$WORK/go"
	mkfifo "$WORK/go"
	timeout "$((450 * SLOWER))" "$HERE/$1" "$IB_A" "$GID_INDEX" "$SIM_DEBUGFS/$PCI/commands" \
		"$2" < "$WORK/go" > "$WORK/said" 2>&1 &
	WAITING=$!
	exec 8> "$WORK/go"
	wait_for 20 grep -q ready "$WORK/said" || fail "$(cat "$WORK/said")"
}

# go_on: the case of prepare() continues
go_on() {
	echo go >&8
	exec 8>&-
}

# succeeds: the case of prepare() has no failures
succeeds() {
	wait "$WAITING" || fail "$(cat "$WORK/said")"
	no_violations
}

# Case: the UMR QP enters ERR before the process changes the MR.
rereg_fails() {
	prepare reregs.py failing
	echo "$((UMR_QP))" > "$SIM_DEBUGFS/$PCI/faults/qp"
	go_on
	succeeds
	no_objects_left
}

# stall_umr_qp: from now on, the UMR QP executes no WR; sets PCI
stall_umr_qp() {
	ends
	clear_violations
	umr_qp
	PCI=$(ib_pci "$IB_A")
	gid_of_ip "$IB_A" "$IP_A"
	echo "stall $((UMR_QP))" > "$SIM_DEBUGFS/$PCI/faults/qp"
}

# start_keys CASE: start a case of keys.py; sets KEYS to its process
start_keys() {
	timeout "$((300 * SLOWER))" "$HERE/keys.py" "$IB_A" "$GID_INDEX" \
		"$SIM_DEBUGFS/$PCI/commands" "$1" > "$WORK/said" 2>&1 &
	KEYS=$!
}

# Case: the UMR QP executes no WR. After a minute, the driver resets the QP, and a command replaces
# the UMR. Then the QP works again.
keys_qp_stalls() {
	local first second

	ends
	first=$(qps_begun)
	stall_umr_qp
	second=$(qps_begun)
	start_keys mended
	# wait for the QPs of the process, as many as in umr_qp, and for the UMR QP
	wait_for 90 more_qps_begun $((2 * second - first + 1)) || fail "the UMR QP is not reset"
	echo "resume $((UMR_QP))" > "$SIM_DEBUGFS/$PCI/faults/qp"
	wait "$KEYS" || fail "$(cat "$WORK/said")"
	no_violations
	no_objects_left
	want_eq "QPs that went to INIT" "$(($(qps_begun) - second))" $((second - first + 1))
	keys reused
	no_violations
}

more_qps_begun() {
	[ "$(qps_begun)" -ge "$1" ]
}

# Case: after the second lost WR, MRs use commands until the device is bound again.
keys_qp_given_up() {
	stall_umr_qp
	start_keys stalled
	wait "$KEYS" || fail "$(cat "$WORK/said")"
	no_violations
	no_objects_left
	bind_again
}

# Case: the device is unbound while a process waits for a UMR.
unbound_while_stalled() {
	local adev bus=/sys/bus/auxiliary/drivers/mlx5_ibx.rdma

	stall_umr_qp
	start_keys mended
	sleep 3
	adev=$(rdma_adev "$PCI")
	ALONE=150000 timed "unbinding" to_sysfs "$adev" "$bus/unbind"
	wait_for 150 ended "$KEYS" || fail "the process does not end"
	to_sysfs "$adev" "$bus/bind"
	ends_up
	no_objects_left
	keys reused
	no_violations
}

# lose_umr PROGRAM CASE: run a case in which the UMR QP executes no WR and cannot be reset.
# Afterwards, the device executes the lost WRs; a fatal error and the recovery restore the UMR QP.
lose_umr() {
	local mappings i

	ends
	mappings=$(dma_mappings "$IB_A")
	prepare "$@"
	echo "stall $((UMR_QP))" > "$SIM_DEBUGFS/$PCI/faults/qp"
	for ((i = 1; i <= 40; i++)); do
		echo "fail 2RST_QP $i INT_ERR" > "$SIM_DEBUGFS/$PCI/faults/command"
	done
	go_on
	succeeds
	want_ge "mappings after the process" "$(dma_mappings "$IB_A")" $((mappings + 1))
	echo "resume $((UMR_QP))" > "$SIM_DEBUGFS/$PCI/faults/qp"
	sleep 1
	no_violations
	echo clear > "$SIM_DEBUGFS/$PCI/faults/command"
	quick_recovery "$PCI"
	die_of_error "$PCI"
	ends_recovered "$PCI"
	no_violations
	# at least: the recovery also frees mappings of mlx5_core that earlier cases have left
	want_ge "mappings before" "$mappings" "$(dma_mappings "$IB_A")"
	no_objects_left
	keys reused
	no_violations
}

keys_qp_lost() { lose_umr keys.py lost; }
rereg_own_lost() { lose_umr reregs.py own_lost; }

# ordering_by_umr [CAPABILITIES]: create new devices with these capabilities. By default, UMRs
# cannot change relaxed ordering.
ordering_by_umr() {
	no_violations
	sim_reload ${1:+"caps=$1"}
	first_user
}

ordered_by_umr() {
	ordering_by_umr general.relaxed_ordering_write_umr=1,general.relaxed_ordering_read_umr=1
}

rereg_ordering() { rereg relaxed; }

# Case: the device executes a lost UMR before the UMR QP is reset.
rereg_spoiled() {
	prepare reregs.py spoiled
	echo "stall $((UMR_QP))" > "$SIM_DEBUGFS/$PCI/faults/qp"
	echo "delay 2RST_QP 1 $((10000 * SLOWER))" > "$SIM_DEBUGFS/$PCI/faults/command"
	go_on
	wait_for 90 grep -q 'fired [1-9]' "$SIM_DEBUGFS/$PCI/faults/command" ||
		fail "the UMR QP is not reset"
	echo "resume $((UMR_QP))" > "$SIM_DEBUGFS/$PCI/faults/qp"
	succeeds
	echo clear > "$SIM_DEBUGFS/$PCI/faults/command"
	no_objects_left
}

# Case: the interrupt of a UMR is lost.
rereg_missed() {
	prepare reregs.py missed
	echo "drop 1 1" > "$SIM_DEBUGFS/$PCI/faults/interrupt"
	go_on
	succeeds
	want_eq "lost interrupts" "$(cat "$SIM_DEBUGFS/$PCI/faults/interrupt")" "dropped 1 1"
	no_objects_left
}

# Case: all interrupts of the UMR QP are lost.
keys_qp_missed() {
	prepare keys.py missed
	echo "drop 1 1000" > "$SIM_DEBUGFS/$PCI/faults/interrupt"
	go_on
	succeeds
	echo clear > "$SIM_DEBUGFS/$PCI/faults/interrupt"
	no_objects_left
	bind_again
}

reloaded() { ordering_by_umr; }

dmabufs() {
	ends
	clear_violations
	gid_of_ip "$IB_A" "$IP_A"
	timeout "$LIMIT" "$HERE/dmabuf.py" "$IB_A" "$GID_INDEX" || fail "see above"
	no_violations
	no_objects_left
}

killed() {
	long ib_write_bw -D 60
	kill -9 "$CLIENT" "$SERVER"
	no_objects_left
	no_violations
}

# watch_events [SRQS]: start a process with objects on A that prints its events; sets WATCHER
watch_events() {
	# remove the "ready" of an earlier process
	: > "$WORK/events"
	"$HERE/events.py" "$IB_A" "$@" > "$WORK/events" 2>&1 &
	WATCHER=$!
	wait_for 20 grep -q ready "$WORK/events" || fail "$(cat "$WORK/events")"
}

# told EVENT: fail unless the process prints the event within 5 seconds
told() {
	wait_for 5 grep -q "IBV_EVENT_$1\$" "$WORK/events" ||
		fail "no event $1: $(cat "$WORK/events")"
}

# cqs_of_a: print the numbers of the CQs of A in the device
cqs_of_a() {
	ls "/sys/kernel/debug/mlx5/$(ib_pci "$IB_A")/CQs"
}

# srq_of_watcher: print the numbers in the device of the SRQs of the process; mlx5_ib does not
# report them
srq_of_watcher() {
	rdma resource show srq dev "$IB_A" -dd | sed -n "s/.* pid $WATCHER .* drv_hw_srqn //p" |
		cut -d ' ' -f 1
}

async_events() {
	local events="CQ_ERR PORT_ACTIVE PORT_ERR QP_FATAL" faults

	ends
	clear_violations
	faults=$SIM_DEBUGFS/$(ib_pci "$IB_A")/faults
	cqs_of_a > "$WORK/cqs"
	watch_events
	echo down > "$faults/port"
	told PORT_ERR
	echo up > "$faults/port"
	told PORT_ACTIVE
	sed -n 's/^qp //p' "$WORK/events" > "$faults/qp"
	told QP_FATAL
	if [ "$PROVIDER" = mlx5_ibx ]; then
		events="$events SRQ_ERR"
		srq_of_watcher > "$faults/srq"
		told SRQ_ERR
	fi
	cqs_of_a | comm -13 "$WORK/cqs" - > "$faults/cq"
	told CQ_ERR
	# ignore GID_CHANGE: GIDs may be removed and added with the port
	# shellcheck disable=SC2086
	want_eq "events" "$(sed -n '/GID_CHANGE/d; /^IBV/p' "$WORK/events" | sort | tr '\n' ' ')" \
		"$(printf 'IBV_EVENT_%s ' $events)"
	kill -9 "$WATCHER"
	no_objects_left
	no_violations
	ends_up
}

# srq_lines: print the number of kernel messages about SRQs in error
srq_lines() {
	dmesg | grep -c "SRQ 0x.* is in error" || :
}

# Case: the rate of the kernel messages that a process can cause is limited.
log_limited() {
	local before lines

	ends
	before=$(srq_lines)
	clear_violations
	watch_events 150
	for srq in $(srq_of_watcher); do
		echo "$srq" > "$SIM_DEBUGFS/$(ib_pci "$IB_A")/faults/srq"
	done
	wait_for 20 heard_of 150 || fail "$(grep -c SRQ_ERR "$WORK/events") events"
	lines=$(($(srq_lines) - before))
	say "$lines lines"
	kill -9 "$WATCHER"
	want_ge "lines" "$lines" 1
	want_ge "lines below" 100 "$lines"
	no_objects_left
	no_violations
}

# heard_of N: has the watcher printed the errors of N SRQs?
heard_of() {
	[ "$(grep -c SRQ_ERR "$WORK/events")" = "$1" ]
}

# timed WHAT COMMAND...: run a command, which takes no more than 5 s plus $ALONE milliseconds on an
# idle machine. Fails after PATIENCE times this time.
timed() {
	local start took usual=$((5000 * SLOWER + ${ALONE:-0}))

	start=$(now_ms)
	"${@:2}"
	took=$(($(now_ms) - start))
	say "$1: $took ms"
	[ "$took" -le "$usual" ] || say "slow: usually $usual ms"
	[ "$took" -le $((PATIENCE * usual)) ] || fail "$1 takes $took ms"
}

# watcher_ends: wait until the watcher gets DEVICE_FATAL and ends
watcher_ends() {
	told DEVICE_FATAL
	wait_for 5 ended "$WATCHER" || fail "the process does not end"
}

# traffic_ends: kill the server and the client. The client would wait: it gets no completions, and
# perftest does not request asynchronous events.
traffic_ends() {
	kill -9 "$CLIENT" "$SERVER" 2> /dev/null || :
	wait_for 5 ended "$CLIENT" || fail "the client cannot be killed"
	wait_for 5 ended "$SERVER" || fail "the server cannot be killed"
}

# works_again: check that no object is left, and that a new process can use the device
works_again() {
	ends_up
	no_objects_left
	perf ib_write_bw -n 5
}

# open_and_busy: start the watcher, and a process that sends; sets PCI
open_and_busy() {
	ends_up
	watch_events
	long ib_write_bw -D 60
	PCI=$(ib_pci "$IB_A")
}

to_sysfs() {
	echo "$1" > "$2"
}

# Case: the driver is unbound, and releases its device at once, while processes use it and send.
unbound_while_open() {
	local adev bus=/sys/bus/auxiliary/drivers/mlx5_ibx.rdma

	open_and_busy
	adev=$(rdma_adev "$PCI")
	timed "unbinding" to_sysfs "$adev" "$bus/unbind"
	watcher_ends
	traffic_ends
	no_violations
	echo "$adev" > "$bus/bind"
	works_again
}

unplugged_while_open() {
	open_and_busy
	timed "unplug" to_sysfs 1 "$SIM_DEBUGFS/$PCI/unplug"
	watcher_ends
	traffic_ends
	echo 1 > "$SIM_DEBUGFS/$PCI/plug"
	wait_for 60 driven_by "$PCI" "$PROVIDER" || fail "$(driver_of_pci "$PCI") drives $PCI"
	works_again
}

dead_while_open() {
	open_and_busy
	quick_recovery "$PCI"
	die_of_error "$PCI"
	# mlx5_core takes up to three seconds to detect the error
	timed "the end of the process" watcher_ends
	traffic_ends
	ends_recovered "$PCI"
	works_again
}

# watch_events_of DEV: watch_events on another device
watch_events_of() {
	local IB_A=$1

	watch_events
}

# Case: a function that processes use moves to mlx5_ib and back, by force (-f). The drivers do not
# wait for the processes: the moves take little longer than without processes.
claimed_while_open() {
	local claim=$TOP/tools/ibx-claim start ALONE

	ends_up
	PCI=$(ib_pci "$IB_A")
	modprobe mlx5_ib
	start=$(now_ms)
	"$claim" give "$PCI"
	"$claim" take "$PCI"
	ALONE=$(($(now_ms) - start))
	say "without processes: $ALONE ms"
	open_and_busy
	expect_fail "$claim" give "$PCI"
	timed "giving it to mlx5_ib" "$claim" -f give "$PCI"
	watcher_ends
	traffic_ends
	driven_by "$PCI" mlx5_ib || fail "$(driver_of_pci "$PCI") drives $PCI"
	watch_events_of "$(basename "/sys/bus/pci/devices/$PCI/infiniband/"*)"
	expect_fail "$claim" take "$PCI"
	timed "claiming it" "$claim" -f take "$PCI"
	watcher_ends
	driven_by "$PCI" mlx5_ibx || fail "$(driver_of_pci "$PCI") drives $PCI"
	modprobe -r mlx5_ib
	no_violations
	works_again
}

# Case: in exclusive mode, the device moves to another namespace without its netdev.
moved_while_open() {
	ends_up
	wait_for 30 rdma system set netns exclusive || fail "another namespace exists"
	ip netns add uverbs_t
	open_and_busy
	timed "the move" rdma dev set "$IB_A" netns uverbs_t
	watcher_ends
	traffic_ends
	want_eq "devices left here" "$(ib_devices)" "$IB_B"
	ip netns del uverbs_t
	wait_for 30 two_devices || fail "$(ib_devices | wc -l) devices"
	wait_for 30 rdma system set netns shared || fail "the namespace still exists"
	works_again
}

both="first_user devinfo rc_pingpong rc_pingpong_events rc_pingpong_cqe128 uc_pingpong ud_pingpong
	srq_pingpong write_bw read_bw send_bw write_bw_many send_bw_srq send_bw_ud atomic_bw
	send_lat_events cm_write_bw multicast attributes async_events access_flags
	access_flags_cqe128 large_mrs large_mrs_huge killed rereg_access
	rereg_atomic rereg_pd rereg_addr rereg_others"
ours="bad_contexts bad_mappings bad_cqs bad_qps bad_srqs bad_mrs bad_reregs bad_mws
	bad_resizes bad_xrcs bad_dcs bad_queries keys_reused keys_rights keys_atomics
	keys_page_sizes keys_stale keys_own keys_refused keys_two keys_many keys_crowd keys_of_pages
	keys_qp_fails keys_cq_fails rereg_no_commands rereg_fails log_limited dmabufs
	objects_left_at_exit unbound_while_open claimed_while_open unplugged_while_open
	dead_while_open moved_while_open"
# with FULL=1 only: each of these cases takes one or two minutes
[ -z "${FULL:-}" ] ||
	ours="$ours keys_aged keys_qp_stalls keys_qp_given_up unbound_while_stalled keys_qp_lost
		rereg_own_lost keys_qp_missed ordered_by_umr rereg_ordering rereg_spoiled
		rereg_missed reloaded"
[ "$PROVIDER" = mlx5_ibx ] || ours=
# shellcheck disable=SC2086
ktap_run ${CASES:-$both $ours}
