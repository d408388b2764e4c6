#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The pages of the host that the device asks for, at load and when objects need more. mlx5_core and
# the device must agree about their number. After each case all of them are mapped and unchanged, or
# the device counts a violation.
set -eu
# shellcheck source=../../lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
# shellcheck source=../../lib/modules.sh
. "$(dirname "$0")/../../lib/modules.sh"

STARTUP=1184	# boot and init pages of the model

# info PCI NAME
info() {
	awk -v name="$2" '$1 == name { print $2; found = 1 } END { exit !found }' \
		"$SIM_DEBUGFS/$1/info"
}

given() {
	cat "/sys/kernel/debug/mlx5/$1/pages/fw_pages_total"
}

# agreed PCI: a request may be in progress
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

# The command that needs pages ends when they have been given.
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

# More pages than a command of the driver takes back, and hardly any for objects
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

ktap_run pages_at_load growth growth_is_late fatal_error surprise_removal other_numbers
