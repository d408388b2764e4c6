#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Runs on the host before the VM boots. Builds the programs build/devx/victim and build/devx/racer,
# which use libmlx5.
set -euo pipefail

testing=$(cd "$(dirname "$0")/../.." && pwd)
"$testing/programs/devx/build.sh" victim "$testing/programs/kill/"*.c
exec "$testing/programs/devx/build.sh" racer "$testing/programs/kill/race/"*.c \
	"$testing/programs/devx/"{box,objs,qp,udmabuf}.c
