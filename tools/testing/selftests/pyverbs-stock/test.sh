#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# rdma-core's own tests, as Debian packages them (python3-pyverbs, and the files
# in the documentation of rdma-core), on unmodified libmlx5 and stock mlx5_ib: they
# say whether the simulated device is one. Every unittest case of the files below
# is a case here, in a process of its own. None breaks a rule of the device, but
# for those that are about one, and break it as often as they say.
set -eu
# shellcheck source=../../lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"

FILES=/usr/share/doc/rdma-core/tests
HERE=$(cd "$(dirname "$0")" && pwd)
modules="test_mlx5_mkey test_mlx5_raw_wqe test_mlx5_dma_memcpy test_mlx5_dc test_atomic"
modules="$modules test_mlx5_crypto"
own="test_indirect test_dc"	# ours, written like those
more="test_cq test_cq_events test_mr"	# resized CQs, CQs that interrupt, memory windows
xrc="test_cqex test_qpex test_relaxed_ordering"	# their cases with XRC
# CASES: modules to run instead of all of these
if [ -n "${CASES:-}" ]; then
	modules=$CASES own='' more='' xrc=''
fi

# The classes of violations that a case is about, with their number when it is not 1
declare -A breaks=(
	# a SEND of more bytes than the key has
	[test_mlx5_mkey.test_mkey_list_bad_flow]=mkey_range
	# SENDs from memory that was registered again, elsewhere or for another PD
	[test_mr.test_mr_rereg_addr]=mkey_range
	[test_mr.test_mr_rereg_pd]=mkey_pd
	[test_indirect.test_receive_into_free_key]=mkey_lookup
	# the destination of a copy
	[test_mlx5_dma_memcpy.test_dma_memcpy_different_pd_bad_flow]=mkey_pd
	[test_mlx5_dma_memcpy.test_dma_memcpy_protection_bad_flow]=mkey_access
	# SENDs from memory of another PD, on three of ten streams, and on as many as the QP
	# stands; a reset of a stream that is not in error
	[test_mlx5_dc.test_dc_send_stream_bad_flow]="mkey_pd:3 cmd_bad_state"
	[test_mlx5_dc.test_dc_send_stream_bad_flow_qp]=mkey_pd:4
	[test_dc.test_reset_of_a_good_stream]=cmd_bad_state
	[test_atomic.test_atomic_invalid_lkey]=mkey_lookup
	[test_indirect.test_stride_overflows]=umr_entries
	[test_indirect.test_repeat_count_overflows]=umr_entries
)

# source_of MODULE
source_of() {
	if [ -e "$HERE/$1.py" ]; then
		cat "$HERE/$1.py"
	else
		zcat -f "$FILES/$1.py"*
	fi
}

# cases_of MODULE: names of its cases, but for those for memory of the device and of others
cases_of() {
	source_of "$1" | sed -n '/ test_\(create_\)\?dm/d
		s/^    def \(test_[a-z0-9_]*\)(self.*/\1/p'
}

# Everything but the tests themselves, which are many, and what would load them all
unpack() {
	local file name

	ends_up
	mkdir "$WORK/tests"
	for file in "$FILES"/*.py*; do
		name=${file##*/}
		name=${name%.gz}
		case $name in
		__init__.py | test_*) ;;
		*) zcat -f "$file" > "$WORK/tests/$name" ;;
		esac
	done
	for name in $modules $more $xrc $own; do
		source_of "$name" > "$WORK/tests/$name.py"
	done
	modprobe algif_skcipher
	"$HERE/crypto_info.py" > "$WORK/crypto_info"
	export MLX5_CRYPTO_TEST_INFO=$WORK/crypto_info
	mkfifo "$WORK/ask" "$WORK/answer"
	setsid "$HERE/serve.py" "$WORK" "$IB_A" > "$WORK/serve.log" 2>&1 < /dev/null &
}

dismiss() {
	timeout 60 tee "$WORK/ask" <<< '' || fail "$(cat "$WORK/serve.log")"
}

# What mlx5_ib has in its mkey cache for the next user goes back to the device.
empty_mkey_cache() {
	local size

	for size in "/sys/kernel/debug/mlx5/$(ib_pci "$IB_A")/mr_cache/"*/size; do
		echo 0 > "$size"
	done
}

# Live objects but for EQs, which mlx5_core makes when a vector is first used, and keeps
live_objects() {
	empty_mkey_cache
	grep -v '^eq ' "$SIM_DEBUGFS/$(ib_pci "$IB_A")/objects"
}

# one MODULE.CASE: run it, return its status
one() {
	local status

	timeout 60 tee "$WORK/ask" <<< "$1" || fail "not asked: $(cat "$WORK/serve.log")"
	timeout 120 cat "$WORK/answer" > "$WORK/status" ||
		fail "no answer: $(cat "$WORK/serve.log")"
	cat "$WORK/said"
	status=$(cat "$WORK/status")
	return "${status:-1}"
}

# The first user makes mlx5_ib create what it keeps for all.
first_user() {
	ends
	one test_mlx5_mkey.test_mkey_list
	live_objects > "$WORK/objects"
	cat "$WORK/objects"
}

# run_case MODULE.CASE
run_case() {
	local class n classes=${breaks[$1]:-} sum=0 status=0

	ends
	clear_violations
	one "$1" || status=$?
	[ "$status" -ne "$KTAP_SKIP" ] || classes=''
	for class in $classes; do
		n=1
		case $class in
		*:*) n=${class#*:} ;;
		esac
		class=${class%:*}
		want_eq "$class violations" "$(sim_violation_class "$class")" "$n"
		sum=$((sum + n))
	done
	if [ -n "$classes" ]; then
		want_eq "violations" "$(sim_violations)" "$sum"
		clear_violations
	fi
	no_violations
	return "$status"
}

objects_as_before() {
	live_objects | cmp -s "$WORK/objects" -
}

# mlx5_ib keeps the mkeys of MRs that are gone for half a minute, for the next of their size.
no_objects_left() {
	ends
	wait_for 60 objects_as_before || {
		live_objects | diff "$WORK/objects" - || :
		fail "objects are left"
	}
}

cases=
for module in $modules $more $xrc $own; do
	for name in $(cases_of "$module"); do
		[[ " $xrc " != *" $module "* || $name = *xrc* ]] || continue
		eval "$module.$name() { run_case $module.$name; }"
		cases="$cases $module.$name"
	done
done
# shellcheck disable=SC2086
ktap_run unpack first_user $cases dismiss no_objects_left no_violations
