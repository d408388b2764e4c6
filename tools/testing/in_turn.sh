#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# In a VM: run selftests one after the other, each for so many seconds at most, and
# say where one begins and how it ends. selftest.py reads that.
#
#	in_turn.sh TEST=SECONDS...
set -u

dir=$(dirname "$0")/selftests
for arg in "$@"; do
	test=${arg%=*}
	echo "# in_turn: $test"
	timeout -k 10 "${arg#*=}" "$dir/$test/test.sh"
	echo "# in_turn: $test ended with $?"
done
