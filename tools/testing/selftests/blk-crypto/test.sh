#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Inline encryption of the block layer over RDMA, samples/crypto_disk.c: bios with keys, whose data
# is compared with the kernel's cipher; added and evicted keys; refused requests; a file system
# whose files the device encrypts (fscrypt); and devices that cannot encrypt. Needs a kernel with
# CONFIG_BLK_INLINE_ENCRYPTION.
set -eu
DV_TEST=blk_crypto_test
# shellcheck source=../../runner/lib/suites.sh
. "$(dirname "$0")/../../runner/lib/suites.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"

HERE=$(cd "$(dirname "$0")" && pwd)
DISK=/dev/cryptdisk
QUEUE=/sys/block/cryptdisk/queue/crypto
HOLD=/sys/module/blk_crypto_test/parameters/hold
SECRET="plaintext of files with a key"
CLEAR="plaintext of a file without a key"

# The device refuses to create a DEK.
disk_no_dek() {
	ends
	refusing "$IB_A" CREATE_GENERAL_OBJECT 1 disk_no_dek
}

# hold_disk: create $DISK, which exists until the end of the case
hold_disk() {
	ends
	echo Y > "$HOLD"
	ibx_test disk_hold &
	HOLDER=$!
	trap release_disk EXIT
	wait_for 20 test -b "$DISK" || fail "no $DISK"
}

release_disk() {
	! mountpoint -q "$WORK/mnt" || umount "$WORK/mnt"
	echo N > "$HOLD"
	wait "$HOLDER" || exit 1
}

# Case: the attributes of the disk in the block layer
attributes() {
	hold_disk
	want_eq "keyslots" "$(cat "$QUEUE/num_keyslots")" 4
	want_eq "bits of DUNs" "$(cat "$QUEUE/max_dun_bits")" 128
	want_eq "modes" "$(ls "$QUEUE/modes")" AES-256-XTS
	want_eq "data units" "$(cat "$QUEUE/modes/AES-256-XTS")" 0x1200
}

# mounted COMMAND...: run a command while the file system of $DISK is mounted at $WORK/mnt and has
# the key; $OPTIONS are mount options
mounted() {
	mount -t ext4 -o "$OPTIONS" "$DISK" "$WORK/mnt"
	"$HERE/fscrypt.py" key "$WORK/mnt"
	"$@"
	umount "$WORK/mnt"
}

# Create a directory with data units of 512 bytes, a directory whose DUNs have the inode number in
# the upper half, and files in both.
make_directories() {
	mkdir "$WORK/mnt/units" "$WORK/mnt/inodes"
	"$HERE/fscrypt.py" policy "$WORK/mnt/units" 0 9
	"$HERE/fscrypt.py" policy "$WORK/mnt/inodes" 8 0
	cp "$WORK/clear" "$WORK/mnt/clear"
	write_files device
}

# write_files NAME, read_files NAME: write, or read and compare, the files NAME of both directories
write_files() {
	cp "$WORK/secret" "$WORK/mnt/units/$1"
	cp "$WORK/secret" "$WORK/mnt/inodes/$1"
}

read_files() {
	cmp "$WORK/secret" "$WORK/mnt/units/$1"
	cmp "$WORK/secret" "$WORK/mnt/inodes/$1"
}

both_ways() {
	read_files device
	write_files software
}

# files_encrypted: has the device encrypted or decrypted since the last call?
files_encrypted() {
	local units last

	units=$(sim_sum crypto_units)
	last=$(cat "$WORK/units")
	echo "$units" > "$WORK/units"
	[ "$units" -gt "$last" ]
}

# The device encrypts files that the software of fscrypt decrypts, and vice versa. The memory of the
# peer contains the plaintext of a file without a key, but not the plaintext of these files.
file_system() {
	hold_disk
	mkdir "$WORK/mnt"
	yes "$SECRET" | head -c 100000 > "$WORK/secret" || :
	echo "$CLEAR" > "$WORK/clear"
	mkfs.ext4 -q -b 4096 -N 64 -O '^has_journal,encrypt,stable_inodes' "$DISK"
	sim_sum crypto_units > "$WORK/units"

	OPTIONS=inlinecrypt mounted make_directories
	files_encrypted || fail "the device encrypted no file"
	prints 'fscrypt: AES-256-XTS using blk-crypto (native)' dmesg || fail "no blk-crypto"

	OPTIONS=defaults mounted both_ways
	! files_encrypted || fail "the device encrypts files of a mount without inlinecrypt"

	OPTIONS=inlinecrypt mounted read_files software
	files_encrypted || fail "the device decrypted no file"

	grep -qaF "$CLEAR" "$DISK" || fail "plaintext is not found"
	! grep -qaF "$SECRET" "$DISK" || fail "the peer has plaintext"
}

disk_caps_none() {
	with_caps disk_caps_none general.crypto=0
}

disk_caps_single() {
	with_caps disk_caps_single general.aes_xts_multi_block_be_tweak=0
}

disk_caps_wrapped() {
	with_caps disk_caps_wrapped \
		crypto.wrapped_import_method=4,crypto.wrapped_crypto_operational=1
}

open_suites
caps=
for c in $pair_cases; do
	case $c in
	disk_hold)
		pair_cases=${pair_cases/ $c/}
		;;
	disk_caps_*)
		pair_cases=${pair_cases/ $c/}
		caps="$caps $c"
		;;
	esac
done
# shellcheck disable=SC2086
ktap_run load_suites $pair_cases attributes file_system no_violations unload_suites no_violations \
	$caps caps_again
