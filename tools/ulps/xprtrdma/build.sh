#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Patches NFS over RDMA of the kernel's source package: its client registers memory with ib_frwr
# (frwr.cocci and frwr_ops.c). Builds rpcrdma_frwr.ko:
#
#	build.sh KDIR
#
# KDIR has the headers of the kernel. The modules of this tree must have been built for KDIR. KERNEL
# in the environment selects the source (vm/kernel.py). The module goes to
# build/<release>/ulps/xprtrdma.
set -euo pipefail

if [ $# -ne 1 ]; then
	echo "usage: build.sh KDIR" >&2
	exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)
kdir=$1
kmake=$top/tools/testing/stages/kmake.sh
release=$(env -u MAKEFLAGS -u MFLAGS "$kmake" "$kdir" -- -s kernelrelease)
symbols=$top/build/$release/Module.symvers
out=$top/build/$release/ulps/xprtrdma
source=$("$top/tools/testing/runner/vm/kernel.py" source "${KERNEL:-}")
xprtrdma=$source/net/sunrpc/xprtrdma

if ! [ -e "$symbols" ]; then
	echo "xprtrdma: the modules are not built for $release: make vm-modules" >&2
	exit 1
fi
mkdir -p "$out/include/trace/events"
exec 9> "$out/.lock"
flock 9

# update FILE: write standard input to FILE in $out, only if it differs
update() {
	cat > "$out/new"
	cmp -s "$out/new" "$out/$1" || cp --remove-destination "$out/new" "$out/$1"
}

# convert FILE: patch a file of the kernel, and write it to $out
convert() {
	spatch --very-quiet --no-includes --sp-file "$here/frwr.cocci" "$xprtrdma/$1" \
		-o "$out/converted.c" > "$out/$1.patch" 2> "$out/spatch.log"
	# kernel-doc of the parameter that the patch adds: a semantic patch does not change comments
	sed 's/^ \* @rep: Incoming .*/&\n * @wc: its completion/' "$out/converted.c" | update "$1"
}

# lacks FILE PATTERN COUNT: status 0 if FILE does not have COUNT lines with PATTERN, because a rule
# did not match
lacks() {
	local lines

	lines=$(grep -c "$2" "$out/$1") || :
	if [ "$lines" != "$3" ]; then
		echo "xprtrdma: frwr.cocci does not fit $1: $2 $lines times, not $3" >&2
		return 0
	fi
	return 1
}

for f in xprt_rdma.h verbs.c rpc_rdma.c transport.c; do
	convert "$f"
done
if lacks xprt_rdma.h 'mr_ibmr\|mr_seg\|rl_registered\|rl_free_mrs\|rb_mrs\|rr_inv_rkey' 0 ||
	lacks xprt_rdma.h 'struct rpcrdma_mr {' 1 ||
	lacks xprt_rdma.h 'rl_nr_mrs\|rb_frwr_lock' 2 ||
	lacks xprt_rdma.h 'frwr_\(create\|destroy\|map\|reply\|reset\|send\|unmap_sync\)(' 7 ||
	lacks verbs.c 'rpcrdma_mr\b\|rpcrdma_mrs\|frwr_mr' 0 ||
	lacks verbs.c 'frwr_\(create\|destroy\)(' 2 || lacks verbs.c 'mutex_init' 1 ||
	lacks verbs.c 'rpcrdma_reply_handler(rep, wc)' 1 ||
	lacks rpc_rdma.c 'mr_handle\|mr_length\|mr_seg\|mr_prepare\|frwr_reminv(rep' 0 ||
	lacks rpc_rdma.c '= frwr_map(' 3 || lacks rpc_rdma.c 'frwr_reply(rep, wc)' 1 ||
	lacks rpc_rdma.c 'rl_replied' 3 || lacks rpc_rdma.c 'rl_nr_mrs' 1 ||
	lacks transport.c 'rl_nr_mrs' 1 || lacks transport.c 'list_empty' 0; then
	exit 1
fi

# trace events of an MR print the index of its key as the number of the MR, and fields of mr_reg
sed -e 's/mr->mr_ibmr->res\.id/mr->mr_reg.rkey >> 8/' -e 's/mr->mr_handle/mr->mr_reg.rkey/' \
	-e 's/mr->mr_length/mr->mr_reg.length/' -e 's/mr->mr_offset/mr->mr_reg.iova/' \
	-e 's/mr->mr_sg->dma_address/mr->mr_reg.iova/' \
	"$source/include/trace/events/rpcrdma.h" | update include/trace/events/rpcrdma.h

# no aliases: for a request by alias, modprobe must load rpcrdma and not this module
sed '/^MODULE_ALIAS(/d' "$xprtrdma/module.c" | update module.c

# links to the other files of the kernel; in this directory, they include the converted header
for f in "$xprtrdma"/*.c; do
	[ -e "$out/${f##*/}" ] || ln -s "$f" "$out/"
done
ln -sf "$here/frwr_ops.c" "$out/frwr_ops.c"
{
	# shellcheck disable=SC2016
	sed -e 's/^obj-\$([A-Z_]*) += rpcrdma\.o/obj-m += rpcrdma_frwr.o/' \
		-e 's/^rpcrdma-/rpcrdma_frwr-/' "$xprtrdma/Makefile"
	echo "NOSTDINC_FLAGS += -I$out/include"
	echo "ccflags-y := -I$top/include"
} | update Kbuild
exec env -u MAKEFLAGS -u MFLAGS "$kmake" "$kdir" "$source" -- -s M="$out" \
	KBUILD_EXTRA_SYMBOLS="$symbols" W=1 modules
