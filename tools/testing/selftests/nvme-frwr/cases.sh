# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2154,SC2034
#
# Cases of nvmeof for a host on ib_frwr alone: devices whose verbs do less than those of the drivers
# under test, and requests that end while their keys may be valid. nvmeof/test.sh reads this file.

SHIMS=/sys/module/verb_shims/parameters

# with_shims END PARAMETER... -- NVME-CLI OPTION...: connect, on a device whose verbs do less
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

# A device that creates QPs and says that they have no inline data: no command is inside its work
# request.
no_inline_data() {
	ends
	with_shims "$IB_A" no_inline=1 --
	fio_verify "$(host_bdev)" 4k 1
	fio_verify "$(host_bdev)" 64k 4
	want_eq "work requests with inline data" "$(cat "$SHIMS/inlined")" 0
	without_shims
}

# Verified I/O until there is $WORK/enough
verified_rounds() {
	until [ -e "$WORK/enough" ]; do
		fio_verify "$(host_bdev)" 64k 16
	done
}

# A target that invalidates no key, so the host does, also while the controller resets.
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

# Chains of which the QP takes the registration alone: the host takes back the key and sends the
# command again.
refused_behind_registration() {
	ends
	with_shims "$IB_A" cut=20 -- --nr-io-queues=1
	fio_verify "$(host_bdev)" 64k 8
	want_ge "refused chains" "$(cat "$SHIMS/refused")" 5
	without_shims
}

# A controller is deleted while requests of a task that no longer polls time out.
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
	timeout $((60 * SLOWER)) nvme disconnect -n "$NQN" > "$WORK/nvme" 2>&1 ||
		fail "nvme disconnect: $(cat "$WORK/nvme")"
	kill -KILL "$pid"
	kill -CONT "$pid"
	wait "$pid" 2> /dev/null || :
	dmsetup resume held
	modprobe -r "$NVME_HOST"
	release_disk
}

more="no_inline_data no_remote_invalidation refused_behind_registration deleted_while_polled"
