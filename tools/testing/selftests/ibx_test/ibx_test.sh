# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Cases of the kernel module ibx_test as cases of a shell test (source lib.sh
# first). on_pair makes a case function of the same name for each.

IBX_TEST=/sys/kernel/debug/ibx_test

# suite FILE...: names of the cases in the module's files
suite() {
	local file

	for file in "$@"; do
		awk -F'"' '/^	\{ "/ { print $2 }' "$SELFTESTS/ibx_test/$file.c"
	done
}

load_ibx_test() {
	ends_up
	clear_violations
	modprobe ibx_test
}

unload_ibx_test() {
	modprobe -r ibx_test
}

# ibx_test CASE: run it between the two ends
ibx_test() {
	echo "$1 $IB_A $IB_B" 2> /dev/null > "$IBX_TEST/run" || {
		cat "$IBX_TEST/log"
		fail "$1"
	}
}

# on_pair CASE...: sets pair_cases
on_pair() {
	local name

	# shellcheck disable=SC2034
	pair_cases=$*
	for name in "$@"; do
		eval "$name() { ends; ibx_test $name; }"
	done
}
