"""Maps of instances as text: which register after a change holds what another held before, in which iteration.

What goes in: a text such as `r.1 = r[i + 1]; q = q[0, iteration(h)]`, one entry a line or separated by semicolons. What
comes out: a `Change` with its numberings. Between the brackets stands for every loop around the register before,
outermost first, the number of its iteration from 0: numbers, registers of the kernel after, `iteration(h)` of the loop
with the header `h` around it there, `+`, `-` and `*`. What is not mentioned is as before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NoReturn

from axmem.front.records import replace
from axmem.front.source import Diagnostic, InputError, Source, Span, did_you_mean
from axmem.litmus import syntax as ast
from axmem.litmus.blocks import ControlFlow
from axmem.litmus.registers import register_types
from axmem.litmus.ssa import single_assignment
from axmem.litmus.walk import results
from axmem.litmus.words import RESULT
from axmem.refinement.changed import Change, numbered
from axmem.transform.loops import around, loops
from axmem.transform.rewrite import kernel_of
from axmem.transform.transformation import iteration

NAME = r"%?([\w.$]+)"
ENTRY = re.compile(rf"\s*(?:(?P<kernel>[\w.$]+)\s*:)?\s*{NAME}\s*=\s*{NAME}\s*(?:\[(?P<numbers>[^\]]*)\])?\s*$")
TOKEN = re.compile(r"\s*(?:(\d+)|iteration\(\s*%?([\w.$]+)\s*\)|%?([A-Za-z_][\w.$]*)|([-+*]))")


def mapped(before: ast.LitmusTest, after: ast.LitmusTest, source: Source) -> Change:
    """Return the change that two tests and a map are, in single assignments.

    Raise InputError for a wrong map, and for tests whose memory is not the same.
    """
    _same_memory(before, after)
    _same_types(before, after)
    first, second = _single(before), _single(after)
    known: dict[str, dict[str, tuple[str, tuple[ast.Expr, ...]]]] = {k.name: {} for k in second.kernels}
    for entry, span in _entries(source):
        _read(source, span, entry, first, second, known)
    numberings = {k.name: replace(numbered(k), known=known[k.name]) for k in second.kernels}
    return Change(first, second, {k.name: numbered(k) for k in first.kernels}, numberings)


def as_they_are(before: ast.LitmusTest, after: ast.LitmusTest) -> Change:
    """Return the change that two tests are of which nobody sees more registers than they observe.

    Raise InputError for tests whose memory is not the same, or registers of one name with two types.
    """
    _same_memory(before, after)
    _same_types(before, after)
    return Change(before, after)


def _same_memory(before: ast.LitmusTest, after: ast.LitmusTest) -> None:
    """Raise InputError for the first location that is not there in the other test, or not the same."""
    for test, other in ((after, before), (before, after)):
        known = {location.name: location for location in other.locations}
        for location in test.locations:
            if known.get(location.name) != location:
                message = f"'{location.name}' is not the same memory before and after the change"
                hint = "both tests declare the same locations, with the same initial values"
                raise InputError([Diagnostic(test.source, location.span, message, hint)])


def _same_types(before: ast.LitmusTest, after: ast.LitmusTest) -> None:
    """Raise InputError for a register of a thread that has another type after the change."""
    types = register_types(before)
    for (unit, register), type_ in register_types(after).items():
        if any(thread.name == unit for thread in after.threads) and types.get((unit, register), type_) != type_:
            message = f"{unit}:{register} of '{after.name}' has another type than in '{before.name}'"
            raise InputError([Diagnostic(after.source, Span(1, 1), message, "give it a name of its own")])
    results = [{unit for unit, register in register_types(test) if register == RESULT} for test in (before, after)]
    for unit in sorted(results[0] ^ results[1]):
        message = f"'{unit}' returns something before the change or after it, and not both times"
        raise InputError([Diagnostic(after.source, Span(1, 1), message, "what a function returns is compared")])


def _single(test: ast.LitmusTest) -> ast.LitmusTest:
    return replace(test, kernels=tuple(kernel_of(single_assignment(k), k) for k in test.kernels))


def _entries(source: Source) -> Iterator[tuple[str, Span]]:
    for number, line in enumerate(source.text.splitlines(), 1):
        for match in re.finditer(r"[^;]+", line.partition("#")[0]):
            if match.group().strip():
                text = match.group()
                column = match.start() + 1 + len(text) - len(text.lstrip())
                yield text, Span(number, column, len(text.strip()))


def _read(
    source: Source,
    span: Span,
    entry: str,
    before: ast.LitmusTest,
    after: ast.LitmusTest,
    known: dict[str, dict[str, tuple[str, tuple[ast.Expr, ...]]]],
) -> None:
    def fail(message: str, hint: str = "") -> NoReturn:
        raise InputError([Diagnostic(source, span, message, hint)])

    match = ENTRY.match(entry)
    if match is None:
        fail("a map of iterations is written AFTER = BEFORE[ITERATION, …]", "r.1 = r[i + 1]")
    name = match["kernel"] or (after.kernels[0].name if len(after.kernels) == 1 else "")
    new = next((k for k in after.kernels if k.name == name), None)
    old = next((k for k in before.kernels if k.name == name), None)
    if new is None or old is None:
        fail(f"no kernel '{name}' in both tests" if name else "of which kernel?", "K: r.1 = r[i + 1]")
    register, stands = match[2], match[3]
    here, there = single_assignment(new), single_assignment(old)
    for flow, wanted, which in ((here, register, "after"), (there, stands, "before")):
        names = _registers(flow)
        if wanted not in names:
            fail(f"the kernel {which} the change has no register '{wanted}'", did_you_mean(wanted, names))
    texts = [part for part in (match["numbers"] or "").split(",") if part.strip()]
    depth = len(around(loops(there), _registers(there)[stands]))
    if len(texts) != depth:
        fail(f"'{stands}' stands in {depth} loops, and {len(texts)} iterations are given")
    headers = {loop.header for loop in loops(here)}
    known[name][register] = (stands, tuple(_number(text, _registers(here), headers, fail) for text in texts))


def _registers(flow: ControlFlow) -> dict[str, str]:
    """Return the registers that are assigned, each with its block."""
    return {r: b.name for b in flow.blocks for s in (*b.phis, *b.statements) for r in results(s)}


def _number(text: str, registers: dict[str, str], headers: set[str], fail: object) -> ast.Expr:
    """Return the expression of an iteration; products bind before sums."""
    assert callable(fail)
    parts: list[ast.Expr | str] = []
    at = 0
    while at < len(text.rstrip()):
        match = TOKEN.match(text, at)
        if match is None:
            fail(f"'{text.strip()}' is no number of an iteration", "numbers, registers, iteration(h), + - *")
        assert match is not None
        at = match.end()
        number, header, register, mark = match.groups()
        if header and header not in headers:
            fail(f"the kernel after the change has no loop '{header}'", did_you_mean(header, headers))
        if register and register not in registers:
            fail(f"the kernel after the change has no register '{register}'", did_you_mean(register, registers))
        if number:
            parts.append(ast.Number(int(number), ast.I32))
        elif header:
            parts.append(iteration(header))
        else:
            parts.append(ast.Register(register, ast.I32) if register else mark)
    operators = [p for p in parts if isinstance(p, str)]
    terms = [p for p in parts if not isinstance(p, str)]
    if [isinstance(p, str) for p in parts] != [bool(k % 2) for k in range(len(parts))] or len(parts) % 2 == 0:
        fail(f"'{text.strip()}' is no number of an iteration", "numbers, registers, iteration(h), + - *")
    for marks in (("*",), ("+", "-")):
        k = 0
        while k < len(operators):
            if operators[k] in marks:
                word = {"*": "mul", "+": "add", "-": "sub"}[operators.pop(k)]
                terms[k : k + 2] = [ast.IntegerOperation(word, (terms[k], terms[k + 1]), ast.I32)]
            else:
                k += 1
    return terms[0]
