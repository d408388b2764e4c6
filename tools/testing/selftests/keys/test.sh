#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Keys, on public verbs: what a registered key opens, and that a stale, foreign
# or overreaching one opens nothing, fails with the right status and flushes
# everything behind it exactly once. The cases are the suite keys of the module
# ibx_test. They are about the wire, which a peer may abuse, so none of them is a
# violation of the device's rules, except local_stale: one.
set -eu
# shellcheck source=../../lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
# shellcheck source=../../lib/ibx_test.sh
. "$(dirname "$0")/../../lib/ibx_test.sh"

local_stale() {
	own_fault local_stale mkey_lookup
}

modprobe ibx_test
# shellcheck disable=SC2046,SC2086
on_pair $(suite $SUITES | grep -vx local_stale)

# rxe completes a stale local key with a flush error, so there is nothing to compare.
! on_sim || own=local_stale

# shellcheck disable=SC2086
ktap_run load_ibx_test $pair_cases no_violations ${own:-} \
	unload_ibx_test no_violations
