# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Set up the simulated devices in the guest. Sourced by main.sh, and by tests that load and unload
# modules (VM_MODULES="": main.sh loads no modules).
#
# Environment: VM_MODULES (modules to load, in order), PROVIDER (mlx5_ib or mlx5_ibx; the word
# "provider" in VM_MODULES stands for $PROVIDER), VM_BASE and VM_SIZE (address and bytes of the
# reserved memory), VM_DEVICES, VM_MMIOTRACE. A function that fails returns non-zero and prints the
# reason on stderr (the console).

# vm_modprobe_conf: set the parameters of modules in this VM, for every modprobe in the guest
vm_modprobe_conf() {
	mkdir -p /run/modprobe.d
	{
		echo "blacklist mlx5_ib"
		echo "blacklist mlx5_ibx"
		echo "options mlx5sim base=$VM_BASE size=$VM_SIZE devices=$VM_DEVICES"
		echo "options mlx5_ibx claim=all"
		# with the default profile, mlx5_ib creates 6,000 mkeys per device in advance
		echo "options mlx5_core prof_sel=0"
	} > /run/modprobe.d/vm.conf
}

# vm_load MODULE [ARGS...]: load a module; "provider" stands for $PROVIDER
vm_load() {
	local mod=$1

	shift
	[ "$mod" != provider ] || mod=$PROVIDER
	modprobe "$mod" "$@" || {
		echo "vm: cannot load $mod $*" >&2
		return 1
	}
}

# vm_netdevs: names of the netdevs that belong to simulated functions
vm_netdevs() {
	local p

	for p in /sys/class/net/*/device/vendor; do
		[ -e "$p" ] || continue
		[ "$(cat "$p")" = 0x15b3 ] || continue
		p=${p%/device/vendor}
		echo "${p##*/}"
	done
}

# vm_addresses: bring the netdevs up with 192.168.77.1, .2, ... and matching IPv6 addresses
vm_addresses() {
	local dev n=1

	for dev in $(vm_netdevs); do
		ip addr add "192.168.77.$n/24" dev "$dev" || return 1
		ip -6 addr add "fd77::$n/64" dev "$dev" nodad || return 1
		ip link set "$dev" up || return 1
		n=$((n + 1))
	done
}

# vm_wait_active: wait until every RDMA link is ACTIVE, at most two minutes
vm_wait_active() {
	local i state

	for ((i = 0; i < 1200; i++)); do
		state=$(cat /sys/class/infiniband/*/ports/*/state 2>/dev/null)
		if [ -n "$state" ] && ! grep -qv ACTIVE <<< "$state"; then
			return 0
		fi
		sleep 0.1
	done
	echo "vm: RDMA links not ACTIVE: ${state:-none}" >&2
	return 1
}

# vm_trace_mmio: start mmiotrace, before mlx5_core maps its BAR
vm_trace_mmio() {
	local t=/sys/kernel/tracing

	echo 65536 > $t/buffer_size_kb && echo mmiotrace > $t/current_tracer
}

vm_setup() {
	local mod two_ends

	vm_modprobe_conf
	for mod in $VM_MODULES; do
		if [ "$mod" = mlx5_core ] && [ "$VM_MMIOTRACE" = 1 ]; then
			vm_trace_mmio || return 1
		fi
		vm_load "$mod" || return 1
	done
	case " $VM_MODULES " in
	*" mlx5sim "*) ;;
	*) return 0 ;;
	esac
	two_ends=$VM_TREE/tools/testing/runner/vm/guest/two_ends.sh
	if [ -e "$two_ends" ] && [ "$VM_DEVICES" = 2 ]; then
		# shellcheck source=/dev/null
		. "$two_ends"
	fi
	if [ "$(type -t two_ends)" = function ]; then
		two_ends || return 1
	else
		vm_addresses || return 1
	fi
	case " $VM_MODULES " in
	*" mlx5_ib "* | *" mlx5_ibx "* | *" provider "*) vm_wait_active ;;
	esac
}
