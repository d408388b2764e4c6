# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2154
#
# The kernel's SCSI target on end B, which exports the disk of block.sh. Source lib.sh and block.sh
# first.

LIO=/sys/kernel/config/target
LIO_DISK=$LIO/core/iblock_0/disk

# lio_disk_up MEGABYTES: create the disk, and a device of the target for it
lio_disk_up() {
	# blocks of 512 bytes, because buffers of the target begin in the middle of a page
	# (disk_up): data that a command contains
	disk_up "$1" 512
	modprobe target_core_mod
	modprobe target_core_iblock
	modprobe sd_mod
	mkdir -p "${LIO_DISK%/*}"
	mkdir "$LIO_DISK"
	echo "udev_path=/dev/$(nullb_name)" > "$LIO_DISK/control"
	echo 1 > "$LIO_DISK/enable"
}

lio_disk_down() {
	rmdir "$LIO_DISK"
	rmdir "${LIO_DISK%/*}"
	disk_down
}

# lio_lun_up TPG: make the disk LUN 0 of a target portal group
lio_lun_up() {
	mkdir "$1/lun/lun_0"
	ln -s "$LIO_DISK" "$1/lun/lun_0/disk"
}

lio_lun_down() {
	rm "$1/lun/lun_0/disk"
	rmdir "$1/lun/lun_0"
}

# host_bdev: print the SCSI disk of the target as the host sees it
host_bdev() {
	local dev

	for dev in /sys/block/sd*; do
		if [ "$(cat "$dev/device/vendor" 2> /dev/null)" = "LIO-ORG " ]; then
			echo "/dev/${dev##*/}"
			return 0
		fi
	done
	return 1
}

no_host_bdev() {
	! host_bdev > /dev/null
}

# lio_connect MEGABYTES: set up the ends and the target, and log in from end A. The protocol
# (iser.sh, srp.sh) defines target_up, login and logout.
lio_connect() {
	ends_up
	target_up
	mark_data
	login
	want_eq "size of the disk" "$(cat "/sys/block/$(basename "$(host_bdev)")/size")" \
		$(($1 * 2048))
	both_moved 4096
}

# Case: the host logs out and in again while the target exists
reconnect() {
	ends
	logout
	mark_data
	login
	fio_verify "$(host_bdev)" 4k 1
	both_moved $((2 * 1024 * 1024))
}
