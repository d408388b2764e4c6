#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Requests of processes that are changed at random on their way to the driver: the program
# tools/testing/fuzz, with several threads, contexts and processes at a time, some of which are
# killed. No report of the kernel (of KASAN, lockdep and kmemleak too, on the debug kernel), no
# process that hangs, no access of the device to memory that is not mapped, nothing left when the
# processes are gone, and verbs still work. Then the same while the device is unbound and in fatal
# error, at a random point, with FULL=1 also unplugged: mlx5_core waits for the command that was
# under way for a minute. Requests that only the device can find wrong are counted by it, and are no
# failure.
#
# FUZZ_SEED=N repeats a run, whose seed is printed; FUZZ_SECONDS=N is its time, 10 without, and 120
# with FULL=1, which has a new seed each time. On the debug kernel the requests are those that reach
# new code of the driver, with changes.
set -eu
# shellcheck source=../../lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
# shellcheck source=../../lib/programs.sh
. "$(dirname "$0")/../../lib/programs.sh"
# shellcheck source=../../lib/modules.sh
. "$(dirname "$0")/../../lib/modules.sh"

FUZZ=$TOP/build/devx/fuzz
seed=1
seconds=10
if [ -n "${FULL:-}" ]; then
	seed=$(date +%s)
	seconds=120
fi
seed=${FUZZ_SEED:-$seed}
seconds=${FUZZ_SECONDS:-$seconds}
# of a run in which the device goes away, and the number of runs of each way
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

# fuzz SEED SECONDS [FILE TEXT]: what it prints is in $WORK/said
fuzz() {
	# faults of processes, whose libraries get answers that they do not expect, are no reports
	echo 0 > /proc/sys/debug/exception-trace
	timeout -s KILL $(($2 + 300 * PATIENCE)) "$FUZZ" "$IB_A" "$@"
}

# after a run
many_requests() {
	say "$(cat "$WORK/said")"
	grep -q "^seed .* processes, .* requests, [1-9][0-9]* changed, " "$WORK/said" ||
		fail "no request was changed"
	no_stray_dma
}

# on the debug kernel it must have found its way by what the driver executes
guided() {
	local what="kinds of answers"

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

# rounds WAY: the device goes away in one of three ways
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
