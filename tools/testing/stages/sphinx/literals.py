# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Sphinx extension: makes links of literals. A literal is the name of a documented function, with
or without (), or "struct" and the name of a documented structure. The kernel's automarkup makes
links in text, but not of literals.
"""

import re

from docutils import nodes
from sphinx import addnodes

NAME = re.compile(r"(?:struct )?(\w+)(\(\))?")


def link_literals(app, doctree, docname):
    """Replace each literal that names a documented function or structure by a link."""
    domain = app.env.get_domain("c")
    for literal in list(doctree.findall(nodes.literal)):
        match = NAME.fullmatch(literal.astext())
        if not match or isinstance(literal.parent, nodes.reference) or \
                literal.parent.parent is None:
            continue
        target = addnodes.pending_xref(refdomain="c", reftype="identifier", reftarget=match[1],
                                       modname=None, classname=None)
        found = domain.resolve_xref(app.env, docname, app.builder, "identifier", match[1], target,
                                    literal.deepcopy())
        if found is not None:
            literal.replace_self(found)


def setup(app):
    """Called by Sphinx."""
    app.connect("doctree-resolved", link_literals)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
