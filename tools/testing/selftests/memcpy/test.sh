#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Memory copies of <rdma/mlx5dv.h>. A local key that does not permit the copy breaks a rule of the
# device.
set -eu
# shellcheck source=../../runner/lib/suites.sh
. "$(dirname "$0")/../../runner/lib/suites.sh"

# breaks CASE CLASS: run a case that causes one violation of this class; earlier cases caused none
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

run_suites
