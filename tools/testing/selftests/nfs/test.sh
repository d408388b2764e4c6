#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# NFS over RDMA: the kernel's server on end B, its client on end A. The client is in a separate
# network namespace, as if it were another host; on rdma_rxe, which supports only one namespace, it
# is in the namespace of the server. Versions 3 and 4.2: verified I/O, buffers with holes, a tree of
# files, the additions of 4.2, a server that stops, and QPs that enter ERR under I/O. Both devices
# move the data, the number of registrations is the number of the kernel's calls, each registration
# is invalidated, and no violation is counted.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/block.sh
. "$(dirname "$0")/../../runner/lib/block.sh"
# shellcheck source=../../runner/lib/nfs.sh
. "$(dirname "$0")/../../runner/lib/nfs.sh"

DISK_MB=128
# Data of a call may have arrived before the keys of the call are invalidated.
# shellcheck disable=SC2034
INV_LATE=8
TREE=$TOP/drivers/infiniband/hw/mlx5_ibx

# ---- cases ---------------------------------------------------------------------------

server() {
	if on_sim; then
		ends_apart "$NETNS"
	else
		ends_up
	fi
	server_up
}

v3_mount() {
	ends
	mark_data
	client_mount 3 "$EXPORT" nolock,mountproto=tcp
	ls "$MNT" > /dev/null
	both_moved 512
}

v42_mount() {
	ends
	mark_data
	# version 4 mounts "/": the export is the root of its name space (fsid=0)
	client_mount 4.2 / hard
	ls "$MNT" > /dev/null
	both_moved 512
}

# Case: a tree of files is copied to the server. It is compared on the server and, after the client
# has dropped its caches, on the client. Small files are in messages, large files are registered.
tree() {
	ends
	mark_data
	cp -r "$TREE" "$MNT/tree"
	head -c 8M /dev/urandom > "$WORK/data"
	cp "$WORK/data" "$MNT/tree/large"
	(cd "$MNT/tree" && split -b 37001 large part.)
	sync
	echo 3 > /proc/sys/vm/drop_caches
	(cd "$MNT/tree" && find . -type f -exec sha256sum {} +) | sort > "$WORK/client"
	(cd "$EXPORT/tree" && find . -type f -exec sha256sum {} +) | sort > "$WORK/server"
	(cd "$TREE" && find . -type f -exec sha256sum {} +) | sort > "$WORK/given"
	cmp "$WORK/client" "$WORK/server"
	want_eq "files of the tree that came back" \
		"$(comm -12 "$WORK/client" "$WORK/given" | wc -l)" "$(wc -l < "$WORK/given")"
	cmp "$WORK/data" "$MNT/tree/large"
	cat "$MNT/tree/part."* | cmp - "$WORK/data"
	rm -r "$MNT/tree"
	both_moved $((4 * 8 * 1024 * 1024))
}

# Case of version 4.2: the client punches a hole, and finds it on the server.
hole() {
	ends
	head -c 1M /dev/urandom > "$MNT/holed"
	sync
	fallocate -p -o 256K -l 512K "$MNT/holed"
	want_eq "first hole" "$(python3 -c "import os
fd = os.open('$MNT/holed', os.O_RDONLY)
print(os.lseek(fd, 0, os.SEEK_HOLE))")" $((256 * 1024))
	cmp "$MNT/holed" "$EXPORT/holed"
	[ "$(stat -c %b "$EXPORT/holed")" -lt 1536 ] || fail "the server stores the hole"
	cmp -n $((512 * 1024)) -i $((256 * 1024)):0 "$MNT/holed" /dev/zero
	rm "$MNT/holed"
}

# Case of version 4.2: the server copies a file, and no data goes to the client.
copy() {
	local mark moved

	ends
	head -c 8M /dev/urandom > "$MNT/from"
	sync
	mark_data
	python3 -c "import os
src, dst = os.open('$MNT/from', os.O_RDONLY), os.open('$MNT/to', os.O_CREAT | os.O_WRONLY)
left = 8 << 20
while left:
    left -= os.copy_file_range(src, dst, left)
os.close(dst)"
	read -r mark < "$WORK/mark"
	moved=$(($(data_bytes "$IB_A") - mark))
	say "$moved bytes moved for a copy of 8 MiB"
	[ "$moved" -lt $((1024 * 1024)) ] || fail "the client copied"
	cmp "$EXPORT/from" "$EXPORT/to"
	cmp "$MNT/from" "$MNT/to"
	rm "$MNT/from" "$MNT/to"
}

moved() {
	(both_moved "$1") > /dev/null 2>&1
}

keep_writing() {
	until [ -e "$WORK/enough" ]; do
		fio_verify "$(host_bdev)" 4k 2
	done
}

# end_io: end the I/O, and start the server: without it, the I/O would wait without limit
end_io() {
	touch "$WORK/enough"
	nfsd_threads 8
}

# served: print the number of RDMA READs and WRITEs of the server or, without a simulated device,
# the number of bytes that the server has read from and written to files. Bytes on the wire are no
# measure: a client without a server sends requests continuously.
served() {
	local reads writes

	if ! on_sim; then
		awk '$1 == "io" { print $2 + $3; found = 1 } END { exit !found }' \
			/proc/net/rpc/nfsd
		return
	fi
	reads=$(sim_counter "$IB_B" rdma_reads)
	writes=$(sim_counter "$IB_B" rdma_writes)
	echo $((reads + writes))
}

idle() {
	local before

	before=$(served)
	sleep 1
	[ "$(served)" = "$before" ]
}

# still_moving: fail, because I/O continues without a server; print the counters that increase
still_moving() {
	local dev ends=

	! on_sim || ends="$IB_A $IB_B"
	for dev in $ends; do
		sort "$SIM_DEBUGFS/$(ib_pci "$dev")/counters" > "$WORK/$dev.before"
	done
	sleep 5
	for dev in $ends; do
		say "$dev in five seconds:"
		sort "$SIM_DEBUGFS/$(ib_pci "$dev")/counters" | join "$WORK/$dev.before" - |
			awk '$2 != $3 { print "  " $1, $3 - $2 }'
	done
	say "threads of the server: $(cat /proc/fs/nfsd/threads)"
	say "ports: $(cat /proc/fs/nfsd/portlist)"
	rdma resource show cm_id || true
	dmesg | tail -n 20
	fail "I/O without a server"
}

# Case: the server stops under I/O and starts again; the client waits and loses no data.
server_restart() {
	local writer fio before

	ends
	mark_data
	trap end_io EXIT
	keep_writing &
	writer=$!
	wait_for 120 moved $((1024 * 1024)) || fail "no I/O"
	nfsd_threads 0
	want_eq "threads of the server" "$(cat /proc/fs/nfsd/threads)" 0
	wait_for 60 idle || still_moving
	fio=$(pgrep -o -x fio) || fail "the I/O ended without a server"
	before=$(served)
	sleep 2
	want_eq "what was served without a server" "$(($(served) - before))" 0
	want_eq "fio, which waits for the server" "$(pgrep -o -x fio)" "$fio"
	kill -0 "$writer" || fail "the I/O ended without a server"
	mark_data
	nfsd_threads 8
	wait_for 120 moved $((1024 * 1024)) || fail "no I/O after the server came back"
	[ "$(served)" -gt "$before" ] || fail "nothing was served after the server came back"
	touch "$WORK/enough"
	wait "$writer"
}

not_connected() {
	[ -z "$(rdma resource show qp link "$IB_A/1" type RC state RTS)" ]
}

# served_more BEFORE N: is the result of served at least N more than BEFORE?
served_more() {
	[ $(($(served) - $1)) -ge "$2" ]
}

# Case: the port of the server is down under I/O until the connection breaks, and then up again: the
# client reconnects and loses no data.
port_away() {
	local writer before served

	ends
	rm -f "$WORK/enough"
	mark_data
	trap end_io EXIT
	keep_writing &
	writer=$!
	wait_for 120 moved $((1024 * 1024)) || fail "no I/O"
	before=$(connects)
	ip link set "$NET_B" down
	wait_for 120 not_connected || fail "the connection does not break"
	served=$(served)
	ip link set "$NET_B" up
	wait_for 90 served_more "$served" 8 || {
		rdma resource show cm_id
		ip route get "$IP_A" from "$IP_B" || :
		fail "no I/O after the port came back"
	}
	connected_again "$before" || fail "I/O without a new connection"
	touch "$WORK/enough"
	wait "$writer"
}

# Case: the addresses (iova) that the server gets have the transaction number (XID) of the RPC in
# their upper half, for all MRs of an RPC.
xids() {
	local dir=$TRACEFS/instances/nfs event

	no_task_names
	mkdir "$dir"
	for event in mr_fastreg marshal; do
		echo 1 > "$dir/events/rpcrdma/xprtrdma_$event/enable"
	done
	dd if=/dev/urandom of="$MNT/xids" bs=256k count=8 oflag=direct status=none
	cp "$dir/trace" "$WORK/trace"
	rmdir "$dir"
	rm "$MNT/xids"
	awk '/xprtrdma_marshal:/ && match($0, /xid=0x[0-9a-f]+/) {
			xid[substr($0, RSTART + 6, 8)] = 1
		}
		/xprtrdma_mr_fastreg:/ && match($0, /@0x[0-9a-f]+/) {
			n++
			if (!(substr($0, RSTART + 3, 8) in xid)) bad++
		}
		END {
			print n + 0 " MRs, " bad + 0 " of them not of an RPC that was sent"
			exit n < 8 || bad
		}' "$WORK/trace" || fail "$(head -n 20 "$WORK/trace")"
}

# connects: print the number of connections that the client has made
connects() {
	awk -v mnt="$MNT" '$1 == "device" { here = $5 == mnt }
		here && $1 == "xprt:" && $2 == "rdma" { print $5 }' /proc/self/mountstats
}

connected_again() {
	[ "$(connects)" -gt "$1" ]
}

# break_qps DEV: put the connected QPs of a device in ERR; these are the QPs of the mount
break_qps() {
	local faults qp n=0

	faults=$SIM_DEBUGFS/$(ib_pci "$1")/faults/qp
	rdma resource show qp link "$1/1" type RC state RTS > "$WORK/qps"
	while read -r qp; do
		qp=${qp#* lqpn }
		! echo "${qp%% *}" > "$faults" || n=$((n + 1))
	done < "$WORK/qps"
	[ "$n" -gt 0 ] || fail "no QP of $1 is connected: $(cat "$WORK/qps")"
}

# keep_writing_mixed: write by calls with one MR, which the server invalidates, and by calls with
# several MRs, which the client invalidates
keep_writing_mixed() {
	until [ -e "$WORK/enough" ]; do
		fio_verify "$(host_bdev)" 16k 2
		fio_verify "$(host_bdev)" 512k 8
	done
}

# Case: QPs of client and server enter ERR under I/O; the client reconnects and loses no data. If
# the memory of an RPC were freed while a key is valid, there would be a violation or wrong data.
qp_errors() {
	local round dev before writer

	ends
	rm -f "$WORK/enough"
	trap end_io EXIT
	keep_writing_mixed &
	writer=$!
	for round in 1 2 3 4; do
		for dev in "$IB_A" "$IB_B"; do
			mark_data
			wait_for 120 moved $((round * 512 * 1024)) || fail "no I/O"
			before=$(connects)
			break_qps "$dev"
			wait_for 120 connected_again "$before" ||
				fail "the client does not connect after an error of $dev"
		done
	done
	touch "$WORK/enough"
	wait "$writer"
	say "$(connects) connects"
	no_violations
}

registered() {
	[ $(($(sim_counter "$IB_A" registrations) - $1)) -ge "$2" ]
}

# Case: RPCs are killed while the server has their keys; the keys are invalid when the RPCs end.
killed() {
	local regs invs dd

	ends
	head -c 1M /dev/urandom > "$MNT/slow"
	sync
	regs=$(sim_counter "$IB_A" registrations)
	invs=$(sim_counter "$IB_A" invalidations)
	run fsfreeze -f "$EXPORT"
	# shellcheck disable=SC2064
	trap "fsfreeze -u '$EXPORT'" EXIT
	dd if=/dev/urandom of="$MNT/slow" bs=1M count=1 oflag=direct conv=notrunc 2> "$WORK/dd" &
	dd=$!
	wait_for 30 registered "$regs" 1 || fail "nothing was registered"
	sleep 1
	regs=$(($(sim_counter "$IB_A" registrations) - regs))
	# the command kills the RPCs, but cannot unmount
	umount -f "$MNT" 2> /dev/null || :
	! wait "$dd" || fail "the write ended well"
	want_eq "invalidations of $regs registrations" \
		"$(($(sim_counter "$IB_A" invalidations) - invs))" "$regs"
	run fsfreeze -u "$EXPORT"
	trap - EXIT
	head -c 1M /dev/urandom > "$WORK/data"
	cp "$WORK/data" "$MNT/slow"
	sync
	cmp "$WORK/data" "$EXPORT/slow"
	rm "$MNT/slow"
	no_violations
}

# Case: the server and the client use addresses of VLANs.
vlan() {
	ends
	IP_A=192.168.78.1 IP_B=192.168.78.2
	vlan_on "$IB_A" "$NET_A" "$IP_A" "$NETNS"
	vlan_on "$IB_B" "$NET_B" "$IP_B"
	run exportfs -o "$EXPORT_OPTS" "$IP_A:$EXPORT"
	mark_data
	client_mount 3 "$EXPORT" nolock,mountproto=tcp
	head -c 2M /dev/urandom > "$WORK/data"
	cp "$WORK/data" "$MNT/data"
	sync
	echo 3 > /proc/sys/vm/drop_caches
	cmp "$WORK/data" "$MNT/data"
	cmp "$WORK/data" "$EXPORT/data"
	both_moved $((2 * 2 * 1024 * 1024))
	rm "$MNT/data"
	umount "$MNT"
	run exportfs -u "$IP_A:$EXPORT"
	ip -n "$NETNS" link del "$NET_A.$VLAN"
	ip link del "$NET_B.$VLAN"
}

client_umount() {
	ends
	rm -f "$(host_bdev)"
	umount "$MNT"
}

down() {
	ends
	server_down
	modprobe -r nfsv3
	modprobe -r nfsv4
	! on_sim || ends_together "$NETNS"
}

# cases of block.sh and of this file that run for both versions, with the version as prefix
for version in v3 v42; do
	for case in io_4k io_64k io_1m io_mixed io_gaps tree registrations client_umount; do
		eval "${version}_$case() { $case; }"
	done
done

# Without FULL=1, long cases run with one version: the registrations of both are equal.
again_v3="v3_io_4k v3_io_1m v3_io_mixed v3_io_gaps"
again_v42="v42_io_64k v42_tree"
[ "${FULL:-}" = 1 ] || again_v3='' again_v42=''

# cases only for the client on ib_frwr, and cases that need faults or counters of simulated devices
xids='' breaks='' vlan='' port=''
[ "$RPCRDMA" = rpcrdma ] || xids=xids
! on_sim || vlan=vlan port=port_away
[ "$RPCRDMA" = rpcrdma ] || ! on_sim || breaks="qp_errors killed"

# shellcheck disable=SC2086
ktap_run server \
	v3_mount $again_v3 v3_io_64k v3_tree v3_registrations $xids server_restart $port $breaks \
	v3_client_umount $vlan \
	v42_mount $again_v42 v42_io_4k v42_io_1m v42_io_mixed v42_io_gaps \
	v42_registrations hole copy v42_client_umount \
	down no_violations
