"""Changes that LLVM permits because of `noalias`: nobody else changes what is behind such a pointer meanwhile.

What goes in: a change. What comes out: whether both functions are one if what a function reads behind a `noalias`
pointer, where it only reads, is a value that is given to it. Source: [LangRef] "Parameter Attributes": memory that is
accessed through the pointer, and that anybody modifies, is not accessed in another way while the function runs.
"""

from __future__ import annotations

from axmem.formats.ir.flow import used
from axmem.formats.ir.printer import computed, lines, local
from axmem.formats.ir.renaming import with_values
from axmem.formats.ir.syntax import Function, Instruction
from axmem.front.records import replace
from axmem.litmus.syntax import Register
from axmem.litmus.words import Ordering
from axmem.passes.changes import NAME, FunctionChange, numbered
from axmem.passes.modules import module_of, names_of, with_body
from axmem.passes.straight import straightened

_PURE = ("getelementptr", "insertvalue", "extractvalue")
_UNORDERED = (Ordering.NOT_ATOMIC, Ordering.UNORDERED)


def unshared(change: FunctionChange) -> bool:
    """Say whether both functions are one if what they only read behind `noalias` pointers is given to them.

    They have no branches, or such as constants decide; and the second one reads no other memory than the first.
    """
    before, after = (straightened(module_of(text).function(NAME)) for text in (change.before, change.after))
    if before is None or after is None:
        return False
    given = {address: f"given.{number}" for number, address in enumerate(dict.fromkeys(_loads(before).values()))}
    return bool(given) and _without_loads(before, given) == _without_loads(after, given)


def _loads(row: Function) -> dict[str, str]:
    """Return the results of loads of what nobody changes meanwhile, with what is loaded: its type and address."""
    address = {each.name: local(each.name) for each in row.parameters if "noalias" in each.attributes}
    root = {name: name for name in address}
    written: set[str] = set()
    found: dict[str, tuple[str, str]] = {}
    for each in row.blocks[0].instructions:
        pointers = [*({*used(each)} & address.keys())]
        if pointers and each.operation == "load" and each.type.kind == "int" and not each.mode.volatile:
            found[each.result] = (root[pointers[0]], f"{each.type} {address[pointers[0]]}")
        elif len(pointers) == 1 and each.operation == "getelementptr":
            root[each.result] = root[pointers[0]]
            address[each.result] = computed(each, lambda name: address.get(name, local(name)))
        else:
            written |= {root[pointer] for pointer in pointers}
    return {name: loaded for name, (pointer, loaded) in found.items() if pointer not in written}


def _without_loads(row: Function, given: dict[str, str]) -> tuple[object, ...]:
    """Return the lines of a row to which what it loads is given, and its parameters.

    Without what is computed in vain, but with loads that order something.
    """
    names = {name: Register(given[loaded]) for name, loaded in _loads(row).items() if loaded in given}
    found: list[Instruction] = []
    for each in row.blocks[0].instructions:
        if each.result not in names:
            found.append(with_values(each, names))
        elif each.mode.ordering not in _UNORDERED:
            found.append(replace(each, result=""))
    row = with_body(row, _live(found))
    own = {name: name for name in (*names_of(row), *given.values())}
    return row.parameters, *lines(row, numbered(row, own))


def _live(rows: list[Instruction]) -> list[Instruction]:
    """Return instructions but for what computes what nobody needs."""
    while True:
        needed = {name for each in rows for name in used(each)}
        kept = [each for each in rows if each.operation not in _PURE or each.result in needed]
        if len(kept) == len(rows):
            return kept
        rows = kept
