"""Intrinsics that take a number once, and are arithmetic here that takes it several times.

What goes in: a function before a change, or one after it. What comes out: whether both compute by the same
instructions; or the function before it, in which what such an intrinsic takes is frozen, and the names of those whose
operands cannot be; or the function after it, in which parameters are. Undef is one number to the intrinsic and another
one to each use of it in the arithmetic, which so gives more than it should. After a change that may be, before it
nothing may be more. Invariant: a frozen operand is one of what it may be, and poison where that is; freezing goes down
to parameters, since memory has no number of its own that is undef.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

from axmem.formats.ir.counting import used_again
from axmem.formats.ir.flow import ADDRESSED, FunctionFlow
from axmem.formats.ir.folding import COMPUTING
from axmem.formats.ir.intrinsics import MINMAX, REDUCED, computing, plain
from axmem.formats.ir.mnemonics import COMMUTING
from axmem.formats.ir.opaque import value_text
from axmem.formats.ir.syntax import Block, Function, Instruction, Operand
from axmem.formats.ir.uses import is_defined, undefined
from axmem.front.records import replace
from axmem.litmus.syntax import Number, Register, UndefValue

_CHOOSING = {name for name, word in REDUCED.items() if word in MINMAX.values()}
_NEITHER = frozenset({*ADDRESSED, "alloca", "getelementptr"})
"""What computes no number."""
_DEPTH = 9


def _again(call: Instruction) -> tuple[int, ...]:
    """Return the operands of a call that it takes once, and what it is here several times."""
    if call.operation != "call":
        return ()
    return (0, 1) if plain(call.callee) in {*MINMAX, *_CHOOSING} else used_again(call.callee)


def computes_alike(before: Function, after: Function) -> bool:
    """Say whether two functions compute the same of the same reads: more on one side is the same more on both."""
    known: dict[Hashable, int] = {}
    return Counter(_computations(before, known)) == Counter(_computations(after, known))


def _computations(function: Function, known: dict[Hashable, int]) -> Iterator[int]:
    """Yield the numbers of what is computed, and of what is done with it; what is `known` has one."""
    made = {each.name: known.setdefault(k, len(known)) for k, each in enumerate(function.parameters)}
    everything = [each for block in function.blocks for each in block.instructions]
    wanted = _wanted(everything)
    for each in everything:
        if each.result and _computes(each) and each.result not in wanted:
            continue  # What nobody asks for is no more on any side.
        # What comes round a loop stands further down, and has no number yet.
        values = [operand.value for operand in each.operands]
        given = [made.get(o.name, -1) if isinstance(o, Register) else value_text(o) for o in values]
        if each.operation in COMMUTING:
            given.sort(key=str)
        what = (each.operation, each.words, str(each.type), each.callee, each.targets, *given)
        number = known.setdefault(what, len(known))
        made[each.result] = number
        if _keeps(each) or (each.result and each.operation not in _NEITHER):
            yield number


def _computes(each: Instruction) -> bool:
    """Say whether an instruction does nothing but compute its result."""
    return each.operation in COMPUTING | {"bitcast", "phi"} or (each.operation == "call" and computing(each.callee))


def _wanted(everything: Sequence[Instruction]) -> set[str]:
    """Return the names of what is used otherwise than to compute what nobody uses."""
    made = {each.result: each for each in everything if each.result and _computes(each)}
    found: set[str] = set()
    todo = [each for each in everything if each.result not in made]
    while todo:
        names = {o.value.name for o in todo.pop().operands if isinstance(o.value, Register)} - found
        found |= names
        todo += [made[name] for name in names if name in made]
    return found


def _keeps(each: Instruction) -> bool:
    """Say whether an instruction does something with values: it stores or returns one, or goes on by it."""
    return each.operation in ("store", "ret", "br", "switch") and bool(each.operands)


def taken_once(function: Function) -> tuple[Function, tuple[str, ...]]:
    """Return a function with frozen operands of such intrinsics, and those of which that is not possible."""
    flow = FunctionFlow(function)
    if not any(map(_again, flow.instructions)):
        return function, ()
    work = _Freezing(flow)
    blocks = tuple(map(work.block, function.blocks))
    return replace(function, blocks=blocks), tuple(sorted(work.left))


def parameters_taken_once(function: Function) -> Function:
    """Return a function in which such intrinsics are given a parameter once, as one number, or poison.

    What is computed stays more than it is, and so does what is given in a loop, each time another number.
    """
    flow = FunctionFlow(function)
    work = _Freezing(flow, computed=False)
    blocks = (block if flow.loops(block.name) else work.block(block) for block in function.blocks)
    return replace(function, blocks=tuple(blocks)) if any(map(_again, flow.instructions)) else function


class _Freezing:
    def __init__(self, flow: FunctionFlow, *, computed: bool = True) -> None:
        """`computed`: whether what is computed is frozen, too."""
        self.flow, self.computed = flow, computed
        self.unsure = undefined(flow.function)
        self.parameters = {each.name for each in flow.function.parameters}
        self.used = {o.value.name for i in flow.instructions for o in i.operands if isinstance(o.value, Register)}
        self.left: set[str] = set()
        self.made: list[Instruction] = []

    def block(self, block: Block) -> Block:
        """Return a block with frozen operands."""
        found: list[Instruction] = []
        for each in block.instructions:
            if (which := _again(each)) and each.result in self.used:
                self.made = []
                stem = f"{each.result}.once"
                operands = [self.frozen(o, stem) if k in which else o for k, o in enumerate(each.operands)]
                if None in operands:
                    self.left.add(plain(each.callee))
                else:
                    if all(k in which or is_defined(o, self.unsure) for k, o in enumerate(each.operands)):
                        self.unsure.discard(each.result)
                    found += self.made
                    each = replace(each, operands=tuple(o for o in operands if o is not None))
            found.append(each)
        return replace(block, instructions=tuple(found))

    def frozen(self, operand: Operand, stem: str, depth: int = _DEPTH) -> Operand | None:
        """Return an operand that is one number of those that it may be; None if there is none that could be named."""
        value = operand.value
        if is_defined(operand, self.unsure):
            return operand
        if isinstance(value, UndefValue) and value.poison:
            return operand
        if not isinstance(value, Register) or operand.type.kind != "int" or not depth:
            return None if self.computed else operand
        if value.name in self.parameters:
            number = self._added(Instruction("freeze", "", operand.type, (operand,), span=operand.span), stem)
            return self._poisoned(number, operand, stem)
        if not self.computed:
            return operand
        made = self.flow.results[value.name]
        if made.operation not in COMPUTING | {"bitcast"} or made.operation == "freeze":
            return None
        operands = [self.frozen(each, stem, depth - 1) for each in made.operands]
        if None in operands:
            return None
        return self._added(replace(made, operands=tuple(o for o in operands if o is not None)), stem)

    def _poisoned(self, number: Operand, operand: Operand, stem: str) -> Operand:
        """Return a number that is poison where an operand is."""
        none = Operand(operand.type, Number(0), operand.span)
        zero = self._added(Instruction("and", "", operand.type, (operand, none), span=operand.span), stem)
        return self._added(Instruction("or", "", operand.type, (number, zero), span=operand.span), stem)

    def _added(self, each: Instruction, stem: str) -> Operand:
        name = f"{stem}{len(self.made)}"
        self.made.append(replace(each, result=name))
        return Operand(each.type, Register(name), each.span)
