#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Checks the rules for sources that build on several kernels: features.py [TREE]

The code is written for the newest kernel. Probes find the features that an older kernel lacks
(drivers/infiniband/core/frwr/compat/features.mk), and files compat.h have replacements. A probe is
a file compat/FEATURE.c; HAVE_FEATURE is defined if it compiles. The rules:

  - no file compares versions of the kernel (VERSION_WORDS)
  - HAVE_* occurs only in files named compat.h
  - a Kbuild file lists the feature of each HAVE_* in a compat.h
  - a Kbuild file lists the feature of each probe, and a compat.h uses its HAVE_*
  - each feature that a Kbuild file lists has a probe in COMMON or in the features-dirs of this file

Prints each breach of a rule; the exit status is then 1.
"""

import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
PLACES = ("Kbuild", "drivers", "include", "samples", "tools/testing/modules")
VERSION_WORDS = re.compile(r"\b(LINUX_VERSION_CODE|KERNEL_VERSION|LINUX_VERSION_MAJOR"
                           r"|CONFIG_KERNEL_VERSION)\b")
HAVE = re.compile(r"\bHAVE_[A-Z0-9_]+")
CONTROL = "control"     # a probe that compiles on every kernel, for no feature
COMMON = "drivers/infiniband/core/frwr/compat"  # used by all modules


def sources(tree):
    """(path, text) of the files that are compiled or that select compiled files."""
    for place in PLACES:
        top = os.path.join(tree, place)
        found = [top] if os.path.isfile(top) else \
            [os.path.join(d, name) for d, _, names in os.walk(top) for name in names]
        for path in sorted(found):
            if path.endswith((".c", ".h", ".S", ".mk", "Kbuild")):
                with open(path, encoding="utf-8") as f:
                    yield os.path.relpath(path, tree), f.read()


def listed_features(path, text):
    """(feature, folders of probes) for each feature that a Kbuild file lists."""
    here = os.path.dirname(path)
    text = text.replace("\\\n", " ")
    dirs = re.search(r"^features-dirs := (.*)$", text, re.M)
    dirs = dirs[1].split() if dirs else ["$(src)/compat"]
    dirs = [os.path.normpath(d.replace("$(src)", here)) for d in dirs] + [COMMON]
    for match in re.finditer(r"^features [:+]= (.*)$", text, re.M):
        for feature in match[1].split():
            yield feature, dirs


def faults(tree):
    """A line for each broken rule."""
    probes, used, listed = {}, {}, {}
    for path, text in sources(tree):
        name = os.path.basename(path)
        if VERSION_WORDS.search(text):
            yield f"{path}: compares versions of the kernel"
        if os.path.basename(os.path.dirname(path)) == "compat" and name.endswith(".c"):
            probes.setdefault(name[:-2], []).append(os.path.dirname(path))
        elif name == "compat.h":
            for macro in HAVE.findall(text):
                used.setdefault(macro[len("HAVE_"):].lower(), path)
        elif name == "Kbuild":
            for feature, dirs in listed_features(path, text):
                listed.setdefault(feature, []).append((path, dirs))
        elif HAVE.search(text) and not name.endswith(".mk"):
            yield f"{path}: {HAVE.search(text)[0]} outside compat.h"
    for feature, path in sorted(used.items()):
        if feature not in listed:
            yield f"{path}: no Kbuild file lists {feature}"
    for feature, places in sorted(listed.items()):
        for path, dirs in places:
            if not set(dirs) & set(probes.get(feature, ())):
                yield f"{path}: no probe {feature}.c in {' '.join(dirs)}"
    for feature, dirs in sorted(probes.items()):
        if feature != CONTROL and (feature not in listed or feature not in used):
            yield f"{dirs[0]}/{feature}.c: not listed, or not used"


def main(argv):
    """Prints all faults."""
    if len(argv) > 2 or argv[1:] in (["-h"], ["--help"]):
        print(__doc__, file=sys.stderr)
        return 2
    found = list(faults(argv[1] if len(argv) > 1 else TOP))
    print("\n".join(found) if found else "features: one source for all kernels")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
