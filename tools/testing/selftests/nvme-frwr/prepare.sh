#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Runs on the host before the VM boots. Builds the NVMe host on ib_frwr, for the kernel that the VM
# boots.
set -euo pipefail

testing=$(cd "$(dirname "$0")/../.." && pwd)
case $1 in
stock) kdir=$("$testing/runner/vm/kernel.py" kdir) ;;
debug) kdir=$("$testing/runner/vm/kernel.py" debug)/build ;;
esac
exec "$testing/../ulps/nvme-rdma/build.sh" "$kdir"
