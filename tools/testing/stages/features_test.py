#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests that features.py reports each fault in a small example tree."""

import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
# pylint: disable=wrong-import-position
import features

GOOD = {
    "drivers/a/Kbuild": "features := new_call\nfeatures-of := $(a-y)\n",
    "drivers/a/compat/new_call.c": "int probe(void) { return new_call(); }\n",
    "drivers/a/compat.h": "#ifndef HAVE_NEW_CALL\n#define new_call old_call\n#endif\n",
    "drivers/a/a.c": "int a(void) { return new_call(); }\n",
}
# changes of the good tree, and a part of the expected message
FAULTS = (
    ({"drivers/a/a.c": "#if LINUX_VERSION_CODE >= 1\n#endif\n"}, "compares versions"),
    ({"drivers/a/a.h": "#if KERNEL_VERSION(6, 12, 0)\n#endif\n"}, "compares versions"),
    ({"drivers/a/a.c": "#ifdef HAVE_NEW_CALL\n#endif\n"}, "outside compat.h"),
    ({"drivers/a/Kbuild": "features-of := $(a-y)\n"}, "no Kbuild file lists new_call"),
    ({"drivers/a/Kbuild": "features := new_call other\n"}, "no probe other.c"),
    ({"drivers/a/Kbuild": "features-dirs := $(src)/../b\nfeatures := new_call\n"},
     "no probe new_call.c in drivers/b"),
    ({"drivers/a/compat/unused.c": "int probe(void) { return 0; }\n"}, "unused.c: not listed"),
    ({"drivers/a/compat.h": "\n"}, "new_call.c: not listed, or not used"),
)


def said_of(change):
    """The output of features.py for the good tree with a change."""
    with tempfile.TemporaryDirectory() as tree:
        for path, text in (GOOD | change).items():
            path = os.path.join(tree, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        return list(features.faults(tree))


def main():
    """Every fault must be reported, and nothing else."""
    failed = []
    if said_of({}):
        failed.append(f"the good tree: {said_of({})}")
    for change, expected in FAULTS:
        said = said_of(change)
        if not any(expected in line for line in said):
            failed.append(f"{change}: {said}, not \"{expected}\"")
    print("\n".join(failed) if failed else f"features_test: {len(FAULTS)} faults noticed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
