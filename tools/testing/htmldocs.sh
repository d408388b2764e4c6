#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Renders Documentation/infiniband/*.rst to HTML in the given directory, with the kernel-doc
# directive of the kernel's own documentation build. A warning is an error.
set -euo pipefail

tree=$(cd "$(dirname "$0")/../.." && pwd)
out=$1
docs=$tree/Documentation/infiniband

if ! command -v sphinx-build > /dev/null; then
	echo "htmldocs: no sphinx-build: apt-get install python3-sphinx (make deps)" >&2
	exit 1
fi
if ! compgen -G "$docs/*.rst" > /dev/null; then
	echo "htmldocs: nothing in $docs" >&2
	exit 1
fi
src=$("$tree/tools/testing/vm/kernel.py" source)
conf=$(mktemp -d)
trap 'rm -rf "$conf"' EXIT
cp "$docs"/*.rst "$conf/"
cat > "$conf/conf.py" <<END
import sys
sys.path.insert(0, "$src/Documentation/sphinx")
project = "mlx5-frwr"
extensions = ["kerneldoc"]
primary_domain = "c"
highlight_language = "none"
kerneldoc_bin = "$src/scripts/kernel-doc"
kerneldoc_srctree = "$tree"
kerneldoc_verbosity = 1
END
if ! [ -e "$conf/index.rst" ]; then
	{
		printf 'mlx5-frwr\n=========\n\n.. toctree::\n\n'
		cd "$conf"
		for page in [!i]*.rst i[!n]*.rst; do
			if [ -e "$page" ]; then
				echo "   ${page%.rst}"
			fi
		done
	} > "$conf/index.rst"
fi
export PYTHONDONTWRITEBYTECODE=1
sphinx-build -q -W --keep-going -b html "$conf" "$out"
echo "htmldocs: $out/index.html"
