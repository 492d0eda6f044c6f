"""Functions in which nothing but numbers goes from block to block: no pairs, and not whether an exchange succeeded.

What goes in: a function. What comes out: one that computes the same from what is read. InstCombine moves `extractvalue`
behind a phi of what two compare-exchanges return, which is the same as a phi of numbers; and where it is asked whether
a strong one has read what it expects, it asks whether it has succeeded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from axmem.front.records import replace
from axmem.passes.modules import INCOMING, LOCAL, PHI, RESULT, ModuleFunction, defined, said

_TAKEN = re.compile(r"  %([\w.$-]+) = extractvalue \{ ([^{}]*) \} %([\w.$-]+), (\d+)$")
_KNOWN = re.compile(r"  (?:%([\w.$-]+) = insertvalue|ret) (\{ [^{}]* \}) \{ ([^{}]*) \}(.*)$")
_EXCHANGE = re.compile(r"  %([\w.$-]+) = cmpxchg (?!weak )(?:volatile )?ptr[^,]*, i32 (-?\d+), ")
_SUCCESS = re.compile(r"  %([\w.$-]+) = extractvalue \{ i32, i1 \} %([\w.$-]+), 1$")


def scalars(function: ModuleFunction) -> ModuleFunction:
    """Return a function without phis of pairs that are only taken apart, and without constants of several values."""
    lines = [line for each in function.body for line in _filled(each)]
    for line in [each for each in lines if (match := PHI.match(said(each))) and match[1].startswith("{")]:
        lines = _without(lines, line)
    return function if lines == [*function.body] else replace(function, body=tuple(lines))


def _filled(line: str) -> Iterator[str]:
    """Yield what fills a result that is a constant, or of which a part is one, as what fills it from the beginning."""
    match = _KNOWN.match(line)
    if match is None:
        yield line
        return
    name, whole = match[1] or "returned", "poison"
    for k, value in enumerate(match[3].split(", ")):
        if not value.endswith(" poison"):
            yield f"  %{name}.{k} = insertvalue {match[2]} {whole}, {value}, {k}"
            whole = f"%{name}.{k}"
    yield f"  %{name} = insertvalue {match[2]} {whole}{match[4]}" if match[1] else f"  ret {match[2]} {whole}"


def _without(lines: list[str], phi: str) -> list[str]:
    """Return lines without a phi of pairs; as they are if something else is done with it."""
    uses = [line for line in lines if line != phi and defined(phi) in LOCAL.findall(line)]
    taken = [match for line in uses if (match := _TAKEN.match(line))]
    came = INCOMING.findall(phi)
    names = {value[1:] for value, _ in came}
    sources = [k for k, line in enumerate(lines) if defined(line) in names and " = phi " not in line]
    if len(taken) < len(uses) or phi.count("[") != len(came) or len(sources) < len(names):
        return lines
    found: list[str] = []
    for k, line in enumerate(lines):
        if line == phi:
            for each in taken:
                kind = each[2].split(", ")[int(each[4])]
                rows = ", ".join(f"[ {value}.{each[1]}, %{label} ]" for value, label in came)
                found.append(f"  %{each[1]} = phi {kind} {rows}")
        elif not any(line == each[0] for each in taken):
            found.append(line)
            if k in sources and (match := RESULT.match(line)):
                found += (
                    f"  %{match[1]}.{each[1]} = extractvalue {{ {each[2]} }} %{match[1]}, {each[4]}" for each in taken
                )
    return found


def succeeded(before: ModuleFunction, after: ModuleFunction) -> ModuleFunction:
    """Return a function that asks what a strong compare-exchange has read instead of whether it has succeeded.

    As the one before it does. If what was read is undef, so is that; so if this is sound, what was there is, too.
    """
    if any(map(_SUCCESS.match, before.body)):
        return after
    expected = {match[1]: match[2] for line in after.body if (match := _EXCHANGE.match(line))}
    body: list[str] = []
    for line in after.body:
        if (match := _SUCCESS.match(line)) is None or match[2] not in expected:
            body.append(line)
            continue
        body.append(f"  %{match[1]}.read = extractvalue {{ i32, i1 }} %{match[2]}, 0")
        body.append(f"  %{match[1]} = icmp eq i32 %{match[1]}.read, {expected[match[2]]}")
    return replace(after, body=tuple(body))
