#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The Debian packages of "make deb", which dpkg installs in the root of the VM. The modules that
# DKMS has built for this kernel are loaded and pass the selftest probe. A ULP that was built with
# the headers finds their symbols. An upgrade returns claimed functions, loads the new modules and
# claims the functions again; functions in use keep their driver. Removal leaves no file.
#
# DKMS built the modules on the host, from the sources in the packages (prepare.sh).
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"

RELEASE=$(uname -r)
BUILT=$TOP/build/packages/$RELEASE
TARBALLS=/usr/share/mlx5-frwr-dkms
PARAM=/sys/module/mlx5_ibx/parameters/claim
CONF=/etc/modprobe.d/mlx5_ibx.conf
export DEBIAN_FRONTEND=noninteractive

FIRST=$(sim_pcis | sed -n 1p)
SECOND=$(sim_pcis | sed -n 2p)

want_driver() {
	want_eq "driver of $1" "$(driver_of_pci "$1")" "$2"
}

version_of() {
	dpkg-deb -f "$BUILT/$1/"mlx5-frwr-dkms_*.deb Version
}

# install_version old|new: install the packages of a version
install_version() {
	local version

	version=$(version_of "$1")
	mkdir -p "$TARBALLS"
	cp "$BUILT/tarball/$version.dkms.tar.gz" "$TARBALLS/mlx5-frwr-$version.dkms.tar.gz"
	dpkg --no-triggers -i "$BUILT/$1/"*.deb
}

# files: print the files of packages and of DKMS, without files of dpkg and depmod
files() {
	find /etc /usr/include /usr/sbin /usr/share/bash-completion /usr/share/doc /usr/share/man \
		"/lib/modules/$RELEASE/" -path "*/$RELEASE/modules.*" -prune -o -print
	find /usr/src -maxdepth 1
	find /var/lib/dkms -not -name 'mok.*'
}

# want_modules VERSION: modprobe finds the modules of DKMS, for this version
want_modules() {
	local name path

	for name in ib_frwr mlx5_ibx; do
		path=$(modinfo -n "$name")
		want_eq "directory of $name" "${path%/*}" "/lib/modules/$RELEASE/updates/dkms"
		cmp "$path" "/var/lib/dkms/mlx5-frwr/$1/$RELEASE/x86_64/module/${path##*/}"
	done
	[[ $(dkms status -m mlx5-frwr) = *"$1, $RELEASE, x86_64: installed"* ]] ||
		fail "DKMS: $(dkms status -m mlx5-frwr)"
	want_eq "versions" "$(dkms status -m mlx5-frwr | wc -l)" 1
}

# ---- cases, in this order ----

# Case: the cases of scripts.sh, with stubs for the programs that the maintainer scripts call
maintainer_scripts() {
	"$(dirname "$0")/scripts.sh"
}

# Case: install the old version. First delete the modules of the tree that the VM has.
installs() {
	find "/lib/modules/$RELEASE/" \( -name ib_frwr.ko -o -name mlx5_ibx.ko \) -delete
	dpkg --no-triggers -i "$BUILT/debs/"*.deb
	files | sort > "$WORK/before"
	install_version old
	want_modules "$(version_of old)"
	[ -e "/var/lib/dkms/mlx5-frwr/kernel-$RELEASE-x86_64/Module.symvers" ] ||
		fail "DKMS has not kept Module.symvers"
	! loaded mlx5_ibx || fail "mlx5_ibx was loaded"
}

loads_and_probes() {
	PROVIDER=mlx5_ibx "$TOP/tools/testing/selftests/probe/test.sh"
}

# Case: from now on, mlx5_ibx claims only the functions that a case claims, like on a real machine.
claims() {
	unload_all
	sed -i /mlx5_ibx/d /run/modprobe.d/vm.conf
	vm_load mlx5sim
	vm_load mlx5_core
	modprobe mlx5_ib
	modprobe mlx5_ibx
	ibx-claim take "$FIRST"
	want_driver "$FIRST" mlx5_ibx
	want_driver "$SECOND" mlx5_ib
	ibx-claim save
}

# Case: the installed tools find their common Python module (ibx_svg.py).
draws() {
	local line

	line="mkey 0x1a05 pd 5 state valid mode klm access r-R-- start 0x0 length 700 entries 4"
	printf '%s\n' "$line" '  key 0x1900 address 0x1000 bytes 700' > "$WORK/mkeys"
	ibx-mkey --read "$WORK/mkeys" --svg "$WORK/mkeys.svg"
	ibx-trace --read "$TOP/tools/testing/selftests/ibxtrace/read.trace" \
		--svg "$WORK/life.svg"
	"$TESTLIB/svg_texts.py" "$WORK/mkeys.svg"
	"$TESTLIB/svg_texts.py" "$WORK/life.svg"
}

# Case: upgrade while a process has the device open: the old modules stay loaded, with the list.
upgrade_in_use() {
	local dev pid text

	dev=$(basename "/sys/bus/pci/devices/$FIRST/infiniband/"*)
	ibv_rc_pingpong -d "$dev" -g 0 > "$WORK/pingpong" 2>&1 &
	pid=$!
	wait_for 20 in_use || fail "not in use: $(ibx-claim status; cat "$WORK/pingpong")"
	text=$(cat /sys/module/mlx5_ibx/sections/.text)
	install_version new 2>&1 | tee "$WORK/said"
	grep -q "mlx5_ibx is in use" "$WORK/said" || fail "dpkg does not say so"
	want_modules "$(version_of new)"
	want_eq "claim" "$(cat "$PARAM")" "$FIRST"
	want_driver "$FIRST" mlx5_ibx
	want_eq "address of the module" "$(cat /sys/module/mlx5_ibx/sections/.text)" "$text"
	# and the package cannot be removed
	expect_fail dpkg --no-triggers -r mlx5-frwr-dkms
	grep -q "not removed while a function or mlx5_ibx is in use" "$WORK/expect_fail" ||
		fail "$(cat "$WORK/expect_fail")"
	want_driver "$FIRST" mlx5_ibx
	want_modules "$(version_of new)"
	kill "$pid"
	wait "$pid" || true
}

in_use() {
	prints "^$FIRST .*ibv_rc_pingpong" ibx-claim status
}

# Case: upgrade to the old version, because the new one is installed. Idle functions are returned,
# the other modules are loaded, and the functions are claimed again.
upgrade() {
	dmesg -C
	install_version old 2>&1 | tee "$WORK/said"
	grep -qF "$FIRST: driver mlx5_ib," "$WORK/said" || fail "the function was not returned"
	want_modules "$(version_of old)"
	want_eq "claim" "$(cat "$PARAM")" "$FIRST"
	want_driver "$FIRST" mlx5_ibx
	want_driver "$SECOND" mlx5_ib
	[ ! -e /run/mlx5-frwr.claim ] || fail "the list is left in /run"
	install_version new
	want_modules "$(version_of new)"
	want_driver "$FIRST" mlx5_ibx
	no_violations
}

# Case: the ULP can be loaded; the kernel compares the CRCs of symbols.
ulp_finds_symbols() {
	modprobe rdma_cm
	insmod "$BUILT/ulp/first_ulp_peer.ko"
	rmmod first_ulp_peer
	prints ib_frwr modinfo -F depends "$BUILT/ulp/first_ulp.ko" ||
		fail "first_ulp does not use ib_frwr"
}

removes() {
	dpkg --no-triggers -r mlx5-frwr-dkms 2>&1 | tee "$WORK/said"
	grep -qF "$FIRST: driver mlx5_ib," "$WORK/said" || fail "the function was not returned"
	want_driver "$FIRST" mlx5_ib
	want_driver "$SECOND" mlx5_ib
	! loaded mlx5_ibx || fail "mlx5_ibx is loaded"
	! loaded ib_frwr || fail "ib_frwr is loaded"
	expect_fail modinfo -n mlx5_ibx
	[ -e "$CONF" ] || fail "$CONF is removed before the purge"
	no_violations
}

no_file_is_left() {
	rm -r "$TARBALLS"
	dpkg --no-triggers -P mlx5-frwr-dkms mlx5-frwr-tools mlx5-frwr-dev
	files | sort | diff "$WORK/before" - || fail "other files than before"
}

ktap_run maintainer_scripts installs loads_and_probes claims draws upgrade_in_use upgrade \
	ulp_finds_symbols removes no_file_is_left
