#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# A kernel with PREEMPT_RT runs the selftests verbs, frwr and nvmeof. Each selftest is a case of
# this test; the cases of the selftest are in the diagnostics. The run also fails if the kernel
# reports a call of the scheduler in an atomic section or, on the debug kernel (DEBUG=1), a call of
# a function that may sleep in an atomic section. Debian's kernel reports only the scheduler.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"

TESTS=$(cd "$(dirname "$0")/.." && pwd)

preempt_rt() {
	say "$(uname -rv)"
	case $(uname -v) in
	*" PREEMPT_RT "*) ;;
	*) fail "this kernel has no PREEMPT_RT: KERNEL=6.12-rt selects one" ;;
	esac
}

# selftest NAME: run a selftest; all of its cases must pass
selftest() {
	local SUITES

	# shellcheck source=/dev/null
	SUITES=$(. "$TESTS/$1/config" && say "${SUITES:-}")
	SUITES=$SUITES "$TESTS/$1/test.sh" | tee "$WORK/$1" || fail "$1: status $?"
	! grep -q '^ok .*# SKIP' "$WORK/$1" || fail "$1 skips cases"
}

verbs() { selftest verbs; }
frwr() { selftest frwr; }
nvmeof() { selftest nvmeof; }

ktap_run preempt_rt verbs frwr nvmeof no_violations
