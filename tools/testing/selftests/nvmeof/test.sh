#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# NVMe over RDMA on the provider under test: connect, verified I/O of every size,
# a file system, invalidation, reconnect, teardown. Both devices must move the
# data, every registration must be one the kernel asked for, and no rule of the
# device may be broken.
set -eu
# shellcheck source=../../lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
# shellcheck source=../../lib/nvmeof.sh
. "$(dirname "$0")/../../lib/nvmeof.sh"

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

# writes BLOCKSIZE NUMBER REGISTRATIONS: so many commands, and what the host registers for them
writes() {
	local regs

	regs=$(sim_counter "$IB_A" registrations)
	dd if="$WORK/source" of="$(host_bdev)" bs="$1" count="$2" oflag=direct status=none
	want_eq "registrations of $2 writes of $1" \
		$(($(sim_counter "$IB_A" registrations) - regs)) "$3"
	cmp -n $(($(numfmt --from=iec "${1^^}") * $2)) "$WORK/source" "$(host_bdev)"
}

# Data that fits rides in the command's capsule; the rest is named by a key.
in_capsule_and_keyed() {
	ends
	head -c 1M /dev/urandom > "$WORK/source"
	writes 4k 16 0
	writes 64k 16 16
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

ktap_run connect io_4k io_64k io_1m io_mixed io_gaps file_system registrations \
	in_capsule_and_keyed reconnect disconnect no_violations
