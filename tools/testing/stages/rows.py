#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Rows of Documentation/infiniband/unrefereed.rst against the code: rows.py [TREE]

A row is a number U-nn, a statement and the five fields FIELDS. A comment in a source file quotes a
row by its number. Prints a line for each of these faults, and fails: a number that occurs twice or
is out of order; no statement; a field that is missing, empty or unknown; a class that is not in
CLASSES; a quoted row that does not exist; a row that no source file quotes; a name in ``...`` under
"relied on by" that is not a file, a test case or a selftest; a name under "probe" that is not a
probe. The table of classes of violations in SIM_PAGE must have a row for each class, in the order
of STATS.
"""

import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
PAGE = "Documentation/infiniband/unrefereed.rst"
SIM_PAGE = "Documentation/infiniband/mlx5sim.rst"
STATS = "drivers/infiniband/sw/mlx5sim/core/stats.h"
CLASS = re.compile(r"^\tSIM_VIO_([a-z_]+),", re.M)
CLASS_ROW = re.compile(r"^   \* - ``(\w+)``\n     - \S[^*]*?\n     - \S", re.M)
FIELDS = ("class", "source", "silicon might", "relied on by", "probe")
CLASSES = ("invented", "inferred", "backed by ")
ROW = re.compile(r"^U-(\d+)$")
TAG = re.compile(r"\bU-(\d\d+)\b")
FIELD = re.compile(r"^  :([a-z ]+):(.*)$")
NAME = re.compile(r"``([^`]+)``")
CASE = re.compile(r"^\s*(?:\{ (?:\.name = )?\"|(?:T|DV|BT|V)_\w+\(\"?|KUNIT_CASE\w*\()(\w+)",
                  re.M)
PROBES = ("tools/testing/modules/ibx_test/", "tools/testing/modules/mlx5dv_test/")


class Row:
    """A row of the page."""

    def __init__(self, number):
        self.number = number
        self.text = ""
        self.fields = {}


def read_rows(page):
    """The rows of a page, in order."""
    rows, field = [], None
    for line in page.splitlines():
        row, part = ROW.match(line), FIELD.match(line)
        if row:
            rows.append(Row(int(row[1])))
            field = None
        elif not rows or not line.startswith("  "):
            field = None
        elif part:
            field = part[1]
            rows[-1].fields[field] = part[2].strip()
        elif field:
            rows[-1].fields[field] += " " + line.strip()
        else:
            rows[-1].text = f"{rows[-1].text} {line.strip()}".strip()
    return rows


def read_sources(tree):
    """Path and text of each file that can quote a row."""
    done = subprocess.run(["git", "-C", tree, "ls-files", "-co", "--exclude-standard", "drivers",
                           "include", "samples", "tools"], text=True, capture_output=True,
                          check=True)
    found = {}
    for path in done.stdout.splitlines():
        if path.endswith((".c", ".h", ".sh")) and os.path.isfile(os.path.join(tree, path)):
            with open(os.path.join(tree, path), encoding="utf-8") as f:
                found[path] = f.read()
    return found


def known_names(sources, folders):
    """Names of all selftests, and of the test cases in sources of the folders."""
    names = {os.path.basename(os.path.dirname(p)) for p in sources
             if p.startswith("tools/testing/selftests/")}
    for path, text in sources.items():
        if any(folder in path for folder in folders):
            names.update(CASE.findall(text))
    return names


def faults_of_names(row, sources):
    """A line for each name in the fields of a row that does not exist in the tree."""
    tests = known_names(sources, ("tools/testing/modules/", "/tests/"))
    probes = known_names(sources, PROBES)
    for name in NAME.findall(row.fields.get("relied on by", "")):
        if name not in tests and not any(("/" + p).endswith("/" + name) for p in sources):
            yield f"U-{row.number:02}: {name} is neither a file nor a test"
    probe = row.fields.get("probe", "")
    named = NAME.findall(probe)
    if not probe.startswith("none: "):
        yield from (f"U-{row.number:02}: no probe {name}" for name in named if name not in probes)
        if not named:
            yield f"U-{row.number:02}: the probe has no name"


def faults_of_rows(rows):
    """A line for each fault of the order, the fields and the classes of the rows."""
    last = 0
    for row in rows:
        if row.number <= last:
            yield f"U-{row.number:02}: not above U-{last:02}"
        last = row.number
        if not row.text:
            yield f"U-{row.number:02}: no statement"
        for field in FIELDS:
            if not row.fields.get(field):
                yield f"U-{row.number:02}: no {field!r}"
        for field in set(row.fields) - set(FIELDS):
            yield f"U-{row.number:02}: unknown field {field!r}"
        if not row.fields.get("class", "").startswith(CLASSES):
            yield f"U-{row.number:02}: the class is none of: {', '.join(CLASSES)}"


def faults(page, sources):
    """A line for each fault of the page."""
    rows = read_rows(page)
    if not rows:
        yield "no rows"
    yield from faults_of_rows(rows)
    numbers = {row.number for row in rows}
    quoted = set()
    for path, text in sources.items():
        for tag in TAG.findall(text):
            quoted.add(int(tag))
            if int(tag) not in numbers:
                yield f"{path}: U-{tag} is no row"
    for row in rows:
        if row.number not in quoted:
            yield f"U-{row.number:02}: no source file quotes it"
        yield from faults_of_names(row, sources)


def faults_of_classes(page, header):
    """A line for each class of violations without a row in the table of the page, each row without
    a class, and rows in another order than the classes."""
    classes, found = CLASS.findall(header), CLASS_ROW.findall(page)
    if not classes:
        yield "no classes of violations"
    yield from (f"class {name} has no rule and source" for name in classes if name not in found)
    yield from (f"class {name} does not exist" for name in found if name not in classes)
    if sorted(classes) == sorted(found) and classes != found:
        yield "the classes are in another order"


def main(argv):
    """Print the faults; the exit status is 1 if there are any."""
    tree = argv[1] if len(argv) > 1 else os.path.join(os.path.dirname(os.path.realpath(__file__)),
                                                      "../../..")
    with open(os.path.join(tree, PAGE), encoding="utf-8") as f:
        page = f.read()
    with open(os.path.join(tree, SIM_PAGE), encoding="utf-8") as f:
        sim_page = f.read()
    sources = read_sources(tree)
    found = [f"{PAGE}: {fault}" for fault in faults(page, sources)]
    found += [f"{SIM_PAGE}: {fault}" for fault in faults_of_classes(sim_page, sources[STATS])]
    for fault in found:
        print(fault)
    print(f"{len(read_rows(page))} rows, {len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
