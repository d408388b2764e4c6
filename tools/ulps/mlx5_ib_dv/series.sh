#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Writes the semantic patches of this folder as a series of patches for a kernel source, which
# git-am(1) applies:
#
#	series.sh SOURCE
#
# SOURCE is the source of a kernel. The series goes to build/series/<version>. A semantic patch
# begins with its description, in the lines that begin with "//|". Before a patch is sent, its
# sender adds a Signed-off-by line.
set -euo pipefail

if [ $# -ne 1 ]; then
	echo "usage: series.sh SOURCE" >&2
	exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)
# shellcheck source=SCRIPTDIR/patch.sh
. "$here/patch.sh"
driver=drivers/infiniband/hw/mlx5
version=$(sed -nE "1,6s/^(VERSION|PATCHLEVEL|SUBLEVEL) = //p" "$1/Makefile" | paste -sd.)
out=$top/build/series/$version
all=$(find "$here" -name '*.cocci' | wc -l)

author="$(git -C "$top" config user.name) <$(git -C "$top" config user.email)>" || {
	echo "series.sh: git has no user.name and user.email" >&2
	exit 1
}

rm -rf "$out"
mkdir -p "$out"
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
mkdir -p "$new/a/$driver"
cp "$1/$driver/"*.[ch] "$1/$driver/Makefile" "$new/a/$driver"
cp -r "$new/a" "$new/b"
for f in "$here/"*.cocci; do
	name=$(basename "$f" .cocci)
	apply_patch "$f" "$new/b/$driver"
	[ "${name%%-*}" != "$all" ] || add_files "$new/b/$driver"
	{
		echo "From: $author"
		sed -n 's#^//| *##p' "$f" | sed "1s#^#Subject: [PATCH ${name%%-*}/$all] #"
		echo "---"
		(cd "$new" && diff -Naur a b) || [ $? = 1 ]
	} > "$out/000$name.patch"
	rm -rf "$new/a"
	cp -r "$new/b" "$new/a"
	echo "$out/000$name.patch"
done
