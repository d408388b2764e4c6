#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The guest's half of "make bench": prints what the bench cases of ibx_test
# measure, and what the device counted for a registration:
#
#	bench OPERATION SHAPE LENGTH FIGURE
#
# Its argument is libmlx5/probe.c, compiled, which runs where userspace has the device.
set -eu
# shellcheck source=../lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"
# shellcheck source=../lib/ibx_test.sh
. "$(dirname "$0")/../lib/ibx_test.sh"

ROUNDS=100	# registrations in one bench_lines case

# device_counts LENGTH: per registration and invalidation, of the device that registers
device_counts() {
	local name before after

	for name in dma_reads dma_read_lines wqe_bbs; do
		sim_counter "$IB_A" "$name" > "$WORK/$name"
	done
	ibx_test "bench_lines_$1"
	for name in dma_reads dma_read_lines wqe_bbs; do
		before=$(cat "$WORK/$name")
		after=$(sim_counter "$IB_A" "$name")
		echo "bench $name device $1 $(((after - before + ROUNDS / 2) / ROUNDS))"
	done
}

WORK=$(mktemp -d)
start_ibx_test
for shape in scattered contiguous one gappy post; do
	ibx_test "bench_$shape"
	cat "$IBX_TEST/log"
done
for length in $(suite bench | sed -n 's/^bench_lines_//p'); do
	device_counts "$length"
done
if [ "$PROVIDER" = mlx5_ibx ]; then
	modprobe mlx5dv_test
	ibx_test bench_dv
	cat "$IBX_TEST/log"
else
	modprobe ib_uverbs
	"$1" cost "$IB_A"
fi
no_violations
