"""Why a second execution follows a first, term by term.

What goes in: two executions, the second following the first. What comes out: for each term of the follower's model that
has a counterpart in the leader's, whether its facts are among those of the counterpart (`WITHIN`), or the reverse
(`AROUND`), or both, in every program of the family. For primitives this is asked of the solver, or plain; for terms it
follows from the arguments, since every operator of cat is monotone but difference in what it takes away. Where it does
not follow, the term itself is asked. Invariant: a status is given only if it holds in every solution of the circuit's
clauses (least fixpoints being meant where the model's recursion could have others).
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Protocol

from axmem.encoder.circuit import FALSE, TRUE
from axmem.model.model import Model
from axmem.model.terms import Op
from axmem.refinement.bounded.execution import SymbolicExecution
from axmem.refinement.bounded.left_out_constructs import vanishing

WITHIN, AROUND = 1, 2
BOTH = WITHIN | AROUND


class ImplicationProver(Protocol):
    """Tells whether in every solution the first literal of each pair implies the second (None: not known)."""

    def __call__(self, pairs: list[tuple[int, int]], *, fixed: bool) -> bool | None:
        """Answer; `fixed`: no execution has a say in the literals, only the program."""


class TermComparison:
    """The statuses of the follower's terms.

    `alike` names definitions of the follower and of the leader that are to be compared although they are made
    otherwise. `hopeless` are questions (term, way) that are not worth asking; `failed` are those that were denied.
    """

    def __init__(
        self,
        leader: SymbolicExecution,
        follower: SymbolicExecution,
        proof: ImplicationProver,
        alike: Mapping[str, str],
        hopeless: Set[tuple[int, int]] = frozenset(),
    ) -> None:
        self.hopeless = hopeless
        self.leader, self.follower = leader.literals, follower.literals
        self.proof = proof
        self.model = self.follower.model
        rules = [a.term for a in self.model.axioms if not a.flag] + [u.term for u in self.model.undefs]
        self.needed = self.model.needed(rules)
        self.named = {d.term for d in self.model.definitions}
        self.roots = {a.term for a in self.model.axioms} | set(_together(self.model))
        self.said: set[int] = set()
        self.status: dict[int, int] = {}
        self.stages = self.model.analyses.stages
        self.inner = {m for f in self.model.fixpoints for m in f.members}
        self.counterpart = self._counterparts(alike)
        self._asked: dict[tuple[int, int], bool | None] = {}
        self._recursive: dict[int, int] = {}
        while not self._settled():
            pass

    # ------------------------------------------------------------ which term is which

    def _counterparts(self, alike: Mapping[str, str]) -> dict[int, int]:
        """Return for each of the follower's terms the leader's: that of `alike`, or the one made in the same way."""
        leader = self.leader.model
        named = {d.name: d.term for d in leader.definitions}
        pairs = [(d.term, named[alike[d.name]]) for d in self.model.definitions if d.name in alike]
        fixed = {mine: other for mine, other in pairs if other in leader.reached and self._one_sort(mine, other)}
        made = {self._make(leader, i, {}): i for i in sorted(leader.reached)}
        found: dict[int, int] = {}
        for index in sorted(self.model.reached):
            if index in fixed:
                found[index] = fixed[index]
                continue
            other = made.get(self._make(self.model, index, found))
            if other is not None:
                found[index] = other
        return found

    def _one_sort(self, mine: int, other: int) -> bool:
        return self.model.terms[mine].is_set == self.leader.model.terms[other].is_set

    def _make(self, model: Model, index: int, renamed: dict[int, int]) -> tuple[object, ...]:
        """Return how a term is made of others, these as the leader's terms; alternatives have no order."""
        term = model.terms[index]
        parts: tuple[int, ...] = term.arguments
        if model is self.model and self.model is not self.leader.model:
            parts = tuple(renamed.get(a, -1 - a) for a in parts)
        if term.op in (Op.UNION, Op.INTERSECTION):
            parts = tuple(sorted(parts))
        names = model.fixpoints[term.fixpoint].names if term.op in (Op.FIX, Op.RECVAR) else ()
        bodies: tuple[int, ...] = ()
        if term.op is Op.FIX:
            own = model.fixpoints[term.fixpoint].bodies
            foreign = model is self.model and self.model is not self.leader.model
            bodies = tuple(renamed.get(b, -1 - b) for b in own) if foreign else own
        return (term.op, term.name, term.is_set, parts, names, bodies, term.position)

    # ------------------------------------------------------------ what follows

    def _settled(self) -> bool:
        """Go through the terms once, with what is supposed of recursive definitions; tell whether that held."""
        self.status = {}
        for index in sorted(self.needed):
            self.status[index] = self._of(index)
        held = True
        for fixpoint in self.model.fixpoints:
            for variable, body in zip(fixpoint.variables, fixpoint.bodies, strict=True):
                if variable not in self.needed:
                    continue
                supposed = self._recursive.get(variable, BOTH)
                found = supposed & self.status.get(body, 0)
                if found != supposed:
                    held = False
                    self._recursive[variable] = found
        return held

    def _of(self, index: int) -> int:
        term = self.model.terms[index]
        if index not in self.counterpart:
            return 0
        if term.op is Op.RECVAR:
            return self._recursive.get(index, BOTH)
        if term.op is Op.FIX:
            return self.status[self.model.fixpoints[term.fixpoint].bodies[term.position]]
        if term.op in (Op.BASE, Op.TAGGED):
            return self._asked_status(index, 0)
        if self.counterpart[index] not in self._same_arguments(index):
            return self._asked_status(index, 0)
        follows = self._following(index)
        if follows & WITHIN and index in self.named and self.stages[index] and index not in self.said:
            self.said.add(index)
            self._say(index, WITHIN)
        if (
            index in self.inner
            or follows
            or (index not in self.named and index not in self.roots and self.stages[index])
        ):
            return follows
        return self._asked_status(index, follows)

    def _same_arguments(self, index: int) -> set[int]:
        """Return the counterpart if its arguments are those of the follower's term."""
        other = self.counterpart[index]
        here = sorted(self.counterpart.get(a, -1) for a in self.model.terms[index].arguments)
        there = sorted(self.leader.model.terms[other].arguments)
        same = self.model.terms[index].op is self.leader.model.terms[other].op
        return {other} if same and here == there else set()

    def _following(self, index: int) -> int:
        """Return what of a term follows from its arguments."""
        term = self.model.terms[index]
        known = [self.status.get(a, 0) for a in term.arguments]
        if term.op is Op.DIFFERENCE:
            left, right = known
            turned = (WITHIN if right & AROUND else 0) | (AROUND if right & WITHIN else 0)
            return left & turned
        found = BOTH
        for status in known:
            found &= status
        return found

    # ------------------------------------------------------------ what is asked

    def _asked_status(self, index: int, known: int) -> int:
        """Ask of a term what does not follow; for others than primitives one answer will do."""
        primitive = self.model.terms[index].op in (Op.BASE, Op.TAGGED)
        for way in (WITHIN, AROUND):
            if not known & way and (primitive or not known) and self._ask(index, way):
                known |= way
                self._say(index, way)
        return known

    def _say(self, index: int, way: int) -> None:
        """Let the solver know what was proved of a term."""
        for a, b in self.implications(index, way):
            self.follower.program.circuit.add(-a, b)

    def _ask(self, index: int, way: int) -> bool:
        key = (index, way)
        if key in self.hopeless:
            return False
        if key not in self._asked:
            self._asked[key] = self._decided(index, way)
        return bool(self._asked[key])

    @property
    def failed(self) -> frozenset[tuple[int, int]]:
        """The lemmas that do not hold, each a term and a way."""
        return frozenset(key for key, holds in self._asked.items() if holds is False)

    def _decided(self, index: int, way: int) -> bool | None:
        pairs = self.implications(index, way)
        if any(a == TRUE and b == FALSE for a, b in pairs):
            return False
        return not pairs or self.proof(pairs, fixed=self.stages[index] == 0)

    def implications(self, index: int, way: int) -> list[tuple[int, int]]:
        """Return the pairs of literals of which each first must imply the second for a status to hold."""
        mine, other = self.follower, self.leader
        counterpart = self.counterpart[index]
        pairs = []
        if self.model.terms[index].is_set:
            events = range(self.follower.program.skeleton.size)
            pairs = [(mine.member(index, i), other.member(counterpart, i)) for i in events]
        else:
            here, there = mine.possible(index), other.possible(counterpart)
            facts = dict.fromkeys(here + there)
            pairs = [(mine.pair(index, i, j), other.pair(counterpart, i, j)) for i, j in facts]
        if way == AROUND:
            pairs = [(b, a) for a, b in pairs]
        return [(a, b) for a, b in dict.fromkeys(pairs) if a != b and a != FALSE and b != TRUE]

    # ------------------------------------------------------------ what it comes to

    def axiom_follows(self, term: int) -> bool:
        """Tell whether an axiom on a term holds of the follower because the leader has it: less can break nothing."""
        return bool(self.status.get(term, 0) & WITHIN) and self.counterpart[term] in self._leading_axioms()

    def _leading_axioms(self) -> set[int]:
        return {a.term for a in self.leader.model.axioms if not a.flag and not a.negated}

    def undef_follows(self) -> bool:
        """Tell whether every read that the leader has undef is undef in the follower.

        Of a rule `A minus B`, where B is a rule too, only A counts: the rules together name the same reads.
        """
        mine, theirs = _together(self.leader.model), _together(self.model)
        around = {self.counterpart[t] for t in theirs if t in self.counterpart and self.status.get(t, 0) & AROUND}
        return all(t in around for t in mine)


def _together(model: Model) -> list[int]:
    """Return terms whose union is the set that all undef rules name."""
    rules = {rule.term for rule in model.undefs}
    found = []
    for rule in model.undefs:
        index = rule.term
        while model.terms[index].op is Op.DIFFERENCE and model.terms[index].arguments[1] in rules:
            index = model.terms[index].arguments[0]
        found.append(index)
    return found


def antitone_undef(model: Model, without: frozenset[str]) -> bool:
    """Tell whether it is plain from a model's text that fewer reads-from pairs leave no fewer reads undef, in programs
    without some constructs (`Primitive.needs`).

    Then an execution that follows another exists: the undef rules have a solution (Knaster and Tarski).
    """
    grows = directions(model, frozenset({"rf"}), vanishing(model, without))
    return all(grows[t] & AROUND for t in _together(model))


def directions(
    model: Model, shrinking: Set[str], gone: Set[int] = frozenset(), less: Set[int] = frozenset()
) -> dict[int, int]:
    """Return of the terms that rules need how they can change as some primitives, and some terms, lose facts.

    `WITHIN`: they can only lose facts; `AROUND`: only gain; `BOTH`: they stay, 0: any. Those `gone` hold of nothing.
    """
    grows: dict[int, int] = {}
    supposed: dict[int, int] = {}
    for _ in range(2 * len(model.terms)):
        for index in sorted(model.reached):
            fixed = BOTH if index in gone else WITHIN if index in less else None
            grows[index] = _direction(model, index, grows, supposed, shrinking) if fixed is None else fixed
        new = {
            v: grows.get(b, 0) & supposed.get(v, BOTH)
            for f in model.fixpoints
            for v, b in zip(f.variables, f.bodies, strict=True)
        }
        if new == supposed:
            break
        supposed = new
    return grows


def _direction(model: Model, index: int, grows: dict[int, int], supposed: dict[int, int], shrinking: Set[str]) -> int:
    """Return how one term changes, as `directions` does."""
    term = model.terms[index]
    if term.op is Op.BASE:
        return WITHIN if term.name in shrinking else BOTH
    if term.op is Op.RECVAR:
        return supposed.get(index, BOTH)
    if term.op is Op.FIX:
        return grows.get(model.fixpoints[term.fixpoint].bodies[term.position], 0)
    known = [grows.get(a, 0) for a in term.arguments]
    if term.op is Op.DIFFERENCE:
        left, right = known
        return left & ((WITHIN if right & AROUND else 0) | (AROUND if right & WITHIN else 0))
    found = BOTH
    for status in known:
        found &= status
    return found
