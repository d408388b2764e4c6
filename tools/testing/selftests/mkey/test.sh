#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Mkeys of <rdma/mlx5dv.h>: configuring them, what they lead to, random layouts against a
# reference, layouts of the kernel's memory and pools (suites mkey, mkey_bad, mkey_random and
# mkey_kernel of the module mlx5dv_test). Nothing in it breaks a rule of the device: what a peer
# does by a key it may not is no breach of ours.
set -eu
# shellcheck source=../../lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
# shellcheck source=../../lib/ibx_test.sh
. "$(dirname "$0")/../../lib/ibx_test.sh"
# shellcheck source=../../lib/mlx5dv_test.sh
. "$(dirname "$0")/../../lib/mlx5dv_test.sh"

# ten times as many take a quarter of an hour on the debug kernel
LAYOUTS=1000
[ "${FULL:-}" != 1 ] || [ "$SLOWER" -gt 1 ] || LAYOUTS=10000

load() {
	load_mlx5dv_test "random_cases=$LAYOUTS" "hold_ms=$((3000 * SLOWER))"
}

mkey_random() {
	ends
	ibx_test mkey_random
	sed 's/^/# /' "$IBX_TEST/log"
}

# mkeys_of FILE: those that lead somewhere, but not the driver's own, which lead everywhere
mkeys_of() {
	awk '/^mkey / { on = / state valid mode klm / } on' "$1"
}

held() {
	[ "$(mkeys_of "$1" | grep -c '^mkey')" = 2 ]
}

# What debugfs says of two mkeys, the driver and the device: both the same of the keys
# themselves, and the device what they lead to.
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
	sed -n '/^mkey/s/ used [0-9]*$//p' "$WORK/device" | cmp - "$WORK/expected"
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

# shellcheck disable=SC2046
on_pair $(dv_suite mkey mkey_bad mkey_kernel)

# shellcheck disable=SC2086
ktap_run load $pair_cases mkey_random decoded no_violations unload_mlx5dv_test no_violations
