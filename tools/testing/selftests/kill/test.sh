#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Processes with every kind of object and with traffic end by SIGKILL at random points: processes of
# programs/kill in any call, and programs of perftest while they move data. Afterwards the lists of
# rdma(8), the objects of the simulated devices and the kernel log are unchanged, and both devices
# work. KILL_SEED selects other points.
#
# In the cases race_*, ten threads use one context: SIGKILL interrupts several requests at a time.
# Some cases send SIGKILL while the device is unbound, gets a fatal error or, with FULL=1, is
# unplugged: after an unplug, mlx5_core waits a minute for the outstanding command.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/programs.sh
. "$(dirname "$0")/../../runner/lib/programs.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"

RACER=$TOP/build/devx/racer
RACES=$([ -n "${FULL:-}" ] && echo 25 || echo 3)
VICTIM=$TOP/build/devx/victim
SEED=${KILL_SEED:-1}
SETS="1 2 3 4"			# sets of PER_SET processes
PER_SET=$([ -n "${FULL:-}" ] && echo 25 || echo 7)
KINDS="qp cm_id mr cq pd ctx srq"

# kernel_log: print the messages of the kernel about the drivers and RDMA
kernel_log() {
	dmesg | grep -iE "mlx5|infiniband|uverbs|rdma|ib_" || :
}

# as_before: check that the killed processes left no object and no kernel message
as_before() {
	# shellcheck disable=SC2086
	wait_for 10 nothing_owned $KINDS || fail "the core lists: $(owned $KINDS)"
	no_objects_left
	kernel_log | diff "$WORK/dmesg" - || fail "the kernel has said something"
	no_violations
}

gids() {
	gid_of_ip "$IB_A" "$IP_A"
	GID_A=$GID_INDEX
	gid_of_ip "$IB_B" "$IP_B"
	GID_B=$GID_INDEX
}

# victims SEED COUNT: run COUNT processes of the program victim, from SEED on
victims() {
	ends
	gids
	"$VICTIM" "$IB_A" "$GID_A" "$IB_B" "$GID_B" "$1" "$2" || {
		cat "$SIM_DEBUGFS/"*:*/violations
		fail "see above"
	}
}

# Case: create the objects that all processes share. mlx5_ib creates them for the first user. The
# case runs several processes, because few reach the last step of a cycle.
first_user() {
	ends_up
	clear_violations
	live_objects > "$WORK/objects"
	victims 0 4
	start_server timeout "$LIMIT" ib_write_bw -F -d "$IB_B" -n 5 -s 8
	run_client ib_write_bw -F -d "$IB_A" -n 5 -s 8 "$IP_B"
	live_objects > "$WORK/objects"
	kernel_log > "$WORK/dmesg"
	no_violations
}

# set_of N: run the processes of set N, and check that they left nothing
set_of() {
	victims $((SEED * 1000 + $1 * 100)) "$PER_SET"
	as_before
}

for n in $SETS; do
	eval "victims_$n() { set_of $n; }"
done

# perftest KILLED PROGRAM ARGUMENT...: run a program of perftest, and kill the server, the client or
# both (KILLED)
perftest() {
	long "${@:2}"
	exec 2> /dev/null	# otherwise the shell prints a line for each killed process
	case $1 in
	server) kill -9 "$SERVER" ;;
	client) kill -9 "$CLIENT" ;;
	both) kill -9 "$CLIENT" "$SERVER" ;;
	esac
	# the other program has lost its peer: it ends, or is killed after a random time
	sleep 0.$((RANDOM % 10))
	kill -9 "$CLIENT" "$SERVER" 2> /dev/null || :
	wait "$CLIENT" "$SERVER" || :
	exec 2>&1
	as_before
}

write_client() { perftest client ib_write_bw -b -q 4 -D 60; }
write_server() { perftest server ib_write_bw -q 4 -D 60; }
send_srq_both() { perftest both ib_send_bw --use-srq -r 64 -q 2 -D 60; }
read_both() { perftest both ib_read_bw -D 60; }
atomic_client() { MOVING=10000 perftest client ib_atomic_bw -D 60; }
send_ud_server() { perftest server ib_send_bw -c UD -s 1024 -D 60; }
send_xrc_client() { perftest client ib_send_bw -c XRC -q 2 -D 60; }
send_dc_client() { perftest client ib_send_bw -c DC -D 60; }
cm_server() { perftest server ib_write_bw -R -D 60; }
cm_both() { perftest both ib_write_bw -R -q 2 -D 60; }

# racer SEED COUNT [FILE TEXT]: run the program racer on the device of A
racer() {
	timeout -s KILL $((LIMIT * 4)) "$RACER" "$IB_A" "$@"
}

race_killed() {
	ends
	clear_violations
	racer $((SEED * 1000)) "$RACES" || {
		cat "$SIM_DEBUGFS/"*:*/violations
		fail "see above"
	}
	as_before
}

# race_lost WAY: run racer while the device is removed. The kernel log is not compared: it has
# messages of mlx5_core about the device.
race_lost() {
	local n

	for n in $(seq $(((RACES + 2) / 3))); do
		ends
		clear_violations
		on_lost_device "$1" racer $((SEED * 1000 + 500 + n)) 1
		kernel_log > "$WORK/dmesg"
		say "$(cat "$WORK/said")"
		want_eq "status" "$LOST_STATUS" 0
		wait_for 10 nothing_owned || fail "the core lists: $(owned)"
		no_objects_left
		no_violations
	done
}

race_unbound() { race_lost unbound; }
race_unplugged() { race_lost unplugged; }
race_fatal() { race_lost fatal; }

# Case: data is sent in both directions, and all data arrives.
works_again() {
	ends
	clear_violations
	start_server timeout "$LIMIT" ib_write_bw -F -d "$IB_B" -b -n 50
	run_client ib_write_bw -F -d "$IB_A" -b -n 50 "$IP_B"
	as_before
}

short="write_client cm_server race_killed"
[ "$PROVIDER" != mlx5_ibx ] || short="$short race_unbound race_fatal"
long="write_server send_srq_both read_both atomic_client send_ud_server send_xrc_client
	send_dc_client cm_both"
[ "$PROVIDER" != mlx5_ibx ] || long="$long race_unplugged"
RANDOM=$SEED
# shellcheck disable=SC2046,SC2086
ktap_run ${CASES:-first_user $(printf 'victims_%s ' $SETS) $short ${FULL:+$long} works_again}
