#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Patches the NVMe over RDMA host of the kernel's source package to use ib_frwr (frwr.cocci) and
# builds nvme_rdma_frwr.ko:
#
#	build.sh KDIR
#
# KDIR has the headers of the kernel. The modules of this tree must have been built for KDIR. KERNEL
# in the environment selects the source (vm/kernel.py). The module goes to
# build/<release>/ulps/nvme-rdma.
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
out=$top/build/$release/ulps/nvme-rdma
source=$("$top/tools/testing/runner/vm/kernel.py" source "${KERNEL:-}")
host=$source/drivers/nvme/host

if ! [ -e "$symbols" ]; then
	echo "nvme-rdma: the modules are not built for $release: make vm-modules" >&2
	exit 1
fi
mkdir -p "$out"
exec 9> "$out/.lock"
flock 9

spatch --very-quiet --sp-file "$here/frwr.cocci" "$host/rdma.c" -o "$out/new.c" \
	> "$out/patch" 2> "$out/spatch.log"
# lacks PATTERN COUNT: status 0 if the result does not have COUNT lines with PATTERN, because a rule
# did not match
lacks() {
	local calls

	calls=$(grep -c "$1" "$out/new.c") || :
	if [ "$calls" != "$2" ]; then
		echo "nvme-rdma: frwr.cocci does not fit $host/rdma.c: $1 $calls times, not $2" >&2
		return 0
	fi
	return 1
}

if lacks 'rdma_mrs' 1 || lacks 'nvme_rdma_map_sg_fr\b' 0 || lacks 'nvme_rdma_memreg_done' 0 ||
	lacks 'ib_frwr_create(' 1 || lacks 'ib_frwr_destroy(' 2 || lacks 'ib_frwr_post(' 1 ||
	lacks 'nvme_rdma_release_rq(req)' 2 || lacks 'nvme_rdma_release_rsp(req, wc)' 1 ||
	lacks 'nvme_rdma_abort_[a-z_]*queue' 9 || lacks 'nvme_rdma_map_without_sg(' 2 ||
	lacks 'req->use_sg\b' 3 || lacks 'nvme_rdma_place_cmd(' 2 ||
	lacks 'ib_dma_[a-z]*map_single(' 2 || lacks 'queue->capsules' 5 ||
	lacks 'ib_dma_sync_single_for_device(' 3 ||
	lacks 'nvme_rdma_prepare_send(' 2 || lacks 'nvme_rdma_end_send(' 2 ||
	lacks ' rdma_create_qp(' 2 || lacks 'nvme_rdma_stop_polls(queue)' 4 ||
	lacks 'atomic_set_release(&queue->poll_state' 4 ||
	lacks 'one && queue->device->num_inline_segments' 1 ||
	lacks 'queue->aborted' 2 || lacks 'rdma_disconnect(' 2 ||
	lacks 'nvme_rdma_is_going(' 3 || lacks '\bgone\b' 9 || lacks 'ib_[gs]et_client_data(' 3 ||
	lacks 'cm_error = -ENODEV' 1 || lacks 'nvme_rdma_add_one' 2 ||
	lacks 'nvme_rdma_remove_one' 0 || lacks 'nvme_rdma_del_one' 2; then
	exit 1
fi
cmp -s "$out/new.c" "$out/nvme_rdma_frwr.c" || cp "$out/new.c" "$out/nvme_rdma_frwr.c"
cat > "$out/Kbuild" <<END
ccflags-y := -I$top/include -I$host
obj-m := nvme_rdma_frwr.o
END
exec env -u MAKEFLAGS -u MFLAGS "$kmake" "$kdir" "$source" -- -s M="$out" \
	KBUILD_EXTRA_SYMBOLS="$symbols" W=1 modules
