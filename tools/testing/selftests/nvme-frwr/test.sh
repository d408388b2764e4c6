#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The cases of the selftest nvmeof with the NVMe host on ib_frwr (tools/ulps/nvme-rdma), and the
# cases of cases.sh.
set -eu
export NVME_HOST=nvme_rdma_frwr MAP_CALL=ib_frwr:ib_frwr_map_bio
MORE_CASES=$(cd "$(dirname "$0")" && pwd)/cases.sh
export MORE_CASES
exec "$(dirname "$0")/../nvmeof/test.sh"
