#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Runs on the host before the VM boots. Builds the first ULP (samples/first_ulp) and its peer.
set -euo pipefail

exec "$(dirname "$0")/../../runner/prepare_sample.sh" "$1" first_ulp
