#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# A function is unplugged, or gets a fatal error, under fio on NVMe over RDMA; at the end of the
# host and at the target's. Everything ends: I/O with an error or later, fio, the driver's removal.
# When the function returns, the connection is restored, and the data is unchanged.
#
# The steps depend on the ULPs' design, and are the same on every provider. nvme-rdma deletes its
# controllers when their device is removed, so at the host's end the test connects again. When the
# target's device goes, the host keeps its controller, holds I/O back and reconnects; nvmet-rdma
# listens on a device that comes back if its port has the wildcard address.
#
# mlx5_core recovers from a fatal error, but not from a second one within a minute.
#
# mlx5_ib loses its device at the host's end only. After a fatal error at the target's it was seen
# to wait in mlx5_ib_drain_sq(), called by nvmet_rdma_free_queue(), for a completion that never
# comes; mlx5_core's recovery waits for nvmet, and the kernel panics because of hung tasks. The two
# ways to pull the target's device out end in the same drains, and were not tried with mlx5_ib.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"
TARGET_ADDR=0.0.0.0
# timeout of I/O that a removed device never completes, seconds
NVME_TIMEOUT=$((SLOWER > 1 ? 30 : 15))
# shellcheck source=../../runner/lib/nvmeof.sh
. "$(dirname "$0")/../../runner/lib/nvmeof.sh"

DISK_MB=$((16 / SLOWER))

# hurt KIND PCI: returns when the driver is unbound, or before it detects the removal
hurt() {
	say "$1: $2"
	case $1 in
	pulled) pull "$2" 1 ;;
	# mlx5_core detects the removal before the bus is notified
	pulled_unnoticed) pull "$2" 4000 ;;
	fatal) die_of_error "$2" ;;
	esac
}

# pull PCI MILLISECONDS. Once a removal hangs nothing more can be tried.
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

# heal KIND PCI
heal() {
	case $1 in
	pulled*) echo 1 > "$SIM_DEBUGFS/$2/plug" ;;
	fatal) wait_for 60 recovered "$2" || fail "mlx5_core does not recover $2" ;;
	esac
	wait_for 60 driven_by "$2" "$PROVIDER" || fail "$2 is driven by $(driver_of_pci "$2")"
	wait_for 60 two_devices || fail "$(ib_devices | wc -l) devices"
	ends_up
}

# ctrl_state: of the host's controller, or "none" without a controller
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

# load COMMAND: I/O in the background, at work when this returns. Sets LOAD.
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

# without an end
any_io() {
	disk_fio --rw=randrw --time_based --runtime=600
}

# Written data are read back and compared, until $WORK/enough exists; slow enough to spend next to
# no time between two rounds.
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

# clean_up: a case that failed leaves no load, no controller and no empty slot to the next
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

# start: the ends, as the case before left them, and a connection
start() {
	not_stuck
	trap clean_up EXIT
	ends
	host_connect "$@"
}

# A fatal error is detected seconds later, so the test waits.
host_lost() {
	start
	load any_io
	hurt "$1" "$PCI_A"
	wait_for 60 ended "$LOAD" || fail "fio still runs"
	! wait "$LOAD" || fail "fio saw no error"
	# EIO; ENOLINK, of a path, on a kernel without multipath; ENOSPC, of a disk that is marked
	# dead, has no capacity any more and is still written to
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

# The round of fio in which the device goes is a good one.
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
