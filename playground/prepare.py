"""What a visitor's Python has done before it starts: the models are loaded, and a test is answered.

`compile.mjs` runs this in Pyodide and keeps the memory. Nothing of the machine that builds may be left in it: no path,
no time, no question.
"""

import gc
import os
import sys

SITE = "/site"
sys.path.insert(0, SITE)
# What is elaborated stays in memory; a browser has no place for it between visits.
os.environ["AXMEM_CACHE"] = ""

from axmem.front.shipped import shipped_files  # noqa: E402 -- found by the line above
from axmem.model.library import load, names  # noqa: E402
from axmem.playground.answers import answer, answered  # noqa: E402, F401 -- the page calls it

TEST = "corpus/amdgpu/MP+st-rel.none+acq-ld.litmus"

for name in names():
    load(name)
text = shipped_files()[TEST].read_text(encoding="utf-8")
found = answer({"ask": "outcomes", "text": text, "models": ["llvm", "amdgpu"], "seconds": 100})
if "rows" not in found:
    raise SystemExit(f"playground: {TEST}: {found}")
# The files are written anew for each visitor: what is known of their folders is forgotten.
for path in [*sys.path_importer_cache]:
    if path.startswith(SITE):
        del sys.path_importer_cache[path]
gc.collect()
