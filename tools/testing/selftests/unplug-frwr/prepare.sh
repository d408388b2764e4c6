#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Runs on the host before the VM boots. Builds the NVMe host on ib_frwr, for the kernel that the VM
# boots.
exec "$(dirname "$0")/../nvme-frwr/prepare.sh" "$@"
