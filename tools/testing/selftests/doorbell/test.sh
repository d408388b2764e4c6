#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Doorbells. The simulator reads doorbell records in memory. A driver that omits a write to the
# register works on the simulator, but would hang on silicon. In this test, the kernel's mmiotrace
# logs every write to the BAR. Each chain of work requests must ring once, with the control segment
# of its last WQE. This is checked for known chains of the module ibx_test; for an NVMe-oF session,
# the number of doorbells is checked. In the session, CQs and EQs must also be armed by their
# registers, and each object must ring only on its UAR page.
#
# The config has one CPU, and enables mmiotrace before mlx5_core maps the BAR.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/ibx_test.sh
. "$(dirname "$0")/../../runner/lib/ibx_test.sh"
# shellcheck source=../../runner/lib/nvmeof.sh
. "$(dirname "$0")/../../runner/lib/nvmeof.sh"

CHECK=$(dirname "$0")/check.py

case $PROVIDER in
mlx5_ib) post_send=mlx5_ib_post_send ;;
*) post_send=ibx_post_send ;;
esac

# save_trace: write the log of mmiotrace to $WORK/trace; fail if events were lost
save_trace() {
	local lost

	lost=$(awk '$1 == "overrun:" { print $2 }' "$TRACEFS/per_cpu/cpu0/stats")
	want_eq "events lost" "$lost" 0
	grep -E '^(R|W|MAP|UNMAP) ' "$TRACEFS/trace" > "$WORK/trace"
}

count_doorbells() {
	save_trace
	python3 -B "$CHECK" count "$WORK/trace" "$VM_BASE" "$VM_SIZE"
}

tracing() {
	want_eq "tracer" "$(cat "$TRACEFS/current_tracer")" mmiotrace
	want_eq "processors" "$(nproc)" 1
	ends_up
	save_trace
	want_ge "accesses logged by now" "$(wc -l < "$WORK/trace")" 100
}

known_chains() {
	local trace

	ends
	trace=$SIM_DEBUGFS/$(ib_pci "$IB_B")
	modprobe ibx_test
	echo 1 > "$trace/trace_on"
	ibx_test doorbells
	cp "$IBX_TEST/log" "$WORK/log"
	cat "$trace/trace" > "$WORK/simtrace"
	echo 0 > "$trace/trace_on"
	modprobe -r ibx_test
	save_trace
	python3 -B "$CHECK" chains "$WORK/trace" "$VM_BASE" "$VM_SIZE" "$WORK/log" "$WORK/simtrace"
}

# count_posts: print the number of posts that ring a doorbell. On mlx5_ib, the post function of the
# general services QP calls post_send again; mlx5_ibx posts NOPs to drain datagram QPs.
count_posts() {
	local posts more

	posts=$(kcount post_send)
	if [ "$PROVIDER" = mlx5_ib ]; then
		more=-$(kcount gsi_post_send)
	else
		more=$(kcount post_nop)
	fi
	echo $((posts + more))
}

# trace_devices 0|1: stop, or clear and start, the traces of both simulated devices
trace_devices() {
	local dir

	for dir in "$SIM_DEBUGFS/"*:*; do
		[ "$1" = 0 ] || echo 1 > "$dir/trace"
		echo "$1" > "$dir/trace_on"
	done
}

# check_queues FIRST: check the doorbells of each function in the log from line FIRST on
check_queues() {
	local dir

	for dir in "$SIM_DEBUGFS/"*:*; do
		cat "$dir/trace" > "$WORK/simtrace"
		python3 -B "$CHECK" queues "$WORK/trace" "$(sed -n 's/^bar //p' "$dir/info")" "$1" \
			"$WORK/simtrace"
	done
}

nvmeof_session() {
	local before after posts first

	ends
	before=$(count_doorbells)
	kcount_on post_send "$PROVIDER:$post_send"
	if [ "$PROVIDER" = mlx5_ib ]; then
		kcount_on gsi_post_send mlx5_ib:mlx5_ib_gsi_post_send
	else
		kcount_on post_nop mlx5_ibx:ibx_post_nop
	fi
	first=$(wc -l < "$WORK/trace")
	trace_devices 1
	target_up 16
	host_connect --nr-io-queues=1
	fio_verify "$(host_bdev)" 64k 1
	sleep 1	# no doorbell is under way
	trace_devices 0
	host_disconnect
	target_down
	after=$(count_doorbells)
	posts=$(count_posts)
	say "$posts posts, $((after - before)) doorbells"
	want_ge "posts" "$posts" 50
	want_eq "doorbells" $((after - before)) "$posts"
	check_queues "$first"
}

ktap_run tracing known_chains nvmeof_session no_violations
