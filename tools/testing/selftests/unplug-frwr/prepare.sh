#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# On the host, before the VM: build the NVMe host on ib_frwr.
exec "$(dirname "$0")/../nvme-frwr/prepare.sh" "$@"
