#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Mkeys of <rdma/mlx5dv.h>: configuring them, what they lead to, and random layouts against
# a reference (suites mkey, mkey_bad and mkey_random of the module mlx5dv_test). Nothing in it
# breaks a rule of the device: what a peer does by a key it may not is no breach of ours.
set -eu
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../ibx_test/ibx_test.sh
. "$(dirname "$0")/../ibx_test/ibx_test.sh"
# shellcheck source=../mlx5dv_test/mlx5dv_test.sh
. "$(dirname "$0")/../mlx5dv_test/mlx5dv_test.sh"

LAYOUTS=1000
[ "${FULL:-}" != 1 ] || LAYOUTS=10000

load() {
	load_mlx5dv_test "random_cases=$LAYOUTS"
}

mkey_random() {
	ends
	ibx_test mkey_random
	sed 's/^/# /' "$IBX_TEST/log"
}

# shellcheck disable=SC2046
on_pair $(dv_suite mkey mkey_bad)

# shellcheck disable=SC2086
ktap_run load $pair_cases mkey_random no_violations unload_mlx5dv_test no_violations
