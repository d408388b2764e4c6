#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Runs on the host before the VM boots. If the driver is mlx5_ib, builds mlx5dv_ib for the kernel
# that the VM boots. mlx5dv_ib is loaded on mlx5_ib only.
set -euo pipefail

testing=$(cd "$(dirname "$0")/../.." && pwd)
[ "$2" = mlx5_ib ] || exit 0
case $1 in
stock) kdir=$("$testing/runner/vm/kernel.py" kdir) ;;
debug) kdir=$("$testing/runner/vm/kernel.py" debug)/build ;;
esac
exec "$testing/../ulps/mlx5_ib/build.sh" "$kdir"
