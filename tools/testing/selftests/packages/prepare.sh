#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Runs on the host before the VM boots. Builds two versions of the Debian packages from debian/ of
# this tree. For each version, DKMS builds the modules from the sources in the package, for the
# kernel of the VM. The arguments are the kernel (stock or debug) and the driver.
#
# In build/packages/<release>:
#
#	old, new	the packages; the version of the old packages begins with 0
#	tarball		<version>.dkms.tar.gz: modules of a version. In the VM, postinst of the
#			package loads this file, because a build there takes half an hour
#	ulp		first_ulp, from the examples of mlx5-frwr-dev, built with "new"
#	debs		dkms and those of its dependencies that the host lacks
#
# ONLY=new prepares only the new version, without the ULP.
set -euo pipefail

testing=$(cd "$(dirname "$0")/../.." && pwd)
top=$(cd "$testing/../.." && pwd)
case $1 in
stock) kdir=$("$testing/runner/vm/kernel.py" kdir) ;;
debug) kdir=$("$testing/runner/vm/kernel.py" debug)/build ;;
esac
unset MAKEFLAGS MFLAGS MAKELEVEL
release=$(make -s -C "$kdir" kernelrelease)
out=$top/build/packages/$release
mkdir -p "$out/debs" "$out/tarball"
exec 9> "$out/.lock"
flock 9

# get_debs: download dkms and missing dependencies to debs, and unpack dkms to tools
get_debs() {
	local p names=()

	for p in dkms lsb-release patch; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$p" 2> /dev/null)" = installed ] ||
			names+=("$p")
	done
	rm -f "$out/debs/"*.deb
	[ ${#names[@]} = 0 ] || (cd "$out/debs" && apt-get download -qq "${names[@]}")
	rm -rf "$out/tools"
	mkdir "$out/tools"
	for p in "$out/debs/"*.deb; do
		[ ! -e "$p" ] || dpkg-deb -x "$p" "$out/tools"
	done
}

# version_of old|new: print the version of the packages
version_of() {
	dpkg-deb -f "$out/$1/"mlx5-frwr-dkms_*.deb Version
}

# in_tools COMMAND...: run a command with the programs of the package dkms, as root, which dkms
# needs
in_tools() {
	local userns=()

	[ "$(id -u)" = 0 ] || userns=(unshare --user --map-root-user)
	"${userns[@]}" env PATH="$out/tools/usr/sbin:$out/tools/usr/bin:$PATH:/usr/sbin:/sbin" "$@"
}

# dkms_build old|new: build the modules of the package for the kernel of the VM
dkms_build() {
	local version tree=$out/tree where

	version=$(version_of "$1")
	rm -rf "$tree" "$out/src"
	mkdir "$tree" "$out/src"
	dpkg-deb -x "$out/$1/"mlx5-frwr-dkms_*.deb "$out/src"
	where=(-m mlx5-frwr -v "$version" -k "$release" -a x86_64 --kernelsourcedir "$kdir"
		--dkmstree "$tree" --sourcetree "$out/src/usr/src")
	in_tools dkms add -m mlx5-frwr -v "$version" --dkmstree "$tree" \
		--sourcetree "$out/src/usr/src"
	in_tools dkms build "${where[@]}" || {
		cat "$tree/mlx5-frwr/$version/build/make.log"
		return 1
	}
	# dkms compresses modules if the host has a kernel with compressed modules. In the VM no
	# module is compressed, and dkms would not find the compressed modules
	find "$tree" -name '*.ko.xz' -exec unxz {} +
	in_tools dkms mktarball "${where[@]}" --binaries-only \
		--archive "$out/tarball/$version.dkms.tar.gz"
}

# build_ulp: build first_ulp in an empty directory, with only the package of the headers and the
# Module.symvers of DKMS. The package is not installed on the host: its directory replaces
# /usr/include.
build_ulp() {
	local version symvers

	version=$(version_of new)
	rm -rf "${out:?}/ulp" "${out:?}/headers"
	mkdir "$out/headers"
	dpkg-deb -x "$out/new/"mlx5-frwr-dev_*.deb "$out/headers"
	cp -r "$out/headers/usr/share/doc/mlx5-frwr-dev/examples/first_ulp" "$out/ulp"
	sed -i "s,/usr/include/mlx5-frwr,$out/headers&," "$out/ulp/Kbuild"
	symvers=$out/tree/mlx5-frwr/$version/$release/x86_64/Module.symvers
	if ! make -C "$kdir" M="$out/ulp" MLX5_FRWR_SYMVERS="$symvers" W=1 modules \
		> "$out/ulp/log" 2>&1 || grep -qi warning "$out/ulp/log"; then
		cat "$out/ulp/log"
		return 1
	fi
}

get_debs
for which in ${ONLY:-old new}; do
	version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' "$top/dkms.conf")
	[ "$which" = new ] || version=0.$version
	"$top/tools/testing/stages/deb.sh" --version "$version" "$out/$which"
	dkms_build "$which"
done
[ -n "${ONLY:-}" ] || build_ulp
