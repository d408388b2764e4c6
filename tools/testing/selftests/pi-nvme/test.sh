#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# NVMe over RDMA with protection information (T10-DIF type 1): the target exports a disk of
# scsi_debug with protection information, and the devices of host and target check it. If the
# simulator changes a byte before the check of a device, this device reports an error, one command
# fails, and the connection stays up.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/nvmeof.sh
. "$(dirname "$0")/../../runner/lib/nvmeof.sh"
# shellcheck source=../../runner/lib/pi.sh
. "$(dirname "$0")/../../runner/lib/pi.sh"

DISK_MB=64

# disk_name: print the disk of scsi_debug
disk_name() {
	local dev

	for dev in /sys/bus/pseudo/drivers/scsi_debug/adapter0/host*/target*/*/block/*; do
		[ ! -e "$dev" ] || basename "$dev"
	done
}

disk_is_there() {
	[ -n "$(disk_name)" ] && [ -b "/dev/$(disk_name)" ]
}

pi_target_up() {
	mount_configfs
	modprobe sd_mod
	modprobe scsi_debug dev_size_mb="$DISK_MB" dif=1 dix=1 guard=0 sector_size=512
	wait_for 30 disk_is_there || fail "scsi_debug has no disk"
	cat "/sys/block/$(disk_name)/integrity/format"
	modprobe nvmet-rdma
	mkdir "$NVMET/subsystems/$NQN"
	echo 1 > "$NVMET/subsystems/$NQN/attr_allow_any_host"
	echo 1 > "$NVMET/subsystems/$NQN/attr_pi_enable"
	mkdir "$NVMET/subsystems/$NQN/namespaces/1"
	echo "/dev/$(disk_name)" > "$NVMET/subsystems/$NQN/namespaces/1/device_path"
	echo 1 > "$NVMET/subsystems/$NQN/namespaces/1/enable"
	mkdir "$NVMET/ports/1"
	echo 1 > "$NVMET/ports/1/param_pi_enable"
	echo rdma > "$NVMET/ports/1/addr_trtype"
	echo ipv4 > "$NVMET/ports/1/addr_adrfam"
	echo "$IP_B" > "$NVMET/ports/1/addr_traddr"
	echo "$NVME_PORT" > "$NVMET/ports/1/addr_trsvcid"
	ln -s "$NVMET/subsystems/$NQN" "$NVMET/ports/1/subsystems/$NQN"
}

pi_target_down() {
	rm "$NVMET/ports/1/subsystems/$NQN"
	rmdir "$NVMET/ports/1"
	echo 0 > "$NVMET/subsystems/$NQN/namespaces/1/enable"
	rmdir "$NVMET/subsystems/$NQN/namespaces/1"
	rmdir "$NVMET/subsystems/$NQN"
	modprobe -r nvmet-rdma
	modprobe -r scsi_debug
}

connect() {
	ends_up
	pi_target_up
	# a longer queue needs more WQEs for signatures than a QP supports
	host_connect --nr-io-queues=1 --queue-size=16
	# the host does not retry a command that fails
	echo 0 > /sys/module/nvme_core/parameters/max_retries
	want_eq "format of the namespace" \
		"$(cat "/sys/block/$(basename "$(host_bdev)")/integrity/format")" T10-DIF-TYPE1-CRC
}

disconnect() {
	ends
	host_disconnect
	pi_target_down
}

# pi_told of pi.sh. The end whose device detected the error logs the kind of the error, and the host
# logs the status of the command. The logs do not contain the block.
pi_told() {
	local type status

	case $2 in
	guard) type=0 status=0x82 ;;
	reftag) type=1 status=0x84 ;;
	esac
	grep -q "PI error found type $type " "$1" &&
		grep -q "@ LBA $3, 8 blocks, .*(sct 0x2 / sc $status)" "$1"
}

ktap_run connect pi_io pi_write_spoilt pi_read_spoilt disconnect no_violations
