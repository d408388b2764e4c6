#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The RDMA driver of a PCI function: claim= at load and at run time, and tools/ibx-claim. mlx5_ibx
# keeps a claimed function after any removal and re-creation, whichever driver registered first. In
# most cases mlx5_ib is loaded before mlx5_ibx: the driver core first binds each new function to
# mlx5_ib.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"
# shellcheck source=../../runner/lib/nvmeof.sh
. "$(dirname "$0")/../../runner/lib/nvmeof.sh"

CLAIM=$TOP/tools/ibx-claim
PARAM=/sys/module/mlx5_ibx/parameters/claim

FIRST=$(sim_pcis | sed -n 1p)
SECOND=$(sim_pcis | sed -n 2p)

# load [ARGUMENT...]: load mlx5_ib, then mlx5_ibx with these arguments and without those of the VM
load() {
	loaded mlx5_ib || modprobe mlx5_ib
	! loaded mlx5_ibx || modprobe -r mlx5_ibx
	mkdir -p "$WORK/empty"
	modprobe -C "$WORK/empty" mlx5_ibx "$@"
}

# claim LIST: set the list, in cases that do not test the way in which it is set
claim() {
	echo "$1" > "$PARAM"
}

want_driver() {
	want_eq "driver of $1" "$(driver_of_pci "$1")" "$2"
}

# soon PCI DRIVER: wait until work items of the kernel have bound the function to this driver
soon() {
	wait_for 20 driven_by "$1" "$2" || fail "$1 is driven by $(driver_of_pci "$1"), not $2"
}

# both_work: check that both ports are up, and that their GID tables contain the addresses of the
# netdevs. The netdevs stay when the RDMA driver changes.
both_work() {
	works "$FIRST" "$IP_A"
	works "$SECOND" "$IP_B"
}

works() {
	local dev

	dev=$(echo "/sys/bus/pci/devices/$1/infiniband/"*)
	dev=${dev##*/}
	wait_for 30 port_active "$dev" || fail "the port of $dev does not become ACTIVE"
	wait_for 30 gid_of_ip "$dev" "$2" || fail "$dev has no GID for $2"
}

# refused REGEX ARGUMENT...: ibx-claim fails with a message that matches, and no function changes
# its driver. $AS is a prefix of the command.
refused() {
	local regex=$1 before

	shift
	before=$(driver_of_pci "$FIRST")/$(driver_of_pci "$SECOND")
	# shellcheck disable=SC2086
	if ${AS:-} "$CLAIM" "$@" > "$WORK/said" 2>&1; then
		fail "ibx-claim $* should have failed"
	fi
	cat "$WORK/said"
	grep -qE "$regex" "$WORK/said" || fail "ibx-claim $* did not say '$regex'"
	want_eq "drivers" "$(driver_of_pci "$FIRST")/$(driver_of_pci "$SECOND")" "$before"
}

# ---- the parameter ----

# Without claim=, mlx5_ibx claims no function.
nothing_by_default() {
	unload_providers
	mkdir -p "$WORK/empty"
	modprobe -C "$WORK/empty" mlx5_ibx
	want_eq "devices of an unclaiming driver" "$(ib_devices | wc -l)" 0
	want_eq "claim" "$(cat "$PARAM")" ""
	modprobe mlx5_ib
	want_driver "$FIRST" mlx5_ib
	want_driver "$SECOND" mlx5_ib
}

checked() {
	local bad

	modprobe -r mlx5_ibx
	for bad in nonsense "$FIRST,$FIRST"; do
		expect_fail modprobe mlx5_ibx claim="$bad"
		! loaded mlx5_ibx || fail "loaded with claim=$bad"
	done
	load claim="$FIRST"
	for bad in nonsense 0000:zz:00.0 "$SECOND," "$SECOND,$SECOND" "all,$SECOND" " $SECOND"; do
		expect_fail eval "echo '$bad' > $PARAM"
		want_eq "claim" "$(cat "$PARAM")" "$FIRST"
		want_driver "$FIRST" mlx5_ibx
		want_driver "$SECOND" mlx5_ib
	done
	both_work
}

# mlx5_ib was loaded first and drives both functions: the claimed function moves to mlx5_ibx.
takes_over_at_load() {
	load claim="$FIRST"
	want_driver "$FIRST" mlx5_ibx
	want_driver "$SECOND" mlx5_ib
	both_work
	no_violations
}

# A write replaces the list: functions that it adds are claimed, functions that it removes are
# released.
replaced_at_run_time() {
	claim "$FIRST"
	echo "$SECOND" > "$PARAM"
	want_driver "$FIRST" mlx5_ib
	want_driver "$SECOND" mlx5_ibx
	both_work
	echo all > "$PARAM"
	want_eq "claim" "$(cat "$PARAM")" all
	want_driver "$FIRST" mlx5_ibx
	want_driver "$SECOND" mlx5_ibx
	echo > "$PARAM"
	want_driver "$FIRST" mlx5_ib
	want_driver "$SECOND" mlx5_ib
	both_work
	no_violations
}

# set_roce PCI true|false: enable or disable RoCE of a function
set_roce() {
	devlink dev param set "pci/$1" name enable_roce value "$2" cmode driverinit
	devlink dev reload "pci/$1"
}

# A function that mlx5_ibx cannot drive keeps its driver, and the write fails for all functions.
undrivable_stays() {
	claim ""
	set_roce "$SECOND" false
	soon "$SECOND" mlx5_ib
	expect_fail eval "echo '$FIRST,$SECOND' > $PARAM"
	want_eq "claim" "$(cat "$PARAM")" ""
	want_driver "$FIRST" mlx5_ib
	want_driver "$SECOND" mlx5_ib
	# "all" claims every function that mlx5_ibx can drive
	echo all > "$PARAM"
	want_driver "$FIRST" mlx5_ibx
	want_driver "$SECOND" mlx5_ib
	set_roce "$SECOND" true
	soon "$SECOND" mlx5_ibx
	both_work
}

# mlx5_ib is unbound, and then mlx5_ibx fails to bind: the write fails, and mlx5_ib is bound again.
# RES_BUSY becomes EBUSY, an errno that the driver core returns for other reasons, too.
failed_binding_is_undone() {
	local faults=$SIM_DEBUGFS/$FIRST/faults/command status

	claim ""
	soon "$FIRST" mlx5_ib
	for status in INT_ERR RES_BUSY; do
		echo "fail ACCESS_REG 1 $status" > "$faults"
		expect_fail eval "echo '$FIRST' > $PARAM"
		echo clear > "$faults"
		want_eq "claim" "$(cat "$PARAM")" ""
		soon "$FIRST" mlx5_ib
	done
	both_work
}

# ---- the script ----

take_and_give() {
	claim ""
	"$CLAIM" take "$FIRST"
	want_driver "$FIRST" mlx5_ibx
	want_driver "$SECOND" mlx5_ib
	both_work
	"$CLAIM" status | tee "$WORK/status"
	grep -qE "^$FIRST +mlx5_ibx +yes " "$WORK/status" || fail "status of $FIRST"
	grep -qE "^$SECOND +mlx5_ib +no " "$WORK/status" || fail "status of $SECOND"
	"$CLAIM" take "$SECOND"
	want_driver "$SECOND" mlx5_ibx
	"$CLAIM" give "$FIRST"
	want_driver "$FIRST" mlx5_ib
	want_driver "$SECOND" mlx5_ibx
	both_work
	# from "all", give makes a list of the other functions by their addresses
	echo all > "$PARAM"
	"$CLAIM" give "$SECOND"
	want_eq "claim" "$(cat "$PARAM")" "$FIRST"
	want_driver "$FIRST" mlx5_ibx
	want_driver "$SECOND" mlx5_ib
	both_work
	no_violations
}

# Two scripts that run at the same time change the list one after the other.
taken_at_once() {
	local verb driver first second

	claim ""
	for verb in take give take give take give; do
		driver=mlx5_ib
		[ "$verb" = give ] || driver=mlx5_ibx
		"$CLAIM" "$verb" "$FIRST" &
		first=$!
		"$CLAIM" "$verb" "$SECOND" &
		second=$!
		wait "$first" || fail "ibx-claim $verb $FIRST"
		wait "$second" || fail "ibx-claim $verb $SECOND"
		want_driver "$FIRST" "$driver"
		want_driver "$SECOND" "$driver"
	done
	both_work
	no_violations
}

# A listed function that mlx5_ibx does not drive can be removed from the list, and does not prevent
# the claim of others; but it cannot be added to the list.
off_the_list() {
	local nowhere=0000:ff:1f.7

	claim ""
	set_roce "$SECOND" false
	soon "$SECOND" mlx5_ib
	echo all > "$PARAM"
	refused "no PCI function" give "$nowhere"
	want_eq "claim" "$(cat "$PARAM")" all
	"$CLAIM" give "$FIRST"
	want_eq "claim" "$(cat "$PARAM")" ""
	want_driver "$FIRST" mlx5_ib
	load claim="$FIRST,$nowhere,$SECOND"
	want_driver "$FIRST" mlx5_ibx
	want_driver "$SECOND" mlx5_ib
	"$CLAIM" give "$SECOND"
	want_eq "claim" "$(cat "$PARAM")" "$FIRST,$nowhere"
	"$CLAIM" give "$nowhere"
	want_eq "claim" "$(cat "$PARAM")" "$FIRST"
	want_driver "$FIRST" mlx5_ibx
	refused "mlx5_ib: Operation not supported; the kernel log: .* RoCE is off" take "$SECOND"
	set_roce "$FIRST" false
	soon "$FIRST" mlx5_ib
	load claim="$FIRST,$SECOND"
	refused "driven by mlx5_ib still; the kernel log: .* RoCE is off" take "$SECOND"
	"$CLAIM" give "$SECOND"
	want_eq "claim" "$(cat "$PARAM")" "$FIRST"
	set_roce "$FIRST" true
	set_roce "$SECOND" true
	soon "$FIRST" mlx5_ibx
	devlink dev param set "pci/$FIRST" name enable_rdma value false cmode driverinit
	devlink dev reload "pci/$FIRST"
	refused "has no RDMA part" take "$FIRST"
	"$CLAIM" give "$FIRST"
	want_eq "claim" "$(cat "$PARAM")" ""
	devlink dev param set "pci/$FIRST" name enable_rdma value true cmode driverinit
	devlink dev reload "pci/$FIRST"
	soon "$FIRST" mlx5_ib
	soon "$SECOND" mlx5_ib
	both_work
}

# A function without an RDMA driver, because mlx5_ib is not loaded, or mlx5_ibx was unloaded.
nobodys_function() {
	claim ""
	modprobe -r mlx5_ib
	want_driver "$FIRST" none
	"$CLAIM" take "$FIRST"
	want_driver "$FIRST" mlx5_ibx
	refused "mlx5_ib is not loaded" give "$FIRST"
	"$CLAIM" -f give "$FIRST"
	want_driver "$FIRST" none
	"$CLAIM" take "$FIRST"
	modprobe mlx5_ib
	modprobe -r mlx5_ibx
	want_driver "$FIRST" none
	refused "mlx5_ibx is not loaded" take "$FIRST"
	refused "mlx5_ibx is not loaded" save
	"$CLAIM" give "$FIRST"
	want_driver "$FIRST" mlx5_ib
	load
	both_work
}

says_what_is_wrong() {
	local other

	claim ""
	refused "no PCI address" take nonsense
	refused "no PCI address" give 3b:00
	refused "no PCI function 0000:ff:1f.7" take ff:1f.7
	other=$(basename "$(find /sys/bus/pci/devices/ -name '0000:*' | sort | head -n 1)")
	refused "not driven by mlx5_core" take "$other"
	refused "driven by mlx5_ib already" give "$FIRST"
	"$CLAIM" take "$FIRST"
	refused "driven by mlx5_ibx already" take "$FIRST"
	AS="setpriv --reuid=65534 --clear-groups" refused "only root" take "$SECOND"
	expect_fail "$CLAIM"
	expect_fail "$CLAIM" take
}

# ibx-claim refuses a function in use, which has QPs. With -f it moves the function: for its users,
# this is like an unplug.
in_use() {
	claim ""
	both_work
	target_up 16
	host_connect
	refused "$FIRST is in use by .*" take "$FIRST"
	"$CLAIM" -f take "$FIRST"
	want_driver "$FIRST" mlx5_ibx
	wait_for 30 no_namespace || fail "the host still has its namespace"
	both_work
	host_connect
	fio_verify "$(host_bdev)" 64k 4
	refused "$FIRST is in use by .*" give "$FIRST"
	host_disconnect
	"$CLAIM" give "$FIRST"
	want_driver "$FIRST" mlx5_ib
	target_down
	no_violations
}

no_namespace() {
	! host_bdev > /dev/null
}

bonded_is_refused() {
	local net

	claim ""
	modprobe bonding max_bonds=0
	net=$(basename "/sys/bus/pci/devices/$FIRST/net/"*)
	ip link set "$net" down
	ip link add testbond type bond mode active-backup
	ip link set "$net" master testbond
	refused "is bonded" take "$FIRST"
	ip link set "$net" nomaster
	ip link del testbond
	two_ends
	"$CLAIM" take "$FIRST"
	want_driver "$FIRST" mlx5_ibx
	both_work
}

# The saved configuration claims the function at the next boot. Like udev, the case loads only
# mlx5_core, and then mlx5_ib.
saved_for_the_next_boot() {
	load
	"$CLAIM" take "$SECOND"
	mkdir "$WORK/conf"
	# the file of the administrator is not removed
	echo "options mlx5_ibx claim=all" > "$WORK/conf/mlx5_ibx.conf"
	expect_fail env IBX_CLAIM_CONF="$WORK/conf/mlx5_ibx.conf" "$CLAIM" save
	grep -qF "is not a file of ibx-claim save" "$WORK/expect_fail" ||
		fail "$(cat "$WORK/expect_fail")"
	want_eq "the file" "$(cat "$WORK/conf/mlx5_ibx.conf")" "options mlx5_ibx claim=all"
	rm "$WORK/conf/mlx5_ibx.conf"
	IBX_CLAIM_CONF=$WORK/conf/mlx5_ibx.conf "$CLAIM" save
	unload_providers
	modprobe -r mlx5_core
	echo "options mlx5_core prof_sel=0" > "$WORK/conf/vm.conf"
	modprobe -C "$WORK/conf" mlx5_core
	loaded mlx5_ibx || fail "mlx5_ibx was not loaded with mlx5_core"
	modprobe -C "$WORK/conf" mlx5_ib
	want_driver "$FIRST" mlx5_ib
	want_driver "$SECOND" mlx5_ibx
	both_work
	"$CLAIM" give "$SECOND"
	IBX_CLAIM_CONF=$WORK/conf/mlx5_ibx.conf "$CLAIM" save
	[ ! -e "$WORK/conf/mlx5_ibx.conf" ] || fail "a file that claims nothing is left"
}

# Case: the cases of save.sh, which need no device
save_keeps_other_files() {
	"$(dirname "$0")/save.sh"
}

# ---- mlx5_ibx keeps a claimed function ----

survives_reload() {
	claim "$FIRST"
	devlink dev reload "pci/$FIRST"
	soon "$FIRST" mlx5_ibx
	devlink dev reload "pci/$SECOND"
	soon "$SECOND" mlx5_ib
	both_work
	# now mlx5_ib registers after mlx5_ibx
	modprobe -r mlx5_ib
	want_driver "$FIRST" mlx5_ibx
	modprobe mlx5_ib
	devlink dev reload "pci/$FIRST"
	soon "$FIRST" mlx5_ibx
	soon "$SECOND" mlx5_ib
	both_work
	# a released function is not claimed again
	"$CLAIM" give "$FIRST"
	devlink dev reload "pci/$FIRST"
	want_driver "$FIRST" mlx5_ib
	both_work
	no_violations
}

# The function is unplugged and plugged. The case first waits a second, so that no command is
# outstanding: mlx5_core would wait a minute for the response.
survives_replug() {
	claim "$FIRST"
	both_work
	sleep 1
	echo 1 > "$SIM_DEBUGFS/$FIRST/unplug"
	echo 1 > "$SIM_DEBUGFS/$FIRST/plug"
	soon "$FIRST" mlx5_ibx
	want_driver "$SECOND" mlx5_ib
	two_ends
	both_work
}

# both_recover: mlx5_core recovers both functions, and the driver of each function is the same
both_recover() {
	local fn

	for fn in "$FIRST" "$SECOND"; do
		wait_for 60 recovered "$fn" || fail "mlx5_core does not recover $fn"
	done
	soon "$FIRST" mlx5_ibx
	soon "$SECOND" mlx5_ib
	both_work
	no_violations
}

# After a fatal error, mlx5_core removes the auxiliary devices of the function, and adds them again.
survives_fatal_error() {
	local fn

	claim "$FIRST"
	for fn in "$FIRST" "$SECOND"; do
		die_of_error "$fn"
	done
	both_recover
}

# mlx5_core gets no event of a function level reset. It detects that the function is not
# initialised, and recovers like after a fatal error.
survives_function_reset() {
	local fn

	claim "$FIRST"
	for fn in "$FIRST" "$SECOND"; do
		quick_recovery "$fn"
		recoveries "$fn" > "$WORK/recoveries.$fn"
		echo 1 > "/sys/bus/pci/devices/$fn/reset"
	done
	both_recover
}

reload_both() {
	local pid

	devlink dev reload "pci/$FIRST" &
	pid=$!
	devlink dev reload "pci/$SECOND" || fail "devlink reload"
	wait "$pid" || fail "devlink reload"
}

# Both functions are removed and re-created repeatedly while mlx5_ibx has queued work items that
# take them over, and then while the list is written. Afterwards mlx5_ibx drives both functions.
reloads_at_once() {
	local round

	claim all
	for ((round = 1; round <= (SLOWER > 1 ? 2 : 4); round++)); do
		say "round $round"
		reload_both
	done
	soon "$FIRST" mlx5_ibx
	soon "$SECOND" mlx5_ibx
	for ((round = 1; round <= (SLOWER > 1 ? 1 : 3); round++)); do
		say "round $round, list rewritten"
		reload_both &
		echo "$SECOND" > "$PARAM"
		echo "$FIRST,$SECOND" > "$PARAM"
		wait $! || fail "devlink reload"
	done
	soon "$FIRST" mlx5_ibx
	want_driver "$SECOND" mlx5_ibx
	both_work
	no_violations
}

reload_first_until() {
	while [ "$SECONDS" -lt "$1" ]; do
		devlink dev reload "pci/$FIRST" > "$WORK/reload" || return 1
	done
}

# The list is written repeatedly while a function is re-created. When a write checks the driver of
# the function, the function may not exist, or may have no driver yet: the write must succeed.
claims_race_reload() {
	local end writes=0

	claim "$SECOND"
	end=$((SECONDS + (${FULL:-0} ? 180 : 20)))
	reload_first_until "$end" &
	while [ "$SECONDS" -lt "$end" ]; do
		claim "$FIRST,$SECOND" || fail "write $writes of the list"
		claim "$SECOND" || fail "write $writes of the list"
		writes=$((writes + 1))
	done
	wait $! || fail "devlink reload: $(cat "$WORK/reload")"
	say "$writes pairs of writes"
	claim "$FIRST,$SECOND"
	soon "$FIRST" mlx5_ibx
	want_driver "$SECOND" mlx5_ibx
	both_work
	no_violations
}

# pa_keys PCI: print access and ordering of the mkeys of PDs, which cover all memory
pa_keys() {
	sed -n 's/^mkey .* mode pa \(access [^ ]*\) .* \(pci [^ ]*\)$/\1 \2/p' \
		"$SIM_DEBUGFS/$1/mkeys" | sort -u
}

# On a device with relaxed ordering (the capabilities relaxed_ordering_write and _read, by offset),
# the mkeys of PDs have the same access and ordering with mlx5_ibx and with mlx5_ib.
mkeys_of_pds() {
	unload_all
	vm_load mlx5sim "caps=general@0xe8/1=1,general@0x32a/1=1"
	vm_load mlx5_core
	load claim="$FIRST"
	want_driver "$FIRST" mlx5_ibx
	want_driver "$SECOND" mlx5_ib
	two_ends
	both_work
	pa_keys "$SECOND" > "$WORK/stock"
	cat "$WORK/stock"
	grep -q 'pci wr-' "$WORK/stock" || fail "mlx5_ib has no such mkey"
	want_eq "mkeys" "$(pa_keys "$FIRST")" "$(cat "$WORK/stock")"
	no_violations
	sim_reload
	two_ends
}

# The module is removed while it has a queued work item that takes a function over.
unloads_at_any_time() {
	local delay pid fn

	for delay in 0 0.1 0.4; do
		load claim=all
		devlink dev reload "pci/$FIRST" &
		pid=$!
		sleep "$delay"
		modprobe -r mlx5_ibx
		wait "$pid" || fail "devlink reload"
		for fn in "$FIRST" "$SECOND"; do
			# there is no driver if mlx5_ibx drove the function and the driver core
			# has not probed since
			! driven_by "$fn" none || "$CLAIM" give "$fn"
			want_driver "$fn" mlx5_ib
		done
	done
	both_work
	no_violations
}

ktap_run nothing_by_default checked takes_over_at_load replaced_at_run_time undrivable_stays \
	failed_binding_is_undone take_and_give taken_at_once off_the_list says_what_is_wrong \
	in_use bonded_is_refused nobodys_function survives_reload survives_replug \
	survives_fatal_error survives_function_reset reloads_at_once claims_race_reload \
	unloads_at_any_time saved_for_the_next_boot save_keeps_other_files mkeys_of_pds \
	no_violations
