# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Common functions of the selftests. Source this file from a bash script that runs as root inside
# the VM. The file only sets variables and defines functions.
#
# A test is a list of cases given to ktap_run. A case is a function; it runs in a separate subshell
# under "set -eu -o pipefail". The first failing command fails the case, also in $(...). The
# variables of a case end with the case: it leaves data to later cases in the kernel or in files in
# $WORK. The output of a case becomes KTAP diagnostics.
#
# $PROVIDER is the driver under test: mlx5_ibx (default), mlx5_ib, rdma_rxe or siw. rdma_rxe and siw
# need no simulator: a run on these drivers checks the test itself.
#
# Counters are files of the simulator in debugfs. A function that reads a counter fails if the
# counter does not exist; it does not print 0.
#
# Code that runs in every case starts no programs. On the emulated debug kernel, the start of a
# program takes up to half a second.

PROVIDER=${PROVIDER:-mlx5_ibx}
SIM_DEBUGFS=/sys/kernel/debug/mlx5sim
TRACEFS=/sys/kernel/tracing
TESTLIB=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
TOP=$(cd "$TESTLIB/../../../.." && pwd)
# shellcheck source=../vm/guest/two_ends.sh
. "$TOP/tools/testing/runner/vm/guest/two_ends.sh"
# vm_load and the configuration of this VM
# shellcheck source=../vm/guest/lib.sh
. "$TOP/tools/testing/runner/vm/guest/lib.sh"
KTAP_SKIP=4
KTAP_HUNG=5		# exit status of a case that hangs, and then of its test (AGAIN in config)
KTAP_SLOW=10		# the duration of a case is printed if it is at least this many seconds
SLOWER=$([ -e /sys/kernel/debug/kmemleak ] && echo 4 || echo 1)	# factor of the debug kernel
PATIENCE=6		# a command that takes this many times its usual time is judged to hang
export SLOWER PATIENCE	# for wait_for in the shells of cases that export functions
IP_A=${IP_A:-192.168.77.1}
IP_B=${IP_B:-192.168.77.2}

# ---- KTAP ------------------------------------------------------------------

say() {
	printf '%s\n' "$*"
}

# fail TEXT...: end the case, which has failed. TEXT has the found and the expected values.
fail() {
	say "FAILED: $*" >&2
	exit 1
}

skip() {
	say "SKIP: $*" >&2
	exit "$KTAP_SKIP"
}

# want_eq WHAT FOUND EXPECTED: fail unless the strings FOUND and EXPECTED are equal
want_eq() {
	[ "$2" = "$3" ] || fail "$1 is $2, expected $3"
}

# want_ge WHAT FOUND AT_LEAST: fail if the number FOUND is less than AT_LEAST
want_ge() {
	[ "$2" -ge "$3" ] || fail "$1 is $2, expected at least $3"
}

# expect_fail COMMAND...: the command must not succeed
expect_fail() {
	if "$@" > "$WORK/expect_fail" 2>&1; then
		fail "should have failed: $*"
	fi
}

# diagnostics: converts input lines to KTAP diagnostics
diagnostics() {
	local line

	while IFS= read -r line || [ -n "$line" ]; do
		printf '# %s\n' "$line"
	done
}

# known_hang CASE: does the case hang because of a known fault of the kernel? Tests may redefine it.
known_hang() {
	false
}

# ktap_run CASE...: run the cases and print KTAP. The exit status is 1 if a case failed, 4 if all
# cases were skipped, otherwise 0. After a case that exits with $KTAP_HUNG the VM cannot be used:
# the test exits with $KTAP_HUNG, and selftest.py runs the test in another VM, from case $KTAP_FIRST
# on.
ktap_run() {
	local nr=0 failed=0 skipped=0 rc case began

	# a test script that a case runs must not get KTAP_FIRST
	local first=${KTAP_FIRST:-1}

	unset KTAP_FIRST
	WORK=$(mktemp -d)
	export WORK
	if [ "$first" = 1 ]; then
		say "KTAP version 1"
		say "1..$#"
	fi
	for case in "$@"; do
		nr=$((nr + 1))
		[ "$nr" -ge "$first" ] || continue
		began=$SECONDS
		set +e
		(
			shopt -s inherit_errexit
			set -eu -o pipefail
			"$case"
		) 2>&1 < /dev/null | diagnostics
		rc=${PIPESTATUS[0]}
		set -e
		[ $((SECONDS - began)) -lt "$KTAP_SLOW" ] ||
			say "# $case took $((SECONDS - began)) seconds"
		case $rc in
		0)
			say "ok $nr $case"
			;;
		"$KTAP_SKIP")
			say "ok $nr $case # SKIP"
			skipped=$((skipped + 1))
			;;
		"$KTAP_HUNG")
			if known_hang "$case"; then
				say "ok $nr $case"
			else
				say "not ok $nr $case"
			fi
			exit "$KTAP_HUNG"
			;;
		*)
			say "not ok $nr $case"
			failed=$((failed + 1))
			;;
		esac
	done
	rm -rf "$WORK"
	[ "$failed" -eq 0 ] || exit 1
	[ "$skipped" -lt "$nr" ] || exit "$KTAP_SKIP"
	exit 0
}

# prints PATTERN COMMAND...: does the command print a line that matches? "COMMAND | grep -q" fails
# under pipefail if the command writes after grep has found the line, because grep closes the pipe.
prints() {
	local text

	text=$("${@:2}") && grep -q -- "$1" <<< "$text"
}

# wait_for SECONDS COMMAND...: run the command until it succeeds. SECONDS is the longest usual time,
# on an idle machine and the stock kernel; SLOWER is the factor of the debug kernel. A longer time
# is printed. Fails after PATIENCE times the usual time.
wait_for() {
	local began=$SECONDS usual=$(($1 * SLOWER))

	shift
	until "$@"; do
		[ $((SECONDS - began)) -lt $((usual * PATIENCE)) ] || return 1
		sleep 0.1
	done
	[ $((SECONDS - began)) -le "$usual" ] ||
		say "slow: $((SECONDS - began)) seconds, usually $usual: $*" >&2
}

# cases_in MODULE SUITE...: print the names of the cases in these suites of a loaded test module.
# For a suite without cases, print a name that the module refuses to run.
cases_in() {
	local module=$1 name

	shift
	for name in "$@"; do
		awk -v suite="$name" '$1 == suite { print $2; found = 1 } END { exit !found }' \
			"/sys/kernel/debug/$module/cases" || echo "no_cases_in_$name"
	done
}

# ---- devices ---------------------------------------------------------------

# ib_devices: the devices under test, one per line, in PCI order
ib_devices() {
	local dev adev

	if [ "$PROVIDER" = siw ]; then
		for dev in /sys/class/infiniband/siw*; do
			[ ! -e "$dev" ] || echo "${dev##*/}"
		done
		return
	fi
	if [ "$PROVIDER" = rdma_rxe ]; then
		for dev in /sys/class/infiniband/*/parent; do
			dev=${dev%/parent}
			[ ! -e "$dev" ] || echo "${dev##*/}"
		done
		return
	fi
	for dev in /sys/bus/pci/devices/*/infiniband/*; do
		[ ! -e "$dev/parent" ] || continue
		for adev in "${dev%/infiniband/*}"/mlx5_core.rdma.*; do
			if [ "$adev/driver/module" -ef "/sys/module/$PROVIDER" ]; then
				echo "${dev##*/}"
			fi
		done
	done
}

# ib_driver DEV: print the driver of an RDMA device, from sysfs
ib_driver() {
	local adev

	if [ -e "/sys/class/infiniband/$1/parent" ]; then
		echo rdma_rxe
		return
	fi
	if [[ $(cat "/sys/class/infiniband/$1/node_desc") = *iWARP* ]]; then
		echo siw
		return
	fi
	for adev in "/sys/class/infiniband/$1/device/"mlx5_core.rdma.*; do
		[ -e "$adev/driver/module" ] || continue
		basename "$(readlink -f "$adev/driver/module")"
		return
	done
	echo none
}

# ib_netdev DEV: print the netdev of an RDMA device
ib_netdev() {
	local dir=/sys/class/infiniband/$1 net

	if [[ $1 = siw[01] ]]; then
		net=siwv${1#siw}
	elif [ -e "$dir/parent" ]; then
		read -r net < "$dir/parent"
	else
		for net in "$dir/device/net/"*; do
			break
		done
	fi
	echo "${net##*/}"
}

# find_pci DEV: set PCI_OF to the PCI address of an RDMA device
find_pci() {
	for PCI_OF in /sys/bus/pci/devices/*/"infiniband/$1"; do
		[ -d "$PCI_OF" ] || fail "no PCI function has $1"
		PCI_OF=${PCI_OF#/sys/bus/pci/devices/}
		PCI_OF=${PCI_OF%%/*}
	done
}

ib_pci() {
	find_pci "$1"
	echo "$PCI_OF"
}

port_active() {
	local state

	read -r state 2> /dev/null < "/sys/class/infiniband/$1/ports/1/state" &&
		[[ $state = *ACTIVE* ]]
}

# gid_of_ip DEV IP: does the device have the GID of an IPv4 address? Such a GID ends in
# ffff:aabb:ccdd. Sets GID_INDEX to the index of the GID.
gid_of_ip() {
	local ip hex file gid

	IFS=. read -ra ip <<< "$2"
	printf -v hex 'ffff:%02x%02x:%02x%02x' "${ip[@]}"
	for file in "/sys/class/infiniband/$1/ports/1/gids/"*; do
		read -r gid 2> /dev/null < "$file" || continue
		# shellcheck disable=SC2034 # for the caller
		GID_INDEX=${file##*/}
		[[ $gid != *"$hex" ]] || return 0
	done
	return 1
}

# vlan_on DEV NETDEV IP [NETNS]: add the VLAN NETDEV.$VLAN with an address to the netdev of DEV
VLAN=77
vlan_on() {
	local ip=(ip ${4:+-n "$4"})

	"${ip[@]}" link add link "$2" name "$2.$VLAN" type vlan id "$VLAN"
	"${ip[@]}" addr add "$3/24" dev "$2.$VLAN"
	"${ip[@]}" link set "$2.$VLAN" up
	wait_for 30 gid_of_ip "$1" "$3" || fail "$1 has no GID for $3"
}

# rxe_up: create two devices of rdma_rxe on the ends of a veth pair
rxe_up() {
	modprobe veth
	modprobe rdma_rxe
	[ -d /sys/class/net/rxev0 ] || ip link add rxev0 type veth peer name rxev1
	ip link set rxev0 mtu 4200 up
	ip link set rxev1 mtu 4200 up
	[ -d /sys/class/infiniband/rxe0 ] || rdma link add rxe0 type rxe netdev rxev0
	[ -d /sys/class/infiniband/rxe1 ] || rdma link add rxe1 type rxe netdev rxev1
}

# siw_up: create two devices of siw (iWARP) on the ends of a veth pair
siw_up() {
	local i

	modprobe veth
	modprobe siw
	[ -d /sys/class/net/siwv0 ] || ip link add siwv0 type veth peer name siwv1
	for i in 0 1; do
		ip link set "siwv$i" mtu 4200 up
		[ -d "/sys/class/infiniband/siw$i" ] ||
			rdma link add "siw$i" type siw netdev "siwv$i"
	done
}

# ends_find: set IB_A, NET_A, IB_B, NET_B to two devices and their netdevs. Fails if there are not
# two devices.
ends_find() {
	local devs

	[ "$PROVIDER" != rdma_rxe ] || rxe_up
	[ "$PROVIDER" != siw ] || siw_up
	mapfile -t devs < <(ib_devices)
	[ "${#devs[@]}" -ge 2 ] || fail "${#devs[@]} devices driven by $PROVIDER, two needed"
	IB_A=${devs[0]} IB_B=${devs[1]}
	NET_A=$(ib_netdev "$IB_A")
	NET_B=$(ib_netdev "$IB_B")
}

# ends_ready: wait until both ports are ACTIVE and have the GIDs of their addresses; store the ends
ends_ready() {
	local dev

	for dev in "$IB_A" "$IB_B"; do
		wait_for 30 port_active "$dev" || fail "the port of $dev does not become ACTIVE"
	done
	# a GID of iWARP holds no IP address
	if [ "$PROVIDER" != siw ]; then
		wait_for 30 gid_of_ip "$IB_A" "$IP_A" || fail "$IB_A has no GID for $IP_A"
		wait_for 30 gid_of_ip "$IB_B" "$IP_B" || fail "$IB_B has no GID for $IP_B"
	fi
	printf '%s\n' "IB_A=$IB_A NET_A=$NET_A IB_B=$IB_B NET_B=$NET_B" > "$WORK/ends"
}

# ends_up: both ends in this network namespace, with routes between them
ends_up() {
	ends_find
	two_ends "$NET_A" "$IP_A" "$NET_B" "$IP_B"
	ends_ready
}

# no_policy_routes: remove the rules and addresses of two_ends, before a netdev moves to another
# namespace. The netdev goes down then, and the kernel deletes the routes that the rules need.
no_policy_routes() {
	local pref

	for pref in 10 11 20 21 1000; do
		ip rule del pref "$pref" 2> /dev/null || :
	done
	ip rule add pref 0 lookup local 2> /dev/null || :
	ip -4 addr flush dev "$NET_A"
	ip -4 addr flush dev "$NET_B"
}

# ends_apart NETNS: set up both ends, with end A in a new network namespace
ends_apart() {
	ends_find
	no_policy_routes
	ip netns add "$1"
	ip link set "$NET_A" netns "$1"
	ip -n "$1" link set lo up
	ip -n "$1" addr add "$IP_A/24" dev "$NET_A"
	ip -n "$1" link set "$NET_A" up
	ip addr replace "$IP_B/24" dev "$NET_B"
	ip link set "$NET_B" up
	ends_ready
}

# ends_together NETNS: remove the namespace of end A, which returns to this namespace
ends_together() {
	ip netns del "$1"
	wait_for 30 test -d "/sys/class/net/$NET_A" || fail "$NET_A does not come back"
	ip -4 addr flush dev "$NET_B"
}

# in_netns NETNS PROGRAM...: run a program. Unlike "ip netns exec", the program sees all mounts.
in_netns() {
	local netns=$1

	shift
	nsenter --net="/run/netns/$netns" "$@"
}

# ends: read the ends that ends_ready has stored. Since then, no device may have been added or
# moved.
ends() {
	# shellcheck source=/dev/null
	. "$WORK/ends"
}

# ---- counters of the simulated devices ---------------------------------------

on_sim() {
	[ "$PROVIDER" != rdma_rxe ] && [ "$PROVIDER" != siw ]
}

# sim_counters DEV: read all counters of the simulated function of an RDMA device to SIM_COUNTERS
declare -A SIM_COUNTERS
sim_counters() {
	local lines line

	find_pci "$1"
	mapfile -t lines < "$SIM_DEBUGFS/$PCI_OF/counters"
	SIM_COUNTERS=()
	for line in "${lines[@]}"; do
		SIM_COUNTERS[${line% *}]=${line#* }
	done
}

# sim_counter DEV NAME
sim_counter() {
	sim_counters "$1"
	echo "${SIM_COUNTERS[$2]?no such counter of $1}"
}

# sim_sum NAME: print the sum of a counter over both ends
sim_sum() {
	local a b

	a=$(sim_counter "$IB_A" "$1")
	b=$(sim_counter "$IB_B" "$1")
	echo $((a + b))
}

# data_bytes DEV: print the sum of the bytes that a device has sent and received since it was
# created. For a simulated device, this is the RDMA payload. rxe and siw count no bytes: for these,
# the netdev counts.
data_bytes() {
	local net tx rx

	if on_sim; then
		sim_counters "$1"
		tx=${SIM_COUNTERS[tx_bytes]}
		rx=${SIM_COUNTERS[rx_bytes]}
	else
		net=$(ib_netdev "$1")
		read -r tx < "/sys/class/net/$net/statistics/tx_bytes"
		read -r rx < "/sys/class/net/$net/statistics/rx_bytes"
	fi
	echo $((tx + rx))
}

# dma_mappings DEV: print the number of DMA mappings that the driver has for the device
dma_mappings() {
	awk '$1 == "dma_mappings" { print $2 }' "$SIM_DEBUGFS/$(ib_pci "$1")/info"
}

# sim_violations: print the number of violations of all classes, over all simulated functions
sim_violations() {
	local file total=0 what n

	for file in "$SIM_DEBUGFS/"*:*/violations; do
		[ -e "$file" ] || fail "no violations file under $SIM_DEBUGFS"
		read -r what n < "$file"
		[ "$what" = total ] || fail "$file begins with $what"
		total=$((total + n))
	done
	echo "$total"
}

# sim_violation_class CLASS: print the number of violations of a class, over all simulated functions
sim_violation_class() {
	cat "$SIM_DEBUGFS/"*:*/violations | awk -v class="$1" '
		/^total / { head = 1; next }
		head && $1 == class { n += $2 }
		END { print n + 0 }'
}

clear_violations() {
	local file

	on_sim || return 0
	for file in "$SIM_DEBUGFS/"*:*/violations; do
		echo 0 > "$file"
	done
}

# Case: the driver broke no rule of the device.
no_violations() {
	local n

	on_sim || return 0
	n=$(sim_violations) || exit 1
	if [ "$n" -ne 0 ]; then
		grep -H . "$SIM_DEBUGFS/"*:*/violations
		fail "the driver broke rules of the device"
	fi
}

# Fail if the device accessed memory that was not mapped for DMA. A process may cause other
# violations, but the driver must prevent these accesses.
no_stray_dma() {
	local class

	on_sim || return 0
	for class in dma_unmapped dma_direction; do
		[ "$(sim_violation_class "$class")" = 0 ] || {
			grep -H . "$SIM_DEBUGFS/"*:*/violations
			fail "the device wanted memory that it must not have"
		}
	done
}

# mark_data: store data_bytes of both ends
# both_moved BYTES: fail unless each end has moved at least BYTES since mark_data
mark_data() {
	{
		data_bytes "$IB_A"
		data_bytes "$IB_B"
	} > "$WORK/mark"
}

both_moved() {
	local a b mark

	mapfile -t mark < "$WORK/mark"
	a=$(($(data_bytes "$IB_A") - mark[0]))
	b=$(($(data_bytes "$IB_B") - mark[1]))
	say "$IB_A moved $a bytes, $IB_B moved $b bytes"
	want_ge "bytes moved by $IB_A" "$a" "$1"
	want_ge "bytes moved by $IB_B" "$b" "$1"
}

# ---- counting kernel calls -----------------------------------------------------

# The trace instance of the kprobes. It records no events, and other instances are not affected.
KCOUNT=$TRACEFS/instances/selftest

# no_task_names: trace instances that are created from now on do not record the names of tasks. To
# record names, the kernel patches its scheduler. QEMU 7.2 has executed half patched code on
# another processor.
no_task_names() {
	[ -d "$TRACEFS/events" ] || mount -t tracefs tracefs "$TRACEFS"
	echo 0 > "$TRACEFS/options/record-cmd"
}

# kcount_on NAME SYMBOL: count the calls of a kernel function with the kprobe NAME
kcount_on() {
	no_task_names
	mkdir -p "$KCOUNT"
	echo 0 > "$KCOUNT/tracing_on"
	echo "p:selftest/$1 $2" >> "$TRACEFS/kprobe_events"
	echo 1 > "$KCOUNT/events/selftest/$1/enable"
}

# kcount NAME: print the number of calls. Fails if the kprobe has missed a call.
kcount() {
	awk -v name="$1" '$1 == name { print $2; missed = $3; found = 1 }
		END { exit !found || missed }' "$TRACEFS/kprobe_profile" ||
		fail "kprobe $1 is not there or missed calls"
}

kcount_off() {
	echo 0 > "$KCOUNT/events/selftest/$1/enable"
	echo "-:selftest/$1" >> "$TRACEFS/kprobe_events"
}
