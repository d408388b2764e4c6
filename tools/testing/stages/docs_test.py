#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Tests that docs.py finds the faults that its docstring lists, and no other faults. Prints each
example whose result is not the expected result; then the exit status is 1.
"""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
# pylint: disable=wrong-import-position
import docs

# a table, and the numbers of the lines that docs.fragments() must find
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
    ("<pre>f(:c:type:`attr`);</pre>", ["p: markup is shown as text: f(:c:type:`attr`);"]),
    ("<table><tr><td>first, second, and</td><td>a text (of two parts)</td></tr></table>",
     ["p: a cell is half a sentence: first, second, and"]),
    ("<table><tr><td><p><code>first()</code>,</p></td><td>an end)</td></tr></table>",
     ["p: a cell is half a sentence: first(),", "p: a cell is half a sentence: an end)"]),
    ("<table><tr><th>posted by</th><td>the first one on</td></tr></table>", []),
    ('<dl class="c function">\n<dt class="sig" id="c.f">f()</dt></dl><p>call <a>f()</a></p>', []),
    ('<dl class="c function">\n<dt class="sig" id="c.f">f()</dt></dl><p>call <code>f()</code></p>',
     ["p: f() is no link"]),
    (f"<pre><span>{'x' * docs.COLUMNS}\n{'y' * docs.COLUMNS}</span></pre>", []),
    (f"<pre><span>{'x' * docs.COLUMNS}z</span></pre>",
     [f"p: code is wider than {docs.COLUMNS} columns: {'x' * docs.COLUMNS}z"]),
]
HEADER = """/**
 * DOC: Pools
 *
 * A *pool* has objects::
 *
 *	struct pool *p = make();
 *
 *	free(p);
 *
 * States of a pool
 * ~~~~~~~~~~~~~~~~
 *
 * * It is empty, or
 * * it is not.
 */

/**
 * struct pool - objects
 */

/**
 * make() - make a pool
 */
"""
SYMBOLS = '<dt id="c.pool"></dt><dt id="c.make"></dt>'
FIRST = "<p>A <em>pool</em> has <code>objects</code>:</p>"
REST = "<h4>States of a pool</h4><ul><li>It is empty, or</li>\n<li>it is not.</li></ul>"
# pages, and the parts of the header that they lack
HEADERS = [
    (FIRST + REST + SYMBOLS, []),
    ("<p>Pools</p>" + REST + SYMBOLS, ["DOC: Pools: a pool has objects"]),
    (FIRST + SYMBOLS, ["DOC: Pools: states of a pool", "DOC: Pools: it is empty or it is not"]),
    (FIRST + REST, ["pool", "make"]),
]


def faults():
    """A line for each example with another result."""
    for text, want in TABLES:
        found = [*docs.fragments(text.split("\n"))]
        if found != want:
            yield f"{found}, expected {want}, in\n{text}"
    for page, want in PAGES:
        found = [*docs.find_faults({}, {"p": page}, {})]
        if found != want:
            yield f"{found}, expected {want}, in {page}"
    for page, want in HEADERS:
        found = [*docs.find_faults({}, {"p": page}, {"h": HEADER})]
        if found != [f"h: in no page: {what}" for what in want]:
            yield f"{found}, expected {want}, in {page}"


def main():
    """Print the failed examples."""
    found = [*faults()]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
