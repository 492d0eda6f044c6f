"""A change as a difference of two texts, beside the context that tells them apart.

What goes in: both programs in the context, whose operations have letters; of functions of LLVM IR how they are written.
What comes out: lines, `-` before those that are only before and `+` before those that are only after.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby

from axmem.front.records import dataclass, replace
from axmem.litmus import syntax as ast
from axmem.litmus import walk
from axmem.litmus.kernels import Branch
from axmem.litmus.place_texts import place_texts
from axmem.litmus.printer import print_test, statement_line
from axmem.litmus.words import placed_levels
from axmem.refinement.volatile import ORDER

AROUND = 4
"""How many lines of a function are shown above and below one that has changed."""
GAP = "…"
MOST = 3
"""Of how many accesses of a line each letter is shown."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A function as it is written: its lines, those of its operations in the test that it is, and its thread there."""

    lines: tuple[str, ...]
    operations: tuple[tuple[str, int], ...]
    thread: str


def listing(text: str, line: int, test: ast.LitmusTest) -> Listing:
    """Return the listing of a function that begins in a line of a text, numbered from 1, and is all of a test."""
    rest = text.split("\n")[line - 1 :]
    end = next((k for k, each in enumerate(rest) if each.startswith("}")), len(rest) - 1)
    (unit,) = walk.units(test)
    found = tuple((_key(s), s.span.line - line) for s in _operations(unit))
    return Listing(tuple(each.rstrip() for each in rest[: end + 1]), found, unit.name)


def _operations(unit: ast.Thread | ast.Kernel) -> list[ast.Statement]:
    return [s for s in walk.statements(unit.body) if walk.kind_of(s) is not None]


def _key(statement: ast.Statement) -> str:
    """Return what an operation is, without the names of registers, which may be others in a counterexample."""
    places = [a.base.location if isinstance(a.base, ast.AddressOf) else "" for a in walk.addresses(statement)]
    return repr((type(statement).__name__, places, getattr(statement, "mode", None)))


# ---------------------------------------------------------------- tests


def test_lines(before: ast.LitmusTest, after: ast.LitmusTest) -> Iterator[str]:
    """Yield two tests as one text with what is different in them."""
    yield from marked_difference([_shown(test) for test in (before, after)])


def _shown(test: ast.LitmusTest) -> list[str]:
    """Return the lines of a test, with short places, without its name and what it asks."""
    lines = print_test(replace(test, description="")).splitlines()[2:]
    places = place_texts(test)
    found = []
    for line in lines:
        head = re.match(r"(thread|kernel) ([^\s({]+)", line)
        if line.startswith(("exists ", "observe ")):
            break
        if f" {ORDER} = " not in f" {line}":
            found.append(f"{head[0]}{places[head[2]]} {{" if head and head[1] == "thread" else line)
    while found and not found[-1]:
        found.pop()
    return found


# ---------------------------------------------------------------- functions


def function_lines(
    listings: Sequence[Listing], before: ast.LitmusTest, after: ast.LitmusTest, *, handled: bool = False
) -> Iterator[str]:
    """Yield two functions as one text with what is different in them, and below it the context.

    `handled`: who runs beside them is a signal handler in their thread.
    """
    rows, around = [], []
    for each, test in zip(listings, (before, after), strict=True):
        unit = next(u for u in walk.units(test) if u.name == each.thread)
        marks, outside = _matched(each, _operations(unit))
        rows.append([(marks.get(k, ""), line) for k, line in enumerate(each.lines)])
        around.append(outside)
    names = [re.search(r"@[^\s(]+", each.lines[0]) for each in listings]
    if names[0] and names[1]:
        rows[1][0] = ("", listings[1].lines[0].replace(names[1][0], names[0][0], 1))
    width = max((len(mark) for row in rows for mark, _ in row), default=0)
    texts = [[f"{mark:{width}} {line}".rstrip() for mark, line in row] for row in rows]
    yield from _near(list(marked_difference(texts)))
    own = next(u for u in walk.units(before) if u.name == listings[0].thread)
    for where, statements in zip(("before it", "after it"), around[0], strict=True):
        if statements:
            yield from ("", f"  in the same thread, {where}")
            yield from _lines(before, statements)
            if statements is around[0][0]:
                yield from (f"       only {line}" for line in _guards(before, own, statements))
    for unit in walk.units(before):
        if unit is not own:
            where = f"another thread, {unit.name}, {_where(before, own, unit)}"
            yield from ("", f"  in {f'a signal handler, {unit.name}' if handled else where}")
            yield from _lines(before, unit.body)


def _lines(test: ast.LitmusTest, statements: Iterable[ast.Statement]) -> Iterator[str]:
    """Yield operations of a context with their letters."""
    for each in statements:
        bare = replace(each, label="")
        yield f"    {getattr(each, 'label', ''):2} {statement_line(test, bare)}"


def _guards(test: ast.LitmusTest, unit: ast.Thread | ast.Kernel, first: Iterable[ast.Statement]) -> Iterator[str]:
    """Yield the condition under which a context that does something before a function calls it."""
    read = {name for each in first for name in walk.results(each)}
    for each in unit.body:
        if not isinstance(each, ast.If | Branch) or each.condition is None:
            continue
        asked = {part.name for part in walk.parts(each.condition) if isinstance(part, ast.Register)}
        if asked and asked <= read:
            yield statement_line(test, ast.Assume(each.condition)).replace("assume", "if", 1)


def _where(test: ast.LitmusTest, own: ast.Thread | ast.Kernel, unit: ast.Thread | ast.Kernel) -> str:
    """Return how far a thread is from that of the function: the widest level whose instances differ."""
    pairs = zip(placed_levels(test.levels), own.placement.numbers, unit.placement.numbers, strict=False)
    apart = next((level for level, one, other in pairs if one != other), None)
    return f"of another {apart.place}" if apart is not None else "beside it"


def _matched(
    each: Listing, operations: Sequence[ast.Statement]
) -> tuple[dict[int, str], tuple[list[ast.Statement], list[ast.Statement]]]:
    """Return the letters of a function's lines, and the operations that stand before it and after it."""
    keys = [_key(s) for s in operations]
    wanted = [key for key, _ in each.operations]
    begin = next((k for k in range(len(keys) - len(wanted) + 1) if keys[k : k + len(wanted)] == wanted), 0)
    end = begin + len(wanted)
    letters: dict[int, list[str]] = {}
    for (_, line), statement in zip(each.operations, operations[begin:end], strict=False):
        letters.setdefault(line, []).append(getattr(statement, "label", ""))
    marks = {line: letters_of(labels) for line, labels in letters.items()}
    return marks, ([*operations[:begin]], [*operations[end:]])


def letters_of(labels: Sequence[str]) -> str:
    """Return the letters of the accesses of one line: all of them, or the first and the last of more than three."""
    found = [label for label in labels if label]
    return ",".join(found) if len(found) <= MOST else f"{found[0]}-{found[-1]}"


# ---------------------------------------------------------------- differences


def marked_difference(texts: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield two texts as one, with a mark before each line that only one of them has."""
    for kind, a, b, c, d in SequenceMatcher(a=texts[0], b=texts[1], autojunk=False).get_opcodes():
        if kind == "equal":
            yield from (f"  {line}".rstrip() for line in texts[0][a:b])
        else:
            yield from (f"- {line}".rstrip() for line in texts[0][a:b])
            yield from (f"+ {line}".rstrip() for line in texts[1][c:d])


def _near(lines: Sequence[str]) -> Iterator[str]:
    """Yield the first line and those that are near a change; a mark stands for several others."""
    changed = [k for k, line in enumerate(lines) if line[:1] in ("-", "+")]
    for near, group in groupby(range(len(lines)), lambda k: not k or any(abs(k - each) <= AROUND for each in changed)):
        rest = [lines[k] for k in group]
        yield from rest if near or len(rest) == 1 else [f"  {GAP}"]
