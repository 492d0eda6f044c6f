"""Do two paths compute the same, whatever they read? What a comparison of expressions does not tell, a solver does.

What goes in: the conditions of a path before a change and of one after it, both over what the path after reads, and
pairs of values. What comes out: whether the path before has undefined behaviour, or shows as much, in every case. Each
read is any word: its bits, which of them are undef, poison. Invariant: undef is read as at least what it may be after
the change, and as at most that before it (`axmem.encoder.words`); what the solver does not find out does not hold.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache, partial

from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.encoder.sat import shared
from axmem.encoder.terms import Terms
from axmem.encoder.words import Word, Words, constant
from axmem.events.values import (
    DEPENDING,
    GIVEN,
    POISON,
    Apply,
    Constant,
    Expr,
    ReadOf,
    fold,
    may_be_undef,
    parts,
)
from axmem.refinement.bounded.query import CircuitQuery, Unanswered
from axmem.refinement.interface.operations import mapped, read_by
from axmem.refinement.interface.paths import BRANCH, COMPARED, SPURIOUS, Condition

STEPS = 200_000
"""So many steps of a solver a question is worth."""
WIDE = 64
"""How many bits a number has of which that is not said."""


class Obligations:
    """What is to hold of two paths, in one circuit; `bits` are those of what operations read, by their keys."""

    def __init__(
        self,
        bits: Mapping[int, int],
        before: Iterable[Condition] = (),
        after: Iterable[Condition] = (),
        *,
        undef: bool = True,
        poison: bool = True,
    ) -> None:
        """`undef`, `poison`: a read may be that."""
        self.circuit = Circuit()
        self.bits, self.undef, self.poison = bits, undef, poison
        unknown: dict[object, tuple[int, ...]] = {}
        self.most = Words(self.circuit, over=True, unknown=unknown)
        self.least = Words(self.circuit, over=False, unknown=unknown)
        self._reads: dict[int, Word] = {}
        self._given: dict[int, Word] = {}
        self._known: dict[bool, dict[Expr, Word]] = {True: {}, False: {}}
        first, second = tuple(before), tuple(after)
        branches = [each for each in first if each.how == BRANCH]
        self.assumed = [self._goes(each) for each in (*branches, *second) if each.how != SPURIOUS]
        self.assumed += [-self._undefined(self.least, each.value) for each in first if each.how == BRANCH]
        branched = {each.value for each in first if each.how == BRANCH}
        self.wrong = [
            self._undefined(self.most, each.value)
            for each in second
            if each.how == BRANCH and each.value not in branched
        ]
        # Of where a branch goes before other paths are asked; a compare-exchange is to end as it does after.
        self.wrong += [-self._ends(each) for each in others(first, second)]

    def covers(self, before: Expr, after: Expr) -> None:
        """Ask that one value may be whatever another may be."""
        mine, theirs = self._word(self.least, before), self._word(self.most, after)
        self.wrong.append(-self.most.covers(mine, theirs))

    def goes(self, condition: Condition) -> None:
        """Ask that a truth value is another number, or is undef."""
        word = self._word(self.most, condition.value)
        is_so = self.most.equals(word.within(1), condition.number)
        self.wrong.append(self.circuit.both(-self.most.undefined(word), is_so))

    def no_poison(self, before: Expr, after: Expr) -> None:
        """Ask that a value after is poison only where the one before is."""
        mine, theirs = self._word(self.least, before), self._word(self.most, after)
        self.wrong.append(self.circuit.both(theirs.poison, -mine.poison))

    def strict(self, leaves: Iterable[Expr], value: Expr) -> None:
        """Ask that a value is poison where one of some reads or parameters is."""
        some = self.circuit.disjunction([self._word(self.least, each).poison for each in leaves])
        self.wrong.append(self.circuit.both(some, -self._word(self.least, value).poison))

    def hold(self) -> bool:
        """Whether everything that was asked is so in every case, as far as a solver finds out."""
        wanted = self.circuit.conjunction([*self.assumed, self.circuit.disjunction(self.wrong)])
        if abs(wanted) == TRUE:
            return wanted == FALSE
        query = CircuitQuery(self.circuit, shared(), whole=False, sat=True)
        query.query.limit_steps(STEPS)
        try:
            return not query.possible(wanted)
        except Unanswered:
            return False

    def _goes(self, condition: Condition) -> int:
        """Return the literal that a truth value is a number, or is undef."""
        word = self._word(self.most, condition.value)
        is_so = self.most.equals(word.within(1), condition.number)
        return self.circuit.either(self.most.undefined(word), is_so)

    def _ends(self, condition: Condition) -> int:
        """Return the literal that a comparison before may be a number."""
        word = self._word(self.least, condition.value)
        return self.circuit.either(self.least.undefined(word), self.least.equals(word.within(1), condition.number))

    def _undefined(self, words: Words, value: Expr) -> int:
        return words.undefined(self._word(words, value))

    def _word(self, words: Words, expr: Expr) -> Word:
        return fold(expr, partial(self._computed, words), self._known[words.over])

    def _computed(self, words: Words, expr: Expr) -> Word:
        known = self._known[words.over]
        match expr:
            case ReadOf(key):
                return self._read(key)
            case Constant(value):
                return constant(value)
            case Apply(operation, bits, arguments, parameters):
                if operation == GIVEN:
                    return self._parameter(expr)
                found = words.apply(operation, bits, parameters, [known[a] for a in arguments])
                if operation == DEPENDING and words.over:  # Of the others it is undef that they make it so.
                    some = self.circuit.disjunction([words.undefined(known[a]) for a in arguments[1:]])
                    free = tuple(self.circuit.either(found.undef(i), some) for i in range(bits or found.width))
                    return found._replace(free=free, copies=0)
                return found
        raise AssertionError("rows have no choices")

    def _read(self, key: int) -> Word:
        if key not in self._reads:
            width = self.bits.get(key, WIDE)
            free = self._variables(width) if self.undef else ()
            self._reads[key] = Word(self._variables(width), free, self.circuit.variable() if self.poison else FALSE)
        return self._reads[key]

    def _parameter(self, given: Apply) -> Word:
        number, bits = given.parameters[0], given.bits
        if number not in self._given:
            undef, poison = (may_be_undef(given) and each for each in (self.undef, self.poison))
            free = self._variables(bits) if undef else ()
            self._given[number] = Word(self._variables(bits), free, self.circuit.variable() if poison else FALSE)
        return self._given[number]

    def _variables(self, count: int) -> tuple[int, ...]:
        return tuple(self.circuit.variable() for _ in range(count))


def others(before: Iterable[Condition], after: Iterable[Condition]) -> list[Condition]:
    """Return how compare-exchanges end before where that is not said of one after."""
    known = {(each.value, each.number) for each in after}
    return [each for each in before if each.how == COMPARED and (each.value, each.number) not in known]


def contradict(bits: Mapping[int, int], known: Sequence[Condition], other: Condition) -> bool:
    """Whether conditions exclude another, whatever is read."""
    asked = Obligations(bits, (), known)
    asked.wrong = []
    asked.goes(other)
    return asked.hold()


def equal(bits: Mapping[int, int], before: Expr, after: Expr) -> bool:
    """Whether a value before is what one after is, whatever is undef: since it is the same number of the same parts, of
    which the one after uses each once.

    What each use of an undef part takes for it, all uses before may take. That a number is poison by a flag counts as
    the same use as the number. Poison is no number: where a read is, the value before is to be poison.
    """
    shared = set(parts(before)) - {after}
    atoms = {part for part in parts(after) if not isinstance(part, Apply) or not part.arguments}
    return any(_equal(bits, before, after, leaves) for leaves in (shared, atoms))


def _equal(bits: Mapping[int, int], before: Expr, after: Expr, alike: Collection[Expr]) -> bool:
    """Whether two values are equal by what is said of `equal`, the parts being some of the expressions."""
    counts: dict[Expr, int] = {}
    todo = [after]
    while todo:
        part = todo.pop()
        if isinstance(part, Constant):
            if not isinstance(part.value, int):
                return False
        elif _is_poison(part):
            return False  # It is no number that anything could be.
        elif part in alike or not isinstance(part, Apply) or not part.arguments:
            counts[part] = counts.get(part, 0) + 1
            if counts[part] > 1:
                return False
        elif part.operation == "select" and _is_poison(part.arguments[1]):
            todo.append(part.arguments[2])
        else:
            todo += part.arguments
    widths = dict(bits)
    leaves: dict[Expr, Expr] = {}
    for number, part in enumerate(counts):
        leaves[part] = ReadOf(-2 - number)
        known = bits.get(part.event) if isinstance(part, ReadOf) else part.bits if isinstance(part, Apply) else None
        widths[-2 - number] = known or WIDE
    first, second = (mapped(each, {}, leaves) for each in (before, after))
    if any(key >= 0 for key in read_by([second])):
        return False  # A flag uses what the number does not.
    numbers = Obligations(widths, undef=False, poison=False)
    numbers.covers(first, second)
    # A part that is alike may be poison, by a flag or what it reads.
    strict = Obligations(widths, undef=False)
    strict.strict([part for each in (first, second) for part in parts(each) if _is_leaf(part)], first)
    if not strict.hold():
        return False
    if numbers.hold():
        return True
    flags = Obligations(widths, undef=False, poison=False)  # Z3 is asked of numbers alone.
    flags.no_poison(first, second)
    return flags.hold() and _same_number(first, second)


@lru_cache(maxsize=1024)
def _same_number(first: Expr, second: Expr) -> bool:
    """Whether two values are one number for all numbers that are read, as Z3 says: a SAT solver is stopped sooner."""
    return Terms().same(first, second) is not None


def _is_leaf(expr: Expr) -> bool:
    """Whether an expression is a read or a parameter."""
    return isinstance(expr, ReadOf) or (isinstance(expr, Apply) and expr.operation == GIVEN)


def _is_poison(expr: Expr) -> bool:
    return isinstance(expr, Apply) and expr.operation == POISON
