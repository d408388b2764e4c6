#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Runs on the host before the VM boots. If the driver is siw, which Debian's kernels lack, builds
# siw from the unmodified source package, for the kernel that the VM boots. The modules go to
# build/<release>/ulps/siw: siw, and libcrc32c for a kernel that lacks it.
set -euo pipefail
[ "$2" = siw ] || exit 0

testing=$(cd "$(dirname "$0")/../.." && pwd)
case $1 in
stock) kdir=$("$testing/runner/vm/kernel.py" kdir) ;;
debug) kdir=$("$testing/runner/vm/kernel.py" debug)/build ;;
esac
source=$("$testing/runner/vm/kernel.py" source "${KERNEL:-}")
kmake=$testing/stages/kmake.sh
release=$(env -u MAKEFLAGS -u MFLAGS "$kmake" "$kdir" -- -s kernelrelease)
out=$testing/../../build/$release/ulps/siw
mkdir -p "$out"
out=$(cd "$out" && pwd)
exec 9> "$out/.lock"
flock 9

ln -sf "$source/drivers/infiniband/sw/siw/"* "$out"
rm -f "$out/Kbuild"
if ! grep -qP '\tcrc32c\t' "$kdir/Module.symvers"; then
	ln -sf "$source/lib/libcrc32c.c" "$out"
	printf '%s\n' "include \$(src)/Makefile" 'obj-m += libcrc32c.o' > "$out/Kbuild"
fi
exec env -u MAKEFLAGS -u MFLAGS "$kmake" "$kdir" "$source" -- -s M="$out" CONFIG_RDMA_SIW=m modules
