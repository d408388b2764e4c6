#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Builds the modules for one kernel in build/<release>/, so that builds for several kernels are
# independent and no generated file is among the sources.
#
#	build.sh KDIR [MAKE ARGUMENTS...]
#
# Before Linux 6.13 external modules are built beside their sources, so build/<release>/ is a tree
# of symbolic links to the sources, brought up to date here. A lock keeps two builds of the same
# kernel apart. A KDIR of another suite of Debian (vm/kernel.py) is used inside its root directory,
# with the compiler and the tools of that suite. Prints only errors, besides the output of make; the
# exit status is that of make.
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
# the command that enters the root directory, and the compiler and the KDIR inside it
inroot=()
cc=$("$tree/tools/testing/stages/cc.sh")
path=$(realpath "$kdir")
case $path in
*/root/usr/src/*)
	root=${path%/usr/src/*}
	kdir=${path#"$root"}
	cache=${XDG_CACHE_HOME:-$HOME/.cache}/mlx5-frwr/ccache
	mkdir -p "$cache"
	inroot=("$tree/tools/testing/runner/vm/inroot" "$root" "$tree" "$cache" --
		env PATH=/usr/sbin:/usr/bin DEB_BUILD_ARCH=amd64)
	gcc=("$root"/usr/bin/x86_64-linux-gnu-gcc-[0-9]*)
	cc="env CCACHE_DIR=$cache CCACHE_MAXSIZE=1G ccache ${gcc[-1]##*/}"
	;;
esac
release=$(env -u MAKEFLAGS -u MFLAGS "${inroot[@]}" make -s -C "$kdir" kernelrelease)
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
# a module that an earlier build left must not be loaded in the place of one of this build
find "$out" -path "$out/ulps" -prune -o -name '*.ko' -print | while read -r ko; do
	ko=${ko#"$out/"}
	grep -qsE "(^|/)${ko%.ko}\.o$" "$out/modules.order" || rm -f "$out/$ko"
done

exec "${inroot[@]}" make -C "$kdir" M="$out" CC="$cc" "$@"
