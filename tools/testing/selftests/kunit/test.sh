#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The KUnit suites with the drivers loaded: each module of suites calls the functions of its loaded
# driver, under KASAN and lockdep. ("make kunit" runs all suites on a small kernel, and each module
# of suites contains the functions under test.)
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"

RESULTS=/sys/kernel/debug/kunit

# Case: KUnit runs suites only with enable=1
enable_kunit() {
	modprobe kunit enable=1
}

# run_suites DRIVER CASES: load the module of the driver's suites; at least CASES cases run, and all
# pass
run_suites() {
	local suite passed=0

	[ -d "/sys/module/$1" ] || modprobe "$1"
	modprobe "$1_kunit"
	[ -d "/sys/module/$1/holders/$1_kunit" ] || fail "$1_kunit does not use $1"
	for suite in "$RESULTS"/*/; do
		cp "$suite/results" "$WORK/results"
		! grep -E '^ *not ok' "$WORK/results" || fail "suite $(basename "$suite")"
		passed=$((passed + $(grep -cE '^ {4,}ok ' "$WORK/results")))
	done
	say "$passed cases"
	want_ge "cases that passed" "$passed" "$2"
	# modprobe -r would also unload kunit, which was loaded with enable=1
	rmmod "$1_kunit"
}

suites_of_ib_frwr() {
	run_suites ib_frwr 160
}

suites_of_mlx5_ibx() {
	run_suites mlx5_ibx 570
}

# Suites that replace functions of the device run only on the kernel of make kunit.
suites_of_mlx5sim() {
	run_suites mlx5sim 170
}

ktap_run enable_kunit suites_of_ib_frwr suites_of_mlx5_ibx suites_of_mlx5sim no_violations
