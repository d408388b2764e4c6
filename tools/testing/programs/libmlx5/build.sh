#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# build.sh DIRECTORY PROGRAM SOURCE...: compile build/DIRECTORY/PROGRAM from sources of this folder,
# with libmlx5. prepare.sh of selftests runs this script.
set -euo pipefail

if [ $# -lt 3 ]; then
	echo "usage: build.sh DIRECTORY PROGRAM SOURCE..." >&2
	exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "$here/../../../.." && pwd)/build/$1

mkdir -p "$out"
exec 9> "$out/.lock"
flock 9
cd "$here"
gcc -O2 -Wall -Werror -o "$out/$2" "${@:3}" -lmlx5 -libverbs
