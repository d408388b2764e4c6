#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# On the host, before the VM: the program build/devx/fuzz, on libmlx5.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
testing=$(cd "$here/../.." && pwd)
out=$(cd "$testing/../.." && pwd)/build/devx
kdir=/lib/modules/$("$testing/vm/kernel.py" release)/build
common=$(sed -n 's/^include \(.*-common\)\/Makefile$/\1/p' "$kdir/Makefile")

mkdir -p "$out"
exec 9> "$out/.lock"
flock 9
gcc -O2 -Wall -Wextra -Werror -DMLX5_IFC="\"$common/include/linux/mlx5/mlx5_ifc.h\"" \
	-o "$out/fuzz" "$testing/fuzz/"*.c "$testing/devx/box.c" "$testing/devx/objs.c" \
	-lmlx5 -libverbs
