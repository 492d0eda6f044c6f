"""The site of the documentation: `make docs` builds it to build/site from the pages as they are.

The playground lies inside, as the folder `playground`.
"""

from pathlib import Path
from typing import Any

from pygments.formatters import HtmlFormatter

from axmem.front.version import __version__

project = "axmem"
author = "The authors of axmem"
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "axmem.commands.sphinx_directives"]
root_doc = "README"
# The root of the repository is the source, so that links between pages mean the same here and in a checkout.
include_patterns = ["*.md", "docs/**.md", "docs/python.rst", "results/**.md", "litmus/corpus/**.md", "benchmarks/*.md"]
myst_heading_anchors = 4
# Quotation marks stand as they are written; to curl them takes a tenth of the time of the build.
smartquotes = False
# Links are tested where they are written (tests/documents); some lead to folders, which a site has not.
suppress_warnings = [
    "myst.xref_missing", "toc.not_included", "misc.highlighting_failure", "myst.header", "myst.xref_ambiguous",
]  # fmt: skip
templates_path = ["templates"]
html_static_path = ["static"]
html_js_files = ["site.js"]
# The second is written below; a style of the highlighter for each ground.
html_css_files = ["site.css", ("dark.css", {"media": "screen and (prefers-color-scheme: dark)"})]
html_favicon = "../playground/icon.svg"
# Colours that have contrast enough: make test-page measures it.
pygments_style = "xcode"
html_theme = "alabaster"
html_theme_options = {
    "description": "An exhaustive memory-model checker for LLVM and AMDGPU", "page_width": "1240px",
    "body_max_width": "none",
    "footer_text": "#555", "pre_bg": "#f8f8f8", "highlight_bg": "#f8f8f8",
}  # fmt: skip
html_sidebars = {"**": ["about.html", "playground.html", "searchbox.html"]}
autodoc_member_order = "bysource"


def setup(app: Any) -> None:
    """Write the colours of code on a dark ground beside those of the theme."""
    dark = Path(app.outdir, "_static", "dark.css")
    dark.parent.mkdir(parents=True, exist_ok=True)
    dark.write_text(HtmlFormatter(style="github-dark").get_style_defs(".highlight"), encoding="utf-8")
