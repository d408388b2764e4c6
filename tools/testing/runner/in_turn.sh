#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# In a VM: run selftests one after the other, each with its suites and a time limit. Prints a line
# when a test begins, and its exit status when it ends. selftest.py reads these lines.
#
#	in_turn.sh TEST=SECONDS=SUITES...
set -u

if [ $# -eq 0 ]; then
	echo "usage: in_turn.sh TEST=SECONDS=SUITES..." >&2
	exit 2
fi
dir=$(dirname "$0")/../selftests
for arg in "$@"; do
	IFS="=" read -r test seconds SUITES <<< "$arg"
	export SUITES
	echo "# in_turn: $test"
	timeout -k 10 "$seconds" "$dir/$test/test.sh"
	echo "# in_turn: $test ended with $?"
done
