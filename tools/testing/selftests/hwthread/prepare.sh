#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# On the host, before the VM: the program build/hwthread/probe, on libmlx5.
set -euo pipefail

testing=$(cd "$(dirname "$0")/../.." && pwd)
out=$(cd "$testing/../.." && pwd)/build/hwthread

mkdir -p "$out"
exec 9> "$out/.lock"
flock 9
gcc -O2 -Wall -Werror -o "$out/probe" "$testing/programs/libmlx5/"{probe,ends}.c -lmlx5 -libverbs
