#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# <rdma/ib_frwr.h> on any device: memory handed over as a scatterlist, pages or
# bio_vecs, registered, and written to and read by the peer; what is refused; when
# memory is unmapped; registration contexts and the example ULP (suites frwr,
# frwr_long, frwr_bad and frwr_ctx of the module ibx_test). What peers do to each other on the
# wire is no violation of the device's rules, and nothing else here is one.
set -eu
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../ibx_test/ibx_test.sh
. "$(dirname "$0")/../ibx_test/ibx_test.sh"

# the device finds it, and counts it
foreign_pd() {
	own_fault frwr_foreign_pd mkey_pd
}

# shellcheck disable=SC2046
on_pair $(suite frwr frwr_long frwr_bad frwr_ctx | grep -vx frwr_foreign_pd)
# shellcheck disable=SC2086
ktap_run load_ibx_test $pair_cases no_violations foreign_pd unload_ibx_test no_violations
