"""What the comments `; axmem: …` of a module say: which functions run where, what is asked, what is expected.

What goes in: the text of a module. What comes out: `Comments`. The lines are those of the test language (conditions,
expectations, outcomes, filters, `observe`, `barrier`, `bound`), read by its parser at their places in the module;
`thread`, `kernel` and `init` name functions and variables of the module.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from axmem.front.source import Source, Span
from axmem.front.typing import override
from axmem.litmus.cursor import Cursor
from axmem.litmus.declarations import end_of_line, location_name, parse_placement
from axmem.litmus.expressions import parse_infix
from axmem.litmus.kernel_parser import KernelParser
from axmem.litmus.kernels import Launch
from axmem.litmus.lexer import tokens
from axmem.litmus.parser import TestParser
from axmem.litmus.syntax import Expr, Placement

COMMENT = re.compile(r"[ \t]*;[ \t]*axmem:")


@dataclass(frozen=True, slots=True)
class Argument:
    """What a parameter of a function is: one value, or each of several (`in {0, 1}`)."""

    values: tuple[Expr, ...]
    choice: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Unit:
    """A thread or, with a `launch`, a kernel that a function is run as; without `arguments` they are not said."""

    name: str
    function: str
    placement: Placement
    arguments: tuple[Argument, ...] | None
    launch: Launch | None
    span: Span


class Comments(TestParser):
    """Reads the comments of a module."""

    def __init__(self, source: Source, mark: re.Pattern[str] = COMMENT) -> None:
        lines = [_overlaid(line, mark) for line in source.text.split("\n")]
        words, wrong = tokens(Source(source.name, "\n".join(lines)))
        super().__init__(Cursor(source, words, [replace(each, source=source) for each in wrong]))
        self.units: list[Unit] = []
        self.initial: dict[str, tuple[Expr, Span]] = {}

    @override
    def item(self) -> None:
        """Read one line."""
        cursor = self.cursor
        if cursor.at_word("litmus") and not self.name:
            self.header()
        elif cursor.at_word("thread", "kernel"):
            self.unit(kernel=cursor.next().text == "kernel")
        elif cursor.at_word("init"):
            self.init()
        elif cursor.at_word("global", "lds", "private"):
            hint = "init @x = 1 says what a variable of the module holds at first"
            raise cursor.fail(cursor.peek().span, "memory is declared by the module itself", hint)
        else:
            super().item()

    def init(self) -> None:
        """Read `init @x = 1`."""
        cursor = self.cursor
        cursor.next()
        name = location_name(cursor)
        cursor.expect("=", "'=' and what it holds at first")
        self.initial[name.value] = parse_infix(cursor, 0), name.span
        end_of_line(cursor)

    def unit(self, *, kernel: bool) -> None:
        """Read `thread P0 = @f(@x, 1) @ agent 0, workgroup 1`, or a kernel, after the first word."""
        cursor = self.cursor
        name = ""
        if cursor.at("name") and cursor.peek(1).kind == "=":
            name = cursor.next().text
            cursor.next()
        if not cursor.at("global", "name"):
            cursor.fail_expected("a function of the module", "thread @producer @ agent 0, workgroup 0")
        function = cursor.next()
        arguments = self.arguments() if cursor.accept("(") else None
        placement = parse_placement(cursor)
        launch = KernelParser(cursor, self.known).launch() if kernel else None
        end_of_line(cursor, "a place, or the end of the line")
        self.units.append(Unit(name, function.value, placement, arguments, launch, function.span))

    def arguments(self) -> tuple[Argument, ...]:
        """Read values up to a closing parenthesis, and that."""
        cursor, found = self.cursor, []
        while not cursor.accept(")"):
            start = cursor.peek().span
            choice = cursor.accept_word("in") is not None
            if choice:
                cursor.expect("{", "'{' and the values")
            values = [parse_infix(cursor, 0)]
            while choice and cursor.accept(","):
                values.append(parse_infix(cursor, 0))
            if choice:
                cursor.expect("}", "',' or '}'")
            found.append(Argument(tuple(values), choice, cursor.since(start)))
            if not cursor.accept(",") and not cursor.at(")"):
                cursor.fail_expected("',' or ')'")
        return tuple(found)


def _overlaid(line: str, mark: re.Pattern[str]) -> str:
    """Return what a comment says at the column at which it does, and nothing for what is none."""
    comment = mark.match(line)
    return "" if comment is None else " " * comment.end() + line[comment.end() :]
