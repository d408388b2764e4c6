#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Encryption on unmodified libmlx5, on mlx5_ibx and on stock mlx5_ib. First, the tests of rdma-core
# with DEKs in plaintext, and files that the device and dm-crypt encrypt with the same result. Then,
# on devices that require wrapped DEKs, the tests of rdma-core with logins and with DEKs that are
# wrapped by the import KEK of the simulated device. No case causes a violation, is skipped, or
# leaves an object.
#
# test_mlx5_crypto_signature_mkey works because the device counts bytes on the wire (U-98):
# otherwise its SEND would be longer than its receive.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"
# shellcheck source=../../runner/lib/pyverbs.sh
. "$(dirname "$0")/../../runner/lib/pyverbs.sh"

HERE=$(cd "$(dirname "$0")" && pwd)
WRAPPED=crypto.wrapped_import_method=4,crypto.wrapped_crypto_operational=1
SIZE=65536

begin() {
	export MLX5_CRYPTO_TEST_INFO=$WORK/crypto_info DM_CRYPT=$WORK/dm
	pv_begin test_mlx5_crypto test_mlx5_mkey test_dm_crypt
}

unpack() {
	modprobe algif_skcipher
	"$HERE/crypto_info.py" > "$WORK/crypto_info"
	mkdir "$WORK/dm"
	head -c 64 /dev/urandom > "$WORK/dm/key"
	head -c "$SIZE" /dev/urandom > "$WORK/dm/plain"
	begin
}

first_user() { pv_first_user test_mlx5_mkey.test_mkey_list; }

# run_case MODULE.CASE: run a case, which must pass without a violation
run_case() {
	ends
	clear_violations
	pv_one "$1" || fail "outcome $?"
	no_violations
}

# with_dm FILE SECTOR FIRST COMMAND...: run a command while dm-crypt decrypts the file to
# /dev/mapper/plain, in sectors of SECTOR bytes; the tweak of the first sector is FIRST
with_dm() {
	local loop status=0
	local -a tweaks=()

	# without this option, tweaks count sectors of 512 bytes
	[ "$2" = 512 ] || tweaks=(--iv-large-sectors)
	loop=$(losetup --show -f "$1")
	cryptsetup open --type plain --cipher aes-xts-plain64 --key-size 512 \
		--key-file "$WORK/dm/key" --sector-size "$2" "${tweaks[@]}" \
		--skip $(($3 * $2 / 512)) "$loop" plain || fail "cryptsetup"
	"${@:4}" || status=$?
	cryptsetup close plain || fail "cryptsetup close"
	losetup -d "$loop"
	return "$status"
}

as_plain() {
	cmp -s "$WORK/dm/plain" /dev/mapper/plain
}

store() {
	dd if="$WORK/dm/plain" of=/dev/mapper/plain bs="$SIZE" conv=fsync 2> /dev/null
}

# dm_crypt SECTOR FIRST: dm-crypt decrypts data that the device has encrypted, and vice versa. With
# another tweak, the result must differ.
dm_crypt() {
	export DM_DISABLE_UDEV=1
	modprobe loop
	modprobe dm_crypt
	echo "$2" > "$WORK/dm/tweak"
	truncate -s "$SIZE" "$WORK/dm/stored"
	with_dm "$WORK/dm/stored" "$1" "$2" store || fail "cannot write through dm-crypt"
	! cmp -s "$WORK/dm/plain" "$WORK/dm/stored" || fail "stored in plaintext"
	run_case "test_dm_crypt.test_dm_crypt_$1"
	cmp "$WORK/dm/plain" "$WORK/dm/stored.sent"
	cmp "$WORK/dm/stored" "$WORK/dm/plain.sent"
	with_dm "$WORK/dm/plain.sent" "$1" "$2" as_plain || fail "dm-crypt finds another plaintext"
	! with_dm "$WORK/dm/plain.sent" "$1" "$(($2 + 1))" as_plain || fail "any tweak will do"
}

dm_crypt_512() { dm_crypt 512 1234567; }

# Case: the tweaks of the file begin below 2^32 and end above
dm_crypt_4096() { dm_crypt 4096 $((0xfffffff8)); }

# Case: create devices that require wrapped DEKs, and start a new process for the cases
wrapped_devices() {
	sim_reload "caps=$WRAPPED"
	rm -r "$WORK/tests" "$WORK/ask" "$WORK/answer"
	begin
}

# Case: create the devices that later tests in the VM expect
caps_again() {
	sim_reload
}

plain='' wrapped=''
for name in $(pv_cases test_mlx5_crypto); do
	eval "$name() { run_case test_mlx5_crypto.$name; }"
	case $name in
	*plaintext*) plain="$plain $name" ;;
	*) wrapped="$wrapped $name" ;;
	esac
done
# shellcheck disable=SC2086
ktap_run unpack first_user $plain dm_crypt_512 dm_crypt_4096 pv_end no_objects_left \
	wrapped_devices first_user $wrapped pv_end no_objects_left no_violations caps_again
