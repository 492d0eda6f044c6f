"""The instructions of LLVM IR.

What goes in: a cursor at an instruction. What comes out: an `Instruction`; one that is not known, or cannot be read,
raises `Unparsable` with a diagnostic at its word. Orderings, scopes, alignments and metadata are those of the test
language, read by its parsers; metadata of other kinds has no effect, since LLVM lets every pass drop it.
"""

from __future__ import annotations

from collections.abc import Callable

from axmem.formats.ir.attributes import by_metadata, by_poison, in_place
from axmem.formats.ir.calls import Calls
from axmem.formats.ir.floats import IMPRECISE
from axmem.formats.ir.mnemonics import BINARY, CASTS, PLAIN, REFUSED
from axmem.formats.ir.operands import skip_to
from axmem.formats.ir.syntax import Instruction, Operand
from axmem.formats.ir.types import VOID, IRType, integer
from axmem.front.records import replace
from axmem.front.source import did_you_mean
from axmem.litmus.cursor import Cursor
from axmem.litmus.lexer import Token, numeral
from axmem.litmus.loop_metadata import LOOP, loop_of
from axmem.litmus.metadata import MetadataNode, Reference, parse_node
from axmem.litmus.modes import Attributes, modes_of, parse_leading, parse_trailing
from axmem.litmus.spelling import COMPARISONS, RMW_OPERATIONS
from axmem.litmus.syntax import AccessMode, LoopID, Ordering
from axmem.litmus.words import OperationKind


class Instructions(Calls):
    """Reads instructions; `known` are the nodes of the module, which `placed` metadata has in place of numbers."""

    def __init__(self, cursor: Cursor, known: dict[str, MetadataNode]) -> None:
        super().__init__(cursor)
        self.known = known
        self.placed = False
        self.imprecise: list[str] = []
        self.attached: list[tuple[str, str]] = []
        self.readers: dict[str, Callable[[str, Token], Instruction]] = {
            "load": self.load, "store": self.store, "atomicrmw": self.atomicrmw, "cmpxchg": self.cmpxchg,
            "fence": self.fence, "getelementptr": self.getelementptr, "alloca": self.alloca, "phi": self.phi,
            "icmp": self.comparison, "fcmp": self.comparison, "call": self.call, "tail": self.call,
            "musttail": self.call, "notail": self.call, "br": self.branch, "switch": self.switch, "ret": self.returns,
            "unreachable": self.plain, "extractvalue": self.indexed, "insertvalue": self.indexed,
            **dict.fromkeys(PLAIN, self.plain), **dict.fromkeys(BINARY, self.binary), **dict.fromkeys(CASTS, self.cast),
        }  # fmt: skip

    def instruction(self) -> Instruction:
        """Read one instruction with what follows it on its line."""
        cursor = self.cursor
        start = cursor.peek()
        result = ""
        if cursor.at("local") and cursor.peek(1).kind == "=":
            result = cursor.next().value
            cursor.next()
        word = cursor.expect("name", "an instruction")
        reader = self.readers.get(word.text)
        if reader is None and word.text in REFUSED:
            raise cursor.fail(word.span, f"'{word.text}' has no meaning in a test", REFUSED[word.text])
        if reader is None:
            hint = did_you_mean(word.text, self.readers)
            raise cursor.fail(word.span, f"'{word.text}' is no instruction of LLVM IR that is known here", hint)
        self.imprecise, self.promises, self.attached, self.said, self.poisons = [], [], [], [], 0
        found = reader(result, word)
        self.promises += by_poison(found, self.poisons)
        if found.result and cursor.at("newline", "}") is False:
            self.attachments()
        span = cursor.since(start.span)
        loop = self.attachments(latch=found.operation == "br")
        if self.imprecise:
            found = replace(found, words=(*found.words, *self.imprecise))
        if not cursor.at("newline", "}", "end"):
            cursor.fail_expected("the end of the instruction")
        promises = tuple(sorted(self.promises))
        return replace(found, span=span, loop=loop, promises=promises, attached=tuple(self.attached))

    def attachments(self, *, latch: bool = False) -> LoopID | None:
        """Read `, !kind !0`, as often as it stands here; the LoopID of a branch is returned."""
        cursor = self.cursor
        found: LoopID | None = None
        while cursor.at(",") and cursor.peek(1).kind == "metadata":
            cursor.next()
            name = cursor.next()
            if cursor.at("metadata") and cursor.peek(1).kind == "(":
                cursor.next()
                cursor.next()
                skip_to(cursor, ")")
                continue
            node = parse_node(cursor)
            if name.value in IMPRECISE:
                self.imprecise.append(name.value)
            self.attach(name.value, node)
            if name.value == "mmra":
                hint = "LLVM: !mmra metadata attached to unexpected instruction kind"
                cursor.error(name.span, "only accesses, fences and calls carry tags", hint)
            if name.value == LOOP and latch:
                found = loop_of(cursor, node, self.known)
        return found

    def attach(self, kind: str, node: MetadataNode | Reference) -> None:
        """Note metadata of an instruction, and what it promises."""
        source = self.cursor.source
        written = in_place(node, source, self.known) if self.placed else source.text_at(node.span)
        self.attached.append((kind, written))
        self.promises += by_metadata(kind, node, source, self.known)

    def operands(self) -> tuple[Operand, ...]:
        """Read operands with commas between, up to metadata or the end."""
        found = [self.operand()]
        while self.comma():
            found.append(self.operand())
        return tuple(found)

    def comma(self) -> bool:
        """Step over a comma that metadata does not follow."""
        if self.cursor.at(",") and self.cursor.peek(1).kind != "metadata":
            self.cursor.next()
            return True
        return False

    def expect_comma(self, what: str) -> None:
        """Step over a comma, or fail."""
        self.cursor.expect(",", f"',' and {what}")

    def same(self, first: Operand, what: str) -> Operand:
        """Read a second operand, which has the type of the first and does not state it."""
        self.expect_comma(what)
        start = self.cursor.peek().span
        return Operand(first.type, self.value(first.type), self.cursor.since(start))

    def plain(self, result: str, word: Token) -> Instruction:
        """Read an instruction that is its word and typed operands, whose result has the type of the second last."""
        flags = self.flags()
        found = () if word.text == "unreachable" else self.operands()
        needed = {"select": 3, "insertelement": 3, "shufflevector": 3, "extractelement": 2, "unreachable": 0}
        if len(found) != needed.get(word.text, 1):
            span = self.cursor.since(word.span)
            raise self.cursor.fail(span, f"'{word.text}' has {needed.get(word.text, 1)} operands, not {len(found)}")
        type_ = VOID
        if found:
            type_ = found[1 if word.text == "select" else 0].type
            if word.text == "extractelement":
                type_ = type_.element or VOID
            elif word.text == "shufflevector":
                type_ = IRType("vector", count=found[2].type.count, element=type_.element)
        return Instruction(word.text, result, type_, found, flags)

    def binary(self, result: str, word: Token) -> Instruction:
        """Read an arithmetic operation after its word."""
        flags = self.flags()
        first = self.operand()
        return Instruction(word.text, result, first.type, (first, self.same(first, "another operand")), flags)

    def comparison(self, result: str, word: Token) -> Instruction:
        """Read icmp or fcmp after its word."""
        cursor, flags = self.cursor, self.flags()
        predicate = cursor.expect("name", "a predicate such as 'eq'")
        if word.text == "icmp" and predicate.text not in COMPARISONS:
            known = sorted(COMPARISONS)
            hint = did_you_mean(predicate.text, known) or f"the predicates are {', '.join(known)}"
            raise cursor.fail(predicate.span, f"unknown predicate '{predicate.text}'", hint)
        first = self.operand()
        second = self.same(first, "another operand")
        type_ = integer(1)
        if first.type.kind == "vector":
            type_ = IRType("vector", count=first.type.count, element=type_)
        return Instruction(word.text, result, type_, (first, second), (predicate.text, *flags))

    def cast(self, result: str, word: Token) -> Instruction:
        """Read a conversion after its word."""
        flags = self.flags()
        operand = self.operand()
        self.cursor.expect_word("to")
        return Instruction(word.text, result, self.type(), (operand,), flags)

    def getelementptr(self, result: str, word: Token) -> Instruction:
        """Read a getelementptr after its word."""
        flags = self.flags()
        counted = self.type()
        self.expect_comma("a pointer")
        return Instruction(word.text, result, counted, self.operands(), flags)

    def indexed(self, result: str, word: Token) -> Instruction:
        """Read extractvalue or insertvalue after its word."""
        found = [self.operand()]
        if word.text == "insertvalue":
            self.expect_comma("a value")
            found.append(self.operand())
        indices = []
        while self.comma():
            indices.append(numeral(self.cursor.expect("number", "an index").text))
        if not indices:
            raise self.cursor.fail(self.cursor.since(word.span), f"'{word.text}' without an index")
        type_ = found[0].type
        for index in indices if word.text == "extractvalue" else ():
            inside = type_.fields[index : index + 1] if type_.kind == "struct" else (type_.element,)
            if not inside or inside[0] is None:
                raise self.cursor.fail(self.cursor.since(word.span), f"{type_} has no element {index}")
            type_ = inside[0]
        return Instruction(word.text, result, type_, tuple(found), indices=tuple(indices))

    def alloca(self, result: str, word: Token) -> Instruction:
        """Read an alloca after its word: its type, and how many there are, if it says so."""
        cursor, count, space, align = self.cursor, 1, 0, None
        if cursor.at_word("inalloca"):
            raise cursor.fail(cursor.peek().span, "'inalloca' has no meaning in a test")
        type_ = self.type()
        while self.comma():
            if cursor.at_word("addrspace"):
                space = self.space()
            elif cursor.accept_word("align"):
                align = numeral(cursor.expect("number", "the alignment in bytes").text)
            else:
                start = cursor.peek().span
                value = getattr(self.operand().value, "value", None)
                if value is None:
                    raise cursor.fail(start, "memory of a size that is not known has no meaning in a test")
                count = value
        type_ = type_ if count == 1 else IRType("array", count=count, element=type_)
        return Instruction("alloca", result, type_, mode=AccessMode(align=align), indices=(space,))

    def phi(self, result: str, word: Token) -> Instruction:
        """Read a phi after its word."""
        cursor = self.cursor
        flags = self.flags()
        type_ = self.type()
        values, blocks = [], []
        while True:
            opening = cursor.expect("[", "'[', a value and a block")
            value = self.value(type_)
            cursor.expect(",", "',' and a block")
            blocks.append(cursor.expect("local", "the label of a block").value)
            cursor.expect("]", "']'")
            values.append(Operand(type_, value, cursor.since(opening.span)))
            if not self.comma():
                return Instruction("phi", result, type_, tuple(values), flags, targets=tuple(blocks))

    # ------------------------------------------------ memory

    def mode(self, attributes: Attributes, kind: OperationKind) -> tuple[AccessMode, Ordering]:
        """Read what follows the operands of an access, and return how it is done."""
        self.trailing(attributes)
        return modes_of(self.cursor, attributes, kind)

    def trailing(self, attributes: Attributes) -> None:
        """Read what follows the operands of an access or a call."""
        parse_trailing(self.cursor, attributes, self.known)
        for kind, (_, node) in attributes.attached.items():
            self.attach(kind, node)

    def load(self, result: str, word: Token) -> Instruction:
        """Read a load after its word."""
        attributes = Attributes(word.span, strict=True)
        parse_leading(self.cursor, attributes)
        type_ = self.type()
        self.expect_comma("a pointer")
        operand = self.pointer()
        mode, _ = self.mode(attributes, OperationKind.LOAD)
        return Instruction("load", result, type_, (operand,), mode=mode)

    def pointer(self) -> Operand:
        """Read an operand that is a pointer."""
        found = self.operand()
        if found.type.kind != "ptr":
            raise self.cursor.fail(found.span, f"an address is a pointer, not {found.type}")
        return found

    def store(self, result: str, word: Token) -> Instruction:
        """Read a store after its word."""
        attributes = Attributes(word.span, strict=True)
        parse_leading(self.cursor, attributes)
        value = self.operand()
        self.expect_comma("a pointer")
        operand = self.pointer()
        mode, _ = self.mode(attributes, OperationKind.STORE)
        return Instruction("store", result, VOID, (value, operand), mode=mode)

    def atomicrmw(self, result: str, word: Token) -> Instruction:
        """Read an atomicrmw after its word."""
        cursor, attributes = self.cursor, Attributes(word.span, strict=True)
        parse_leading(cursor, attributes)
        operation = cursor.expect("name", "an operation such as 'add'")
        if operation.text not in RMW_OPERATIONS:
            hint = did_you_mean(operation.text, sorted(RMW_OPERATIONS))
            raise cursor.fail(operation.span, f"'atomicrmw {operation.text}' has no meaning in a test", hint)
        operand = self.pointer()
        self.expect_comma("a value")
        value = self.operand()
        mode, _ = self.mode(attributes, OperationKind.RMW)
        self.imprecise += sorted(attributes.attached.keys() & IMPRECISE)
        return Instruction("atomicrmw", result, value.type, (operand, value), (operation.text,), mode)

    def cmpxchg(self, result: str, word: Token) -> Instruction:
        """Read a cmpxchg after its word; its result is a pair."""
        cursor, attributes = self.cursor, Attributes(word.span, strict=True)
        weak = cursor.accept_word("weak") is not None
        parse_leading(cursor, attributes)
        operand = self.pointer()
        self.expect_comma("the expected value")
        expected = self.operand()
        self.expect_comma("the new value")
        desired = self.operand()
        if expected.type != desired.type:
            cursor.error(desired.span, "the two values of a cmpxchg have different types")
        mode, failure = self.mode(attributes, OperationKind.CMPXCHG)
        type_ = IRType("struct", fields=(expected.type, integer(1)))
        words = ("weak",) if weak else ()
        return Instruction("cmpxchg", result, type_, (operand, expected, desired), words, mode, failure)

    def fence(self, result: str, word: Token) -> Instruction:
        """Read a fence after its word."""
        attributes = Attributes(word.span, strict=True)
        parse_leading(self.cursor, attributes)
        mode, _ = self.mode(attributes, OperationKind.FENCE)
        return Instruction("fence", result, mode=mode)

    # ------------------------------------------------ control

    def label(self) -> str:
        """Read `label %A`."""
        self.cursor.expect_word("label")
        return self.cursor.expect("local", "the label of a block").value

    def branch(self, result: str, word: Token) -> Instruction:
        """Read a br after its word."""
        cursor = self.cursor
        if cursor.at_word("label"):
            return Instruction("br", targets=(self.label(),))
        condition = self.operand()
        self.expect_comma("the label where the condition holds")
        first = self.label()
        self.expect_comma("the label where it does not hold")
        return Instruction("br", operands=(condition,), targets=(first, self.label()))

    def switch(self, result: str, word: Token) -> Instruction:
        """Read a switch after its word."""
        cursor = self.cursor
        found = [self.operand()]
        self.expect_comma("the label of the default")
        targets = [self.label()]
        cursor.expect("[", "'[' and the cases")
        while not cursor.accept("]"):
            found.append(self.operand())
            self.expect_comma("a label")
            targets.append(self.label())
        return Instruction("switch", operands=tuple(found), targets=tuple(targets))

    def returns(self, result: str, word: Token) -> Instruction:
        """Read a ret after its word."""
        if self.cursor.accept_word("void"):
            return Instruction("ret")
        operand = self.operand()
        return Instruction("ret", type=operand.type, operands=(operand,))

    def call(self, result: str, word: Token) -> Instruction:
        """Read a call; `word` is its first word."""
        if word.text != "call":
            self.said.append(word.text)
            self.cursor.expect_word("call")
        found = self.called(result)
        attributes = Attributes(word.span, strict=True)
        self.trailing(attributes)
        return replace(found, mode=AccessMode(nontemporal="nontemporal" in attributes.modifiers, tags=attributes.tags))
