#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# build.sh PROGRAM SOURCE...: compile build/devx/PROGRAM from sources that use libmlx5 and the
# layouts of <linux/mlx5/mlx5_ifc.h>. prepare.sh of selftests runs this script.
set -euo pipefail

if [ $# -lt 2 ]; then
	echo "usage: build.sh PROGRAM SOURCE..." >&2
	exit 2
fi
testing=$(cd "$(dirname "$0")/../.." && pwd)
out=$(cd "$testing/../.." && pwd)/build/devx
headers=$("$testing/runner/vm/kernel.py" headers)

mkdir -p "$out"
exec 9> "$out/.lock"
flock 9
gcc -O2 -Wall -Wextra -Werror -DMLX5_IFC="\"$headers/include/linux/mlx5/mlx5_ifc.h\"" \
	-o "$out/$1" "${@:2}" -lmlx5 -libverbs -lpthread
