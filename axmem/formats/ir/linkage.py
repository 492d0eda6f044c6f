"""Which definitions of a module the linker may replace by others.

What goes in: a module. What comes out: it with what may be replaced declared alone, as nothing is known of it; and of a
function by which word its definition is one of several that do the same, of which this one may do less than the linked.
"""

from __future__ import annotations

import re

from axmem.formats.ir.own import LOCAL
from axmem.formats.ir.syntax import Function, Global, Module
from axmem.front.records import replace

REPLACED = frozenset({"weak", "linkonce", "common", "extern_weak"})
"""Linkage of a definition for which another one may stand in the end. [LangRef] "Linkage Types"."""
SEVERAL = frozenset({"weak_odr", "linkonce_odr", "available_externally"})
"""Linkage of one of several definitions that do the same; passes may have taken executions away from this one alone."""
_INTERPOSED = re.compile(r'!"SemanticInterposition", *i32 1\b')
"""The flag of a module whose definitions may be replaced when the program is loaded, unless they are `dso_local`."""


def linked(module: Module) -> Module:
    """Return a module in which functions and variables that the linker may replace are declared alone."""
    interposed = _INTERPOSED.search(module.source.text) is not None

    def replaced(each: Function | Global) -> bool:
        words = {*each.words}
        loaded = interposed and not words & {*LOCAL, "dso_local", "hidden", "protected"}
        return bool(words & REPLACED) or loaded

    functions = {n: replace(f, blocks=()) if f.blocks and replaced(f) else f for n, f in module.functions.items()}
    variables = {n: replace(v, initial=None) if replaced(v) else v for n, v in module.globals.items()}
    return replace(module, functions=functions, globals=variables)


def one_of_several(function: Function) -> str:
    """Return the word by which another definition of a function may be linked, which may do more; empty if none may."""
    return next((word for word in function.words if word in REPLACED | SEVERAL), "")
