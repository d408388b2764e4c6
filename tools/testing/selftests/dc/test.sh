#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# DCIs and DCTs of <rdma/mlx5dv.h> (suite dc of the module mlx5dv_test). Nothing in it breaks
# a rule of the device: a wrong key is an error of the work request.
set -eu
# shellcheck source=../../lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
# shellcheck source=../../lib/ibx_test.sh
. "$(dirname "$0")/../../lib/ibx_test.sh"
# shellcheck source=../../lib/mlx5dv_test.sh
. "$(dirname "$0")/../../lib/mlx5dv_test.sh"

# shellcheck disable=SC2046
on_pair $(dv_suite dc)

# the DCI is on the second device
dc_reset_refused() {
	ends
	refusing "$IB_B" RTS2RTS_QP 1 dc_reset_refused
}

# shellcheck disable=SC2086
ktap_run load_mlx5dv_test $pair_cases no_violations unload_mlx5dv_test no_violations
