#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The Debian packages that building and testing need:
#
#	deps.sh [--demo=nvme|mkey | --only] [--missing] [PACKAGE...]
#
# --demo=nvme: only the packages of "make demo"; --demo=mkey: of "make demo-mkey". PACKAGE: an
# additional package; with --only, the listed packages are the only ones. Root installs the missing
# packages; for other users, this script prints the command that installs these. --missing only
# prints the names of the missing packages. The exit status is 0 if no package is missing when this
# script ends.
set -euo pipefail

demo=
only=
only_print=
while [[ ${1:-} = --* ]]; do
	case $1 in
	--demo=nvme | --demo=mkey) demo=${1#--demo=} ;;
	--only) only=1 ;;
	--missing) only_print=1 ;;
	*)
		echo "usage: deps.sh [--demo=nvme|mkey | --only] [--missing] [PACKAGE...]" >&2
		exit 2
		;;
	esac
	shift
done

packages=(
	# building
	build-essential ccache kmod linux-headers-6.12-amd64 linux-source-6.12 xz-utils
	# the VM, and programs that each demo calls in it
	busybox-static iproute2 procps python3 qemu-system-x86 zstd
	"$@"
)
[ "$demo" = mkey ] || packages+=(e2fsprogs fio nvme-cli)
[ -n "$demo" ] || packages+=(
	# building
	bc bison coccinelle cpio flex libelf-dev libssl-dev rsync sparse
	# programs that the tests call in the VM
	cryptsetup-bin dmsetup ethtool ibverbs-providers ibverbs-utils iputils-ping libibverbs-dev
	nfs-kernel-server open-iscsi perftest perl python3-pyverbs python3-scapy rdma-core
	rdmacm-utils
	# checking
	git python3-ply python3-sphinx shellcheck
)
[ -z "$only" ] || packages=("$@")

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
# size PACKAGE...: print in one line the sizes that apt-get reports for the packages
size() {
	LC_ALL=C apt-get install --assume-no --no-install-recommends "$@" 2> /dev/null |
		sed -nE 's/.* ([0-9]+) newly installed.*/\1 packages in all/p
			s/^Need to get ([0-9].*[kM]?B)(\/.*)? of archives.*/\1 to download/p
			s/^After this operation, (.*B) of additional.*/\1 on disk/p' |
		paste -sd, | sed 's/,/, /g'
}

mapfile -t want < <(missing)
if [ ${#want[@]} = 0 ]; then
	exit 0
fi
if [ -n "$only_print" ]; then
	printf '%s\n' "${want[@]}"
	exit 1
fi
line="apt-get install -y --no-install-recommends ${want[*]}"
if [ "$(id -u)" = 0 ]; then
	if ! apt-cache show "${want[@]}" > /dev/null 2>&1; then
		echo "deps: apt-get update"
		apt-get update > /dev/null 2>&1 || true
	fi
	echo "deps: $line"
	echo "deps: $(size "${want[@]}"); this takes one to three minutes"
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
