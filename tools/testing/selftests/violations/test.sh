#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Every class of violations is provoked once, and counted once. The module sim_violations breaks the
# rules. The test fails if a class has no case.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"

SIM_VIOLATIONS=/sys/kernel/debug/sim_violations
# file that declares the classes
CLASSES=$(grep -rl '^enum sim_vio {' "$TOP/drivers/infiniband/sw/mlx5sim")
PCI=$(echo "$SIM_DEBUGFS/"*:* | cut -d' ' -f1)
PCI=${PCI##*/}

loading_breaks_no_rule() {
	want_eq "violations" "$(sim_violations)" 0
}

# provoke CASE: break a rule; the device must report the expected error
provoke() {
	clear_violations
	echo "$1 $PCI" > "$SIM_VIOLATIONS/run" || {
		cat "$SIM_VIOLATIONS/log"
		cat "$SIM_DEBUGFS/$PCI/violations"
		fail "the device did not report the error of $1"
	}
}

# counted CLASS: check that the function has counted one violation, of this class
counted() {
	cat "$SIM_DEBUGFS/$PCI/violations"
	want_eq "violations of class $1" "$(sim_violation_class "$1")" 1
	want_eq "violations" "$(sim_violations)" 1
	clear_violations
}

# Case: a reserved field that silicon ignores is counted in the file "ignored", not as a violation.
ignored_field() {
	local ignored=$SIM_DEBUGFS/$PCI/ignored

	echo 0 > "$ignored"
	provoke ignored
	want_eq "violations" "$(sim_violations)" 0
	cat "$ignored"
	grep -q "^total 1$" "$ignored"
	grep -q "^  SRQ 0x.*: reserved bytes" "$ignored"
	echo 0 > "$ignored"
	want_eq "the file" "$(cat "$ignored")" "total 0"
}

# Case: a leaked object is counted when mlx5_core is unbound
leaked_object() {
	provoke obj_leak
	want_eq "violations before the end" "$(sim_violations)" 0
	echo "$PCI" > /sys/bus/pci/drivers/mlx5_core/unbind
	counted obj_leak
	echo "$PCI" > /sys/bus/pci/drivers/mlx5_core/bind
}

# Case: a leaked DMA mapping is counted when the function is removed
leaked_mapping() {
	provoke dma_leak
	want_eq "violations before the end" "$(sim_violations)" 0
	echo 1 > "/sys/bus/pci/devices/$PCI/remove"
	counted dma_leak
}

# Case: every class of violations has a case
all_classes() {
	local class missing='' known=0

	while read -r class; do
		known=$((known + 1))
		grep -q "^$class\(-\|$\)" <<< "$cases" || missing="$missing $class"
	done < <(sed -n 's/^\tSIM_VIO_\([a-z_]*\),.*/\1/p' "$CLASSES")
	say "$known classes"
	want_ge "classes of violations" "$known" 30
	want_eq "classes without a case" "$missing" ""
}

unload_sim_violations() {
	modprobe -r sim_violations
}

clear_violations
modprobe sim_violations
# shellcheck disable=SC2086
cases=$(cases_in sim_violations $SUITES)
names=
for name in $cases; do
	case $name in
	obj_leak | dma_leak | ignored) continue ;;
	esac
	eval "${name//-/_}() { provoke $name; counted ${name%%-*}; }"
	names="$names ${name//-/_}"
done

# shellcheck disable=SC2086
ktap_run all_classes loading_breaks_no_rule $names ignored_field leaked_object leaked_mapping \
	unload_sim_violations
