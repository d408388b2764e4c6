# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Elements of the SVG pictures of ibx-trace and ibx-mkey.

All text is in a monospaced font: the number of characters determines the width of a text. The
elements of a picture determine the size of the picture. A picture has a background. Its colours are
light or dark, according to the colour scheme of the reader.
"""

from xml.sax.saxutils import escape, quoteattr

CHAR = 7.3          # largest width of a character in the normal size
SMALL = 6.7         # the same in class "small"
LARGE = 7.9         # the same in class "title"
MARGIN = 14
COLOURS = 5         # number of classes c0, c1, ... that distinguish boxes

# class: (fill in the light colour scheme, fill in the dark colour scheme)
FILLS = {
    "page": ("#ffffff", "#0f141a"), "plain": ("#e3e7eb", "#3a434d"),
    "text": ("#1b2026", "#e8edf2"), "faint": ("#57606a", "#a3adb8"),
    "c0": ("#b9d6fb", "#1d4f8f"), "c1": ("#bfe6c5", "#1f6235"), "c2": ("#ffd7a3", "#84500f"),
    "c3": ("#dccbf5", "#5a3d8c"), "c4": ("#ecdf93", "#665c12"), "alert": ("#ffc4c4", "#8c2f33"),
}
LINES = ("#8a949e", "#77828e")


def style():
    """The style sheet."""
    def rules(nr):
        fills = [f".{name} {{ fill: {colours[nr]} }}" for name, colours in FILLS.items()]
        return [*fills, f".box, .line {{ stroke: {LINES[nr]} }}"]
    fixed = ["text { font-family: ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace;"
             " font-size: 12px; white-space: pre }", ".small { font-size: 11px }",
             ".title { font-size: 13px; font-weight: bold }", ".box, .line { stroke-width: 1 }",
             ".link { opacity: 0.35 }", ".dashed { stroke-dasharray: 4 3 }"]
    return "\n".join([*fixed, *rules(0), "@media (prefers-color-scheme: dark) {", *rules(1), "}"])


def width_of(text, css=""):
    """Width of a text with the CSS classes css."""
    size = LARGE if "title" in css.split() else SMALL if "small" in css.split() else CHAR
    return len(text) * size


class Picture:
    """The elements of a picture, and the size that they need."""

    def __init__(self, title, about):
        self.title, self.about = title, about
        self.elements = []
        self.right = self.bottom = 0

    def _add(self, element, right, bottom):
        self.elements.append(element)
        self.right, self.bottom = max(self.right, right), max(self.bottom, bottom)

    def text(self, x, y, text, css="text", anchor="start", name=None):
        """Add a text with the base line y. x is the start, the middle or the end of the text, as
        anchor says. Programs can find the text by its attribute data-name, which is set to name."""
        width = width_of(text, css)
        right = x + width * {"start": 1, "middle": 0.5, "end": 0}[anchor]
        if css.split()[0] not in ("text", "faint"):
            css = f"text {css}"
        named = f" data-name={quoteattr(name)}" if name else ""
        self._add(f'<text x="{x:.1f}" y="{y:.1f}" class="{css}" text-anchor="{anchor}"'
                  f' xml:space="preserve"{named}>{escape(text)}</text>', right, y + 4)

    def box(self, x, y, size, css, label="", hint=""):
        """Add a box with an outline. The label is omitted if the box is too narrow."""
        width, height = size
        title = f"<title>{escape(hint)}</title>" if hint else ""
        self._add(f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 1):.1f}" height="{height:.1f}"'
                  f' class="box {css}">{title}</rect>', x + width, y + height)
        if label and width_of(label, "small") + 2 <= width:
            self.text(x + width / 2, y + height / 2 + 4, label, "small", "middle")

    def area(self, points, css):
        """Add an area without an outline."""
        shape = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self._add(f'<polygon points="{shape}" class="{css}"/>', max(x for x, _ in points),
                  max(y for _, y in points))

    def line(self, begin, end, css=""):
        """Add a line between two points."""
        (x1, y1), (x2, y2) = begin, end
        self._add(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
                  f' class="line {css}"/>', max(x1, x2), max(y1, y2))

    def svg(self):
        """The text of the SVG file."""
        width, height = self.right + MARGIN, self.bottom + MARGIN
        return "\n".join([
            '<?xml version="1.0" encoding="UTF-8"?>',
            "<!-- SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB -->",
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}"'
            f' viewBox="0 0 {width:.0f} {height:.0f}" role="img">',
            f"<title>{escape(self.title)}</title>", f"<desc>{escape(self.about)}</desc>",
            f"<style>\n{style()}\n</style>",
            f'<rect x="0.5" y="0.5" width="{width - 1:.0f}" height="{height - 1:.0f}" rx="6"'
            ' class="page box"/>', *self.elements, "</svg>", ""])

    def save(self, path):
        """Write the file. OSError if that fails."""
        with open(path, "w", encoding="utf-8") as f:
            f.write(self.svg())


def labels_apart(picture, labels, y, css="faint small"):
    """Draw labels, a list of (x, text) from left to right, in one line. A text that would touch the
    previous text or the last text is omitted; the last text is always drawn."""
    if not labels:
        return
    last_x, last = labels[-1]
    free, end = 0, last_x
    for x, text in labels[:-1]:
        if x >= free and x + width_of(text, css) + SMALL <= end:
            picture.text(x, y, text, css)
            free = x + width_of(text, css) + SMALL
    picture.text(last_x, y, last, css)
