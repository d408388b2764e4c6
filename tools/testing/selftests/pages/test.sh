#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The pages of the host that the device requests: at load, when objects need more, and when it has
# too many. mlx5_core and the device must agree about their number. After each case all pages are
# mapped and unchanged, or the device counts a violation.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"

STARTUP=1184	# boot and init pages of the model
MRS=$TOP/build/pages/mrs
MANY=3000	# MRs
# lower limit of the pages for these MRs: a page has 32 mkeys, and the device requests and
# returns 8 pages at a time
GROWN=$((MANY / 32 - 2 * 8))
SLACK=24	# pages that the device keeps though it does not use them

# info PCI NAME
info() {
	awk -v name="$2" '$1 == name { print $2; found = 1 } END { exit !found }' \
		"$SIM_DEBUGFS/$1/info"
}

given() {
	cat "/sys/kernel/debug/mlx5/$1/pages/fw_pages_total"
}

# agreed PCI: do mlx5_core and the device have the same number of pages? The numbers differ while a
# request of the device is in progress.
agreed() {
	[ "$(given "$1")" = "$(info "$1" pages)" ]
}

all_agreed() {
	local fn

	for fn in $(sim_pcis); do
		wait_for 10 agreed "$fn" ||
			fail "$fn: $(given "$fn") pages given, the device has $(info "$fn" pages)"
		say "$fn: $(info "$fn" pages) pages, $(info "$fn" pages_used) used"
	done
	no_violations
}

set_pci() {
	PCI=$(sim_pcis | head -n 1)
}

pages_at_load() {
	local fn

	vm_load mlx5sim
	for fn in $(sim_pcis); do
		want_eq "pages without a driver" "$(info "$fn" pages)" 0
	done
	vm_load mlx5_core
	for fn in $(sim_pcis); do
		want_ge "pages" "$(info "$fn" pages)" "$STARTUP"
	done
	all_agreed
}

works() {
	wait_for 30 two_devices || fail "$(ib_devices | wc -l) devices"
	ends_up
	all_agreed
}

growth() {
	set_pci
	vm_load provider
	works
	want_ge "pages" "$(info "$PCI" pages)" $((STARTUP + 1))
}

# Case: MANAGE_PAGES is late. The command that needs the pages completes after MANAGE_PAGES.
growth_is_late() {
	local began=$SECONDS

	set_pci
	unload_all
	vm_load mlx5sim
	vm_load mlx5_core
	echo "delay MANAGE_PAGES 1 3000" > "$SIM_DEBUGFS/$PCI/faults/command"
	vm_load provider
	works
	grep -q "fired 1 MANAGE_PAGES" "$SIM_DEBUGFS/$PCI/faults/command" || fail "not fired"
	want_ge "seconds" $((SECONDS - began)) 3
	echo clear > "$SIM_DEBUGFS/$PCI/faults/command"
}

# Case: MANAGE_PAGES fails, and therefore CREATE_EQ, which mlx5_core executes for the first CQ: on
# mlx5_ib the CQ of MADs, on mlx5_ibx the CQ of the UMR QP. The device keeps its pages, and works
# once it is bound again.
growth_refused() {
	local without="Couldn't create ib_mad CQ"

	[ "$PROVIDER" = mlx5_ib ] || without="no UMR QP"
	set_pci
	unload_all
	vm_load mlx5sim
	vm_load mlx5_core
	echo "fail MANAGE_PAGES 1 LIM_ERR" > "$SIM_DEBUGFS/$PCI/faults/command"
	vm_load provider
	wait_for 30 two_devices || fail "$(ib_devices | wc -l) devices"
	grep -q "fired 1 MANAGE_PAGES" "$SIM_DEBUGFS/$PCI/faults/command" || fail "not fired"
	want_eq "'$without' in the log" "$(dmesg | grep -c "$without")" 1
	all_agreed
	echo "$PCI" > "/sys/bus/pci/drivers/mlx5_core/unbind"
	want_eq "pages without a driver" "$(info "$PCI" pages)" 0
	echo "$PCI" > "/sys/bus/pci/drivers/mlx5_core/bind"
	works
	want_eq "'$without' in the log" "$(dmesg | grep -c "$without")" 1
}

mkeys() {
	awk '$1 == "mkey" { print $2 }' "$SIM_DEBUGFS/$PCI/objects"
}

shrunk() {
	[ "$(info "$PCI" pages)" -le $(($(info "$PCI" pages_used) + SLACK)) ]
}

# Case: many MRs of a process make the device request pages. When the MRs are destroyed, the device
# returns pages.
growth_and_return() {
	local begun most pid end

	set_pci
	unload_all
	vm_load mlx5sim
	vm_load mlx5_core
	vm_load provider
	modprobe ib_uverbs
	works
	begun=$(mkeys)
	mkfifo "$WORK/end"
	"$MRS" "$(ib_devices | head -n 1)" "$MANY" < "$WORK/end" > "$WORK/mrs" &
	pid=$!
	exec {end}> "$WORK/end"
	wait_for 120 grep -q ready "$WORK/mrs" || fail "few mkeys: $(mkeys)"
	want_ge "mkeys" "$(mkeys)" $((begun + MANY))
	all_agreed
	most=$(info "$PCI" pages)
	want_ge "pages" "$most" $((STARTUP + GROWN))
	exec {end}>&-
	wait "$pid"
	rmmod "$PROVIDER"	# modprobe -r would remove mlx5_core with it
	wait_for 10 shrunk || fail "the device keeps $(info "$PCI" pages) pages"
	want_ge "pages given back" $((most - $(info "$PCI" pages))) "$GROWN"
	all_agreed
}

fatal_error() {
	set_pci
	! loaded mlx5_core || unload_all
	vm_load mlx5sim
	vm_load mlx5_core
	vm_load provider
	works
	quick_recovery "$PCI"
	die_of_error "$PCI"
	ends_recovered "$PCI"
	all_agreed
}

surprise_removal() {
	set_pci
	echo 0 > "$SIM_DEBUGFS/$PCI/unplug"
	want_eq "pages" "$(info "$PCI" pages)" 0
	want_eq "mappings" "$(info "$PCI" dma_mappings)" 0
	no_violations
	echo 1 > "$SIM_DEBUGFS/$PCI/plug"
	works
}

# Case: the device requests more pages at load than mlx5_core reclaims by one command, and only
# three of these are for objects.
other_numbers() {
	unload_all
	vm_load mlx5sim pages=900,2500,3
	vm_load mlx5_core
	vm_load provider
	works
	set_pci
	want_ge "pages" "$(info "$PCI" pages)" 3400
	unload_all
	expect_fail modprobe mlx5sim pages=1,2,3
}

ktap_run pages_at_load growth growth_is_late growth_refused growth_and_return fatal_error \
	surprise_removal other_numbers
