#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The VM runner, tested on the host: output and status of a command arrive unchanged, and the runner
# reports each failure in the guest.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"

RUN=$TOP/tools/testing/runner/vm/run

# returns STATUS RUN-ARGUMENT...: vm/run must exit with STATUS; its output is in $WORK/out and
# $WORK/err
returns() {
	local want=$1 rc=0

	shift
	"$RUN" "$@" > "$WORK/out" 2> "$WORK/err" || rc=$?
	[ "$rc" -eq "$want" ] || {
		tail -n 20 "$WORK/err"
		fail "status is $rc, expected $want"
	}
}

output_and_status() {
	returns 7 --modules "" -- sh -c 'printf "one\n\ttwo"; echo three >&2; exit 7'
	want_eq "output" "$(cat "$WORK/out")" "$(printf 'one\n\ttwo')"
	grep -qx three "$WORK/err" || fail "nothing on standard error"
}

panic_is_shown() {
	local start=$SECONDS

	returns 121 --modules "" -- sh -c 'echo c > /proc/sysrq-trigger'
	grep -q 'Kernel panic' "$WORK/err" || fail "the panic is not shown"
	# the guest has ended before its time limit
	want_ge "seconds left of 540" $((540 - (SECONDS - start))) 0
}

warning_is_seen() {
	returns 120 --modules "" -- sh -c 'echo "WARNING: CPU: 0 PID: 1 at provoked" > /dev/kmsg'
}

known_fault_is_told() {
	printf 'echo "%s" > /dev/kmsg\n' "WARNING: possible circular locking dependency detected" \
		"f109 (&id_priv->handler_mutex){+.+.}-{3:3}, at: rdma_destroy_id+0x16/0x30" \
		"f06a (nvmet_config_sem){++++}-{3:3}, at: nvmet_port_subsys_drop_link+0x4a/0x300" \
		> "$WORK/report"
	returns 119 --modules "" -- sh "$WORK/report"
	grep -q "vm: known fault of the kernel: nvmet_rdma" "$WORK/err" || fail "it is not named"
}

accepted_fault_is_told() {
	printf 'echo "%s" > /dev/kmsg\n' \
		"WARNING: SOFTIRQ-safe -> SOFTIRQ-unsafe lock order detected" \
		"ff10 (&xa->xa_lock#20){+.+.}-{2:2}, at: mlx5_ib_poll_cq+0xc37/0x4fd0 [mlx5_ib]" \
		"ff20 (&cq->lock){..-.}-{2:2}, at: mlx5_ib_poll_cq+0xbc/0x4fd0 [mlx5_ib]" \
		> "$WORK/report"
	returns 0 --modules "" -- sh "$WORK/report"
	grep -q "vm: accepted fault of a stock driver: mlx5_ib" "$WORK/err" ||
		fail "it is not named"
}

hang_ends() {
	returns 124 --modules "" --timeout 30 -- sleep 1000
}

links_are_active() {
	returns 0 --provider mlx5_ib -- rdma link show
	cat "$WORK/out"
	want_eq "links ACTIVE" "$(grep -c 'state ACTIVE' "$WORK/out")" 2
}

# reboots DRIVER LINE PARAMETER...: the guest reboots while the driver is bound, with these
# parameters of mlx5sim. mlx5_core prints LINE, and the device executes its commands with success.
reboots() {
	local driver=$1 line=$2

	shift 2
	cat > "$WORK/restart" <<- EOF
		set -eu
		export WORK=/tmp
		. $TOP/tools/testing/runner/lib/lib.sh
		. $TOP/tools/testing/runner/lib/modules.sh
		[ -z "$*" ] || sim_reload $*
		ends_up
		for f in try_fast_unload cmd_fast_teardown_hca cmd_force_teardown_hca; do
			echo "func mlx5_\$f +p" > /sys/kernel/debug/dynamic_debug/control
		done
		dmesg -n 8
		reboot -f
		sleep 60
	EOF
	returns 123 --provider "$driver" --console "$WORK/console" -- bash "$WORK/restart"
	want_eq "devices that were shut down" "$(grep -c "Shutdown was called" "$WORK/console")" 2
	want_eq "devices with this line" "$(grep -c "$line" "$WORK/console")" 2
	! grep -E "mode failed|NIC IFC still|do fast unload" "$WORK/console" ||
		fail "the device has not reported success"
}

reboots_fast() {
	reboots mlx5_ib "fast teardown firmware support=1"
	reboots mlx5_ibx "fast teardown firmware support=1"
}

reboots_forced() {
	reboots mlx5_ib "fast teardown is not supported" caps=general.fast_teardown=0
}

ktap_run output_and_status panic_is_shown warning_is_seen known_fault_is_told \
	accepted_fault_is_told hang_ends links_are_active reboots_fast reboots_forced
