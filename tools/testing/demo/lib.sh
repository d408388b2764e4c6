# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Output of the demos. Source this file in the guest.

step_start=0

# step TEXT, done_step [TEXT]: print the begin and the end of the line "[ 12 s] TEXT ... TEXT (N s)"
step() {
	step_start=$SECONDS
	printf '[%4d s] %s ... ' "$SECONDS" "$1"
}

done_step() {
	printf '%s (%d s)\n' "${1:-ok}" $((SECONDS - step_start))
}

# row NAME COLUMN...: print a line of a table; several lines if there are more than two columns
row() {
	printf '  %-24s %16s %16s\n' "$@"
}
