"""Functions in which nothing but numbers goes from block to block: no pairs, and not whether an exchange succeeded.

What goes in: a function. What comes out: one that computes the same from what is read. InstCombine moves `extractvalue`
behind a phi of what two compare-exchanges return, which is the same as a phi of numbers; and where it is asked whether
a strong one has read what it expects, it asks whether it has succeeded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from axmem.front.records import replace
from axmem.passes.modules import LOCAL, RESULT, ModuleFunction, defined

_PHI = re.compile(r"  %([\w.$-]+) = phi (\{ [^{}]* \}) (.*)$")
_INCOMING = re.compile(r"\[ %([\w.$-]+), %([\w.$-]+) \]")
_TAKEN = re.compile(r"  %([\w.$-]+) = extractvalue \{ ([^{}]*) \} %([\w.$-]+), (\d+)$")
_KNOWN = re.compile(r"  %([\w.$-]+) = insertvalue (\{ [^{}]* \}) \{ ([^{}]*) \}, (.*)$")
_EXCHANGE = re.compile(r"  %([\w.$-]+) = cmpxchg (?!weak )(?:volatile )?ptr[^,]*, i32 (-?\d+), ")
_SUCCESS = re.compile(r"  %([\w.$-]+) = extractvalue \{ i32, i1 \} %([\w.$-]+), 1$")


def scalars(function: ModuleFunction) -> ModuleFunction:
    """Return a function without phis of pairs that are only taken apart, and without constants of several values."""
    lines = [line for each in function.body for line in _filled(each)]
    for phi in [match for line in function.body if (match := _PHI.match(line))]:
        lines = _without(lines, phi)
    return function if lines == [*function.body] else replace(function, body=tuple(lines))


def _filled(line: str) -> Iterator[str]:
    """Yield what fills a result of which a part is known as what fills it from the beginning."""
    match = _KNOWN.match(line)
    if match is None:
        yield line
        return
    whole = "poison"
    for k, value in enumerate(match[3].split(", ")):
        if not value.endswith(" poison"):
            yield f"  %{match[1]}.{k} = insertvalue {match[2]} {whole}, {value}, {k}"
            whole = f"%{match[1]}.{k}"
    yield f"  %{match[1]} = insertvalue {match[2]} {whole}, {match[4]}"


def _without(lines: list[str], phi: re.Match[str]) -> list[str]:
    """Return lines without a phi of pairs; as they are if something else is done with it."""
    uses = [line for line in lines if line != phi[0] and phi[1] in LOCAL.findall(line)]
    taken = [match for line in uses if (match := _TAKEN.match(line))]
    came = _INCOMING.findall(phi[3])
    names = {name for name, _ in came}
    sources = [k for k, line in enumerate(lines) if defined(line) in names and " = phi " not in line]
    if len(taken) < len(uses) or phi[3].count("[") != len(came) or len(sources) < len(names):
        return lines
    found: list[str] = []
    for k, line in enumerate(lines):
        if line == phi[0]:
            for each in taken:
                kind = each[2].split(", ")[int(each[4])]
                rows = ", ".join(f"[ %{name}.{each[1]}, %{label} ]" for name, label in came)
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
