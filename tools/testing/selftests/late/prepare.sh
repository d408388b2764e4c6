#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Runs on the host before the VM boots. Builds the program build/devx/devx, which uses libmlx5.
set -euo pipefail

testing=$(cd "$(dirname "$0")/../.." && pwd)
exec "$testing/programs/devx/build.sh" devx "$testing/programs/devx/"*.c
