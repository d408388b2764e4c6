#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The part of "make demo-mkey" that runs in the guest, also for the selftest demo-mkey: the sample
# mkey_demo and its peer between two simulated ConnectX functions.
#
# Each step prints one line. The first step that fails ends the demo with a non-zero status. SPOIL
# is the number of the block in which a bit is inverted, 5 by default; with SPOIL=-1, no block is
# spoilt, and the demo must fail.
set -eu -o pipefail
# shellcheck disable=SC2034 # for mlx5dv_test.sh
BACKEND=1
# shellcheck source=../runner/lib/lib.sh
. "$(dirname "$0")/../runner/lib/lib.sh"
# shellcheck source=../runner/lib/mlx5dv_test.sh
. "$TESTLIB/mlx5dv_test.sh"
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

SPOIL=${SPOIL:-5}
BLOCK=520		# bytes of a block and its T10-DIF
PARAMETERS=/sys/module/mkey_demo/parameters
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

# result NAME: print a value of the last read, "none" without a value
result() {
	awk -v name="$1" '$1 == name { print $2; found = 1 } END { if (!found) print "none" }' \
		"$PARAMETERS/result"
}

# peer_reads BLOCK: invert a bit of the block, unless BLOCK is -1, and have the peer read all data
peer_reads() {
	echo "$1" > "$PARAMETERS/read" || fail "the read has failed"
	want_eq "CRC32 of the peer" "$(result peer_crc)" "$(result crc)"
}

# show_layout: print the mkey from debugfs: the attributes from the driver, the layout from the
# device
show_layout() {
	local mkey

	mkey=$(result mkey)
	echo
	grep "^mkey $mkey " "/sys/kernel/debug/mlx5/$(ib_pci "$IB_A")/mlx5_ibx/mkeys" ||
		fail "the driver does not report mkey $mkey"
	"$TOP/tools/ibx-mkey" --dev "$IB_A" --mkey "$mkey" > "$WORK/layout"
	cat "$WORK/layout"
	echo
	want_eq "number of pieces" "$(grep -c 'from key' "$WORK/layout")" 7
}

# quiet_log: fail if the kernel log has a warning about RDMA. mlx5_ib writes a warning for each
# signature error. Other warnings are about the time that the VM loses on a busy host.
quiet_log() {
	dmesg --level=emerg,alert,crit,err,warn | grep -E "mlx5|infiniband|rdma|ib_|mkey_|first_" |
		if on_backend; then sed '/Got SIGERR on key/d'; else cat; fi > "$WORK/log" || :
	[ ! -s "$WORK/log" ] || fail "in the kernel log: $(cat "$WORK/log")"
}

set_up() {
	step "two ends on one machine"
	ends_up
	dmesg -C
	done_step "$IB_A on $NET_A is $IP_A, $IB_B on $NET_B is $IP_B, driver $(ib_driver "$IB_A")"
	want_eq "driver of $IB_A" "$(ib_driver "$IB_A")" "$PROVIDER"
	want_eq "driver of $IB_B" "$(ib_driver "$IB_B")" "$PROVIDER"
	if on_backend; then
		step "loading mlx5dv_ib, which adds direct verbs to mlx5_ib"
		load_backend
		done_step
	fi
	step "connecting mkey_demo on $IB_A to first_ulp_peer on $IB_B, configuring one mkey"
	modprobe first_ulp_peer
	modprobe mkey_demo local="$IP_A" peer="$IP_B"
	done_step
}

# rmmod, because modprobe -r would also unload mlx5_ibx
tear_down() {
	step "disconnecting and unloading"
	rmmod mkey_demo
	rmmod first_ulp_peer
	unload_backend
	done_step
}

# report_error: print the signature error of the last read, and compare it with $SPOIL
report_error() {
	echo
	printf '  %-40s %s\n' "wrong" "$(result error) of block $(result block)" \
		"offset of the block in the mkey" "$(result offset)" \
		"guard in memory (expected_value)" "$(result expected)" \
		"guard of the data (actual_value)" "$(result actual)" \
		"guard of the data (crc_t10dif())" "$(result crc_t10dif)"
	want_eq "wrong part" "$(result error)" guard
	want_eq "wrong block" "$(result block)" "$SPOIL"
	want_eq "offset" "$(result offset)" $((SPOIL * BLOCK))
	want_eq "guard from the device" "$(result actual)" "$(result crc_t10dif)"
	[ "$(result expected)" != "$(result actual)" ] || fail "the guards are equal"
	echo
}

main() {
	set_up
	show_layout
	mark_data

	step "the peer reads with one key"
	peer_reads -1
	want_eq "signature error" "$(result error)" none
	done_step "$(result bytes) bytes, CRC32 $(result peer_crc) at both ends, no signature error"

	step "inverting a bit of block $SPOIL in the memory of $IB_A; the peer reads again"
	peer_reads "$SPOIL"
	done_step "signature error: $(result error)"
	report_error

	both_moved $((2 * $(result bytes)))
	tear_down
	want_eq "violations" "$(sim_violations)" 0
	quiet_log
	echo "demo-mkey: passed in $SECONDS s, the spoilt block was found, 0 violations"
}

main
