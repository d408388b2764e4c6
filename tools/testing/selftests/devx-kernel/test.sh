#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Firmware commands of kernel ULPs, <rdma/mlx5dv_devx.h>: objects, two contexts apart, queries that
# do not wait, events, UMEMs, the example that moves data, QPs in a CQ of verbs, and what the driver
# refuses. A case that
# the device refuses breaks one of its rules.
set -eu
# shellcheck source=../../lib/suites.sh
. "$(dirname "$0")/../../lib/suites.sh"

devx_isolated() { own_fault devx_isolated cmd_uid; }
devx_in_use() { own_fault devx_in_use cmd_in_use; }
devx_refused_query() { own_fault devx_refused_query cmd_size; }
devx_umem_pages() { own_fault devx_umem_pages cmd_in_use; }
devx_umem_in_use() { own_fault devx_umem_in_use cmd_in_use; }
devx_umem_bounds() { own_fault devx_umem_bounds cmd_bad_param; }
devx_verbs_uid() { own_fault devx_verbs_uid cmd_uid; }
devx_umem_isolated() { own_fault devx_umem_isolated cmd_uid; }

run_suites
