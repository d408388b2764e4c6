#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# On the host, before the VM: the program build/devx/devx, on libmlx5.
set -euo pipefail

testing=$(cd "$(dirname "$0")/../.." && pwd)
exec "$testing/devx/build.sh" devx "$testing/devx/"*.c
