#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Every firmware command of the provider fails once, and on a kernel with fault injection every
# allocation: making, changing and destroying each kind of object, binding to a function and
# unbinding from it. sweep.sh lists the conditions after each try. Then the two devices still move
# data, and a reset of the device frees the objects that it did not destroy.
#
# Stock mlx5_ib is the referee for everything but binding and commands that destroy: there it
# leaks, and the RDMA core warns.
#
# FULL=1 runs commands_of_unbind too, and makes every allocation fail, not a sample. To examine a
# failure, select cases and operations by CASES and OPS, such as CASES=commands_of_operations
# OPS="pd qp_rc".
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/ibx_test.sh
. "$(dirname "$0")/../../runner/lib/ibx_test.sh"
# shellcheck source=sweep.sh
. "$(dirname "$0")/sweep.sh"

SPARE_IP=192.168.99.1

load_modules() {
	load_ibx_test
	modprobe ibx_faults
	! can_fail_allocations || prepare_allocations
	ib_pci "$IB_A" > "$WORK/pci"
	: > "$WORK/commands"
	: > "$WORK/allocations"
	echo 0 > "$WORK/left"
}

unload_modules() {
	modprobe -r ibx_faults
	modprobe -r ibx_test
}

device() {
	ends
	PCI=$(cat "$WORK/pci")
}

operations() {
	cases_in ibx_faults operations
}

# release: the objects of the operations. The device refuses to destroy objects that are in use by a
# QP that it did not destroy.
release() {
	clear_violations
	remember
	f_do release
	allow_reported
	FIRED=''
	refusals "release"
	echo "0 $reported" >> "$WORK/$1"
}

# reset: mlx5_core is unbound from the function, which frees exactly the objects reported as
# remaining, and is bound again. Event queues and doorbell pages are mlx5_core's: it cannot destroy
# objects in use by remaining ones and reports them; the reset frees them, too.
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

# still_works: data between the two devices
still_works() {
	ibx_test key_opens
}

# ---- one operation, one fault ----

# The operation, and the destruction of its objects
command_in_op() {
	arm any "$1"
	f_try "$op" 0
	disarm
}

# The operation only
command_in_making() {
	arm any "$1"
	f_try keep "$op" 0
	disarm
	[ "$RESULT" != 0 ] || f_do drop 0
}

allocation_in_op() {
	f_try "$op" "$1"
}

# every N: with FULL=1 each allocation fails, else each Nth
every() {
	echo "${FULL:-$1}"
}

bind() {
	f_do bind "$PCI" "$PROVIDER.rdma" 0
	wait_for 30 gid_of_ip "$IB_A" "$IP_A" || fail "no GID after binding"
}

# after_binding: undo it if it succeeded, and leave RESULT as it was
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

# Once without a fault: mlx5_core keeps some resources of the first object of a kind.
is_there() {
	f_try "$op" 0
	case $RESULT in
	0) ;;
	-95)
		[ "$PROVIDER" != mlx5_ibx ] || fail "$op: ${LOG[*]}"
		say "$op: not there"
		return 1
		;;
	*) fail "$op: ${LOG[*]}" ;;
	esac
}

commands_of_operations() {
	local try=command_in_op

	# a QP that cannot be reset can be destroyed, and is drained twice
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

# kept_qp: sets qpn to the number of the QP that is kept
kept_qp() {
	local qps

	qps=$(rdma resource show qp link "$IB_A/1" | grep -F 'comm [ibx_faults]')
	[[ $qps =~ \ lqpn\ ([0-9]+)\  ]] || fail "no QP of ibx_faults"
	qpn=${BASH_REMATCH[1]}
}

# find_counter: sets cntn to the number of the only counter
find_counter() {
	[[ $(rdma statistic qp show link "$IB_A/1") =~ \ cntn\ ([0-9]+)\  ]] &&
		cntn=${BASH_REMATCH[1]}
}

# statistic bind|unbind ARGUMENTS...: sets RESULT if the device is why it fails. The core makes
# one errno of all when it binds.
statistic() {
	local said

	said=$(rdma statistic qp "$1" link "$IB_A/1" "${@:2}" 2>&1) && return
	case $1:$said in
	bind:*"Cannot allocate memory"* | unbind:*"Input/output error"*) RESULT=-5 ;;
	*) fail "rdma statistic qp $*: $said" ;;
	esac
	return 1
}

# A counter is bound to a QP, and unbound. A counter without a response of the device is not shown.
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
	# work items of the core query the QP of MADs, addresses and the port, and tolerate failures
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

# Entries of the address table, which the core fills and clears in a worker
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

# The errno of each status, as in cmd.h
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

# fragmented ORDER: memory, so that queues of 2^ORDER pages and more consist of pages; 0 undoes it
fragmented() {
	# pages of the cache can be moved, so their blocks can become free blocks
	echo 3 > /proc/sys/vm/drop_caches
	echo "$1" > "$IBX_TEST/fragment"
}

# made_of_pages OP: one allocation would be one mapping. Memory that came back in the meantime may
# have made larger blocks, so it is fragmented again before it counts as a failure.
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

# keeps_rings OP COMMAND...: a QP is destroyed while the device refuses these
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

# A QP that was reset needs no memory, though the device keeps it. A QP that cannot be reset keeps
# its rings, because it may be flushing, and its CQ keeps its ring.
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
	# one mapping was the buffer of the operations
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

# mlx5_ib does not hand on the errno of a command when it binds. Unbinding, with its resets, takes
# its time: with FULL=1 only.
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
