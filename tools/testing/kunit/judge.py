#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Judges a run of the KUnit suites: judge.py LOG STATUS TREE GLOBS

Prints a line per suite, the failed cases with their messages, and the sum. The run fails if a case
fails, if no case passes, if the kernel reports a fault (BAD) or ends with another STATUS than 0, or
if a skipped case is not in runner/skips.allow. If GLOBS is empty, the run also fails if a suite of
the sources is not in the log.
"""

import os
import re
import sys

sys.dont_write_bytecode = True
TESTING = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
sys.path[:0] = [TESTING, os.path.join(TESTING, "runner")]
# pylint: disable=wrong-import-position
import selftest
import tests_of

LINE = re.compile(r"^(?:\[[^]]*\] ?)?( *)(not ok|ok) \d+ (?:- )?(.*)$")
BAD = re.compile(r"BUG: |WARNING: CPU|Kernel panic|KASAN")


def main(argv):
    """Count and print; return 0 only on success."""
    if len(argv) != 5:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    log, status, tree, pattern = argv[1], int(argv[2]), argv[3], argv[4]
    passed, failed, skipped, suites, faults, said = 0, [], 0, {}, [], []
    cases = 0
    with open(log, encoding="utf-8", errors="replace") as f:
        lines = f.read().splitlines()
    for line in lines:
        match = LINE.match(line)
        if BAD.search(line):
            faults.append(line.strip())
        if not match:
            if line.lstrip().startswith("#"):
                said.append(line.strip())
            continue
        depth, text = len(match[1]), match[3]
        name, _, directive = text.partition(" # ")
        if depth == 0:
            suites[name.strip()] = cases
            print(f"{match[2]} {name.strip()}: {cases} cases")
            cases = 0
        elif depth == 4 or depth > 4:
            # A parameterised case has a result for each parameter, and then a result for all of
            # them, which is not counted.
            if depth == 4 and any(t.startswith(f"# {name.strip()}: pass:") for t in said[-3:]):
                said.clear()
                continue
            cases += 1
            if match[2] == "not ok":
                failed.append(name.strip())
                print("\n".join(said[-12:] + [f"not ok {name.strip()}"]))
            elif directive.startswith("SKIP"):
                skipped += 1
                if not selftest.allowed_skip("kunit", "", name.strip()):
                    faults.append(f"skip not listed in skips.allow: kunit/{name.strip()}")
            else:
                passed += 1
            said.clear()
    if not passed:
        print("\n".join(lines[-40:]))
        faults.append("no case passed")
    if status and not failed:
        faults.append(f"the kernel ended with status {status}")
    if not pattern:
        faults += [f"suite {name} did not run"
                   for name in sorted(tests_of.suites_in(tree) - set(suites))]
    for fault in faults:
        print(f"kunit: {fault}")
    failures = len(failed) or (1 if faults else 0)
    print(f"kunit: {passed} passed, {failures} failed, {skipped} skipped (log: {log})")
    return 1 if failed or faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
