"""How Sphinx builds the site: ``tox -e docs``."""

from __future__ import annotations

import sys
from importlib.metadata import metadata
from pathlib import Path

from pygments.lexers.sql import PostgresLexer
from sphinx.highlighting import lexers

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

_package = metadata("portico-api")

# All SQL on these pages is PostgreSQL's; the lexer for standard SQL does not know $$ and $1.
lexers["sql"] = PostgresLexer()

project = "Portico"
author = "The authors of Portico"
version = release = _package["Version"]

extensions = ["myst_parser", "sphinx_copybutton", "generated"]
exclude_patterns = ["_extensions"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
nitpicky = True

html_theme = "furo"
html_title = "Portico"
html_static_path = ["_static"]
html_css_files = ["portico.css"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
copybutton_exclude = ".linenos, .gp, .go"
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "monokai"
