"""Formulas as MathML, which browsers show by themselves: no script, no font, no network."""

from __future__ import annotations

import re
from html import escape
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

_TAG = re.compile(r"\\tag\{([^}]*)\}")
# A prime is a raised glyph already; raised again, fonts without a feature for it show a dot.
_LEAF = r"(<m[in]>[^<]*</m[in]>)"
_PRIME = re.compile(rf"<msup>{_LEAF}<mi>&#x02032;</mi></msup>")
_INDEXED_PRIME = re.compile(rf"<msubsup>{_LEAF}{_LEAF}<mi>&#x02032;</mi></msubsup>")
_PRIMED = r'<mrow>\1<mo lspace="0" rspace="0">&#x02032;</mo></mrow>'


def _mathml(source: str, display: str) -> str:
    try:
        found = _PRIME.sub(_PRIMED, convert(source, display=display))
        return _INDEXED_PRIME.sub(rf"<msub>{_PRIMED}\2</msub>", found)
    except Exception as error:
        raise ExtensionError(f"formula {source!r} is not understood: {error!r}") from error


def visit_math(self: Any, node: nodes.math) -> None:
    """Write a formula within text."""
    self.body.append(_mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def visit_math_block(self: Any, node: nodes.math_block) -> None:
    """Write a formula of its own, with its tag, if it has one, at the margin."""
    source = node.astext()
    found = _TAG.search(source)
    tag = f'<span class="tag">({escape(found[1])})</span>' if found else ""
    shown = _mathml(_TAG.sub("", source), "block")
    self.body.append(f'<div class="formula">{shown}{tag}</div>\n')
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
