#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Loading and unloading: the simulator before the drivers and after them, the
# simulator taken away under a bound driver, driver unbound and bound, devlink
# reload, and the claim= rules of mlx5_ibx. After each the port is ACTIVE, the
# GID of the netdev's address is there, nothing was left behind in the device
# (its obj_leak and dma_leak violations) and the kernel log is silent (which the
# runner checks).
set -eu
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

DRIVERS="mlx5_ib mlx5_ibx"

loaded() {
	[ -d "/sys/module/$1" ]
}

# Violations must be read before the device that counted them is gone.
unload_sim() {
	no_violations
	modprobe -r mlx5sim
}

unload_providers() {
	local mod

	for mod in $DRIVERS; do
		! loaded "$mod" || modprobe -r "$mod"
	done
}

unload_all() {
	unload_providers
	! loaded mlx5_core || modprobe -r mlx5_core
	! loaded mlx5sim || unload_sim
}

works() {
	ends_up
	say "$IB_A on $NET_A and $IB_B on $NET_B are ACTIVE, driver $(ib_driver "$IB_A")"
	no_violations
}

# once with the profile hosts have, which fills the mkey cache; it takes KASAN minutes
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

# Bound drivers must let go when the functions go, and take them when they return.
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

# The auxiliary device of the rdma part, by function
rdma_adev() {
	basename "$(echo "/sys/bus/pci/devices/$1/"mlx5_core.rdma.*)"
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

# ---- claim=, which only mlx5_ibx has ----

claims() {
	[ "$PROVIDER" = mlx5_ibx ]
}

driver_of_pci() {
	basename "$(readlink -f "/sys/bus/pci/devices/$1/$(rdma_adev "$1")/driver/module")"
}

driven_by() {
	[ "$(driver_of_pci "$1")" = "$2" ]
}

sim_pcis() {
	local dev

	for dev in "$SIM_DEBUGFS/"*:*; do
		echo "${dev##*/}"
	done
}

# Without claim= it takes nothing, whatever is there to take.
claims_nothing_by_default() {
	unload_providers
	# an empty configuration: the VM's own gives claim=all
	mkdir "$WORK/empty"
	modprobe -C "$WORK/empty" mlx5_ibx
	want_eq "devices of an unclaiming driver" "$(ib_devices | wc -l)" 0
	unload_providers
}

claim_is_checked() {
	local bad

	unload_providers
	for bad in nonsense 0000:zz:00.0 "$(sim_pcis | head -n1),"x all,none 0000:00:00; do
		expect_fail modprobe mlx5_ibx claim="$bad"
		! loaded mlx5_ibx || fail "loaded with claim=$bad"
	done
}

# Even when mlx5_ib came first and holds both: the claimed function moves, the other stays.
claim_takes_over() {
	local first second

	unload_providers
	vm_load mlx5_ib
	first=$(sim_pcis | sed -n 1p)
	second=$(sim_pcis | sed -n 2p)
	want_eq "driver of $first" "$(driver_of_pci "$first")" mlx5_ib
	modprobe mlx5_ibx claim="$first"
	wait_for 10 driven_by "$first" mlx5_ibx ||
		fail "$first is still driven by $(driver_of_pci "$first")"
	want_eq "driver of $second" "$(driver_of_pci "$second")" mlx5_ib

	# mlx5_core re-creates the auxiliary device; mlx5_ib registered first, and must still lose.
	devlink dev reload "pci/$first"
	wait_for 10 driven_by "$first" mlx5_ibx ||
		fail "after reload $first is driven by $(driver_of_pci "$first")"

	# And back by hand, as the README says.
	modprobe -r mlx5_ibx
	rdma_adev "$first" > /sys/bus/auxiliary/drivers_probe
	want_eq "driver of $first" "$(driver_of_pci "$first")" mlx5_ib
	unload_providers
	vm_load provider
	works
}

cases="sim_first driver_first sim_goes_and_comes driver_reloads core_reloads
	unbind_and_bind devlink_reload port_follows_netdev"
! claims || cases="$cases claims_nothing_by_default claim_is_checked claim_takes_over"
# shellcheck disable=SC2086
ktap_run $cases no_violations
