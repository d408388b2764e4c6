#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Shows that docs.py finds the faults of its list, and nothing else. Prints each example with
another result; exit status 1 if there is one.
"""

import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
# pylint: disable=wrong-import-position
import docs

# a table, and the lines that are fragments
TABLES = [
    ("""====================  ====
a                     b
====================  ====
an initiator: it      uses
lends memory          this
another               that
====================  ====
""", [5]),
    ("""====================  ====
a                     b
====================  ====
an initiator: it      uses

lends memory          this
====================  ====
""", []),
    ("""==============  ====
a               b
==============  ====
``first()``,    c
``second()``    d
``third_``      e
``four()``      f
                g
``fifth()``     h
==============  ====
""", [5, 7]),
    ("""==========  ====
RESET_QP    c
``a b c d`` d
DESTROY_QP  e
==========  ====
""", []),
]
PAGES = [
    ('<section id="a"><h2>A<a>#</a></h2><p>text</p></section>', []),
    ('<section id="a"><h2>A</h2>\n</section>', ["p: section a is empty"]),
    ('<section id="a"><h2>A</h2><section id="b"><h3>B</h3></section></section>',
     ["p: section b is empty"]),
    ("<p>2^**shift** bytes</p>", ["p: markup is shown as text: 2^**shift** bytes",
                                  "p: markup is shown as text: 2^**shift** bytes"]),
    ('<dl class="c function"><dt id="c.f">f()</dt></dl><strong>Description</strong>'
     '<dl class="c function"><dt id="c.g">g()</dt></dl><strong>Description</strong>', []),
    ('<dl class="c function"><dt id="c.f">f()</dt></dl><strong>Description</strong>'
     '<strong>Return</strong><strong>Description</strong>', ["p: f has two descriptions"]),
    ("<p>2^<code>**shift**</code> bytes</p><pre>``</pre>", []),
]
HEADER = """/**
 * DOC: Pools
 *
 * A *pool* has objects.
 */
"""


def faults():
    """A line for each example with another result."""
    for text, want in TABLES:
        found = [*docs.fragments(text.split("\n"))]
        if found != want:
            yield f"{found}, expected {want}, in\n{text}"
    for page, want in PAGES:
        found = [*docs.find_faults({}, {"p": page}, [])]
        if found != want:
            yield f"{found}, expected {want}, in {page}"
    with tempfile.NamedTemporaryFile("w", suffix=".h") as header:
        header.write(HEADER)
        header.flush()
        for page, want in (("<p>A <em>pool</em> has <code>objects</code>.</p>", 0),
                           ("<p>Pools</p>", 1)):
            if len([*docs.find_faults({}, {"p": page}, [header.name])]) != want:
                yield f"DOC: in {page}"


def main():
    """Print the failed examples."""
    found = [*faults()]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
