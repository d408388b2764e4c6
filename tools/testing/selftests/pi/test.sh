#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Integrity MRs on public verbs: the device inserts, removes, passes on and checks T10-DIF, in both
# directions, for each kind of list, and with each part of T10-DIF wrong once (suite integrity of
# the module ibx_test). Registration contexts of ib_frwr do the same, for RDMA requests of both ends
# (suite frwr_pi).
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/ibx_test.sh
. "$(dirname "$0")/../../runner/lib/ibx_test.sh"

# count NAME: print a counter of the device of A
count() {
	sed -n "s/^$1 //p" "$SIM_DEBUGFS/$(ib_pci "$IB_A")/counters"
}

before_all() {
	ends
	count sig_errors > "$WORK/errors"
	count sig_errors_reported > "$WORK/reported"
	count sig_blocks_checked > "$WORK/checked"
	count sig_blocks_generated > "$WORK/generated"
}

pi_refused_psv() {
	ends
	refusing "$IB_A" CREATE_PSV 1 pi_refused_psv
}

# Case: CREATE_PSV for the second MR of a context fails
frwr_pi_refused_psv() {
	ends
	refusing "$IB_A" CREATE_PSV 2 frwr_pi_refused_psv
}

# Case: ib_frwr maps bio_vecs for DMA, and the release unmaps them
frwr_pi_bvecs() {
	local before_a before_b

	ends
	before_a=$(dma_mappings "$IB_A")
	before_b=$(dma_mappings "$IB_B")
	ibx_test frwr_pi_bvecs
	want_eq "DMA mappings" "$(dma_mappings "$IB_A") $(dma_mappings "$IB_B")" \
		"$before_a $before_b"
}

# Case: the device has checked signatures, and not only the driver. It has counted 152 errors: one
# error for each of 4 parts of 4 blocks in 5 kinds of transfers, and in 4 kinds with contexts; one
# error in each of 5 more cases of contexts, and in the case of a deregistered MR; and two errors in
# another case of contexts.
device_did_it() {
	ends
	grep ^sig_ "$SIM_DEBUGFS/$(ib_pci "$IB_A")/counters"
	want_eq "errors" $(($(count sig_errors) - $(cat "$WORK/errors"))) 152
	want_eq "errors reported" $(($(count sig_errors_reported) - $(cat "$WORK/reported"))) 152
	[ "$(count sig_blocks_checked)" -gt "$(cat "$WORK/checked")" ] || fail "none was checked"
	[ "$(count sig_blocks_generated)" -gt "$(cat "$WORK/generated")" ] ||
		fail "none was generated"
}

modprobe ibx_test
# shellcheck disable=SC2046,SC2086
on_pair $(suite $SUITES)
# shellcheck disable=SC2086
ktap_run load_ibx_test before_all $pair_cases device_did_it unload_ibx_test no_violations
