#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# A device is removed while a ULP uses it: for each ULP of the tests of this tree, at each end, and
# while the ULP connects, under I/O and while it disconnects. The removal, the stop of the ULP, and
# tasks in state D must not wait without limit, and the modules can be unloaded.
#
# ROWS is the table of ULPs. A case is ULP.END.WAY.MOMENT. If a case hangs, the test prints its
# waiting tasks and ends the VM; the remaining cases run in another VM (AGAIN in selftest.py).
# hangs.list has the cases that hang because of the kernel, with the reason.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"
HERE=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=ulps.sh
. "$HERE/ulps.sh"

# seconds after which a removal or a task in state D is judged to hang; programs have more time
HANG_AFTER=60
WAYS="unplug unbind fatal netns"
MOMENTS="connect io disconnect"

# each row: a ULP, and its kernel modules
ROWS="
nvme		nvme_rdma nvmet_rdma
nvme_frwr	nvme_rdma_frwr nvmet_rdma
nvme_fs		nvme_rdma nvmet_rdma
nvme_frwr_fs	nvme_rdma_frwr nvmet_rdma
nfs		rpcrdma
nfs_frwr	rpcrdma_frwr
nfs42		rpcrdma
nfs42_frwr	rpcrdma_frwr
iser		ib_iser ib_isert
srp		ib_srp ib_srpt
smc		smc
"
# cases that every check runs
SAMPLE="nfs.A.unplug.io nfs_frwr.A.unplug.io nvme_frwr.A.unbind.connect nvme.B.fatal.io
srp.A.unplug.io"

# ---- hanging ---------------------------------------------------------------------

ended() {
	! kill -0 "$1" 2> /dev/null
}

# tasks_in_d: pid and name of each task in uninterruptible sleep, except idle kernel threads
tasks_in_d() {
	local dir name stat

	for dir in /proc/[0-9]*/task/[0-9]*; do
		{ read -r stat < "$dir/stat"; } 2> /dev/null || continue
		stat=${stat##*) }
		[ "${stat%% *}" = D ] || continue
		read -r name < "$dir/comm" || continue
		echo "${dir##*/} $name"
	done
}

no_task_in_d() {
	[ -z "$(tasks_in_d)" ]
}

# hung WHAT: print the waiting tasks, and end the VM
hung() {
	local pid name

	say "HUNG: $1"
	touch "$WORK/hung"
	tasks_in_d | while read -r pid name; do
		say "task $pid $name:"
		cat "/proc/$pid/stack" 2> /dev/null || :
	done
	exit "$KTAP_HUNG"
}

# command_waits: does mlx5_core wait for the response to a firmware command? A command that was sent
# before the device was unplugged gets no response, and times out after 60 seconds.
command_waits() {
	local pid

	tasks_in_d > "$WORK/in_d"
	while read -r pid _; do
		! grep -q 'cmd_exec.*\[mlx5_core\]' "/proc/$pid/stack" 2> /dev/null || return 0
	done < "$WORK/in_d"
	return 1
}

# in_time SECONDS COMMAND...: wait until the command succeeds; 60 s longer if mlx5_core waits for a
# firmware command
in_time() {
	wait_for "$@" && return
	command_waits || return
	say "waiting for a firmware command without a response"
	wait_for "$(($1 + 60))" "${@:2}"
}

# bounded SECONDS COMMAND...: run a command, and return its status if it does not hang. Its output
# goes to a file: a command that hangs must not keep the output of the case open.
bounded() {
	local pid

	"${@:2}" > "$WORK/bounded" 2>&1 &
	pid=$!
	in_time "$1" ended "$pid" || {
		cat "$WORK/bounded"
		ps --ppid 2 -N -o pid,ppid,stat,args | tail -n 15
		hung "${*:2}"
	}
	wait "$pid"
}

# ---- ways of removal -------------------------------------------------------------

adev_driver() {
	readlink -f "/sys/bus/auxiliary/devices/$1/driver"
}

# prepare WAY PCI: prepare the removal, before the ULP connects
prepare() {
	case $1 in
	fatal) quick_recovery "$2" ;;
	netns)
		wait_for 30 rdma system set netns exclusive || fail "another namespace exists"
		ip netns add gone
		;;
	esac
}

# take_WAY removes the device, and returns when the driver has released it; give_WAY restores it.
take_unplug() { echo 1 > "$SIM_DEBUGFS/$1/unplug"; }
give_unplug() { echo 1 > "$SIM_DEBUGFS/$1/plug"; }
take_unbind() {
	adev_driver "$ADEV" > "$WORK/driver"
	echo "$ADEV" > "$(cat "$WORK/driver")/unbind"
}
give_unbind() { echo "$ADEV" > "$(cat "$WORK/driver")/bind"; }
take_fatal() {
	die_of_error "$1"
	until recovered "$1"; do
		sleep 0.2
	done
}
give_fatal() { :; }
take_netns() { rdma dev set "$2" netns gone; }
give_netns() { ip netns del gone; }

# ---- cases -----------------------------------------------------------------------

qps() {
	local name n

	while read -r name n; do
		[ "$name" != qp ] || echo "$n"
	done < "$SIM_DEBUGFS/$1/objects"
}

# more_qps PCI N: does the device have more than N QPs?
more_qps() {
	[ "$(qps "$1")" -gt "$2" ]
}

# at MOMENT PCI: start the connect, the I/O or the disconnect, and return while it runs; sets BUSY
# to the pid of its process, or to ""
at() {
	local before

	BUSY=
	case $1 in
	connect)
		before=$(qps "$2")
		join > "$WORK/join" 2>&1 &
		BUSY=$!
		until more_qps "$2" "$before" || ended "$BUSY"; do
			:
		done
		;;
	io)
		join || fail "join: $(cat "$WORK/nvme" "$WORK/run" 2> /dev/null)"
		work
		;;
	disconnect)
		join || fail "join: $(cat "$WORK/nvme" "$WORK/run" 2> /dev/null)"
		leave > "$WORK/leave" 2>&1 &
		BUSY=$!
		sleep 0.1
		;;
	esac
}

end_of() {
	while kill -0 "$1" 2> /dev/null; do
		sleep 0.1
	done
}

# run_row ULP END WAY MOMENT: run a case. After a case that fails or hangs, the VM cannot be used
# any more: the case exits with KTAP_HUNG.
run_row() {
	local began=$SECONDS dev pci

	# shellcheck disable=SC2154
	trap 'rc=$?; [ $rc = 0 ] || exit "$KTAP_HUNG"' EXIT
	rm -f /run/modprobe.d/nvme_host.conf /run/modprobe.d/nfs_rdma.conf
	# the kernel must not panic before this test detects a hang
	echo $((HANG_AFTER * SLOWER * 10)) > /proc/sys/kernel/hung_task_timeout_secs
	ends_up
	[ "$2" = A ] && dev=$IB_A || dev=$IB_B
	pci=$(ib_pci "$dev")
	ADEV=$(rdma_adev "$pci")
	"use_$1"
	prepare "$3" "$pci"
	serve
	at "$4" "$pci"
	say "$3 of $pci after $((SECONDS - began)) s"
	began=$SECONDS
	bounded "$HANG_AFTER" "take_$3" "$pci" "$dev" || fail "$(cat "$WORK/bounded")"
	say "gone after $((SECONDS - began)) s"
	"give_$3" "$pci"
	wait_for 60 two_devices || fail "$(ib_devices | wc -l) devices"
	ends_up
	[ -z "$BUSY" ] || bounded $((2 * HANG_AFTER)) end_of "$BUSY"
	bounded "$HANG_AFTER" stop_load
	bounded $((3 * HANG_AFTER)) leave_lost || fail "it does not leave: $(cat "$WORK/bounded")"
	bounded $((3 * HANG_AFTER)) close || fail "it does not close: $(cat "$WORK/bounded")"
	[ "$3" != netns ] || wait_for 30 rdma system set netns shared || fail "a namespace stays"
	in_time "$HANG_AFTER" no_task_in_d || hung "tasks in state D"
	say "over after $((SECONDS - began)) s"
	no_violations
}

# known_hang CASE: did the case hang, and does hangs.list have the case? Sets HANG_REASON.
known_hang() {
	[ -e "$WORK/hung" ] && listed_hang "$1"
}

listed_hang() {
	local name driver reason

	while read -r name driver reason; do
		[[ $name != \#* ]] || continue
		# shellcheck disable=SC2053
		[[ $1 == $name && $PROVIDER == $driver ]] || continue
		HANG_REASON=$reason
		return 0
	done < "$HERE/hangs.list"
	return 1
}

# all_rows: print the names of all cases: each ULP, end, way and moment
all_rows() {
	local ulp end way moment

	while read -r ulp _; do
		[ -n "$ulp" ] || continue
		for end in A B; do
			for way in $WAYS; do
				for moment in $MOMENTS; do
					echo "$ulp.$end.$way.$moment"
				done
			done
		done
	done <<< "$ROWS"
}

# rdma_modules: print the names of the modules of ULPs, of the kernel and of this tree
rdma_modules() {
	awk -F: '$2 ~ /(ib_core|rdma_cm|ib_cm)\.ko/ &&
		$1 ~ /(ulp|nvme|sunrpc|rpcrdma|net\/(rds|smc)|rnbd)/ { print $1 }' \
		"/lib/modules/$(uname -r)/modules.dep" |
		sed -e 's,.*/,,' -e 's,\.ko.*,,' -e 's,-,_,g'
}

# Case: each module of a ULP that a selftest names is in ROWS.
every_ulp_has_rows() {
	local name n=0 rows=" ${ROWS//[[:space:]]/ } " pattern

	pattern=$(rdma_modules | sed 's/_/[-_]/g' | paste -sd'|')
	while read -r name; do
		n=$((n + 1))
		[[ $rows = *" $name "* ]] || fail "$name has no rows"
	done < <(grep -rhowE --include='*.sh' --exclude-dir=removal "$pattern" "$TESTLIB" \
		"$HERE/.." | tr - _ | sort -u)
	want_ge "ULPs of the tests" "$n" 10
}

# Case: print the cases that hung or failed
hangs() {
	local name

	say "on $PROVIDER these cases hung or failed: ${KTAP_HUNG_CASES:-none}"
	for name in ${KTAP_HUNG_CASES:-}; do
		listed_hang "$name" || HANG_REASON="not in hangs.list"
		say "  $name: $HANG_REASON"
	done
}

down() {
	unload_providers
	no_violations
}

if [ "${FULL:-}" = 1 ]; then
	SAMPLE=$(all_rows)
fi
# define a function for each case
for row in ${CASES:-$SAMPLE}; do
	eval "$row() { run_row ${row//./ }; }"
done
# shellcheck disable=SC2086
ktap_run every_ulp_has_rows ${CASES:-$SAMPLE} hangs down
