# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2154,SC2034
#
# Cases of the selftest nvmeof that run only with the host on ib_frwr: devices with fewer features
# than the drivers under test (module verb_shims), and requests that end while their keys may be
# valid. nvmeof/test.sh sources this file.

SHIMS=/sys/module/verb_shims/parameters

# with_shims DEV PARAMETER... -- [NVME-CLI OPTION...]: connect while verb_shims removes features of
# the device
with_shims() {
	local params=("device=$1")

	host_disconnect
	while [ "$2" != -- ]; do
		params+=("$2")
		set -- "$1" "${@:3}"
	done
	modprobe verb_shims "${params[@]}"
	host_connect "${@:3}"
}

without_shims() {
	host_disconnect
	modprobe -r verb_shims
	host_connect
}

# Case: a device creates QPs without inline data; no command is inside its work request.
no_inline_data() {
	ends
	with_shims "$IB_A" no_inline=1 --
	fio_verify "$(host_bdev)" 4k 1
	fio_verify "$(host_bdev)" 64k 4
	want_eq "work requests with inline data" "$(cat "$SHIMS/inlined")" 0
	without_shims
}

# verified_rounds: verified I/O until $WORK/enough exists
verified_rounds() {
	until [ -e "$WORK/enough" ]; do
		fio_verify "$(host_bdev)" 64k 16
	done
}

# Case: the target invalidates no keys. The host invalidates them, also while the controller resets.
no_remote_invalidation() {
	local regs=0 invs=0 pid

	ends
	with_shims "$IB_B" no_send_inv=1 -- --ctrl-loss-tmo=300 --reconnect-delay=1 --nr-io-queues=1
	if on_sim; then
		regs=$(sim_counter "$IB_A" registrations)
		invs=$(sim_counter "$IB_A" invalidations)
	fi
	fio_verify "$(host_bdev)" 64k 4
	want_ge "SENDs that were to invalidate" "$(cat "$SHIMS/plain")" 128
	! on_sim || want_eq "invalidations" $(($(sim_counter "$IB_A" invalidations) - invs)) \
		$(($(sim_counter "$IB_A" registrations) - regs))
	verified_rounds &
	pid=$!
	wait_for 60 in_flight || fail "fio is not at work"
	echo 1 > "$(host_ctrl)/reset_controller" || say "the reset is not complete"
	wait_for 60 ctrl_is live || fail "after the reset"
	touch "$WORK/enough"
	wait "$pid" || fail "fio"
	rm "$WORK/enough"
	without_shims
}

# Case: the QP accepts the registration of a chain, but not the SEND. The host invalidates the key
# and sends the command again.
refused_behind_registration() {
	ends
	with_shims "$IB_A" cut=20 -- --nr-io-queues=1
	fio_verify "$(host_bdev)" 64k 8
	want_ge "refused chains" "$(cat "$SHIMS/refused")" 5
	without_shims
}

# Case: a controller is deleted. The task of its polled requests does not poll any more, and the
# requests time out.
deleted_while_polled() {
	local pid

	ends
	hold_disk --nr-poll-queues=1
	io_timeout $((10000 * SLOWER))
	fio --thread --name=polled --filename="$(host_bdev)" --bs=64k --size=4M --rw=randread \
		--direct=1 --ioengine=io_uring --hipri --iodepth=4 --time_based --runtime=600 \
		> "$WORK/polled" 2>&1 &
	pid=$!
	wait_for 60 in_flight || fail "fio is not at work: $(tail -n 5 "$WORK/polled")"
	dmsetup suspend --nolockfs held
	sleep 1
	kill -STOP "$pid"
	in_flight || fail "no request waits"
	timeout $((60 * SLOWER * PATIENCE)) nvme disconnect -n "$NQN" > "$WORK/nvme" 2>&1 ||
		fail "nvme disconnect: $(cat "$WORK/nvme")"
	kill -KILL "$pid"
	kill -CONT "$pid"
	wait "$pid" 2> /dev/null || :
	dmsetup resume held
	modprobe -r "$NVME_HOST"
	release_disk
}

# shim_counts NAME NUMBER: has verb_shims counted at least NUMBER events?
shim_counts() {
	[ "$(cat "$SHIMS/$1")" -ge "$2" ]
}

# qps_gone DEV: does the device have no QPs of connections?
qps_gone() {
	! prints 'comm \[rdma_cm' rdma resource show qp link "$1/1"
}

process_gone() {
	! kill -0 "$1" 2> /dev/null
}

# Case: a target accepts a connection, but posts no receives. The QP of the host retries the command
# without limit; the connect command times out.
connect_times_out() {
	local timeout=/sys/module/nvme_core/parameters/admin_timeout old pid

	ends
	host_disconnect
	modprobe verb_shims device="$IB_B" lose_recvs=1
	load_host
	old=$(cat "$timeout")
	echo $((3 * SLOWER)) > "$timeout"
	nvme_connect &
	pid=$!
	wait_for 60 shim_counts lost 1 || fail "the target loses no receive"
	sleep 1
	! qps_gone "$IB_B" || fail "the target has no QP"
	# the target needs receives to drain its QP
	echo 0 > "$SHIMS/lose_recvs"
	wait_for 60 process_gone "$pid" || fail "nvme connect does not end"
	! wait "$pid" || fail "the host is connected"
	echo "$old" > "$timeout"
	wait_for 60 qps_gone "$IB_B" || fail "the target has a QP"
	modprobe -r verb_shims
	host_connect
}

# read_half N: read half N of the first 256 KiB of the disk, and compare it with $WORK/source
read_half() {
	dd if="$(host_bdev)" of="$WORK/half$1" bs=128k count=1 skip="$1" iflag=direct status=none
	cmp -n 131072 "$WORK/half$1" "$WORK/source" 0 $((131072 * $1))
}

# Case: requests time out while the host destroys the MR of a request. blk_sync_queue() does not
# stop their timer: the timeout of earlier requests arms it afterwards. The first of the earlier
# requests begins the error recovery. The second one stops the queue, which takes a long time.
times_out_during_abort() {
	local first second queue sent=yes

	ends
	with_shims "$IB_A" --
	hold_disk --ctrl-loss-tmo=300 --reconnect-delay=1
	head -c 256k /dev/urandom > "$WORK/source"
	dd if="$WORK/source" of="$(host_bdev)" bs=64k oflag=direct status=none
	io_timeout $((8000 * SLOWER))
	for queue in /sys/block/nvme*n*/queue; do
		echo 64 > "$queue/max_sectors_kb"
	done
	dmsetup suspend --nolockfs held
	echo 500 > "$SHIMS/slow_err"
	# hold the destruction of the third MR: the first belongs to the request that timed out, the
	# second to the first aborted request
	echo 3 > "$SHIMS/hold"
	read_half 0 &
	first=$!
	sleep $((4 * SLOWER))
	read_half 1 &
	second=$!
	wait_for 30 in_flight 4 || sent=no
	! shim_counts held 1 || sent=no
	wait_for 30 shim_counts held 1 || fail "no MR is destroyed"
	# wait longer than the timeout of the last requests
	sleep $((6 * SLOWER))
	echo 0 > "$SHIMS/hold"
	dmsetup resume held
	wait_for 60 ctrl_is live || fail "the host does not reconnect"
	[ $sent = yes ] || fail "the first requests time out before the last ones are sent"
	wait "$first" || fail "the first read"
	wait "$second" || fail "the second read"
	host_disconnect
	modprobe -r verb_shims
	release_disk
}

more="no_inline_data no_remote_invalidation refused_behind_registration deleted_while_polled
connect_times_out times_out_during_abort"
