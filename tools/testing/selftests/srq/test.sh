#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Shared receive queues and unreliable connections: the suites srq and uc of the module ibx_test,
# and NVMe over RDMA with a target that receives from SRQs. No case violates the device's rules,
# except uc_local_fault, once.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"
# shellcheck source=../../runner/lib/ibx_test.sh
. "$(dirname "$0")/../../runner/lib/ibx_test.sh"
# shellcheck source=../../runner/lib/nvmeof.sh
. "$(dirname "$0")/../../runner/lib/nvmeof.sh"

# Case: load ibx_test, and store the objects after a first SRQ, for which mlx5_ib creates an
# internal CQ and SRQs that it keeps.
load() {
	load_ibx_test
	ibx_test srq_in_order
	! on_sim || live_objects > "$WORK/objects"
}

uc_local_fault() {
	own_fault uc_local_fault mkey_lookup
}

# fail_srqs FILE: put all SRQs in error once the case uses its SRQ. The driver does not report the
# number of that SRQ.
fail_srqs() {
	local i

	wait_for 20 in_rts 1 || fail "no QP in RTS"
	for i in $(seq 0 511); do
		echo "$i" > "$1" || true
	done 2> /dev/null
}

srq_fails() {
	ends
	fail_srqs "$SIM_DEBUGFS/$(ib_pci "$IB_A")/faults/srq" &
	ibx_test srq_fails
	wait
}

# die_in_rts PCI: cause a fatal error when the QP of the pair and the QP that is drained are in RTS
die_in_rts() {
	wait_for 20 in_rts 2 || fail "no two QPs in RTS"
	die_of_error "$1"
}

# Case: a fatal error of the device while a QP is drained. Not on mlx5_ib, where the RDMA core waits
# for a minute.
srq_drain_dead() {
	local pci

	ends
	pci=$(ib_pci "$IB_A")
	quick_recovery "$pci"
	die_in_rts "$pci" &
	ibx_test srq_drain_dead
	wait
	ends_recovered "$pci"
	ibx_test srq_in_order
}

# srqs_of_target: print the number of SRQs of the target, without those of mlx5_ib
srqs_of_target() {
	rdma resource show srq | grep -c nvmet_rdma || true
}

nvme_on_srq() {
	ends
	modprobe nvmet-rdma use_srq=1 srq_size=256
	target_up 16
	host_connect
	want_eq "use_srq" "$(cat /sys/module/nvmet_rdma/parameters/use_srq)" Y
	want_ge "SRQs of the target" "$(srqs_of_target)" 1
	mark_data
	fio_verify "$(host_bdev)" 4k 2
	fio_verify "$(host_bdev)" 64k 4
	both_moved $((12 * 1024 * 1024))
	host_disconnect
	target_down
	want_eq "SRQs of the target" "$(srqs_of_target)" 0
}

modprobe ibx_test
# shellcheck disable=SC2046,SC2086
on_pair $(suite $SUITES | grep -vx 'uc_local_fault\|srq_drain_dead\|srq_fails')

[ "$PROVIDER" != mlx5_ibx ] || dead=srq_drain_dead

# Unlike unload_ibx_test, does not compare the objects: the pool of the core keeps CQs of nvme and
# nvmet.
unload() {
	modprobe -r ibx_test
}

# shellcheck disable=SC2086
ktap_run load $pair_cases no_violations uc_local_fault srq_fails no_objects_left \
	nvme_on_srq no_violations ${dead:-} unload no_violations
