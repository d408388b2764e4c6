#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Firmware commands of processes (DEVX): the program programs/devx on Debian's unmodified libmlx5,
# on the stock driver and on mlx5_ibx. Each case is a case of the program. Commands that the device
# refuses are counted as violations; other commands cause no violation.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/programs.sh
. "$(dirname "$0")/../../runner/lib/programs.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"

DEVX=$TOP/build/devx/devx
# seeds of the case killed of the program devx: up to 12, the process is killed in the creation of
# an object, from 13 on while it uses its objects
KILLS="1 3 5 8 10 12 14 15 16 17"
[ "${FULL:-}" != 1 ] || KILLS=$(seq 40)

# run_devx CASE: run a case of the program; the output is in $WORK/said
run_devx() {
	ends
	clear_violations
	timeout "$LIMIT" "$DEVX" "$IB_A" "$1" > "$WORK/said" 2> "$WORK/faults" || {
		cat "$WORK/said" "$WORK/faults"
		cat "$SIM_DEBUGFS/"*:*/violations
		fail "see above"
	}
	no_stray_dma
}

# good CASE: run a case that causes no violation and leaves no object
good() {
	run_devx "$1"
	no_violations
	no_objects_left
}

# bad CASE: run a case that leaves no object; the device counts its refused commands as violations
bad() {
	run_devx "$1"
	no_objects_left
}

first_user() {
	ends_up
	clear_violations
	live_objects > "$WORK/objects"
	# on mlx5_ib, the first QP and MR create objects that are shared by all processes
	"$DEVX" "$IB_A" verbs_objects || fail "see above"
	"$DEVX" "$IB_A" mkeys || fail "see above"
	live_objects > "$WORK/objects"
	no_violations
}

general() { good general; }
general_range() { good general_range; }
plain_objects() { good plain_objects; }
mkeys() { good mkeys; }
umems() { good umems; }
dmabufs() { good dmabufs; }
move_data() { good move_data; }
move_many() { good move_many; }
verbs_objects() { good verbs_objects; }
verbs_kinds() { good verbs_kinds; }
leave_all() { good leave_all; }
recv_own() { good recv_own; }
recv_chain() { good recv_chain; }
recv_cyclic() { good recv_cyclic; }
recv_dct() { good recv_dct; }
rmp_types() { good rmp_types; }
dct_lengths() { good dct_lengths; }
lag_and_port() { good lag_and_port; }

killed() {
	local pid

	ends
	clear_violations
	"$DEVX" "$IB_A" wait_for_kill > "$WORK/said" 2>&1 &
	pid=$!
	wait_for 20 grep -q ready "$WORK/said" || fail "$(cat "$WORK/said")"
	! objects_as_before || fail "the process has no objects"
	kill -9 "$pid"
	no_objects_left
	no_violations
}

# Case: a process is killed in the step that the seed determines, for each seed of KILLS
kill_sweep() {
	local seed status

	ends
	clear_violations
	for seed in $KILLS; do
		status=0
		timeout "$LIMIT" "$DEVX" "$IB_A" killed "$seed" > "$WORK/said" 2>&1 || status=$?
		cat "$WORK/said"
		want_eq "status of the process with seed $seed" "$status" 137
		no_objects_left
		nothing_owned qp cq mr pd ctx srq || fail "$(owned qp cq mr pd ctx srq)"
		no_violations
	done
}

# Case: the device refuses every command of a context with a number of the other context (uid)
isolation() {
	bad isolation
	want_ge "refused commands" "$(grep -c ^refused "$WORK/said")" 31
	want_eq "cmd_uid violations" "$(sim_violation_class cmd_uid)" \
		"$(grep -c ^refused "$WORK/said")"
	want_eq "violations" "$(sim_violations)" "$(sim_violation_class cmd_uid)"
}

not_listed() { good not_listed; }

lengths() {
	bad lengths
	want_eq "cmd_size violations" "$(sim_violation_class cmd_size)" "$(sim_violations)"
}

short_commands() { good short_commands; }

# Case: the device refuses to destroy a UMEM, a CQ and a PD in use; the process ends while these
# exist
in_use() {
	bad in_use
	want_eq "cmd_in_use violations" "$(sim_violation_class cmd_in_use)" "$(sim_violations)"
}

verbs_in_use() {
	bad verbs_in_use
	want_eq "cmd_in_use violations" "$(sim_violation_class cmd_in_use)" 1
	want_eq "violations" "$(sim_violations)" 1
}

bad_umems() { good bad_umems; }
bad_dmabufs() { good bad_dmabufs; }
all_memory() { bad all_memory; }

xrc_srq() {
	bad xrc_srq
	want_eq "cmd_reserved violations" "$(sim_violation_class cmd_reserved)" 1
	want_eq "violations" "$(sim_violations)" 1
}

# Case: the device refuses two commands, because the XRC target has no user context
xrc_target() {
	bad xrc_target
	want_eq "cmd_uid violations" "$(sim_violation_class cmd_uid)" 2
	want_eq "violations" "$(sim_violations)" 2
}

# Case: a command fails, and the process gets the status and the syndrome of the device
failing() {
	local faults

	ends
	faults=$SIM_DEBUGFS/$(ib_pci "$IB_A")/faults/command
	echo "fail CREATE_PSV 1 INT_ERR" > "$faults"
	bad failing
	echo clear > "$faults"
	cat "$WORK/said"
	grep -q "^refused PSV status 0x1 syndrome 0x[1-9a-f]" "$WORK/said" || fail "no syndrome"
	no_violations
}

# Case: the device executes DRAIN_DCT but returns an error, and refuses the second DRAIN_DCT
dct_drained() {
	local faults

	ends
	faults=$SIM_DEBUGFS/$(ib_pci "$IB_A")/faults/command
	echo "lie DRAIN_DCT 1 INT_ERR" > "$faults"
	bad dct_drained
	grep -q "fired 1 DRAIN_DCT" "$faults" || fail "no command failed: $(cat "$faults")"
	echo clear > "$faults"
	want_eq "cmd_bad_state violations" "$(sim_violation_class cmd_bad_state)" 1
	want_eq "violations" "$(sim_violations)" 1
}

async_queries() { good async_queries; }
async_refused() { good async_refused; }
async_overflow() { good async_overflow; }
async_left() { good async_left; }

async_short() {
	bad async_short
	want_eq "cmd_size violations" "$(sim_violation_class cmd_size)" 1
	want_eq "violations" "$(sim_violations)" 1
}

event_comp() { good event_comp; }
event_fd() { good event_fd; }
event_bad() { good event_bad; }
event_left() { good event_left; }
event_overflow() { good event_overflow; }
event_qp() { good event_qp; }

# Case on a device that uses the lowest free number first (reuse=1)
event_old() {
	sim_reload reuse=1
	first_user
	good event_old
	sim_reload
	first_user
}

event_kept() {
	local faults

	ends
	faults=$SIM_DEBUGFS/$(ib_pci "$IB_A")/faults/command
	echo "fail DESTROY_QP 1 INT_ERR" > "$faults"
	good event_kept
	echo clear > "$faults"
}

# traced EVENT COMMAND...: run a command with a tracepoint enabled; the trace is in $WORK/trace
traced() {
	local event=$TRACEFS/events/$1

	no_task_names
	echo > "$TRACEFS/trace"
	echo 1 > "$event/enable"
	"${@:2}"
	echo 0 > "$event/enable"
	cat "$TRACEFS/trace" > "$WORK/trace"
}

# Case: the interrupt handler of an event visits only the subscriptions to this event
limit_others() {
	local victim

	traced mlx5_ibx/ibx_devx_event good limit_others
	victim=$(sed -n 's/^victim //p' "$WORK/said")
	sed -n "s/.* ibx_devx_event: .* event=0x0 type=.* nr=$victim walked=//p" \
		"$WORK/trace" > "$WORK/walked"
	want_eq "subscriptions looked at in 4 events" "$(sort "$WORK/walked" | uniq -c | xargs)" \
		"4 1"
}

limit_object() { good limit_object; }
limit_channel() { good limit_channel; }
limit_context() { good limit_context; }

# Case: the subscriptions and events of a closed channel are freed with interrupts enabled
limit_close() {
	local freed='kfree: call_site=\(ibx_devx\|take_item\|drop_\|event_file\)'

	traced kmem/kfree good limit_close
	want_ge "subscriptions freed" "$(grep -c "$freed" "$WORK/trace")" 128
	want_eq "subscriptions and events freed with interrupts off" \
		"$(grep "$freed" "$WORK/trace" | grep -c '\] [dD]')" 0
}

# Case: the limit of bytes of outstanding commands. The device refuses the commands (cmd_size),
# because they are longer than a query.
limit_commands() {
	local faults

	ends
	faults=$SIM_DEBUGFS/$(ib_pci "$IB_A")/faults/command
	echo "delay QUERY_Q_COUNTER 1 5000" > "$faults"
	bad limit_commands
	echo clear > "$faults"
	want_eq "cmd_size violations" "$(sim_violation_class cmd_size)" "$(sim_violations)"
}

# start_waiting CASE: start the program, wait until it prints "ready", and set WAITING to its
# process
start_waiting() {
	ends
	clear_violations
	timeout "$LIMIT" "$DEVX" "$IB_A" "$1" > "$WORK/said" 2>&1 &
	WAITING=$!
	wait_for 20 grep -q ready "$WORK/said" || fail "$(cat "$WORK/said")"
}

# waited: wait until the program of start_waiting ends, with success
waited() {
	wait "$WAITING" || fail "$(cat "$WORK/said")"
	no_objects_left
	no_violations
}

event_port() {
	local port

	start_waiting event_port
	port=$SIM_DEBUGFS/$(ib_pci "$IB_A")/faults/port
	echo down > "$port"
	waited
	echo up > "$port"
	wait_for 30 port_active "$IB_A"
	wait_for 30 gid_of_ip "$IB_A" "$IP_A"
}

# unbound CASE: the device is unbound while the program waits
unbound() {
	local adev bus=/sys/bus/auxiliary/drivers/$PROVIDER.rdma

	start_waiting "$1"
	adev=$(rdma_adev "$(ib_pci "$IB_A")")
	echo "$adev" > "$bus/unbind"
	wait "$WAITING" || fail "$(cat "$WORK/said")"
	echo "$adev" > "$bus/bind"
	ends_up
	no_violations
}

async_unbound() { unbound async_unbound; }
event_unbound() { unbound event_unbound; }

# Case: events on a device without the capability event_cap
event_no_masks() {
	local case

	sim_reload caps=general.event_cap=0
	first_user
	for case in event_comp event_fd event_qp event_bad; do
		good "$case"
	done
	sim_reload
	ends_up
}

# kept CASE: run a case in which the device refuses to destroy objects that are in use
kept() {
	local FAULTS

	ends
	FAULTS=$SIM_DEBUGFS/$(ib_pci "$IB_A")/faults/command
	export FAULTS
	bad "$1"
	echo clear > "$FAULTS"
}

kept_cq() { kept kept_cq; }
kept_srq() { kept kept_srq; }
kept_cq_core() { kept kept_cq_core; }
kept_srq_core() { kept kept_srq_core; }
kept_devx() { kept kept_devx; }
kept_umem() { kept kept_umem; }
kept_cq_exit() { kept kept_cq_exit; }
kept_srq_exit() { kept kept_srq_exit; }

kept_refused() {
	kept kept_refused
	no_violations
}

both="first_user general general_range plain_objects mkeys umems dmabufs move_data move_many
	verbs_objects verbs_kinds
	recv_own recv_chain recv_cyclic recv_dct rmp_types dct_lengths lag_and_port
	leave_all killed kill_sweep isolation not_listed lengths in_use verbs_in_use
	bad_umems bad_dmabufs all_memory xrc_srq xrc_target failing
	async_queries async_refused async_short async_overflow async_left
	event_comp event_fd event_qp event_kept event_port event_bad event_left
	async_unbound event_unbound event_old event_no_masks"
# cases for mlx5_ibx only: mlx5_ib writes beyond the end of short commands, queues any number of
# events, unpins memory that the device may use, and has no limits
ours="short_commands event_overflow kept_cq kept_srq kept_cq_core kept_srq_core kept_devx kept_umem
	kept_cq_exit kept_srq_exit kept_refused limit_others limit_object limit_channel
	limit_context limit_close limit_commands dct_drained"
[ "$PROVIDER" = mlx5_ibx ] || ours=
# shellcheck disable=SC2086
ktap_run ${CASES:-$both $ours}
