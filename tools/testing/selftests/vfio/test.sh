#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# programs/vfio, a driver in user space, uses a simulated function by vfio. Its commands are those
# of a driver that runs on ConnectX. It shares no code with mlx5_ibx or the mlx5 drivers of the
# kernel.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"

BUILT=$TOP/build/vfio/$(uname -r)

# strict_dma=0: without an IOMMU, bus addresses are physical, and mlx5sim cannot check mappings.
load_vfio() {
	vm_load mlx5sim strict_dma=0
	insmod "$BUILT/ko/vfio.ko" enable_unsafe_noiommu_mode=1
	modprobe vfio-pci
	echo 9 > /proc/sys/vm/nr_hugepages
	for pci in "$SIM_DEBUGFS/"*:*; do
		pci=${pci##*/}
		echo vfio-pci > "/sys/bus/pci/devices/$pci/driver_override"
		echo "$pci" > /sys/bus/pci/drivers_probe
		want_eq "driver" "$(basename "$(readlink -f "/sys/bus/pci/devices/$pci/driver")")" \
			vfio-pci
	done
}

# Case: the program has left no objects, and the device has returned every page
clean_function() {
	no_violations
	! grep -v ' 0$' "$SIM_DEBUGFS/"*:*/objects || fail "objects are left"
	grep -q '^pages 0$' "$SIM_DEBUGFS/"*:*/info || fail "$(grep pages "$SIM_DEBUGFS/"*:*/info)"
}

# Case: run the program once. Each case of the program is a case of this test.
referee_runs() {
	local pci

	for pci in "$SIM_DEBUGFS/"*:*; do
		"$BUILT/referee" "${pci##*/}" > "$WORK/said" || true
	done
	cat "$WORK/said"
}

referee_said() {
	grep -qx "ok $1" "$WORK/said" ||
		fail "$(grep "^not ok" "$WORK/said" || say "it ended before")"
}

# Case: after the program, mlx5_core can be bound to the function.
mlx5_core_after() {
	local pci

	for pci in "$SIM_DEBUGFS/"*:*; do
		pci=${pci##*/}
		echo "$pci" > /sys/bus/pci/drivers/vfio-pci/unbind
		echo > "/sys/bus/pci/devices/$pci/driver_override"
		modprobe mlx5_core
		echo "$pci" > /sys/bus/pci/drivers_probe
		want_eq "driver" "$(basename "$(readlink -f "/sys/bus/pci/devices/$pci/driver")")" \
			mlx5_core
	done
	no_violations
}

cases=$(sed -n 's/^\t{ "\([a-z_]*\)", .*/\1/p' "$TOP/tools/testing/programs/vfio/main.c")
[ -n "$cases" ] || fail "no cases"
for name in $cases; do
	eval "$name() { referee_said $name; }"
done
# shellcheck disable=SC2086
ktap_run load_vfio referee_runs $cases clean_function mlx5_core_after
