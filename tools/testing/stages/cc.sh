#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Prints what make's CC is to be: gcc, with its results in the cache where ccache is there.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/mlx5-frwr/ccache
if command -v ccache > /dev/null; then
	echo "env CCACHE_DIR=$cache CCACHE_MAXSIZE=1G ccache gcc"
else
	echo gcc
fi
