#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Requests of processes that are changed at random on their way to the driver: the program
# tools/testing/fuzz. No report of the kernel (of KASAN, lockdep and kmemleak too, on the debug
# kernel), no process that hangs, nothing left when the processes are gone, and verbs still work.
# Requests that only the device can find wrong are counted by it, and are no failure.
#
# FUZZ_SEED=N repeats a run, whose seed is printed; FUZZ_SECONDS=N is its time, 20 without, and 120
# with FULL=1, which has a new seed each time.
set -eu
# shellcheck source=../../lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
# shellcheck source=../../lib/programs.sh
. "$(dirname "$0")/../../lib/programs.sh"

FUZZ=$TOP/build/devx/fuzz
seed=1
seconds=20
if [ -n "${FULL:-}" ]; then
	seed=$(date +%s)
	seconds=120
fi
seed=${FUZZ_SEED:-$seed}
seconds=${FUZZ_SECONDS:-$seconds}

write_bw() {
	start_server timeout "$LIMIT" ib_write_bw -F -d "$IB_B" -n 20 -s 4096
	run_client ib_write_bw -F -d "$IB_A" -n 20 -s 4096 "$IP_B"
}

first_user() {
	ends_up
	clear_violations
	live_objects > "$WORK/objects"
	write_bw
	live_objects > "$WORK/objects"
	no_violations
}

changed_requests() {
	ends
	# faults of processes, whose libraries get answers that they do not expect, are no reports
	echo 0 > /proc/sys/debug/exception-trace
	say "seed $seed"
	timeout $((seconds + 300 * PATIENCE)) "$FUZZ" "$IB_A" "$seed" "$seconds" > "$WORK/said" \
		2>&1 ||
		fail "$(cat "$WORK/said")"
	say "$(cat "$WORK/said")"
	no_stray_dma
	grep -q "^seed .* processes, .* requests, [1-9][0-9]* changed$" "$WORK/said" ||
		fail "no request was changed"
}

nothing_left() { no_objects_left; }

works_still() {
	ends
	clear_violations
	write_bw
	no_objects_left
	no_violations
}

ktap_run first_user changed_requests nothing_left works_still
