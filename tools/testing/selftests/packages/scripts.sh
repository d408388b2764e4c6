#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The maintainer scripts of the packages (debian/*.prerm, postinst, postrm), without dpkg, devices
# and a VM. In the mount namespace of this script, /sys/module is a directory; ibx-claim, modprobe
# and ischroot are stubs. Prints KTAP; a case of the selftest "packages" runs this script.
set -eu

if [ -z "${SCRIPTS_INSIDE:-}" ]; then
	userns=()
	[ "$(id -u)" = 0 ] || userns=(--user --map-root-user)
	exec env SCRIPTS_INSIDE=1 unshare "${userns[@]}" --mount "$0"
fi
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"

PARAM=/sys/module/mlx5_ibx/parameters/claim
LIST=/run/mlx5-frwr.claim
CONF=/etc/modprobe.d/mlx5_ibx.conf
ONE=0000:3b:00.0
TWO=0000:3b:00.1
STUBS=/run/stubs

stub() {
	cat > "$STUBS/$1"
	chmod +x "$STUBS/$1"
}

# make_stubs: create the stubs, which write their calls to $STUBS/calls
make_stubs() {
	mkdir "$STUBS"
	stub ibx-claim <<- 'END'
		#!/bin/bash
		param=/sys/module/mlx5_ibx/parameters/claim
		list=$(cat $param)
		case $1 in
		status)
			echo "claim=$list"
			echo "FUNCTION DRIVER CLAIMED DEVICE NETDEV USED BY"
			for fn in 0000:3b:00.0 0000:3b:00.1; do
				case ,$list, in
				*,$fn,* | ,all,) echo "$fn mlx5_ibx yes mlx5_0 eth0 -" ;;
				*) echo "$fn mlx5_ib no mlx5_0 eth0 -" ;;
				esac
			done
			;;
		give)
			echo "give $2" >> /run/stubs/calls
			! grep -qsx "$2" /run/stubs/busy || exit 1
			[ "$list" != all ] || list=0000:3b:00.0,0000:3b:00.1
			tr , '\n' <<< "$list" | grep -vx "$2" | paste -sd, > $param
			;;
		esac
	END
	stub modprobe <<- 'END'
		#!/bin/sh
		echo "modprobe $*" >> /run/stubs/calls
		if [ "$1" = -r ]; then
			[ ! -e "/run/stubs/pinned.$2" ] || exit 1
			rm -r "/sys/module/$2"
		fi
	END
	stub ischroot <<- 'END'
		#!/bin/sh
		[ -e /run/stubs/chroot ]
	END
}

# begin [LIST]: create stubs, and pretend that both modules are loaded and mlx5_ibx has this list
begin() {
	export PATH=$STUBS:$PATH
	rm -rf "$STUBS" "$LIST" /sys/module/*
	make_stubs
	mkdir -p "${PARAM%/*}" /sys/module/ib_frwr
	echo "${1:-}" > "$PARAM"
}

# script SCRIPT ARGUMENT...: run a maintainer script like dpkg does
script() {
	local name=$1

	shift
	: > "$STUBS/calls"
	sh "$TOP/debian/$name" "$@"
}

want_calls() {
	want_eq "calls" "$(cat "$STUBS/calls")" "$(printf '%s\n' "$@")"
}

removal_hands_back() {
	begin "$ONE,$TWO"
	script mlx5-frwr-dkms.prerm remove
	want_calls "modprobe -q mlx5_ib" "give $ONE" "give $TWO" "modprobe -r mlx5_ibx" \
		"modprobe -r ib_frwr"
	want_eq "modules" "$(ls /sys/module)" ""
	[ ! -e "$LIST" ] || fail "there is a list for postinst"
	begin all
	script mlx5-frwr-dkms.prerm remove
	want_eq "modules" "$(ls /sys/module)" ""
}

removal_in_use_fails() {
	begin "$ONE,$TWO"
	echo "$TWO" > "$STUBS/busy"
	expect_fail script mlx5-frwr-dkms.prerm remove
	grep -q "not removed while" "$WORK/expect_fail"
	want_eq "claim" "$(cat "$PARAM")" "$ONE,$TWO"
	# mlx5_ibx is in use by a module that uses its symbols
	begin all
	: > "$STUBS/pinned.mlx5_ibx"
	expect_fail script mlx5-frwr-dkms.prerm remove
	want_eq "claim" "$(cat "$PARAM")" all
}

# Case: the package can be removed while ib_frwr is in use on devices of other drivers
ib_frwr_in_use() {
	begin "$ONE"
	: > "$STUBS/pinned.ib_frwr"
	script mlx5-frwr-dkms.prerm remove 2>&1 | grep "ib_frwr is in use"
	want_eq "modules" "$(ls /sys/module)" ib_frwr
}

upgrade_claims_again() {
	begin "$ONE,$TWO"
	script mlx5-frwr-dkms.prerm upgrade 1
	want_eq "list" "$(cat "$LIST")" "$ONE,$TWO"
	want_eq "modules" "$(ls /sys/module)" ""
	script mlx5-frwr-dkms.postinst configure 1
	want_calls "modprobe mlx5_ibx claim=$ONE,$TWO"
	[ ! -e "$LIST" ] || fail "the list is left"
	# mlx5_ibx is loaded, and its list is empty
	begin
	script mlx5-frwr-dkms.prerm upgrade 1
	script mlx5-frwr-dkms.postinst abort-upgrade 1
	want_calls "modprobe mlx5_ibx claim="
}

upgrade_in_use_changes_nothing() {
	begin "$ONE,$TWO"
	echo "$TWO" > "$STUBS/busy"
	script mlx5-frwr-dkms.prerm upgrade 1 2>&1 | grep "mlx5_ibx is in use"
	want_eq "claim" "$(cat "$PARAM")" "$ONE,$TWO"
	want_eq "modules" "$(cd /sys/module && echo *)" "ib_frwr mlx5_ibx"
	script mlx5-frwr-dkms.postinst configure 1
	want_calls ""
}

not_loaded() {
	begin
	rm -r /sys/module/*
	script mlx5-frwr-dkms.prerm upgrade 1
	want_calls ""
	script mlx5-frwr-dkms.postinst configure 1
	want_calls ""
	script mlx5-frwr-dkms.prerm remove
	want_calls ""
}

chroot_is_left_alone() {
	begin "$ONE"
	: > "$STUBS/chroot"
	script mlx5-frwr-dkms.prerm remove
	want_calls ""
	want_eq "claim" "$(cat "$PARAM")" "$ONE"
}

# Case: purge removes only the file of "ibx-claim save"
purge() {
	begin "$ONE"
	rm -f "$CONF"
	script mlx5-frwr-tools.postrm purge
	IBX_CLAIM_CONF=$CONF "$TOP/tools/ibx-claim" save
	script mlx5-frwr-tools.postrm remove
	[ -e "$CONF" ] || fail "removed before the purge"
	cp "$CONF" "$WORK/saved"
	script mlx5-frwr-tools.postrm purge
	[ ! -e "$CONF" ] || fail "$CONF is left"
	cp "$WORK/saved" "$CONF"
	echo "options mlx5_ibx other=1" >> "$CONF"
	script mlx5-frwr-tools.postrm purge 2>&1 | grep "it stays"
	ln -sf "$WORK/saved" "$CONF"
	script mlx5-frwr-tools.postrm purge
	[ -L "$CONF" ] || fail "the link is removed"
	rm "$CONF"
	: > "$CONF"
	script mlx5-frwr-tools.postrm purge
	[ -e "$CONF" ] || fail "an empty file is removed"
}

mount -t tmpfs tmpfs /sys/module
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /etc/modprobe.d
ktap_run removal_hands_back removal_in_use_fails ib_frwr_in_use upgrade_claims_again \
	upgrade_in_use_changes_nothing not_loaded chroot_is_left_alone purge
