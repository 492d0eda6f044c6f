"""What stands outside the threads' bodies: locations, threads' places, barrier objects.

What goes in: a cursor at a declaration. What comes out: `Location`s whose type may still be unknown, `Placement`s with
gaps, `BarrierObject`s; what cannot be read raises `Unparsable`. Invariant: `global x = 0` and `@x = addrspace(1)
global i32 0` give the same location.
"""

from __future__ import annotations

from axmem.front.source import did_you_mean
from axmem.litmus.cursor import Cursor
from axmem.litmus.expressions import parse_infix
from axmem.litmus.lexer import Token, numeral
from axmem.litmus.spelling import RESERVED, at_type, parse_addrspace, parse_type
from axmem.litmus.syntax import AddressSpace, BarrierObject, Expr, Location, Placement, Type, UndefValue
from axmem.litmus.words import AMDGPU, DMA_SCOPES, SPACES, Hierarchy, Scope, hierarchy, placed_levels


def parse_locations(cursor: Cursor) -> list[Location]:
    """Read `global i64 x = 0, y = 1`; a type holds for the names after it too."""
    keyword = cursor.next()
    space = SPACES[keyword.text]
    if cursor.at_word("addrspace"):
        space = parse_addrspace(cursor)
    type_: Type | None = None
    found = []
    while True:
        if at_type(cursor):
            type_ = parse_type(cursor)
        name = location_name(cursor)
        initial = None
        if cursor.accept("="):
            initial = parse_infix(cursor, 0)
        found.append(Location(name.value, space, type_, initial, name.span))
        if not cursor.accept(","):
            break
    end_of_line(cursor, "',' or the end of the line")
    return found


def location_name(cursor: Cursor) -> Token:
    """Read the name of a location; the fixed words of the language are no names."""
    if not cursor.at("name", "global"):
        cursor.fail_expected("the name of a location")
    token = cursor.next()
    if token.value in RESERVED:
        raise cursor.fail(token.span, f"'{token.value}' is reserved and names no location")
    return token


def parse_llvm_global(cursor: Cursor) -> Location:
    """Read `@x = internal addrspace(3) global [4 x i32] undef, align 4`; LDS without a value is uninitialised."""
    name = location_name(cursor)
    cursor.expect("=", "'='")
    space, external = AddressSpace.GLOBAL, False
    while cursor.at("name") and not cursor.at_word("global", "constant"):
        if cursor.at_word("addrspace"):
            space = parse_addrspace(cursor)
        else:
            external |= cursor.next().text.startswith("ext")
    if cursor.accept_word("global", "constant") is None:
        cursor.fail_expected("'global' or 'constant'")
    if space is AddressSpace.GENERIC:
        space = AddressSpace.GLOBAL
    type_ = parse_type(cursor)
    initial: Expr | None = None
    if not cursor.at("newline", ",", "end"):
        initial = parse_infix(cursor, 0)
    elif not external:
        cursor.fail_expected("the initial value")
    if space is AddressSpace.LDS and isinstance(initial, UndefValue):
        initial = None
    while cursor.accept(","):
        cursor.expect_word("align")
        cursor.expect("number", "the alignment in bytes")
    end_of_line(cursor)
    return Location(name.value, space, type_, initial, name.span)


def end_of_line(cursor: Cursor, what: str = "the end of the line") -> None:
    """Fail unless the line ends here."""
    if cursor.at("tags"):
        raise cursor.fail(cursor.peek().span, "only an operation carries tags", "a comment starts with ';'")
    if not cursor.at("newline", "end"):
        cursor.fail_expected(what)


def parse_levels(cursor: Cursor) -> Hierarchy:
    """Read `levels thread cta cluster gpu system`, from the narrowest."""
    start = cursor.next()
    words = []
    while cursor.at("name"):
        words.append(cursor.next().text)
    end_of_line(cursor, "the word of a level")
    try:
        return hierarchy(tuple(words))
    except ValueError as error:
        raise cursor.fail(cursor.since(start.span), str(error), "for example: levels thread cta gpu system") from None


def parse_thread_name(cursor: Cursor) -> Token:
    """Read the name of a thread."""
    return cursor.expect("name", "the name of a thread")


def parse_placement(cursor: Cursor) -> Placement:
    """Read `@ agent 0, cluster 0, workgroup 1, wavefront 0, thread 0`, any part of it, in the words of the levels."""
    words = [level.place for level in placed_levels(cursor.levels)]
    numbers: dict[str, int] = {}
    if not cursor.accept("@"):
        if cursor.at("global"):
            cursor.fail_expected("a place", "write '@ agent 0, workgroup 0' with a space after '@'")
        return Placement.at(cursor.levels)
    while True:
        word = cursor.expect("name", "a level of placement")
        level = "thread" if word.text == "lane" and cursor.levels == AMDGPU else word.text
        if level not in words:
            hint = did_you_mean(level, words) or f"the levels are {', '.join(words)}"
            raise cursor.fail(word.span, f"unknown level of placement '{word.text}'", hint)
        number = cursor.expect("number", f"the number of the {level}")
        if level in numbers:
            cursor.error(word.span, f"this place names its {level} twice")
        numbers[level] = numeral(number.text)
        if not cursor.accept(","):
            return Placement.at(cursor.levels, **numbers)


def parse_barrier_object(cursor: Cursor) -> BarrierObject:
    """Read `barrier b (P0, P1)`."""
    start = cursor.next()
    name = cursor.next().text if cursor.at("name") else ""
    cursor.expect("(", "'(' and the threads that take part")
    participants = [parse_thread_name(cursor).text]
    while cursor.accept(","):
        participants.append(parse_thread_name(cursor).text)
    cursor.expect(")", "',' or ')'")
    span = cursor.since(start.span)
    end_of_line(cursor)
    return BarrierObject(name, tuple(participants), span)


def parse_dma_scope(cursor: Cursor) -> Scope:
    """Read `dma workgroup`: the scope to which the DMA operations of the test belong."""
    start = cursor.next()
    token = cursor.expect("name", "the scope of DMA operations")
    known = {scope.word: scope for scope in DMA_SCOPES}
    if token.text not in known:
        hint = did_you_mean(token.text, known) or f"they are {', '.join(known)}"
        raise cursor.fail(token.span, f"no DMA operation belongs to '{token.text}'", hint)
    if cursor.levels != AMDGPU:
        cursor.error(start.span, "DMA operations are AMDGPU's: the test has levels of its own")
    end_of_line(cursor)
    return known[token.text]
