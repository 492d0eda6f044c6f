"""Variables of a function that no other lane can reach, as values: what a compiler that does not optimize leaves.

What goes in: a function without calls of defined functions. What comes out: the function without the allocas that are
only loaded and stored as a whole: a load is the value that was stored last, with phis where paths join. Branches and
switches that constants then decide are followed. Invariant: the result does to other memory what the function does; a
variable whose address goes anywhere else stays.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from axmem.formats.ir.folding import folded
from axmem.formats.ir.inlining import executed
from axmem.formats.ir.intrinsics import has_no_effect
from axmem.formats.ir.syntax import Block, Function, Instruction, Operand, Value
from axmem.formats.ir.types import IRType
from axmem.formats.ir.units import put
from axmem.formats.ir.uses import promoted
from axmem.front.records import replace
from axmem.litmus.syntax import Expr, Register, UndefValue


def in_registers(function: Function, named: Collection[str] = ()) -> Function:
    """Return a function whose own variables are values; loads whose results are among the `named` stay."""
    if not any(each.operation == "alloca" for block in function.blocks for each in block.instructions):
        return function
    function = executed(function)
    instructions = [each for block in function.blocks for each in block.instructions]
    types = {each.result: each.type for each in instructions if each.operation == "alloca"}
    asked = (o.value for each in instructions if each.result in named for o in each.operands)
    kept = {value.name for value in asked if isinstance(value, Register)}
    slots = {name: types[name] for name in promoted(function) if name not in kept}
    return folded(_exchanged(_Promotion(function, slots).function()), {}) if slots else function


def _exchanged(function: Function) -> Function:
    """Return a function in which what was expected of a compare-exchange and found is what it returns.

    Where it fails clang stores what it returns over what was expected, and loads that behind: it is the same, whether
    it fails or not.
    """
    made = {each.result: (each, block) for block in function.blocks for each in block.instructions if each.result}
    leads = [(target, b.name) for b in function.blocks for target in b.instructions[-1].targets]

    def part(value: Value, index: int) -> tuple[str, str]:
        """Return of which pair a value is a part, and in which block."""
        each, block = made.get(value.name, (None, None)) if isinstance(value, Register) else (None, None)
        if each is None or block is None or each.operation != "extractvalue" or each.indices != (index,):
            return "", ""
        of = each.operands[0].value
        return (of.name, block.name) if isinstance(of, Register) else ("", "")

    def same(phi: Instruction, block: Block, before: int) -> bool:
        """Say whether a phi is what a compare-exchange in one of two blocks before it returns."""
        expected, found = phi.operands[before].value, phi.operands[1 - before].value
        start, failed = phi.targets[before], phi.targets[1 - before]
        pair, where = part(found, 0)
        exchange = made[pair][0] if pair in made else None
        last = next(b.instructions[-1] for b in function.blocks if b.name == start)
        decided = bool(last.operands) and part(last.operands[0].value, 1) == (pair, start)
        alone = [source for target, source in leads if target == failed] == [start]
        compares = exchange is not None and exchange.operation == "cmpxchg" and exchange.operands[1].value == expected
        return compares and where == start and decided and alone and last.targets == (block.name, failed)

    known: dict[str, Expr] = {}
    for block in function.blocks:
        for each in block.instructions:
            if each.operation == "phi" and len(each.operands) == 2:
                chosen = next((k for k in (0, 1) if same(each, block, k)), None)
                value = None if chosen is None else each.operands[1 - chosen].value
                if isinstance(value, Register):
                    known[each.result] = value
    return put(_without(function, known.keys()), known) if known else function


def _without(function: Function, results: Collection[str]) -> Function:
    blocks = (
        replace(b, instructions=tuple(i for i in b.instructions if not i.result or i.result not in results))
        for b in function.blocks
    )
    return replace(function, blocks=tuple(blocks))


class _Promotion:
    """Each variable's value at the start and at the end of each block, and what its loads are."""

    def __init__(self, function: Function, slots: Mapping[str, IRType]) -> None:
        self.before = function
        self.slots = slots
        self.values: dict[str, Value] = {}
        """What stands for loads and for phis that are none."""
        self.phis: dict[tuple[str, str], Instruction] = {}
        self.comes: dict[str, list[str]] = {block.name: [] for block in function.blocks}
        for block in function.blocks:
            for target in dict.fromkeys(block.instructions[-1].targets):
                self.comes[target].append(block.name)
        self.names = {each.result for block in function.blocks for each in block.instructions}
        self.names |= {parameter.name for parameter in function.parameters}
        self.ends: dict[tuple[str, str], Value] = {}
        self.waiting: dict[tuple[str, str], list[str]] = {}
        """Loads before any store of their block."""

    def function(self) -> Function:
        """Return the function without the variables."""
        first = self.before.blocks[0].name
        for block in self.before.blocks:
            if block.name == first or len(self.comes[block.name]) != 1:
                for slot in self.slots:
                    self.begin(block.name, slot, at_first=block.name == first)
        blocks = [self.block(block) for block in self.before.blocks]
        for (name, slot), phi in self.phis.items():
            operands = tuple(Operand(phi.type, self.end(each, slot), phi.span) for each in self.comes[name])
            self.phis[name, slot] = replace(phi, operands=operands, targets=tuple(self.comes[name]))
        self.simplify()
        live = self.live(blocks)
        found = []
        for block in blocks:
            phis = tuple(phi for (name, _), phi in self.phis.items() if name == block.name and phi.result in live)
            found.append(replace(block, instructions=(*phis, *block.instructions)))
        return self.settled(replace(self.before, blocks=tuple(found)))

    def begin(self, block: str, slot: str, *, at_first: bool) -> None:
        """Give a variable a value at the start of a block: a phi, or undef at the start of the function."""
        if at_first and not self.comes[block]:
            return
        name = f"{slot}.{block}"
        while name in self.names:
            name += "_"
        self.names.add(name)
        span = next(b.instructions[-1].span for b in self.before.blocks if b.name == block)
        self.phis[block, slot] = Instruction("phi", name, self.slots[slot], span=span)

    def start(self, block: str, slot: str) -> Value:
        """Return what a variable holds at the start of a block."""
        while (block, slot) not in self.phis:
            if len(self.comes[block]) != 1:
                return UndefValue()
            (block,) = self.comes[block]
            if (block, slot) in self.ends:
                return self.ends[block, slot]
        return Register(self.phis[block, slot].result)

    def end(self, block: str, slot: str) -> Value:
        """Return what a variable holds at the end of a block."""
        return self.ends[block, slot] if (block, slot) in self.ends else self.start(block, slot)

    def block(self, block: Block) -> Block:
        """Return a block without the accesses of variables; note what loads are, and what is stored last."""
        kept, here = [], dict[str, Value]()
        unknown: dict[str, list[str]] = {}
        for each in block.instructions:
            used = [o.value.name for o in each.operands if isinstance(o.value, Register) and o.value.name in self.slots]
            if each.result in self.slots or (used and has_no_effect(each.callee)):
                continue
            if not used:
                kept.append(each)
            elif each.operation == "store":
                here[used[-1]] = each.operands[0].value
            elif used[0] in here:
                self.values[each.result] = here[used[0]]
            else:
                unknown.setdefault(used[0], []).append(each.result)
        self.ends |= {(block.name, slot): value for slot, value in here.items()}
        self.waiting |= {(block.name, slot): results for slot, results in unknown.items()}
        return replace(block, instructions=tuple(kept))

    def value(self, value: Value) -> Value:
        """Return what stands for a value."""
        while isinstance(value, Register) and value.name in self.values:
            value = self.values[value.name]
        return value

    def simplify(self) -> None:
        """Note what loads before any store of their block are; drop phis of which all values are one."""
        for (block, slot), results in self.waiting.items():
            self.values |= dict.fromkeys(results, self.start(block, slot))
        changed = True
        while changed:
            changed = False
            for key, phi in list(self.phis.items()):
                own = Register(phi.result)
                given = [v for o in phi.operands if (v := self.value(o.value)) != own]
                if given and all(each == given[0] for each in given):
                    self.values[phi.result] = given[0]
                    del self.phis[key]
                    changed = True

    def live(self, blocks: list[Block]) -> set[str]:
        """Return the phis that something needs which is no phi of these."""
        made = {phi.result: phi for phi in self.phis.values()}
        ahead = [o.value for block in blocks for each in block.instructions for o in _all(each)]
        found: set[str] = set()
        while ahead:
            value = self.value(ahead.pop())
            if isinstance(value, Register) and value.name in made and value.name not in found:
                found.add(value.name)
                ahead += [o.value for o in made[value.name].operands]
        return found

    def settled(self, function: Function) -> Function:
        """Return a function in which values stand for loads."""
        known: dict[str, Expr] = {}
        for name in self.values:
            value = self.value(Register(name))
            known[name] = value  # type: ignore[assignment]  # what is stored may be a constant of LLVM's
        return put(function, known)


def _all(each: Instruction) -> list[Operand]:
    """Return the operands of an instruction, and those inside constants."""
    found, ahead = [], list(each.operands)
    while ahead:
        operand = ahead.pop()
        found.append(operand)
        ahead += getattr(operand.value, "operands", ())
    return found
