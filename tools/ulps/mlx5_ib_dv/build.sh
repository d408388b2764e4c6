#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Patches mlx5_ib of the kernel's source package for direct verbs and builds mlx5_ib.ko:
#
#	build.sh KDIR
#
# KDIR has the headers of the kernel. KERNEL in the environment selects the source (vm/kernel.py).
# The module replaces the kernel's own mlx5_ib.ko. It goes to build/patched/<release>, because every
# VM has the modules of build/<release>.
set -euo pipefail

if [ $# -ne 1 ]; then
	echo "usage: build.sh KDIR" >&2
	exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)
kdir=$1
# shellcheck source=SCRIPTDIR/../mlx5_ib/source.sh
. "$top/tools/ulps/mlx5_ib/source.sh"
# shellcheck source=SCRIPTDIR/patch.sh
. "$here/patch.sh"
out=$top/build/patched/$release

mkdir -p "$out"
exec 9> "$out/.lock"
flock 9

new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
cp "$stock/"*.[ch] "$stock/Makefile" "$new"
for f in "$here/"*.cocci; do
	apply_patch "$f" "$new"
done
add_files "$new"
# a file with the same content need not be compiled again
for f in "$new/"*.[ch] "$new/Makefile"; do
	cmp -s "$f" "$out/${f##*/}" || cp "$f" "$out"
done
env -u MAKEFLAGS -u MFLAGS "$kmake" "$kdir" "$source" -- -s M="$out" modules
# mlx5dv_ib refuses an mlx5_ib without BTF, unless no module has BTF
if grep -q '^CONFIG_DEBUG_INFO_BTF_MODULES=y' "$kdir/include/config/auto.conf" &&
	! readelf -SW "$out/mlx5_ib.ko" | grep '\.BTF ' > /dev/null; then
	echo "mlx5_ib_dv: mlx5_ib.ko has no BTF: is there a vmlinux in $kdir?" >&2
	exit 1
fi
