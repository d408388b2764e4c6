#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Runs on the host before the VM boots. Builds the program referee, and vfio.ko of the kernel source
# with CONFIG_VFIO_NOIOMMU, an option that Debian's kernel lacks. Both go to build/vfio/<release>.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
testing=$(cd "$here/../.." && pwd)
kmake=$testing/stages/kmake.sh
kdir=$("$testing/runner/vm/kernel.py" kdir)
src=$("$testing/runner/vm/kernel.py" source "${KERNEL:-}")
release=$(env -u MAKEFLAGS -u MFLAGS "$kmake" "$kdir" -- -s kernelrelease)
out=$(cd "$testing/../.." && pwd)/build/vfio/$release
headers=$("$testing/runner/vm/kernel.py" headers)

mkdir -p "$out/ko"
exec 9> "$out/.lock"
flock 9

gcc -O2 -Wall -Wextra -Werror -DMLX5_IFC="\"$headers/include/linux/mlx5/mlx5_ifc.h\"" \
	-o "$out/referee" "$testing/programs/vfio/"*.c

cp -u "$src"/drivers/vfio/*.[ch] "$out/ko"
cat > "$out/ko/Kbuild.new" <<'END'
ccflags-y := -DCONFIG_VFIO_NOIOMMU=1
obj-m := vfio.o
vfio-y := vfio_main.o group.o container.o virqfd.o
END
cmp -s "$out/ko/Kbuild.new" "$out/ko/Kbuild" || cp "$out/ko/Kbuild.new" "$out/ko/Kbuild"
exec env -u MAKEFLAGS -u MFLAGS "$kmake" "$kdir" -- -s M="$out/ko" modules
