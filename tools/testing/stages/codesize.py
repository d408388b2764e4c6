#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Checks the sizes of C files and functions: codesize.py FILE...

A function has at most 100 lines and, except CALLBACKS, 6 parameters. Nine of ten functions have at
most 50 lines. A file has at most 1,000 lines. The lines of a function are the lines from a '{' to a
'}' in the first column. Prints each excess; then the exit status is 1.
"""

import re
import sys

MAX_LINES, USUAL_LINES, MAX_PARAMS, MAX_FILE = 100, 50, 6, 1000
# functions whose parameters the kernel defines: they may have more
CALLBACKS = ("ibx_map_mr_sg_pi", "ibx_process_mad", "ft_map_mr_sg_pi", "ib_map_mr_sg_pi",
             "ibx_no_user_mr", "ibx_user_reg_mr", "ibx_user_reg_mr_dmabuf", "ibx_user_rereg_mr")


def parameters(head):
    """Number of parameters in the text of a function's declaration."""
    head = re.sub(r"/\*.*?\*/", "", head, flags=re.S)
    match = re.search(r"\w+\s*\((.*)\)[^)]*$", head, flags=re.S)
    if not match or match[1].strip() in ("", "void"):
        return 0
    depth, count = 0, 1
    for char in match[1]:
        depth += (char == "(") - (char == ")")
        count += char == "," and depth == 0
    return count


def functions(lines):
    """(line number, name, length, parameters) of each function."""
    start = None
    for nr, line in enumerate(lines, 1):
        if line == "{" and start is None:
            start = nr
        elif line.startswith("}") and start is not None:
            first = start - 1
            while first > 0 and re.match(r"[^#}/*;]", lines[first - 1]) and not \
                    lines[first - 1].endswith((";", "*/", "\\")):
                first -= 1
            head = "\n".join(lines[first:start - 1])
            name = re.search(r"(\w+)\s*\(", head)
            yield start, name[1] if name else "?", nr - start + 1, parameters(head)
            start = None


def main(paths):
    """Check every file, print each excess."""
    if not paths:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    over, sizes = [], []
    for path in paths:
        with open(path, encoding="utf-8") as f:
            lines = f.read().splitlines()
        if len(lines) > MAX_FILE:
            over.append(f"{path}: {len(lines)} lines, at most {MAX_FILE}")
        for nr, name, size, params in functions(lines):
            sizes.append(size)
            if size > MAX_LINES:
                over.append(f"{path}:{nr}: {name}() has {size} lines, at most {MAX_LINES}")
            if params > MAX_PARAMS and name not in CALLBACKS:
                over.append(f"{path}:{nr}: {name}() has {params} parameters, at most {MAX_PARAMS}")
    large = sum(size > USUAL_LINES for size in sizes)
    print(f"{len(paths)} files, {len(sizes)} functions, {large} over {USUAL_LINES} lines")
    if large * 10 > len(sizes):
        over.append(f"{large} of {len(sizes)} functions over {USUAL_LINES} lines, at most 1 in 10")
    print("\n".join(over), end="\n" if over else "")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
