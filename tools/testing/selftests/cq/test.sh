#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# CQs that are resized (suite resize of the module ibx_test); CQs that are moderated by
# the adaptive algorithm of the core, which `rdma dev` turns on and off; CQs in error.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/ibx_test.sh
. "$(dirname "$0")/../../runner/lib/ibx_test.sh"

# modify_cqs: print the number of MODIFY_CQ commands of the sender, which is B
modify_cqs() {
	awk '$2 == "MODIFY_CQ" { n = $NF } END { print n + 0 }' \
		"$SIM_DEBUGFS/$(ib_pci "$IB_B")/commands"
}

# moderated CASE: run a case, and print the number of its MODIFY_CQ commands
moderated() {
	local before

	before=$(modify_cqs)
	ibx_test "$1"
	echo $(($(modify_cqs) - before))
}

# Adaptive moderation is on by default, as in mlx5_ib.
dim_by_default() {
	ends
	rdma dev show "$IB_B" -d
	prints "adaptive-moderation on" rdma dev show "$IB_B" -d
	want_ge "changes of moderation, softirq" "$(moderated dim_softirq)" 1
	want_ge "changes of moderation, workqueue" "$(moderated dim_workqueue)" 1
}

dim_off() {
	ends
	rdma dev set "$IB_B" adaptive-moderation off
	want_eq "changes of moderation, softirq" "$(moderated dim_softirq)" 0
	want_eq "changes of moderation, workqueue" "$(moderated dim_workqueue)" 0
}

dim_on_again() {
	ends
	rdma dev set "$IB_B" adaptive-moderation on
	want_ge "changes of moderation" "$(moderated dim_softirq)" 1
}

# in_err N: does the running case have N QPs in ERR on A?
in_err() {
	[ "$(rdma resource show qp link "$IB_A/1" |
		grep -c 'state ERR .*comm \[ibx_test\]')" = "$1" ]
}

# fail_cqs COMMAND...: wait until the command succeeds; then put all CQs of the running case in
# error
fail_cqs() {
	local faults cqn

	faults=$SIM_DEBUGFS/$(ib_pci "$IB_A")/faults
	wait_for 20 "$@" || fail "no QPs in that state: $*"
	rdma resource show cq dev "$IB_A" -dd | grep 'comm \[ibx_test\]' |
		grep -oE 'hw_cqn 0x[0-9a-f]+' > "$WORK/cqs"
	while read -r _ cqn; do
		echo "$cqn" > "$faults/cq"
	done < "$WORK/cqs"
}

# Case for mlx5_ibx only: a CQ in error gets no CQEs. mlx5_ib reports no other completions, and
# would wait without limit when it drains the QPs.
cqs_fail() {
	ends
	fail_cqs in_rts 2 &
	ibx_test cq_fails
	wait $! || fail "the CQs do not fail"
}

cqs_fail_late() {
	ends
	fail_cqs in_err 1 &
	ibx_test cq_fails_late
	wait $! || fail "the CQs do not fail"
}

# mlx5_ib does not pass three cases of resizing (no ULP of the kernel resizes CQs).
# copy_resize_cqes() masks with the number of entries and copies outstanding CQEs to wrong entries.
# A poller that reaches the end of a ring frees the ring with interrupts off, and the kernel warns.
modprobe ibx_test
# shellcheck disable=SC2086
cases=$(suite $SUITES)
# shellcheck disable=SC2086
[ "$PROVIDER" = mlx5_ibx ] ||
	cases=$(suite $SUITES | grep -vx -e resize_outstanding -e resize_full \
		-e resize_under_load || true)
pair_cases=
# shellcheck disable=SC2086
[ -z "$cases" ] || on_pair $cases

fails=
[ "$PROVIDER" != mlx5_ibx ] || fails="cqs_fail cqs_fail_late"
# shellcheck disable=SC2086
ktap_run load_ibx_test $pair_cases no_violations dim_by_default dim_off dim_on_again $fails \
	unload_ibx_test no_violations
