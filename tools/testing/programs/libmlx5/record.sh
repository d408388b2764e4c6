#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print the WQEs that libmlx5 writes to its send queues for the calls of probe.c, on stock
# mlx5_ib in the VM. The modules must have been built (make).
#
# drivers/infiniband/hw/mlx5_ibx/tests/recorded_dv_kunit.c contains the output of this script.

set -eu

here=$(realpath "$(dirname "$0")")

in_guest() {
	WORK=$(mktemp -d)
	. "$here/../../runner/lib/lib.sh"
	ends_up
	modprobe ib_uverbs
	exec "$1" record "$IB_A"
}

if [ "${1-}" = guest ]; then
	in_guest "$2"
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
gcc -O2 -Wall -Werror -o "$out/probe" "$here/probe.c" "$here/ends.c" -lmlx5 -libverbs
"$here/../../runner/vm/run" --provider mlx5_ib -- "$here/record.sh" guest "$out/probe"
