"""A module of LLVM IR from its text.

What goes in: a source. What comes out: its `Module`, and what is wrong with the text. Invariant: what a module may have
and a test has no use for (triples, comdats, attributes, debug metadata) is known by its word and skipped; what nobody
knows is an error.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.formats.ir.attributes import CONVERGENT as CONVERGENT
from axmem.formats.ir.blocks import Blocks
from axmem.formats.ir.calls import step_over_word
from axmem.formats.ir.instructions import Instructions
from axmem.formats.ir.lexer import tokens
from axmem.formats.ir.operands import skip_to
from axmem.formats.ir.syntax import Block, Function, Global, Instruction, Module, Operand, Parameter
from axmem.front.records import replace
from axmem.front.source import Diagnostic, Source
from axmem.litmus.cursor import Cursor, Unparsable
from axmem.litmus.kernels import OUTSIDE_CONVERGENT
from axmem.litmus.lexer import Token, numeral
from axmem.litmus.metadata import MetadataNode, Reference, definitions

SKIPPED = frozenset({"source_filename", "target", "attributes", "module", "uselistorder", "uselistorder_bb"})
"""Words that begin a line of a module which says nothing about its executions."""
FUNCTIONS = ("define", "declare")
"""Words that begin a function."""
VARIABLES = ("global", "constant")
"""Words that stand before the type of a variable."""
ENTRY = "llvm.experimental.convergence.entry"


class ModuleParser(Instructions):
    """Reads a module."""

    def __init__(self, source: Source) -> None:
        words, diagnostics = self.words(source)
        cursor = Cursor(source, words, diagnostics)
        super().__init__(cursor, _without_debugging(cursor, definitions(cursor)))
        self.globals: dict[str, Global] = {}
        self.functions: dict[str, Function] = {}
        self.groups: dict[str, tuple[str, ...]] = {}
        self.target: list[str] = []
        self.find_types()

    def words(self, source: Source) -> tuple[list[Token], list[Diagnostic]]:
        """Return the words of the text, and what is wrong with its characters."""
        return tokens(source)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What is wrong with the text so far."""
        return self.cursor.diagnostics

    def module(self) -> Module:
        """Read the whole text."""
        cursor = self.cursor
        while True:
            cursor.skip_newlines()
            if cursor.at("end"):
                self.functions |= dict(self.attributed())
                self.entries()
                return Module(
                    cursor.source, self.globals, self.functions, self.known, groups=self.groups,
                    target=tuple(self.target),
                )  # fmt: skip
            try:
                self.item(cursor.peek())
            except Unparsable:
                cursor.depth = 0
                cursor.skip_line()

    def item(self, token: Token) -> None:
        """Read one line of a module, or a function."""
        cursor = self.cursor
        word = token.text if token.kind == "name" else ""
        if token.kind == "global":
            self.variable()
        elif word in FUNCTIONS:
            self.function(cursor.next())
        elif word == "attributes":
            cursor.next()
            group = cursor.expect("attributes", "the number of a group of attributes")
            cursor.expect("=", "'='")
            cursor.expect("{", "'{'")
            self.groups[group.text] = self.until("}")
        elif word == "module":
            hint = "assembly of a module has no meaning in a test"
            raise cursor.fail(token.span, "'module asm' is not read", hint)
        elif word == "target":
            begin = cursor.index
            cursor.skip_line()
            self.target.append(" ".join(each.text for each in cursor.tokens[begin : cursor.index]).strip())
        elif word in SKIPPED or token.kind in ("metadata", "comdat", "summary", "string"):
            cursor.skip_line()
        elif token.kind == "local" and cursor.peek(2).text == "type":
            for _ in range(3):
                cursor.next()
            self.type()
        else:
            self.unknown(token)

    def unknown(self, token: Token) -> None:
        """Fail at a line that begins nothing."""
        if token.kind == "label" or (token.kind == "name" and token.text in self.readers) or token.kind == "local":
            hint = "--snippet reads instructions without a function"
            raise self.cursor.fail(token.span, "an instruction stands in a function: define void @f() { … }", hint)
        self.cursor.fail_expected("a function, a variable or a type")

    def variable(self) -> None:
        """Read `@x = internal addrspace(3) global i32 0, align 4`, or an alias, which is refused."""
        cursor = self.cursor
        name = cursor.next()
        cursor.expect("=", "'='")
        words, space = [], 0
        while cursor.at("name") and not cursor.at_word(*VARIABLES):
            word = cursor.peek()
            if word.text in ("alias", "ifunc"):
                raise cursor.fail(word.span, f"'{word.text}' has no meaning in a test", "name the variable itself")
            if word.text == "addrspace":
                space = self.space()
                continue
            words.append(cursor.next().text)
            if cursor.accept("("):
                skip_to(cursor, ")")
        constant = cursor.at_word("constant")
        if cursor.accept_word("global", "constant") is None:
            cursor.fail_expected("'global' or 'constant'")
        if name.value in self.globals:
            cursor.error(name.span, f"'@{name.value}' is defined twice")
        start = cursor.peek().span
        type_ = self.type()
        initial = None
        if not cursor.at(",", "newline", "end"):
            initial = Operand(type_, self.value(type_), cursor.since(start))
        align = None
        while not cursor.at("newline", "end"):
            if cursor.accept_word("align") and cursor.at("number"):
                align = numeral(cursor.peek().text)
            cursor.next()
        found = Global(name.value, type_, space, initial, tuple(words), name.span, constant, align)
        self.globals[name.value] = found
        cursor.skip_line()

    # ------------------------------------------------ functions

    def until(self, closing: str) -> tuple[str, ...]:
        """Read everything up to the bracket that closes the one before the cursor, and return the words in it."""
        start = self.cursor.index
        skip_to(self.cursor, closing)
        return tuple(token.text for token in self.cursor.tokens[start : self.cursor.index - 1])

    def attributed(self) -> Iterator[tuple[str, Function]]:
        """Yield the functions with the attributes of their groups, which stand at the end of a module."""
        for name, found in self.functions.items():
            inside = (word for group in found.attributes for word in self.groups.get(group, ()))
            yield name, replace(found, attributes=(*found.attributes, *inside))

    def function(self, word: Token) -> None:
        """Read a function after `define` or `declare`."""
        cursor = self.cursor
        words: list[str] = []
        while not self.at_type():
            if cursor.at("metadata"):
                cursor.next()
                cursor.next()
            elif cursor.at("name", "string", "attributes"):
                begin = cursor.index
                if not step_over_word(cursor):
                    cursor.next()
                words += (token.text for token in cursor.tokens[begin : cursor.index])
            else:
                cursor.fail_expected("the type of the function's result")
        result = self.type()
        name = cursor.expect("global", "the name of the function")
        cursor.expect("(", "'('")
        begin = cursor.index
        parameters = self.parameters()
        variadic = any(each.kind == "..." for each in cursor.tokens[begin : cursor.index])
        if name.value in self.functions and self.functions[name.value].blocks:
            cursor.error(name.span, f"'@{name.value}' is defined twice")
        found = Function(name.value, result, parameters, (), tuple(words), name.span, variadic=variadic)
        if word.text == "define":
            behind: list[str] = []
            while not cursor.at("{"):
                if cursor.at("newline", "end"):
                    cursor.fail_expected("'{'")
                behind.append(cursor.next().text)
            cursor.next()
            found = replace(found, blocks=self.body(parameters), attributes=tuple(behind))
        else:
            start = cursor.index
            cursor.skip_line()
            behind = [token.text for token in cursor.tokens[start : cursor.index] if token.kind != "newline"]
            found = replace(found, attributes=tuple(behind))
        self.functions[name.value] = found

    def entries(self) -> None:
        """Refuse what LLVM's verifier does: the token of the caller in a function that is not convergent."""
        for function in self.functions.values():
            for instruction in (each for block in function.blocks for each in block.instructions):
                if instruction.callee == ENTRY and CONVERGENT not in function.attributes:
                    hint = "add the attribute 'convergent' to the function"
                    self.cursor.error(instruction.span, f"LLVM: {OUTSIDE_CONVERGENT}", hint)

    def parameters(self) -> tuple[Parameter, ...]:
        """Read parameters and the parenthesis that closes them; those without a name get a number."""
        cursor, found, count = self.cursor, [], 0
        while not cursor.accept(")"):
            start = cursor.peek().span
            if not cursor.accept("..."):
                type_ = self.type()
                self.passed = None
                attributes = self.attributes()
                if cursor.at("local"):
                    name = cursor.next().value
                    count += name.isdecimal()
                else:
                    name, count = str(count), count + 1
                found.append(Parameter(name, type_, attributes, cursor.since(start), self.passed))
            if not cursor.accept(",") and not cursor.at(")"):
                cursor.fail_expected("',' or ')'")
        return tuple(found)

    def body(self, parameters: tuple[Parameter, ...]) -> tuple[Block, ...]:
        """Read blocks up to the closing brace, and that."""
        cursor = self.cursor
        blocks = Blocks(cursor, [parameter.name for parameter in parameters])
        while True:
            cursor.skip_newlines()
            span = cursor.peek().span
            if cursor.at("label"):
                blocks.label(cursor.next())
            elif cursor.accept("}"):
                return blocks.end()
            elif cursor.at("end"):
                cursor.fail_expected("'}' at the end of the function")
            else:
                blocks.add(self.line(), span)

    def line(self) -> list[Instruction]:
        """Read one instruction; nothing if it cannot be read."""
        cursor = self.cursor
        depth = cursor.depth
        cursor.operators = 0
        try:
            return [self.instruction()]
        except Unparsable:
            cursor.depth = depth
            cursor.skip_line()
            return []


def _without_debugging(cursor: Cursor, known: dict[str, MetadataNode]) -> dict[str, MetadataNode]:
    """Return the nodes of a module without places of the source program, which loops have in debug builds."""
    debugging = set()
    for index, token in enumerate(cursor.tokens[:-3]):
        if token.kind == "metadata" and cursor.tokens[index + 1].kind == "=":
            ahead = 2 + (cursor.tokens[index + 2].text == "distinct")
            if cursor.tokens[index + ahead].text.startswith("!DI"):
                debugging.add(token.value)
    if not debugging:
        return known
    return {
        name: replace(
            node, items=tuple(i for i in node.items if not (isinstance(i, Reference) and i.name in debugging))
        )
        for name, node in known.items()
    }
