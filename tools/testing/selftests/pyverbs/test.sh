#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The tests of rdma-core on unmodified libmlx5, on mlx5_ibx and on stock mlx5_ib. Every unittest
# case of the modules below is a case of this test. The file outcomes lists each case that does not
# pass on both drivers, or causes a violation on purpose, with the reason. A result that differs
# from the file is a failure, also if the case passes: mlx5_ibx is compared with mlx5_ib, and every
# skip is listed. No case may leave an object.
set -eu
# shellcheck source=../../runner/lib/lib.sh
. "$(dirname "$0")/../../runner/lib/lib.sh"
# shellcheck source=../../runner/lib/pyverbs.sh
. "$(dirname "$0")/../../runner/lib/pyverbs.sh"

HERE=$(cd "$(dirname "$0")" && pwd)
modules="test_device test_pd test_addr test_mr test_cq test_cq_events test_cqex test_qp test_qpex"
modules="$modules test_atomic test_relaxed_ordering test_parent_domain test_shared_pd test_fork"
modules="$modules test_rdmacm test_odp test_mlx5_cq test_mlx5_dc test_mlx5_devx"
modules="$modules test_mlx5_huge_page test_mlx5_query_port test_mlx5_raw_wqe test_mlx5_timestamp"
modules="$modules test_mlx5_uar test_mlx5_mkey test_mlx5_dma_memcpy"
modules="$modules test_rings"	# test module of this folder
# CASES: modules to run instead of all of these
modules=${CASES:-$modules}

# For each case in the file outcomes: pass, fail or skip on this driver, and the classes of
# violations
declare -A outcome breaks

# read_outcomes: read the file outcomes, which describes the form of its lines
read_outcomes() {
	local line reason='' case ib ibx classes

	while IFS= read -r line; do
		[[ -n $line && $line != \#* ]] || continue
		if [[ $line = *: ]]; then
			reason=$line
			continue
		fi
		[[ $line = $'\t'* && -n $reason ]] || fail "outcomes: without reason: $line"
		read -r case ib ibx classes <<< "$line"
		[ -z "${outcome[$case]:-}" ] || fail "outcomes: $case twice"
		if [ "$PROVIDER" = mlx5_ibx ]; then
			ib=$ibx
			classes=${classes#*/}
		fi
		[[ $ib = @(pass|fail|skip) && -n $classes ]] || fail "outcomes: $line"
		outcome[$case]=$ib
		classes=${classes%/*}
		breaks[$case]=${classes//,/ }
	done < "$HERE/outcomes"
}

unpack() {
	# cases of other modules use classes of these two modules
	# shellcheck disable=SC2086
	pv_begin $modules test_parent_domain test_flow
}

first_user() { pv_first_user test_parent_domain.test_mem_align_srq_excq_rc_traffic; }

# run_case MODULE.CASE: run a case, and check its outcome and its violations
run_case() {
	local classes=${breaks[$1]:--} status=0 found=pass want=${outcome[$1]:-pass}

	ends
	clear_violations
	pv_one "$1" || status=$?
	case $status in
	0) ;;
	"$KTAP_SKIP") found=skip ;;
	*) found=fail ;;
	esac
	[ "$found" = "$want" ] || cat "$SIM_DEBUGFS/$(ib_pci "$IB_A")/violations"
	want_eq "outcome of $1 on $PROVIDER" "$found" "$want"
	case $classes in
	-) classes= ;;
	any) clear_violations && return ;;
	esac
	# shellcheck disable=SC2086
	want_violations $classes
}

# Case: each case in the file outcomes exists in rdma-core.
all_listed_are_cases() {
	local case

	for case in "${!outcome[@]}"; do
		[[ " $modules " != *" ${case%.*} "* || " $cases " = *" $case "* ]] ||
			fail "outcomes: there is no case $case"
	done
}

read_outcomes
cases=
for module in $modules; do
	for name in $(pv_cases "$module"); do
		eval "$module.$name() { run_case $module.$name; }"
		cases="$cases $module.$name"
	done
done
# shellcheck disable=SC2086
ktap_run unpack first_user $cases pv_end no_objects_left all_listed_are_cases
