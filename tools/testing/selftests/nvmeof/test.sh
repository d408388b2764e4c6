#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# NVMe over RDMA on the provider under test: connect, verified I/O of every size,
# a file system, invalidation, reconnect, teardown. Both devices must move the
# data, every registration must be one the kernel asked for, and no rule of the
# device may be broken.
set -eu
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=nvmeof.sh
. "$(dirname "$0")/nvmeof.sh"

DISK_MB=64

connect() {
	ends_up
	target_up "$DISK_MB"
	mark_data
	host_connect
	want_eq "size of the namespace" \
		"$(cat "/sys/block/$(basename "$(host_bdev)")/size")" $((DISK_MB * 2048))
	# Connecting alone is a handful of capsules and one identify page or two.
	both_moved 4096
}

# io BLOCKSIZE MEGABYTES
io() {
	ends
	mark_data
	fio_verify "$(host_bdev)" "$1" "$2"
	# Written once, read once; each end sees both.
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

# Each ib_map_mr_sg() of the ULPs is one registration on a device, and what is
# registered is invalidated again, by the host or by the target's SEND.
registrations() {
	local calls regs invs calls0 regs0 invs0

	ends
	kcount_on map_mr_sg ib_core:ib_map_mr_sg
	if on_sim; then
		regs0=$(sim_sum registrations)
		invs0=$(sim_sum invalidations)
	fi
	calls0=$(kcount map_mr_sg)
	fio_verify "$(host_bdev)" 16k 4
	calls=$(($(kcount map_mr_sg) - calls0))
	kcount_off map_mr_sg
	say "ib_map_mr_sg called $calls times"
	want_ge "calls of ib_map_mr_sg" "$calls" 1
	if on_sim; then
		regs=$(($(sim_sum registrations) - regs0))
		invs=$(($(sim_sum invalidations) - invs0))
		want_eq "registrations" "$regs" "$calls"
		want_eq "invalidations" "$invs" "$regs"
	fi
}

# The host goes and comes back while the target stays.
reconnect() {
	ends
	host_disconnect
	mark_data
	host_connect --nr-io-queues=1
	fio_verify "$(host_bdev)" 4k 1
	both_moved $((2 * 1024 * 1024))
}

disconnect() {
	ends
	host_disconnect
	target_down
}

ktap_run connect io_4k io_64k io_1m io_mixed file_system registrations reconnect \
	disconnect no_violations
