#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Holds C files and texts to some rules of language: names.py [--counts] [FILE or DIRECTORY...]

Without arguments looks at all of PLACES. The rules:

  - a static function of a module's .c file has a name of at least two words (not under tests/)
  - kernel-doc of a function or of a macro with parameters begins "name() - text"
  - kernel-doc describes a parameter or member by more than a single word of VAGUE
  - no comment and no text has one of PHRASES

Prints what breaks a rule; --counts prints how often that is in each directory instead. First tries
itself on EXAMPLES. Exit status 1 if anything was found.
"""

import argparse
import collections
import os
import re
import sys

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../.."))
PLACES = ("drivers", "include", "samples", "tools/testing", "Documentation", "README.md")
MODULES = ("drivers/infiniband/core/frwr/", "drivers/infiniband/hw/mlx5_ibx/",
           "drivers/infiniband/sw/mlx5sim/")
VAGUE = ("them", "these", "those", "how", "who", "what", "it", "where", "why", "whose")
PHRASES = ("whoever", "nobody's", "what it owes", "as new", "for ever", "anew")

COMMENT_OR_STRING = re.compile(r'(?P<comment>//[^\n]*|/\*.*?\*/)|"(?:\\.|[^"\\\n])*"', re.S)
STATIC = re.compile(r"^static\b[^;={}()]*?(?<![#\w])(\w+)\((?=[^;{]*\{)", re.M)
HEADING = re.compile(r"/\*\*[ \t]*\n?[ \t*]*(\w+)[ \t]*(?:\([^)\n]*\))?[ \t]*[-:]")
DIALECT = re.compile(r"/\*\*[ \t]*\n?[ \t*]*\w+\(\) -(?=[ \n])")
PARAMETER = re.compile(rf"^[/ \t*]*@(\w[\w.\->]*|\.\.\.):[ \t]*({'|'.join(VAGUE)})[.,;]?[ \t]*"
                       r"(?=\*/|\n[ \t*]*(?:/|@|\n)|\Z)", re.M | re.I)
PHRASE = re.compile(r"\b(" + "|".join(p.replace(" ", r"[\s*]+") for p in PHRASES) + r")\b",
                    re.I)


def static_functions(text):
    """(offset, what is wrong) of static functions."""
    for match in STATIC.finditer(text):
        if not re.search(r"[^_]_[^_]", match[1]):
            yield match.start(1), f"{match[1]}() is one word"


def precedes_function(name, rest):
    """Whether the text after a comment begins with that function, or macro with parameters."""
    if re.match(r"\s*#", rest):
        return re.match(rf"\s*#[ \t]*define[ \t]+{name}\(", rest)
    return re.search(rf"\b{name}\s*\(", re.match(r"[^;{]*", rest)[0])


def kernel_doc(comment, rest):
    """(offset, what is wrong) of a kernel-doc comment, given what follows it."""
    heading = HEADING.match(comment)
    if heading and precedes_function(heading[1], rest) and not DIALECT.match(comment):
        yield heading.start(1), f"not \"{heading[1]}() - text\""
    for match in PARAMETER.finditer(comment):
        yield match.start(1), f"@{match[1]} is \"{match[2]}\""


def phrases(text):
    """(offset, what is wrong) of a comment or text."""
    for match in PHRASE.finditer(text):
        yield match.start(), '"' + re.sub(r"[\s*]+", " ", match[1]) + '"'


def faults(path, text):
    """(rule, offset, what is wrong) of each fault of a file."""
    if not path.endswith((".c", ".h")):
        yield from (("phrase", *fault) for fault in phrases(text))
        return
    for match in COMMENT_OR_STRING.finditer(text):
        comment, start = match["comment"] or "", match.start()
        found = [("phrase", *fault) for fault in phrases(comment)]
        if comment.startswith("/**"):
            found += [("dialect" if "text" in what else "parameter", at, what)
                      for at, what in kernel_doc(comment, text[match.end():])]
        yield from ((rule, start + at, what) for rule, at, what in found)
    if path.startswith(MODULES) and path.endswith(".c") and "/tests/" not in path:
        code = COMMENT_OR_STRING.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
        yield from (("function", *fault) for fault in static_functions(code))


def files(places):
    """C files and texts among the places, relative to the project."""
    for place in places:
        place = os.path.relpath(place, TOP)
        if os.path.isfile(os.path.join(TOP, place)):
            yield place
        for where, dirs, names in os.walk(os.path.join(TOP, place)):
            dirs.sort()
            for name in sorted(names):
                if name.endswith((".c", ".h", ".rst", ".md")) and not name.endswith(".mod.c"):
                    yield os.path.relpath(os.path.join(where, name), TOP)


EXAMPLES = (
    ("x.c", "static int __init take(void)\n{\n}\nstatic int a_b(int\n\tb)\n{\n}\n"
            "static int c(void);\n/* static int d(void) { } */\nstatic struct e f = { g(1) };"
            "\nstatic int name##_h(void) \\\n{ \\\n}", ["take() is one word"]),
    ("x.c", "static bool\n_fit(int (*f)(int a))\n\t__must_hold(a)\n{\n}", ["_fit() is one word"]),
    ("x.h", "/**\n * f - text\n * @a: all of these\n */\nint f(int a);", ['not "f() - text"']),
    ("x.h", "/**\n * f: text\n */\n__printf(1, 2)\nstruct a *f(int a);", ['not "f() - text"']),
    ("x.h", "/**\n * F - text\n */\n#define F(a) a\n/** g - text */\nint g(void);",
     ['not "F() - text"', 'not "g() - text"']),
    ("x.h", "/**\n * f() - text\n */\nint f(int a);\n/**\n * struct g - f\n */\nstruct g {\n};\n"
            "/**\n * N - text\n */\n#define N 4\n/* f - text */\nint f(int a);", []),
    ("x.h", "/**\n * f() - text\n * @a: Those\n * @b: how many\n * @c: it\n */\nint f(int a);",
     ['@a is "Those"', '@c is "it"']),
    ("x.h", "/**\n * struct s - t\n * @a: them.\n * @b: how\n *   long\n * @c: why\n *\n * C\n */\n"
            "/** @d: who */\n/** @...: what */\n", ['@a is "them"', '@c is "why"', '@d is "who"',
                                                    '@... is "what"']),
    ("x.c", "/* Whoever\n * waits for\n * ever, as newer\n */\nint anew; // nobody's \"as new\"\n"
            "char *a = \"anew\";",
     ['"Whoever"', '"for ever"', '"nobody\'s"', '"as new"']),
    ("x.rst", "What it\nowes, anew.", ['"What it owes"', '"anew"']),
)


def main(opts):
    """Try the examples, then look at every file."""
    for name, text, expected in EXAMPLES:
        got = [what for _, _, what in sorted(faults(MODULES[0] + name, text), key=lambda f: f[1])]
        if got != expected:
            sys.exit(f"names: in {text!r}\nexpected {expected}\nbut got {got}")
    counts = collections.defaultdict(collections.Counter)
    for path in files(opts.place or [os.path.join(TOP, place) for place in PLACES]):
        with open(os.path.join(TOP, path), encoding="utf-8") as f:
            text = f.read()
        for rule, at, what in faults(path, text):
            counts[os.path.dirname(path) or "."][rule] += 1
            if not opts.counts:
                print(f"{path}:{text.count(chr(10), 0, at) + 1}: {what}")
    for where in sorted(counts) if opts.counts else ():
        print(f"{where:<50}", *(f"{n} {rule}" for rule, n in sorted(counts[where].items())))
    total = sum(counts.values(), collections.Counter())
    print("names:", ", ".join(f"{n} {rule}" for rule, n in sorted(total.items())) or "none found")
    return 1 if total else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--counts", action="store_true", help="how many in each directory")
    parser.add_argument("place", nargs="*", help="files and directories")
    sys.exit(main(parser.parse_args()))
