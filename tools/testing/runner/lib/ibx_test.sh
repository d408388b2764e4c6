# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Cases of the kernel module ibx_test as cases of a shell test. Source lib.sh first. on_pair defines
# a function with the name of each case.

IBX_TEST=/sys/kernel/debug/ibx_test

# suite NAME...: print the names of the cases in these suites, for ktap_run. The module of the
# suites must be loaded.
suite() {
	if resizes_cqs; then
		cases_in ibx_test "$@"
	else
		echo "# left out: resizing CQs, which this kernel does for processes only" >&2
		cases_in ibx_test "$@" | grep -v resize || true
	fi
}

# resizes_cqs: can ibx_test resize CQs? Newer kernels have no ib_resize_cq(): on these kernels,
# ibx_test can resize only CQs of mlx5_ibx (modules/compat.h)
resizes_cqs() {
	[ "$PROVIDER" = mlx5_ibx ] || grep -qw ib_resize_cq /proc/kallsyms
}

start_ibx_test() {
	ends_up
	clear_violations
	modprobe ibx_test
}

load_ibx_test() {
	start_ibx_test
	save_objects
}

unload_ibx_test() {
	no_objects_left
	modprobe -r ibx_test
}

# ibx_test CASE: run a case of the module between the two ends
ibx_test() {
	echo "$1 $IB_A $IB_B" 2> /dev/null > "$IBX_TEST/run" || {
		cat "$IBX_TEST/log"
		fail "$1"
	}
}

# on_pair CASE...: sets pair_cases, and defines a function for each case without a function
on_pair() {
	local name

	[ $# -gt 0 ] || fail "no cases"
	# shellcheck disable=SC2034
	pair_cases=$*
	for name in "$@"; do
		declare -F "$name" > /dev/null || eval "$name() { ends; ibx_test $name; }"
	done
}

# in_rts N: does ibx_test have N QPs in RTS at end A?
in_rts() {
	[ "$(rdma resource show qp link "$IB_A/1" |
		grep -c 'state RTS .*comm \[ibx_test\]')" = "$1" ]
}

# failing HOW DEV COMMAND NTH CASE: run a case in which the NTH COMMAND of the device fails. HOW is
# a word of faults/command: fail or lie
failing() {
	local faults

	faults=$SIM_DEBUGFS/$(ib_pci "$2")/faults/command
	echo clear > "$faults"
	echo "$1 $3 $4 INT_ERR" > "$faults"
	# shellcheck disable=SC2064
	trap "echo clear > '$faults'" EXIT
	ibx_test "$5"
	grep -q " fired 1 $3" "$faults" || fail "no command failed: $(cat "$faults")"
}

# refusing DEV COMMAND NTH CASE: run a case in which the device does not execute the NTH COMMAND
refusing() {
	failing fail "$@"
}

# lying DEV COMMAND NTH CASE: run a case in which the device executes the NTH COMMAND, but returns
# an error
lying() {
	failing lie "$@"
}

# own_fault CASE CLASS: run a case in which the driver breaks a rule of the device; the device must
# count one violation, of this class
own_fault() {
	ends
	clear_violations
	ibx_test "$1"
	on_sim || return 0
	want_eq "violations" "$(sim_violations)" 1
	want_eq "$2 violations" "$(sim_violation_class "$2")" 1
	clear_violations
}

# Print the numbers of live objects of the simulated devices. EQs are omitted: mlx5_core creates an
# EQ when its vector is first used, and keeps it.
live_objects() {
	grep -H . "$SIM_DEBUGFS/"*:*/objects | grep -v ':eq '
}

# Case: run a first case, in which the provider creates its shared objects, and store the numbers of
# live objects.
save_objects() {
	ibx_test key_opens
	! on_sim || live_objects > "$WORK/objects"
}

# Case: the devices have the objects that save_objects has stored.
no_objects_left() {
	on_sim || return 0
	live_objects | diff "$WORK/objects" - || fail "objects are left"
}
