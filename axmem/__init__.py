"""axmem: an exhaustive axiomatic memory-model checker for LLVM and AMDGPU.

From Python: `axmem.parse(text)` gives a litmus test, `axmem.outcomes(test, "amdgpu")` a `Result`. Nothing heavy is
imported before it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from axmem.front.version import __version__ as __version__

if TYPE_CHECKING:
    from axmem.check.results import Result as Result
    from axmem.check.results import outcomes as outcomes
    from axmem.encoder.solve import Limits as Limits
    from axmem.front.source import InputError as InputError
    from axmem.litmus.parser import parse as parse
    from axmem.litmus.parser import parse_file as parse_file
    from axmem.model.library import load as load_model

_HOME = {
    "InputError": ("axmem.front.source", "InputError"),
    "Limits": ("axmem.encoder.solve", "Limits"),
    "Result": ("axmem.check.results", "Result"),
    "load_model": ("axmem.model.library", "load"),
    "outcomes": ("axmem.check.results", "outcomes"),
    "parse": ("axmem.litmus.parser", "parse"),
    "parse_file": ("axmem.litmus.parser", "parse_file"),
}

__all__ = ["InputError", "Limits", "Result", "load_model", "outcomes", "parse", "parse_file"]


def __getattr__(name: str) -> object:
    """Import a public name from its room when it is first asked for."""
    if name not in _HOME:
        raise AttributeError(f"module 'axmem' has no attribute '{name}'")
    module, attribute = _HOME[name]
    value = getattr(import_module(module), attribute)
    globals()[name] = value
    return value
