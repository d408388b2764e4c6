#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The Debian packages that building and testing need, and those that the arguments name: installs
# the missing ones when run as root, else prints the one line that does. Exit status 0 when nothing
# is missing in the end.
set -euo pipefail

packages=(
	# building
	bc bison build-essential ccache coccinelle cpio flex kmod libelf-dev libssl-dev
	linux-headers-6.12-amd64 linux-source-6.12 rsync sparse xz-utils
	# the VM and what the tests call in it
	busybox-static cryptsetup-bin dmsetup e2fsprogs ethtool fio ibverbs-providers ibverbs-utils
	iproute2 iputils-ping libibverbs-dev nfs-kernel-server nvme-cli open-iscsi perftest perl
	procps python3 python3-pyverbs python3-scapy qemu-system-x86 rdma-core rdmacm-utils zstd
	# checking
	git python3-ply python3-sphinx shellcheck
	"$@"
)

missing() {
	local p

	for p in "${packages[@]}"; do
		case $(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null || true) in
		installed) ;;
		*) echo "$p" ;;
		esac
	done
}

if ! command -v dpkg-query > /dev/null; then
	echo "deps: this is not Debian; needed are the equivalents of: ${packages[*]}" >&2
	exit 1
fi
mapfile -t want < <(missing)
if [ ${#want[@]} = 0 ]; then
	exit 0
fi
line="apt-get install -y --no-install-recommends ${want[*]}"
if [ "$(id -u)" = 0 ]; then
	echo "deps: $line"
	export DEBIAN_FRONTEND=noninteractive
	if ! $line > /dev/null 2>&1; then
		apt-get update || true
		$line || true
	fi
	mapfile -t want < <(missing)
	if [ ${#want[@]} = 0 ]; then
		exit 0
	fi
	line="apt-get install -y --no-install-recommends ${want[*]}"
fi
echo "deps: missing packages; as root: apt-get update && $line" >&2
exit 1
