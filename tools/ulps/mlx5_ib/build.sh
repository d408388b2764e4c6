#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Builds mlx5dv_ib.ko, which adds direct verbs to devices of mlx5_ib:
#
#	build.sh KDIR [HEADERS OUT]
#
# KDIR has the headers of the kernel. The modules of this tree must have been built for KDIR. The
# private headers of mlx5_ib come from the kernel's source package; KERNEL in the environment
# selects the source (vm/kernel.py). The module goes to build/<release>/ulps/mlx5_ib. A test passes
# other private headers and another folder for the module, which then is not compared with mlx5_ib.
set -euo pipefail

if [ $# -ne 1 ] && [ $# -ne 3 ]; then
	echo "usage: build.sh KDIR [HEADERS OUT]" >&2
	exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)
kdir=$1
# shellcheck source=SCRIPTDIR/source.sh
. "$here/source.sh"
symbols=$top/build/$release/Module.symvers
private=${2:-$stock}
out=${3:-$top/build/$release/ulps/mlx5_ib}

if ! [ -e "$symbols" ]; then
	echo "mlx5_ib: the modules are not built for $release: make vm-modules" >&2
	exit 1
fi
mkdir -p "$out"
exec 9> "$out/.lock"
flock 9

for f in "$top"/drivers/infiniband/hw/mlx5dv_ib/*; do
	ln -sfn "$f" "$out/${f##*/}"
done
find "$out" -xtype l -delete
env -u MAKEFLAGS -u MFLAGS "$kmake" "$kdir" "$source" -- -s M="$out" \
	MLX5_IB_SRC="$private" MLX5_IBX_SRC="$top/drivers/infiniband/hw/mlx5_ibx" \
	KBUILD_EXTRA_SYMBOLS="$symbols" W=1 modules
[ $# -eq 1 ] || exit 0

# members: filter the output of pahole: members with offset and size. BTF has no attributes, and
# pahole's comments depend on attributes.
members() {
	sed -E 's/ *__attribute__\(\([^()]*(\([^()]*\))?\)\)//; s/\s+/ /g' |
		grep -vE '^ ?(/\*.*\*/)?$'
}

# layouts MODULE OPTIONS OF PAHOLE...: print the structures of MODULE that mlx5dv_ib reads
layouts() {
	local module=$1 name

	shift
	for name in mlx5_ib_dev mlx5_ib_pd mlx5_ib_cq mlx5_ib_cq_buf mlx5_ib_ah mlx5_ib_qp \
		mlx5_ib_wq mlx5_ib_qp_trans mlx5_ib_qp_base mlx5_bf wr_list; do
		pahole "$@" -C "$name" "$module" 2>> "$out/pahole.log" | members || {
			echo "mlx5_ib: no struct $name in $module: $out/pahole.log" >&2
			return 1
		}
	done
}

# check_table: layout.c must list each member of the structures in $out/layouts.headers that the
# sources read. A member of a public structure may have the same name, and then needs a line, too.
check_table() {
	local dir=$top/drivers/infiniband/hw/mlx5dv_ib name

	while read -r name; do
		grep -qE "\b$name(\[[0-9]+\])?(:[0-9]+)?;" "$out/layouts.headers" || continue
		grep -qE "MEMBER\(\w+, $name\)|FIND_BIT\(\w+, $name," "$dir/layout.c" || {
			echo "mlx5_ib: no line for the member $name in mlx5dv_ib/layout.c" >&2
			return 1
		}
	done < <(grep -ohE '(->|\.)\w+' "$dir"/{main,sig,sq}.c | grep -oE '\w+' | sort -u)
}

# find_driver: print the path of an uncompressed mlx5_ib.ko of the kernel
find_driver() {
	local dir kernel

	kernel=$("$top/tools/testing/runner/vm/kernel.py" stock "${KERNEL:-}")
	for dir in "$kdir/.." "$kernel" ""; do
		dir=$dir/lib/modules/$release/kernel/drivers/infiniband/hw/mlx5
		if [ -e "$dir/mlx5_ib.ko" ]; then
			echo "$dir/mlx5_ib.ko"
			return
		elif [ -e "$dir/mlx5_ib.ko.xz" ]; then
			xz -dc "$dir/mlx5_ib.ko.xz" > "$out/driver.ko"
			echo "$out/driver.ko"
			return
		fi
	done
	echo "mlx5_ib: no mlx5_ib.ko of $release to compare the structures with" >&2
	return 1
}

# Compare the structures of mlx5_ib.ko with the structures in the headers: the distribution may have
# patched the kernel but not its source package, or another mlx5_ib may have been installed for the
# same release.
if ! grep -q '^CONFIG_DEBUG_INFO_BTF_MODULES=y' "$kdir/include/config/auto.conf"; then
	echo "mlx5_ib: $release has no BTF: the structures of mlx5_ib are not compared" >&2
	exit 0
fi
driver=$(find_driver)
: > "$out/pahole.log"
# an old pahole does not read the BTF that newer kernels make for modules outside of their tree
layouts "$out/mlx5dv_ib.ko" -F dwarf > "$out/layouts.headers"
check_table
layouts "$driver" --btf_base "$kdir/vmlinux" > "$out/layouts.driver"
if ! diff "$out/layouts.driver" "$out/layouts.headers" >&2; then
	echo "mlx5_ib: the structures of $driver differ from $private" >&2
	rm "$out/mlx5dv_ib.ko"
	exit 1
fi
