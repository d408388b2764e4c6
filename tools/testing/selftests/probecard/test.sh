#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# tools/testing/probe-card, which is for machines with a card, on simulated devices: it runs the
# probes of all rows of unrefereed.rst, and their results are those in probe.answers.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/ibx_test.sh
. "$TESTLIB/ibx_test.sh"
# shellcheck source=../../runner/lib/mlx5dv_test.sh
. "$TESTLIB/mlx5dv_test.sh"

CARD=$TOP/tools/testing/probe-card

# Case: the results are those of mlx5sim. Some probes break rules of the device: they use keys that
# do not exist, and overrun a CQ.
answers_of_mlx5sim() {
	ends
	"$CARD" --check "$IB_A" "$IB_B"
	clear_violations
}

# Case: the same with one device, like on a machine with one port.
one_device() {
	ends
	"$CARD" --check "$IB_A"
	clear_violations
}

# Case: probe-card reports a result that differs from the result of mlx5sim.
other_answer() {
	local copy=$WORK/tree

	ends
	mkdir -p "$copy/tools/testing/stages" "$copy/Documentation/infiniband"
	cp "$CARD" "$copy/tools/testing"
	cp "$TOP/tools/testing/stages/rows.py" "$copy/tools/testing/stages"
	cp "$TOP/Documentation/infiniband/unrefereed.rst" "$copy/Documentation/infiniband"
	sed 's/\(probe_inv_free: LOCAL_INV \)[a-z ]*/\1never/' "$TOP/tools/testing/probe.answers" \
		> "$copy/tools/testing/probe.answers"
	expect_fail "$copy/tools/testing/probe-card" --check "$IB_A" "$IB_B"
	grep -q '1 other$' "$WORK/expect_fail" || fail "$(tail -1 "$WORK/expect_fail")"
	clear_violations
}

modprobe ibx_test
[ "$PROVIDER" != mlx5_ibx ] || modprobe mlx5dv_test
ktap_run start_ibx_test answers_of_mlx5sim one_device other_answer
