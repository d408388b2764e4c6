# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2154,SC2034
#
# The ULPs of the test removal. Each ULP has a function use_ULP, which defines these functions:
#
#	serve		start the target or server on end B
#	join		connect or mount the host or client on end A
#	work		start endless I/O; return when data moves; set LOAD to the process
#	leave		disconnect or unmount
#	leave_lost	leave after a removal: steps may fail, but the modules can be unloaded
#	close		stop the target or server
#
# A case runs in a subshell: it has the functions of one ULP only.

DISK_MB=16

# fio_on FILE: start endless reads and writes; set LOAD to the process
fio_on() {
	fio --name=load --filename="$1" --bs=16k --size=4M --iodepth=16 --direct=1 --rw=randrw \
		--ioengine=libaio --randseed=3 --time_based --runtime=3600 > "$WORK/load" 2>&1 &
	LOAD=$!
	at_work
}

# at_work: wait until both ends have moved data for LOAD
at_work() {
	mark_data
	wait_for 60 moved 65536 || fail "no I/O: $(tail -n 5 "$WORK/load")"
}

moved() {
	(both_moved "$1") > /dev/null 2>&1
}

# stop_load: end LOAD by SIGKILL
stop_load() {
	[ -n "${LOAD:-}" ] || return 0
	pkill -KILL -P "$LOAD" || :
	kill -KILL "$LOAD" 2> /dev/null || :
	while kill -0 "$LOAD" 2> /dev/null; do
		sleep 0.1
	done
}

unloaded() {
	modprobe -qr "$@"
}

use_lib() {
	# shellcheck source=/dev/null
	. "$TESTLIB/$1.sh"
}

# ---- NVMe ------------------------------------------------------------------------

use_nvme() {
	NVME_HOST=${1:-nvme_rdma} TARGET_ADDR=0.0.0.0 NVME_TIMEOUT=20
	use_lib nvmeof
	serve() { target_up "$DISK_MB"; }
	join() {
		nvme_connect
		wait_for 30 host_bdev > /dev/null
	}
	work() { fio_on "$(host_bdev)"; }
	leave() { nvme disconnect -n "$NQN" > "$WORK/nvme" 2>&1; }
	leave_lost() {
		leave || :
		modprobe -r "$NVME_HOST"
	}
	close() { target_down; }
	load_host
}

use_nvme_frwr() { use_nvme nvme_rdma_frwr; }

# use_nvme_fs: like use_nvme, with a file system in which the host writes files
use_nvme_fs() {
	use_nvme "$@"
	serve() {
		target_up "$DISK_MB"
		mkfs.ext4 -q -F "/dev/$(nullb_name)"
		mkdir -p /mnt/removal
	}
	join() {
		nvme_connect
		wait_for 30 host_bdev > /dev/null
		mount "$(host_bdev)" /mnt/removal
	}
	work() { fio_on /mnt/removal/file; }
	leave() {
		umount /mnt/removal
		nvme disconnect -n "$NQN" > "$WORK/nvme" 2>&1
	}
	leave_lost() {
		! mountpoint -q /mnt/removal || umount /mnt/removal
		nvme disconnect -n "$NQN" > "$WORK/nvme" 2>&1 || :
		modprobe -r "$NVME_HOST"
	}
}

use_nvme_frwr_fs() { use_nvme_fs nvme_rdma_frwr; }

# ---- NFS -------------------------------------------------------------------------

# use_nfs [MODULE [VERSION]]
use_nfs() {
	RPCRDMA=${1:-rpcrdma} NFS_VERSION=${2:-3}
	use_lib block
	use_lib nfs
	# replaces the function of nfs.sh: the client is in the namespace of the server
	in_client() { "$@"; }
	serve() { server_up; }
	join() {
		case $NFS_VERSION in
		3) client_mount 3 "$EXPORT" nolock,mountproto=tcp ;;
		*) client_mount "$NFS_VERSION" / hard ;;
		esac
	}
	work() { fio_on "$MNT/file"; }
	leave() { umount -i "$MNT"; }
	leave_lost() {
		# the first command kills the RPCs that wait for the server
		while mountpoint -q "$MNT"; do
			umount -i -f "$MNT" 2> /dev/null || umount -i "$MNT" 2> /dev/null ||
				sleep 0.5
		done
	}
	close() {
		server_down
		wait_for 60 unloaded "nfsv${NFS_VERSION%.*}" || fail "NFS is in use"
		wait_for 60 unloaded "$RPCRDMA" || fail "$RPCRDMA is in use"
	}
}

use_nfs_frwr() { use_nfs rpcrdma_frwr; }
use_nfs42() { use_nfs rpcrdma 4.2; }
use_nfs42_frwr() { use_nfs rpcrdma_frwr 4.2; }

# ---- SCSI ------------------------------------------------------------------------

use_iser() {
	use_lib block
	use_lib lio
	use_lib iser
	serve() {
		target_up
		iscsid_up
		# iscsid drops a lost session after 5 seconds
		node -o update -n node.session.timeo.replacement_timeout -v 5
		node -o update -n node.conn[0].timeo.login_timeout -v $((10 * SLOWER))
		node -o update -n node.conn[0].timeo.logout_timeout -v $((10 * SLOWER))
	}
	join() {
		node --login
		wait_for 60 host_bdev > /dev/null
	}
	work() { fio_on "$(host_bdev)"; }
	leave() { logout; }
	no_session() {
		iscsiadm -m node -T "$IQN" -p "$PORTAL" --logout > "$WORK/iscsiadm" 2>&1 || :
		[ -z "$(ls /sys/class/iscsi_session)" ]
	}
	leave_lost() {
		wait_for 60 no_session || fail "a session stays: $(cat "$WORK/iscsiadm")"
		wait_for 60 no_host_bdev || fail "the disk stays"
		iscsiadm -k 0 > "$WORK/iscsiadm" 2>&1 || :
		wait_for 30 no_iscsid || fail "iscsid stays"
		wait_for 60 unloaded ib_iser || fail "ib_iser is in use"
	}
	close() { target_down; }
}

use_srp() {
	use_lib block
	use_lib lio
	use_lib srp
	serve() {
		# evaluate the names now, because the device may be removed
		eval "wwn() { echo '$(wwn)'; }; initiator() { echo '$(initiator)'; }"
		target_up
		eval "ioc_guid() { echo '$(ioc_guid)'; }"
		modprobe ib_srp
	}
	join() { login; }
	work() { fio_on "$(host_bdev)"; }
	leave() { logout; }
	leave_lost() {
		local port

		for port in /sys/class/srp_remote_ports/port-*; do
			echo 1 2> /dev/null > "$port/delete" || :
		done
		wait_for 60 no_host_bdev || fail "the disk stays"
		wait_for 60 unloaded ib_srp || fail "ib_srp is in use"
	}
	close() { target_down; }
}

# ---- sockets ---------------------------------------------------------------------

use_smc() {
	local peer=$TOP/tools/testing/selftests/smc/peer.py

	PEER=$peer PORT=7777
	serve() {
		modprobe smc
		"$PEER" serve 0.0.0.0 "$PORT" > /dev/null 2>&1 &
		SERVER=$!
		wait_for 60 listening
	}
	listening() { (echo > "/dev/tcp/$IP_B/$PORT") 2> /dev/null; }
	join() { "$PEER" talk "$IP_B" "$PORT" 4 1 > "$WORK/talk" 2>&1; }
	work() {
		"$PEER" talk "$IP_B" "$PORT" 4 64 > "$WORK/load" 2>&1 &
		LOAD=$!
		at_work
	}
	# SIGKILL, because the processes must end with open connections
	leave() { pkill -KILL -f "$PEER talk" || :; }
	leave_lost() { leave; }
	close() {
		kill -KILL "$SERVER"
		# the sockets of the server detect a lost peer by a timer of 30 seconds
		wait_for 150 unloaded smc || fail "smc is in use"
	}
}
