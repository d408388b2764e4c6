# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2154
#
# Protection information of a block device that the host at end A has of the target at end B,
# checked by their devices. Source lib.sh and block.sh first, and define host_bdev and pi_told:
#
# pi_told FILE KIND LBA BLOCK: FILE, lines of the kernel log, reports that the transfer at sector
# LBA has failed for the guard or reftag of its block BLOCK

# Case: I/O of all sizes, checked by both devices
pi_io() {
	local a b size

	ends
	a=$(sim_counter "$IB_A" sig_blocks_checked)
	b=$(sim_counter "$IB_B" sig_blocks_checked)
	for size in 4k 64k 1m; do
		fio_verify "$(host_bdev)" "$size" 4
	done
	say "# checked: $(($(sim_counter "$IB_A" sig_blocks_checked) - a)) by the host's device," \
		"$(($(sim_counter "$IB_B" sig_blocks_checked) - b)) by the target's"
	[ "$(sim_counter "$IB_A" sig_blocks_checked)" -gt "$a" ] || fail "the host checked nothing"
	[ "$(sim_counter "$IB_B" sig_blocks_checked)" -gt "$b" ] ||
		fail "the target checked nothing"
	want_eq "errors of the host" "$(sim_counter "$IB_A" sig_errors)" 0
	want_eq "errors of the target" "$(sim_counter "$IB_B" sig_errors)" 0
}

# pi_spoilt DEV BYTE LBA OPERAND...: a transfer of 4 KiB by dd, which begins at this sector, fails,
# because the device finds a wrong signature. The kernel log reports it once, with the sector.
pi_spoilt() {
	local dev=$1 byte=$2 lba=$3 kind=guard before

	shift 3
	# 512 bytes of data, guard, application tag, reference tag
	[ $((byte % 520)) -lt 516 ] || kind=reftag
	before=$(sim_counter "$dev" sig_errors_reported)
	echo "pi: $dev, byte $byte" > /dev/kmsg
	echo "spoil 1 $byte" > "$SIM_DEBUGFS/$(ib_pci "$dev")/faults/signature"
	if dd bs=4k count=1 status=none "$@" 2> "$WORK/said"; then
		fail "byte $byte: nothing was noticed"
	fi
	cat "$WORK/said"
	want_eq "errors reported" $(($(sim_counter "$dev" sig_errors_reported) - before)) 1
	dmesg | sed "1,/pi: $dev, byte $byte\$/d" > "$WORK/told"
	want_eq "errors reported for byte $byte" "$(grep -c 'PI error found' "$WORK/told")" 1
	pi_told "$WORK/told" "$kind" "$lba" $((byte / 520)) ||
		fail "byte $byte, $kind at sector $lba: $(cat "$WORK/told")"
	! grep -iE 'reconnect|detected conn error|timed? ?out|error recovery' "$WORK/told" ||
		fail "byte $byte: the connection is lost"
	# and the following commands succeed
	dd if=/dev/urandom of="$(host_bdev)" bs=4k count=8 oflag=direct status=none
	dd if="$(host_bdev)" of=/dev/null bs=4k count=8 iflag=direct status=none
}

# data, guard and reference tag of the first, a middle and the last block of 4 KiB; no ULP checks
# the application tag
PI_BYTES="0 511 512 513 519 2080 4159"

# Case: a write; the device of the target detects the error
pi_write_spoilt() {
	local byte lba=0

	ends
	for byte in $PI_BYTES; do
		pi_spoilt "$IB_B" "$byte" "$lba" if=/dev/zero of="$(host_bdev)" oflag=direct \
			seek=$((lba / 8))
		lba=$((lba + 8))
	done
}

# Case: a read; the device of the host detects the error
pi_read_spoilt() {
	local byte lba=0

	ends
	# the kernel logs at most ten errors in five seconds
	sleep 5
	for byte in $PI_BYTES; do
		pi_spoilt "$IB_A" "$byte" "$lba" if="$(host_bdev)" of=/dev/null iflag=direct \
			skip=$((lba / 8))
		lba=$((lba + 8))
	done
}
