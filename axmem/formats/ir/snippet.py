"""Instructions of LLVM IR that stand in no function, as somebody pastes them.

What goes in: a text of instructions, with or without globals, types and metadata among them. What comes out: a checked
test. A line `---`, or a comment `; thread P1 @ workgroup 1`, begins another thread; a pointer that nothing assigns is a
location of its name, which holds 0 unless `; axmem: init @x = 1` says something else. Functions may stand in the text,
too; their parameters are such pointers.
"""

from __future__ import annotations

import re

from axmem.formats.ir import finished
from axmem.formats.ir.assembly import Assembly
from axmem.formats.ir.blocks import Blocks
from axmem.formats.ir.comments import Comments, RunUnit
from axmem.formats.ir.names import FreshNames, thread_name
from axmem.formats.ir.parser import ModuleParser
from axmem.formats.ir.syntax import ConstantExpression, Function, Global, Instruction, Module, Operand, Value
from axmem.formats.ir.types import VOID
from axmem.front.records import replace
from axmem.front.source import Source, Span
from axmem.front.typing import override
from axmem.litmus.lexer import Token
from axmem.litmus.syntax import AddressOf, LitmusTest, Number, Placement, Register

SEPARATOR = re.compile(r"[ \t]*-{3,}[ \t]*$")
THREAD = re.compile(r"[ \t]*;[ \t]*(?:axmem:[ \t]*)?thread\b")
COMMENT = re.compile(r"[ \t]*;[ \t]*(?:axmem:|(?=thread\b))")


def read(source: Source) -> LitmusTest:
    """Return the test that a few instructions are; raise `InputError` with everything that is wrong with them."""
    comments = Comments(source, COMMENT)
    comments.items()
    parser = SnippetParser(source, {unit.span.line: unit for unit in comments.units})
    module = parser.module()
    parser.finish(len(parser.cursor.tokens))
    comments.units = parser.units
    return finished(Assembly(with_locations(module), comments), [*comments.cursor.diagnostics, *parser.diagnostics])


class SnippetParser(ModuleParser):
    """Reads instructions outside functions; `begun_at` are the threads that comments begin, by their lines."""

    def __init__(self, source: Source, begun_at: dict[int, RunUnit]) -> None:
        lines = source.text.split("\n")
        self.starts = [n for n, line in enumerate(lines, 1) if SEPARATOR.match(line) or THREAD.match(line)]
        text = "\n".join("" if SEPARATOR.match(line) else line for line in lines)
        super().__init__(Source(source.name, text))
        self.cursor.source = source
        self.begun_at = begun_at
        self.units: list[RunUnit] = []
        self.begun: RunUnit | None = None
        self.names = FreshNames((unit.function for unit in begun_at.values()), thread_name)
        self.blocks = Blocks(self.cursor)

    @override
    def item(self, token: Token) -> None:
        """Read one line; an instruction is one of the thread that has begun."""
        self.finish(token.span.line)
        if token.kind == "label":
            self.begin(token.span)
            self.blocks.label(self.cursor.next())
        elif self.begins(token):
            self.begin(token.span)
            self.blocks.add(self.line(), token.span)
        else:
            count = len(self.functions)
            super().item(token)
            for function in [*self.functions.values()][count:]:
                if function.blocks:
                    name = self.names.fresh(function.name)
                    self.units.append(RunUnit(name, function.name, Placement(), None, None, function.span))

    def begins(self, token: Token) -> bool:
        """Say whether an instruction begins here."""
        if token.kind == "local":
            return self.cursor.peek(2).text != "type"
        return token.kind == "name" and token.text in self.readers

    def begin(self, span: Span) -> None:
        """Begin a thread, if none has begun."""
        if self.begun is None:
            name = self.names.fresh(f"P{len(self.units)}")
            self.begun = RunUnit(name, name, Placement(), None, None, span)

    def finish(self, line: int) -> None:
        """End the thread before each separator above a line, and begin those that comments name."""
        while self.starts and self.starts[0] < line:
            self.end()
            unit = self.begun_at.get(self.starts.pop(0))
            if unit is not None:
                self.begun = replace(unit, name=unit.function)
        if line >= len(self.cursor.tokens):
            self.end()

    def end(self) -> None:
        """Add the thread that has begun as a function."""
        if self.begun is None:
            return
        if self.blocks.name or not self.blocks.found:
            self.blocks.add([Instruction("ret", span=self.begun.span)], self.begun.span)
        unit, self.begun = self.begun, None
        self.functions[unit.function] = Function(unit.function, VOID, (), self.blocks.end(), span=unit.span)
        self.units.append(unit)
        self.blocks = Blocks(self.cursor)


def with_locations(module: Module) -> Module:
    """Return a module in which pointers that nothing assigns are variables."""
    variables = dict(module.globals)
    functions = {}
    for function in module.functions.values():
        own = {each.result for block in function.blocks for each in block.instructions}

        def operand(old: Operand, own: set[str] = own) -> Operand:
            return replace(old, value=_located(old, own, variables))

        functions[function.name] = replace(
            function,
            blocks=tuple(
                replace(block, instructions=tuple(
                    replace(each, operands=tuple(map(operand, each.operands))) for each in block.instructions
                ))
                for block in function.blocks
            ),
        )  # fmt: skip
    return replace(module, globals=variables, functions=functions)


def _located(operand: Operand, own: set[str], variables: dict[str, Global]) -> Value:
    """Return the value of an operand; a pointer that nothing assigns is the address of a variable."""
    value = operand.value
    if isinstance(value, ConstantExpression) or not isinstance(value, Register | AddressOf):
        return value
    name = value.name if isinstance(value, Register) else value.location
    if operand.type.kind != "ptr" or name in own or (isinstance(value, Register) and name.isdecimal()):
        return value
    if name not in variables:
        initial = Operand(VOID, Number(0, span=operand.span))
        variables[name] = Global(name, VOID, operand.type.space, initial, (), value.span)
    return AddressOf(name, span=value.span)
