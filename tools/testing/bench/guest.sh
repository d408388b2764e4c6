#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The part of "make bench" that runs in the guest. Prints the results of the bench cases of
# ibx_test, and the counters of the device for a registration:
#
#	bench OPERATION SHAPE LENGTH FIGURE
#
# Then it prints the cost of NVMe over RDMA requests in the host, for the kernel's NVMe host and for
# the NVMe host on ib_frwr, from the module nvme_cost:
#
#	nvme HOST OPERATION BYTES DEPTH NAME FIGURE NAME FIGURE ...
#
# PROBE and CONTROL are the compiled programs libmlx5/probe.c and libmlx5/control.c. PROBE runs on
# mlx5_ib only. CONTROL prints the cost of objects in lines that begin with "control".
set -eu
if [ $# -ne 2 ]; then
	echo "usage: guest.sh PROBE CONTROL, in a VM: see bench/run" >&2
	exit 2
fi
# shellcheck source=../runner/lib/lib.sh
. "$(dirname "$0")/../runner/lib/lib.sh"
# shellcheck source=../runner/lib/ibx_test.sh
. "$(dirname "$0")/../runner/lib/ibx_test.sh"
# shellcheck source=../runner/lib/nvmeof.sh
. "$(dirname "$0")/../runner/lib/nvmeof.sh"

ROUNDS=100	# registrations in one bench_lines case
REQUESTS=256	# requests of a run of nvme_cost
PROCESSES=6	# number of processes that run CONTROL, one after the other
NVME_COST=/sys/kernel/debug/nvme_cost

# device_counts LENGTH: print counters of the device at end A, per registration and invalidation
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

# nvme_cost OPERATION BYTES DEPTH: measure requests, and print the line "nvme"
nvme_cost() {
	echo "$1 $IB_A $(host_bdev) $2 $3 $REQUESTS" > "$NVME_COST/run" || {
		cat "$NVME_COST/log"
		fail "nvme_cost $*"
	}
	echo "nvme $NVME_HOST $* $(tr '\n' ' ' < "$NVME_COST/log")"
}

# nvme_costs HOST: measure requests to one queue, without a scheduler and without multipath
nvme_costs() {
	local queue op bytes depth

	NVME_HOST=$1
	host_connect --nr-io-queues=1
	queue=/sys/block/$(basename "$(host_bdev)")/queue
	echo none > "$queue/scheduler"
	echo 2 > "$queue/nomerges"
	for op in read write; do
		for bytes in 4096 131072; do
			for depth in 1 32; do
				nvme_cost "$op" "$bytes" "$depth"
			done
		done
	done
	host_disconnect
}

# direct_verbs_on_mlx5_ib: measure builders on QPs of mlx5_ib, and ib_post_send() while the modules
# of direct verbs are loaded
direct_verbs_on_mlx5_ib() {
	modprobe mlx5_ibx claim=
	modprobe mlx5dv_ib
	modprobe mlx5dv_test
	ibx_test bench_dv
	cat "$IBX_TEST/log"
	ibx_test bench_post
	sed 's/^bench [a-z_]*/&_dvib/' "$IBX_TEST/log"
	rmmod mlx5dv_test mlx5dv_ib mlx5_ibx
}

WORK=$(mktemp -d)
start_ibx_test
modprobe ib_uverbs
for shape in scattered contiguous one gappy post pi; do
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
	ibx_test bench_crc
	cat "$IBX_TEST/log"
	modprobe xts
	ibx_test bench_xts
	cat "$IBX_TEST/log"
	awk '/^name/ { name = $3 } /^driver/ && name == "crc32c" { print "# crc32c() has " $3 }' \
		/proc/crypto
	"$1" cost "$IB_A"
	direct_verbs_on_mlx5_ib
fi
modprobe nvme_cost
echo "options nvme_core multipath=N" > /run/modprobe.d/nvme_cost.conf
target_up 64
for host in nvme_rdma nvme_rdma_frwr; do
	nvme_costs "$host"
done
# CONTROL runs last, because work items of stock mlx5_ib still run afterwards. control.c explains
# the real-time priority and the busy processor.
chrt --idle 0 bash -c "while :; do :; done" &
busy=$!
for _ in $(seq "$PROCESSES"); do
	chrt --fifo 1 "$2" "$IB_A" "$SIM_DEBUGFS/$(ib_pci "$IB_A")/commands"
done
kill "$busy"
no_violations
