#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Renders Documentation/infiniband/*.rst, and the kernel-doc of the headers that they name, to HTML
# in the given directory. The Sphinx extensions and scripts/kernel-doc come from the kernel's source
# package, which is unpacked first. A warning of Sphinx or kernel-doc is an error. A fault that
# docs.py finds in the result is an error, too.
set -euo pipefail

tree=$(cd "$(dirname "$0")/../../.." && pwd)
if [ $# -ne 1 ]; then
	echo "usage: htmldocs.sh DIRECTORY" >&2
	exit 2
fi
out=$1
docs=$tree/Documentation/infiniband
# the first pages in the table of contents, in order; the other pages follow
first="overview first-ulp ib_frwr mlx5dv devx mlx5_ibx mlx5sim"

if ! command -v sphinx-build > /dev/null; then
	echo "htmldocs: no sphinx-build: apt-get install python3-sphinx (make deps)" >&2
	exit 1
fi
if ! compgen -G "$docs/*.rst" > /dev/null; then
	echo "htmldocs: nothing in $docs" >&2
	exit 1
fi
if ! mkdir -p "$out" 2> /dev/null || ! [ -w "$out" ]; then
	echo "htmldocs: cannot write to $out" >&2
	exit 1
fi
out=$(cd "$out" && pwd)
src=$("$tree/tools/testing/runner/vm/kernel.py" source)
conf=$(mktemp -d)
trap 'rm -rf "$conf"' EXIT
cp "$docs"/*.rst "$docs"/*.svg "$conf/"
ln -s "$tree/samples" "$conf/samples"
cat > "$conf/conf.py" <<END
import sys
sys.path[:0] = ["$src/Documentation/sphinx", "$tree/tools/testing/stages/sphinx"]
project = "mlx5-frwr"
extensions = ["kerneldoc", "automarkup", "literals"]
html_static_path = ["$tree/tools/testing/stages/sphinx/frwr.css"]
html_css_files = ["frwr.css"]
# wide enough for lines of code of 100 columns, and for the widest table
html_theme_options = {
    "page_width": "1300px", "sidebar_width": "220px", "body_max_width": "none",
}
primary_domain = "c"
exclude_patterns = ["samples"]
highlight_language = "none"
kerneldoc_bin = "$src/scripts/kernel-doc"
kerneldoc_srctree = "$tree"
kerneldoc_verbosity = 1
END
{
	printf 'mlx5-frwr\n=========\n\n.. toctree::\n   :maxdepth: 2\n\n'
	cd "$conf"
	for page in $first *.rst; do
		echo "   ${page%.rst}"
	done | awk '!seen[$0]++'
} > "$conf/index.new"
mv "$conf/index.new" "$conf/index.rst"
export PYTHONDONTWRITEBYTECODE=1 KDOC_WERROR=1
# sphinx-build gets SIGTERM when this script ends
setpriv --pdeathsig TERM sphinx-build -q -W --keep-going -b html "$conf" "$out"
"$tree/tools/testing/stages/docs.py" "$docs" "$out" "$tree"/include/rdma/*.h
echo "htmldocs: $out/index.html"
