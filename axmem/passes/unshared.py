"""Changes that LLVM permits because of `noalias`: nobody else changes what is behind such a pointer meanwhile.

What goes in: a change. What comes out: whether both functions are one if what a function reads behind a `noalias`
pointer, where it only reads, is a value that is given to it. Source: [LangRef] "Parameter Attributes": memory that is
accessed through the pointer, and that anybody modifies, is not accessed in another way while the function runs.
"""

from __future__ import annotations

import re

from axmem.front.records import replace
from axmem.passes.changes import NAME, FunctionChange, named
from axmem.passes.modules import LOCAL, ModuleFunction, defined, inlined, module_of, operands, said
from axmem.passes.straight import straightened

_LOAD = re.compile(
    r"load (?:atomic )?(i\d+), ptr[^,%]* %([\w.$-]+)"
    r'(?: syncscope\("[\w-]+"\))?(?: (?:unordered|(monotonic|acquire|seq_cst)))?, align \d+(?:, !mmra .*)?$'
)
"""What is loaded, from where, and how it is ordered if it is."""
_PURE = re.compile(r"  %\S+ = (?:getelementptr|insertvalue|extractvalue) ")


def unshared(change: FunctionChange) -> bool:
    """Say whether both functions are one if what they only read behind `noalias` pointers is given to them.

    They have no branches, or such as constants decide; and the second one reads no other memory than the first.
    """
    before, after = (_row(text) for text in (change.before, change.after))
    if before is None or after is None:
        return False
    given = {address: f"given.{number}" for number, address in enumerate(dict.fromkeys(_loads(before).values()))}
    return bool(given) and _without_loads(before, given) == _without_loads(after, given)


def _row(text: str) -> ModuleFunction | None:
    module = module_of(text)
    row = straightened(module.functions[NAME])
    return None if row is None else replace(row, body=inlined(row.body, module))


def _loads(row: ModuleFunction) -> dict[str, str]:
    """Return the lines that load what nobody changes meanwhile, with what is loaded: its type and address."""
    address = {name[1:]: name for name, text in zip(row.names, row.parameters, strict=True) if " noalias " in text}
    root = {name: name for name in address}
    written: set[str] = set()
    found: dict[str, tuple[str, str]] = {}
    for line in row.body:
        pointers = [*(operands(line) & address.keys())]
        if pointers and (match := _LOAD.match(said(line))):
            found[line] = (root[match[2]], f"{match[1]} {address[match[2]]}")
        elif len(pointers) == 1 and said(line).startswith("getelementptr "):
            root[defined(line)] = root[pointers[0]]
            address[defined(line)] = said(line).replace(f"%{pointers[0]}", address[pointers[0]])
        else:
            written |= {root[each] for each in pointers}
    return {line: loaded for line, (pointer, loaded) in found.items() if pointer not in written}


def _without_loads(row: ModuleFunction, given: dict[str, str]) -> ModuleFunction:
    """Return a row to which what it loads is given, with loads that order something, and nothing computed in vain."""
    names = {defined(line): given[loaded] for line, loaded in _loads(row).items() if loaded in given}
    lines = []
    for line in row.body:
        if defined(line) not in names:
            lines.append(LOCAL.sub(lambda m: f"%{names.get(m[1], m[1])}", line))
        elif (match := _LOAD.match(said(line))) and match[3]:
            lines.append(f"  {said(line)}")
    parameters = (*row.parameters, *(f"i32 %{name}" for name in given.values()))
    return named(replace(row, parameters=parameters, body=_live(lines)))


def _live(lines: list[str]) -> tuple[str, ...]:
    """Return lines but for what computes what nobody needs."""
    while True:
        used = {name for line in lines for name in operands(line)}
        kept = [line for line in lines if not (_PURE.match(line) and defined(line) not in used)]
        if len(kept) == len(lines):
            return tuple(kept)
        lines = kept
