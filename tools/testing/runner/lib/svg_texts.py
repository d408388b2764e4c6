#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Check an SVG picture of ibx-trace or ibx-mkey, and print its contents: svg_texts.py FILE

Prints each text with a name as "NAME: TEXT", each box with a hint as "box: HINT", in the order of
the file. Prints the reason and exits with 1 if the file is not XML, if a text or a box is not
inside the picture, if two texts overlap, or if a text crosses a side of a box.
"""

import itertools
import sys
import xml.etree.ElementTree

SVG = "{http://www.w3.org/2000/svg}"
# width of a character of the monospaced font, as a multiple of the font size
ADVANCE = 0.602
SIZES = {"small": 11, "title": 13}


def number(element, name):
    """An attribute that is a number."""
    return float(element.get(name))


def span_of(text):
    """(first x, last x, top, bottom) of a text."""
    sizes = [SIZES[css] for css in text.get("class").split() if css in SIZES]
    size = sizes[0] if sizes else 12
    width = ADVANCE * size * len(text.text or "")
    x = number(text, "x") - width * {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor")]
    return x, x + width, number(text, "y") - 0.75 * size, number(text, "y") + 0.25 * size


def span_of_box(box):
    """(first x, last x, top, bottom) of a rectangle."""
    x, y = number(box, "x"), number(box, "y")
    return x, x + number(box, "width"), y, y + number(box, "height")


def overlap(one, two):
    """True if two spans have an area in common."""
    return one[0] < two[1] and two[0] < one[1] and one[2] < two[3] and two[2] < one[3]


def faults(root):
    """A line for each fault of the picture."""
    width, height = number(root, "width"), number(root, "height")
    texts = [text for text in root.iter(SVG + "text") if (text.text or "").strip()]
    spans = [(text.text, span_of(text)) for text in texts]
    boxes = [("a box", span_of_box(box)) for box in root.iter(SVG + "rect")]
    for name, (left, right, top, bottom) in spans + boxes:
        if left < 0 or top < 0 or right > width or bottom > height:
            yield f"outside of the picture: {name}"
    for (one, a), (two, b) in itertools.combinations(spans, 2):
        if overlap(a, b):
            yield f"overlap: {one} / {two}"
    for text, span in spans:
        for _, box in boxes:
            if overlap(span, box) and (span[0] < box[0] or span[1] > box[1]):
                yield f"across the edge of a box: {text}"


def main(argv):
    """Check the file and print its contents."""
    try:
        root = xml.etree.ElementTree.parse(argv[1]).getroot()
    except (OSError, xml.etree.ElementTree.ParseError) as e:
        print(f"{argv[1]}: {e}", file=sys.stderr)
        return 1
    found = [*faults(root)]
    for fault in found:
        print(f"{argv[1]}: {fault}", file=sys.stderr)
    for element in root.iter():
        if element.tag == SVG + "text" and element.get("data-name"):
            print(f"{element.get('data-name')}: {element.text}")
        elif element.tag == SVG + "rect" and element.find(SVG + "title") is not None:
            print(f"box: {element.find(SVG + 'title').text}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
