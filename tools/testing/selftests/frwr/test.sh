#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# <rdma/ib_frwr.h> on any device: memory of a scatterlist, of pages or of bio_vecs is registered,
# and the peer writes and reads it; refused calls; the time at which memory is unmapped;
# registration contexts, also on drivers whose verbs fail; and the example ULP (suites frwr* of the
# module ibx_test). An access of the peer that the device refuses is no violation. Only the cases of
# foreign PDs cause violations.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/ibx_test.sh
. "$(dirname "$0")/../../runner/lib/ibx_test.sh"

# Cases: the device detects an MR of another PD, and counts a violation
foreign_pd() {
	own_fault frwr_foreign_pd mkey_pd
}

ctx_foreign_pd() {
	own_fault ctx_foreign_pd mkey_pd
}

# mkeys_made: print the number of mkeys that the device of A has created
mkeys_made() {
	awk '$2 == "CREATE_MKEY" { print $3 }' "$SIM_DEBUGFS/$(ib_pci "$IB_A")/commands"
}

# without_mkey N CASE: run a case in which the creation of the Nth mkey fails, counted after the
# first mkey of a context
without_mkey() {
	local nth

	ends
	nth=$(mkeys_made)
	ibx_test ctx_local_inv
	nth=$(($(mkeys_made) - nth + $1))
	refusing "$IB_A" CREATE_MKEY "$nth" "$2"
}

create_fails() {
	without_mkey 2 ctx_create_fails
}

grow_fails() {
	without_mkey 1 ctx_grow_fails
}

faults=
! on_sim || faults="create_fails grow_fails"

# not_on_siw: skip the cases that need a receiver that is not ready (iWARP ends such a connection),
# a UC QP, or the check of READs that siw lacks
not_on_siw() {
	local name

	for name in ctx_post_refused ctx_queue_full frwr_example_not_sent ctx_not_rc \
		frwr_refused_read ctx_write_only; do
		eval "$name() { skip 'not on siw'; }"
	done
}

[ "$PROVIDER" != siw ] || not_on_siw

# pattern of the cases for devices that do not check the access of READs; only siw runs them
unchecked='|frwr_reads_unchecked'
[ "$PROVIDER" != siw ] || unchecked=

modprobe ibx_test
# shellcheck disable=SC2046,SC2086
on_pair $(suite $SUITES |
	grep -vxE "(frwr|ctx)_foreign_pd|ctx_(create|grow)_fails$unchecked") frwr_pi_refused
# shellcheck disable=SC2086
ktap_run load_ibx_test $pair_cases $faults no_violations foreign_pd ctx_foreign_pd \
	unload_ibx_test no_violations
