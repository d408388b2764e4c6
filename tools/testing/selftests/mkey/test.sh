#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Mkeys of <rdma/mlx5dv.h>: how they are configured, which memory they reach, random layouts against
# a reference, layouts of the kernel's memory, and pools. One case breaks a rule of the device: a
# peer that uses a key wrongly is no violation by the driver, its owner is.
set -eu
# shellcheck source=../../runner/lib/suites.sh
. "$(dirname "$0")/../../runner/lib/suites.sh"

# ten times as many layouts take a quarter of an hour on the debug kernel
LAYOUTS=1000
[ "${FULL:-}" != 1 ] || [ "$SLOWER" -gt 1 ] || LAYOUTS=10000

mkey_random() {
	ends
	ibx_test mkey_random
	sed 's/^/# /' "$IBX_TEST/log"
}

# a key of the QP's own device that does not allow the access
mkey_local_write() {
	no_violations
	own_fault mkey_local_write mkey_access
}

# mkeys_of FILE: the configured mkeys, without the mkeys of the driver
mkeys_of() {
	awk '/^mkey / { on = / state valid mode klm / } on' "$1"
}

held() {
	[ "$(mkeys_of "$1" | grep -c '^mkey')" = 2 ]
}

# Two mkeys in debugfs. The driver and the device print the same line for each; the device prints
# its entries too.
decoded() {
	local driver device holder

	ends
	driver=/sys/kernel/debug/mlx5/$(ib_pci "$IB_A")/mlx5_ibx/mkeys
	device=$SIM_DEBUGFS/$(ib_pci "$IB_A")/mkeys
	ibx_test mkey_hold &
	holder=$!
	wait_for 20 held "$driver" || fail "no mkeys: $(cat "$driver")"
	mkeys_of "$driver" > "$WORK/driver"
	mkeys_of "$device" > "$WORK/device"
	cat "$WORK/device"
	wait "$holder"
	sed 's/ signature 0$//' "$WORK/driver" > "$WORK/expected"
	sed -n '/^mkey/s/ used .*$//p' "$WORK/device" | cmp - "$WORK/expected"
	grep -q 'access rwRW- start 0x0 length 1300 entries 4 ' "$WORK/driver"
	grep -q 'access r-R-- start 0x0 length 320 entries 8 ' "$WORK/driver"
	# addresses count from the first
	python3 -c "
import sys
first = None
for w in map(str.split, open(sys.argv[1])):
    if w[0] == 'key':
        first = first or int(w[3], 16)
        print(int(w[3], 16) - first, *w[5::2])
    elif w[0] == 'laps':
        print(*w[1::2])
" "$WORK/device" > "$WORK/layouts"
	printf '%s\n' '0 700' '1000 600' '5 2 64' '0 24 32' '2048 40 40' | cmp - "$WORK/layouts"
}

open_suites "random_cases=$LAYOUTS" "hold_ms=$((3000 * SLOWER))"
# shellcheck disable=SC2086
ktap_run load_suites $pair_cases decoded no_violations unload_suites no_violations
