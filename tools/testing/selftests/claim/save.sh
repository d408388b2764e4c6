#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The file that "ibx-claim save" writes. If the name belongs to a file that save has not written,
# save neither changes nor removes it. Needs neither mlx5_ibx nor a VM: the list of claimed
# functions is a file in a tmpfs over /sys/module.
# Prints KTAP; a case of the selftest "claim" runs this script. CLAIM= in the environment is the
# path of another ibx-claim to be tested.
set -eu

# run this script again in a separate mount namespace
if [ -z "${SAVE_INSIDE:-}" ]; then
	userns=()
	[ "$(id -u)" = 0 ] || userns=(--user --map-root-user)
	exec env SAVE_INSIDE=1 unshare "${userns[@]}" --mount "$0"
fi
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"

CLAIM=${CLAIM:-$TOP/tools/ibx-claim}
LIST=0000:3b:00.0,0000:3b:00.1

PARAM=/sys/module/mlx5_ibx/parameters/claim

# begin LIST: create an empty directory modprobe.d, and set the list of mlx5_ibx
begin() {
	echo "$1" > "$PARAM"
	rm -rf "$WORK/conf"
	mkdir "$WORK/conf"
	export IBX_CLAIM_CONF=$WORK/conf/mlx5_ibx.conf
}

listing() {
	ls -l --time-style=full-iso "$WORK/conf"
	find "$WORK/conf" -type f -exec md5sum {} +
}

# refused REGEX: save fails with a message that matches, and does not change the directory
refused() {
	local before

	before=$(listing)
	expect_fail "$CLAIM" save
	cat "$WORK/expect_fail"
	grep -qE "$1" "$WORK/expect_fail" || fail "save did not say '$1'"
	want_eq "the directory" "$(listing)" "$before"
}

# both_refused REGEX: save is refused with a list, and with an empty list
both_refused() {
	refused "$1"
	echo > "$PARAM"
	refused "$1"
}

own_file_is_replaced_and_removed() {
	begin "$LIST"
	"$CLAIM" save
	grep -qx "options mlx5_ibx claim=$LIST" "$IBX_CLAIM_CONF"
	want_eq "lines of softdep" "$(grep -c '^softdep mlx5_' "$IBX_CLAIM_CONF")" 2
	want_eq "mode" "$(stat -c %a "$IBX_CLAIM_CONF")" 644
	echo all > "$PARAM"
	"$CLAIM" save
	grep -qx "options mlx5_ibx claim=all" "$IBX_CLAIM_CONF"
	want_eq "files" "$(ls "$WORK/conf")" mlx5_ibx.conf
	echo > "$PARAM"
	"$CLAIM" save
	want_eq "files" "$(ls "$WORK/conf")" ""
	"$CLAIM" save > "$WORK/said"
	! grep removed "$WORK/said" || fail "there was no file"
}

other_file_stays() {
	begin "$LIST"
	echo "options mlx5_ibx claim=all" > "$IBX_CLAIM_CONF"
	both_refused "is not a file of ibx-claim save"
}

# Case: a file is not a file of save if the marker is not at the beginning of its first line
marker_elsewhere() {
	begin "$LIST"
	printf 'blacklist x\n# Written by "ibx-claim save".\n' > "$IBX_CLAIM_CONF"
	both_refused "is not a file of ibx-claim save"
	begin "$LIST"
	printf 'blacklist x # Written by "ibx-claim save".\n' > "$IBX_CLAIM_CONF"
	both_refused "is not a file of ibx-claim save"
}

empty_file_stays() {
	begin "$LIST"
	: > "$IBX_CLAIM_CONF"
	both_refused "is not a file of ibx-claim save"
}

# Case: a link stays. A link to /dev/null hides a file of that name in /usr/lib/modprobe.d.
link_stays() {
	begin "$LIST"
	ln -s /dev/null "$IBX_CLAIM_CONF"
	both_refused "symbolic link"
	begin "$LIST"
	ln -s "$WORK/nowhere" "$IBX_CLAIM_CONF"
	both_refused "symbolic link"
	[ ! -e "$WORK/nowhere" ] || fail "save has written behind the link"
}

directory_stays() {
	begin "$LIST"
	mkdir "$IBX_CLAIM_CONF"
	both_refused "a directory"
}

edited_file_stays() {
	begin "$LIST"
	"$CLAIM" save
	echo "options mlx5_ibx other=1" >> "$IBX_CLAIM_CONF"
	both_refused "was changed after ibx-claim save"
}

# Case: the old file stays complete if the new file cannot be written
no_space() {
	begin "$LIST"
	mount -t tmpfs -o size=4k,nr_inodes=10 tmpfs "$WORK/conf"
	trap 'umount "$WORK/conf"' EXIT
	"$CLAIM" save
	echo all > "$PARAM"
	refused "cannot write"
	grep -qx "options mlx5_ibx claim=$LIST" "$IBX_CLAIM_CONF"
}

mount -t tmpfs tmpfs /sys/module
mkdir -p "${PARAM%/*}"
ktap_run own_file_is_replaced_and_removed other_file_stays marker_elsewhere empty_file_stays \
	link_stays directory_stays edited_file_stays no_space
