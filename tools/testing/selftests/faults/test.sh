#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Every firmware command of the provider fails once, and on a kernel with fault injection every
# allocation, in these operations: creating, changing and destroying each kind of object, and
# binding to a function and unbinding from it. sweep.sh has the conditions after each try.
# Afterwards the two devices still move data, and a reset of the device frees the objects that it
# did not destroy.
#
# The test also runs on stock mlx5_ib, which checks the test, and the direct verbs of mlx5dv_ib.
# There, binding and commands that destroy objects do not fail: mlx5_ib would leak, and the RDMA
# core would warn.
#
# FULL=1 also runs commands_of_unbind, and makes every allocation fail instead of a sample. To
# examine a failure, select cases and operations by CASES and OPS, such as
# CASES=commands_of_operations OPS="pd qp_rc".
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/ibx_test.sh
. "$(dirname "$0")/../../runner/lib/ibx_test.sh"
# shellcheck source=../../runner/lib/mlx5dv_test.sh
. "$(dirname "$0")/../../runner/lib/mlx5dv_test.sh"
# shellcheck source=sweep.sh
. "$(dirname "$0")/sweep.sh"

SPARE_IP=192.168.99.1

load_modules() {
	load_ibx_test
	load_backend
	modprobe ibx_faults
	! can_fail_allocations || prepare_allocations
	ib_pci "$IB_A" > "$WORK/pci"
	: > "$WORK/commands"
	: > "$WORK/allocations"
	echo 0 > "$WORK/left"
}

unload_modules() {
	# rmmod, because modprobe -r would also unload mlx5_ibx
	rmmod ibx_faults
	unload_backend
	modprobe -r ibx_test
}

device() {
	ends
	PCI=$(cat "$WORK/pci")
}

operations() {
	cases_in ibx_faults operations
}

# release: destroy the objects that the operations use. The device refuses to destroy objects in use
# by a QP that it did not destroy.
release() {
	clear_violations
	remember
	f_do release
	allow_reported
	FIRED=''
	refusals "release"
	echo "0 $reported" >> "$WORK/$1"
}

# reset: unbind mlx5_core from the function, and bind it again. This reset frees exactly the objects
# that were reported as remaining. EQs and UARs belong to mlx5_core. If remaining objects use EQs or
# UARs, mlx5_core cannot destroy these and reports them; the reset frees them, too.
reset() {
	local name left core leaks=0

	left=$(cat "$WORK/left")
	clear_violations
	dmesg -C
	echo "$PCI" > /sys/bus/pci/drivers/mlx5_core/unbind
	core=$(dmesg | grep -cE "failed to (destroy a previously created eq|free uar index)") || :
	want_eq "leaked objects" "$(sim_violation_class obj_leak)" $((left + core))
	want_eq "violations of class cmd_in_use" "$(sim_violation_class cmd_in_use)" "$core"
	want_eq "violations" "$(sim_violations)" $((left + 2 * core))
	look
	for name in "${!now[@]}"; do
		[ "${now[$name]}" = 0 ] || say "$name ${now[$name]} after the reset"
		leaks=$((leaks + now[$name]))
	done
	want_eq "objects and mappings after a reset" "$leaks" 0
	echo "$leaks" > "$WORK/leaks"
	clear_violations
	echo 0 > "$WORK/left"
	echo "$PCI" > /sys/bus/pci/drivers/mlx5_core/bind
}

# still_works: move data between the two devices
still_works() {
	ibx_test key_opens
}

# ---- one operation, one fault ----

# command_in_op NTH: a command fails in the operation, or in the destruction of its objects
command_in_op() {
	arm any "$1"
	f_try "$op" 0
	disarm
}

# command_in_making NTH: a command fails in the operation only
command_in_making() {
	arm any "$1"
	f_try keep "$op" 0
	disarm
	[ "$RESULT" != 0 ] || f_do drop 0
}

allocation_in_op() {
	f_try "$op" "$1"
}

# every N: print the step of sweep_allocations: 1 with FULL=1, else N
every() {
	echo "${FULL:-$1}"
}

bind() {
	f_do bind "$PCI" "$PROVIDER.rdma" 0
	wait_for 30 gid_of_ip "$IB_A" "$IP_A" || fail "no GID after binding"
}

# after_binding: unbind after a successful bind; RESULT does not change
after_binding() {
	local result=$RESULT

	[ "$RESULT" != 0 ] || f_do unbind "$PCI" 0
	RESULT=$result
}

command_in_bind() {
	arm any "$1"
	f_try bind "$PCI" "$PROVIDER.rdma" 0
	disarm
	after_binding
}

allocation_in_bind() {
	local left

	f_try bind "$PCI" "$PROVIDER.rdma" "$1"
	left=$LEFT
	after_binding
	LEFT=$left
}

command_in_unbind() {
	bind
	arm any "$1"
	f_try unbind "$PCI" 0
	disarm
}

allocation_in_unbind() {
	bind
	f_try unbind "$PCI" "$1"
}

# ---- cases ----

# is_there: execute the operation without a fault, because mlx5_core keeps some resources of the
# first object of a kind. Fails if the device does not support the operation.
is_there() {
	f_try "$op" 0
	case $RESULT in
	0) ;;
	-95)
		[ "$PROVIDER" != mlx5_ibx ] || fail "$op: ${LOG[*]}"
		case $op in
		mkey | sig_mkey | mkey_pool | layout | builders | umem) fail "$op: ${LOG[*]}" ;;
		esac
		say "$op: not there"
		return 1
		;;
	*) fail "$op: ${LOG[*]}" ;;
	esac
}

commands_of_operations() {
	local try=command_in_op

	# 2RST_QP: a QP that cannot be reset can be destroyed; DRAIN_DCT: a DCT is drained twice
	[ "$PROVIDER" = mlx5_ibx ] || try=command_in_making
	device
	f_do hold "$IB_A"
	for op in ${OPS:-$(operations)}; do
		is_there || continue
		sweep_commands "$op" "$try" 2RST_QP DRAIN_DCT
		still_works
	done
	release commands
}

# kept_qp: set qpn to the number of the QP that "f_do keep" has created
kept_qp() {
	local qps

	qps=$(rdma resource show qp link "$IB_A/1" | grep -F 'comm [ibx_faults]')
	[[ $qps =~ \ lqpn\ ([0-9]+)\  ]] || fail "no QP of ibx_faults"
	qpn=${BASH_REMATCH[1]}
}

# find_counter: set cntn to the number of the only counter
find_counter() {
	[[ $(rdma statistic qp show link "$IB_A/1") =~ \ cntn\ ([0-9]+)\  ]] &&
		cntn=${BASH_REMATCH[1]}
}

# statistic bind|unbind ARGUMENTS...: run rdma(8); sets RESULT if it fails because of the device.
# When the core binds a counter, it replaces each errno by ENOMEM.
statistic() {
	local said

	said=$(rdma statistic qp "$1" link "$IB_A/1" "${@:2}" 2>&1) && return
	case $1:$said in
	bind:*"Cannot allocate memory"* | unbind:*"Input/output error"*) RESULT=-5 ;;
	*) fail "rdma statistic qp $*: $said" ;;
	esac
	return 1
}

# command_in_statistic NTH: a command fails while a counter is bound to a QP, and unbound. rdma(8)
# does not show a counter if its query fails.
command_in_statistic() {
	RESULT=0
	arm any "$1"
	if statistic bind lqpn "$qpn"; then
		find_counter || find_counter || fail "there is no counter"
		statistic unbind cntn "$cntn" lqpn "$qpn" ||
			rdma statistic qp unbind link "$IB_A/1" cntn "$cntn" lqpn "$qpn"
	fi
	disarm
}

commands_of_statistic() {
	device
	f_do hold "$IB_A"
	f_do keep qp_rc 0
	kept_qp
	sweep_commands statistic command_in_statistic QUERY_Q_COUNTER
	want_ge "commands that failed" "$(tail -n 1 "$WORK/commands" | cut -d" " -f 1)" 5
	f_do drop 0
	still_works
	release commands
}

commands_of_bind() {
	device
	f_do unbind "$PCI" 0
	# work items of the core create the QP for MADs, set addresses and query the port; they
	# tolerate failures
	sweep_commands bind command_in_bind ALLOC_PD CREATE_CQ CREATE_MKEY CREATE_QP RST2INIT_QP \
		INIT2RTR_QP RTR2RTS_QP SET_ROCE_ADDRESS ACCESS_REG QUERY_NIC_VPORT_CONTEXT
	bind
	still_works
}

reset_unbound() {
	reset
	f_do unbind "$PCI" 0
	remember
}

commands_of_unbind() {
	device
	f_do unbind "$PCI" 0
	reset_when_left=reset_unbound
	sweep_commands unbind command_in_unbind 2RST_QP SET_ROCE_ADDRESS MODIFY_NIC_VPORT_CONTEXT
	bind
	still_works
}

# gids N: has the GID table N entries of the spare address? A worker of the core changes the table.
gids() {
	local n hex=ffff:c0a8:6301

	n=$(cat "/sys/class/infiniband/$IB_A/ports/1/gids/"* 2> /dev/null | grep -c "$hex") || :
	[ "$n" = "$1" ]
}

commands_of_gids() {
	local nth expected

	device
	for nth in 1 2 3 4 5; do
		dmesg -C
		arm SET_ROCE_ADDRESS "$nth"
		expected=$((nth > 2 ? 2 : 1))
		ip addr add "$SPARE_IP/32" dev "$NET_A"
		wait_for 30 gids "$expected" || fail "not $expected GIDs with command $nth failing"
		ip addr del "$SPARE_IP/32" dev "$NET_A"
		wait_for 30 gids 0 || fail "GIDs left with command $nth failing"
		disarm
		[ -n "$FIRED" ] || break
		[ "$PROVIDER" = mlx5_ibx ] || continue
		want_eq "reports with command $nth failing" \
			"$(dmesg | grep -c "GID 0x.* stays in the device")" $((nth > 2 ? 1 : 0))
	done
	want_eq "commands that failed" $((nth - 1)) 4
	echo "4 0" >> "$WORK/commands"
	still_works
	no_violations
}

# Case: each status of a command becomes the errno of cmd.h
statuses() {
	local status errno

	device
	f_do hold "$IB_A"
	while read -r status errno; do
		arm ALLOC_PD 1 "$status"
		f_try pd 0
		disarm
		want_eq "result of $status" "$RESULT" "-$errno"
	done <<- END
		INT_ERR 5
		BAD_OP 22
		BAD_PARAM 22
		BAD_SYS_STATE 5
		BAD_RES 22
		RES_BUSY 16
		NOT_READY 11
		LIM_ERR 12
		BAD_RES_STATE 22
		IX_ERR 22
		NO_RES_ERR 11
		BAD_INP_LEN 5
		BAD_OUTP_LEN 5
		BAD_QP_STATE 22
		BAD_PKT 22
		BAD_SIZE_OUTS_CQES 22
	END
	f_do release
}

allocations_of_operations() {
	device
	anywhere
	f_do hold "$IB_A"
	for op in ${OPS:-$(operations)}; do
		is_there || continue
		sweep_allocations "$op" allocation_in_op "$(every 3)"
		still_works
	done
	release allocations
}

# fragmented ORDER: fragment the memory, so that queues of 2^ORDER pages or more consist of single
# pages; 0 undoes it
fragmented() {
	# free the page cache first: its pages can be moved, and could become large free blocks
	echo 3 > /proc/sys/vm/drop_caches
	echo "$1" > "$IBX_TEST/fragment"
}

# made_of_pages OP: check that the queues of an object consist of single pages: they have several
# DMA mappings. Freed memory may have formed larger blocks: the function retries with fragmented
# memory.
made_of_pages() {
	local try mappings

	for try in 1 2 3; do
		look
		base[dma_mappings]=${now[dma_mappings]}
		f_do keep "$1" 0
		look
		f_do drop 0
		mappings=$((now[dma_mappings] - base[dma_mappings]))
		[ "$mappings" -lt 16 ] || return 0
		say "$1 took $mappings DMA mappings, fragment memory again (try $try)"
		fragmented 0
		fragmented 4
	done
	fail "$1 took $mappings DMA mappings, expected at least 16"
}

allocations_of_large_queues() {
	device
	anywhere
	f_do hold "$IB_A"
	fragmented 4
	for op in ${OPS:-large_cq large_resize_cq large_qp large_srq}; do
		is_there || continue
		made_of_pages "$op"
		sweep_allocations "$op" allocation_in_op "$(every 3)"
		still_works
	done
	fragmented 0
	release allocations
}

allocations_of_bind() {
	device
	near_driver 12
	f_do unbind "$PCI" 0
	sweep_allocations bind allocation_in_bind "$(every 10)"
	bind
	still_works
}

allocations_of_unbind() {
	device
	near_driver 12
	f_do unbind "$PCI" 0
	reset_when_left=reset_unbound
	sweep_allocations unbind allocation_in_unbind "$(every 3)"
	bind
	still_works
}

reset_frees_the_rest() {
	device
	say "$(cat "$WORK/left") objects are left"
	reset
	ends_up
	still_works
}

refuse() {
	local op

	echo clear > "$SIM_DEBUGFS/$PCI/faults/command"
	for op in "$@"; do
		echo "fail $op 1 INT_ERR" > "$SIM_DEBUGFS/$PCI/faults/command"
	done
}

# keeps_rings OP COMMAND...: destroy a QP while the device refuses these commands; its rings stay
# mapped
keeps_rings() {
	local mappings

	f_do keep "$1" 0
	look
	mappings=${now[dma_mappings]}
	refuse "${@:2}"
	f_do drop 0
	want_eq "reports of leaked rings" "$(dmesg | grep -c "may still run: its rings are")" 1
	look
	want_eq "DMA mappings" "${now[dma_mappings]}" "$mappings"
	allow_reported
	want_eq "QPs reported" "$reported" 1
	want_eq "QPs" "${now[qp]}" "${base[qp]}"
}

# Case: the device refuses to destroy a QP. A QP that was reset needs no memory. A QP that cannot be
# reset keeps its rings, because it may be flushing; its CQ keeps its ring, too.
qp_that_will_not_stop() {
	local mappings

	device
	f_do hold "$IB_A"
	f_do keep qp_rc 0
	f_do drop 0
	remember

	f_do keep qp_rc 0
	refuse DESTROY_QP
	f_do drop 0
	same "after a QP that stays, reset"
	want_eq "QPs reported" "$reported" 1

	keeps_rings qp_rc 2RST_QP DESTROY_QP
	keeps_rings qp_rc 2RST_QP 2ERR_QP DESTROY_QP
	fragmented 4
	keeps_rings large_qp 2RST_QP DESTROY_QP
	fragmented 0
	look
	mappings=${now[dma_mappings]}

	clear_violations
	f_do release
	allow_reported
	want_eq "CQ and PD reported" "$reported" 2
	look
	# minus 1: the buffer of the operations was unmapped
	want_ge "DMA mappings" "${now[dma_mappings]}" $((mappings - 1))
	want_eq "violations of class cmd_in_use" "$(sim_violation_class cmd_in_use)" 2
	want_eq "violations" "$(sim_violations)" 2
	clear_violations
}

sum() {
	local what

	for what in commands allocations; do
		say "$what: $(awk '{ n += $1; left += $2 }
			END { print n + 0, "failed,", left + 0, "objects reported as left" }' \
			"$WORK/$what")"
	done
	say "leaks: $(cat "$WORK/leaks")"
}

# commands_of_bind is for mlx5_ibx: mlx5_ib does not return the errno of a command when it binds.
# commands_of_unbind, with its resets, takes long: with FULL=1 only.
cases="commands_of_operations commands_of_gids statuses"
last=
if [ "$PROVIDER" = mlx5_ibx ]; then
	cases="$cases commands_of_statistic commands_of_bind"
	last=qp_that_will_not_stop
	[ -z "${FULL:-}" ] || cases="$cases commands_of_unbind"
	if can_fail_allocations; then
		cases="$cases allocations_of_operations allocations_of_large_queues"
		cases="$cases allocations_of_bind allocations_of_unbind"
	fi
fi
# shellcheck disable=SC2086
ktap_run load_modules ${CASES:-$cases} reset_frees_the_rest $last sum unload_modules no_violations
