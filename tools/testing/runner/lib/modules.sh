# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
#
# Loading and unloading of drivers and of the simulator, for tests that do not use the devices of
# main.sh. Source lib.sh first.

DRIVERS="mlx5_ib mlx5_ibx"

loaded() {
	[ -d "/sys/module/$1" ]
}

# unload_sim: check for violations, and unload the simulator, which removes the counts of
# violations.
unload_sim() {
	no_violations
	modprobe -r mlx5sim
}

unload_providers() {
	local mod

	for mod in $DRIVERS; do
		! loaded "$mod" || modprobe -r "$mod"
	done
}

unload_all() {
	unload_providers
	! loaded mlx5_core || modprobe -r mlx5_core
	! loaded mlx5sim || unload_sim
}

# sim_reload [PARAMETER...]: create new simulated devices, and load the provider
sim_reload() {
	unload_all
	vm_load mlx5sim "$@"
	vm_load mlx5_core
	vm_load provider
}

# sim_pcis: PCI addresses of the simulated functions, plugged or not, one per line
sim_pcis() {
	local dev

	for dev in "$SIM_DEBUGFS/"*:*; do
		echo "${dev##*/}"
	done
}

# rdma_adev PCI: print the auxiliary device for RDMA of a PCI function
rdma_adev() {
	basename "$(echo "/sys/bus/pci/devices/$1/"mlx5_core.rdma.*)"
}

# driver_of_pci PCI: print the driver of the auxiliary device for RDMA of a PCI function, or "none"
driver_of_pci() {
	local link

	link=/sys/bus/pci/devices/$1/$(rdma_adev "$1")/driver/module
	if [ -e "$link" ]; then
		basename "$(readlink -f "$link")"
	else
		echo none
	fi
}

# driven_by PCI MODULE: is MODULE the driver of the auxiliary device for RDMA of a PCI function?
driven_by() {
	[ "$(driver_of_pci "$1")" = "$2" ]
}

# die_of_error PCI: cause a fatal error. mlx5_core detects the error within seconds, and recovers.
die_of_error() {
	recoveries "$1" > "$WORK/recoveries.$1"
	echo fatal > "$SIM_DEBUGFS/$1/faults/device"
}

recoveries() {
	devlink health show "pci/$1" reporter fw_fatal | grep -oE 'recover [0-9]+' | cut -d' ' -f2
}

# recovered PCI: has mlx5_core recovered since die_of_error?
recovered() {
	[ "$(recoveries "$1")" -gt "$(cat "$WORK/recoveries.$1")" ]
}

# quick_recovery PCI: allow a recovery within a minute of the last recovery
quick_recovery() {
	devlink health set "pci/$1" reporter fw_fatal grace_period 0
}

two_devices() {
	[ "$(ib_devices | wc -l)" = 2 ]
}

# ends_recovered PCI: wait until mlx5_core has recovered since die_of_error, and set up both ends
ends_recovered() {
	wait_for 60 recovered "$1" || fail "mlx5_core does not recover $1"
	wait_for 60 two_devices || fail "$(ib_devices | wc -l) devices"
	ends_up
}

# on_lost_device WAY COMMAND...: run COMMAND with two more arguments, a file and a text. COMMAND
# must write the text to the file, which removes the device of end A. WAY is unbound, unplugged or
# fatal. Afterwards, restore the device and set up both ends. The output of COMMAND is in
# $WORK/said, its status in LOST_STATUS.
on_lost_device() {
	local way=$1 bus=/sys/bus/auxiliary/drivers/$PROVIDER.rdma file text pci adev

	shift
	pci=$(ib_pci "$IB_A")
	adev=$(rdma_adev "$pci")
	quick_recovery "$pci"
	recoveries "$pci" > "$WORK/recoveries.$pci"
	case $way in
	unbound) file=$bus/unbind text=$adev ;;
	unplugged) file=$SIM_DEBUGFS/$pci/unplug text=1 ;;
	fatal) file=$SIM_DEBUGFS/$pci/faults/device text=fatal ;;
	esac
	LOST_STATUS=0
	# shellcheck disable=SC2034 # for the caller
	"$@" "$file" "$text" > "$WORK/said" 2>&1 || LOST_STATUS=$?
	case $way in
	unbound)
		driven_by "$pci" "$PROVIDER" || echo "$adev" > "$bus/bind"
		;;
	unplugged)
		[ -e "/sys/bus/pci/devices/$pci" ] || echo 1 > "$SIM_DEBUGFS/$pci/plug"
		;;
	fatal)
		wait_for 60 recovered "$pci" || fail "mlx5_core does not recover $pci"
		;;
	esac
	wait_for 60 driven_by "$pci" "$PROVIDER" || fail "$(driver_of_pci "$pci") drives $pci"
	wait_for 60 two_devices || fail "$(ib_devices | wc -l) devices"
	ends_up
}
