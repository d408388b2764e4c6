#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Makes a kernel source tree that contains the drivers of this tree, for builds in a kernel tree.
#
#	overlay.sh SOURCE TREE
#
# SOURCE is an unpacked linux-source-6.12, which does not change. TREE becomes a copy of SOURCE that
# consists of hard links: this takes seconds and no space, but TREE must be on the file system of
# SOURCE. In TREE, the directories and headers of this tree are symbolic links to this tree, and
# drivers/Kconfig and drivers/Makefile are edited copies. A second run on an existing TREE changes
# nothing.
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

# edit FILE LINE: replace a hard link by a copy of the file with an additional last line
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

# These lines are outside of "if INFINIBAND", because the KUnit suites do not need the RDMA core.
edit drivers/Kconfig 'source "drivers/infiniband/core/frwr/Kconfig"'
edit drivers/Kconfig 'source "drivers/infiniband/sw/mlx5sim/Kconfig"'
edit drivers/Kconfig 'source "drivers/infiniband/hw/mlx5_ibx/Kconfig"'
edit drivers/Makefile 'obj-y += infiniband/core/frwr/'
edit drivers/Makefile 'obj-y += infiniband/sw/mlx5sim/'
edit drivers/Makefile 'obj-y += infiniband/hw/mlx5_ibx/'
touch "$tree/.overlay-complete"
