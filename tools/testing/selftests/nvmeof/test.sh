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

	! on_sim || regs=$(sim_counter "$IB_A" registrations)
	dd if="$WORK/source" of="$(host_bdev)" bs="$1" count="$2" oflag=direct status=none
	! on_sim || want_eq "registrations of $2 writes of $1" \
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

# ctrl_is STATE: that of the host's controller
ctrl_is() {
	local ctrl state=

	for ctrl in /sys/class/nvme/nvme*; do
		[ "$(cat "$ctrl/subsysnqn" 2> /dev/null)" != "$NQN" ] || state=$(cat "$ctrl/state")
	done
	[ "$state" = "$1" ]
}

ctrl_is_not() {
	! ctrl_is "$1"
}

# pool_cqs DEV: the device's numbers of the CQs of the core's pool that have QPs. rdma(8) calls
# softirq, from which they are polled, DIRECT.
pool_cqs() {
	rdma resource show cq dev "$1" -dd | grep 'poll-ctx DIRECT' | grep -v 'users 0' |
		grep -oE 'hw_cqn 0x[0-9a-f]+' | cut -d' ' -f2
}

# The CQs of the host fail. They are those of the core's pool, which gives them out no more, so the
# host reconnects. The dead CQs stay there, and the driver has nothing to do about them.
pool_cqs_fail() {
	local faults cqn

	ends
	host_disconnect
	host_connect --ctrl-loss-tmo=300 --reconnect-delay=1 --nr-io-queues=1 --keep-alive-tmo=5
	faults=$SIM_DEBUGFS/$(ib_pci "$IB_A")/faults
	pool_cqs "$IB_A" > "$WORK/cqs"
	[ -s "$WORK/cqs" ] || fail "no CQ of the pool has QPs"
	while read -r cqn; do
		say "fail CQ $cqn"
		echo "$cqn" > "$faults/cq"
	done < "$WORK/cqs"
	wait_for 60 ctrl_is_not live || fail "the host does not notice"
	wait_for 60 ctrl_is live || fail "the host does not reconnect"
	fio_verify "$(host_bdev)" 64k 4
	kcount_on watch mlx5_ibx:watch_work
	sleep 2
	want_eq "runs of the watch" "$(kcount watch)" 0
	kcount_off watch
}

disconnect() {
	ends
	host_disconnect
	target_down
}

# mlx5_ib does not report a CQ in error, and its CQs stay in the pool
fails=
[ "$PROVIDER" != mlx5_ibx ] || fails=pool_cqs_fail
# shellcheck disable=SC2086
ktap_run connect io_4k io_64k io_1m io_mixed io_gaps file_system registrations \
	in_capsule_and_keyed reconnect $fails disconnect no_violations
