#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# On the host, before the VM: the program build/devx/fuzz, on libmlx5.
set -euo pipefail

testing=$(cd "$(dirname "$0")/../.." && pwd)
exec "$testing/devx/build.sh" fuzz "$testing/fuzz/"*.c "$testing/devx/"{box,objs,udmabuf}.c \
	"$testing/kill/race/act.c"
