#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# A function is unplugged, or gets a fatal error, under fio on NVMe over RDMA, at the end of the
# host and at the end of the target. I/O, fio and the removal of the driver end; I/O may fail. When
# the function returns, the connection is restored, and the data is unchanged.
#
# The steps follow from the ULPs, and are the same on every provider. nvme-rdma deletes a controller
# when its device is removed: after a removal at the end of the host, the test connects again. When
# the device of the target is removed, the host keeps its controller, holds I/O back and reconnects;
# nvmet-rdma listens on a device that comes back if its port has the wildcard address.
#
# mlx5_core recovers from a fatal error, but not from a second one within a minute.
#
# With mlx5_ib, only the device of the host is removed. After a fatal error at the end of the
# target, mlx5_ib waits in mlx5_ib_drain_sq(), called by nvmet_rdma_free_queue(), for a completion
# that does not arrive; the recovery of mlx5_core waits for nvmet, and the kernel panics because of
# hung tasks. An unplug of the target's device leads to the same drains; it is not tested with
# mlx5_ib.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"
TARGET_ADDR=0.0.0.0
# seconds after which outstanding I/O of a removed device times out
NVME_TIMEOUT=$((SLOWER > 1 ? 30 : 15))
# shellcheck source=../../runner/lib/nvmeof.sh
. "$(dirname "$0")/../../runner/lib/nvmeof.sh"

DISK_MB=$((16 / SLOWER))

# hurt KIND PCI: unplug the function (pulled: returns when the driver is unbound; pulled_unnoticed),
# or cause a fatal error (fatal: returns before mlx5_core detects the error)
hurt() {
	say "$1: $2"
	case $1 in
	pulled) pull "$2" 1 ;;
	# mlx5_core detects the removal before the bus is notified
	pulled_unnoticed) pull "$2" 4000 ;;
	fatal) die_of_error "$2" ;;
	esac
}

# pull PCI MILLISECONDS: unplug a function; MILLISECONDS later, the bus removes it. After a removal
# that hangs, the other cases fail at once ($WORK/stuck).
pull() {
	local pid

	echo "$2" > "$SIM_DEBUGFS/$1/unplug" &
	pid=$!
	wait_for 80 ended "$pid" || {
		cat "/proc/$pid/stack"
		touch "$WORK/stuck"
		fail "the removal of $1 does not end"
	}
	wait "$pid" || fail "unplug"
}

not_stuck() {
	[ ! -e "$WORK/stuck" ] || fail "after a removal that does not end"
}

ended() {
	! kill -0 "$1" 2> /dev/null
}

# heal KIND PCI: plug the function again, or wait for the recovery; then wait for the driver
heal() {
	case $1 in
	pulled*) echo 1 > "$SIM_DEBUGFS/$2/plug" ;;
	fatal) wait_for 60 recovered "$2" || fail "mlx5_core does not recover $2" ;;
	esac
	wait_for 60 driven_by "$2" "$PROVIDER" || fail "$2 is driven by $(driver_of_pci "$2")"
	wait_for 60 two_devices || fail "$(ib_devices | wc -l) devices"
	ends_up
}

# ctrl_state: print the state of the host's controller, or "none" if it does not exist
ctrl_state() {
	local ctrl

	for ctrl in /sys/class/nvme/nvme*; do
		[ "$(cat "$ctrl/subsysnqn" 2> /dev/null)" = "$NQN" ] || continue
		cat "$ctrl/state" 2> /dev/null || continue
		return
	done
	echo none
}

state_is() {
	[ "$(ctrl_state)" = "$1" ]
}

state_is_not() {
	! state_is "$1"
}

# load COMMAND: start I/O in the background, wait until it moves data, and set LOAD to the process
load() {
	mark_data
	"$@" > "$WORK/fio" 2>&1 &
	LOAD=$!
	wait_for 60 moved 262144 || fail "fio does not get going: $(tail -n 3 "$WORK/fio")"
	wait_for 60 in_flight || fail "fio is not at work: $(tail -n 3 "$WORK/fio")"
}

disk_fio() {
	fio --name=load --filename="$(host_bdev)" --bs=16k --size="${DISK_MB}M" --iodepth=32 \
		--direct=1 --ioengine=libaio --randseed=3 "$@"
}

# any_io: random I/O for ten minutes, which ends earlier when it fails
any_io() {
	disk_fio --rw=randrw --time_based --runtime=600
}

# verified_rounds: write data, read and compare it, until $WORK/enough exists. The rate is low: fio
# spends little time between two rounds.
verified_rounds() {
	rm -f "$WORK/enough"
	until [ -e "$WORK/enough" ]; do
		disk_fio --rw=randwrite --rate=3m --verify=crc32c --do_verify=1 --verify_fatal=1 ||
			return
	done
}

moved() {
	(both_moved "$1") > /dev/null 2>&1
}

# clean_up: after a case that failed, end the load, disconnect, and plug the functions again
clean_up() {
	local fn

	[ ! -e "$WORK/stuck" ] || return 0
	touch "$WORK/enough"
	nvme disconnect -n "$NQN" > "$WORK/nvme" 2>&1 || :
	[ -z "${LOAD:-}" ] || wait_for 60 ended "$LOAD" || fail "fio does not end"
	for fn in "$PCI_A" "$PCI_B"; do
		[ "$(cat "$SIM_DEBUGFS/$fn/faults/device")" != off ] || heal pulled "$fn"
	done
}

# start [NVME-CLI OPTION...]: begin a case: connect the ends that the case up has set up
start() {
	not_stuck
	trap clean_up EXIT
	ends
	host_connect "$@"
}

# host_lost KIND: the device of the host is removed. mlx5_core detects a fatal error after some
# seconds.
host_lost() {
	start
	load any_io
	hurt "$1" "$PCI_A"
	wait_for 60 ended "$LOAD" || fail "fio still runs"
	! wait "$LOAD" || fail "fio saw no error"
	# EIO; ENOLINK of a path, on a kernel without multipath; ENOSPC of a write to a disk that is
	# marked dead and has no capacity
	grep -qE 'err= *(5|28|67) ' "$WORK/fio" ||
		fail "fio: $(grep -E 'err|rror' "$WORK/fio" || :)"
	wait_for 60 state_is none || fail "the controller is still there, $(ctrl_state)"
	heal "$1" "$PCI_A"
	mark_data
	host_connect
	fio_verify "$(host_bdev)" 64k 4
	both_moved $((2 * 4 * 1024 * 1024))
	host_disconnect
	no_violations
}

# target_lost KIND: the device of the target is removed. The round of fio during the removal
# succeeds.
target_lost() {
	start --ctrl-loss-tmo=600 --reconnect-delay=1
	load verified_rounds
	hurt "$1" "$PCI_B"
	wait_for 90 state_is_not live || fail "the host did not notice"
	! ended "$LOAD" || fail "fio ended: $(tail -n 5 "$WORK/fio")"
	heal "$1" "$PCI_B"
	mark_data
	wait_for 90 state_is live || fail "the host does not reconnect: $(ctrl_state)"
	wait_for 60 moved $((DISK_MB * 512 * 1024)) || both_moved $((DISK_MB * 512 * 1024))
	touch "$WORK/enough"
	wait_for 60 ended "$LOAD" || fail "fio does not end"
	wait "$LOAD" || fail "fio: $(tail -n 5 "$WORK/fio")"
	host_disconnect
	no_violations
}

up() {
	ends_up
	target_up "$DISK_MB"
}

host_pulled() { host_lost pulled; }
host_pulled_unnoticed() { host_lost pulled_unnoticed; }
host_fatal() { host_lost fatal; }
target_pulled() { target_lost pulled; }
target_pulled_unnoticed() { target_lost pulled_unnoticed; }
target_fatal() { target_lost fatal; }

down() {
	not_stuck
	target_down
	unload_providers
	no_violations
}

PCI_A=$(sim_pcis | sed -n 1p)
PCI_B=$(sim_pcis | sed -n 2p)
CASES="host_fatal host_pulled_unnoticed host_pulled"
if [ "$PROVIDER" != mlx5_ib ]; then
	CASES="host_fatal target_fatal host_pulled_unnoticed target_pulled_unnoticed host_pulled
		target_pulled"
fi
# shellcheck disable=SC2086
ktap_run up $CASES down
