"""The site of the documentation: `make docs` builds it to build/site from the pages as they are.

The playground lies inside, as the folder `playground`.
"""

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
html_favicon = "../playground/icon.svg"
# Colours that have contrast enough: make test-page measures it.
pygments_style = "xcode"
html_theme = "alabaster"
html_theme_options = {
    "description": "An exhaustive memory-model checker for LLVM and AMDGPU", "page_width": "1100px",
    "footer_text": "#555", "pre_bg": "#f8f8f8", "highlight_bg": "#f8f8f8",
}  # fmt: skip
html_sidebars = {"**": ["about.html", "playground.html", "searchbox.html", "navigation.html"]}
autodoc_member_order = "bysource"
