#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Prints the value for make's CC: gcc, by ccache if ccache is installed.
#
#	cc.sh [PREFIX]		PREFIX: prefix of a cross compiler
cache=${XDG_CACHE_HOME:-$HOME/.cache}/mlx5-frwr/ccache
if command -v ccache > /dev/null; then
	echo "env CCACHE_DIR=$cache CCACHE_MAXSIZE=1G ccache ${1-}gcc"
else
	echo "${1-}gcc"
fi
