#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Compares the DEVX commands in the page with the table in the code: devx_table.py [--print]

In PAGE, the line BEGIN, an empty line, the table and an empty line must follow each other. The
table has the rows of SOURCE, in the order of SOURCE. Prints the differences; then the exit status
is 1. --print prints the table that the page must have.
"""

import os
import re
import sys

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../.."))
PAGE = "Documentation/infiniband/devx.rst"
SOURCE = "drivers/infiniband/hw/mlx5_ibx/devx/table.c"
BEGIN = ".. begin of the table"
ROW = re.compile(r"\t(CREATE|MODIFY|STEP|QUERY|GENERAL)\((.*)\),$")
WIDTHS = (28, 8, 28, 27)


def rows(text):
    """(command, method, command that creates the object, command that destroys it) of each row."""
    start = text.index("rows[] = {")
    body = re.sub(r",\n\t +", ", ", text[start:text.index("\n};", start)])
    for line in body.split("\n")[1:]:
        match = ROW.match(line)
        if not match:
            if line.strip():
                raise ValueError(f"{SOURCE}: not a row: {line.strip()}")
            continue
        args = [a.strip() for a in match[2].split(",")]
        method = {"STEP": "modify"}.get(match[1], match[1].lower())
        if match[1] == "STEP":
            creator, undo = "CREATE_QP", ""
        elif match[1] == "GENERAL":
            creator, undo = "", ""
        elif match[1] == "CREATE":
            creator, undo = "", args[3]
        else:
            creator, undo = args[3], ""
        yield args[0], method, creator, undo


def lines(found):
    """The table, in the format of the page."""
    rule = " ".join("=" * w for w in WIDTHS)
    head = ("command", "method", "object created by", "destroyed by")
    out = [rule, " ".join(f"{h:<{w}}" for h, w in zip(head, WIDTHS)).rstrip(), rule]
    for command, method, creator, undo in found:
        cells = (command, method, creator or "\\", undo)
        out.append(" ".join(f"{c:<{w}}" for c, w in zip(cells, WIDTHS)).rstrip())
    return out + [rule]


def main(argv):
    """Compare the table with the page, or print the table."""
    with open(os.path.join(TOP, SOURCE), encoding="utf-8") as f:
        want = lines(rows(f.read()))
    if argv == ["--print"]:
        print("\n".join(want))
        return 0
    with open(os.path.join(TOP, PAGE), encoding="utf-8") as f:
        page = f.read().split("\n")
    start = page.index(BEGIN) + 2
    have = page[start:start + len(want)]
    wrong = [f"{PAGE}:{start + i + 1}: {h!r}, the code has {w!r}"
             for i, (h, w) in enumerate(zip(have, want)) if h != w]
    if page[start + len(want)]:
        wrong.append(f"{PAGE}:{start + len(want) + 1}: more lines than the code has rows")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
