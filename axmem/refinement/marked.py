"""Two programs whose operations have letters: the same letter for the same operation before and after a change.

What goes in: two tests. What comes out: both with labels A, B, …, which explanations and listings then share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import count
from string import ascii_uppercase

from axmem.front.records import replace
from axmem.litmus import syntax as ast
from axmem.litmus import walk
from axmem.litmus.edit import rewritten
from axmem.litmus.kernels import Call
from axmem.litmus.printer import statement_line
from axmem.litmus.registers import with_reads, with_results

Key = tuple[str, str]


def marked(before: ast.LitmusTest, after: ast.LitmusTest) -> tuple[ast.LitmusTest, ast.LitmusTest]:
    """Return two tests whose operations are labelled; operations of a thread with the same text share their label.

    Where a text stands several times, those that stand in the same order do; what is left gets letters of its own.
    """
    rows = [_operations(test) for test in (before, after)]
    taken = {name for test in (before, after) for name in _names(test)}
    every = (f"{letter}{number or ''}" for number in count() for letter in ascii_uppercase)
    letters = (letter for letter in every if letter not in taken)
    first = {path: next(letters) for path, _ in rows[0]}
    second: dict[walk.Path, str] = {}
    texts = [[key for _, key in row] for row in rows]
    for old, new, size in SequenceMatcher(a=texts[0], b=texts[1], autojunk=False).get_matching_blocks():
        second |= {rows[1][new + k][0]: first[rows[0][old + k][0]] for k in range(size)}
    free = [(path, key) for path, key in rows[0] if first[path] not in second.values()]
    for path, key in rows[1]:
        if path not in second:
            same = next((k for k, (_, other) in enumerate(free) if other == key), None)
            second[path] = next(letters) if same is None else first[free.pop(same)[0]]
    return _labelled(before, first), _labelled(after, second)


def _names(test: ast.LitmusTest) -> Iterator[str]:
    """Yield the names that letters must not be taken for."""
    yield from (location.name for location in walk.locations(test))
    yield from (unit.name for unit in walk.units(test))
    yield from (name for _, statement in walk.located(test) for name in walk.results(statement))


def _operations(test: ast.LitmusTest) -> Sequence[tuple[walk.Path, Key]]:
    """Return the operations of a test on memory with their paths, their threads and their texts."""
    return list(_found(test))


def _found(test: ast.LitmusTest) -> Iterator[tuple[walk.Path, Key]]:
    units = walk.units(test)
    for path, statement in walk.located(test):
        if walk.kind_of(statement) is not None and not isinstance(statement, Call):
            yield path, (units[path[0]].name, statement_line(test, _nameless(statement)))


def _nameless(statement: ast.Statement) -> ast.Statement:
    """Return a statement without its label and the names of registers."""
    read = with_reads(statement, lambda register: replace(register, name="r"))
    return replace(with_results(read, dict.fromkeys(walk.results(statement), "r")), label="")


def _labelled(test: ast.LitmusTest, labels: dict[walk.Path, str]) -> ast.LitmusTest:
    def change(path: walk.Path, statement: ast.Statement | None) -> tuple[ast.Statement, ...]:
        if statement is None:
            return ()
        return (replace(statement, label=labels.get(path, "")),) if hasattr(statement, "label") else (statement,)

    return rewritten(test, change)
