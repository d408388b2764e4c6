#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The kernel's verbs between two devices (suites of the module ibx_test); data is compared byte by
# byte. Errors of a peer on the wire are no violations. Only receive_bad_key causes a violation.
#
# The last cases create as many objects as the device supports. They run on devices that support
# only few objects of each kind.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"
# shellcheck source=../../runner/lib/ibx_test.sh
. "$(dirname "$0")/../../runner/lib/ibx_test.sh"

small_caps=general.log_max_pd=6,general.log_max_cq=6,general.log_max_qp=8
small_caps=$small_caps,general.log_max_mkey=8,general.max_qp_cnt=0

receive_bad_key() {
	own_fault receive_bad_key mkey_lookup
}

# port_mtu BYTES: set the MTU of both netdevs
port_mtu() {
	ip link set "$NET_A" mtu "$1"
	ip link set "$NET_B" mtu "$1"
}

# Case: sizes around the path MTU. Packets of up to 4096 bytes need netdevs with a sufficient MTU.
sizes_around_mtu() {
	ends
	on_sim || {
		ibx_test sizes_around_mtu
		return
	}
	port_mtu 4200
	ibx_test sizes_around_mtu
	port_mtu 1500
}

# comp_irqs: print the name and the number of interrupts of each completion vector
comp_irqs() {
	awk '/mlx5_comp/ {
		n = 0
		for (i = 2; $i ~ /^[0-9]+$/; i++)
			n += $i
		print $NF, n
	}' /proc/interrupts
}

# Case: every completion vector of both devices raises interrupts
vectors() {
	ends
	comp_irqs > "$WORK/before"
	ibx_test vectors
	on_sim || return 0
	comp_irqs > "$WORK/after"
	awk '	FNR == NR { before[$1] = $2; next }
		$2 - before[$1] < 5 { print $1, before[$1] + 0, $2; bad = 1 }
		END { exit bad || FNR < 2 }' "$WORK/before" "$WORK/after" ||
		fail "a vector did not interrupt"
}

# Case: add VLANs to both netdevs, for the next cases
vlan_up() {
	ends
	vlan_on "$IB_A" "$NET_A" 192.168.78.1
	vlan_on "$IB_B" "$NET_B" 192.168.78.2
}

vlan_down() {
	ends
	ip link del "$NET_A.$VLAN"
	ip link del "$NET_B.$VLAN"
}

# Case: create two devices that support few objects
small_devices() {
	sim_reload "caps=$small_caps"
	load_ibx_test
}

# Case: create the devices that later tests in the VM expect
usual_devices() {
	sim_reload
	ends_up
}

# Case: create all MRs of a device; destroyed MRs leave no DMA mappings.
all_mrs() {
	local before

	ends
	before=$(dma_mappings "$IB_A")
	ibx_test all_mrs
	want_eq "DMA mappings" "$(dma_mappings "$IB_A")" "$before"
}

usual() {
	local not='receive_bad_key\|vectors\|vlan\|ud_vlan'

	on_sim || not="$not\|no_fence\|never_polled"
	# shellcheck disable=SC2086
	suite $SUITES | grep -vx "$not"
}

modprobe ibx_test
# shellcheck disable=SC2046
on_pair $(usual)
cases=$pair_cases
on_pair vlan ud_vlan
cases="$cases vlan_up $pair_cases vlan_down vectors receive_bad_key no_violations unload_ibx_test"
# shellcheck disable=SC2046
on_pair $(suite limits)
! on_sim || cases="$cases small_devices $pair_cases no_violations unload_ibx_test usual_devices"
# shellcheck disable=SC2086
ktap_run load_ibx_test $cases no_violations
