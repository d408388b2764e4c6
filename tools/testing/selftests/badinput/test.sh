#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Invalid input. mlx5sim: parameters, address and size of its memory; each refusal prints one line
# that says what must be changed. The provider: verbs with values out of range, chains that must
# stop at the first bad work request, full queues and wrong states (module ibx_test, badinput.c).
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"
# shellcheck source=../../runner/lib/ibx_test.sh
. "$(dirname "$0")/../../runner/lib/ibx_test.sh"

sim_unload() {
	unload_all
}

# sim_refuses PATTERN PARAMETER...: loading mlx5sim fails, and prints one line that matches PATTERN
sim_refuses() {
	local pattern=$1 lines

	shift
	dmesg -C
	# -C: without the default parameters of the VM
	mkdir -p "$WORK/empty"
	expect_fail modprobe -C "$WORK/empty" mlx5sim "$@"
	[ ! -d /sys/module/mlx5sim ] || fail "loaded with $*"
	dmesg | grep mlx5sim | grep -v 'tainting\|verification\|out-of-tree' > "$WORK/said" || true
	lines=$(wc -l < "$WORK/said")
	cat "$WORK/said"
	want_eq "lines said about $*" "$lines" 1
	grep -q "$pattern" "$WORK/said" || fail "the line does not say $pattern"
}

sim_without_memory() {
	sim_refuses 'memmap=.*0x'
}

# Memory that the kernel uses.
sim_in_ram() {
	sim_refuses 'memmap=' base=0x2000000 size=0x4000000
}

sim_too_small() {
	sim_refuses 'memmap=' base="$VM_BASE" size=0x1000000 devices=2
}

sim_misaligned() {
	sim_refuses 'memmap=' base=$((VM_BASE + 4096)) size=$((VM_SIZE - 0x1000000)) devices=1
}

sim_wraps_around() {
	sim_refuses 'memmap=' base=0xffffffffff000000 size=0x2000000 devices=2
}

sim_no_devices() {
	sim_refuses 'devices' base="$VM_BASE" size="$VM_SIZE" devices=0
}

sim_too_many_devices() {
	sim_refuses 'devices' base="$VM_BASE" size="$VM_SIZE" devices=9
}

sim_unknown_model() {
	sim_refuses 'model' base="$VM_BASE" size="$VM_SIZE" model=cx9000
}

sim_load_again() {
	vm_load mlx5sim
	vm_load mlx5_core
	vm_load provider
	ends_up
}

# mlx5_ib checks neither the state of a QP when it posts, nor the size of a new fast-registration
# MR, nor the attributes of a path. rxe does not check P_Key indices either. The cases that test
# these checks run on mlx5_ibx only.
common="bad_qp small_mr gap_in_list full_send_queue full_recv_queue too_many_sges
	reset_and_again"
stock="bad_modify"
ours="bad_modify bad_creations bad_cq bad_cq_vector bad_mr unknown_opcode post_in_reset
	ranges_of_attributes ranges_of_paths"
sim="sim_unload sim_without_memory sim_in_ram sim_too_small sim_misaligned sim_wraps_around
	sim_no_devices sim_too_many_devices sim_unknown_model sim_load_again"

case $PROVIDER in
mlx5_ibx) verbs="$common $ours" ;;
mlx5_ib) verbs="$common $stock" ;;
*) verbs=$common sim= ;;
esac
# omitted on the debug kernel: each case loads the module to check one parameter, which takes 12 s
[ "$SLOWER" -eq 1 ] || sim=

# shellcheck disable=SC2086
on_pair $verbs
# shellcheck disable=SC2086
ktap_run load_ibx_test $pair_cases no_violations unload_ibx_test $sim
