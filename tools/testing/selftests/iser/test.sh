#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# iSER: LIO's ib_isert on end B, open-iscsi's ib_iser on end A. Verified I/O, buffers with holes, a
# file system. Both devices move the data, the number of registrations is the number of the kernel's
# calls, each registration is invalidated, and no violation is counted.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/block.sh
. "$(dirname "$0")/../../runner/lib/block.sh"
# shellcheck source=../../runner/lib/lio.sh
. "$(dirname "$0")/../../runner/lib/lio.sh"

# shellcheck source=../../runner/lib/iser.sh
. "$(dirname "$0")/../../runner/lib/iser.sh"

# shellcheck disable=SC2034
DISK_MB=64

ktap_run connect io_4k io_64k io_1m io_mixed io_gaps file_system registrations reconnect \
	disconnect no_violations
