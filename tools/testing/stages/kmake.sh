#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Runs the make of a kernel's headers, for modules outside of the kernel tree:
#
#	kmake.sh KDIR [DIR...] -- ARGUMENTS OF MAKE...
#
# with the compiler for these headers, and with ccache if it is installed. For a KDIR of another
# suite of Debian (vm/kernel.py), make runs inside the root directory of that suite; this tree and
# each DIR have the same paths there. For a KDIR of another machine (vm/foreign.py), the compiler is
# the cross compiler that .kernelvariables in KDIR names. The exit status is the status of make.
set -euo pipefail

if [ $# -lt 3 ] || [[ " $* " != *" -- "* ]]; then
	echo "usage: kmake.sh KDIR [DIR...] -- ARGUMENTS OF MAKE..." >&2
	exit 2
fi
tree=$(cd "$(dirname "$0")/../../.." && pwd)
kdir=$1
shift
dirs=()
while [ "$1" != -- ]; do
	dirs+=("$1")
	shift
done
shift

cross=$(sed -n 's/^override CROSS_COMPILE = //p' "$kdir/.kernelvariables" 2> /dev/null || true)
cc=$("$tree/tools/testing/stages/cc.sh" "${cross#x86_64-linux-gnu-}")
inroot=()
path=$(realpath "$kdir")
case $path in
*/root/usr/src/*)
	root=${path%/usr/src/*}
	kdir=${path#"$root"}
	cache=${XDG_CACHE_HOME:-$HOME/.cache}/mlx5-frwr/ccache
	mkdir -p "$cache"
	inroot=("$tree/tools/testing/runner/vm/inroot" "$root" "$tree" "$cache" "${dirs[@]}" --
		env PATH=/usr/sbin:/usr/bin DEB_BUILD_ARCH=amd64)
	gcc=("$root"/usr/bin/x86_64-linux-gnu-gcc-[0-9]*)
	cc="env CCACHE_DIR=$cache CCACHE_MAXSIZE=1G ccache ${gcc[-1]##*/}"
	;;
esac
exec "${inroot[@]}" make -C "$kdir" CC="$cc" "$@"
