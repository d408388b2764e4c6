#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Runs on the host before the VM boots. Builds NFS over RDMA on ib_frwr, for the kernel that the VM
# boots.
set -euo pipefail

exec "$(dirname "$0")/../../runner/prepare_ulp.sh" xprtrdma "$1"
