#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Integrity MRs on public verbs: T10-DIF that the device inserts, removes, passes on and checks, in
# both directions, through each kind of list, and with each part wrong once (suite integrity of the
# module ibx_test). The same by registration contexts of ib_frwr, for RDMA requests of both ends
# (suite frwr_pi).
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/ibx_test.sh
. "$(dirname "$0")/../../runner/lib/ibx_test.sh"

# count NAME: a counter of the first device
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

# CREATE_PSV for the second MR of a context
frwr_pi_refused_psv() {
	ends
	refusing "$IB_A" CREATE_PSV 2 frwr_pi_refused_psv
}

# bio_vecs are mapped for DMA by ib_frwr, and unmapped with the release
frwr_pi_bvecs() {
	local before_a before_b

	ends
	before_a=$(dma_mappings "$IB_A")
	before_b=$(dma_mappings "$IB_B")
	ibx_test frwr_pi_bvecs
	want_eq "DMA mappings" "$(dma_mappings "$IB_A") $(dma_mappings "$IB_B")" \
		"$before_a $before_b"
}

# The device, and not only the driver, checks signatures. It counts an error for each of 4 parts of
# 4 blocks in 5 kinds of transfers, and in 4 kinds with contexts; one error in each of 5 more cases
# of contexts, and in the case of a deregistered MR; and two errors in another case of contexts.
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
