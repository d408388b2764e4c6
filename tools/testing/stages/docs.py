#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Finds faults of the documentation that Sphinx does not report: docs.py RST-DIR HTML-DIR HEADER...

* A DOC: block of a header that is in no page.
* A section without content.
* A row of a simple table that is the rest of the row above it: text in the first column begins a
  new row. The first column of such a table cannot have two lines; a list-table can. A blank line
  separates two rows that look like one.
* A function whose description has two parts: kernel-doc treats a paragraph after "Return:" or
  "Context:" as a second description.
* Markup that Sphinx did not interpret, and that is shown as text.

Prints each; exit status 1 if there are any. htmldocs.sh calls it.
"""

import glob
import html
import os
import re
import sys

BORDER = re.compile(r"^\s*=+( +=+)+\s*$")
EMPTY = re.compile(r"<section id=\"([^\"]*)\">\s*(?:<span id=\"[^\"]*\"></span>\s*)*"
                   r"<h(\d)>.*?</h\2>\s*</section>", re.S)
# shown as text, not as code
RAW = re.compile(r"\*\*\w|\w\*\*|``")
WORDS = 8       # number of words by which the text of a DOC: block is found


def tables(lines):
    """(columns, [(number, line) of the body]) of each simple table; a column is (first, end)."""
    nr = 0
    while nr < len(lines):
        if not BORDER.match(lines[nr]):
            nr += 1
            continue
        columns = [m.span() for m in re.finditer("=+", lines[nr])]
        borders = [nr]
        for nr in range(nr + 1, len(lines)):
            if BORDER.match(lines[nr]):
                borders.append(nr)
                if nr + 1 == len(lines) or not lines[nr + 1].strip():
                    break
        yield columns, [(n + 1, lines[n]) for n in range(borders[-2] + 1, borders[-1])]
        nr += 1


def goes_on(text, width, follows):
    """True if text in a first column of this width seems to continue in the next line."""
    if text.endswith((",", "_``", "(", " and", " or")):
        return True
    complete = text.endswith((".", ":", ";")) or (text.startswith("``") and text.endswith("``"))
    return (len(text.split()) > 2 and not complete and
            len(text) + 1 + len(follows.split()[0]) > width)


def fragments(lines):
    """Numbers of lines that are the rest of the row above them."""
    for columns, body in tables(lines):
        first, end = columns[0]
        before = ""
        for nr, line in body:
            text = line[first:columns[1][0]].strip()
            if before and text and goes_on(before, end - first, text):
                yield nr
            # a blank line follows, or the row has more lines
            before = text if line.strip() else ""


def text_of(page):
    """The text of a page that a reader sees, without code, in one line."""
    page = re.sub(r"(?s)<(script|style|pre|title)\b.*?</\1>|<!--.*?-->", " ", page)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", page)).split())


def prose_of(page):
    """The text of a page without code, literals and declarations."""
    return text_of(re.sub(r"(?s)<(code|dt)\b.*?</\1>", " ", page))


def words_of(text):
    """A text without markup, for comparison."""
    return re.sub(r"[^a-z0-9]+", " ", text.lower()).strip()


def doc_blocks(header):
    """(title, first words) of each DOC: block."""
    with open(header, encoding="utf-8") as f:
        blocks = re.findall(r"/\*\*\n \* DOC: ([^\n]*)\n(.*?)\*/", f.read(), re.S)
    for title, body in blocks:
        words = words_of(" ".join(re.sub(r"(?m)^ \* ?", "", body).split())).split()
        yield title, " ".join(words[:WORDS])


def find_faults(rst, pages, headers):
    """rst: {name: lines}, pages: {name: HTML}, headers: paths. A line for each fault."""
    for name, lines in sorted(rst.items()):
        for nr in fragments(lines):
            yield f"{name}:{nr}: the rest of the row above it is a row of its own"
    for name, page in sorted(pages.items()):
        for match in EMPTY.finditer(page):
            yield f"{name}: section {match[1]} is empty"
        for declaration in page.split('<dl class="c ')[1:]:
            if declaration.count("<strong>Description</strong>") > 1:
                found = re.search(r'id="c\.([^"]*)"', declaration)
                yield f"{name}: {found[1] if found else '?'} has two descriptions"
        for match in RAW.finditer(prose_of(page)):
            around = prose_of(page)[max(0, match.start() - 30):match.end() + 30]
            yield f"{name}: markup is shown as text: {around}"
    everything = words_of(" ".join(text_of(page) for page in pages.values()))
    for header in headers:
        for title, words in doc_blocks(header):
            if words not in everything:
                yield f"{header}: in no page: DOC: {title}"


def read(pattern):
    """{name: text} of files."""
    found = {}
    for path in glob.glob(pattern):
        with open(path, encoding="utf-8") as f:
            found[os.path.basename(path)] = f.read()
    return found


def main(argv):
    """Print the faults."""
    if len(argv) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    rst = {name: text.split("\n") for name, text in read(f"{argv[1]}/*.rst").items()}
    pages = {name: text for name, text in read(f"{argv[2]}/*.html").items()
             if name not in ("genindex.html", "search.html")}
    if not rst or not pages:
        print("docs: nothing to look at")
        return 1
    found = [*find_faults(rst, pages, argv[3:])]
    print("\n".join(f"docs: {line}" for line in found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
