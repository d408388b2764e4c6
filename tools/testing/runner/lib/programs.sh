# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2034,SC2154
#
# Programs of user space, a server at end B and a client at end A, and objects that they leave
# behind in the simulated devices. Source lib.sh first, and write live_objects to $WORK/objects
# once.

PORT=18515	# of a server
LIMIT=$((60 * SLOWER * PATIENCE))

# Number of live objects, except EQs, which mlx5_core creates when a vector is first used and keeps,
# and except mkeys that mlx5_ib keeps for half a minute after the MR was deregistered.
live_objects() {
	local kept=':eq '

	[ "$PROVIDER" = mlx5_ibx ] || kept=':eq \|:mkey '
	grep -H . "$SIM_DEBUGFS/"*:*/objects | grep -v "$kept"
}

objects_as_before() {
	live_objects | cmp -s "$WORK/objects" -
}

# owned KIND...: objects of processes in the lists of the core; the owner of a kernel object is in
# brackets
owned() {
	local kind lines

	for kind in "$@"; do
		lines=$(rdma resource show "$kind") || fail "rdma does not list $kind"
		grep " comm " <<< "$lines" | grep -v "comm \[" || :
	done
}

# nothing_owned KIND...
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

# A server waits for its client, on a TCP socket or on an identifier of the RDMA CM.
listens() {
	grep -qi ":$(printf %x "$PORT") [0-9a-f]*:0000 0a " /proc/net/tcp /proc/net/tcp6 ||
		rdma resource show cm_id | grep -q "state LISTEN .*src-addr .*:$PORT"
}

# start_server COMMAND...: sets SERVER to its process
start_server() {
	"$@" > "$WORK/server" 2>&1 &
	SERVER=$!
	wait_for 20 listens || fail "no server: $(cat "$WORK/server")"
}

# run_client COMMAND...: until the command and the server have ended with success
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

# moving BYTES: have both ends moved so many bytes since the mark?
moving() {
	local mark

	mapfile -t mark < "$WORK/mark"
	[ $(($(data_bytes "$IB_A") - mark[0])) -ge "$1" ] &&
		[ $(($(data_bytes "$IB_B") - mark[1])) -ge "$1" ]
}

# long PROGRAM ARGUMENT...: a server and a client that move data until they are killed; sets
# SERVER and CLIENT to processes, once both ends have moved $MOVING bytes, or a million
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

# ended PROCESS
ended() {
	! kill -0 "$1" 2> /dev/null
}

now_ms() {
	local up

	read -r up _ < /proc/uptime
	echo $((${up/./} * 10))
}
