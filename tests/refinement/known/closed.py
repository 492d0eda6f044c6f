"""The litmus tests of the pairs: a function alone, or in the context that its head has.

What goes in: a `Pair` and a side. What comes out: the text of a test whose thread `P` is the
function.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from axmem.formats.reading import parse
from axmem.litmus.printer import print_test
from tests.refinement.known.library import Pair

FRAGMENT = "fragment"


def module(pair: Pair, side: str, arguments: Mapping[str, str] | None = None) -> str:
    """Return one of the functions as a thread P of a module; pointers are variables of the names of parameters."""
    given = dict(re.findall(r"%(\w+) = (\S+?)(?:,|$)", pair.head.get("arguments", ""))) | dict(arguments or {})
    values = []
    for type_, name in pair.parameters:
        values.append(given.get(name, f"@{name}" if type_.startswith("ptr") else "0"))
    return "\n".join(
        (f"; axmem: thread P = @{side}.{pair.name}({', '.join(values)})", *_own(pair).values(), pair.side(side))
    )


def alone(pair: Pair, side: str, arguments: Mapping[str, str] | None = None) -> str:
    """Return the test of a function with nothing beside it, with all memory that the pair or its context names."""
    test = parse(module(pair, side, arguments), f"{pair.name}.ll")
    header, rest = print_test(test).split("\n", 1)
    used = set(re.findall(r"\w+", pair.functions + pair.head.get("context", "")))
    declared = {line.split()[0][1:]: line for line in pair.shared.splitlines() if line.startswith("@")}
    shown = {location.name for location in test.locations}
    unused = (line for name, line in (declared | _own(pair)).items() if name in used - shown)
    return "\n".join((header, *unused, rest))


def _own(pair: Pair) -> dict[str, str]:
    """Return the variables of the parameters that are pointers, by their names."""
    memory = dict(item.split(" = ") for item in pair.head.get("memory", "").split("; ") if item)
    return {
        name: f"@{name} = {_space(type_)}global {memory.get(name, 'i32 0')}"
        for type_, name in pair.parameters
        if type_.startswith("ptr")
    }


def in_context(pair: Pair, side: str) -> str:
    """Return the test of a function in the context of the pair, with the question that tells the two apart."""
    text = alone(pair, side)
    context = pair.head["context"].strip("\n")
    if own := re.search(r"^thread P\b[^\n]*\{\n(.*?)^\}\n?", context, re.DOTALL | re.MULTILINE):
        found = re.search(r"^thread P \{\n(.*?)^\}\n", text, re.DOTALL | re.MULTILINE)
        assert found, f"{pair.label} is no thread"
        text = text.replace(found[0], own[0].replace(f"{FRAGMENT}\n", found[1]))
        context = context.replace(own[0], "")
    text = re.sub(r"^exists \(true\)$", "", text, flags=re.MULTILINE)
    return f"{text}\n{context}\n"


def _space(type_: str) -> str:
    found = re.search(r"addrspace\(\d\)", type_)
    return f"{found[0]} " if found else ""
