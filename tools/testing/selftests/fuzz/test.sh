#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Requests of processes that are changed at random on their way to the driver: the program
# programs/fuzz, with several threads, contexts and processes at a time; some processes are killed.
# The test fails on a report of the kernel (on the debug kernel also of KASAN, lockdep and
# kmemleak), a process that hangs, an access of the device to unmapped memory, an object that
# remains after the processes have ended, or verbs that fail afterwards. Then the same runs while
# the device is unbound or gets a fatal error at a random time; with FULL=1 also while it is
# unplugged, where mlx5_core waits a minute for the command in progress. Invalid requests that only
# the device can detect are counted by the device, and are no failure.
#
# The seed of a run is printed, and FUZZ_SEED=N repeats the run. FUZZ_SECONDS=N is its duration: by
# default 10 s, and 120 s with FULL=1, which uses a new seed each time. On the debug kernel,
# requests that reach new code of the driver are repeated with changes.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/programs.sh
. "$(dirname "$0")/../../runner/lib/programs.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"

FUZZ=$TOP/build/devx/fuzz
seed=1
seconds=10
if [ -n "${FULL:-}" ]; then
	seed=$(date +%s)
	seconds=120
fi
seed=${FUZZ_SEED:-$seed}
seconds=${FUZZ_SECONDS:-$seconds}
# seconds of a run in which the device is removed, and number of runs for each way
ROUND=$((2 * SLOWER))
ROUNDS=$((seconds / 60 + 1))

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

# fuzz SEED SECONDS [FILE TEXT]: the caller writes the output to $WORK/said
fuzz() {
	# a crash of a process is no report: its libraries get responses that they do not expect
	echo 0 > /proc/sys/debug/exception-trace
	timeout -s KILL $(($2 + 300 * PATIENCE)) "$FUZZ" "$IB_A" "$@"
}

# many_requests: check the output of a run
many_requests() {
	say "$(cat "$WORK/said")"
	grep -q "^seed .* processes, .* requests, [1-9][0-9]* changed, " "$WORK/said" ||
		fail "no request was changed"
	no_stray_dma
}

# on the debug kernel, the program must have used the coverage of the driver
guided() {
	local what="kinds of responses"

	[ "$SLOWER" = 1 ] || what="edges of mlx5_ibx"
	grep -qE "^[1-9][0-9]{2,} $what, [1-9]" "$WORK/said" || fail "no $what"
}

changed_requests() {
	ends
	say "seed $seed"
	fuzz "$seed" "$seconds" > "$WORK/said" 2>&1 || fail "$(cat "$WORK/said")"
	many_requests
	guided
}

nothing_left() { no_objects_left; }

works_still() {
	ends
	clear_violations
	write_bw
	no_objects_left
	no_violations
}

# rounds WAY: runs in which the device is removed in one of three ways
rounds() {
	local i

	for i in $(seq "$ROUNDS"); do
		ends
		clear_violations
		say "seed $((seed * 1000 + i))"
		on_lost_device "$1" fuzz $((seed * 1000 + i)) "$ROUND"
		many_requests
		want_eq "status" "$LOST_STATUS" 0
		no_objects_left
	done
}

unbound() { rounds unbound; }
unplugged() { rounds unplugged; }
fatal() { rounds fatal; }

# shellcheck disable=SC2086
ktap_run ${CASES:-first_user changed_requests nothing_left works_still unbound fatal \
	${FULL:+unplugged} works_still}
