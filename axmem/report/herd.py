"""Reports in the form of herd7's logs, which mcompare7 and other scripts read.

One block per test and model. Where mcompare7's lexer knows less than a test may say, the block says it in words that
it knows: threads are numbers (a line `Threads` gives their names if these are not P0, P1, …), lanes of a vector are
registers `r0.0`, `r0.1`, addresses are the names of locations. Witnesses count outcomes, not executions. With more
than one model in a run the model stands in the name, `MP[amdgpu]`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import reduce

from axmem.check.judging import Answer, Report
from axmem.check.results import Column, Result, format_lanes
from axmem.events.values import Value
from axmem.front.records import replace
from axmem.litmus import syntax as ast
from axmem.litmus.condition_printer import condition_text
from axmem.litmus.launch import lanes
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import Quantifier
from axmem.litmus.walk import with_comparisons
from axmem.report.summary import Summary

KINDS = {Quantifier.EXISTS: "Allowed", Quantifier.NOT_EXISTS: "Forbidden", Quantifier.FORALL: "Required"}


class Output:
    """herd7's blocks, streamed."""

    def __init__(self, models: int = 0, **_: object) -> None:
        self.one_model = models == 1

    def begin(self) -> str:
        """Return nothing."""
        return ""

    def report(self, report: Report) -> str:
        """Return the blocks of one test."""
        if report.test is None:
            return ""
        alone = self.one_model or len(report.answers) == 1
        blocks = [_block(report.test, answer, named=not alone) for answer in report.answers]
        return "".join("".join(f"{line}\n" for line in block) for block in blocks)

    def end(self, summary: Summary) -> str:
        """Return nothing."""
        return ""


def program_hash(test: ast.LitmusTest) -> str:
    """Return the MD5 of the canonical text of a test without its description and expectations."""
    bare = replace(test, name="", description="", expectations=(), outcome_sets=())
    return hashlib.md5(print_test(bare).encode(), usedforsecurity=False).hexdigest()


def _block(test: ast.LitmusTest, answer: Answer, *, named: bool) -> Iterator[str]:
    result = answer.result
    model = "+".join([result.model, *(f"{variant}-{value}" for variant, value in result.variants)])
    name = _clean(f"{test.name}[{model}]" if named or result.variants else test.name)
    numbers = _numbers(test, result)
    yield f"Test {name} {KINDS[test.quantifier]}"
    if any(thread != f"P{number}" for thread, number in numbers.items()):
        yield "Threads " + " ".join(f"{number}={thread}" for thread, number in numbers.items())
    yield f"States {len(result.outcomes)}"
    for row in result.outcomes:
        cells = zip(result.columns, row, strict=True)
        yield " ".join(cell for column, lanes in cells for cell in _cells(column, lanes, result, numbers))
    yield _validation(test.quantifier, result)
    yield "Witnesses"
    positive, negative = result.positive, result.negative
    if test.quantifier is Quantifier.NOT_EXISTS:
        positive, negative = negative, positive
    yield f"Positive: {positive} Negative: {negative}"
    yield from (f"Flag {_clean(flag)}" for flag in result.flags)
    condition = _Condition(result, numbers).rewritten(test.condition)
    yield f"Condition {test.quantifier.value} ({condition_text(condition).replace('&', '')})"
    often = "Never" if not result.positive else "Always" if not result.negative else "Sometimes"
    yield f"Observation {name} {often} {result.positive} {result.negative}"
    yield f"Time {name} {result.work.seconds:.2f}"
    yield f"Hash={program_hash(test)}"
    yield ""


def _numbers(test: ast.LitmusTest, result: Result) -> dict[str, str]:
    """Return the numbers of threads, and of the lanes of kernels: in their order, but P0, P1, … of a mixture first."""
    names = [thread.name for thread in test.threads]
    if test.kernels:
        names += [lane.name for kernel in test.kernels for lane in lanes(kernel)]
        names += [column.name.partition(":")[0] for column in result.columns if ":" in column.name]
        numbered = {name: int(name[1:]) for name in names if re.fullmatch(r"P\d+", name)}
        names.sort(key=lambda name: numbered.get(name, len(names)))
    return {name: str(number) for number, name in enumerate(dict.fromkeys(names))}


def _validation(quantifier: Quantifier, result: Result) -> str:
    """Return whether the condition holds as asked: Ok, No, Undef; ?? where what was not found decides."""
    if result.verdict == "undefined":
        return "Undef"
    found = result.negative if quantifier is Quantifier.FORALL else result.positive
    decided = found > 0 or result.complete
    holds = (found > 0) == (quantifier is Quantifier.EXISTS)
    word = "??" if not decided else "Ok" if holds else "No"
    return word if result.complete else f"Loop {word}"


def _clean(name: str) -> str:
    """Return a name in the letters that mcompare7 takes for one."""
    return re.sub(r"[^A-Za-z0-9_/.+\[\]-]", "_", name)


def _cells(column: Column, lanes: tuple[Value, ...], result: Result, numbers: dict[str, str]) -> Iterator[str]:
    """Yield `1:r0=1;` for each lane of a column."""
    element = replace(column.type, lanes=0, pair=False)
    several = len(lanes) > 1 or column.type.lanes
    thread, colon, register = column.name.partition(":")
    for index, lane in enumerate(lanes):
        value = format_lanes((lane,), element, result.locations).replace("&", "").replace("+", ".")
        if colon:
            yield f"{numbers[thread]}:{_register(register)}{f'.{index}' if several else ''}={value};"
        else:
            yield f"{_global(column.name, index if several else None)}={value};"


def _register(name: str) -> str:
    return name if re.match(r"[A-Za-z]", name) else f"r{name}"


def _global(name: str, lane: int | None) -> str:
    """Return a location, or a lane of it; `x[1]` is an element of x."""
    return name if lane is None else f"{name.replace('[', '.').replace(']', '')}[{lane}]"


class _Condition:
    """Rewrites conditions with threads as numbers and lanes as registers."""

    def __init__(self, result: Result, numbers: dict[str, str]) -> None:
        self.types = {c.name: c.type for c in result.columns}
        self.numbers = numbers

    def rewritten(self, condition: ast.Condition) -> ast.Condition:
        """Return a condition in the words of the states."""
        return with_comparisons(condition, self.comparison)

    def comparison(self, atom: ast.ValueComparison) -> ast.Condition:
        """Return a comparison in the words of the states, of vectors lane by lane."""
        left, right = atom.left, atom.right
        lanes = max(self.lanes(left), self.lanes(right))
        if not lanes or atom.op not in ("=", "!="):
            return ast.ValueComparison(atom.op, self.operand(left, None), self.operand(right, None))
        equal: list[ast.Condition] = [
            ast.ValueComparison("=", self.operand(left, i), self.operand(right, i)) for i in range(lanes)
        ]
        every = reduce(ast.Both, equal)
        return every if atom.op == "=" else ast.Not(every)

    def lanes(self, operand: ast.Operand) -> int:
        """Return how many lanes an operand has, 0 for a scalar."""
        match operand:
            case ast.VectorOf(elements):
                return len(elements)
            case ast.RegisterOf(thread, register, None):
                type_ = self.types.get(f"{thread}:{register}")
                return 2 if type_ is not None and type_.pair else type_.lanes if type_ is not None else 0
            case ast.FinalValue(location, None):
                type_ = self.types.get(location)
                return type_.lanes if type_ is not None else 0
        return 0

    def operand(self, operand: ast.Operand, lane: int | None) -> ast.Operand:
        """Return a lane of an operand."""
        match operand:
            case ast.RegisterOf(thread, register, index):
                shown = index if index is not None else lane if self.lanes(operand) else None
                suffix = "" if shown is None else f".{shown}"
                return ast.RegisterOf(self.numbers[thread], _register(register) + suffix)
            case ast.FinalValue(location, None) if self.lanes(operand):
                return ast.FinalValue(location, lane)
            case ast.VectorOf(elements) if lane is not None:
                return elements[lane]  # type: ignore[return-value]
        return operand
