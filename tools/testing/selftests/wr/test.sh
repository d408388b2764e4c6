#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The work request API of <rdma/ib_wr.h>: opening and closing a send queue, the generic builders and
# setters, raw WQEs of <rdma/mlx5dv.h>, ib_frwr on a QP that uses this API, and several threads that
# post. No case breaks a rule of the device.
set -eu
# OWN_CASES call verbs of mlx5_ibx, or create QPs of a size that mlx5_ib does not support
# shellcheck disable=SC2034 # for suites.sh
OWN_CASES="wr_inv_gaps wr_atomics_posted wr_bad_flags wr_frwr raw_blocks_uc"
# shellcheck source=../../runner/lib/suites.sh
. "$(dirname "$0")/../../runner/lib/suites.sh"

run_suites
