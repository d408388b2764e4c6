#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Runs on the host before the VM boots. If the driver is mlx5_ib, builds mlx5dv_ib for the kernel
# that the VM boots. mlx5dv_ib is loaded on mlx5_ib only.
set -euo pipefail

[ "$2" = mlx5_ib ] || exit 0
exec "$(dirname "$0")/../../runner/prepare_ulp.sh" mlx5_ib "$1"
