"""Formulas as MathML, which browsers show by themselves: no script, no font, no network."""

from __future__ import annotations

from html import escape
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError


def _mathml(node: nodes.Node, display: str) -> str:
    source = node.astext()
    try:
        return convert(source, display=display)
    except Exception as error:
        raise ExtensionError(f"formula {source!r} is not understood: {error!r}") from error


def visit_math(self: Any, node: nodes.math) -> None:
    """Write a formula within text."""
    self.body.append(_mathml(node, "inline"))
    raise nodes.SkipNode


def visit_math_block(self: Any, node: nodes.math_block) -> None:
    """Write a formula of its own, with its label as anchor."""
    label = node.get("label")
    anchor = f' id="equation-{escape(nodes.make_id(label), quote=True)}"' if label else ""
    self.body.append(f'<div class="math"{anchor}>{_mathml(node, "block")}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register as the renderer of formulas for HTML."""
    app.add_html_math_renderer(
        "mathml",
        inline_renderers=(visit_math, None),
        block_renderers=(visit_math_block, None),
    )
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
