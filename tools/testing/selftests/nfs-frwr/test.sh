#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The cases of the selftest nfs, with the NFS client on ib_frwr (tools/ulps/xprtrdma).
set -eu
export RPCRDMA=rpcrdma_frwr MAP_CALL=ib_frwr:ib_mr_set_biovec
exec "$(dirname "$0")/../nfs/test.sh"
