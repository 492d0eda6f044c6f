"""How often the body of a loop is executed.

What goes in: a loop. What comes out: its trip count as a number, as a formula over what stands before the loop, or that
it is known there without a formula. Invariant: what is said holds in every execution; what is not known is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from axmem.front.records import dataclass, replace
from axmem.litmus.arithmetic import signed
from axmem.litmus.blocks import ControlFlow
from axmem.litmus.kernels import Branch, Phi
from axmem.litmus.poison import flags_of, unguarded
from axmem.litmus.syntax import (
    I1,
    I32,
    Assign,
    Expr,
    IntegerOperation,
    Load,
    Number,
    Ordering,
    Register,
    Statement,
    Store,
)
from axmem.transform.comparisons import Comparison, comparison, comparisons, greatest, is_small
from axmem.transform.constants import constant, folded, number_of, operation
from axmem.transform.loops import (
    Induction,
    Loop,
    around_again,
    constants,
    defined_in,
    difference,
    dominators,
    entering,
    induction,
    loops,
)

MUST_PROGRESS = "llvm.loop.mustprogress"
LIMIT = 100
"""How many iterations are computed to find a trip count for which there is no formula, as LLVM 22 has it."""


@dataclass(frozen=True, slots=True)
class Trips:
    """How often a loop with one exit goes back to its header.

    `exit` is the block that decides; `rotated` says that it is the latch. `taken` is the number of times as an
    expression over what stands before the loop, None if there is no formula; `count` the number, if it is constant.
    `known`: what stands before the loop decides it, with a formula or, as a division is none, without. `most` is how
    often it does so at most, where the exit is taken for one of several reasons.
    """

    exit: str
    rotated: bool
    taken: Expr | None
    count: int | None
    known: bool
    most: int | None = None


@lru_cache(maxsize=256)
def trips(flow: ControlFlow, loop: Loop) -> Trips | None:
    """Return how often a loop goes back to its header; None if it has several exits, or one not met every time."""
    return _until(flow, loop, loop.exiting[0]) if len(loop.exiting) == 1 else None


def bound(flow: ControlFlow, loop: Loop) -> int | None:
    """Return after how many executions of its exit a loop with several is left at the latest, if constants say."""
    found = (_until(flow, loop, exit_) for exit_ in loop.exiting) if len(loop.exiting) > 1 else ()
    return min((each.count + 1 for each in found if each is not None and each.count is not None), default=None)


def multiple(flow: ControlFlow, loop: Loop) -> int:
    """Return a number of which the trip count is a multiple: one that its limit is computed with."""
    found = trips(flow, loop)
    taken = None if found is None or not found.rotated else found.taken
    if not isinstance(taken, IntegerOperation) or taken.name != "sub" or number_of(taken.operands[1]) != 1:
        return 1
    assigned = {s.register: s.value for b in flow.blocks for s in b.statements if isinstance(s, Assign)}
    limit = taken.operands[0]
    match unguarded(assigned.get(limit.name, limit) if isinstance(limit, Register) else limit):
        case IntegerOperation(name="mul", operands=(_, right)) if factor := number_of(right):
            return factor
        case IntegerOperation(name="shl", operands=(_, right)) if (bits := number_of(right)) is not None:
            return int(1 << bits)
    return 1


def _until(flow: ControlFlow, loop: Loop, exit_: str) -> Trips | None:
    """Return how often a loop goes back if it is left at one of its exits."""
    branch = flow.block[exit_].terminator
    if not isinstance(branch, Branch):
        return None
    inner = [each for each in loops(flow) if each.blocks < loop.blocks and exit_ in each.blocks]
    if branch.condition is None or inner:
        return None
    if not dominators(flow).dominates(exit_, loop.latch):
        return None
    if (decided := number_of(folded(branch.condition, constants(flow).get))) is not None:
        goes = bool(decided) == (branch.targets[0] in loop.blocks)
        return Trips(exit_, exit_ == loop.latch, None if goes else constant(0), None if goes else 0, not goes)
    compared = comparisons(flow, loop, exit_, defined_in(flow, loop))
    found = [_formula(flow, loop, each, alone=len(compared) == 1) for each in compared]
    formulas = [folded(taken, constants(flow).get) for taken, _ in found if taken is not None]
    most = min((n for each in formulas if (n := number_of(each)) is not None), default=None)
    taken = formulas[0] if formulas and len(found) == 1 else None
    count = number_of(taken) if taken is not None else _computed(flow, loop, exit_)
    if taken is None and count is not None:
        taken = constant(count)
    known = all(known for _, known in found) or taken is not None
    if taken is not None and count is None and (top := greatest(flow, taken)) is not None and top < LIMIT:
        most = top
    return Trips(exit_, exit_ == loop.latch, taken, count, known, most if count is None else None)


def trip_count(flow: ControlFlow, loop: Loop) -> int | None:
    """Return how often the latch of a loop is executed per entry, if that is a constant.

    In a loop with the test in its latch that is how often its header is executed, in one with the test in its header
    (`while`, `for`) one less.
    """
    found = trips(flow, loop)
    return None if found is None or found.count is None else found.count + found.rotated


def going_on(flow: ControlFlow, loop: Loop, block: str) -> Expr | None:
    """Return the condition under which a block with an exit stays in the loop."""
    branch = flow.block[block].terminator
    if not isinstance(branch, Branch) or branch.condition is None:
        return None
    if branch.targets[0] in loop.blocks:
        return branch.condition
    return IntegerOperation("xor", (branch.condition, Number(1, I1)), I1)


def _formula(
    flow: ControlFlow, loop: Loop, compared: Comparison | None, *, alone: bool = True
) -> tuple[Expr | None, bool]:
    """Return how often a loop goes back, from the comparison of its counter with a limit, and whether that is known.

    The loop goes on while `counter < limit` (counting up) or `counter > limit` (down): limit - first times, or never if
    the first value fails. While `counter != limit` it is the difference in any case, wrapped as the counter wraps. With
    steps of more than one, and where the limit itself is met (`<=`), the counter must not wrap before it has passed the
    limit: its flags say so, and a counter that breaks them is undef, on which a branch is undefined behaviour. Then the
    difference is divided by the step and rounded up, for which there is a formula if the step is a power of two. What a
    wider counter is truncated to counts in its own bits. A loop that ends for other reasons, too, as the comparison is
    not `alone`, may have ended before the counter wraps: then flags and progress say nothing.
    """
    definitions = defined_in(flow, loop)
    if compared is None:
        return None, False
    name, counter, limit = compared
    for each in induction(flow, loop):
        at = _offset(each, counter, definitions)
        if at is None:
            continue
        narrow = (counter.type or each.type).bits < each.type.bits
        start = folded(IntegerOperation("trunc", (each.start,), counter.type)) if narrow else each.start
        first = operation("add", start, at)
        rising, step = each.step > 0, abs(each.step)
        distance = operation("sub", limit, first) if rising else operation("sub", first, limit)
        if name == "ne" and step == 1:
            return distance, True
        flagged = (flag for flag in ("nsw", "nuw") if alone and never_wraps(each, definitions, flag))
        if name == "ne" and not narrow and any(flagged):
            return None, True
        strict = name in (("ult", "slt") if rising else ("ugt", "sgt"))
        if not strict and name not in (("ule", "sle") if rising else ("uge", "sge")):
            continue
        flag = "nsw" if name.startswith("s") else "nuw"
        surely = not narrow and ((alone and never_wraps(each, definitions, flag)) or is_small(flow, limit, step, flag))
        if (step != 1 or not strict) and not surely:
            if alone and strict and flag == "nuw" and not narrow and not step & (step - 1) and _ends(flow, loop):
                return None, True  # With a step that is a power of two it would go round for ever if it wrapped.
            continue
        if step & (step - 1):
            return None, True
        if step != 1:
            last = operation("sub", distance, 1) if strict else distance
            distance = operation("lshr", last, step.bit_length() - 1)
        if step != 1 or not strict:
            distance = operation("add", distance, 1)
        goes = operation(name, first, limit)
        return folded(IntegerOperation("select", (goes, distance, constant(0, start.type)), start.type)), True
    return None, False


def counts_as_it_ends(flow: ControlFlow, loop: Loop) -> bool:
    """Whether a trip count is known only as the loop is told to make progress."""
    found = trips(flow, replace(loop, identity=None))
    return loop.identity is not None and (found is None or not found.known)


def counted_if_checked(flow: ControlFlow, loop: Loop) -> bool:
    """Whether the trip count would be known if the counter did not wrap in fewer bits than it is compared with."""
    found = trips(flow, loop)
    compared = [] if found is None else comparisons(flow, loop, found.exit, defined_in(flow, loop))
    return bool(compared) and all(
        each is not None and (_formula(flow, loop, each)[1] or _counted(flow, loop, each) is not None)
        for each in compared
    )


def count_if_checked(flow: ControlFlow, loop: Loop) -> int | None:
    """Return how often the latch is executed if the counter does not wrap, where constants say that it does not."""
    found = trips(flow, loop)
    compared = None if found is None else comparison(flow, loop, found.exit, defined_in(flow, loop))
    counted = None if compared is None else _counted(flow, loop, compared)
    if found is None or compared is None or counted is None:
        return None
    counter, first, signed_ = counted
    bits = (compared[2].type or counter.type).bits
    number = number_of(folded(compared[2], constants(flow).get))
    if first is None or number is None or counter.step < 0 or compared[0][1:] not in ("lt", "le"):
        return None
    limit = signed(number, bits) if compared[0].startswith("s") else number
    last = limit - 1 + (compared[0][1:] == "le")
    rounds = max(0, -(-(last + 1 - first) // counter.step))
    top = 1 << (counter.type.bits - signed_)
    return rounds + found.rotated if first + rounds * counter.step < top else None


def _counted(flow: ControlFlow, loop: Loop, compared: Comparison) -> tuple[Induction, int | None, bool] | None:
    """Return the counter that is compared if its extension is, what is compared first, and whether it is signed."""
    definitions = defined_in(flow, loop)
    name, value = compared[0], unguarded(compared[1])
    counters, plus, signed_ = {each.register: each for each in induction(flow, loop)}, 0, name.startswith("s")
    while not (isinstance(value, Register) and value.name in counters):
        match value:
            case Register(name=register) if register in definitions:
                statement = definitions[register][1]
                if not isinstance(statement, Assign):
                    return None
                value = unguarded(statement.value)
            case IntegerOperation(name="zext" | "sext" as how, operands=(inner,)):
                value, signed_ = unguarded(inner), how == "sext"
            case IntegerOperation(name="add", operands=(left, right)) if (number := number_of(right)) is not None:
                value, plus = unguarded(left), plus + signed(number, (right.type or I32).bits)
            case _:
                return None
    counter = counters[value.name]
    if name[1:] not in (("lt", "le") if counter.step > 0 else ("gt", "ge")) and not (
        name == "ne" and abs(counter.step) == 1
    ):
        return None
    start = number_of(folded(counter.start, constants(flow).get))
    bits = counter.type.bits
    first = None if start is None else (signed(start, bits) if signed_ else start) + plus
    return counter, first, signed_


def never_wraps(counter: Induction, definitions: Mapping[str, tuple[str, Statement]], flag: str) -> bool:
    """Whether each of the operations that count has a flag (`nuw`, `nsw`), by which it does not overflow."""
    value: Expr = Register(counter.after, counter.type)
    while not (isinstance(value, Register) and value.name == counter.register):
        if isinstance(value, Register):
            _, statement = definitions[value.name]
            assert isinstance(statement, Assign)
            value = statement.value
            continue
        if flag not in flags_of(value):
            return False
        counted = unguarded(value)
        assert isinstance(counted, IntegerOperation)
        value = counted.operands[1 if number_of(counted.operands[0]) is not None else 0]
    return True


def extends(flow: ControlFlow, loop: Loop, each: Induction, how: str) -> bool:
    """Whether a counter that is extended (`sext`, `zext`) is a counter of the wider type, as LLVM 22 knows it.

    It does not wrap by its flags, by a trip count that is constant, or as the test with which the loop goes on is of
    that signedness; what is not negative and does not wrap as a signed number is so as an unsigned one.
    """
    definitions, known = defined_in(flow, loop), trips(flow, loop)
    if known is None or known.count is not None:
        return known is not None
    compared = comparison(flow, loop, known.exit, definitions)
    name = "" if compared is None else compared[0]
    start = number_of(folded(each.start, constants(flow).get))
    not_negative = start is not None and start < 1 << (each.type.bits - 1) and each.step > 0
    signed = never_wraps(each, definitions, "nsw") or (abs(each.step) == 1 and name in ("slt", "sgt"))
    unsigned = never_wraps(each, definitions, "nuw") or (abs(each.step) == 1 and name in ("ult", "ugt"))
    return signed if how == "sext" else unsigned or (signed and not_negative)


def _ends(flow: ControlFlow, loop: Loop) -> bool:
    """Whether a loop must end, as it is told to make progress and does nothing but access memory plainly."""
    told = loop.identity is not None and any(a.name == MUST_PROGRESS for a in loop.identity.attributes)
    inside = (s for block in flow.blocks if block.name in loop.blocks for s in block.statements)
    return told and all(isinstance(s, Assign) or _is_plain(s) for s in inside)


def _is_plain(statement: Statement) -> bool:
    """Whether a statement is a plain load or store."""
    if not isinstance(statement, Load | Store):
        return False
    return not statement.mode.volatile and statement.mode.ordering is Ordering.NOT_ATOMIC


def _offset(each: Induction, counter: Register, definitions: Mapping[str, tuple[str, Statement]]) -> int | None:
    """Return what a register of an iteration is beyond the induction register; None if that is not constant."""
    assigns = {name: s for name, (_, s) in definitions.items() if isinstance(s, Assign)}
    return difference(Phi(each.register, each.type, ()), counter, assigns)


def _computed(flow: ControlFlow, loop: Loop, exit_: str) -> int | None:
    """Return how often a loop goes back that starts from constants, by computing what it decides."""
    assigns = {name: s.value for name, (_, s) in defined_in(flow, loop).items() if isinstance(s, Assign)}
    phis = flow.block[loop.header].phis
    condition = going_on(flow, loop, exit_)
    now = {phi.register: entering(flow, loop, phi) for phi in phis}
    for count in range(LIMIT):
        known = _Iteration(now, assigns)
        goes = None if condition is None else number_of(folded(condition, known))
        if not goes:
            return None if goes is None else count
        after = {phi.register: folded(around_again(loop, phi), known) for phi in phis}
        now = {register: value if number_of(value) is not None else None for register, value in after.items()}
    return None


class _Iteration:
    """What the registers of a loop hold in one iteration, where constants decide."""

    def __init__(self, phis: Mapping[str, Expr | None], assigns: Mapping[str, Expr]) -> None:
        self._values = dict(phis)
        self._assigns = assigns

    def __call__(self, register: str) -> Expr | None:
        if register not in self._values:
            value = self._assigns.get(register)
            self._values[register] = None if value is None else folded(value, self)
        return self._values[register]
