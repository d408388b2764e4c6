# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# shellcheck disable=SC2154 # the script that sources this file sets top and kdir
#
# Source this file after top (this tree) and kdir (headers of a kernel) were set. It sets kmake,
# release (of the kernel), source (the kernel's source package; KERNEL in the environment selects
# it, see vm/kernel.py) and stock (folder of mlx5_ib in the source).

kmake=$top/tools/testing/stages/kmake.sh
release=$(env -u MAKEFLAGS -u MFLAGS "$kmake" "$kdir" -- -s kernelrelease)
source=$("$top/tools/testing/runner/vm/kernel.py" source "${KERNEL:-}")
stock=$source/drivers/infiniband/hw/mlx5

if ! [ -e "$stock/mlx5_ib.h" ]; then
	echo "mlx5_ib: no private headers of mlx5_ib in $stock" >&2
	exit 1
fi
# source and kernel must have the same version: "6.12.117+deb12-amd64" is Linux 6.12.117
version=$(sed -nE '1,6s/^(VERSION|PATCHLEVEL|SUBLEVEL) = //p' "$source/Makefile" | paste -sd.)
if [ "$version" != "${release%%[-+]*}" ]; then
	echo "mlx5_ib: $source is Linux $version, $kdir is for $release" >&2
	exit 1
fi
