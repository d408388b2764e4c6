# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Sphinx extension: a literal that is the name of a documented function, with or without (), or of
a documented structure after the word struct, is a link to its description. The kernel's automarkup
does this in text only.
"""

import re

from docutils import nodes
from sphinx import addnodes

NAME = re.compile(r"(?:struct )?(\w+)(\(\))?")


def link_literals(app, doctree, docname):
    """Replace the literals that can be resolved by links."""
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
