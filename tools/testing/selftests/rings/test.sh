#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Queues that need much memory: suite rings of the module ibx_test. The test creates queues of
# common sizes while no free block of memory has 64 KiB, and resets a controller of NVMe over RDMA
# while no free block has 128 KiB. Then it creates the largest queues of the device, without
# fragmentation: mlx5_ib needs large blocks for their page lists. No case breaks a rule of the
# device.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"
# shellcheck source=../../runner/lib/ibx_test.sh
. "$(dirname "$0")/../../runner/lib/ibx_test.sh"
# shellcheck source=../../runner/lib/nvmeof.sh
. "$(dirname "$0")/../../runner/lib/nvmeof.sh"

# large_blocks ORDER: print the number of free blocks of 2^ORDER pages or more
large_blocks() {
	awk -v order="$1" '{ for (i = 5 + order; i <= NF; i++) n += $i } END { print n }' \
		/proc/buddyinfo
}

# fragment ORDER: fragment the memory, so that no free block has 2^ORDER pages
fragment() {
	echo "$1" > "$IBX_TEST/fragment"
	say "$(cat "$IBX_TEST/fragment") pieces taken, $(large_blocks "$1") large blocks left"
	grep . /proc/buddyinfo
}

fragment_memory() {
	fragment 4
}

free_memory() {
	echo 0 > "$IBX_TEST/fragment"
	want_ge "large blocks" "$(large_blocks 4)" 100
}

# Case: reset of a controller: the host destroys its queues and creates them again. The memory has
# blocks of 64 KiB, which nvmet allocates; it allocates larger blocks for deeper queues.
nvme_reset() {
	local dev

	ends
	target_up 16
	fragment 5
	host_connect --queue-size=16
	dev=$(host_bdev)
	fio_verify "$dev" 64k 4
	nvme reset "${dev%n*}" > "$WORK/nvme" 2>&1 || fail "nvme reset: $(cat "$WORK/nvme")"
	mark_data
	fio_verify "$dev" 64k 4
	both_moved $((2 * 4 * 1024 * 1024))
	host_disconnect
	target_down
}

modprobe ibx_test
# shellcheck disable=SC2046,SC2086
on_pair $(suite $SUITES | grep -v ^largest_)
cases=$pair_cases
# shellcheck disable=SC2046,SC2086
on_pair $(suite $SUITES | grep ^largest_)

# Unlike unload_ibx_test, does not compare the objects: the pool of the core keeps CQs of nvme and
# nvmet.
unload() {
	modprobe -r ibx_test
}

# shellcheck disable=SC2086
ktap_run load_ibx_test fragment_memory $cases no_violations no_objects_left nvme_reset \
	free_memory $pair_cases no_violations unload no_violations
