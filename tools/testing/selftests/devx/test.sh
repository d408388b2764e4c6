#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Firmware commands of processes (DEVX): the program tools/testing/devx on Debian's unmodified
# libmlx5, on the stock driver and on mlx5_ibx. Each case is one of the program. A command that the
# device refuses breaks a rule of the device, and is counted; others break none.
set -eu
# shellcheck source=../../lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
# shellcheck source=../../lib/programs.sh
. "$(dirname "$0")/../../lib/programs.sh"

DEVX=$TOP/build/devx/devx

# run_devx CASE: what it prints is in $WORK/said
run_devx() {
	ends
	clear_violations
	timeout "$LIMIT" "$DEVX" "$IB_A" "$1" > "$WORK/said" 2> "$WORK/faults" || {
		cat "$WORK/said" "$WORK/faults"
		cat "$SIM_DEBUGFS/"*:*/violations
		fail "see above"
	}
}

# good CASE: no rule is broken, and nothing is left
good() {
	run_devx "$1"
	no_violations
	no_objects_left
}

# bad CASE: what the device refuses is counted, nothing is left
bad() {
	run_devx "$1"
	no_objects_left
}

first_user() {
	ends_up
	clear_violations
	live_objects > "$WORK/objects"
	# on mlx5_ib, what is kept for all processes is created with the first QP and MR
	"$DEVX" "$IB_A" verbs_objects || fail "see above"
	"$DEVX" "$IB_A" mkeys || fail "see above"
	live_objects > "$WORK/objects"
	no_violations
}

general() { good general; }
plain_objects() { good plain_objects; }
mkeys() { good mkeys; }
umems() { good umems; }
move_data() { good move_data; }
verbs_objects() { good verbs_objects; }
leave_all() { good leave_all; }

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

# every number of one context is refused to the other, by its uid
isolation() {
	bad isolation
	want_ge "refused commands" "$(grep -c ^refused "$WORK/said")" 28
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
not_there() { good not_there; }

# the process leaves a UMEM, a CQ and a PD that it could not destroy
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
all_memory() { bad all_memory; }

# the device fails a command, and the process gets its status and syndrome
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

both="first_user general plain_objects mkeys umems move_data verbs_objects leave_all killed
	isolation not_listed lengths in_use verbs_in_use bad_umems all_memory failing"
# mlx5_ib writes beyond the end of short commands, and has what is not there
ours="short_commands not_there"
[ "$PROVIDER" = mlx5_ibx ] || ours=
# shellcheck disable=SC2086
ktap_run ${CASES:-$both $ours}
