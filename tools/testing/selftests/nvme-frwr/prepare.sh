#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Runs on the host before the VM boots. Builds the NVMe host on ib_frwr, for the kernel that the VM
# boots.
set -euo pipefail

exec "$(dirname "$0")/../../runner/prepare_ulp.sh" nvme-rdma "$1"
