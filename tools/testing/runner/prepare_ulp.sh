#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Builds a module of tools/ulps for the kernel that the VM boots, for selftest.py and for prepare.sh
# of tests:
#
#	prepare_ulp.sh ULP stock|debug
set -euo pipefail

if [ $# -ne 2 ]; then
	echo "usage: prepare_ulp.sh ULP stock|debug" >&2
	exit 2
fi
runner=$(cd "$(dirname "$0")" && pwd)
case $2 in
stock) kdir=$("$runner/vm/kernel.py" kdir) ;;
debug) kdir=$("$runner/vm/kernel.py" debug)/build ;;
esac
exec "$runner/../../ulps/$1/build.sh" "$kdir"
