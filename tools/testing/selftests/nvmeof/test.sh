#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# NVMe over RDMA on the provider under test: connect, verified I/O of every size, a file system,
# invalidation, reconnect, teardown. Both devices must move the data, the number of registrations
# must be the number of the kernel's calls, and no violation may be counted.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/nvmeof.sh
. "$(dirname "$0")/../../runner/lib/nvmeof.sh"

DISK_MB=64

connect() {
	ends_up
	target_up "$DISK_MB"
	mark_data
	host_connect
	want_eq "size of the namespace" \
		"$(cat "/sys/block/$(basename "$(host_bdev)")/size")" $((DISK_MB * 2048))
	# A connection without I/O moves a few capsules and at least one identify page.
	both_moved 4096
}

# writes BLOCKSIZE NUMBER REGISTRATIONS: execute NUMBER writes, for which the host makes
# REGISTRATIONS
writes() {
	local regs

	! on_sim || regs=$(sim_counter "$IB_A" registrations)
	dd if="$WORK/source" of="$(host_bdev)" bs="$1" count="$2" oflag=direct status=none
	! on_sim || want_eq "registrations of $2 writes of $1" \
		$(($(sim_counter "$IB_A" registrations) - regs)) "$3"
	cmp -n $(($(numfmt --from=iec "${1^^}") * $2)) "$WORK/source" "$(host_bdev)"
}

# Case: small data is in the capsule of the command; other data is registered.
in_capsule_and_keyed() {
	ends
	head -c 1M /dev/urandom > "$WORK/source"
	writes 4k 16 0
	writes 64k 16 16
}

# Case: the host disconnects and connects while the target exists.
reconnect() {
	ends
	host_disconnect
	mark_data
	host_connect --nr-io-queues=1
	fio_verify "$(host_bdev)" 4k 1
	both_moved $((2 * 1024 * 1024))
}

# host_ctrl: print the directory of the host's controller in sysfs
host_ctrl() {
	local ctrl

	for ctrl in /sys/class/nvme/nvme*; do
		if [ "$(cat "$ctrl/subsysnqn" 2> /dev/null)" = "$NQN" ]; then
			echo "$ctrl"
			return
		fi
	done
	return 1
}

# ctrl_is STATE: does the host's controller have this state?
ctrl_is() {
	local ctrl

	ctrl=$(host_ctrl) && [ "$(cat "$ctrl/state" 2> /dev/null)" = "$1" ]
}

ctrl_is_not() {
	! ctrl_is "$1"
}

# pool_cqs DEV: print the device's numbers of the CQs of the core's pool that have QPs. These CQs
# are polled in softirqs; rdma(8) prints DIRECT for this context.
pool_cqs() {
	rdma resource show cq dev "$1" -dd | grep 'poll-ctx DIRECT' | grep -v 'users 0' |
		grep -oE 'hw_cqn 0x[0-9a-f]+' | cut -d' ' -f2
}

# Case: the CQs of the host enter error. They belong to the pool of the core, which does not use CQs
# in error: the host reconnects. The CQs stay in the pool; the driver cannot change that.
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

# io_timeout MILLISECONDS: set the timeout of later requests on the only path to the disk. Waits for
# earlier requests.
io_timeout() {
	set -- "$1" /sys/block/nvme*c*n*
	# on a kernel without multipath, the path is the disk
	[ -e "$2" ] || set -- "$1" /sys/block/nvme*n*
	echo "$1" > "$2/queue/io_timeout"
}

# hold_disk NVME-CLI OPTION...: connect to a disk that can be suspended as "held"
hold_disk() {
	host_disconnect
	dmsetup create held --table "0 $((DISK_MB * 2048)) linear /dev/$(nullb_name) 0"
	target_disk "/dev/$(dmsetup info -c --noheadings -o blkdevname held)"
	host_connect --nr-io-queues=1 "$@"
}

# release_disk: remove the disk of hold_disk, and connect to the usual disk. No host may be
# connected.
release_disk() {
	target_disk "/dev/$(nullb_name)"
	dmsetup remove held
	host_connect
}

# Case: the target does not respond, and requests time out. The host invalidates their keys,
# reconnects and sends the requests again.
requests_time_out() {
	local pid

	ends
	hold_disk --ctrl-loss-tmo=300 --reconnect-delay=1
	io_timeout $((3000 * SLOWER))
	dmsetup suspend --nolockfs held
	fio_verify "$(host_bdev)" 64k 4 &
	pid=$!
	wait_for 60 ctrl_is_not live || fail "no request times out"
	dmsetup resume held
	wait_for 60 ctrl_is live || fail "the host does not reconnect"
	wait "$pid" || fail "fio"
	host_disconnect
	release_disk
}

# polled_rounds: verified I/O of tasks that poll for completions, until $WORK/enough exists
polled_rounds() {
	until [ -e "$WORK/enough" ]; do
		fio --name=polled --filename="$(host_bdev)" --bs=16k --size=2M \
			--offset_increment=2M --numjobs=4 --iodepth=4 --direct=1 \
			--ioengine=io_uring --hipri --randseed=4 --rw=randwrite \
			--verify=crc32c --do_verify=1 --verify_fatal=1 || return
	done
}

# Case: several tasks poll the CQ of one queue, also while the controller resets.
polled() {
	local ctrl pid i

	ends
	host_disconnect
	host_connect --ctrl-loss-tmo=300 --reconnect-delay=1 --nr-io-queues=1 --nr-poll-queues=1
	want_eq "polling" "$(cat "/sys/block/$(basename "$(host_bdev)")/queue/io_poll")" 1
	mark_data
	kcount_on polls "$NVME_HOST:nvme_rdma_poll"
	polled_rounds > "$WORK/polled" 2>&1 &
	pid=$!
	ctrl=$(host_ctrl)
	for i in 1 2 3; do
		wait_for 60 in_flight || fail "fio is not at work: $(tail -n 5 "$WORK/polled")"
		echo 1 > "$ctrl/reset_controller" || say "reset $i is not complete"
		wait_for 60 ctrl_is live || fail "after reset $i"
	done
	touch "$WORK/enough"
	wait "$pid" || fail "fio: $(tail -n 5 "$WORK/polled")"
	both_moved $((2 * 8 * 1024 * 1024))
	want_ge "polls of the CQ" "$(kcount polls)" 256
	kcount_off polls
}

# Case: disconnect, and remove the target. On the debug kernel the target stays: lockdep would
# report the removal of the port, a fault of nvmet, because connect commands were executed in the
# handler of the CM (vm/console.py).
disconnect() {
	ends
	host_disconnect
	[ "$SLOWER" != 1 ] || target_down
}

# not on mlx5_ib: mlx5_ib does not report CQs in error, and the pool would still use these CQs
fails=
[ "$PROVIDER" != mlx5_ibx ] || fails=pool_cqs_fail
# additional cases of a selftest that runs this script
more=
# shellcheck source=/dev/null
[ -z "${MORE_CASES:-}" ] || . "$MORE_CASES"
# shellcheck disable=SC2086
ktap_run connect io_4k io_64k io_1m io_mixed io_gaps file_system registrations \
	in_capsule_and_keyed reconnect $more requests_time_out polled $fails disconnect \
	no_violations
