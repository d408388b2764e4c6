#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Repeated loading and unloading of the provider and the simulator leaks nothing. Objects and DMA
# mappings of the device are checked in each cycle, the kernel's slabs after all cycles. On the
# debug kernel, kmemleak checks at the end of the VM, too.
#
# CYCLES is the number of cycles, by default 50 (vm/run --env CYCLES=10).
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"

CYCLES=${CYCLES:-50}
# The cycles are divided into windows. Leaked memory grows in every window; other memory that the
# kernel keeps grows in some windows only.
WINDOWS=2

# in_device: print the objects and DMA mappings of every function, one line per kind
in_device() {
	grep -H . "$SIM_DEBUGFS/"*:*/objects
	grep -H '^dma_mappings ' "$SIM_DEBUGFS/"*:*/info
}

want_empty() {
	in_device > "$WORK/in_device"
	if grep -v ' 0$' "$WORK/in_device"; then
		fail "left in a device that has no driver"
	fi
	no_violations
}

# both_active: are both ports ACTIVE? Starts no program: the start of programs takes most of a
# cycle.
both_active() {
	local file state active=0

	for file in /sys/class/infiniband/*/ports/1/state; do
		read -r state 2> /dev/null < "$file" || return 1
		[ "$state" != "4: ACTIVE" ] || active=$((active + 1))
	done
	[ "$active" -eq 2 ]
}

provider_up() {
	local net

	vm_load provider
	for net in /sys/bus/pci/devices/*/net/sim*; do
		ip link set "${net##*/}" up
	done
	wait_for 30 both_active || fail "not two ACTIVE ports:" /sys/class/infiniband/*
}

# Load and unload the provider; the objects of the device must not change. The first time does not
# count: mlx5_core creates an EQ when its vector is first used, and keeps it.
provider_leaves_nothing() {
	local i

	provider_up
	unload_providers
	in_device > "$WORK/before"
	for i in 1 2 3; do
		provider_up
		unload_providers
		in_device > "$WORK/after"
		diff "$WORK/before" "$WORK/after" || fail "left in the device, round $i"
	done
	unload_sim
}

# A cycle with both modules. The objects of mlx5_core are destroyed with the function.
one_cycle() {
	local fn

	vm_load mlx5sim
	provider_up
	unload_providers
	for fn in $(sim_pcis); do
		echo 1 > "/sys/bus/pci/devices/$fn/remove"
	done
	want_empty
	modprobe -r mlx5sim
}

cycles() {
	local n

	for ((n = 0; n < $1; n++)); do
		one_cycle
	done
}

# fill_ref_trackers: release many references. The debug kernel keeps the last 128 released
# references as used objects of kmalloc-32: references of sockets to the network namespace, and of
# IPv6 routes to the netdev that replaces removed netdevs. Until there are 128, programs and netdevs
# seem to leak.
fill_ref_trackers() {
	local addrs i

	mapfile -t addrs < <(printf 'fd00::%x\n' {1..160})
	ip link set lo up
	printf 'addr add %s/128 dev lo nodad\n' "${addrs[@]}" | ip -batch -
	for i in "${addrs[@]}"; do
		exec 7<> "/dev/udp/$i/9"
		exec 7>&-
	done
	printf 'addr del %s/128 dev lo\n' "${addrs[@]}" | ip -batch -
}

# slabs: print the number of used objects of each slab cache. Caches of file contents, and of
# objects that are freed with a delay, are omitted: they change with every command of the shell.
# Starts no program between the shrinking and the reading: the complete slab from which a CPU
# allocates counts as used. The debug kernel's cache of debug objects also contains spare objects,
# which do not count.
slabs() {
	local stats=/sys/kernel/debug/debug_objects/stats
	local cache lines

	# wait for memory that RCU and work queues free
	sleep 2
	sync
	echo 3 > /proc/sys/vm/drop_caches
	for cache in /sys/kernel/slab/*/shrink; do
		echo 1 > "$cache"
	done
	mapfile -t lines < /proc/slabinfo
	printf '%s\n' "${lines[@]:2}" | awk '
		$1 !~ /inode|dentry|buffer_head|radix_tree|maple|vm_area|anon_vma|filp|9p/ &&
		$1 != "debug_objects_cache" {
			print $1, $2
		}'
	if [ -e "$stats" ]; then
		tr -d : < "$stats" | awk '
			$1 == "pool_used" { print "debug_objects", $2; found = 1 }
			END { exit !found }'
	fi
}

# grown CYCLES: print the caches that grew in every window by an object per cycle. A few objects
# less count, too, because other code may have freed some.
grown() {
	awk -v windows="$WINDOWS" -v each="$1" '
		{ count[FILENAME, $1] = $2; names[$1] = 1; files[FILENAME] = 1 }
		END {
			dir = ARGV[1]
			sub(/[0-9]+$/, "", dir)
			for (name in names) {
				min = -1
				for (w = 1; w <= windows; w++) {
					grew = count[dir w, name] - count[dir (w - 1), name]
					if (min < 0 || grew < min)
						min = grew < 0 ? 0 : grew
				}
				if (min >= each * 3 / 4)
					print name, "grows by", min, "or more in", each, "cycles"
			}
		}' "$WORK"/slabs.[0-9]*
}

cycles_leave_nothing() {
	local w each=$(((CYCLES + WINDOWS - 1) / WINDOWS))

	# the first cycle fills caches and tables that stay
	fill_ref_trackers
	cycles 1
	slabs > "$WORK/slabs.0"
	for ((w = 1; w <= WINDOWS; w++)); do
		cycles "$each"
		slabs > "$WORK/slabs.$w"
	done
	say "$((each * WINDOWS)) cycles"
	want_ge "slab caches looked at" "$(wc -l < "$WORK/slabs.0")" 50
	grown "$each" > "$WORK/grown"
	cat "$WORK/grown"
	[ ! -s "$WORK/grown" ] || fail "the slabs grow with every cycle"
}

still_works() {
	vm_load mlx5sim
	vm_load provider
	ends_up
	no_violations
}

ktap_run provider_leaves_nothing cycles_leave_nothing still_works
