#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The part of "make demo" that runs in the guest: NVMe over RDMA between two
# simulated ConnectX functions, with a file system and files.
#
# Each step prints one line. The first step that fails ends the demo with a non-zero status. After
# the last step, a table shows the driver (from sysfs) and the counters of the simulated devices. A
# kprobe on $MAP_CALL (by default ib_map_mr_sg()) counts the registrations, too, independently of
# driver and simulator.
set -eu -o pipefail
if [ -z "${DEMO_TREE:-}" ]; then
	echo "usage: DEMO_TREE=DIRECTORY demo.sh, in a VM: see demo/run" >&2
	exit 2
fi
# shellcheck source=../runner/lib/lib.sh
. "$(dirname "$0")/../runner/lib/lib.sh"
# shellcheck source=../runner/lib/nvmeof.sh
. "$(dirname "$0")/../runner/lib/nvmeof.sh"
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

DISK_MB=640
MIN_MB=200
MAP_CALL=${MAP_CALL:-ib_core:ib_map_mr_sg}
FIGURES="registrations registrations_remote_read registrations_remote_write
	registrations_remote_both invalidations desc_inline desc_fetched wqes interrupts
	tx_bytes rx_bytes"
WORK=$(mktemp -d)
MNT=$WORK/mnt

figures() {
	local dev name

	on_sim || return 0
	for dev in "$IB_A" "$IB_B"; do
		for name in $FIGURES; do
			echo "$dev $name $(sim_counter "$dev" "$name")"
		done
	done
}

# figure DEV NAME: print the difference of a counter in the files "before" and "after"
figure() {
	awk -v dev="$1" -v name="$2" '
		$1 == dev && $2 == name { v[FILENAME] = $3 }
		END { print v[ARGV[2]] - v[ARGV[1]] }' "$WORK/before" "$WORK/after"
}

copy_files() {
	step "mkfs.ext4 and mount"
	mkfs.ext4 -q -F "$bdev"
	mkdir "$MNT"
	mount "$bdev" "$MNT"
	done_step

	step "copying $(wc -l < "$DEMO_TREE/SHA256SUMS") files"
	cp -r "$DEMO_TREE/files" "$MNT/"
	sync
	copied_kb=$(du -sk --apparent-size "$MNT/files" | cut -f1)
	done_step "$((copied_kb / 1024)) MB"
	want_ge "MB copied" $((copied_kb / 1024)) "$MIN_MB"

	step "unmounting, dropping caches, comparing SHA-256 sums"
	umount "$MNT"
	echo 3 > /proc/sys/vm/drop_caches
	mount "$bdev" "$MNT"
	(cd "$MNT/files" && sha256sum -c --quiet --strict "$DEMO_TREE/SHA256SUMS") ||
		fail "files differ from the originals"
	want_eq "number of files" "$(find "$MNT/files" -type f | wc -l)" \
		"$(wc -l < "$DEMO_TREE/SHA256SUMS")"
	done_step "all equal"
}

verify_io() {
	local bs mb

	for bs in 4k:8 16k:16 64k:32 256k:64 1m:64; do
		mb=${bs#*:}
		bs=${bs%:*}
		step "fio verify, blocks of $bs, depth 32"
		fio_verify "$MNT/fio" "$bs" "$mb"
		rm "$MNT/fio"
		done_step "$mb MB written, read and compared"
	done
}

# Print the table, and check its figures.
report() {
	local name calls regs vio

	calls=$(kcount map_mr_sg)
	echo
	row "" "$IB_A (host)" "$IB_B (target)"
	row driver "$(ib_driver "$IB_A")" "$(ib_driver "$IB_B")"
	if ! on_sim; then
		echo "  $PROVIDER has no counters of a device; nothing more to show"
		return
	fi
	for name in tx_bytes:"bytes sent" rx_bytes:"bytes received" \
		registrations:registrations registrations_remote_read:"  peer can READ" \
		registrations_remote_write:"  peer can WRITE" \
		registrations_remote_both:"  peer can do both" invalidations:invalidations \
		desc_inline:"inline descriptors" desc_fetched:"fetched descriptors" \
		wqes:"WQEs" interrupts:interrupts; do
		row "${name#*:}" "$(figure "$IB_A" "${name%:*}")" "$(figure "$IB_B" "${name%:*}")"
	done
	regs=$(($(figure "$IB_A" registrations) + $(figure "$IB_B" registrations)))
	vio=$(sim_violations)
	printf '  %-24s %16s\n' violations "$vio" "calls of ${MAP_CALL#*:}" "$calls"
	echo

	want_eq "driver of $IB_A" "$(ib_driver "$IB_A")" "$PROVIDER"
	want_eq "driver of $IB_B" "$(ib_driver "$IB_B")" "$PROVIDER"
	want_eq "registrations counted by the devices" "$regs" "$calls"
	want_ge "registrations" "$regs" 1
	want_eq "violations" "$vio" 0
	[ "$NVME_HOST" = nvme_rdma ] || one_direction
}

# An rkey of ib_frwr permits only the access that the request needs: remote READ or remote WRITE.
one_direction() {
	want_eq "registrations that the target may READ or WRITE only" \
		$(($(figure "$IB_A" registrations_remote_read) +
			$(figure "$IB_A" registrations_remote_write))) \
		"$(figure "$IB_A" registrations)"
	want_ge "registrations to READ" "$(figure "$IB_A" registrations_remote_read)" 1
	want_ge "registrations to WRITE" "$(figure "$IB_A" registrations_remote_write)" 1
}

main() {
	local bdev copied_kb

	step "two ends on one machine"
	ends_up
	figures > "$WORK/before"
	mark_data
	kcount_on map_mr_sg "$MAP_CALL"
	done_step "$IB_A on $NET_A is $IP_A, $IB_B on $NET_B is $IP_B, driver $(ib_driver "$IB_A")"

	step "exporting $DISK_MB MB through nvmet-rdma on $IB_B"
	target_up "$DISK_MB"
	done_step

	step "connecting ${NVME_HOST//_/-} from $IB_A"
	host_connect
	bdev=$(host_bdev)
	done_step "$bdev"

	copy_files
	verify_io

	step "unmounting and disconnecting"
	umount "$MNT"
	host_disconnect
	target_down
	done_step
	figures > "$WORK/after"

	report
	# The files and the 184 MiB of fio are written once and read once. Each end counts the bytes
	# of both directions.
	both_moved $((2 * copied_kb * 1024 + 2 * 184 * 1024 * 1024))
	echo "demo: passed in $SECONDS s, $((copied_kb / 1024)) MB of files intact," \
		"both devices moved the data"
}

main
