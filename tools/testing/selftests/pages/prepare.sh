#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# On the host, before the VM: the program build/pages/mrs, on libibverbs.
set -euo pipefail

testing=$(cd "$(dirname "$0")/../.." && pwd)
out=$(cd "$testing/../.." && pwd)/build/pages

mkdir -p "$out"
exec 9> "$out/.lock"
flock 9
gcc -O2 -Wall -Wextra -Werror -o "$out/mrs" "$testing/programs/libmlx5/mrs.c" -libverbs
