"""Calls of functions that are not here, as messages to whoever plays them.

What goes in: a function. What comes out: the function without such calls. A call becomes a volatile release store that
tells the arguments, and a volatile acquire load of the answer, both of memory that only the callee has. What the callee
may do to memory, another thread does between the two: whoever is in the context of a function is its callees, too.
Invariant: a callee can do no more than another thread between the message and the answer, so that what is sound with
these messages is sound with the call; a callee that does less (`nosync`, `memory(read)`) is given more than it has.
Of one that does nothing, but perhaps does not return, or unwinds, a loop that waits for the answer says just that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from axmem.formats.ir.intrinsics import has_no_effect, known_intrinsic
from axmem.formats.ir.memory import Unspeakable
from axmem.formats.ir.syntax import Block, ConstantExpression, Function, Global, Instruction, Module, Operand, Value
from axmem.formats.ir.transfers import is_transfer
from axmem.formats.ir.types import METADATA, VOID, IRType, integer, value_type
from axmem.front.records import dataclass, field, replace
from axmem.litmus.syntax import AccessMode, AddressOf, Number, Ordering, Register, UndefValue, VectorOf

CALL, ARGUMENT, ANSWER = ".call", ".argument", ".answer"
"""How the names of memory end that only a callee has."""
WAITED = ".waited"
"""What is in the names of blocks that wait for a callee to return."""
ANSWERED = ".answered"
"""What is in the names of registers that hold an answer: whoever sees the callee's effects has it."""
PURE = ("memory(none)", "willreturn", "nounwind")
"""The attributes of a callee that does nothing but return."""
_LESS = ("nosync", "memory(", "readonly", "writeonly", "argmemonly", "inaccessiblememonly")
"""What the attributes of a callee that does less than another thread contain."""
_POINTER = IRType("ptr")
_FLAG = integer(32)
_TELL = AccessMode(ordering=Ordering.RELEASE, volatile=True)
_TOLD = AccessMode(ordering=Ordering.MONOTONIC, volatile=True)
_WAITED = AccessMode(ordering=Ordering.MONOTONIC)
_ANSWER = AccessMode(ordering=Ordering.ACQUIRE, volatile=True)


@dataclass(frozen=True, slots=True)
class Opened:
    """A function without calls of what is not here.

    `memory` are the variables of messages and answers by their names, `calls` counts the calls by what they name,
    `assumed` says what is taken for granted of callees, and `narrow` names those that do less than they are given.
    """

    function: Function
    memory: Mapping[str, Global] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)
    assumed: tuple[str, ...] = ()
    narrow: frozenset[str] = frozenset()


def opened(module: Module, function: Function) -> Opened:
    """Return a function, all calls of which are of intrinsics that are known, or of functions of the module."""
    work = _Opening(module)
    # Messages stand in an order with volatile accesses; and loops in loops are cut.
    everything = [each for block in function.blocks for each in block.instructions]
    work.waits = not any(each.mode.volatile for each in everything) and not _goes_back(function)
    blocks = tuple(part for block in function.blocks for part in work.split(block))
    blocks = tuple(_merged(block, work.last) for block in blocks)
    assumed = tuple(dict.fromkeys(work.assumed))
    return Opened(replace(function, blocks=blocks), work.memory, work.calls, assumed, frozenset(work.narrow))


class _Opening:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.memory: dict[str, Global] = {}
        self.calls: Counter[str] = Counter()
        self.assumed: list[str] = []
        self.narrow: set[str] = set()
        self.waits = False
        """Whether loops may stand for callees that perhaps do not return."""
        self.last: dict[str, str] = {}
        """The blocks that ends of others have become, by the names of these."""

    def split(self, block: Block) -> Iterator[Block]:
        """Yield a block with messages in the place of calls, cut where a callee does nothing but perhaps not return.

        A loop stands there that waits for an answer, which may be there: of such a callee nothing is known but whether
        it returns.
        """
        rest, name = block, block.name
        for each in block.instructions:
            if not is_opaque(each, self.module) or not self.only_ends(each, block):
                continue
            which = f"{name}{WAITED}{self.calls.total()}"
            at = rest.instructions.index(each)
            yield self.block(replace(rest, name=name, instructions=(*rest.instructions[:at], _branch(which, each))))
            yield replace(rest, name=which, instructions=tuple(self.wait(each, which)))
            name = self.last[block.name] = f"{which}.after"
            rest = replace(rest, name=name, instructions=rest.instructions[at + 1 :])
        yield self.block(rest)

    def only_ends(self, call: Instruction, block: Block) -> bool:
        """Say whether all that a callee may do is not to return; not where that is what the block is for."""
        said = effects(call, self.module)
        quiet = self.waits and PURE[0] in said and "nosync" in said and not call.result
        return quiet and not all(word in said for word in PURE) and block.instructions[-1].operation != "unreachable"

    def wait(self, call: Instruction, which: str) -> Iterator[Instruction]:
        """Yield the instructions of a loop that waits until a callee returns."""
        name = "".join(c if c.isalnum() or c in "._" else "_" for c in call.callee)[:40]
        self.calls[f"{called_as(call)}({', '.join(value_text(each.value) for each in call.operands)})"] += 1
        if self.calls.total() > 1:
            # Of two of them nobody sees which comes first.
            self.narrow.add(called_as(call))
        answer, asked = f"{which}.answer", f"{which}.returns"
        place = self.place(f"{name}{ANSWER}", _FLAG, call)
        yield Instruction("load", answer, _FLAG, (place,), mode=_WAITED, span=call.span)
        operands = Operand(_FLAG, Register(answer), call.span), Operand(_FLAG, Number(0), call.span)
        yield Instruction("icmp", asked, integer(1), operands, words=("ne",), span=call.span)
        returned = Operand(integer(1), Register(asked), call.span)
        yield Instruction("br", operands=(returned,), targets=(f"{which}.after", which), span=call.span)

    def block(self, block: Block) -> Block:
        """Return a block with messages in the place of calls; it ends where a callee does not return."""
        found: list[Instruction] = []
        for each in block.instructions:
            if not is_opaque(each, self.module):
                found.append(each)
                continue
            last = block.instructions[-1]
            ends = last.operation == "unreachable" and block.instructions[-2] is each
            found += self.call(each, ends="; unreachable" if ends else "")
            if ends:  # Whether the callee returns is not known: if it did, behaviour would be undefined.
                return replace(block, instructions=(*found, Instruction("ret", span=last.span)))
        return replace(block, instructions=tuple(found))

    def call(self, call: Instruction, ends: str = "") -> list[Instruction]:
        """Return the message and the answer that a call is; `ends` is what stands behind it that nobody sees."""
        name = "".join(c if c.isalnum() or c in "._" else "_" for c in call.callee)[:40]
        told_as = ["_" if _bits(each.type) > 1 else value_text(each.value) for each in call.operands]
        self.calls[f"{called_as(call)}({', '.join(told_as)}){ends}"] += 1
        said = effects(call, self.module)
        if call.callee.startswith("llvm.") or any(word in said for word in _LESS):
            self.narrow.add(called_as(call))
        told = [each for each in call.operands if _bits(each.type) > 1]
        found = list(self.given_away(call))
        found += [self.store(each, f"{name}{ARGUMENT}{index or ''}", call) for index, each in enumerate(told[:-1])]
        message = told[-1] if told else Operand(_FLAG, Number(1), call.span)
        found.append(replace(self.store(message, f"{name}{CALL}", call), mode=_TELL))
        answer = call.type if _bits(call.type) > 1 else integer(8) if _bits(call.type) else _FLAG
        place = self.place(f"{name}{ANSWER}", answer, call)
        received = f"{name}{ANSWERED}{self.calls.total()}"
        found.append(Instruction("load", received, answer, (place,), mode=_ANSWER, span=call.span))
        if call.type.kind == "ptr":
            found += self.returned(call, name)
        elif call.result and _bits(call.type):
            taken = Operand(answer, Register(received), call.span)
            cast = "bitcast" if answer == call.type else "trunc"
            found.append(Instruction(cast, call.result, call.type, (taken,), span=call.span))
        return found

    def given_away(self, call: Instruction) -> Iterator[Instruction]:
        """Yield a use of each address that a callee is told: what is there is memory that others access."""
        for index, each in enumerate(call.operands):
            if each.type.kind == "ptr" and isinstance(each.value, Register):
                result = f"{each.value.name}.given{self.calls.total()}.{index}"
                yield Instruction("bitcast", result, each.type, (each,), span=call.span)

    def returned(self, call: Instruction, name: str) -> Iterator[Instruction]:
        """Yield the result of a call that returns the address of memory of its own."""
        if not call.result:
            return
        if call.callee.startswith("llvm."):
            raise Unspeakable(call.span, f"'@{call.callee}' has no meaning in a test", "it returns an address")
        which = f"{name}.{self.calls.total()}"
        self.memory[which] = Global(which, VOID, call.type.space, Operand(VOID, Number(0)), (), call.span)
        self.assumed.append(f"{called_as(call)} returns the address of memory that nothing else has the address of")
        operands = (Operand(call.type, AddressOf(which), call.span),)
        yield Instruction("bitcast", call.result, call.type, operands, span=call.span)

    def store(self, value: Operand, name: str, call: Instruction) -> Instruction:
        """Return a store that tells an argument."""
        place = self.place(name, value.type, call)
        return Instruction("store", operands=(value, place), mode=_TOLD, span=call.span)

    def place(self, name: str, type_: IRType, call: Instruction) -> Operand:
        """Return the address of memory that only a callee has."""
        self.memory.setdefault(name, Global(name, VOID, 0, Operand(VOID, Number(0)), (), call.span))
        return Operand(_POINTER, AddressOf(name), call.span)


def is_opaque(instruction: Instruction, module: Module) -> bool:
    """Say whether an instruction calls what is not in a module."""
    if instruction.operation != "call" or has_no_effect(instruction.callee):
        return False
    callee = module.functions.get(instruction.callee)
    if callee is not None and callee.blocks:
        return False
    if any(each.name == instruction.callee for each in module.declared):
        return False
    return not (known_intrinsic(instruction.callee) or is_transfer(instruction.callee))


def is_node(operand: Operand) -> bool:
    """Say whether an operand is a node of metadata, of which only the number is known; no string, and no value."""
    value = operand.value
    return operand.type == METADATA and isinstance(value, ConstantExpression) and not value.operation.startswith('!"')


def effects(call: Instruction, module: Module) -> str:
    """Return the attributes of a callee and of a call, in one text."""
    callee = module.functions.get(call.callee)
    groups = (word for each in call.words for word in module.groups.get(each, ()))
    words = (*call.words, *groups, *(callee.attributes if callee else ()))
    return "".join(words).replace("readnone", PURE[0])


def _goes_back(function: Function) -> bool:
    """Say whether a function may have a loop: a branch to a block that stands no later."""
    places = {block.name: at for at, block in enumerate(function.blocks)}
    ends = ((at, block.instructions[-1].targets) for at, block in enumerate(function.blocks))
    return any(places.get(name, 0) <= at for at, targets in ends for name in targets)


def _branch(target: str, call: Instruction) -> Instruction:
    """Return the branch to a block, in the place of a call."""
    return Instruction("br", targets=(target,), span=call.span)


def _merged(block: Block, last: Mapping[str, str]) -> Block:
    """Return a block whose phis name what the ends of blocks have become."""
    if not last:
        return block
    found = (
        replace(each, targets=tuple(last.get(name, name) for name in each.targets)) if each.operation == "phi" else each
        for each in block.instructions
    )
    return replace(block, instructions=tuple(found))


def _bits(type_: IRType) -> int:
    """Return how many bits a number, or a lane of it, has; none if a test has no such values."""
    found = value_type(type_)
    return 0 if found is None or found.pointer is not None else found.bits


def called_as(call: Instruction) -> str:
    """Return what is called, as a message writes it."""
    return call.callee if call.callee[:1] == "%" or call.callee.startswith("asm ") else f"@{call.callee}"


def value_text(value: Value) -> str:
    """Return a value as text, wherever it stands."""
    match value:
        case VectorOf(elements=elements):
            return f"<{', '.join(map(value_text, elements))}>"
        case UndefValue():
            return "undef"
        case Register(name=name):
            return f"%{name}"
        case AddressOf(location=name):
            return f"@{name}"
        case ConstantExpression(operation=operation, operands=operands):
            return f"{operation}({', '.join(value_text(each.value) for each in operands)})"
    return str(getattr(value, "value", "_"))
