# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2154
#
# Protection information: the target at end B exports a block device to the host at end A, and both
# RDMA devices check its blocks. Source lib.sh and block.sh first, and define host_bdev and pi_told:
#
# pi_told FILE KIND LBA BLOCK: do the lines of the kernel log in FILE report that the transfer at
# sector LBA failed because KIND (guard or reftag) of block BLOCK of the transfer is wrong?

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

# pi_spoilt DEV BYTE LBA OPERAND...: dd with these operands transfers 4 KiB from or to sector LBA.
# The simulator changes byte BYTE of the transfer, DEV finds a wrong signature, and dd fails. The
# kernel log reports the error once, with the sector.
pi_spoilt() {
	local dev=$1 byte=$2 lba=$3 kind=guard before

	shift 3
	# a block: 512 bytes of data, 2 of guard, 2 of application tag, 4 of reference tag
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
	# the next commands succeed
	dd if=/dev/urandom of="$(host_bdev)" bs=4k count=8 oflag=direct status=none
	dd if="$(host_bdev)" of=/dev/null bs=4k count=8 iflag=direct status=none
}

# offsets in 4 KiB with protection information: data, guard and reference tag of block 0, data of
# block 4, reference tag of block 7. No ULP checks the application tag.
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
