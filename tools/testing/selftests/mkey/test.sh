#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Mkeys of <rdma/mlx5dv.h>: their configuration, their memory, random layouts that are compared with
# a reference, layouts of the kernel's memory, and pools. One case breaks a rule of the device:
# wrong use of a key by its owner is a violation; wrong use by a peer is not.
set -eu
# shellcheck source=../../runner/lib/suites.sh
. "$(dirname "$0")/../../runner/lib/suites.sh"

# number of random layouts. FULL=1 selects ten times as many, but not on the debug kernel, where
# these take a quarter of an hour
LAYOUTS=1000
[ "${FULL:-}" != 1 ] || [ "$SLOWER" -gt 1 ] || LAYOUTS=10000

mkey_random() {
	ends
	ibx_test mkey_random
	sed 's/^/# /' "$IBX_TEST/log"
}

# Case: a local key does not permit the access
mkey_local_write() {
	no_violations
	own_fault mkey_local_write mkey_access
}

# mkeys_of FILE: print the configured mkeys in a file of debugfs, without the mkeys of the driver
mkeys_of() {
	awk '/^mkey / { on = / state valid mode klm / } on' "$1"
}

held() {
	[ "$(mkeys_of "$1" | grep -c '^mkey')" = 3 ]
}

# texts NAME: print the texts of the picture that have this name
texts() {
	sed -n "s/^$1: //p" "$WORK/texts"
}

# drawn: check that the picture has the lines of the text output, each piece of the layouts with its
# address, and each signature
drawn() {
	"$TESTLIB/svg_texts.py" "$WORK/mkeys.svg" > "$WORK/texts"
	sed -n 's/^   */ /p' "$WORK/text" > "$WORK/expected"
	texts line | sed 's/^  */ /' | diff "$WORK/expected" - || fail "not the lines of the text"
	python3 -c "
import sys
laps = 1
for w in map(str.split, open(sys.argv[1])):
    if w[0] == 'mkey':
        laps = 1
    elif w[0] == 'laps':
        laps = int(w[1])
    elif w[0] == 'key':
        for lap in range(laps):
            every = int(w[7]) if laps > 1 else 0
            print(f'{w[5]} bytes at {int(w[3], 16) + lap * every:#x}')
" "$WORK/device" > "$WORK/pieces"
	want_eq "pieces" "$(wc -l < "$WORK/pieces")" 20
	texts box | grep ' at ' | diff "$WORK/pieces" - || fail "not the pieces of the layouts"
	want_eq "T10-DIF in memory" "$(texts box | grep -c '^8 bytes of t10dif')" 4
	want_eq "CRC32C on the wire" "$(texts box | grep -c '^4 bytes of crc32c')" 4
}

# Case: three mkeys in debugfs. The driver and the device print the same line for each mkey; the
# device also prints the entries and signatures. ibx-mkey reads and draws the mkeys of the device.
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
	wait "$holder"
	cat "$WORK/device"
	# read a copy of the file: on a busy machine, ibx-mkey would start after the mkeys were
	# freed
	"$TOP/tools/ibx-mkey" --read "$WORK/device" --svg "$WORK/mkeys.svg" > "$WORK/text"
	cat "$WORK/text"
	sed 's/ signature [0-9]*$//' "$WORK/driver" > "$WORK/expected"
	sed -n '/^mkey/s/ used .*$//p' "$WORK/device" | cmp - "$WORK/expected"
	grep -q 'access rwRW- start 0x0 length 1300 entries 4 ' "$WORK/driver"
	grep -q 'access r-R-- start 0x0 length 320 entries 8 ' "$WORK/driver"
	want_eq "mkeys with signatures" "$(grep -vc ' signature 0$' "$WORK/driver")" 1
	# compare addresses relative to the first address
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
	printf '%s\n' '0 700' '1000 600' '5 2 64' '0 24 32' '2048 40 40' '4 2 520' '0 512 512' \
		'3072 8 8' | cmp - "$WORK/layouts"
	drawn
}

open_suites "random_cases=$LAYOUTS" "hold_ms=$((5000 * SLOWER))"
# one of the three mkeys of "decoded" has CRC32C, which devices of mlx5_ib do not have
decoded=decoded
if on_backend; then
	decoded=
fi
# shellcheck disable=SC2086
ktap_run load_suites $pair_cases $decoded no_violations unload_suites no_violations
