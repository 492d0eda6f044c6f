"""axmem: an exhaustive axiomatic memory-model checker for LLVM and AMDGPU.

The public interface, described in docs/api.md: a test goes in as text or as `parse` returns it, a model by its name, as
the path of a cat file, or loaded; frozen dataclasses come out. What is wrong with any of them raises `InputError`.
Nothing is imported before it is used.
"""

from __future__ import annotations

from importlib import import_module  # noqa: TID251 -- public names are imported when they are asked for
from pathlib import Path
from typing import TYPE_CHECKING

from axmem.front.version import __version__ as __version__

if TYPE_CHECKING:
    from axmem.check.compare import Comparison as Comparison
    from axmem.check.compare import compare as compare
    from axmem.check.results import Result as Result
    from axmem.check.results import outcomes as outcomes
    from axmem.codegen.program import LoweredTest as LoweredTest
    from axmem.codegen.program import lower as lower
    from axmem.encoder.solve import Limits as Limits
    from axmem.explanations.explanation import Explanation as Explanation
    from axmem.explanations.explanation import explain as explain
    from axmem.formats.reading import parse as parse
    from axmem.formats.reading import parse_file as parse_file
    from axmem.front.shipped import shipped as shipped
    from axmem.front.source import InputError as InputError
    from axmem.litmus.syntax import LitmusTest as LitmusTest
    from axmem.mapping.verification import CodeSource as CodeSource
    from axmem.mapping.verification import Exploration as Exploration
    from axmem.mapping.verification import Verification as Verification
    from axmem.mapping.verification import verify as verify
    from axmem.model import library as _library
    from axmem.model.model import Model as Model
    from axmem.refinement.difference import Differences as Differences
    from axmem.refinement.difference import DiffSearch as DiffSearch
    from axmem.refinement.difference import Programs as Programs
    from axmem.refinement.difference import diff as diff
    from axmem.refinement.judging import Judgement as Judgement
    from axmem.refinement.judging import refine as refine
    from axmem.repairs.repair import Repairs as Repairs
    from axmem.repairs.repair import RepairSearch as RepairSearch
    from axmem.repairs.repair import repair as repair

    load_model = _library.load

_HERE = Path(__file__).parent
if not (_HERE / "litmus").is_dir():
    # Sources run in place and without links: the rooms are found where they are. setup.py says why, and for which ways.
    __path__.append(str(_HERE.parent))

_HOMES = {
    "axmem.check.compare": "Comparison compare",
    "axmem.check.results": "Result outcomes",
    "axmem.codegen.program": "LoweredTest lower",
    "axmem.encoder.solve": "Limits",
    "axmem.explanations.explanation": "Explanation explain",
    "axmem.front.shipped": "shipped",
    "axmem.front.source": "InputError",
    "axmem.formats.reading": "parse parse_file",
    "axmem.litmus.syntax": "LitmusTest",
    "axmem.mapping.verification": "CodeSource Exploration Verification verify",
    "axmem.model.library": "load_model",
    "axmem.model.model": "Model",
    "axmem.refinement.difference": "DiffSearch Differences Programs diff",
    "axmem.refinement.judging": "Judgement refine",
    "axmem.repairs.repair": "RepairSearch Repairs repair",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = [*_HOME]


def __getattr__(name: str) -> object:
    """Import a public name from its room when it is first asked for."""
    if name not in _HOME:
        raise AttributeError(f"module 'axmem' has no attribute '{name}'")
    value = getattr(import_module(_HOME[name]), {"load_model": "load"}.get(name, name))
    globals()[name] = value
    return value
