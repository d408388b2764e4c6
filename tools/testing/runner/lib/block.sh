# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2154
#
# A block device that end B exports to end A by any protocol: the disk of end B, and cases of I/O
# that end A runs on the block device. Source lib.sh first, and define host_bdev, which prints the
# path of the block device at end A. A file is sufficient for all cases except file_system.

NULLB=/sys/kernel/config/nullb/exported

mount_configfs() {
	modprobe configfs || fail "cannot load configfs"
	[ -d /sys/kernel/config ] || fail "this kernel has no configfs"
	mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
}

# From Linux 6.0 on, null_blk names a device of configfs after its directory.
# Before, the name is nullbN, where N is the index of the device.
nullb_name() {
	if [ -b "/dev/${NULLB##*/}" ]; then
		echo "${NULLB##*/}"
	else
		echo "nullb$(cat "$NULLB/index")"
	fi
}

# disk_up MEGABYTES [BLOCKSIZE]: create a disk in memory. null_blk copies complete blocks: if a
# piece of a buffer is not a multiple of BLOCKSIZE, null_blk writes beyond the end of the page. The
# buffers of some targets have such pieces.
disk_up() {
	mount_configfs
	modprobe null_blk nr_devices=0
	mkdir "$NULLB"
	echo "$1" > "$NULLB/size"
	echo "${2:-4096}" > "$NULLB/blocksize"
	echo 1 > "$NULLB/memory_backed"
	echo 0 > "$NULLB/irqmode"
	echo 0 > "$NULLB/completion_nsec"
	echo 1 > "$NULLB/power"
}

disk_down() {
	echo 0 > "$NULLB/power"
	rmdir "$NULLB"
	modprobe -r null_blk
}

# fio_verify FILE BLOCKSIZE MEGABYTES: write at random offsets with depth 32, read, and compare
fio_verify() {
	fio --name="verify-$2" --filename="$1" --bs="$2" --size="$3M" --iodepth=32 \
		--rw=randwrite --direct=1 --ioengine=libaio --randseed=1 \
		--verify=crc32c --do_verify=1 --verify_fatal=1 --verify_backlog=0 \
		--group_reporting --output-format=terse --terse-version=3 > "$WORK/fio" 2>&1 ||
		fail "fio at $2: $(tail -n 5 "$WORK/fio")"
	# Field 5 is the error number: fio may print an error and exit with 0.
	awk -F';' '$1 == 3 && $5 == 0 { ok = 1 } END { exit !ok }' "$WORK/fio" ||
		fail "fio at $2: $(tail -n 5 "$WORK/fio")"
}

# ---- cases -----------------------------------------------------------------------

# io BLOCKSIZE MEGABYTES
io() {
	ends
	mark_data
	fio_verify "$(host_bdev)" "$1" "$2"
	# The data is written once and read once. Each end counts sent and received bytes.
	both_moved $((2 * $2 * 1024 * 1024))
}

io_4k() { io 4k 2; }
io_64k() { io 64k 8; }
io_1m() { io 1m 16; }

# Small and large requests in one queue: of one page, and of many scattered pages.
io_mixed() {
	ends
	mark_data
	fio --name=mixed --filename="$(host_bdev)" --bsrange=4k-1m --bs_unaligned=0 \
		--blockalign=4k --size=12M --iodepth=32 --rw=randwrite --direct=1 \
		--ioengine=libaio --randseed=2 --norandommap=0 --verify=crc32c \
		--do_verify=1 --verify_fatal=1 --numjobs=1 > "$WORK/fio" 2>&1 ||
		fail "fio: $(tail -n 5 "$WORK/fio")"
	both_moved $((2 * 12 * 1024 * 1024))
}

# Buffers with holes: each direct system call reads or writes pieces of pages.
io_gaps() {
	ends
	mark_data
	"$TESTLIB/gaps_io.py" "$(host_bdev)" || fail "pieces of pages are not what was written"
	both_moved $((1024 * 1024))
}

# Buffered writes to a file system, whose requests have pages that are not adjacent. The files
# are read again after the page cache was dropped.
file_system() {
	local bdev

	ends
	bdev=$(host_bdev)
	mark_data
	mkfs.ext4 -q -F "$bdev"
	mkdir "$WORK/mnt"
	mount "$bdev" "$WORK/mnt"
	head -c 8M /dev/urandom > "$WORK/data"
	cp "$WORK/data" "$WORK/mnt/one"
	(cd "$WORK/mnt" && split -b 37001 one part.)
	sync
	echo 3 > /proc/sys/vm/drop_caches
	cmp "$WORK/data" "$WORK/mnt/one"
	cat "$WORK/mnt/part."* | cmp - "$WORK/data"
	umount "$WORK/mnt"
	both_moved $((4 * 8 * 1024 * 1024))
}

# The ULPs call ib_map_mr_sg(), or $MAP_CALL. Each call is one registration on a device. The host,
# or a SEND of the target, invalidates each registration. Up to $INV_LATE invalidations may be
# missing or additional: some occur only when the MR is used again, in a later case.
registrations() {
	local map=${MAP_CALL:-ib_core:ib_map_mr_sg}
	local calls regs invs calls0 regs0 invs0 late

	ends
	kcount_on map_mr_sg "$map"
	if on_sim; then
		regs0=$(sim_sum registrations)
		invs0=$(sim_sum invalidations)
	fi
	calls0=$(kcount map_mr_sg)
	fio_verify "$(host_bdev)" 16k 4
	calls=$(($(kcount map_mr_sg) - calls0))
	kcount_off map_mr_sg
	say "$map called $calls times"
	want_ge "calls of $map" "$calls" 1
	if on_sim; then
		regs=$(($(sim_sum registrations) - regs0))
		invs=$(($(sim_sum invalidations) - invs0))
		want_eq "registrations" "$regs" "$calls"
		late=$((invs - regs))
		[ "${late#-}" -le "${INV_LATE:-0}" ] ||
			fail "$invs invalidations of $regs registrations"
	fi
}
