#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# SMC-R: sockets that send data by RDMA WRITE to buffers, which the kernel registers by fast
# registration. Connections between two network namespaces, one by one and at the same time. All
# bytes return, both devices move them (a connection that falls back to TCP is a failure), and no
# violation is counted.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"

NETNS=client
PORT=7777
PEER=$TOP/tools/testing/selftests/smc/peer.py

talk() {
	in_netns "$NETNS" timeout $((300 * PATIENCE)) "$PEER" talk "$IP_B" "$PORT" "$@"
}

# exchange CONNECTIONS MEGABYTES: send MEGABYTES to the server and back on each connection
exchange() {
	ends
	mark_data
	talk "$1" "$2"
	both_moved $((2 * $1 * $2 * 1024 * 1024))
}

listening() {
	in_netns "$NETNS" bash -c "echo > /dev/tcp/$IP_B/$PORT" 2> /dev/null
}

up() {
	ends_apart "$NETNS"
	modprobe smc
	"$PEER" serve "$IP_B" "$PORT" > /dev/null 2>&1 < /dev/null &
	wait_for 60 listening || fail "the server does not listen"
}

one() { exchange 1 4; }
many() { exchange 8 1; }

# Case: the kernel has registered buffers. It registers a buffer for the first connection that needs
# it.
registered() {
	ends
	want_ge "registrations" "$(sim_sum registrations)" 2
}

# Case: unload smc without connections. Link groups are freed after a delay; the unload frees the
# rest.
down() {
	ends
	pkill -f "$PEER"
	wait_for 60 unloaded || fail "smc cannot be unloaded"
	ends_together "$NETNS"
}

unloaded() {
	modprobe -r smc 2> /dev/null
}

ktap_run up one many registered down no_violations
