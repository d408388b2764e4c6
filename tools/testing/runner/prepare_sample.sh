#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Builds the modules of samples outside of the tree, by the command of
# Documentation/infiniband/first-ulp.rst, for the kernel that the VM boots:
#
#	prepare_sample.sh stock|debug SAMPLE...
#
# SAMPLE is a directory in samples/. A warning is an error. The modules go to
# build/<release>/ulps/SAMPLE, with dashes in the name of SAMPLE, where the VM finds them.
set -euo pipefail

if [ $# -lt 2 ]; then
	echo "usage: prepare_sample.sh stock|debug SAMPLE..." >&2
	exit 2
fi
runner=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$runner/../../.." && pwd)
case $1 in
stock) kdir=$("$runner/vm/kernel.py" kdir) ;;
debug) kdir=$("$runner/vm/kernel.py" debug)/build ;;
esac
shift
kmake=$runner/../stages/kmake.sh
release=$(env -u MAKEFLAGS -u MFLAGS "$kmake" "$kdir" -- -s kernelrelease)
built=$top/build/$release

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for sample in "$@"; do
	cp -r "$top/samples/$sample" "$out"
done
for sample in "$@"; do
	env -u MAKEFLAGS -u MFLAGS "$kmake" "$kdir" "$out" -- M="$out/$sample" FRWR="$top" \
		KBUILD_EXTRA_SYMBOLS="$built/Module.symvers" W=1 modules > "$out/log" 2>&1 || {
		cat "$out/log"
		exit 1
	}
	if grep -i warning "$out/log"; then
		exit 1
	fi
	ulp=$built/ulps/${sample//_/-}
	mkdir -p "$ulp"
	for ko in "$out/$sample/"*.ko; do
		# another VM may read the module: replace it in one step
		new=$(mktemp "$ulp/.XXXXXX")
		cat "$ko" > "$new"
		chmod 644 "$new"
		mv "$new" "$ulp/${ko##*/}"
	done
done
