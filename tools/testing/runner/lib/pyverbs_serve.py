#!/usr/bin/env -S PYTHONHASHSEED=0 python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Run cases of rdma-core's tests on demand: pyverbs_serve.py WORK DEVICE

WORK/tests contains the test files. A line MODULE.CASE that is written to the pipe WORK/ask runs a
case in a forked process. The modules are loaded once, because that takes longer than a case. The
output of the case goes to the file WORK/said. The status of the case is written to the pipe
WORK/answer: 0 if the case passed, 4 if it was skipped, 1 if it failed or does not exist. An empty
line ends the program. Cases choose attributes at random; a case makes the same choices in each run.
"""

import importlib
import os
import random
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


def run(module, name):
    """Run the case with this name in a module. Returns its status."""
    loaded = unittest.defaultTestLoader.loadTestsFromModule(module)
    found = [case for case in cases_of(loaded) if case.id().endswith("." + name)]
    if len(found) != 1:
        print(f"{len(found)} cases named {name} in {module.__name__}")
        return 1
    random.seed(name)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(found[0])
    if not result.wasSuccessful():
        return 1
    return SKIPPED if result.skipped else 0


def forked(module, name, said):
    """run() in a separate process, whose output goes to the file said. Returns the status."""
    child = os.fork()
    if not child:
        status = 1
        try:
            fd = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(fd, 1)
            os.dup2(fd, 2)
            status = run(module, name)
            sys.stdout.flush()
        finally:
            os._exit(status)    # pylint: disable=protected-access
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 0xff


def main(work, device):
    """Run the requested cases, and write their statuses."""
    tests = os.path.join(work, "tests")
    sys.path[:0] = [work, tests]
    sys.argv[1:] = ["--dev", device]
    importlib.import_module("args_parser").parser.parse_args()
    # the test files import one another in a circle, which must begin with this file
    importlib.import_module("tests.utils")
    while True:
        with open(os.path.join(work, "ask"), encoding="utf-8") as ask:
            asked = ask.readline().strip()
        if not asked:
            return 0
        module, _, name = asked.partition(".")
        status = forked(importlib.import_module("tests." + module), name,
                        os.path.join(work, "said"))
        with open(os.path.join(work, "answer"), "w", encoding="utf-8") as answer:
            answer.write(f"{status}\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    sys.exit(main(*sys.argv[1:]))
