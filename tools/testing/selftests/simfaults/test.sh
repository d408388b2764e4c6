#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The faults of the simulated device. The test provokes each fault with the stock driver, and checks
# the reaction of the driver. Other tests check the reaction of each provider under load.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"

# maximum time in which the stock driver recovers from a fatal error, in seconds
RECOVERY=60

# on_end_a: set PCI to the address of the function of A, and DIR and FAULTS to its directories
on_end_a() {
	ends
	PCI=$(ib_pci "$IB_A")
	DIR=$SIM_DEBUGFS/$PCI
	FAULTS=$DIR/faults
}

up() {
	ends_up
	on_end_a
	# allow a recovery within a minute of the last recovery
	devlink health set "pci/$PCI" reporter fw_fatal grace_period 0
	want_eq "state of the device" "$(cat "$FAULTS/device")" running
	want_eq "faults armed" "$(cat "$FAULTS/command" "$FAULTS/interrupt")" ""
}

# rate DEV: print the rate of the port; the query takes one firmware command, ACCESS_REG
rate() {
	cat "/sys/class/infiniband/$1/ports/1/rate"
}

# rate_in_background: run rate in the background; when it ends, the result is in $WORK/rate
rate_in_background() {
	rm -f "$WORK/rate"
	{ rate "$IB_A" > "$WORK/rate.new" 2>&1 || :; mv "$WORK/rate.new" "$WORK/rate"; } &
}

rate_pending() {
	[ ! -e "$WORK/rate" ] || fail "the query has ended: $(cat "$WORK/rate")"
}

rate_answered() {
	[ -e "$WORK/rate" ]
}

# fired, dropped: has the armed fault hit a command, or an interrupt?
fired() {
	grep -q "fired 1 ACCESS_REG" "$FAULTS/command"
}

dropped() {
	grep -q "^dropped [0-9]* 1$" "$FAULTS/interrupt"
}

now_ms() {
	local up

	read -r up _ < /proc/uptime
	echo $((${up/./} * 10))
}

# kmsg_mark MARK: write a mark to the kernel log; kmsg: print the messages since the mark
kmsg_mark() {
	echo "simfaults: mark $1" > /dev/kmsg
	echo "$1" > "$WORK/kmsg_mark"
}

kmsg() {
	dmesg | sed "1,/simfaults: mark $(cat "$WORK/kmsg_mark")\$/d"
}

said() {
	# not grep -q, which would end before dmesg has written all lines
	kmsg | grep "$1" > /dev/null
}

# executed NAME: print how often the device has executed a command
executed() {
	awk -v name="$1" '$2 == name { print $3 }' "$DIR/commands"
}

# a_works: can the rate of A be queried, is its port ACTIVE, and is its GID present?
a_works() {
	rate "$IB_A" > /dev/null 2>&1 && port_active "$IB_A" && gid_of_ip "$IB_A" "$IP_A"
}

works() {
	wait_for "$RECOVERY" a_works || fail "$IB_A does not work: $(kmsg | tail -n 20)"
	no_violations
}

# ---- commands ----

command_fails() {
	local before

	on_end_a
	before=$(executed ACCESS_REG)
	echo "fail ACCESS_REG 2 BAD_RES" > "$FAULTS/command"
	rate "$IB_A" || fail "the first command failed"
	want_eq "the list" "$(cat "$FAULTS/command")" "fail ACCESS_REG 2 BAD_RES fired 0 -"
	expect_fail rate "$IB_A"
	want_eq "the list" "$(cat "$FAULTS/command")" \
		"fail ACCESS_REG 2 BAD_RES fired 1 ACCESS_REG"
	want_eq "queries executed" "$(executed ACCESS_REG)" $((before + 1))
	rate "$IB_A" || fail "it fired twice"
	echo "fail any 1 INT_ERR" > "$FAULTS/command"
	rate "$IB_B" || fail "it fired on another function"
	expect_fail rate "$IB_A"
	want_eq "the list" "$(tail -n 1 "$FAULTS/command")" "fail any 1 INT_ERR fired 1 ACCESS_REG"
	echo clear > "$FAULTS/command"
	want_eq "the list" "$(cat "$FAULTS/command")" ""
	works
}

command_is_late() {
	local before took

	on_end_a
	echo "delay ACCESS_REG 1 4000" > "$FAULTS/command"
	before=$(now_ms)
	rate_in_background
	wait_for 10 fired || fail "not fired"
	rate "$IB_B" || fail "the other device waits too"
	rate_pending
	wait
	took=$(($(now_ms) - before))
	say "completed after $took ms"
	want_eq "the rate" "$(cat "$WORK/rate")" "$(rate "$IB_B")"
	want_ge "milliseconds" "$took" 4000
	echo clear > "$FAULTS/command"
	works
}

bad_lines() {
	local line

	on_end_a
	for line in "" nonsense "fail" "fail any" "fail any 0 INT_ERR" "fail any 1" \
		"fail any 1 OK" "fail NOTHING 1 INT_ERR" "delay any 1" "hang" \
		"fail any 1 INT_ERR x" $'fail any 1 INT_ERR\nfail any 2 INT_ERR'; do
		expect_fail sh -c "printf '%s\n' '$line' > $FAULTS/command"
	done
	for line in "drop" "drop 64 1" "drop any 0" "lose any 1"; do
		expect_fail sh -c "echo '$line' > $FAULTS/interrupt"
	done
	expect_fail sh -c "echo explode > $FAULTS/device"
	expect_fail sh -c "echo sideways > $FAULTS/port"
	expect_fail sh -c "echo 0xffffff > $FAULTS/qp"
	expect_fail sh -c "echo stall 0xffffff > $FAULTS/qp"
	expect_fail sh -c "echo stall > $FAULTS/qp"
	expect_fail sh -c "echo x > $FAULTS/cq"
	want_eq "faults armed" "$(cat "$FAULTS/command" "$FAULTS/interrupt")" ""
	works
}

# ---- interrupts and bus mastering ----

# Case: the interrupt of a command is lost. The command queue shares the vector with port events:
# the interrupt of the next port event makes the driver process the completion of the command, too.
interrupt_is_lost() {
	on_end_a
	echo "drop any 1" > "$FAULTS/interrupt"
	rate_in_background
	wait_for 10 dropped || fail "none was dropped"
	rate_pending
	say "$(cat "$FAULTS/interrupt")"
	echo down > "$FAULTS/port"
	wait_for 10 rate_answered || fail "no response after the next interrupt"
	echo up > "$FAULTS/port"
	echo clear > "$FAULTS/interrupt"
	want_eq "the list" "$(cat "$FAULTS/interrupt")" ""
	works
}

# Case: a device without bus mastering cannot fetch or complete a command.
no_bus_master() {
	local config on

	on_end_a
	config=/sys/bus/pci/devices/$PCI/config
	on=$(od -A n -t x1 -j 4 -N 1 "$config")
	[ $((0x${on# } & 4)) -ne 0 ] || fail "bus mastering is off to begin with"
	# shellcheck disable=SC2059
	printf "\\x$(printf %x $((0x${on# } & ~4)))" |
		dd of="$config" bs=1 seek=4 conv=notrunc status=none
	rate_in_background
	sleep 1
	rate_pending
	# shellcheck disable=SC2059
	printf "\\x${on# }" | dd of="$config" bs=1 seek=4 conv=notrunc status=none
	wait_for 10 rate_answered || fail "no response with bus mastering on again"
	works
}

# ---- port and objects ----

port_down() {
	! port_active "$IB_A"
}

port_fault() {
	on_end_a
	echo down > "$FAULTS/port"
	want_eq "the port" "$(cat "$FAULTS/port")" down
	wait_for 10 port_down || fail "the port is still ACTIVE"
	want_eq "carrier" "$(cat "/sys/class/net/$NET_A/carrier")" 0
	port_active "$IB_B" || fail "the other port went down too"
	# the port stays down when the netdev goes down and up
	ip link set "$NET_A" down
	ip link set "$NET_A" up
	want_eq "carrier" "$(cat "/sys/class/net/$NET_A/carrier")" 0
	! ping -c 1 -W 1 -I "$IP_A" "$IP_B" > /dev/null || fail "frames pass"
	echo up > "$FAULTS/port"
	two_ends "$NET_A" "$IP_A" "$NET_B" "$IP_B"
	works
}

# Case: QPs enter ERR. The MAD layer logs the error of its QP; a reload creates a new QP.
qp_error() {
	local qp

	on_end_a
	kmsg_mark qp
	for qp in /sys/kernel/debug/mlx5/"$PCI"/QPs/*; do
		# the file refuses a QP in RESET
		echo "${qp##*/}" > "$FAULTS/qp" || :
	done
	wait_for 10 said "Fatal error (1) on MAD QP" || fail "no event arrived: $(kmsg)"
	devlink dev reload "pci/$PCI"
	works
}

# Case: a CQ enters error, and its QPs enter ERR.
cq_error() {
	local cq

	on_end_a
	kmsg_mark cq
	for cq in /sys/kernel/debug/mlx5/"$PCI"/CQs/*; do
		echo "${cq##*/}" > "$FAULTS/cq"
	done
	wait_for 10 said "Fatal error (1) on MAD QP" || fail "no event arrived: $(kmsg)"
	devlink dev reload "pci/$PCI"
	works
}

# Case: an SRQ of the driver enters error. Events of this SRQ have no consumer: the case only checks
# that the event was raised.
srq_error() {
	local id

	on_end_a
	echo 1 > "$DIR/trace_on"
	for ((id = 1; id < 100; id++)); do
		! echo "$id" > "$FAULTS/srq" || break
	done 2> /dev/null
	grep -q "eqe .* type 0x12.0" "$DIR/trace" || fail "no event: $(tail "$DIR/trace")"
	echo 0 > "$DIR/trace_on"
	devlink dev reload "pci/$PCI"
	works
}

# ---- the device ----

device_fatal() {
	on_end_a
	kmsg_mark fatal
	rm -f "$WORK/rate"
	echo fatal > "$FAULTS/device"
	want_eq "state of the device" "$(cat "$FAULTS/device")" fatal
	wait_for "$RECOVERY" said "health recovery succeeded" || fail "no recovery: $(kmsg)"
	said "synd 0x1: firmware internal error" || fail "the syndrome was not seen"
	said "severity 2 (CRITICAL)" || fail "the severity was not seen"
	want_eq "state of the device" "$(cat "$FAULTS/device")" running
	works
}

# Case: a command gets no response, and objects are left. A reset by devlink frees them.
hung_command_and_reset_by_hand() {
	on_end_a
	devlink health set "pci/$PCI" reporter fw_fatal auto_recover false
	kmsg_mark hung
	echo "hang ACCESS_REG 1" > "$FAULTS/command"
	rate_in_background
	wait_for 10 fired || fail "not fired"
	rate_pending
	echo fatal > "$FAULTS/device"
	wait_for "$RECOVERY" said "Fatal error 5 detected" || fail "not noticed: $(kmsg)"
	wait_for "$RECOVERY" rate_answered || fail "the command hangs still"
	want_eq "state of the device" "$(cat "$FAULTS/device")" fatal
	devlink health recover "pci/$PCI" reporter fw_fatal
	devlink health set "pci/$PCI" reporter fw_fatal auto_recover true
	echo clear > "$FAULTS/command"
	works
}

# Case: the driver gets no event of a function level reset: it detects that the interface is
# disabled.
function_level_reset() {
	on_end_a
	kmsg_mark flr
	echo 1 > "/sys/bus/pci/devices/$PCI/reset"
	wait_for "$RECOVERY" said "health recovery succeeded" || fail "no recovery: $(kmsg)"
	said "Fatal error 3 detected" || fail "noticed otherwise: $(kmsg)"
	works
}

# Case: the health counter of the device stops; outstanding commands complete after the stall.
stalled_device() {
	on_end_a
	kmsg_mark stall
	echo stall > "$FAULTS/device"
	rate_in_background
	wait_for "$RECOVERY" said "reached miss count" || fail "not noticed: $(kmsg)"
	rate_pending
	echo resume > "$FAULTS/device"
	wait_for 10 rate_answered || fail "no response after the stall"
	want_eq "the rate" "$(cat "$WORK/rate")" "$(rate "$IB_B")"
	works
}

# Case: firmware activation is refused with a message, and the device still works.
firmware_activation() {
	on_end_a
	expect_fail devlink dev reload "pci/$PCI" action fw_activate
	grep -q "FW activate is unsupported for this function" "$WORK/expect_fail" ||
		fail "refused otherwise: $(cat "$WORK/expect_fail")"
	works
}

# unplugged_and_plugged MS: unplug the function; MS milliseconds later, the bus removes it. If MS is
# long enough, the driver detects the removal first.
unplugged_and_plugged() {
	on_end_a
	kmsg_mark "unplug $1"
	echo "hang any 1000" > "$FAULTS/command"
	echo "$1" > "$DIR/unplug"
	[ ! -e "/sys/bus/pci/devices/$PCI" ] || fail "the function is still there"
	[ "$1" = 0 ] || said "Fatal error 1 detected" || fail "not noticed: $(kmsg)"
	want_eq "state of the device" "$(cat "$FAULTS/device")" off
	expect_fail sh -c "echo fatal > $FAULTS/device"
	awk '$2 { print; bad = 1 } END { exit bad }' "$DIR/objects" || fail "objects left"
	grep -qx "dma_mappings 0" "$DIR/info" || fail "$(grep dma_mappings "$DIR/info") left"
	no_violations
	echo 1 > "$DIR/plug"
	want_eq "faults armed" "$(cat "$FAULTS/command")" ""
	wait_for 10 ib_devices_are 2 || fail "no device after plug"
	ends_up
	devlink health set "pci/$PCI" reporter fw_fatal grace_period 0
	works
}

ib_devices_are() {
	[ "$(ib_devices | wc -l)" = "$1" ]
}

surprise_removal() { unplugged_and_plugged 0; }
removal_noticed_first() { unplugged_and_plugged 8000; }

ktap_run up command_fails command_is_late bad_lines interrupt_is_lost \
	no_bus_master port_fault qp_error cq_error srq_error device_fatal \
	hung_command_and_reset_by_hand function_level_reset stalled_device firmware_activation \
	surprise_removal removal_noticed_first no_violations
