#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Firmware commands that the device executes after mlx5_core has given them up: commands that create
# objects, of processes (programs/devx/kept.c) and of the kernel (module ibx_faults), and commands
# that destroy objects of processes. The device then has objects whose numbers the driver does not
# have. The memory of these objects must stay mapped: a process may guess the number, and the device
# then accesses this memory. Also commands that change a QP: the QP must stay in the device, so that
# no other QP gets its number before the command is executed.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/programs.sh
. "$(dirname "$0")/../../runner/lib/programs.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"
# shellcheck source=../faults/sweep.sh
. "$(dirname "$0")/../faults/sweep.sh"

DEVX=$TOP/build/devx/devx
GIVEN_UP=4	# seconds after which mlx5_core checks for a response; it waits 5 more
LATE=12		# seconds after which the device executes a command

reload() {
	local mod

	for mod in ibx_faults ibx_test; do
		! loaded "$mod" || modprobe -r "$mod"
	done
	unload_providers
	modprobe -r mlx5_core
	# objects left by earlier cases were checked already
	clear_violations
	sim_reload "$@"
	ends_up
}

# load [PARAMETER...]: create simulated devices with a command timeout of $GIVEN_UP seconds in their
# init segment and with these parameters, and store the live objects
load() {
	reload "cmd_timeout=$GIVEN_UP" "$@"
	clear_violations
	live_objects > "$WORK/objects"
	"$DEVX" "$IB_A" verbs_objects || fail "see above"
	live_objects > "$WORK/objects"
	no_violations
}

# of_process CASE: run a case of the program devx, after which memory stays mapped. Then a fatal
# error resets the device, and the driver unmaps this memory.
of_process() {
	local mappings

	ends
	clear_violations
	PCI=$(ib_pci "$IB_A")
	mappings=$(dma_mappings "$IB_A")
	LATE=$LATE FAULTS=$SIM_DEBUGFS/$PCI/faults/command timeout 300 "$DEVX" "$IB_A" "$1" ||
		fail "see above"
	no_stray_dma
	want_ge "mappings" "$(dma_mappings "$IB_A")" $((mappings + 1))
	echo clear > "$SIM_DEBUGFS/$PCI/faults/command"
	quick_recovery "$PCI"
	die_of_error "$PCI"
	ends_recovered "$PCI"
	no_stray_dma
	want_eq "mappings" "$(dma_mappings "$IB_A")" "$mappings"
	no_objects_left
}

created_by_process() { of_process late_create; }
destroyed_by_process() { of_process late_destroy; }
load_reuse() { load reuse=1; }
changed_by_process() { of_process late_modify; }
drained_by_process() { of_process late_drain; }

# try_late OPERATION COMMAND: execute an operation of ibx_faults while COMMAND is late; the
# operation must fail with ETIMEDOUT
try_late() {
	remember
	echo "delay $2 1 $((LATE * 1000))" > "$SIM_DEBUGFS/$PCI/faults/command"
	f_try "$1" 0
	want_eq "result of $1" "$RESULT" -110
}

# late_op OPERATION COMMAND "KIND NUMBER" MAPPINGS: execute an operation of ibx_faults while COMMAND
# is late. MAPPINGS DMA mappings stay. When the device executes COMMAND, NUMBER objects of this KIND
# appear.
late_op() {
	local kind=${3% *} count=${3#* }

	try_late "$1" "$2"
	look
	want_eq "$1: mappings" "${now[dma_mappings]}" $((base[dma_mappings] + $4))
	want_eq "$1: objects before the command is executed" "${now[$kind]}" "${base[$kind]}"
	sleep $((LATE - GIVEN_UP - 3))
	look
	want_eq "$1: objects" "${now[$kind]}" $((base[$kind] + count))
	echo clear > "$SIM_DEBUGFS/$PCI/faults/command"
}

# hold_objects: load ibx_faults, with the objects that its operations need
hold_objects() {
	ends
	clear_violations
	PCI=$(ib_pci "$IB_A")
	modprobe ibx_test
	modprobe ibx_faults
	f_do hold "$IB_A"
}

release_objects() {
	no_stray_dma
	f_do release
	no_stray_dma
}

# Case: objects of the kernel, whose memory is never freed
created_by_kernel() {
	hold_objects
	late_op cq CREATE_CQ "cq 1" 1
	late_op qp_rc CREATE_QP "qp 1" 1
	late_op srq CREATE_RMP "srq 1" 1
	# one mapping for each page
	late_op umem CREATE_UMEM "umem 1" 5
	# the DMA MR of a PD; no other PD may get its number
	late_op pd CREATE_MKEY "mkey 1" 0
	want_eq "PDs" "${now[pd]}" $((base[pd] + 1))
	release_objects
}

# changed OPERATION COMMAND: execute an operation of ibx_faults while COMMAND, which changes the QP
# of the operation, is late. The QP must stay in the device.
changed() {
	try_late "$1" "$2"
	grep -q "fired 1 $2" "$SIM_DEBUGFS/$PCI/faults/command" || fail "no command was late"
	echo clear > "$SIM_DEBUGFS/$PCI/faults/command"
	look
	want_eq "$2: QPs" "${now[qp]}" $((base[qp] + 1))
}

changed_by_kernel() {
	hold_objects
	changed qp_rc 2RST_QP
	release_objects
}

as_usual() {
	reload
	"$DEVX" "$IB_A" verbs_objects || fail "see above"
	no_violations
}

# shellcheck disable=SC2086
ktap_run ${CASES:-load created_by_process load destroyed_by_process created_by_kernel
	load_reuse changed_by_process load_reuse drained_by_process changed_by_kernel as_usual}
