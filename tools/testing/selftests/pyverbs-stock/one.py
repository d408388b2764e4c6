#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Run one case of rdma-core's tests: one.py DIR DEVICE MODULE CASE

DIR is the directory "tests" with the files unpacked, CASE the name of a method. Exit status 0 when
it passed, 4 when it skipped itself, saying why, and 1 when it failed or there is no such case.
"""

import importlib
import os
import sys
import unittest

SKIPPED = 4


def cases_of(suite):
    """The test cases in a suite and the suites in it."""
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from cases_of(item)
        else:
            yield item


def main(tests, device, module, name):
    """Load, find, run."""
    sys.dont_write_bytecode = False     # the next case is sooner there
    sys.path[:0] = [os.path.dirname(tests), tests]
    sys.argv[1:] = ["--dev", device]
    importlib.import_module("args_parser").parser.parse_args()
    # the files import one another in a circle, which has to be begun here
    importlib.import_module("tests.utils")
    loaded = unittest.defaultTestLoader.loadTestsFromModule(
        importlib.import_module("tests." + module))
    found = [case for case in cases_of(loaded) if case.id().endswith("." + name)]
    if len(found) != 1:
        print(f"{len(found)} cases named {name} in {module}")
        return 1
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(found[0])
    if not result.wasSuccessful():
        return 1
    return SKIPPED if result.skipped else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
