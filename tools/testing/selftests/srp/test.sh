#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# SRP over RDMA/CM: LIO's ib_srpt on end B, ib_srp on end A. Verified I/O, a file system, and
# buffers with holes, which one SG_GAPS registration maps. Both devices move the data, and no rule
# of the device is broken.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/block.sh
. "$(dirname "$0")/../../runner/lib/block.sh"
# shellcheck source=../../runner/lib/lio.sh
. "$(dirname "$0")/../../runner/lib/lio.sh"
# shellcheck source=../../runner/lib/srp.sh
. "$(dirname "$0")/../../runner/lib/srp.sh"

# shellcheck disable=SC2034
DISK_MB=64

connect() {
	lio_connect "$DISK_MB"
}

disconnect() {
	ends
	logout
	modprobe -r ib_srp
	target_down
}

ktap_run connect io_4k io_64k io_1m io_mixed io_gaps file_system registrations reconnect \
	disconnect no_violations
