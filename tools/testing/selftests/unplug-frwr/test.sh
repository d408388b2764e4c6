#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The cases of the selftest unplug, with the NVMe host on ib_frwr (tools/ulps/nvme-rdma).
set -eu
export NVME_HOST=nvme_rdma_frwr
exec "$(dirname "$0")/../unplug/test.sh"
