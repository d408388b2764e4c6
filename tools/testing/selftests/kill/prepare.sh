#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# On the host, before the VM: the programs build/devx/victim and build/devx/racer, on libmlx5.
set -euo pipefail

testing=$(cd "$(dirname "$0")/../.." && pwd)
"$testing/devx/build.sh" victim "$testing/kill/"*.c
exec "$testing/devx/build.sh" racer "$testing/kill/race/"*.c \
	"$testing/devx/"{box,objs,qp,udmabuf}.c
