#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The program programs/fuzz, which changes requests of processes at random before the driver gets
# them, with several threads, contexts and processes at a time; some processes are killed. The test
# fails on a report of the kernel (on the debug kernel also of KASAN, lockdep and kmemleak), a
# process that hangs, an access of the device to unmapped memory, an object that remains after the
# processes have ended, or verbs that fail afterwards. Then the program runs while the device is
# unbound or gets a fatal error at a random time; with FULL=1 also while it is unplugged: mlx5_core
# then waits a minute for the outstanding command. The device counts invalid requests that only the
# device can detect; these are no failures.
#
# The seed of a run is printed; FUZZ_SEED=N repeats the run. FUZZ_SECONDS=N is the duration: by
# default 10 s, and with FULL=1 120 s and a new seed each time. On the debug kernel, requests that
# reach new code of the driver are repeated with changes.
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
# seconds of a run in which the device is removed, and number of runs for each way of removal
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

# fuzz SEED SECONDS [FILE TEXT]: run the program; the caller redirects its output to $WORK/said
fuzz() {
	# no kernel message when a process crashes: a library that gets an unexpected response may
	# crash
	echo 0 > /proc/sys/debug/exception-trace
	timeout -s KILL $(($2 + 300 * PATIENCE)) "$FUZZ" "$IB_A" "$@"
}

# many_requests: check that the run has changed requests, and that no access was stray
many_requests() {
	say "$(cat "$WORK/said")"
	grep -q "^seed .* processes, .* requests, [1-9][0-9]* changed, " "$WORK/said" ||
		fail "no request was changed"
	no_stray_dma
}

# guided: check that the run has found at least 100 kinds of responses or, on the debug kernel, has
# reached at least 100 edges of mlx5_ibx (KCOV)
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

# rounds WAY: run the program while the device is removed: unbound, fatal or unplugged
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
