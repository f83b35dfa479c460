"""Configuration of the documentation: Sphinx, MyST, numpydoc and two extensions of our own."""

import importlib.metadata
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project = "kcut"
author = "The kcut developers"
project_copyright = author
release = version = importlib.metadata.version("kcut")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "mathml",
    "generated",
]
root_doc = "index"
exclude_patterns = ["_build"]
nitpicky = False

myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"kcut {release}"
html_static_path = ["_static"]
html_css_files = ["kcut.css"]
html_show_sphinx = False

# Names such as Parameters hold types in words; linking each of those words would be noise.
numpydoc_xref_param_type = False
numpydoc_class_members_toctree = False
numpydoc_show_class_members = False
numpydoc_validation_checks = {"GL06", "GL07", "PR02"}
autodoc_typehints = "none"
autodoc_member_order = "bysource"
