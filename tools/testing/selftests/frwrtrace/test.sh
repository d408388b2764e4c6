#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The tracepoints of ib_frwr. A registration causes one event for each step, in order and with one
# key. Cases of the suite frwr_ctx cause the other events; in one case, a QP enters ERR.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/ibx_test.sh
. "$(dirname "$0")/../../runner/lib/ibx_test.sh"

INSTANCE=$TRACEFS/instances/frwrtrace

# traced CASE...: run cases with all events enabled; the trace is in $WORK/trace
traced() {
	local name

	ends
	mkdir "$INSTANCE"
	trap 'rmdir "$INSTANCE"' EXIT
	echo 1 > "$INSTANCE/events/ib_frwr/enable"
	for name in "$@"; do
		ibx_test "$name"
	done
	echo 0 > "$INSTANCE/events/ib_frwr/enable"
	grep ' frwr_[a-z_]*: ' "$INSTANCE/trace" > "$WORK/trace" || fail "no event in: $*"
}

off_by_default() {
	want_eq "state of the events" "$(cat "$TRACEFS/events/ib_frwr/enable")" 0
}

# Case: ctx_local_inv registers and invalidates several times; each key has each event once
one_registration() {
	local rkey

	traced ctx_local_inv
	while read -r rkey; do
		want_eq "events of $rkey" \
			"$(grep -w "$rkey" "$WORK/trace" |
				sed 's/.* \(frwr_[a-z_]*\): .*/\1/' | tr '\n' ' ')" \
			"frwr_map frwr_post frwr_inv_done frwr_release "
	done < <(grep ' frwr_map: ' "$WORK/trace" | grep -o 'rkey=[^ ]*')
	want_eq "failures" "$(grep -c 'status=' "$WORK/trace")" \
		"$(grep -c 'status=SUCCESS' "$WORK/trace")"
}

every_event() {
	local event dir

	traced ctx_broken ctx_pool_grows
	for dir in "$TRACEFS"/events/ib_frwr/*/; do
		event=$(basename "$dir")
		grep -q " $event: dev=$IB_A " "$WORK/trace" || fail "no $event"
	done
	grep -q ' frwr_reg_done: .*status=WR_FLUSH_ERR' "$WORK/trace" ||
		fail "no flushed registration"
}

ktap_run load_ibx_test off_by_default one_registration every_event unload_ibx_test
