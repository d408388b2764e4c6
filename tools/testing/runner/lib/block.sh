# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2154
#
# A block device that end B exports to end A, whatever the protocol: the disk behind it, and cases
# of I/O on it. Source lib.sh first, and define host_bdev, which prints the device of the host. A
# file is sufficient for all cases but file_system.

NULLB=/sys/kernel/config/nullb/exported

mount_configfs() {
	modprobe configfs || fail "cannot load configfs"
	[ -d /sys/kernel/config ] || fail "this kernel has no configfs"
	mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
}

# null_blk names a device made through configfs after the directory from 6.0 on,
# nullbN by its index before.
nullb_name() {
	if [ -b "/dev/${NULLB##*/}" ]; then
		echo "${NULLB##*/}"
	else
		echo "nullb$(cat "$NULLB/index")"
	fi
}

# disk_up MEGABYTES [BLOCKSIZE]: backed by memory. null_blk copies complete blocks: pieces of memory
# that are not, as on some targets, it writes over the ends of its pages.
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

# fio_verify FILE BLOCKSIZE MEGABYTES: random writes at depth 32, read back, and compared
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
	# Written once, read once; each end counts both.
	both_moved $((2 * $2 * 1024 * 1024))
}

io_4k() { io 4k 2; }
io_64k() { io 64k 8; }
io_1m() { io 1m 16; }

# Sizes and offsets in one queue: large and small, single page and scattered.
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

# Buffers with holes: pieces of pages, from one direct system call.
io_gaps() {
	ends
	mark_data
	"$TESTLIB/gaps_io.py" "$(host_bdev)" || fail "pieces of pages are not what was written"
	both_moved $((1024 * 1024))
}

# A buffer that is not page aligned and not physically contiguous: buffered
# writes through a file system, read back after dropping the caches.
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

# Each ib_map_mr_sg() of the ULPs, or call of $MAP_CALL, is one registration on a device, and each
# registration is invalidated, by the host or by the target's SEND. $INV_LATE of the invalidations
# may occur only when the MR is used again, that is, in a later case.
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
