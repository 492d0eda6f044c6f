"""Do two functions do the same operations, with the same values, on every path?

What goes in: functions before and after a change, with what they call inlined. What comes out: whether the second one,
run beside the first, comes to the same accesses, fences, calls, branches and results in the same order, whatever it is
called with and whatever is read. Then it is sound in every context, under every model. Where paths meet, values are the
same that were so on each: first everything is taken to be the same that is on the first path, then what differs on
another one is told apart, until nothing changes. So loops need no bound.

Invariant: a flag that makes poison of a value after the change is one of each instruction that computes this value
before it. What may be undefined behaviour to compute, what waits for other lanes, and what is not known here is never
the same as anything.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from axmem.formats.ir.asked import is_question
from axmem.formats.ir.attributes import is_convergent
from axmem.formats.ir.carried import SAME_NUMBERS, carried
from axmem.formats.ir.floats import CASTS as FLOAT_CASTS
from axmem.formats.ir.flow import ADDRESSED
from axmem.formats.ir.inlining import inlined
from axmem.formats.ir.intrinsics import has_no_effect, is_av
from axmem.formats.ir.libcalls import library_atomics
from axmem.formats.ir.memory import Unspeakable
from axmem.formats.ir.mnemonics import ASSUME, CASTS
from axmem.formats.ir.opaque import PURE, effects
from axmem.formats.ir.pairs import FunctionPair
from axmem.formats.ir.ranges import bounded
from axmem.formats.ir.standalone import permissions
from axmem.formats.ir.syntax import Function, Instruction, Module, Operand
from axmem.formats.ir.transfers import is_transfer
from axmem.formats.ir.uses import promoted
from axmem.front.records import replace
from axmem.litmus.arithmetic import DIVISIONS
from axmem.litmus.expressions import FAST
from axmem.litmus.spelling import ARITHMETIC
from axmem.litmus.syntax import AccessMode, Number, Register
from axmem.refinement.flags import POISONING
from axmem.refinement.numbering import FLOATS, Numbering, Registers, Term, Unnumbered

_PARTS = frozenset({"extractvalue", "insertvalue", "extractelement", "insertelement", "shufflevector"})
_COMPUTING = (ARITHMETIC - DIVISIONS) | (CASTS - FLOAT_CASTS) | FLOATS | _PARTS | {"icmp", "select", "getelementptr"}
_EFFECTS = frozenset({"load", "store", "atomicrmw", "cmpxchg", "fence", "call", "alloca", "freeze"}) | DIVISIONS
_ENDS = frozenset({"br", "switch", "ret", "unreachable"})
_RUNS, _STEPS = 2_000, 100_000
"""So many stretches are run at most, and so many instructions in all."""
_PASSING = frozenset({"byval", "byref", "sret", "inalloca", "preallocated", "inreg", "zeroext", "signext", "nest"})
"""Attributes that say how an argument is passed."""
_BARRIER = "llvm.amdgcn.s.barrier"
"""The one operation at which lanes meet that is taken to be the same, if it stands at one place."""

Env = dict[tuple[int, str], Term]
"""What registers are, each of one of the two functions, and (`*name`) variables of its own that it loads as a whole."""


class _Node(NamedTuple):
    """The blocks that the two functions come to behind a branch."""

    before: str
    after: str


class _Stop(NamedTuple):
    """An instruction at which a function waits for the other one: its block, and its place there."""

    block: str
    at: int
    each: Instruction


def in_lockstep(pair: FunctionPair) -> bool:
    """Say whether the functions of a pair are known to do the same on every path."""
    sides: list[tuple[Module, Function]] = []
    try:
        for side in (pair.before, pair.after):
            whole = carried(library_atomics(inlined(side.module, side.function)))
            sides.append((side.module, bounded(side.module, whole, sides[0][1] if sides else None)))
        given = ([_passed(each.attributes) for each in function.parameters] for _, function in sides)
        if next(given) != next(given):
            return False
        if permissions(*sides[1]).keys() - permissions(*sides[0]).keys():
            return False
        return _Lockstep(sides).same()
    except (Unnumbered, Unspeakable):
        return False


class _Lockstep:
    """Two functions; `envs` have what registers are where both come to. What differs raises `Unnumbered`."""

    def __init__(self, sides: list[tuple[Module, Function]]) -> None:
        self.modules = [module for module, _ in sides]
        self.functions = [function for _, function in sides]
        self.blocks = [{block.name: block.instructions for block in f.blocks} for f in self.functions]
        self.slots = [{*promoted(function)} for function in self.functions]
        operands = [[o for b in f.blocks for i in b.instructions for o in i.operands] for f in self.functions]
        self.used = [{o.value.name for o in some if isinstance(o.value, Register)} for some in operands]
        self.numbering = Numbering()
        self.term = self.numbering.term
        self.envs: dict[_Node, Env] = {}
        self.flags: list[dict[Term, list[frozenset[str]]]] = [{}, {}]
        self.assumed: set[Term] = set()
        self.met: list[dict[int, int]] = [{}, {}]
        self.joins, self.left = 0, _STEPS

    def same(self) -> bool:
        """Say whether they do the same."""
        env: Env = {}
        for side, function in enumerate(self.functions):
            env |= {(side, each.name): self.term("parameter", at) for at, each in enumerate(function.parameters)}
            env |= {(side, f"*{name}"): self.term("undef", False) for name in self.slots[side]}
        start = _Node(*(function.blocks[0].name for function in self.functions))
        self.envs[start] = env
        ahead = [start]
        for _ in range(_RUNS):
            if not ahead:
                break
            for following, there in self.run(ahead.pop()):
                if self.join(following, there) and following not in ahead:
                    ahead.append(following)
        else:
            return False
        self.flags = [{}, {}]
        for node in list(self.envs):
            list(self.run(node))
        first, second = self.flags
        found = ((flags, first.get(term, [frozenset()])) for term, some in second.items() for flags in some)
        return all(flags <= each for flags, known in found for each in known)

    def join(self, node: _Node, new: Env) -> bool:
        """Note what is known where both functions come to; say whether that is less than it was.

        A value that differs on two paths is another one from here on: those are alike that are so on both.
        """
        old = self.envs.get(node)
        if old is None:
            self.envs[node] = new
            return True
        names = [name for name in old if name in new]
        ways: dict[Term, set[Term]] = {}
        for name in names:
            ways.setdefault(old[name], set()).add(new[name])
        self.joins += 1
        found: Env = {}
        for name in names:
            was, becomes = old[name], new[name]
            own = self.numbering.keys[was][:2] == ("met", node)
            kept = was == becomes or (own and len(ways[was]) == 1)
            found[name] = was if kept else self.term("met", node, self.joins, was, becomes)
        self.envs[node] = found
        return found != old

    # ------------------------------------------------ a stretch between two branches

    def run(self, node: _Node) -> Iterator[tuple[_Node, Env]]:
        """Run both functions up to their next branch, and yield where they go on."""
        env = dict(self.envs[node])
        self.assumed = set()
        places = [(block, self.behind_phis(side, block)) for side, block in enumerate(node)]
        count = 0
        while True:
            first = self.advance(0, env, *places[0])
            if first.each.operation == "unreachable":
                return
            second = self.advance(1, env, *places[1])
            if first.each.operation != second.each.operation:
                raise Unnumbered
            if first.each.operation == "ret":
                self.equal(env, first.each, second.each)
                return
            if first.each.operation in _ENDS:
                yield from self.parted(env, first, second)
                return
            result = self.effect(env, first.each, second.each, node, count)
            env |= {(side, stop.each.result): result for side, stop in enumerate((first, second)) if stop.each.result}
            count += 1
            places = [(stop.block, stop.at + 1) for stop in (first, second)]

    def behind_phis(self, side: int, block: str) -> int:
        """Return where the instructions behind the phis of a block begin."""
        return sum(each.operation == "phi" for each in self.blocks[side][block])

    def advance(self, side: int, env: Env, block: str, at: int) -> _Stop:
        """Compute what only computes, and follow branches without a choice; return where the function has to wait."""
        while True:
            self.left -= 1
            if self.left < 0:
                raise Unnumbered
            each = self.blocks[side][block][at]
            if (target := self.only_target(side, env, each)) is not None:
                env |= self.entered(side, env, block, target)
                block, at = target, self.behind_phis(side, target)
            elif self.computes(side, env, each):
                at += 1
            else:
                return _Stop(block, at, each)

    def only_target(self, side: int, env: Env, each: Instruction) -> str | None:
        """Return the block to which a branch leads, if there is no choice."""
        if each.operation != "br" or len(each.targets) == 1:
            return each.targets[0] if each.operation == "br" else None
        negated, truth = self.numbering.negation(self.value(side, env, each.operands[0]))
        number = self.numbering.constant(truth)
        return None if number is None else each.targets[0 if bool(number) != negated else 1]

    def entered(self, side: int, env: Env, block: str, target: str) -> Env:
        """Return what the phis of a block are that is come to from another one."""
        found: Env = {}
        for each in self.blocks[side][target]:
            if each.operation == "phi":
                which = each.targets.index(block)
                found[side, each.result] = self.value(side, env, each.operands[which])
        return found

    def parted(self, env: Env, first: _Stop, second: _Stop) -> Iterator[tuple[_Node, Env]]:
        """Yield where both functions go on behind a branch that they take alike."""
        asked, ways = self.ways(0, env, first.each)
        also, others = self.ways(1, env, second.each)
        if asked != also or ways.keys() != others.keys():
            raise Unnumbered
        for case, target in ways.items():
            there = dict(env)
            there |= self.entered(0, env, first.block, target)
            there |= self.entered(1, env, second.block, others[case])
            yield _Node(target, others[case]), there

    def ways(self, side: int, env: Env, each: Instruction) -> tuple[Term, dict[Hashable, str]]:
        """Return what a branch asks, and where it goes by what that is."""
        asked = self.value(side, env, each.operands[0])
        if each.operation == "switch":
            numbers = (self.value(side, env, operand) for operand in each.operands[1:])
            return asked, dict(zip(("default", *numbers), each.targets, strict=True))
        negated, truth = self.numbering.negation(asked)
        yes, no = reversed(each.targets) if negated else each.targets
        return truth, {True: yes, False: no}

    # ------------------------------------------------ what functions do

    def effect(self, env: Env, first: Instruction, second: Instruction, node: _Node, count: int) -> Term:
        """Return what two operations result in that are the same."""
        alike = (
            (str(first.type), first.callee, first.indices, first.failure)
            == (str(second.type), second.callee, second.indices, second.failure)
            and (first.operation == "call" or first.words == second.words)
            and not (first.token or second.token or first.bundles or second.bundles)
            and _no_more(first.mode, second.mode)
        )
        if not alike or (first.operation == "call" and not self.is_alone(first)):
            raise Unnumbered
        self.equal(env, first, second)
        if first.callee == _BARRIER:
            # Who meets at one place may not meet at two.
            for one, other, met in ((first, second, self.met[0]), (second, first, self.met[1])):
                if met.setdefault(id(one), id(other)) != id(other):
                    raise Unnumbered
        return self.term("effect", node, count)

    def is_alone(self, call: Instruction) -> bool:
        """Say whether it is known that a call does not wait for other lanes, and what is called."""
        if call.callee.startswith("llvm."):
            return is_transfer(call.callee) or is_av(call.callee) or call.callee == _BARRIER
        return call.callee[:1] != "%" and not any(is_convergent(module, call) for module in self.modules)

    def equal(self, env: Env, first: Instruction, second: Instruction) -> None:
        """Raise `Unnumbered` unless the operands of two instructions are the same values."""
        if len(first.operands) != len(second.operands):
            raise Unnumbered
        at = ADDRESSED.get(first.operation)
        for index, (one, other) in enumerate(zip(first.operands, second.operands, strict=True)):
            values = self.value(0, env, one), self.value(1, env, other)
            if index == at and one.type != other.type:
                apart = first.mode.scope.one_as or {one.type.space, other.type.space} != SAME_NUMBERS
                values = self.numbering.uncast(values[0]), self.numbering.uncast(values[1])
            else:
                apart = str(one.type) != str(other.type) or _passed(one.words) != _passed(other.words)
            if apart or values[0] != values[1]:
                raise Unnumbered

    # ------------------------------------------------ values

    def registers(self, side: int, env: Env) -> Registers:
        """Return what gives the values of registers."""

        def of(name: str) -> Term:
            if (side, name) not in env:
                raise Unnumbered
            return env[side, name]

        return of

    def value(self, side: int, env: Env, operand: Operand) -> Term:
        return self.numbering.value(operand, self.registers(side, env))

    def computes(self, side: int, env: Env, each: Instruction) -> bool:
        """Note what an instruction computes; say whether that is all that it does."""
        if each.operation == "alloca" and (each.result in self.slots[side] or each.result not in self.used[side]):
            return True
        if each.operation in ("load", "store") and (slot := self.slot(side, each)):
            if each.operation == "store":
                env[side, slot] = self.value(side, env, each.operands[0])
            else:
                env[side, each.result] = env[side, slot]
            return True
        if each.operation == "call":
            return self.is_pure(side, env, each)
        if each.operation not in _COMPUTING and not (each.operation in DIVISIONS and _divides(each)):
            if each.operation in _EFFECTS | _ENDS:
                return False
            raise Unnumbered
        term = self.numbering.computed(each, self.registers(side, env))
        env[side, each.result] = term
        self.flags[side].setdefault(self.numbering.uncast(term), []).append(frozenset(each.words) & POISONING)
        return True

    def slot(self, side: int, each: Instruction) -> str:
        """Return the variable of its own that a function loads or stores; "" for other memory."""
        address = each.operands[ADDRESSED[each.operation]].value
        return f"*{address.name}" if isinstance(address, Register) and address.name in self.slots[side] else ""

    def is_pure(self, side: int, env: Env, call: Instruction) -> bool:
        """Note what a call computes that does nothing else; say whether it is such a call."""
        if has_no_effect(call.callee):
            return not call.result
        if call.callee == ASSUME:
            truth = self.value(side, env, call.operands[0])
            if side and (call.bundles or truth not in self.assumed):
                raise Unnumbered
            self.assumed.add(truth)
            return True
        module = self.modules[side]
        said = effects(call, module)
        alone = all(word in said for word in (*PURE, "speculatable")) and not is_convergent(module, call)
        if not (alone or is_question(call.callee)) or not call.result or call.bundles:
            return False
        given = (self.value(side, env, operand) for operand in call.operands)
        fast = tuple(word for word in call.leading if word in FAST)
        env[side, call.result] = self.term("call", call.callee, str(call.type), fast, *given)
        return True


def _passed(words: Sequence[str]) -> Sequence[str]:
    """Return what is said of a parameter or an argument if that says how it is passed; () if nothing does."""
    return words if not _PASSING.isdisjoint(words) else ()


def _divides(each: Instruction) -> bool:
    """Say whether a division is defined whatever is divided: it is by a number that is neither 0 nor -1."""
    by, whole = each.operands[1].value, 1 << each.type.bits
    return each.type.kind == "int" and isinstance(by, Number) and by.value % whole not in (0, whole - 1)


def _no_more(before: AccessMode, after: AccessMode) -> bool:
    """Say whether an access after a change is the one before it, and promises no more."""
    if after.align is not None and (before.align is None or before.align < after.align):
        return False
    if any(later is not None and later != earlier for earlier, later in
           ((before.promises, after.promises), (before.provenance, after.provenance))):  # fmt: skip
        return False
    one, other = (replace(mode, align=None, promises=None, provenance=None) for mode in (before, after))
    return one == other
