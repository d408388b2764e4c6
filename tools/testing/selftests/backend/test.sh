#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Direct verbs on mlx5_ib (mlx5dv_ib): refused calls, QPs with a ring that builders and
# ib_post_send() share, modules that are loaded and unloaded in each order, and devices that are
# removed and return. No case breaks a rule of the device.
set -eu
# OWN_CASES: the patched mlx5_ib has CRCs
# shellcheck disable=SC2034 # for suites.sh
OWN_CASES=${PATCHED:+backend_no_crc}
# shellcheck source=../../runner/lib/suites.sh
. "$(dirname "$0")/../../runner/lib/suites.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$TESTLIB/modules.sh"

# has_companion DEV: does a device have direct verbs? Their directory in debugfs is there.
has_companion() {
	[ -d "/sys/kernel/debug/mlx5/$(ib_pci "$1")/mlx5_ibx" ]
}

has_mkey() {
	grep -q '^mkey' "/sys/kernel/debug/mlx5/$(ib_pci "$IB_A")/mlx5_ibx/mkeys"
}

# write_text FILE TEXT: the command of on_lost_device
write_text() {
	echo "$2" > "$1"
}

both_work() {
	wait_for 20 has_companion "$IB_A" || fail "no direct verbs at end A"
	wait_for 20 has_companion "$IB_B" || fail "no direct verbs at end B"
	ibx_test backend_in_turn
}

# Case: mlx5dv_ib cannot be unloaded while a ULP has an mkey
backend_hold() {
	local holder

	ends
	ibx_test backend_hold &
	holder=$!
	wait_for 20 has_mkey || fail "no mkey"
	! rmmod mlx5dv_ib 2> "$WORK/said" || fail "mlx5dv_ib was unloaded"
	grep -q "in use" "$WORK/said" || fail "$(cat "$WORK/said")"
	wait "$holder"
}

# Case: the devices have direct verbs while mlx5dv_ib is loaded, also after it was unloaded once
loaded_again() {
	ends
	rmmod mlx5dv_ib
	! has_companion "$IB_A" || fail "direct verbs without mlx5dv_ib"
	! (ibx_test backend_destroy) > "$WORK/said" 2>&1 || fail "a QP without mlx5dv_ib"
	grep -q "cannot make a pair: -95" "$WORK/said" || fail "$(cat "$WORK/said")"
	modprobe mlx5dv_ib
	both_work
}

both_refused() {
	[ "$(dmesg | grep -c "no direct verbs: comparing the BTF of mlx5_ib has failed: -8")" = 2 ]
}

# Case: an mlx5dv_ib that was built with another struct mlx5_ib_wq is refused while mlx5_ib is
# loaded. If mlx5_ib is loaded later, the devices have no direct verbs.
other_layout() {
	local changed

	changed=$TOP/build/changed/$(uname -r)/mlx5dv_ib.ko

	dmesg -C
	rmmod mlx5dv_ib
	! insmod "$changed" 2> "$WORK/said" || fail "mlx5dv_ib was loaded"
	grep -q "Invalid module format" "$WORK/said" || fail "$(cat "$WORK/said")"
	prints "in mlx5_ib, fbc of struct mlx5_ib_wq is at bit 0 " dmesg || fail "$(dmesg)"
	modprobe -r mlx5_ib
	insmod "$changed"
	modprobe mlx5_ib
	wait_for 60 two_devices || fail "$(ib_devices | wc -l) devices"
	ends_up
	wait_for 20 both_refused || fail "not refused: $(dmesg)"
	! has_companion "$IB_A" || fail "direct verbs with another struct mlx5_ib_wq"
	rmmod mlx5dv_ib
	modprobe mlx5dv_ib
	both_work
}

# Case: mlx5_ib is unloaded and loaded, with the modules of direct verbs loaded
mlx5_ib_again() {
	modprobe -r mlx5_ib
	modprobe mlx5_ib
	wait_for 60 two_devices || fail "$(ib_devices | wc -l) devices"
	ends_up
	both_work
}

# Case: a device is unbound from mlx5_ib, unplugged, or has a fatal error, and returns
device_again() {
	local way

	ends
	for way in unbound unplugged fatal; do
		say "$way"
		on_lost_device "$way" write_text
		want_eq "status of $way" "$LOST_STATUS" 0
		both_work
	done
}

# is_being_removed DEV: has the core begun to remove a device?
is_being_removed() {
	! rdma dev show "$1" > /dev/null 2>&1
}

# Case: a ULP that is no client of the core destroys its objects after the removal of the device
# began. The objects exist until then.
objects_late() {
	local holder removal adev bus=/sys/bus/auxiliary/drivers/mlx5_ib.rdma

	ends
	adev=$(rdma_adev "$(ib_pci "$IB_A")")
	ibx_test backend_hold &
	holder=$!
	wait_for 20 has_mkey || fail "no mkey"
	write_text "$bus/unbind" "$adev" &
	removal=$!
	wait_for 20 is_being_removed "$IB_A" || fail "the device is not removed"
	# the client of direct verbs is one of the last clients
	sleep 1
	has_mkey || fail "the companion was released before the mkey was destroyed"
	wait "$holder"
	wait "$removal"
	echo "$adev" > "$bus/bind"
	wait_for 60 two_devices || fail "$(ib_devices | wc -l) devices"
	ends_up
	both_work
}

# Case: the device fails a UMR with MLX5_CQE_SYNDROME_MW_BIND_ERR
backend_part_fails() {
	local faults

	ends
	faults=$SIM_DEBUGFS/$(ib_pci "$IB_A")/faults/umr
	echo "fail 1 6" > "$faults"
	ibx_test backend_part_fails
	prints "fired 1" cat "$faults" || fail "no UMR has failed"
}

two_errors() {
	[ "$(dmesg | grep -c "Got SIGERR on key")" = 2 ]
}

# leave_mkey FILE TEXT: the command of on_lost_device. The mkey of backend_sig_left, which the
# device has refused to destroy, reports an error. mlx5dv_ib cannot be unloaded. Then the device is
# lost.
leave_mkey() {
	local holder

	refusing "$IB_A" DESTROY_MKEY 1 backend_sig_left &
	holder=$!
	wait_for 20 two_errors || fail "the device has not reported the second error"
	! rmmod mlx5dv_ib || fail "mlx5dv_ib was unloaded"
	no_violations
	echo "$2" > "$1"
	wait "$holder"
}

# Case: the device refuses to destroy an mkey with signatures. mlx5dv_ib keeps the storage of its
# errors until the device is lost. The objects of backend_sig_left, which the mkey uses, exist
# longer: DEALLOC_PD would fail, and the core would warn.
backend_sig_left() {
	ends
	dmesg -C
	on_lost_device unplugged leave_mkey
	cat "$WORK/said"
	want_eq "status" "$LOST_STATUS" 0
	both_work
}

open_suites
# the debug kernel has no BTF, with which mlx5dv_ib compares
layout_cases=
[ ! -e /sys/kernel/btf/vmlinux ] || layout_cases=other_layout
# shellcheck disable=SC2086
ktap_run load_suites $pair_cases loaded_again $layout_cases mlx5_ib_again device_again \
	objects_late no_violations unload_suites
