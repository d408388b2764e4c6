#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Builds the modules for one kernel in build/<release>/, so that builds for several kernels are
# independent and no generated file is among the sources.
#
#	build.sh KDIR [MAKE ARGUMENTS...]
#
# Before Linux 6.13, external modules are built in the directory of their sources. Therefore
# build/<release>/ is a tree of symbolic links to the sources, which this script updates. A lock
# prevents two simultaneous builds for a kernel. kmake.sh finds the compiler. This script prints
# only errors, and then the output of make. The exit status is the status of make.
set -euo pipefail

tree=$(cd "$(dirname "$0")/../../.." && pwd)
if [ $# -eq 0 ]; then
	echo "usage: build.sh KDIR [MAKE ARGUMENTS...]" >&2
	exit 2
fi
kdir=$1
shift

if ! [ -e "$kdir/Makefile" ]; then
	echo "build: no kernel headers in $kdir: make deps, or" >&2
	echo "build: apt-get install linux-headers-6.12-amd64" >&2
	exit 1
fi
kmake=$tree/tools/testing/stages/kmake.sh
release=$(env -u MAKEFLAGS -u MFLAGS "$kmake" "$kdir" -- -s kernelrelease)
out=$tree/build/$release
if ! mkdir -p "$out" 2> /dev/null || ! : 2> /dev/null >> "$out/.lock"; then
	echo "build: $(id -un) cannot write to $out:" \
		"build and install as the same user, or as root" >&2
	exit 1
fi
exec 9> "$out/.lock"
flock 9

cd "$tree"
links() {
	local dir

	for dir in Kbuild include drivers samples tools/testing/modules; do
		if [ -e $dir ]; then
			find $dir -type f \( -name '*.[chS]' -o -name Kbuild -o -name '*.mk' \)
		fi
	done
}
links | while read -r f; do
	if ! [ -L "$out/$f" ]; then
		mkdir -p "$(dirname "$out/$f")"
		ln -s "$tree/$f" "$out/$f"
	fi
done
find "$out" -xtype l -delete
# remove modules of earlier builds that this build does not make, so that no VM loads them
find "$out" -path "$out/ulps" -prune -o -name '*.ko' -print | while read -r ko; do
	ko=${ko#"$out/"}
	grep -qsE "(^|/)${ko%.ko}\.o$" "$out/modules.order" || rm -f "$out/$ko"
done

exec "$kmake" "$kdir" -- M="$out" "$@"
