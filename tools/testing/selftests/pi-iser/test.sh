#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# iSER with protection information (T10-DIF type 1): LIO exports a RAM disk with protection
# information, and the devices of both ends check it. If the simulator changes a byte before the
# check of a device, this device reports an error, one command fails, and the session stays up.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/block.sh
. "$(dirname "$0")/../../runner/lib/block.sh"
# shellcheck source=../../runner/lib/lio.sh
. "$(dirname "$0")/../../runner/lib/lio.sh"
# shellcheck source=../../runner/lib/iser.sh
. "$(dirname "$0")/../../runner/lib/iser.sh"
# shellcheck source=../../runner/lib/pi.sh
. "$(dirname "$0")/../../runner/lib/pi.sh"

# shellcheck disable=SC2034
DISK_MB=64 ISER_OPTIONS=pi_enable=1 TPG_ATTRIBS=t10_pi LIO_DISK=$LIO/core/rd_mcp_0/disk

# lio_disk_up MEGABYTES: create a RAM disk of the target. Replaces the function of lio.sh.
lio_disk_up() {
	mount_configfs
	modprobe target_core_mod
	modprobe sd_mod
	mkdir -p "${LIO_DISK%/*}"
	mkdir "$LIO_DISK"
	echo "rd_pages=$(($1 * 256))" > "$LIO_DISK/control"
	echo 1 > "$LIO_DISK/enable"
	echo 1 > "$LIO_DISK/attrib/pi_prot_type"
}

lio_disk_down() {
	rmdir "$LIO_DISK"
	rmdir "${LIO_DISK%/*}"
}

pi_connect() {
	connect
	want_eq "format of the disk" \
		"$(cat "/sys/block/$(basename "$(host_bdev)")/integrity/format")" T10-DIF-TYPE1-IP
}

# pi_told of pi.sh. The end whose device detected the error logs the sector and provides the sense
# data: the target aborts the command; on the host, libiscsi reports an illegal request.
pi_told() {
	local type sense sector key='Illegal Request'

	! grep -q 'isert: .*PI error' "$1" || key='Aborted Command'
	case $2 in
	guard) type=0 sense='Logical block guard check failed' ;;
	reftag) type=1 sense='Logical block reference tag check failed' ;;
	esac
	sector=$(printf %x $(($3 + $4)))
	grep -qE "PI error found type $type at sector (0x)?$sector " "$1" &&
		grep -q "Sense Key : $key" "$1" && grep -q "Add. Sense: $sense" "$1"
}

ktap_run pi_connect pi_io pi_write_spoilt pi_read_spoilt disconnect no_violations
