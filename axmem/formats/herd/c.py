"""Tests in C, with C11's and OpenCL's atomics, in herd's form.

What goes in: `C NAME`, initial values, functions `P0 (atomic_int* x) { … }`, a question. What comes out: the test of
axmem whose threads have these names, whose registers are the local variables and whose locations the parameters.
"""

from __future__ import annotations

from axmem.formats.herd.c_calls import default_scope
from axmem.formats.herd.c_expressions import base_type, pointed_to
from axmem.formats.herd.c_statements import FunctionReader
from axmem.formats.herd.c_types import CType, in_space, is_type_word, type_of
from axmem.formats.herd.ending import thread_named
from axmem.formats.herd.front import Front, assembled, read_front
from axmem.formats.herd.initial import Initial
from axmem.formats.herd.places import placed_by_tree, placement
from axmem.formats.herd.text import C_WORDS, tokens
from axmem.front.records import dataclass, replace
from axmem.front.source import Source, Span
from axmem.litmus.cursor import Cursor, Unparsable
from axmem.litmus.lexer import Token
from axmem.litmus.syntax import (
    AddressSpace,
    Assign,
    LitmusTest,
    Location,
    Number,
    Placement,
    Statement,
    Thread,
    Type,
)

_FUNCTION_WORDS = ("void", "static", "kernel", "__kernel")


@dataclass(frozen=True, slots=True)
class CParameter:
    """A parameter: the location that it points to, and its type."""

    name: str
    type: CType
    span: Span


def read(source: Source) -> LitmusTest:
    """Return the test that a text describes; raise `InputError` with everything that is wrong with it."""
    front = read_front(source, code=True)
    words, more = tokens(front.text, *front.program, C_WORDS)
    front.diagnostics.extend(more)
    reader = _Reader(front, Cursor(source, words, front.diagnostics))
    threads = reader.threads()
    places = _tree(front)
    threads = [replace(t, placement=places.get(t.name, t.placement)) for t in threads]
    model = "opencl" if front.form.upper() == "OPENCL" else "rc11"
    return assembled(front, reader.locations(_regions(front)), threads, model=model)


class _Reader:
    def __init__(self, front: Front, cursor: Cursor) -> None:
        self.front = front
        self.cursor = cursor
        self.parameters: dict[str, CParameter] = {}
        self.initials = {initial.name: initial for initial in front.initials if not initial.thread}

    def threads(self) -> list[Thread]:
        """Read every function."""
        cursor, found = self.cursor, []
        if cursor.at("end"):
            self.front.error(max(0, self.front.program[0] - 1), self.front.program[0], "a test has a function P0")
        while not cursor.at("end"):
            depth = cursor.depth
            try:
                found.append(self.function())
            except Unparsable:
                cursor.depth = depth
                self.recover()
        names = [thread.name for thread in found]
        for initial in self.front.initials:
            if initial.thread and initial.thread not in names:
                self.front.error_at(initial.span, f"there is no thread {initial.thread}")
        return found

    def recover(self) -> None:
        """Step to the next function."""
        cursor = self.cursor
        while not cursor.at("end") and not (cursor.peek().text[:1] == "P" and cursor.peek(1).kind == "("):
            cursor.next()

    def function(self) -> Thread:
        cursor = self.cursor
        while cursor.accept_word(*_FUNCTION_WORDS):
            pass
        start = cursor.peek()
        if start.kind == "number":
            cursor.fail_expected("a function such as P0")
        name = thread_named(cursor)
        place = Placement()
        if cursor.accept("@"):
            place = placement(cursor)
        cursor.expect("(", "'(' and the parameters")
        own: dict[str, CType] = {}
        while not cursor.accept(")"):
            parameter = self.parameter()
            own[parameter.name] = parameter.type
            self.parameters.setdefault(parameter.name, parameter)
            if not cursor.at(")"):
                cursor.expect(",", "',' or ')'")
        cursor.expect("{", "'{' and the statements of the thread")
        begins, locals_ = self.begins(name)
        body = FunctionReader(cursor, own, locals_, default_scope(self.front.form))
        body.block()
        return Thread(name, place, (*begins, *body.out), start.span)

    def parameter(self) -> CParameter:
        cursor = self.cursor
        start = cursor.peek().span
        if not (cursor.at("name") and is_type_word(cursor.peek().text)):
            cursor.fail_expected("a parameter such as atomic_int* x")
        base = base_type(cursor)
        type_ = pointed_to(cursor, base)
        name = cursor.expect("name", "the name of a location")
        if type_.target is None:
            hint = f"write atomic_int* {name.text}"
            raise cursor.fail(cursor.since(start), "a parameter is the address of a location", hint)
        return CParameter(name.text, in_space(type_.target, base.space), name.span)

    def begins(self, thread: str) -> tuple[list[Statement], dict[str, CType]]:
        """Return what gives the registers of a thread their initial values, and the types of these."""
        statements: list[Statement] = []
        locals_ = {}
        for initial in self.front.initials:
            if initial.thread != thread:
                continue
            locals_[initial.name] = self.type(initial) or CType(32)
            statements.append(Assign(initial.name, initial.value or Number(0), span=initial.span))
        return statements, locals_

    def type(self, initial: Initial) -> CType | None:
        """Return the type that stands before an initial value, if one does."""
        if not initial.type and not initial.pointers:
            return None
        type_ = type_of(initial.type) if initial.type else CType(32)
        if type_ is None:
            self.front.error_at(initial.span, f"'{' '.join(initial.type)}' is no type that is read")
            return None
        for _ in range(initial.pointers):
            type_ = CType(64, target=type_)
        return type_

    def locations(self, regions: dict[str, AddressSpace]) -> list[Location]:
        """Return the locations: those with initial values, then other parameters."""
        found = []
        for name, initial in self.initials.items():
            parameter = self.parameters.get(name)
            declared = self.type(initial) or (parameter.type if parameter else None)
            type_ = declared.type if declared else None
            if initial.length is not None:
                type_ = replace(type_ or Type(32), lanes=initial.length)
            space = regions.get(name) or self.space(parameter)
            found.append(Location(name, space, type_, initial.value or Number(0), initial.span))
        for name, parameter in self.parameters.items():
            if name not in self.initials:
                space = regions.get(name) or self.space(parameter)
                found.append(Location(name, space, parameter.type.type, Number(0), parameter.span))
        return found

    @staticmethod
    def space(parameter: CParameter | None) -> AddressSpace:
        """Return the address space that a parameter states, else that of global memory."""
        stated = parameter.type.space if parameter else None
        return stated if stated not in (None, AddressSpace.GENERIC) else AddressSpace.GLOBAL


def _on(front: Front, words: tuple[Token, ...]) -> Cursor:
    end = Token("end", "", "", words[-1].span)
    return Cursor(front.text.source, [*words, end], front.diagnostics)


def _tree(front: Front) -> dict[str, Placement]:
    """Return the places that a tree of scopes gives."""
    return placed_by_tree(_on(front, front.ending.scopes)) if front.ending.scopes else {}


def _regions(front: Front) -> dict[str, AddressSpace]:
    """Return the address spaces of a map of memory, `x: global, y: local`."""
    found: dict[str, AddressSpace] = {}
    if not front.ending.regions:
        return found
    cursor = _on(front, front.ending.regions)
    try:
        while True:
            name = cursor.expect("name", "the name of a location")
            cursor.expect(":", "':'")
            word = cursor.expect("name", "an address space: global, local or private")
            type_ = type_of((word.text, "int"))
            if type_ is None or type_.space in (None, AddressSpace.GENERIC):
                raise cursor.fail(word.span, f"'{word.text}' is no address space", "global, local or private")
            assert type_.space is not None
            found[name.text] = type_.space
            if not cursor.accept(","):
                break
        if not cursor.at("end"):
            cursor.fail_expected("',' or the end of the regions")
    except Unparsable:
        pass
    return found
