#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Runs on the host before the VM boots. Builds a second mlx5dv_ib, in build/changed/<release>, with
# private headers of mlx5_ib in which struct mlx5_ib_wq has one member more. The debug kernel has no
# BTF and so needs no second module.
set -euo pipefail

runner=$(cd "$(dirname "$0")/../../runner" && pwd)
[ "$1" = stock ] || exit 0
source=$("$runner/vm/kernel.py" source "${KERNEL:-}")
out=$runner/../../../build/changed/$("$runner/vm/kernel.py" release)
mkdir -p "$out/headers"
cp "$source"/drivers/infiniband/hw/mlx5/*.h "$out/headers"
sed -i 's/^struct mlx5_ib_wq {/&\n\tu64 added;/' "$out/headers/mlx5_ib.h"
grep -q 'u64 added' "$out/headers/mlx5_ib.h"
exec "$runner/../../ulps/mlx5_ib/build.sh" "$("$runner/vm/kernel.py" kdir)" "$out/headers" "$out"
