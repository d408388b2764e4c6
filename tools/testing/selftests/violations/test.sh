#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Every class of violation, provoked once and counted once. The module sim_violations
# breaks the rules; a class that no case provokes fails the test, so that a new
# rule cannot go untested.
set -eu
# shellcheck source=../../lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"

SIM_VIO=/sys/kernel/debug/sim_violations
STATS=$TOP/drivers/infiniband/sw/mlx5sim/core/stats.h
PCI=$(echo "$SIM_DEBUGFS/"*:* | cut -d' ' -f1)
PCI=${PCI##*/}
source=$TOP/tools/testing/modules/sim_violations
cases="$(awk -F'"' '/^	\{ "/ { print $2 }' "$source"/{cmds,wqes,queues,dc}.c)"

load_sim_violations() {
	clear_violations
	modprobe sim_violations
	# The list of cases in the module is the one read from its source.
	want_eq "cases of the module" "$(sort "$SIM_VIO/cases")" "$(sort <<< "$cases")"
	want_eq "violations" "$(sim_violations)" 0
}

# provoke CASE: the device answers as it should
provoke() {
	clear_violations
	echo "$1 $PCI" > "$SIM_VIO/run" || {
		cat "$SIM_VIO/log"
		cat "$SIM_DEBUGFS/$PCI/violations"
		fail "the device did not answer $1 as expected"
	}
}

# counted CLASS: one violation, of this class, on this function
counted() {
	cat "$SIM_DEBUGFS/$PCI/violations"
	want_eq "violations of class $1" "$(sim_violation_class "$1")" 1
	want_eq "violations" "$(sim_violations)" 1
	clear_violations
}

# Counted when mlx5_core lets the function go
leaked_object() {
	provoke obj_leak
	want_eq "violations before the end" "$(sim_violations)" 0
	echo "$PCI" > /sys/bus/pci/drivers/mlx5_core/unbind
	counted obj_leak
	echo "$PCI" > /sys/bus/pci/drivers/mlx5_core/bind
}

# Counted when the function is removed
leaked_mapping() {
	provoke dma_leak
	want_eq "violations before the end" "$(sim_violations)" 0
	echo 1 > "/sys/bus/pci/devices/$PCI/remove"
	counted dma_leak
}

# Every class that the device knows has its case.
all_classes() {
	local class missing='' known=0

	while read -r class; do
		known=$((known + 1))
		grep -q "^$class\(-\|$\)" <<< "$cases" || missing="$missing $class"
	done < <(sed -n 's/^\tSIM_VIO_\([a-z_]*\),.*/\1/p' "$STATS")
	say "$known classes"
	want_ge "classes of violations" "$known" 30
	want_eq "classes without a case" "$missing" ""
}

unload_sim_violations() {
	modprobe -r sim_violations
}

names=
for name in $cases; do
	case $name in
	obj_leak | dma_leak) continue ;;
	esac
	eval "${name//-/_}() { provoke $name; counted ${name%%-*}; }"
	names="$names ${name//-/_}"
done

# shellcheck disable=SC2086
ktap_run all_classes load_sim_violations $names leaked_object leaked_mapping unload_sim_violations
