"""What the comments `; axmem: …` of a module say: which functions run where, what is asked, what is expected.

What goes in: the text of a module. What comes out: `Comments`. The lines are those of the test language (conditions,
expectations, outcomes, filters, `observe`, `barrier`, `bound`), read by its parser at their places in the module;
`thread`, `kernel` and `init` name functions and variables of the module.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from axmem.front.records import dataclass, replace
from axmem.front.source import Source, Span
from axmem.front.typing import override
from axmem.litmus.cursor import Cursor
from axmem.litmus.declarations import end_of_line, location_name, parse_placement
from axmem.litmus.expressions import constant, parse_infix
from axmem.litmus.kernel_parser import KernelParser
from axmem.litmus.kernels import Launch
from axmem.litmus.lexer import tokens
from axmem.litmus.parser import TestParser
from axmem.litmus.spelling import parse_type
from axmem.litmus.syntax import Expr, Placement, Type

COMMENT = re.compile(r"[ \t]*;[ \t]*axmem:")
_LAUNCH = re.compile(rf"^{COMMENT.pattern}[ \t]*launch\b(.*)$", re.MULTILINE)
"""What is launched, as HIP writes it: read by `axmem.formats.ir.launching`."""


@dataclass(frozen=True, slots=True)
class ParameterComment:
    """What a parameter of a function is: one value, or each of several (`in {0, 1}`).

    Without any it is a buffer to which the function writes what it has found, which is no memory of the test.
    """

    values: tuple[Expr, ...]
    choice: bool
    span: Span


@dataclass(frozen=True, slots=True)
class RunUnit:
    """A thread or, with a `launch`, a kernel that a function is run as; without `arguments` they are not said."""

    name: str
    function: str
    placement: Placement
    arguments: tuple[ParameterComment, ...] | None
    launch: Launch | None
    span: Span

    @property
    def lanes(self) -> int:
        """How many threads it is."""
        launch = self.launch or Launch()
        return launch.workgroups * launch.wavefronts * launch.lanes


@dataclass(frozen=True, slots=True)
class VariablePart:
    """A location that is some bytes of a variable `whole`, from `at` on."""

    name: str
    type: Type
    whole: str
    at: int
    span: Span


class Comments(TestParser):
    """Reads the comments of a module."""

    def __init__(self, source: Source, mark: re.Pattern[str] = COMMENT) -> None:
        lines = ["" if _LAUNCH.match(line) else _overlaid(line, mark) for line in source.text.split("\n")]
        words, wrong = tokens(Source(source.name, "\n".join(lines)))
        super().__init__(Cursor(source, words, [replace(each, source=source) for each in wrong]))
        self.units: list[RunUnit] = []
        self.initial: dict[str, tuple[Expr | None, Span]] = {}
        self.labels: dict[int, str] = {}
        self.named: dict[int, str] = {}
        self.finals: list[tuple[int, str, Expr]] = []
        self.assumed: list[tuple[int, Expr]] = []
        self.temporary: dict[str, str] = {}
        self.parts: list[VariablePart] = []
        self.launch = "; ".join(found[1].strip().rstrip(";") for found in _LAUNCH.finditer(source.text))

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
        elif cursor.at_word(*(readers := self.readers())):
            word = cursor.next()
            readers[word.text](word.span)
            end_of_line(cursor)
        elif cursor.at_word("global", "lds", "private"):
            hint = "init @x = 1 says what a variable of the module holds at first"
            raise cursor.fail(cursor.peek().span, "memory is declared by the module itself", hint)
        else:
            super().item()

    def readers(self) -> dict[str, Callable[[Span], None]]:
        """Return what reads the lines that `axmem fmt --to` writes, by their first words."""
        return {
            "label": self.label, "assume": self.assume, "named": self.barrier, "final": self.final,
            "temporary": self.prefix, "part": self.part,
        }  # fmt: skip

    def label(self, span: Span) -> None:
        """Read `label A`: the name of the statement above."""
        self.labels[span.line] = self.cursor.expect("name", "the label of a statement").text

    def assume(self, span: Span) -> None:
        """Read `assume %t1`, which stands between the instructions above and below."""
        self.assumed.append((span.line, parse_infix(self.cursor, 0)))

    def barrier(self, span: Span) -> None:
        """Read `named b`: the name of the object of the barrier above."""
        self.named[span.line] = self.cursor.expect("name", "the name of a barrier").text

    def final(self, span: Span) -> None:
        """Read `final %r = %t1`: what a register holds at the end of this block, which ends its thread."""
        register = self.cursor.expect("local", "a register").value
        self.cursor.expect("=", "'=' and its value")
        self.finals.append((span.line, register, parse_infix(self.cursor, 0)))

    def prefix(self, span: Span) -> None:
        """Read `temporary @f:%t`: values of the function that are called t1, t2, … are parts of expressions."""
        function = self.cursor.expect("global", "a function of the module").value
        self.cursor.expect(":", "':'")
        self.temporary[function] = self.cursor.expect("local", "what the names of values begin with").value

    def part(self, span: Span) -> None:
        """Read `part t = i32 @lds + 4`: bytes of a variable that are a location of their own."""
        name = location_name(self.cursor).value
        self.cursor.expect("=", "'=', a type and a variable")
        type_ = parse_type(self.cursor)
        whole = self.cursor.expect("global", "a variable of the module").value
        self.cursor.expect("+", "'+' and the byte at which it begins")
        self.parts.append(VariablePart(name, type_, whole, constant(self.cursor), span))

    def init(self) -> None:
        """Read `init @x = 1`, or `init @x`, which holds nothing at first."""
        cursor = self.cursor
        cursor.next()
        name = location_name(cursor)
        value = parse_infix(cursor, 0) if cursor.accept("=") else None
        self.initial[name.value] = value, name.span
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
        self.units.append(RunUnit(name, function.value, placement, arguments, launch, function.span))

    def arguments(self) -> tuple[ParameterComment, ...]:
        """Read values up to a closing parenthesis, and that."""
        cursor, found = self.cursor, []
        while not cursor.accept(")"):
            start = cursor.peek().span
            if cursor.accept_word("results"):
                found.append(ParameterComment((), choice=False, span=start))
                cursor.accept(",")
                continue
            choice = cursor.accept_word("in") is not None
            if choice:
                cursor.expect("{", "'{' and the values")
            values = [parse_infix(cursor, 0)]
            while choice and cursor.accept(","):
                values.append(parse_infix(cursor, 0))
            if choice:
                cursor.expect("}", "',' or '}'")
            found.append(ParameterComment(tuple(values), choice, cursor.since(start)))
            if not cursor.accept(",") and not cursor.at(")"):
                cursor.fail_expected("',' or ')'")
        return tuple(found)


def _overlaid(line: str, mark: re.Pattern[str]) -> str:
    """Return what a comment says at the column at which it does, and nothing for what is none."""
    comment = mark.match(line)
    return "" if comment is None else " " * comment.end() + line[comment.end() :]
