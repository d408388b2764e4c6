#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# DCIs and DCTs of <rdma/mlx5dv.h>. No case breaks a rule of the device: a wrong key is an error of
# the work request.
set -eu
# shellcheck source=../../lib/suites.sh
. "$(dirname "$0")/../../lib/suites.sh"

# the DCI is on the second device
dc_reset_refused() {
	ends
	refusing "$IB_B" RTS2RTS_QP 1 dc_reset_refused
}

run_suites
