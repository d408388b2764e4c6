#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Encryption of <rdma/mlx5dv_crypto.h>: combinations of data units, key sizes, directions,
# operations and layouts, compared with the kernel's xts(aes); each order of signatures and
# encryption, compared with software; keys of the block layer; refused calls; devices without some
# capabilities; wrapped DEKs with their logins; and searches for key material in logs and debugfs.
# The cases whose names end with "_local" cause violations.
set -eu
# shellcheck source=../../runner/lib/suites.sh
. "$(dirname "$0")/../../runner/lib/suites.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"

TRACEFS=/sys/kernel/tracing
# capabilities of devices that require wrapped DEKs
WRAPPED=crypto.wrapped_import_method=4,crypto.wrapped_crypto_operational=1
# the first bytes of every key: CRYPTO_KEY_HEAD of mlx5dv_test/crypto.h
KEY="c0 de 5e c2 e7 4b 1d 0f"

# The cases use every EVERYth of 480 combinations, and every BOTH_EVERYth of 1,200 combinations with
# signatures: all combinations take minutes. The number of values of a parameter must not be a
# multiple of the step: otherwise some values would never be used.
EVERY=3
BOTH_EVERY=7
if [ "${FULL:-}" = 1 ] && [ "$SLOWER" = 1 ]; then
	EVERY=1
	BOTH_EVERY=1
fi

crypto_product() {
	ends
	ibx_test crypto_product
	sed 's/^/# /' "$IBX_TEST/log"
	want_eq "data units were counted" "$(sim_units)" 1
}

# sim_units: print 1 if the devices have encrypted or decrypted a data unit, else 0
sim_units() {
	cat "$SIM_DEBUGFS/"*:*/counters |
		awk '$1 == "crypto_units" { n += $2 } END { print (n > 0) }'
}

both_product() {
	ends
	ibx_test both_product
	sed 's/^/# /' "$IBX_TEST/log"
}

crypto_keytag_local() { own_fault crypto_keytag_local crypto_dek; }
crypto_length_local() { own_fault crypto_length_local mkey_range; }
crypto_ragged_local() { own_fault crypto_ragged_local mkey_range; }
crypto_ragged_owner_local() { own_fault crypto_ragged_owner_local mkey_range; }
both_length_local() { own_fault both_length_local mkey_range; }

# key_forms: print a pattern of the key in hex: bytes with and without separators, and words of 32
# bits in both byte orders
key_forms() {
	echo "$KEY|${KEY// /}|${KEY// /:}|c0de5ec2.*e74b1d0f|c25edec0.*0f1d4be7"
}

# keys_in FILE...: does a file contain the key, in hex or binary?
keys_in() {
	grep -qiaE "$(key_forms)" "$@" || LC_ALL=C grep -qaP '\xc0\xde\x5e\xc2\xe7\x4b\x1d\x0f' "$@"
}

# Case: the key is not in the traces of both modules, the kernel log and debugfs while a DEK is
# created, used and queried. The search must find the key in a file that contains it.
no_key_material() {
	local dev

	ends
	echo 1 > "$TRACEFS/events/mlx5_ibx/enable"
	for dev in "$SIM_DEBUGFS/"*:*; do
		echo 1 > "$dev/trace_on"
	done
	ibx_test crypto_again
	ibx_test crypto_query_dek
	cat "$TRACEFS/trace" > "$WORK/trace"
	cat "$SIM_DEBUGFS/"*:*/trace > "$WORK/sim_trace"
	for dev in "$SIM_DEBUGFS/"*:*; do
		echo 0 > "$dev/trace_on"
	done
	echo 0 > "$TRACEFS/events/mlx5_ibx/enable"
	grep -q CREATE_GENERAL_OBJECT "$WORK/sim_trace" || fail "no DEK in the simulator's trace"
	grep -q CREATE_GENERAL_OBJECT "$WORK/trace" || fail "no DEK in the trace"
	dmesg > "$WORK/dmesg"
	cat "$SIM_DEBUGFS/"*:*/mkeys "$SIM_DEBUGFS/"*:*/objects > "$WORK/debugfs"
	! keys_in "$WORK/trace" "$WORK/sim_trace" "$WORK/dmesg" "$WORK/debugfs" ||
		fail "a key is readable"
	echo "cmd in ${KEY// /}" > "$WORK/hex"
	keys_in "$WORK/hex" || fail "a key in hex is not found"
	printf 'x\xc0\xde\x5e\xc2\xe7\x4b\x1d\x0fx' > "$WORK/raw"
	keys_in "$WORK/raw" || fail "a key is not found"
}

crypto_caps_none() {
	with_caps crypto_caps_none general.crypto=0
}

crypto_caps_no_sho() {
	with_caps crypto_caps_no_sho general.sho=0
}

crypto_caps_single() {
	with_caps crypto_caps_single general.aes_xts_multi_block_be_tweak=0
}

crypto_caps_single_both() {
	with_caps crypto_caps_single_both general.aes_xts_multi_block_be_tweak=0
}

crypto_caps_wrapped() {
	with_caps crypto_caps_wrapped \
		"$WRAPPED,general.general_obj_types_crypto_login=0"
}

# Case: create devices that require wrapped DEKs, for the next cases
wrapped_devices() {
	stop_suites
	sim_reload "caps=$WRAPPED"
	start_suites
}

# Case: the crypto officer deletes the credential while a login exists
login_deleted() {
	local dir status=0

	ends
	dir=$SIM_DEBUGFS/$(ib_pci "$IB_A")
	ibx_test login_deleted &
	wait_for 20 grep -qx "dek 1" "$dir/objects" || fail "no wrapped DEK"
	echo 0 > "$dir/officer"
	wait $! || status=$?
	echo 1 > "$dir/officer"
	want_eq "credentials" "$(cat "$dir/officer")" 1
	return "$status"
}

# Case: after login_deleted, logins can be created again
login_again() {
	ends
	ibx_test login_wrapped
}

open_suites "crypto_every=$EVERY" "both_every=$BOTH_EVERY"
caps='' logins=''
for c in $pair_cases; do
	case $c in
	crypto_caps_all) ;;
	crypto_caps_*)
		pair_cases=${pair_cases/ $c/}
		caps="$caps $c"
		;;
	login_*)
		pair_cases=${pair_cases/ $c/}
		logins="$logins $c"
		;;
	esac
done
# shellcheck disable=SC2086
ktap_run load_suites $pair_cases no_key_material no_violations unload_suites no_violations \
	$caps wrapped_devices $logins login_again no_violations caps_again
