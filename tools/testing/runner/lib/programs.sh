# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2034,SC2154
#
# Programs of user space: a server at end B and a client at end A. objects_as_before checks that the
# programs left no objects in the simulated devices. Source lib.sh first, and write the output of
# live_objects to $WORK/objects before the first program.

PORT=18515	# TCP port, or port of the RDMA CM, on which a server listens
LIMIT=$((60 * SLOWER * PATIENCE))

# Print the numbers of live objects, without objects that drivers keep: EQs, which mlx5_core creates
# when a vector is first used; and with mlx5_ib, mkeys, which mlx5_ib keeps for half a minute after
# the MR was deregistered.
live_objects() {
	local kept=':eq '

	[ "$PROVIDER" = mlx5_ibx ] || kept=':eq \|:mkey '
	grep -H . "$SIM_DEBUGFS/"*:*/objects | grep -v "$kept"
}

objects_as_before() {
	live_objects | cmp -s "$WORK/objects" -
}

# owned KIND...: print the objects of processes in the lists of the RDMA core. The lists show the
# owner of an object in brackets if the kernel owns the object.
owned() {
	local kind lines

	for kind in "$@"; do
		lines=$(rdma resource show "$kind") || fail "rdma does not list $kind"
		grep " comm " <<< "$lines" | grep -v "comm \[" || :
	done
}

# nothing_owned KIND...: do no processes own objects of these kinds?
nothing_owned() {
	local lines

	lines=$(owned "$@") || fail "$lines"
	[ -z "$lines" ]
}

no_objects_left() {
	ends
	wait_for 10 objects_as_before || {
		live_objects | diff "$WORK/objects" - || :
		fail "objects are left"
	}
	nothing_owned qp || fail "QPs of processes are left: $(owned qp)"
}

# Does a server listen on $PORT, with a TCP socket or with an identifier of the RDMA CM?
listens() {
	grep -qi ":$(printf %x "$PORT") [0-9a-f]*:0000 0a " /proc/net/tcp /proc/net/tcp6 ||
		prints "state LISTEN .*src-addr .*:$PORT" rdma resource show cm_id
}

# start_server COMMAND...: start a server, wait until it listens, and set SERVER to its process
start_server() {
	"$@" > "$WORK/server" 2>&1 &
	SERVER=$!
	wait_for 20 listens || fail "no server: $(cat "$WORK/server")"
}

# run_client COMMAND...: run a client; fail unless the client and the server end with success
run_client() {
	local status=0

	timeout "$LIMIT" "$@" > "$WORK/client" 2>&1 || {
		status=$?
		kill "$SERVER" 2> /dev/null || :
	}
	wait "$SERVER" || status=$?
	if [ "$status" != 0 ]; then
		cat "$WORK/client" "$WORK/server"
		cat "$SIM_DEBUGFS/"*:*/violations
		fail "$* ended with $status"
	fi
}

# moving BYTES: have both ends moved at least BYTES since mark_data?
moving() {
	local mark

	mapfile -t mark < "$WORK/mark"
	[ $(($(data_bytes "$IB_A") - mark[0])) -ge "$1" ] &&
		[ $(($(data_bytes "$IB_B") - mark[1])) -ge "$1" ]
}

# long PROGRAM ARGUMENT...: start a server and a client that move data until they are killed, set
# SERVER and CLIENT to their processes, and wait until both ends have moved $MOVING (1000000) bytes
long() {
	ends
	clear_violations
	mark_data
	start_server "$1" -F -d "$IB_B" "${@:2}"
	"$1" -F -d "$IB_A" "${@:2}" "$IP_B" > "$WORK/client" 2>&1 &
	CLIENT=$!
	wait_for 20 moving "${MOVING:-1000000}" ||
		fail "no data: $(cat "$WORK/client" "$WORK/server")"
}

# ended PROCESS: has the process ended?
ended() {
	! kill -0 "$1" 2> /dev/null
}

now_ms() {
	local up

	read -r up _ < /proc/uptime
	echo $((${up/./} * 10))
}
