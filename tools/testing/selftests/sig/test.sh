#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Block signatures of <rdma/mlx5dv.h>: the examples of the manual page; combinations of types, block
# sizes and operations, compared with plain C; wrong signatures; signature pipelining; devices with
# another meaning of byte counts (U-98); devices without some capabilities; errors that are polled
# or checked late; and send queues full of work requests of several WQEs, also of integrity MRs,
# with CQs that have one entry for each work request. A wrong signature is no violation.
set -eu
# OWN_CASES: signature pipelining, a send queue that has exactly the requested number of work
# requests, the integrity MRs of mlx5_ibx, and, if mlx5_ib is not patched, CRCs
OWN_CASES="sig_pipe_good sig_pipe_bad sig_pipe_flushed sig_caps_no_drain
	sig_full sig_full_refused pi_full pi_full_failed pi_full_both"
[ -n "${PATCHED:-}" ] ||
	OWN_CASES+=" sig_caps_all sig_caps_no_4048 sig_caps_no_crc32c sig_caps_no_crc64"
# shellcheck source=../../runner/lib/suites.sh
. "$(dirname "$0")/../../runner/lib/suites.sh"
# shellcheck source=../../runner/lib/modules.sh
. "$(dirname "$0")/../../runner/lib/modules.sh"

# the cases use every 17th of 1,890 combinations, because all combinations would take minutes
EVERY=17
[ "${FULL:-}" != 1 ] || EVERY=$SLOWER

# the cases of signature pipelining, which mlx5_ib does not have
PIPELINING=none
! on_backend || PIPELINING=^sig_pipe_

# print_log CASE: run a case and print its log, which has the number of combinations
print_log() {
	ends
	ibx_test "$1"
	sed 's/^/# /' "$IBX_TEST/log"
}

sig_product() {
	print_log sig_product
}

sig_spoiled() {
	print_log sig_spoiled
}

sig_each_byte() {
	print_log sig_each_byte
}

sig_late_random() {
	print_log sig_late_random
}

# Case: the registration of a registered MR is a violation (umr_state); the CQ does not overrun
pi_full_failed() {
	no_violations
	own_fault pi_full_failed umr_state
}

sig_refused_psv() {
	ends
	refusing "$IB_A" CREATE_PSV 1 sig_refused_psv
}

# Case: CREATE_MKEY fails. It is the third: the PD and the MR of the pair have the first two mkeys.
sig_refused_mkey() {
	ends
	refusing "$IB_A" CREATE_MKEY 3 sig_refused_mkey
}

# Case: the PSV of the third mkey of a pool cannot be created
sig_refused_pool() {
	ends
	refusing "$IB_A" CREATE_PSV 3 sig_refused_pool
}

# on_other_sim CASE PARAMETER...: run a case on simulated devices with these parameters
on_other_sim() {
	local name=$1

	shift
	stop_suites
	sim_reload "$@"
	load_suites
	load_direct_verbs
	ibx_test "$name"
	no_violations
	unload_suites
}

# Case: the device has PSVs for three mkeys, and one more PSV
sig_psv_limit() {
	on_other_sim sig_psv_limit psvs=7
}

# Case: the device uses the lowest free number first
sig_index_again() {
	on_other_sim sig_index_again reuse=1
}

sig_lengths() {
	print_log sig_lengths
}

# counting READING: run the cases that depend on the meaning of byte counts, on devices with
# sig_count=READING
counting() {
	local name

	stop_suites
	sim_reload "sig_count=$1"
	load_suites
	load_direct_verbs "sig_every=$EVERY" "sig_count=$1"
	for name in $(printf '%s\n' sig_lengths sig_example_1 sig_example_2 sig_product sig_sizes \
		sig_again sig_pipe_good sig_pipe_bad | grep -v "$PIPELINING"); do
		ibx_test "$name"
		sed "s/^/# $1: $name: /" "$IBX_TEST/log"
	done
	no_violations
	unload_suites
}

sig_count_data() {
	counting data
}

sig_count_memory() {
	counting memory
}

sig_caps_no_sho() {
	with_caps sig_caps_no_sho general.sho=0
}

sig_caps_no_domain() {
	with_caps sig_caps_no_domain general.sigerr_domain_and_sig_type=0
}

sig_caps_no_drain() {
	with_caps sig_caps_no_drain general.drain_sigerr=0
}

sig_caps_no_cqe() {
	with_caps sig_caps_no_cqe general.sigerr_cqe=0
}

sig_caps_no_4048() {
	with_caps sig_caps_no_4048 general.sig_block_4048=0
}

sig_caps_no_crc32c() {
	with_caps sig_caps_no_crc32c general.sig_crc32c=0
}

sig_caps_no_crc64() {
	with_caps sig_caps_no_crc64 general.sig_crc64_xp10=0
}

open_suites "sig_every=$EVERY"
caps=
for c in $pair_cases; do
	case $c in
	sig_caps_no_* | sig_psv_limit | sig_index_again)
		pair_cases=${pair_cases/ $c/}
		caps="$caps $c"
		;;
	esac
done
# shellcheck disable=SC2086
ktap_run load_suites $pair_cases no_violations unload_suites no_violations \
	sig_count_data sig_count_memory $caps caps_again
