#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# rdma-core's own tests of encryption on devices that want DEKs wrapped: logins, and DEKs wrapped
# with the import KEK of the simulated device. pyverbs-stock has the cases with DEKs in plaintext.
#
# Not test_mlx5_crypto_signature_mkey, which fails: it sends 512 bytes with a CRC32 behind them on
# the wire, and receives 512. U-98 has the other view of the byte count that it supports.
set -eu
# shellcheck source=../../lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
# shellcheck source=../../lib/modules.sh
. "$(dirname "$0")/../../lib/modules.sh"
# shellcheck source=../../lib/pyverbs.sh
. "$(dirname "$0")/../../lib/pyverbs.sh"

HERE=$(cd "$(dirname "$0")" && pwd)
WRAPPED=crypto.wrapped_import_method=4,crypto.wrapped_crypto_operational=1

unpack() {
	sim_reload "caps=$WRAPPED"
	modprobe algif_skcipher
	"$HERE/../pyverbs-stock/crypto_info.py" > "$WORK/crypto_info"
	export MLX5_CRYPTO_TEST_INFO=$WORK/crypto_info
	pv_begin test_mlx5_crypto test_mlx5_mkey
}

first_user() { pv_first_user test_mlx5_mkey.test_mkey_list; }

# run_case CASE
run_case() {
	local status=0

	ends
	clear_violations
	pv_one "test_mlx5_crypto.$1" || status=$?
	no_violations
	return "$status"
}

# what the tests after this one in the VM expect
caps_again() {
	sim_reload
}

cases=
for name in $(pv_cases test_mlx5_crypto | sed '/^test_mlx5_crypto_signature_mkey$/d'); do
	eval "$name() { run_case $name; }"
	cases="$cases $name"
done
# shellcheck disable=SC2086
ktap_run unpack first_user $cases pv_end no_objects_left no_violations caps_again
