# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2154
#
# SRP over RDMA/CM: LIO's ib_srpt on end B, ib_srp on end A. Source lib.sh, block.sh and lio.sh
# first, and set DISK_MB.

PORT=5555

gid() {
	tr -d : < "/sys/class/infiniband/$1/ports/1/gids/0"
}

# ib_srpt names a port after its GID
wwn() {
	echo "0x$(gid "$IB_B")"
}

# the identifier of the target, which ib_srpt derives from the first device that it is added to
ioc_guid() {
	local guid

	read -r guid < /sys/module/ib_srpt/parameters/srpt_service_guid
	echo "${guid#0x}"
}

# the initiator that may use the disk: ib_srp names the host after the second half of its GID
initiator() {
	local gid

	gid=$(gid "$IB_A")
	echo "0x0000000000000000${gid:16}"
}

target_up() {
	local tpg acl

	lio_disk_up "$DISK_MB"
	modprobe ib_srpt
	mkdir -p "$LIO/srpt"
	echo "$PORT" > "$LIO/srpt/discovery_auth/rdma_cm_port"
	mkdir "$LIO/srpt/$(wwn)"
	tpg=$LIO/srpt/$(wwn)/$(wwn)
	mkdir "$tpg"
	lio_lun_up "$tpg"
	acl=$tpg/acls/$(initiator)
	mkdir "$acl"
	mkdir "$acl/lun_0"
	ln -s "$tpg/lun/lun_0" "$acl/lun_0/disk"
	echo 1 > "$tpg/enable"
}

target_down() {
	local tpg acl

	tpg=$LIO/srpt/$(wwn)/$(wwn)
	acl=$tpg/acls/$(initiator)
	echo 0 > "$tpg/enable"
	rm "$acl/lun_0/disk"
	rmdir "$acl/lun_0"
	rmdir "$acl"
	lio_lun_down "$tpg"
	rmdir "$tpg"
	rmdir "${tpg%/*}"
	rmdir "$LIO/srpt"
	modprobe -r ib_srpt
	lio_disk_down
}

# add_target GUID: connect to the target, by a write to a file of ib_srp
add_target() {
	echo "id_ext=$1,ioc_guid=$1,src=$IP_A,dest=$IP_B:$PORT" \
		> "/sys/class/infiniband_srp/srp-$IB_A-1/add_target"
}

# Log in, with retries: after a logout, ib_srp refuses the same target with EEXIST until it has
# removed the old target. It removes the disk first, and the old target later.
login() {
	modprobe ib_srp
	wait_for 20 add_target "$(ioc_guid)" || fail "login"
	wait_for 60 host_bdev > /dev/null || fail "the disk does not appear"
}

logout() {
	local port

	for port in /sys/class/srp_remote_ports/port-*; do
		echo 1 > "$port/delete"
	done
	wait_for 60 no_host_bdev || fail "the disk stays"
}
