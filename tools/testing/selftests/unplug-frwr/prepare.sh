#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# On the host, before the VM: the same NVMe host as for nvme-frwr.
exec "$(dirname "$0")/../nvme-frwr/prepare.sh" "$@"
