#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The work request API of <rdma/mlx5dv.h>: opening and closing a send queue, the generic
# builders and setters, raw WQEs, ib_frwr on such a QP, and several posters at once (suites wr,
# wr_bad, wr_frwr, wr_many and wr_ring of the module mlx5dv_test). Nothing in it breaks a rule of
# the device.
set -eu
# shellcheck source=../../lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
# shellcheck source=../../lib/ibx_test.sh
. "$(dirname "$0")/../../lib/ibx_test.sh"
# shellcheck source=../../lib/mlx5dv_test.sh
. "$(dirname "$0")/../../lib/mlx5dv_test.sh"

# shellcheck disable=SC2046
on_pair $(dv_suite wr wr_bad wr_frwr wr_many wr_ring)

# shellcheck disable=SC2086
ktap_run load_mlx5dv_test $pair_cases no_violations unload_mlx5dv_test no_violations
