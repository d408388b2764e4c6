#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests that "make bench" reports each figure that a VM did not print.

Removes the figures one by one from a complete set. Prints each removed figure that "make bench"
does not report; then the exit status is 1.
"""

import importlib.machinery
import importlib.util
import os
import sys

sys.dont_write_bytecode = True
BENCH = os.path.dirname(os.path.realpath(__file__))


def load_bench():
    """Imports the file bench/run, whose name has no suffix, as a module."""
    loader = importlib.machinery.SourceFileLoader("bench", os.path.join(BENCH, "run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench", loader))
    loader.exec_module(module)
    return module


def complete(bench):
    """A complete set of figures of both drivers; each figure is 1."""
    keys = {key for length in bench.CYCLES for key in bench.cycle_keys(length)}
    for what, against, shape, length, _ in bench.TARGETS:
        keys |= {(name, shape, length) for both in (what, against) for name in both.split("-")}
    figures = {driver: dict.fromkeys(keys, 1) for driver in (bench.STOCK, bench.OURS)}
    figures[bench.STOCK] |= {key: 1 for key, _ in [*bench.dvib_pairs(figures[bench.STOCK])]}
    return figures


def complete_nvme(nvme):
    """A complete set of figures of NVMe requests; each figure is 1."""
    names = {name for _, names, _ in nvme.FIGURES for name in names}
    return {column: {("read", 4096, 1): dict.fromkeys(names, 1)} for column in nvme.COLUMNS}


def faults(bench):
    """A line for each removed figure that bench does not report."""
    if [*bench.not_measured(complete(bench))]:
        yield f"complete: {[*bench.not_measured(complete(bench))]}"
    for key in complete(bench)[bench.OURS]:
        figures = complete(bench)
        for driver in figures:
            del figures[driver][key]
        if not any(" ".join(map(str, key)) in line for line in bench.not_measured(figures)):
            yield f"{key}: not named"
    for shape in ("dv", "dvib"):
        figures = complete(bench)
        del figures[bench.STOCK]["mkey_configure_crypto", shape, 0]
        want = [f"{bench.STOCK}: not measured: mkey_configure_crypto {shape} 0"]
        if [*bench.not_measured(figures)] != want:
            yield f"one figure of {bench.STOCK}: {[*bench.not_measured(figures)]}"
    nvme = bench.nvme
    if [*nvme.not_measured(complete_nvme(nvme))]:
        yield f"complete requests: {[*nvme.not_measured(complete_nvme(nvme))]}"
    if not [*nvme.not_measured({})]:
        yield "no requests: not named"
    for column in nvme.COLUMNS:
        costs = complete_nvme(nvme)
        del costs[column]
        if len([*nvme.not_measured(costs)]) != 1:
            yield f"{column}: not named"


def main():
    """Print the figures that are not reported."""
    found = [*faults(load_bench())]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
