"""The litmus tests of the pairs: a function alone, or in the context that its head has.

What goes in: a `Pair` and a side. What comes out: the text of a test whose thread `P` is the
function.
"""

from __future__ import annotations

import re

from axmem.formats.reading import parse
from axmem.litmus.printer import print_test
from tests.refinement.known.library import Pair

FRAGMENT = "fragment"


def alone(pair: Pair, side: str, arguments: dict[str, str] | None = None) -> str:
    """Return the test of a function with nothing beside it; each pointer is a location of the name of its parameter."""
    given = arguments if arguments is not None else _given(pair)
    values = []
    for type_, name in pair.parameters:
        values.append(given.get(name, f"@{name}" if type_.startswith("ptr") else "0"))
    memory = dict(item.split(" = ") for item in pair.head.get("memory", "").split("; ") if item)
    used = set(re.findall(r"\w+", pair.functions + pair.head.get("context", "")))
    lines = pair.shared.splitlines()
    declared = {line.split()[0]: line for line in lines if line.startswith("@") and line.split()[0][1:] in used}
    own = {
        f"@{name}": f"@{name} = {_space(type_)}global {memory.get(name, 'i32 0')}"
        for type_, name in pair.parameters
        if type_.startswith("ptr")
    }
    lines = [f"; axmem: thread P = @{side}.{pair.name}({', '.join(values)})", *own.values(), pair.side(side)]
    test = parse("\n".join(lines), f"{pair.name}.ll")
    header, rest = print_test(test).split("\n", 1)
    shown = {f"@{location.name}" for location in test.locations}
    unused = (line for name, line in (declared | own).items() if name not in shown)
    return "\n".join((header, *unused, rest))


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


def _given(pair: Pair) -> dict[str, str]:
    """Return the arguments that the head states."""
    return dict(re.findall(r"%(\w+) = (\S+?)(?:,|$)", pair.head.get("arguments", "")))


def _space(type_: str) -> str:
    found = re.search(r"addrspace\(\d\)", type_)
    return f"{found[0]} " if found else ""
