#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The tests of rdma-core, from Debian's packages (python3-pyverbs, and the files in the
# documentation of rdma-core), on unmodified libmlx5 and stock mlx5_ib: they check the simulated
# device. Every unittest case of the modules below is a case of this test, in a separate process.
# The cases in "breaks" cause the violations listed there; other cases cause no violation.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/pyverbs.sh
. "$(dirname "$0")/../../runner/lib/pyverbs.sh"

HERE=$(cd "$(dirname "$0")" && pwd)
modules="test_mlx5_mkey test_mlx5_raw_wqe test_mlx5_dma_memcpy test_mlx5_dc test_atomic"
own="test_indirect test_dc"	# test modules of this folder
more="test_cq test_cq_events test_mr"	# resized CQs, CQs that interrupt, memory windows
xrc="test_cqex test_qpex test_relaxed_ordering"	# only the cases with XRC of these modules
# CASES: modules to run instead of all of these
if [ -n "${CASES:-}" ]; then
	modules=$CASES own='' more='' xrc=''
fi

# The classes of violations that a case causes, with their number if it is not 1
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
	# SENDs from memory of another PD, on three of ten streams, and on as many streams as may
	# be in error; a reset of a stream that is not in error
	[test_mlx5_dc.test_dc_send_stream_bad_flow]="mkey_pd:3 cmd_bad_state"
	[test_mlx5_dc.test_dc_send_stream_bad_flow_qp]=mkey_pd:4
	[test_dc.test_reset_of_a_good_stream]=cmd_bad_state
	[test_atomic.test_atomic_invalid_lkey]=mkey_lookup
	[test_indirect.test_stride_overflows]=umr_entries
	[test_indirect.test_repeat_count_overflows]=umr_entries
)

# cases_of MODULE: print the names of the cases of a module, except cases of device memory and
# dma-bufs
cases_of() {
	pv_cases "$1" | sed '/^test_dma_memcpy/b; /^test_\(create_\)\?dm/d'
}

unpack() {
	# shellcheck disable=SC2086
	pv_begin $modules $more $xrc $own
}

first_user() { pv_first_user test_mlx5_mkey.test_mkey_list; }

# run_case MODULE.CASE: run a case, and check its violations
run_case() {
	local classes=${breaks[$1]:-} status=0

	ends
	clear_violations
	pv_one "$1" || status=$?
	[ "$status" -ne "$KTAP_SKIP" ] || classes=''
	# shellcheck disable=SC2086
	want_violations $classes
	return "$status"
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
ktap_run unpack first_user $cases pv_end no_objects_left no_violations
