# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2154
#
# NVMe over RDMA, for the selftests and the demo: the target on end B exports a
# null_blk device in memory, the host connects from end A. Source lib.sh first, and
# call ends_up.
#
# $NVME_HOST is the module of the host: nvme_rdma, or nvme_rdma_frwr (tools/ulps/nvme-rdma).
#
# Order: target_up, host_connect, ..., host_disconnect, target_down. host_disconnect undoes
# host_connect, target_down undoes target_up. A function that fails does not undo its setup: the VM
# ends with the test.

# shellcheck source=block.sh
. "$TESTLIB/block.sh"
NVMET=/sys/kernel/config/nvmet
NQN=nqn.2026-01.org.example:mlx5-frwr
HOSTNQN=nqn.2014-08.org.nvmexpress:uuid:5c1f9d2e-6b57-4a0c-9f6c-2f3d5d1f8a01
HOSTID=5c1f9d2e-6b57-4a0c-9f6c-2f3d5d1f8a01
NVME_PORT=4420
NVME_HOST=${NVME_HOST:-nvme_rdma}

# target_up MEGABYTES: start the target. It listens on $TARGET_ADDR, or if unset, on end B.
target_up() {
	disk_up "$1"
	modprobe nvmet-rdma

	mkdir "$NVMET/subsystems/$NQN"
	echo 1 > "$NVMET/subsystems/$NQN/attr_allow_any_host"
	mkdir "$NVMET/subsystems/$NQN/namespaces/1"
	echo "/dev/$(nullb_name)" > "$NVMET/subsystems/$NQN/namespaces/1/device_path"
	echo 1 > "$NVMET/subsystems/$NQN/namespaces/1/enable"

	mkdir "$NVMET/ports/1"
	echo rdma > "$NVMET/ports/1/addr_trtype"
	echo ipv4 > "$NVMET/ports/1/addr_adrfam"
	echo "${TARGET_ADDR:-$IP_B}" > "$NVMET/ports/1/addr_traddr"
	echo "$NVME_PORT" > "$NVMET/ports/1/addr_trsvcid"
	ln -s "$NVMET/subsystems/$NQN" "$NVMET/ports/1/subsystems/$NQN"
}

target_down() {
	rm "$NVMET/ports/1/subsystems/$NQN"
	rmdir "$NVMET/ports/1"
	echo 0 > "$NVMET/subsystems/$NQN/namespaces/1/enable"
	rmdir "$NVMET/subsystems/$NQN/namespaces/1"
	rmdir "$NVMET/subsystems/$NQN"
	modprobe -r nvmet-rdma
	disk_down
}

# load_host: load the modules of the host. $NVME_TIMEOUT is the timeout of requests in seconds; the
# default is long, because the machine that runs the VM may be busy.
load_host() {
	# nvme-fabrics must not load nvme-rdma: it would do so by name, even if $NVME_HOST is loaded
	[ "$NVME_HOST" = nvme_rdma ] ||
		echo "install nvme_rdma /bin/true" > /run/modprobe.d/nvme_host.conf
	modprobe nvme-core io_timeout="${NVME_TIMEOUT:-600}" admin_timeout="${NVME_TIMEOUT:-600}"
	modprobe "$NVME_HOST"
}

# nvme_connect [NVME-CLI OPTION...]: the output is in $WORK/nvme
nvme_connect() {
	nvme connect -t rdma -a "$IP_B" -s "$NVME_PORT" -n "$NQN" \
		--host-traddr="$IP_A" --hostnqn="$HOSTNQN" --hostid="$HOSTID" \
		--ctrl-loss-tmo=0 --keep-alive-tmo=120 "$@" > "$WORK/nvme" 2>&1
}

# host_connect [NVME-CLI OPTION...]: load the host, connect, and wait for the namespace
host_connect() {
	load_host
	nvme_connect "$@" || fail "nvme connect: $(cat "$WORK/nvme")"
	wait_for 30 host_bdev > /dev/null || fail "the namespace does not appear"
}

# target_disk DEVICE: change the device of the target's namespace. No host may be connected.
target_disk() {
	echo 0 > "$NVMET/subsystems/$NQN/namespaces/1/enable"
	echo "$1" > "$NVMET/subsystems/$NQN/namespaces/1/device_path"
	echo 1 > "$NVMET/subsystems/$NQN/namespaces/1/enable"
}

# host_bdev: print the block device of the connected namespace
host_bdev() {
	local sub ns

	for sub in /sys/class/nvme-subsystem/nvme-subsys* /sys/class/nvme/nvme*; do
		[ "$(cat "$sub/subsysnqn" 2>/dev/null)" = "$NQN" ] || continue
		for ns in "$sub"/nvme*n*; do
			[ -b "/dev/${ns##*/}" ] || continue
			echo "/dev/${ns##*/}"
			return 0
		done
	done
	return 1
}

# in_flight [N]: does the host wait for at least N requests (default 1)?
in_flight() {
	local bdev

	bdev=$(host_bdev) || return 1
	awk -v n="${1:-1}" '{ exit ($1 + $2 < n) }' "/sys/class/block/${bdev##*/}/inflight"
}

host_disconnect() {
	nvme disconnect -n "$NQN" > "$WORK/nvme" 2>&1 ||
		fail "nvme disconnect: $(cat "$WORK/nvme")"
	! host_bdev > /dev/null || fail "the namespace is still there"
	modprobe -r "$NVME_HOST"
}
