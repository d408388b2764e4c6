#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Checks some rules of language: names.py [--counts] [FILE or DIRECTORY...]

Without arguments, this program checks all of PLACES. The rules:

  - a static function of a module's .c file has a name of at least two words (not under tests/)
  - kernel-doc of a function or of a macro with parameters begins "name() - text"
  - kernel-doc describes a parameter or member by more than a single word of VAGUE
  - no comment, no docstring and no text has one of PHRASES
  - the comments of a file in DENSE have at most LIMIT marks per 1000 words. The marks are the right
    column of the table of words in STYLE, except entries with a context in parentheses. In a
    script, docstrings count as comments; words in capitals and None are names, no marks. In a page,
    all text outside of literals counts as a comment

Prints each place that breaks a rule. --counts instead prints, for each directory, the number of
such places and the marks per 1000 words. EXAMPLES and DENSITIES test this program in each run. The
exit status is 1 if a place breaks a rule.
"""

import argparse
import collections
import io
import os
import re
import sys
import tokenize

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../.."))
PLACES = ("drivers", "include", "samples", "tools", "Documentation", "README.md", "MAINTAINERS")
MODULES = ("drivers/infiniband/core/frwr/", "drivers/infiniband/hw/mlx5_ibx/",
           "drivers/infiniband/hw/mlx5dv_ib/",
           "drivers/infiniband/sw/mlx5sim/")
VAGUE = ("them", "these", "those", "how", "who", "what", "it", "where", "why", "whose")
STYLE = "Documentation/infiniband/style.rst"
DENSE = ("drivers/infiniband/", "include/rdma/", "samples/", "tools/", "Documentation/",
         "README.md", "MAINTAINERS")
LIMIT = 2.0
FLOOR = 500     # a file with fewer words counts as a file with this many
PHRASES = ("whoever", "nobody's", "what it owes", "as new", "for ever", "anew")

COMMENT_OR_STRING = re.compile(r'(?P<comment>//[^\n]*|/\*.*?\*/)|"(?:\\.|[^"\\\n])*"', re.S)
STATIC = re.compile(r"^static\b[^;={}()]*?(?<![#\w])(\w+)\((?=[^;{]*\{)", re.M)
HEADING = re.compile(r"/\*\*[ \t]*\n?[ \t*]*(\w+)[ \t]*(?:\([^)\n]*\))?[ \t]*[-:]")
DIALECT = re.compile(r"/\*\*[ \t]*\n?[ \t*]*\w+\(\) -(?=[ \n])")
PARAMETER = re.compile(rf"^[/ \t*]*@(\w[\w.\->]*|\.\.\.):[ \t]*({'|'.join(VAGUE)})[.,;]?[ \t]*"
                       r"(?=\*/|\n[ \t*]*(?:/|@|\n)|\Z)", re.M | re.I)

SHELL_COMMENT = re.compile(r"^[ \t]*#[^\n]*(?:\n[ \t]*#[^\n]*)*|"
                           r"^(?:[^\n\"'#]|\"[^\n\"]*\"|'[^\n']*'|(?<=\S)#)*?\s(?P<end>#[^\n]*)",
                           re.M)
LITERAL = re.compile(r"^```.*?^```|``[^`]+``|`[^`\n]+`(?!_)|^ *(?:- |:\w+: )none\b", re.S | re.M)
ARGUMENT = re.compile(r"\bNone\b|\b[A-Z_]{2,}\b")       # in a script
NOTICE = re.compile(r"SPDX-License-Identifier:.*|.*Copyright.*")
WORD = re.compile(r"[A-Za-z]{2,}")


def pattern(phrases):
    """A regular expression that matches any phrase; a phrase may continue in the next line."""
    return re.compile(r"(?<![\w@.>])(" + "|".join(re.escape(p).replace(r"\ ", r"[\s*#]+")
                      for p in sorted(phrases, key=len, reverse=True)) + r")(?![\w(])", re.I)


def language(path, text):
    """Language of a file: c, python, shell, text, or None for other files."""
    name = os.path.basename(path)
    suffix = os.path.splitext(name)[1]
    if name.endswith(".mod.c"):
        return None
    for kind, suffixes in (("c", (".c", ".h", ".cocci")), ("python", (".py",)), ("shell", (".sh",)),
                           ("text", (".rst", ".md", ".8"))):
        if suffix in suffixes:
            return kind
    if name in ("Kbuild", "config"):
        return "shell"
    if name == "MAINTAINERS":
        return "text"
    first = re.match(r"#!.*\b(python3|bash|sh)\b|# shellcheck shell=", text)
    return first and ("python" if first[1] == "python3" else "shell")


def python_comments(text):
    """(offset, text) of comments and docstrings; comments of consecutive lines are one."""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    begins, found = True, []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        start, end = (starts[line - 1] + column for line, column in (token.start, token.end))
        if token.type == tokenize.COMMENT and found and not text[found[-1][1]:start].strip():
            found[-1] = (found[-1][0], end)
        elif token.type == tokenize.COMMENT or (token.type == tokenize.STRING and begins):
            found.append((start, end))
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            begins = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    return [(start, text[start:end]) for start, end in found]


def comments(kind, text):
    """(offset, text) of the comments of a file; for a page, of the page without its literals."""
    if kind == "c":
        return [(match.start(), match["comment"]) for match in COMMENT_OR_STRING.finditer(text)
                if match["comment"]]
    if kind == "python":
        return python_comments(text)
    if kind == "shell":
        return [(match.start("end" if match["end"] else 0), match["end"] or match[0])
                for match in SHELL_COMMENT.finditer(text)]
    return [(0, LITERAL.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text))]


def marks_of(style):
    """The marks that the table of words in the text of STYLE lists."""
    rows = re.search(r"^we write +we do not write\n(=+ +)=+\n(.*?)^=", style, re.S | re.M)
    entries = [entry.strip() for row in rows[2].splitlines()
               for entry in re.split("[,;]", row[len(rows[1]):])]
    return [entry for entry in entries if entry and "(" not in entry]


def static_functions(text):
    """(offset, fault) of each static function whose name is one word."""
    for match in STATIC.finditer(text):
        if not re.search(r"[^_]_[^_]", match[1]):
            yield match.start(1), f"{match[1]}() is one word"


def precedes_function(name, rest):
    """True if rest, the text after a comment, begins with the function or macro of this name."""
    if re.match(r"\s*#", rest):
        return re.match(rf"\s*#[ \t]*define[ \t]+{name}\(", rest)
    return re.search(rf"\b{name}\s*\(", re.match(r"[^;{]*", rest)[0])


def kernel_doc(comment, rest):
    """(offset, fault) of a kernel-doc comment; rest is the text after the comment."""
    heading = HEADING.match(comment)
    if heading and precedes_function(heading[1], rest) and not DIALECT.match(comment):
        yield heading.start(1), f"not \"{heading[1]}() - text\""
    for match in PARAMETER.finditer(comment):
        yield match.start(1), f"@{match[1]} is \"{match[2]}\""


def phrases(text):
    """(offset, fault) of each phrase of PHRASES in a comment or text."""
    for match in pattern(PHRASES).finditer(text):
        yield match.start(), '"' + re.sub(r"[\s*#]+", " ", match[1]) + '"'


def faults(path, text):
    """(rule, offset, fault) of each fault of a file."""
    kind = language(path, text)
    if kind != "c":
        yield from (("phrase", start + at, what) for start, part in comments(kind, text)
                    for at, what in phrases(part))
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


def marks(path, text, mark):
    """(number of words, [(offset, mark)]) of the comments of a file, or of a page."""
    kind = language(path, text)
    spoken = [(start, NOTICE.sub(lambda m: " " * len(m[0]), part))
              for start, part in comments(kind, text)]
    if kind in ("python", "shell"):
        spoken = [(start, ARGUMENT.sub(lambda m: "x" * len(m[0]), part)) for start, part in spoken]
    return (sum(len(WORD.findall(part)) for _, part in spoken),
            [(start + match.start(), re.sub(r"[\s*#]+", " ", match[1]))
             for start, part in spoken for match in mark.finditer(part)])


def density(words, found):
    """Marks per 1000 words."""
    return 1000 * len(found) / max(words, FLOOR)


def files(places):
    """(path relative to the project, text) of the files among the places that have a language."""
    for place in places:
        found = [place] if os.path.isfile(place) else []
        for where, dirs, names in os.walk(place):
            dirs.sort()
            found += [os.path.join(where, name) for name in sorted(names)]
        for path in found:
            with open(path, encoding="utf-8", errors="replace") as f:
                text = f.read()
            if language(path, text):
                yield os.path.relpath(path, TOP), text


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
    ("x.rst", "What it\nowes, anew. ``anew`` `anew` `anew`_\n```\nanew\n```\n",
     ['"What it owes"', '"anew"', '"anew"']),
    ("x.sh", "# What\n  # it owes\nx='# anew'${#anew} # as new\n", ['"What it owes"', '"as new"']),
)


# file, text, expected number of marks, and whether the density is above LIMIT
TABLE = ("==== =====\nwe write we do not write\n==== =====\nx    no, a b\n     e (f), has\n"
         "\ny    c, none\n==== =====\nz\n====\n")
DENSITIES = (
    ("x.c", "/* No: @no, no(), p->no, nose\n * a\n * b */\nint no; char *a = \"no\"; // e", 2,
     True),
    ("x.c", "/* has " + FLOOR * "word " + "*/", 1, False),
    ("x.c", "/* has c " + (FLOOR - 2) * "word " + "*/", 2, True),
    ("x.c", "/* has " + FLOOR * "word " + "*/ // " + FLOOR * "word " + "c", 2, False),
    ("x.c", "// SPDX-License-Identifier: has\n/* Copyright (c) has */\n" + FLOOR * "int has;\n", 0,
     False),
    ("x.py", "\"\"\"no\"\"\"\nx = 'no'  # has\n# a\n# b\ndef f():\n  'c'\n  f('c')\n", 4, True),
    ("x.sh", "x=${y#no} # has\n  # a\n\t# b\necho '# no' \"# no\" # c\necho no\n", 3, True),
    ("x.sh", "# HAS NO\n", 0, False),
    ("x.py", "# None: HAS NO\n", 0, False),
    ("x", "#!/bin/sh\n# no\necho has\n", 1, False),
    ("x.rst", "no ``no`` a\nb `c`_\n  :probe: none: no\n", 4, True),
    ("x.md", "no `no` a\nb\n```\nno\n```\nno ", 3, True),
)


def try_examples():
    """Exit unless EXAMPLES and DENSITIES give the results that they state."""
    for name, text, expected in EXAMPLES:
        got = [what for _, _, what in sorted(faults(MODULES[0] + name, text), key=lambda f: f[1])]
        if got != expected:
            sys.exit(f"names: in {text!r}\nexpected {expected}\nbut got {got}")
    if marks_of(TABLE) != ["no", "a b", "has", "c", "none"]:
        sys.exit(f"names: the marks of {TABLE!r} are {marks_of(TABLE)}")
    for name, text, number, above in DENSITIES:
        words, found = marks(name, text, pattern(marks_of(TABLE)))
        if (len(found), density(words, found) > LIMIT) != (number, above):
            sys.exit(f"names: in {name} {text[:60]!r}\nexpected {number}, {above}\n"
                     f"but got {found} in {words} words")


def main(opts):
    """Try the examples, then check every file."""
    try_examples()
    with open(os.path.join(TOP, STYLE), encoding="utf-8") as f:
        mark = pattern(marks_of(f.read()))
    counts = collections.defaultdict(collections.Counter)
    spoken = collections.defaultdict(lambda: [0, []])
    for path, text in files(opts.place or [os.path.join(TOP, place) for place in PLACES]):
        found = list(faults(path, text))
        where = os.path.dirname(path) or "."
        words, marked = marks(path, text, mark) if path != STYLE else (0, [])
        spoken[where] = [spoken[where][0] + words, spoken[where][1] + marked]
        if path.startswith(DENSE) and density(words, marked) > LIMIT:
            found += [("mark", at, f'"{what}" ({density(words, marked):.1f} per 1000 words)')
                      for at, what in marked]
        for rule, at, what in found:
            counts[where][rule] += 1
            if not opts.counts:
                print(f"{path}:{text.count(chr(10), 0, at) + 1}: {what}")
    for where in sorted(spoken) if opts.counts else ():
        print(f"{where:<50} {density(*spoken[where]):4.1f} marks per 1000 words",
              *(f"{n} {rule}" for rule, n in sorted(counts[where].items())))
    total = sum(counts.values(), collections.Counter())
    print("names:", ", ".join(f"{n} {rule}" for rule, n in sorted(total.items())) or "none found")
    return 1 if total else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--counts", action="store_true", help="how many in each directory")
    parser.add_argument("place", nargs="*", help="files and directories")
    sys.exit(main(parser.parse_args()))
