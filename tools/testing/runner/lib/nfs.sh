# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2154
#
# NFS over RDMA: the server of the kernel on end B, and its client on end A. The client is in the
# network namespace $NETNS, as if it were another host. rdma_rxe supports only one namespace: with
# rdma_rxe, the client is in the namespace of the server. Source lib.sh and block.sh first, call
# ends_apart "$NETNS" (ends_up for rdma_rxe), and set DISK_MB.

# module of the transport: rpcrdma, or rpcrdma_frwr (tools/ulps/xprtrdma)
RPCRDMA=${RPCRDMA:-rpcrdma}
NETNS=client
EXPORT=/srv/exported
EXPORT_OPTS=rw,sync,no_root_squash,no_subtree_check,insecure,fsid=0
MNT=/mnt/exported
RDMA_PORT=20049

# in_client PROGRAM...: run a program in the network namespace of the client
in_client() {
	if on_sim; then
		in_netns "$NETNS" "$@"
	else
		"$@"
	fi
}

# run PROGRAM...: print the output of the program if it fails
run() {
	"$@" > "$WORK/run" 2>&1 || fail "$*: $(cat "$WORK/run")"
}

nfsd_threads() {
	run rpc.nfsd --rdma="$RDMA_PORT" "$1"
}

server_up() {
	disk_up "$DISK_MB"
	run mkfs.ext4 -q -F "/dev/$(nullb_name)"
	mkdir -p "$EXPORT" "$MNT"
	mount "/dev/$(nullb_name)" "$EXPORT"
	chmod 777 "$EXPORT"
	modprobe nfsd
	# sunrpc must not load rpcrdma by an alias before $RPCRDMA has registered the transport
	[ "$RPCRDMA" = rpcrdma ] ||
		echo "install rpcrdma /bin/true" > /run/modprobe.d/nfs_rdma.conf
	modprobe "$RPCRDMA"
	mountpoint -q /proc/fs/nfsd || mount -t nfsd nfsd /proc/fs/nfsd
	mkdir -p /run/rpcbind
	run rpcbind
	run exportfs -o "$EXPORT_OPTS" "$IP_A:$EXPORT"
	run rpc.mountd
	# shorten the grace period of version 4: no client has state of an earlier server
	echo 10 > /proc/fs/nfsd/nfsv4gracetime
	nfsd_threads 8
}

no_process() {
	! pgrep -x "$1" > /dev/null
}

stop() {
	pkill -x "$1"
	wait_for 30 no_process "$1" || fail "$1 stays"
}

server_down() {
	nfsd_threads 0
	run exportfs -ua
	stop rpc.mountd
	stop rpcbind
	umount /proc/fs/nfsd
	umount "$EXPORT"
	disk_down
}

# client_mount VERSION PATH OPTION: mount PATH of the server on $MNT, over RDMA
client_mount() {
	run in_client mount -t nfs -o "vers=$1,proto=rdma,port=$RDMA_PORT,$3" \
		"$IP_B:$2" "$MNT"
	grep " $MNT nfs" /proc/mounts > "$WORK/mounts"
	grep -q "[ ,]vers=$1,.*proto=rdma," "$WORK/mounts" || fail "mounted: $(cat "$WORK/mounts")"
}

# host_bdev: print the file that the cases of block.sh use
host_bdev() {
	echo "$MNT/file"
}
