#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Runs on the host before the VM boots. Builds the first ULP (samples/first_ulp) outside of the tree
# by the command of Documentation/infiniband/first-ulp.rst. A warning is an error. Then copies the
# modules to build/<release>/ulps/first-ulp, where the VM finds them.
set -euo pipefail

testing=$(cd "$(dirname "$0")/../.." && pwd)
top=$(cd "$testing/../.." && pwd)
case $1 in
stock) kdir=$("$testing/runner/vm/kernel.py" kdir) ;;
debug) kdir=$("$testing/runner/vm/kernel.py" debug)/build ;;
esac
kmake=$testing/stages/kmake.sh
release=$(env -u MAKEFLAGS -u MFLAGS "$kmake" "$kdir" -- -s kernelrelease)
built=$top/build/$release

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cp "$top/samples/first_ulp/"* "$out"
env -u MAKEFLAGS -u MFLAGS "$kmake" "$kdir" "$(dirname "$out")" -- M="$out" FRWR="$top" \
	KBUILD_EXTRA_SYMBOLS="$built/Module.symvers" W=1 modules > "$out/log" 2>&1 || {
	cat "$out/log"
	exit 1
}
if grep -i warning "$out/log"; then
	exit 1
fi
mkdir -p "$built/ulps/first-ulp"
cp "$out/"*.ko "$built/ulps/first-ulp"
