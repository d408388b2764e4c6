#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Builds the Debian packages (debian/) into a directory, from the files in git:
#
#	deb.sh [--version VERSION] [OUT]
#
# OUT (build/deb) is removed first. The default of VERSION is the version in dkms.conf. In a
# repository, the time and the hash of the commit follow: a later commit makes a newer package. In a
# repository with changes that are not committed, the present time, the hash and ".dirty" follow.
# Prints the names of the packages. If lintian is installed, its errors and warnings are errors of
# this script.
set -euo pipefail

tree=$(cd "$(dirname "$0")/../../.." && pwd)
version=
if [ "${1:-}" = --version ] && [ $# -ge 2 ]; then
	version=$2
	shift 2
fi
if [ $# -gt 1 ] || [[ ${1:-} = -* ]]; then
	echo "usage: deb.sh [--version VERSION] [OUT]" >&2
	exit 2
fi
out=$(realpath -m "${1:-$tree/build/deb}")
packaged=(Kbuild LICENSE debian dkms.conf drivers include samples/first_ulp tools/bash-completion
	tools/dkms-symvers tools/ibx-claim tools/ibx-mkey tools/ibx-trace tools/ibx_svg.py
	tools/man)

"$tree/tools/testing/stages/deps.sh" --only dpkg-dev debhelper dh-dkms
cd "$tree"
in_git() {
	[ "$(git rev-parse --show-toplevel 2> /dev/null)" = "$tree" ]
}

files() {
	if in_git; then
		git ls-files -co --exclude-standard -- "${packaged[@]}"
	else
		find "${packaged[@]}" -type f
	fi | while read -r f; do [ ! -e "$f" ] || echo "$f"; done
}

base=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' dkms.conf)
date=$(date -R)
change="Build of the tree in $(basename "$tree")."
if in_git; then
	hash=$(git rev-parse --short=8 HEAD)
	if [ -n "$(git status --porcelain -- "${packaged[@]}")" ]; then
		from=$base+git$(date -u +%Y%m%d%H%M%S).$hash.dirty
		change="Build of commit $hash with changes."
	else
		from=$(TZ=UTC git log -1 --date=format-local:%Y%m%d%H%M%S --format=%cd)
		from=$base+git$from.$hash
		date=$(git log -1 --format=%cD)
		change="Build of commit $hash."
	fi
fi
version=${version:-${from:-$base}}

if in_git && [ -n "$(git ls-files -- "$out" 2> /dev/null | head -n 1)" ]; then
	echo "deb: $out has files of the tree, so it is not removed" >&2
	exit 1
fi
src=$out/mlx5-frwr-$version
rm -rf "$out"
mkdir -p "$src"
files | tar -c -T - | tar -x -C "$src"
if [ "$version" != "$base" ]; then
	maintainer=$(sed -n 's/^Maintainer: //p' debian/control)
	{
		printf 'mlx5-frwr (%s) unstable; urgency=medium\n\n  * %s\n\n -- %s  %s\n\n' \
			"$version" "$change" "$maintainer" "$date"
		cat debian/changelog
	} > "$src/debian/changelog"
fi
cd "$src"
if ! env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL LC_ALL=C.UTF-8 \
	dpkg-buildpackage -b -us -uc > ../log 2>&1; then
	tail -n 40 ../log >&2
	exit 1
fi
cd "$out"
rm -r "$src"
realpath --relative-base="$PWD" ./*.deb | sed "s,^,${out#"$tree/"}/,"
if command -v lintian > /dev/null; then
	lintian --allow-root --fail-on error,warning ./*.changes
fi
