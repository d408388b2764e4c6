#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Keys, on public verbs: what a registered key opens, and that a stale, foreign
# or overreaching one opens nothing, fails with the right status and flushes
# everything behind it exactly once. The cases are in the module ibx_test
# (keys.c). They are about the wire, which a peer may abuse, so none of them is a
# violation of the device's rules, except local_stale: one.
set -eu
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=ibx_test.sh
. "$(dirname "$0")/ibx_test.sh"

local_stale() {
	ends
	clear_violations
	ibx_test local_stale
	on_sim || return 0
	want_eq "violations" "$(sim_violations)" 1
	want_eq "mkey_lookup violations" "$(sim_violation_class mkey_lookup)" 1
	clear_violations
}

on_pair key_opens iova_is_chosen refused_never_registered refused_invalidated \
	refused_old_variant refused_deregistered refused_past_the_end \
	refused_before_the_start refused_write_to_readable refused_read_of_writable \
	refused_foreign_pd refused_after_remote_inv

# rxe completes a stale local key with a flush error, so there is nothing to compare.
! on_sim || own_fault=local_stale

# shellcheck disable=SC2086
ktap_run load_ibx_test $pair_cases no_violations ${own_fault:-} \
	unload_ibx_test no_violations
