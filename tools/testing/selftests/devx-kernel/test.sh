#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Firmware commands of kernel ULPs, <rdma/mlx5dv_devx.h>: objects, the isolation of two contexts,
# asynchronous queries, events, UMEMs, the example that moves data, QPs that use a CQ of verbs, and
# commands that the driver refuses. A command that the device refuses breaks a rule of the device.
set -eu
# CQs of mlx5_ib cannot be attached
# shellcheck disable=SC2034 # for suites.sh
{
	OWN_CASES="devx_verbs_moves devx_verbs_poller devx_verbs_dropped devx_verbs_no_cb"
	OWN_CASES+=" devx_verbs_refused devx_verbs_uid devx_verbs_late"
}
# shellcheck source=../../runner/lib/suites.sh
. "$(dirname "$0")/../../runner/lib/suites.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$TESTLIB/modules.sh"

devx_isolated() { own_fault devx_isolated cmd_uid; }
devx_in_use() { own_fault devx_in_use cmd_in_use; }
devx_refused_query() { own_fault devx_refused_query cmd_size; }
devx_umem_pages() { own_fault devx_umem_pages cmd_in_use; }
devx_umem_in_use() { own_fault devx_umem_in_use cmd_in_use; }
devx_umem_bounds() { own_fault devx_umem_bounds cmd_bad_param; }
devx_verbs_uid() { own_fault devx_verbs_uid cmd_uid; }
devx_umem_isolated() { own_fault devx_umem_isolated cmd_uid; }

devx_event_kept() {
	ends
	refusing "$IB_A" DESTROY_QP 1 devx_event_kept
	no_violations
}

# Case: a response arrives late. cmd_timeout=4: mlx5_core polls for a response after 4 seconds, and
# waits 5 more seconds.
devx_verbs_late() {
	local faults

	stop_suites
	sim_reload reuse=1 cmd_timeout=4
	start_suites
	faults=$SIM_DEBUGFS/$(ib_pci "$IB_A")/faults/command
	echo "delay DESTROY_QP 1 12000" > "$faults"
	ibx_test devx_verbs_late
	grep -q "fired 1 DESTROY_QP" "$faults" || fail "no command was late: $(cat "$faults")"
	no_violations
	stop_suites
}

open_suites
# devx_verbs_late runs separately, because it needs other devices
last="devx_verbs_late caps_again"
if on_backend; then
	last=
fi
pair_cases=${pair_cases/ devx_verbs_late/}
# shellcheck disable=SC2086
ktap_run ${CASES:-load_suites $pair_cases no_violations unload_suites no_violations $last}
