#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Runs on the host before the VM boots. Builds the ULPs on ib_frwr, for the kernel that the VM
# boots.
set -euo pipefail

here=$(dirname "$0")
"$here/../nvme-frwr/prepare.sh" "$@"
exec "$here/../nfs-frwr/prepare.sh" "$@"
