#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Memory copies of <rdma/mlx5dv.h> (suite memcpy of the module mlx5dv_test). A key of our own that
# does not allow the copy breaks a rule of the device, and only that.
set -eu
# shellcheck source=../../lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
# shellcheck source=../../lib/ibx_test.sh
. "$(dirname "$0")/../../lib/ibx_test.sh"
# shellcheck source=../../lib/mlx5dv_test.sh
. "$(dirname "$0")/../../lib/mlx5dv_test.sh"

# shellcheck disable=SC2046
on_pair $(dv_suite memcpy)

# breaks CASE CLASS: one rule, and the cases before it broke none
breaks() {
	no_violations
	own_fault "$1" "$2"
}

memcpy_access() {
	breaks memcpy_access mkey_access
}

memcpy_pd() {
	breaks memcpy_pd mkey_pd
}

memcpy_beyond() {
	breaks memcpy_beyond mkey_range
}

# shellcheck disable=SC2086
ktap_run load_mlx5dv_test $pair_cases no_violations unload_mlx5dv_test no_violations
