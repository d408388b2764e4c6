#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Loading and unloading: the simulator is loaded before and after the drivers, and removed while a
# driver is bound; the driver is unbound and bound; devlink reload, also by the removal of a network
# namespace; devices in a separate namespace. After each case the port is ACTIVE and has the GID of
# the netdev's address, the device counts no violations and no unknown command, and the kernel log
# has no warning of the drivers (no_complaints).
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"

works() {
	ends_up
	say "$IB_A on $NET_A and $IB_B on $NET_B are ACTIVE, driver $(ib_driver "$IB_A")"
	no_violations
	want_eq "commands that are not there" "$(bad_ops)" 0
	no_complaints
}

bad_ops() {
	awk '$1 == "commands_bad_op" { n += $2 } END { print n }' "$SIM_DEBUGFS/"*:*/counters
}

# no_complaints: fail if the kernel log has warnings of the drivers. Ignored are messages of
# mlx5_core about a function without Ethernet offloads or without a crash dump, and messages about
# modules from outside of the kernel tree.
no_complaints() {
	! dmesg -l emerg,alert,crit,err,warn | grep -E 'mlx5|ib_frwr|infiniband' |
		grep -vE 'eth_net_offloads|vendor specific ID|out-of-tree|verification failed' ||
		fail "drivers complain"
}

# Case: the simulator is loaded first. prof_sel=2, the default of hosts, fills the mkey cache of
# mlx5_ib; not on the debug kernel, where this takes minutes.
sim_first() {
	local prof=2

	[ ! -e /sys/kernel/debug/kmemleak ] || prof=0
	unload_all
	vm_load mlx5sim
	vm_load mlx5_core prof_sel="$prof"
	vm_load provider
	works
}

driver_first() {
	unload_all
	vm_load mlx5_core
	vm_load provider
	vm_load mlx5sim
	works
}

# Case: the functions are removed and come back: drivers are unbound, and bound again.
sim_goes_and_comes() {
	unload_sim
	want_eq "devices without functions" "$(ib_devices | wc -l)" 0
	vm_load mlx5sim
	works
}

driver_reloads() {
	local i

	for i in 1 2 3; do
		unload_providers
		want_eq "devices without a driver, round $i" "$(ib_devices | wc -l)" 0
		vm_load provider
		works
	done
}

core_reloads() {
	unload_providers
	modprobe -r mlx5_core
	vm_load mlx5_core
	vm_load provider
	works
}

unbind_and_bind() {
	local pci adev drv

	ends_up
	pci=$(ib_pci "$IB_A")
	adev=$(rdma_adev "$pci")
	drv=/sys/bus/auxiliary/drivers/$PROVIDER.rdma
	[ -d "$drv" ] || drv=$(readlink -f "/sys/bus/auxiliary/devices/$adev/driver")
	echo "$adev" > "$drv/unbind"
	want_eq "devices after unbind" "$(ib_devices | wc -l)" 1
	echo "$adev" > "$drv/bind"
	works
}

devlink_reload() {
	local pci

	ends_up
	pci=$(ib_pci "$IB_A")
	devlink dev reload "pci/$pci"
	works
}

port_inactive() {
	! port_active "$1"
}

port_follows_netdev() {
	ends_up
	ip link set "$NET_A" down
	wait_for 10 port_inactive "$IB_A" || fail "port ACTIVE while the netdev is down"
	port_active "$IB_B" || fail "the other port went down too"
	works
}

# Case: a namespace is removed that contains the devlink instance of a function: the kernel reloads
# the function into the initial namespace. The kernel holds the lock of all namespaces then: a
# driver that waits for this lock would hang.
devlink_netns_goes() {
	local pci

	ends_up
	pci=$(ib_pci "$IB_A")
	ip netns add probe_t
	timeout $((60 * PATIENCE)) devlink dev reload "pci/$pci" netns probe_t
	want_eq "devlink instances of $pci here" "$(devlink_here "$pci")" 0
	ip netns del probe_t
	wait_for 60 instance_is_here "$pci" || fail "$pci does not come back"
	timeout $((20 * PATIENCE)) ip netns add probe_u || fail "no namespace can be added"
	ip netns del probe_u
	wait_for 30 two_devices || fail "$(ib_devices | wc -l) devices"
	works
}

devlink_here() {
	timeout $((20 * PATIENCE)) devlink dev show | grep -c "^pci/$1" || true
}

instance_is_here() {
	[ "$(devlink_here "$1")" = 1 ]
}

# Case: in exclusive mode, a device is in the namespace of its netdev. Both return when the
# namespace is removed.
exclusive_netns() {
	ends_up
	wait_for 30 rdma system set netns exclusive || fail "another namespace exists"
	ip netns add probe_t
	rdma dev set "$IB_A" netns probe_t
	want_eq "devices left here" "$(ib_devices)" "$IB_B"
	ip link set "$NET_A" netns probe_t
	ip -n probe_t addr add "$IP_A/24" dev "$NET_A"
	ip -n probe_t link set "$NET_A" up
	wait_for 30 gid_in_netns probe_t || fail "$IB_A has no GID for $IP_A in its namespace"
	ip netns del probe_t
	wait_for 30 two_devices || fail "$(ib_devices | wc -l) devices"
	wait_for 30 rdma system set netns shared || fail "the namespace still exists"
	works
}

# gid_in_netns NETNS: has the device of A its GID? "ip netns exec" mounts sysfs again: sysfs shows
# the devices of the namespace in which it was mounted.
gid_in_netns() {
	ip netns exec "$1" bash -c "$(declare -f gid_of_ip); gid_of_ip $IB_A $IP_A"
}

# Case: the device refuses an unknown command, which is sent by a file of mlx5_core for commands.
unknown_command() {
	local cmd

	ends_up
	cmd=/sys/kernel/debug/mlx5/$(ib_pci "$IB_A")/cmd
	printf '\x0f\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0' > "$cmd/in"
	echo 16 > "$cmd/out_len"
	expect_fail eval "echo go > $cmd/run"
	want_eq "status" "$(od -An -tx1 -N1 "$cmd/out")" " 02"
	want_eq "commands that are not there" "$(bad_ops)" 1
	no_violations
}

ktap_run sim_first driver_first sim_goes_and_comes driver_reloads core_reloads unbind_and_bind \
	devlink_reload devlink_netns_goes exclusive_netns port_follows_netdev unknown_command \
	no_violations
