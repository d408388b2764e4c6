#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Makes a kernel source tree that has our drivers in it, for builds in the tree.
#
#	overlay.sh SOURCE TREE
#
# SOURCE is an unpacked linux-source-6.12 and is not touched; TREE becomes a copy of SOURCE made of
# hard links (a second or two, no space; it must be on the same file system), in which our
# directories are symbolic links to these sources and two files are replaced by edited copies. A
# second run on an existing TREE changes nothing.
set -euo pipefail

if [ $# -ne 2 ]; then
	echo "usage: overlay.sh SOURCE TREE" >&2
	exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
ours=$(cd "$here/../../.." && pwd)
src=$1
tree=$2

if ! [ -e "$tree/.overlay-complete" ]; then
	rm -rf "$tree"
	cp -al "$src" "$tree"
fi

# edit FILE LINE: a copy of our own, with a line at the end
edit() {
	local file=$tree/$1 new

	if grep -qxF "$2" "$file"; then
		return
	fi
	new=$(mktemp "$file.XXXXXX")
	{ cat "$file"; echo "$2"; } > "$new"
	chmod 644 "$new"
	mv "$new" "$file"
}

link() {
	if [ -d "$ours/$1" ] && ! [ -L "$tree/$1" ]; then
		ln -s "$ours/$1" "$tree/$1"
	fi
}

link drivers/infiniband/core/frwr
link drivers/infiniband/sw/mlx5sim
link drivers/infiniband/hw/mlx5_ibx
for h in "$ours"/include/rdma/*.h; do
	if [ -e "$h" ]; then
		ln -sfn "$h" "$tree/include/rdma/${h##*/}"
	fi
done

# The Kconfig lines stand outside "if INFINIBAND": the KUnit suites need no RDMA core.
edit drivers/Kconfig 'source "drivers/infiniband/core/frwr/Kconfig"'
edit drivers/Kconfig 'source "drivers/infiniband/sw/mlx5sim/Kconfig"'
edit drivers/Kconfig 'source "drivers/infiniband/hw/mlx5_ibx/Kconfig"'
edit drivers/Makefile 'obj-y += infiniband/core/frwr/'
edit drivers/Makefile 'obj-y += infiniband/sw/mlx5sim/'
edit drivers/Makefile 'obj-y += infiniband/hw/mlx5_ibx/'
touch "$tree/.overlay-complete"
