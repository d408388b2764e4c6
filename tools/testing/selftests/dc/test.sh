#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# DCIs and DCTs of <rdma/mlx5dv.h>, and devices without some features of DC. No case breaks a rule
# of the device: a wrong key is an error of the work request, no violation.
set -eu
# shellcheck source=../../runner/lib/suites.sh
. "$(dirname "$0")/../../runner/lib/suites.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"

# the DCI is on the second device
dc_reset_refused() {
	ends
	refusing "$IB_B" RTS2RTS_QP 1 dc_reset_refused
}

# die_later PCI: cause a fatal error while the case dc_drain_dead posts to its DCI. The case posts
# until a post fails, for at most 20 seconds.
die_later() {
	sleep $((3 * SLOWER))
	die_of_error "$1"
}

# Case: a fatal error of the device of the DCI
dc_drain_dead() {
	local pci

	start_suites
	pci=$(ib_pci "$IB_B")
	quick_recovery "$pci"
	die_later "$pci" &
	ibx_test dc_drain_dead
	wait
	ends_recovered "$pci"
	ibx_test dc_messages
	stop_suites
}

# with_caps CASE OVERRIDES: run a case on new devices with other capabilities
with_caps() {
	stop_suites
	sim_reload "caps=$2"
	start_suites
	ibx_test "$1"
	no_violations
	stop_suites
}

caps_no_atomics() {
	with_caps caps_no_atomics general.umr_modify_atomic_disabled=1
}

# "res" is the depth of the requester, "req" the depth of the responder, as in mlx5_ib
caps_depth_4() {
	with_caps caps_depth_4 general.log_max_ra_res_dc=2,general.log_max_ra_req_dc=4
}

caps_depth_16() {
	with_caps caps_depth_16 general.log_max_ra_res_dc=4,general.log_max_ra_req_dc=2
}

caps_no_errored() {
	with_caps caps_no_errored general.log_max_dci_errored_streams=0
}

caps_no_memcpy() {
	with_caps caps_no_memcpy general.dma_mmo_sq=0,general.dma_mmo_qp=0
}

# Case: create the devices that later tests in the VM expect
caps_again() {
	stop_suites
	sim_reload
}

open_suites
# dc_drain_dead runs last, because it changes the objects of the device
pair_cases=${pair_cases/ dc_drain_dead/}
# not on the debug kernel: these cases would take two thirds of the time, and test only how a driver
# starts a device
caps=
if [ "$SLOWER" -eq 1 ]; then
	caps="caps_no_atomics caps_depth_4 caps_depth_16 caps_no_errored caps_no_memcpy caps_again"
fi
# shellcheck disable=SC2086
ktap_run load_suites $pair_cases no_violations unload_suites no_violations dc_drain_dead \
	no_violations $caps
