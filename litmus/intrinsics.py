"""The AMDGPU intrinsics: av loads and stores, make.available and make.visible, the barrier; those of DMA elsewhere.

What goes in: a cursor at a short spelling (`av.load.b32 x syncscope("agent")`, `load-visible x`) or at the name in an
LLVM call. What comes out: a `Load`, `Store`, `Make` or `Barrier`. Both spellings meet here in one tree.
"""

from __future__ import annotations

import re

from axmem.front.source import did_you_mean
from axmem.litmus.addresses import parse_address
from axmem.litmus.cursor import Cursor
from axmem.litmus.dma import DMA_NAMES, Dma, is_dma
from axmem.litmus.expressions import parse_expression
from axmem.litmus.lexer import Token
from axmem.litmus.metadata import MetadataNode, named_string, parse_node
from axmem.litmus.modes import Attributes, mode_of, parse_leading, parse_trailing, refuse_promises
from axmem.litmus.spelling import AV_TYPES, at_type, known_scope, parse_type, scope_named, type_name
from axmem.litmus.syntax import Address, Barrier, Expr, Load, Make, Statement, Store, SyncScope, Type
from axmem.litmus.words import OperationKind

AV_NAME = re.compile(r"(?:llvm\.amdgcn\.)?av\.(?:global\.)?(load|store)\.b(8|16|32|64|128)(?:\.p([0-9]+))?")
MAKE_NAME = re.compile(r"(?:llvm\.amdgcn\.)?make\.(ptr\.)?(available|visible)(?:\.p([0-9]+))?")
BARRIER_NAME = re.compile(r"(?:llvm\.amdgcn\.)?s\.barrier")
SHORT = ("load-visible", "store-available")
"""The documents' words for av accesses."""
KNOWN = (
    *(f"av.{access}.b{bits}" for access in ("load", "store") for bits in AV_TYPES),
    *(f"make.{pointer}{what}" for pointer in ("", "ptr.") for what in ("available", "visible")),
    "s.barrier",
    *DMA_NAMES,
)


class Intrinsics:
    """Reads the intrinsics of one thread."""

    def __init__(self, cursor: Cursor, known: dict[str, MetadataNode]) -> None:
        self.cursor = cursor
        self.known = known

    def begins(self, word: str) -> bool:
        """Say whether a bare word begins the short spelling of an intrinsic (other than the barrier)."""
        known = word in SHORT or AV_NAME.fullmatch(word) or MAKE_NAME.fullmatch(word)
        return bool(known) or is_dma(word) or word.startswith(("av.", "make.", "llvm."))

    # ------------------------------------------------ the short spelling

    def short(self, register: str, label: str, start: Token) -> Statement:
        """Read `av.load.b32 x …`, `store-available 1, x …`, `make.ptr.visible x …`; the word has been read."""
        cursor = self.cursor
        if is_dma(start.text):
            return Dma(cursor, self.known, start, label).statement(register)
        av, make = AV_NAME.fullmatch(start.text), MAKE_NAME.fullmatch(start.text)
        if cursor.at("(") and (av or make) and start.text.startswith("llvm."):
            cursor.index -= 1
            return self.called(register, label, None)
        attributes = Attributes(start.span)
        parse_leading(cursor, attributes)
        if make:
            return self.make(register, label, start, make, attributes)
        if not av and start.text not in SHORT:
            raise self.unknown(start, start.text)
        fixed = AV_TYPES[int(av[2])] if av else None
        if (av[1] if av else start.text[:4]) == "load":
            return self.short_load(register, label, start, attributes, fixed)
        if register:
            raise cursor.fail(start.span, f"'{start.text}' has no result")
        stated = parse_type(cursor) if at_type(cursor) else None
        value = parse_expression(cursor)
        cursor.expect(",", "',' and an address", f"it needs a value and an address: {start.text} 1, x")
        address = parse_address(cursor)
        parse_trailing(cursor, attributes, self.known)
        mode = mode_of(cursor, attributes, OperationKind.AV_STORE)
        return Store(
            value=value,
            type=self.agreed(start, fixed, stated),
            address=address,
            mode=mode,
            label=label,
            span=cursor.since(start.span),
        )

    def short_load(
        self, register: str, label: str, start: Token, attributes: Attributes, fixed: Type | None
    ) -> Statement:
        """Read the operands of an av load."""
        cursor = self.cursor
        stated = None
        before = cursor.index
        if at_type(cursor):
            stated = parse_type(cursor)
            if not cursor.accept(",") and stated.pointer is not None:
                cursor.index, stated = before, None
        address = parse_address(cursor)
        parse_trailing(cursor, attributes, self.known)
        mode = mode_of(cursor, attributes, OperationKind.AV_LOAD)
        return Load(
            register=register,
            type=self.agreed(start, fixed, stated),
            address=address,
            mode=mode,
            label=label,
            span=cursor.since(start.span),
        )

    def agreed(self, start: Token, fixed: Type | None, stated: Type | None) -> Type | None:
        """Return the type of an av access; a stated one must be the intrinsic's own."""
        if fixed is not None and stated is not None and fixed != stated:
            message = f"'{start.text.lstrip('@')}' accesses {type_name(fixed)}, not {type_name(stated)}"
            self.cursor.error(start.span, message, "load-visible and store-available take any type")
        return fixed or stated

    def make(self, register: str, label: str, start: Token, match: re.Match[str], attributes: Attributes) -> Statement:
        """Read a make operation after its name."""
        cursor = self.cursor
        if register:
            raise cursor.fail(start.span, f"'{start.text}' has no result")
        address, type_ = None, None
        if match[1]:
            before = cursor.index
            if at_type(cursor):
                type_ = parse_type(cursor)
                if not cursor.accept(",") and type_.pointer is not None:
                    cursor.index, type_ = before, None
            address = parse_address(cursor)
        parse_trailing(cursor, attributes, self.known)
        return self.made(label, start, match, attributes, address, type_)

    def made(
        self, label: str, start: Token, match: re.Match[str], attributes: Attributes,
        address: Address | None, type_: Type | None = None,
    ) -> Make:  # fmt: skip
        """Return the make operation, which has a scope and tags and nothing else."""
        mode = mode_of(self.cursor, attributes, OperationKind.MAKE_VISIBLE)
        span = self.cursor.since(start.span)
        return Make(
            visible=match[2] == "visible",
            scope=mode.scope,
            address=address,
            type=type_,
            tags=mode.tags,
            label=label,
            span=span,
        )

    # ------------------------------------------------ LLVM's calls

    def called(self, register: str, label: str, result: Type | None) -> Statement:
        """Read `@llvm.amdgcn.NAME(operands)`; `result` is the type the call states."""
        cursor = self.cursor
        if not cursor.at("global", "name"):
            cursor.fail_expected("the name of an intrinsic")
        start = cursor.next()
        if is_dma(start.value):
            return Dma(cursor, self.known, start, label).statement(register)
        av, make = AV_NAME.fullmatch(start.value), MAKE_NAME.fullmatch(start.value)
        if not (av or make or BARRIER_NAME.fullmatch(start.value)):
            raise self.unknown(start, start.value)
        attributes = Attributes(start.span)
        cursor.expect("(", "'('")
        if av:
            return self.called_av(register, label, start, av, result)
        if register:
            raise cursor.fail(start.span, f"'{start.value}' has no result")
        if make:
            address = self.argument_address(None) if make[1] else None
            attributes.scope = (self.argument_scope(), start.span)
            self.close(attributes)
            return self.made(label, start, make, attributes, address)
        self.close(attributes)
        if attributes.tags_span is not None:
            cursor.error(attributes.tags_span, "a barrier carries no tags")
        refuse_promises(cursor, attributes.promises_span)
        return Barrier("", label, cursor.since(start.span))

    def called_av(
        self, register: str, label: str, start: Token, match: re.Match[str], result: Type | None
    ) -> Statement:
        """Read the operands `(ptr, scope)` or `(ptr, value, scope)` of an av intrinsic."""
        cursor, attributes = self.cursor, Attributes(start.span)
        fixed = AV_TYPES[int(match[2])]
        address = self.argument_address(match[3])
        stated, value = result, None
        if match[1] == "store":
            stated, value = self.argument_value()
        attributes.scope = (self.argument_scope(), start.span)
        self.close(attributes)
        type_ = self.agreed(start, fixed, stated)
        if value is None:
            mode = mode_of(cursor, attributes, OperationKind.AV_LOAD)
            return Load(
                register=register,
                type=type_,
                address=address,
                mode=mode,
                label=label,
                span=cursor.since(start.span),
            )
        if register:
            raise cursor.fail(start.span, f"'{start.value}' has no result")
        mode = mode_of(cursor, attributes, OperationKind.AV_STORE)
        return Store(value=value, type=type_, address=address, mode=mode, label=label, span=cursor.since(start.span))

    def argument_address(self, space: str | None) -> Address:
        """Read the pointer; the suffix `.p1` of an intrinsic's name states its address space."""
        cursor = self.cursor
        before = cursor.peek()
        address = parse_address(cursor)
        if space is not None and address.base.type is not None and address.base.type.pointer is not None:
            stated = address.base.type.pointer
            if int(space) != int(stated):
                cursor.error(before.span, f"the intrinsic's name says address space {space}, its operand {int(stated)}")
        cursor.expect(",", "',' and the next operand")
        return address

    def argument_value(self) -> tuple[Type | None, Expr]:
        """Read the stored value and the comma after it."""
        cursor = self.cursor
        stated = parse_type(cursor) if at_type(cursor) else None
        value = parse_expression(cursor)
        cursor.expect(",", "',' and the scope")
        return stated, value

    def argument_scope(self) -> SyncScope:
        """Read the scope: `metadata !"agent"`, `metadata !0`, `"agent"` or `syncscope("agent")`."""
        cursor = self.cursor
        cursor.accept_word("metadata")
        if cursor.accept_word("syncscope"):
            cursor.expect("(", "'('")
            scope = scope_named(cursor)
            cursor.expect(")", "')'")
            return scope
        if cursor.at("metadata", "!{"):
            start = cursor.peek().span
            name = named_string(cursor, parse_node(cursor), self.known)
            return known_scope(cursor, name, start)
        return scope_named(cursor)

    def close(self, attributes: Attributes) -> None:
        """Read the closing parenthesis and what follows it."""
        self.cursor.expect(")", "')'")
        parse_trailing(self.cursor, attributes, self.known)

    def unknown(self, start: Token, name: str) -> Exception:
        """Record that no intrinsic has this name."""
        hint = did_you_mean(name.removeprefix("llvm.amdgcn."), KNOWN)
        return self.cursor.fail(start.span, f"unknown intrinsic '{name}'", hint or f"known: {', '.join(KNOWN)}")
