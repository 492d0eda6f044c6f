"""What all tests of herd's form share: header, initial values, the columns of a program, and what is asked.

What goes in: a source whose first word says for which machine or language it is. What comes out: `Front`, whose
conditions have the trees of axmem (`1:r0` is the register r0 of P1), whose program is a region of the text for the
reader of that language, or `columns`. Whatever stands in a text is read or refused: there is nothing that is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from axmem.formats.herd.ending import Ending, parse_ending
from axmem.formats.herd.initial import Initial, parse_initial
from axmem.formats.herd.text import HerdText, blanked, tokens, without_comments
from axmem.front.records import dataclass, replace
from axmem.front.source import Diagnostic, InputError, Source, Span, first_errors
from axmem.litmus import lexer
from axmem.litmus.conditions import parse_expectation, parse_models, parse_outcomes
from axmem.litmus.cursor import Cursor, Unparsable
from axmem.litmus.resolution import resolve
from axmem.litmus.syntax import (
    AddressSpace,
    BarrierObject,
    Expectation,
    Kernel,
    LitmusTest,
    Location,
    ModelChoice,
    Number,
    Observable,
    OutcomeSet,
    Thread,
)
from axmem.litmus.walk import observables
from axmem.litmus.words import AMDGPU, Hierarchy

_HEADER = re.compile(r"\s*([\w.]+)[ \t]+([^\s\";{]+)(?:[ \t]*\([ \t]*[\w.+-]*[ \t]*\))?")
"""The language, the name, and perhaps another name of the test in parentheses, which says nothing."""
_STRING = re.compile(
    r'\s*"(?:(?P<line>(?:[^"\n]|"(?=[ \t]*[^\s"{])(?![ \t]*[A-Za-z_][\w.-]*[ \t]*=)|"(?="[ \t]*\n))*)"'
    r'(?=[ \t]*(?:[\n"{]|$))|(?P<lines>[^"]*)")'
)
"""A part of the description. Quotes in it are those before other words of its line that begin no `KEY=`."""
_INFO = re.compile(r"[ \t]*([A-Za-z_][\w.-]*)[ \t]*=([^\n{]*)")
_ENDING = re.compile(
    r"[{}]|^[ \t]*(?:~[ \t]*exists|not[ \t]+exists|(?:exists|forall|locations|filter|final|observed)(?![\w:=])"
    r"|with\b|(?:scopes|regions)[ \t]*:)",
    re.MULTILINE,
)
_THREAD = re.compile(r"P?\d+(?!\w)")
_BRACES = re.compile(r"[{}]")
_SEMICOLON = re.compile(r"(?:\s*;)?")
"""What may end the initial values."""
_DRAWING = re.compile(r"^[ \t]*<<[ \t]*$.*?^[ \t]*>>[ \t]*$", re.MULTILINE | re.DOTALL)
"""What tests of memevents say of their pictures, after the question."""
_SEPARATORS = re.compile(r"[|;]")
_CHANGING = frozenset({"variant", "memoryattrs", "tthm", "faults", "kinds"})
"""Keys of a header that change what a test means in herd7, in lower case."""


@dataclass(frozen=True, slots=True)
class ColumnCell:
    """One instruction of a column, or what stands in its head: the text and its offset."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """The offset after it."""
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class ThreadColumn:
    """One thread of a program in columns: what stands after its name (`@wg 0`), and its instructions."""

    name: str
    span: Span
    place: ColumnCell
    cells: tuple[ColumnCell, ...]


@dataclass(frozen=True, slots=True)
class Front:
    """A test without its program, which stands between the offsets `program` of the text.

    `form` is the first word. `diagnostics` is what is wrong so far, to which readers add.
    """

    text: HerdText
    form: str
    name: str
    description: str
    initials: tuple[Initial, ...]
    program: tuple[int, int]
    ending: Ending
    expectations: tuple[Expectation, ...]
    outcome_sets: tuple[OutcomeSet, ...]
    models: tuple[ModelChoice, ...]
    diagnostics: list[Diagnostic]

    def error(self, start: int, end: int, message: str, hint: str = "") -> None:
        """Record what is wrong with some characters."""
        self.diagnostics.append(self.text.error(start, end, message, hint))

    def error_at(self, span: Span, message: str, hint: str = "") -> None:
        """Record what is wrong at a place."""
        self.diagnostics.append(Diagnostic(self.text.source, span, message, hint))


def read_front(source: Source, *, code: bool = False, values: bool = False) -> Front:
    """Return the parts of a test that all forms share; raise `InputError` if no program can be found.

    `code` says that the program is written in C. `values` says that a name on the right of a comparison is the final
    value of a location, as for Dartagnan; for herd it is its address.
    """
    return front_of(*without_comments(source, code=code), values=values)


def front_of(text: HerdText, diagnostics: list[Diagnostic], *, values: bool) -> Front:
    """Return the same of a text whose comments have been taken out; `diagnostics` is what is wrong with them."""
    characters = text.characters
    header = _HEADER.match(characters)
    if header is None:
        end = len(characters.splitlines()[0]) if characters.strip() else 1
        found = text.error(0, end, "a test begins with its language and its name", "for example: C MP")
        raise InputError([*diagnostics, found])
    description, opening = _head(text, header.end(), diagnostics)
    closing = _matching(characters, opening)
    if closing is None:
        raise InputError([*diagnostics, text.error(opening, opening + 1, "the initial values have no '}'")])
    initials = parse_initial(text, opening + 1, closing, diagnostics)
    start = _SEMICOLON.match(characters, closing + 1).end()  # type: ignore[union-attr]
    end = next((m.start() for m in _outside(characters, start)), len(characters))
    drawn = _DRAWING.sub(lambda drawing: blanked(drawing[0]), characters[end:])
    text = replace(text, characters=characters[:end] + drawn)
    ending = parse_ending(text, end, diagnostics, values=values)
    expectations, outcome_sets, models = _directives(text, diagnostics)
    return Front(
        text, header[1], header[2], description, initials, (start, end), ending, expectations, outcome_sets, models,
        diagnostics,
    )  # fmt: skip


def _head(text: HerdText, index: int, diagnostics: list[Diagnostic]) -> tuple[str, int]:
    """Return the description and the offset of the brace before the initial values; pass over lines `key=value`."""
    characters = text.characters
    parts: list[str] = []
    while string := _STRING.match(characters, index):
        parts.append(" ".join((string["line"] or string["lines"] or "").split()))
        index = string.end()
    while True:
        while index < len(characters) and characters[index].isspace():
            index += 1
        if index >= len(characters):
            end = len(characters.rstrip())
            hint = "they stand in braces before the program, empty ones too: { }"
            raise InputError([*diagnostics, text.error(max(0, end - 1), end, "a test has initial values", hint)])
        if characters[index] == "{":
            return " ".join(parts), index
        if match := _INFO.match(characters, index):
            if match[1].lower() in _CHANGING:
                message = f"'{match[1]}' changes what a test means, and is not read"
                diagnostics.append(text.error(match.start(1), match.end(1), message))
            index = match.end()
            continue
        end = characters.find("\n", index)
        end = len(characters) if end < 0 else end
        hint = "a description in quotes, lines KEY=VALUE, and the initial values in braces"
        raise InputError([*diagnostics, text.error(index, end, "this line is none of those after the header", hint)])


def _matching(characters: str, opening: int) -> int | None:
    """Return the offset of the brace that closes one."""
    depth = 0
    for match in _BRACES.finditer(characters, opening):
        depth += 1 if match[0] == "{" else -1
        if not depth:
            return match.start()
    return None


def _outside(characters: str, start: int) -> Iterable[re.Match[str]]:
    """Yield the words that begin an ending outside all braces."""
    depth = 0
    for match in _ENDING.finditer(characters, start):
        if match[0] in "{}":
            depth += 1 if match[0] == "{" else -1
        elif not depth:
            yield match


def _directives(
    text: HerdText, diagnostics: list[Diagnostic]
) -> tuple[tuple[Expectation, ...], tuple[OutcomeSet, ...], tuple[ModelChoice, ...]]:
    """Read the comments `axmem: expect …`, `axmem: outcomes …` and `axmem: model …`, written as in a test of axmem."""
    expectations, outcome_sets, models = [], [], []
    for start, end in text.directives:
        words, more = lexer.tokens_between(text.source, start, end)
        diagnostics += more
        cursor = Cursor(text.source, words, diagnostics)
        cursor.skip_newlines()
        try:
            if cursor.at_word("expect"):
                expectations.append(parse_expectation(cursor))
            elif cursor.at_word("outcomes"):
                outcome_sets.append(parse_outcomes(cursor))
            elif cursor.at_word("model"):
                models += parse_models(cursor)
            else:
                cursor.fail_expected("'expect', 'outcomes' or 'model'")
            cursor.skip_newlines()
            if not cursor.at("end"):
                cursor.fail_expected("the end of the comment")
        except Unparsable:
            pass
    return tuple(expectations), tuple(outcome_sets), tuple(models)


def columns(front: Front) -> tuple[ThreadColumn, ...]:
    """Return the threads of a program in columns; what is wrong with their shape is recorded."""
    start, end = front.program
    rows = _rows(front, start, end)
    if not rows:
        front.error(max(0, start - 1), start, "a test has a program", "columns of instructions: P0 | P1 ;")
        return ()
    heads, body = rows[0], rows[1:]
    found = []
    for number, head in enumerate(heads):
        name = _THREAD.match(head.text)
        if name is None:
            front.error(head.start, max(head.end, head.start + 1), "a column begins with its thread", "P0 | P1 ;")
            continue
        rest = head.text[name.end() :]
        lead = len(rest) - len(rest.lstrip())
        place = ColumnCell(rest.strip(), head.start + name.end() + lead)
        cells = tuple(row[number] for row in body if number < len(row) and row[number].text)
        shown = name[0] if name[0].startswith("P") else f"P{name[0]}"
        found.append(ThreadColumn(shown, front.text.span(head.start, head.start + name.end()), place, cells))
    for row in body:
        if len(row) != len(heads):
            message = f"this row has {len(row)} column{'s' * (len(row) != 1)}, and the first one {len(heads)}"
            front.error(row[0].start, row[-1].end, message)
    return tuple(found)


def _rows(front: Front, start: int, end: int) -> list[list[ColumnCell]]:
    """Return the rows of a program, each of which ends with a semicolon, as cells without the blanks around them."""
    characters = front.text.characters
    rows, row, index = [], [], start
    for match in _SEPARATORS.finditer(characters, start, end):
        row.append(_cell(characters, index, match.start()))
        index = match.end()
        if match[0] == ";":
            rows.append(row)
            row = []
    rest = _cell(characters, index, end)
    if row or rest.text:
        first = row[0] if row else rest
        front.error(first.start, max(rest.end, first.start + 1), "this row does not end with ';'")
    return rows


def _cell(characters: str, start: int, end: int) -> ColumnCell:
    text = characters[start:end].rstrip()
    shown = text.lstrip()
    return ColumnCell(shown, start + len(text) - len(shown)) if shown else ColumnCell("", end)


def cursor_on(front: Front, cell: ColumnCell, words: re.Pattern[str]) -> Cursor:
    """Return a cursor on the tokens of a cell, by the words of its language."""
    found, more = tokens(front.text, cell.start, cell.end, words)
    front.diagnostics.extend(more)
    cursor = Cursor(front.text.source, found, front.diagnostics)
    cursor.broken = bool(more)
    return cursor


def assembled(
    front: Front,
    locations: Sequence[Location],
    threads: Sequence[Thread],
    *,
    kernels: Sequence[Kernel] = (),
    barriers: Sequence[BarrierObject] = (),
    levels: Hierarchy = AMDGPU,
    model: str = "",
) -> LitmusTest:
    """Return the test whose program a reader has read; raise `InputError` with everything that is wrong with it.

    `model` is that of the machine, under which the test is run where nobody names another.
    """
    if front.diagnostics:
        raise InputError(first_errors(sorted(front.diagnostics, key=lambda each: each.span)))
    ending = front.ending
    test = LitmusTest(
        name=front.name, description=front.description, locations=tuple(locations), threads=tuple(threads),
        kernels=tuple(kernels), barriers=tuple(barriers), observe=ending.observe, filter=ending.filter,
        quantifier=ending.quantifier, condition=ending.condition, expectations=front.expectations,
        outcome_sets=front.outcome_sets,
        levels=levels, models=front.models or ((ModelChoice(model),) if model else ()), source=front.text.source,
    )  # fmt: skip
    test, diagnostics = resolve(test)
    if diagnostics:
        raise InputError(first_errors(diagnostics))
    return test


def asked(front: Front) -> Iterable[Observable]:
    """Yield every register and location that the question of a test mentions."""
    yield from front.ending.observe
    for condition in (front.ending.filter, front.ending.condition):
        yield from observables(condition) if condition is not None else ()
    for outcomes in front.outcome_sets:
        yield from (observable for row in outcomes.rows for observable, _ in row)


def undeclared(front: Front, used: Iterable[tuple[str, Span]]) -> list[Location]:
    """Return locations for names that have no initial value of their own: they begin with 0, as in herd."""
    known = {initial.name for initial in front.initials if not initial.thread}
    found = {name: span for name, span in used if name not in known}
    return [Location(name, AddressSpace.GLOBAL, None, Number(0), span) for name, span in found.items()]
