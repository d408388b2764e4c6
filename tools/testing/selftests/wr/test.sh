#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The work request API of <rdma/ib_wr.h>: opening and closing a send queue, the generic builders and
# setters, raw WQEs of <rdma/mlx5dv.h>, ib_frwr on a QP that uses this API, and several threads that
# post. No case breaks a rule of the device.
set -eu
# shellcheck source=../../runner/lib/suites.sh
. "$(dirname "$0")/../../runner/lib/suites.sh"

run_suites
