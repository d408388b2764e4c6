#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Finds faults of the documentation that Sphinx does not report: docs.py RST-DIR HTML-DIR HEADER...

* A paragraph of a DOC: block of a header that no page shows, and a function or type with a
kernel-doc
  comment in a header that no page shows. A cause may be the level of a heading inside a DOC: block:
  if it is not lower than the level of the section of the page, docutils drops the text after it.
* A section without content.
* A row of a simple table that is the rest of the row above it. Text in the first column begins a
  new row: that column cannot have two lines (in a list-table it can). A blank line separates two
  rows that look like one.
* A cell of any table that ends in the middle of a sentence: with a comma, an article or a
  conjunction, or inside parentheses.
* A function whose description has two parts: kernel-doc treats a paragraph after "Return:" or
  "Context:" as a second description.
* The name of a function without a link, if a page describes the function.
* A line of code that is wider than the page.
* Markup that Sphinx did not interpret, and that a page shows as text or in code.

Prints each fault; then the exit status is 1. htmldocs.sh calls this program.
"""

import glob
import html
import os
import re
import sys

BORDER = re.compile(r"^\s*=+( +=+)+\s*$")
EMPTY = re.compile(r"<section id=\"([^\"]*)\">\s*(?:<span id=\"[^\"]*\"></span>\s*)*"
                   r"<h(\d)>.*?</h\2>\s*</section>", re.S)
# markup that is a fault in text, but not in code
RAW = re.compile(r"\*\*\w|\w\*\*|``")
# markup that is a fault in text and in code: kernel-doc recognises code only after "::"
ROLE = re.compile(r":\w+:`")
# the end of a cell with half a sentence
HALF = re.compile(r"(,|\(|\b(a|an|the|and|or))$")
# the first line of a kernel-doc comment of a function or type
NAMED = re.compile(r"/\*\*\n \* (?:struct |enum |union |typedef )?(\w+)(?:\(\))? - ")
WORDS = 8       # number of words that identify a paragraph of a DOC: block
COLUMNS = 100   # longest line of code that fits into a page


def tables(lines):
    """(columns, [(line number, line) of the body]) of each simple table. A column is (first,
    end)."""
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
    """True if the text in a first column of this width seems to continue in the next line,
    follows."""
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
            # a blank line separates rows; a line without text in the first column does not
            before = text if line.strip() else ""


def text_of(page, dropped="script|style|pre|title"):
    """The visible text of a page in one line, without the elements dropped."""
    page = re.sub(rf"(?s)<({dropped})\b.*?</\1>|<!--.*?-->", " ", page)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", page)).split())


def prose_of(page):
    """The text of a page without code, literals and declarations."""
    return text_of(page, "script|style|pre|title|code|dt")


def words_of(text):
    """The words of a text in lower case, without markup and punctuation, for comparisons."""
    return re.sub(r"[^a-z0-9]+", " ", text.lower()).strip()


def doc_blocks(header):
    """(title, [first words of each paragraph]) of each DOC: block in the text of a header. Code and
    tables are omitted."""
    for title, body in re.findall(r"/\*\*\n \* DOC: ([^\n]*)\n(.*?)\*/", header, re.S):
        words = []
        for paragraph in re.split(r"\n\s*\n", re.sub(r"(?m)^ \* ?", "", body)):
            paragraph = re.sub(r"^\s*\n", "", paragraph)
            if not re.match(r"\s|=+ ", paragraph):
                paragraph = re.sub(r"^(\*|-|\d+\.) ", "", paragraph)
                words.append(" ".join(words_of(paragraph).split()[:WORDS]))
        yield title, [w for w in words if w]


def missing(headers, pages):
    """A line for each part of the headers, {name: text}, that is in no page."""
    everything = words_of(" ".join(text_of(page, "script|style") for page in pages.values()))
    described = {name for page in pages.values() for name in re.findall(r'id="c\.(\w+)"', page)}
    for name, header in sorted(headers.items()):
        for title, paragraphs in doc_blocks(header):
            for words in paragraphs:
                if words not in everything:
                    yield f"{name}: in no page: DOC: {title}: {words}"
        for symbol in NAMED.findall(header):
            if symbol not in described:
                yield f"{name}: in no page: {symbol}"


def halves(page):
    """The cells of the tables of a page that are half a sentence."""
    for cell in re.findall(r"(?s)<t[dh]\b[^>]*>(.*?)</t[dh]>", page):
        text = text_of(cell)
        if HALF.search(text) or text.count("(") != text.count(")"):
            yield text


def without_link(page, described):
    """The names of described functions that occur in a page without a link."""
    text = text_of(page, r"script|style|pre|title|dt|a|h\d")
    return sorted({name for name in re.findall(r"\b(\w+)\(\)", text) if name in described})


def wide_lines(page):
    """The lines of code of a page that have more than COLUMNS columns."""
    for code in re.findall(r"(?s)<pre\b[^>]*>(.*?)</pre>", page):
        for line in html.unescape(re.sub(r"<[^>]*>", "", code)).split("\n"):
            if len(line.expandtabs(8)) > COLUMNS:
                yield line.strip()


def faults_of_page(page, described):
    """A line for each fault of a page."""
    for match in EMPTY.finditer(page):
        yield f"section {match[1]} is empty"
    for cell in halves(page):
        yield f"a cell is half a sentence: {cell}"
    for declaration in page.split('<dl class="c ')[1:]:
        if declaration.count("<strong>Description</strong>") > 1:
            found = re.search(r'id="c\.([^"]*)"', declaration)
            yield f"{found[1] if found else '?'} has two descriptions"
    for name in without_link(page, described):
        yield f"{name}() is no link"
    for line in wide_lines(page):
        yield f"code is wider than {COLUMNS} columns: {line}"
    for text, pattern in ((prose_of(page), RAW), (text_of(page, "script|style"), ROLE)):
        for match in pattern.finditer(text):
            yield f"markup is shown as text: {text[max(0, match.start() - 30):match.end() + 30]}"


def find_faults(rst, pages, headers):
    """A line for each fault. rst: {name: lines}, pages: {name: HTML}, headers: {name: text}"""
    for name, lines in sorted(rst.items()):
        for nr in fragments(lines):
            yield f"{name}:{nr}: the rest of the row above it is a row of its own"
    described = {name for page in pages.values() for name in
                 re.findall(r'<dl class="c (?:function|macro)">\s*<dt [^>]*id="c\.(\w+)"', page)}
    for name, page in sorted(pages.items()):
        for fault in faults_of_page(page, described):
            yield f"{name}: {fault}"
    yield from missing(headers, pages)


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
    headers = {name: text for path in argv[3:] for name, text in read(path).items()}
    found = [*find_faults(rst, pages, headers)]
    print("\n".join(f"docs: {line}" for line in found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
