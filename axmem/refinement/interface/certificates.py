"""A proof about rows as a script of SMT-LIB, which any solver checks: each of its questions must be `unsat`.

What goes in: a `Proof`. What comes out: a script that states what the two rows are, and asks whether happens-before
before the change has a fact that matters and that the one after has not, for any number of events of the context.
Invariant: nothing that the search computes is used but the rows and which operations correspond; positions, roles and
facts are defined anew, by quantifiers. Of operations that go only fences are spoken of; `unspoken` names the others.

A relation S is happens-before after the change without the pairs of the row whose order changes, with those of before.
Asked is that steps of the program before lie in S, and that S followed by a step does; so happens-before of the
program before does, by induction. A step is program order, or a synchronization with program order on either side.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from axmem.refinement.interface.facts import ordered
from axmem.refinement.interface.operations import LOAD, RMW, Operation
from axmem.refinement.interface.rows import Proof

CONTEXT = ("pre", "post", "other")
"""Where an event of the context is: before the row in its thread, behind it, in another thread."""
HEAD = """(set-logic ALL)
(declare-sort E 0)
(declare-fun pre (E) Bool)
(declare-fun post (E) Bool)
(declare-fun other (E) Bool)
(declare-fun fence (E) Bool)
(declare-fun acquires (E) Bool)
(declare-fun releases (E) Bool)
(declare-fun order (E E) Bool)
(declare-fun inclusive (E E) Bool)
(declare-fun chain (E E) Bool)
(declare-fun hb (E E) Bool)
(assert (forall ((x E) (y E))
  (=> (order x y) (or (and (pre x) (pre y)) (and (post x) (post y)) (and (other x) (other y))))))
(assert (forall ((x E) (y E) (z E)) (=> (and (order x y) (order y z)) (order x z))))
(assert (forall ((x E))
  (and (not (and (pre x) (post x))) (not (and (pre x) (other x))) (not (and (post x) (other x))))))
(assert (forall ((x E) (y E)) (=> (chain x y) (not (or (fence x) (fence y))))))"""


def unspoken(proof: Proof) -> list[str]:
    """Return what of a proof its script does not speak of: the rules for accesses that go, and stores that update."""
    after = {o.key: o for o in proof.after}
    gone = {o.key: o for o in proof.before} | {i: None for i, _ in proof.common}
    found = [f"{o.kind}: {rule}" for key, rule in proof.rules if (o := gone.get(key)) is not None and not o.is_fence]
    kinds = {o.key: o.kind for o in proof.before}
    found += ["a store that becomes a read-modify-write" for i, j in proof.common if kinds[i] != after[j].kind]
    return found


def script(name: str, proof: Proof) -> str:
    """Return a proof as a script, with what it does not speak of first."""
    lines = [f"; {name}: every check-sat must be unsat", *(f"; not checked here: {each}" for each in unspoken(proof))]
    if not unspoken(proof):
        lines += [HEAD, *_Script(proof).lines()]
    return "\n".join(lines) + "\n"


class _Script:
    def __init__(self, proof: Proof) -> None:
        names = {j: f"e{i}" for i, j in proof.common}
        self.before = [(f"e{o.key}", o) for o in proof.before]
        self.after = [(names.get(o.key, f"e{o.key}"), o) for o in proof.after]
        self.names = list(dict.fromkeys(n for n, _ in (*self.before, *self.after)))
        places = [{n: k for k, (n, _) in enumerate(side)} for side in (self.before, self.after)]
        self.kept = [n for n in places[0] if n in places[1]]
        later = ((i, j) for i in self.kept for j in self.kept if places[0][i] < places[0][j])
        self.lost = [(i, j) for i, j in later if places[1][i] > places[1][j]]

    def lines(self) -> Iterator[str]:
        yield from (f"(declare-const {name} E)" for name in (*self.names, *"pqsvabhr", *("a2", "b2", "h2", "r2")))
        if len(self.names) > 1:
            yield f"(assert (distinct {' '.join(self.names)}))"
        yield f"(assert (forall ((x E)) {_any([*(f'({c} x)' for c in CONTEXT), *(f'(= x {n})' for n in self.names)])}))"
        known = {**dict(self.before), **dict(self.after)}
        for name, o in known.items():
            yield f"(assert (and (not (pre {name})) (not (post {name})) (not (other {name}))))"
            yield f"(assert ({'fence' if o.is_fence else 'not (fence'} {name}{'' if o.is_fence else ')'}))"
            if not o.strong:
                yield f"(assert (forall ((x E)) (not (or (chain x {name}) (chain {name} x)))))"
            elif o.kind != RMW:
                end = f"{name} x" if o.reads else f"x {name}"
                yield f"(assert (forall ((x E)) (not (chain {end}))))"
        yield from self._inclusive([o for _, o in (*self.before, *self.after)])
        yield from _program("after", self.after)
        yield from _program("before", self.before)
        yield "(assert (forall ((x E) (y E)) (=> (po-after x y) (hb x y))))"
        yield "(assert (forall ((x E) (y E) (z E) (w E)) (=> (sw-after x y z w) (hb x y))))"
        yield "(assert (forall ((x E) (y E) (z E)) (=> (and (hb x y) (hb y z)) (hb x z))))"
        yield "(assert (forall ((x E)) (not (hb x x))))"
        yield from self._questions()

    def _inclusive(self, operations: Iterable[Operation]) -> Iterator[str]:
        """Yield what scopes say: an operation of the row includes another up to its level, and is included."""
        levels = sorted({int(o.level) for o in operations})
        yield from (f"(declare-fun meets{level} (E) Bool)" for level in levels)
        for narrow, wide in pairwise(levels):
            yield f"(assert (forall ((x E)) (=> (meets{narrow} x) (meets{wide} x))))"

    def _questions(self) -> Iterator[str]:
        known = dict(self.before)
        for i, j in self.lost:
            seen = "true" if ordered(known[i], known[j]) else "false"
            yield from _asked(f"no axiom sees the order of {i} and {j}", seen)
            earlier = f"(or (= v p) (hb p v)) (not (= p {j})) (not (hb p {j}))"
            yield from _asked(f"what is before {i} is before {j}, by program order", f"(po-after v {i})", earlier)
            yield from _asked(f"and by synchronization, {i}", f"(sw-after v {i} h r)", earlier)
        for i, j in self.lost:
            yield f"(assert (forall ((x E)) (=> (hb x {i}) (or (= x {j}) (hb x {j})))))"
        reversed_, lost = (
            " ".join(f"(and (= x {a}) (= y {b}))" for a, b in pairs)
            for pairs in ([(j, i) for i, j in self.lost], self.lost)
        )
        yield f"(define-fun S ((x E) (y E)) Bool (or (and (hb x y) (not (or false {reversed_}))) (or false {lost})))"
        kept = f"{self._stays('p')} {self._stays('s')}"
        yield from _asked("program order lies in S", "(po-before p s)", kept, "(not (S p s))")
        yield from _asked("a synchronization lies in S", self._step("p", "s"), kept, "(not (S p s))")
        # That a load is itself behind what it reads follows from coherence, and a fence that goes is not there: what
        # comes in at them goes out behind them.
        for name in (*self._loads(), *(n for n, _ in self.before if n not in self.kept)):
            itself = f"(or (= p q) (S p q)) (or (= q a) (po-before q a)) (sw-before a {name} h r)"
            for case in self._cases("s"):
                asked = (itself, self._step(name, "s", "2"), case, self._stays("p"), self._stays("q"))
                yield from _asked(f"what comes in at {name}, then a synchronization", *asked, "(not (S p s))")
        for first in self._cases("q"):
            for last in self._cases("s"):
                case = f"{first} {last} {self._stays('p')}"
                yield from _asked("S, then program order", case, "(S p q) (po-before q s) (not (S p s))")
                yield from _asked("S, then a synchronization", case, "(S p q)", self._step("q", "s"), "(not (S p s))")

    def _loads(self) -> list[str]:
        return [name for name, o in self.before if name in self.kept and o.kind == LOAD]

    def _step(self, first: str, last: str, number: str = "") -> str:
        """Return that a synchronization leads from one event to another, with program order on either side."""
        a, b, h, r = (f"{name}{number}" for name in "abhr")
        itself = _any([f"(= {last} {name})" for name in self._loads()])
        ends = f"(or (and (= {b} {last}) (not {itself})) (po-before {b} {last}))"
        return f"(or (= {first} {a}) (po-before {first} {a})) (sw-before {a} {b} {h} {r}) {ends}"

    def _stays(self, event: str) -> str:
        gone = [n for n in self.names if n not in self.kept]
        return f"(not (or false {' '.join(f'(= {event} {n})' for n in gone)}))"

    def _cases(self, event: str) -> list[str]:
        return [*(f"({where} {event})" for where in CONTEXT), *(f"(= {event} {n})" for n in self.kept)]


def _program(side: str, row: Sequence[tuple[str, Operation]]) -> Iterator[str]:
    """Yield program order and synchronizes-with of one program."""
    there = [f"(= {{0}} {name})" for name, _ in row]

    def one(event: str, among: Sequence[str] = there) -> str:
        return _any([each.format(event) for each in among])

    own = [f"(and (= x {a}) (= y {b}))" for k, (a, _) in enumerate(row) for b, _ in row[k + 1 :]]
    around = ["(order x y)", "(and (pre x) (post y))", f"(and (pre x) {one('y')})", f"(and {one('x')} (post y))"]
    yield f"(define-fun po-{side} ((x E) (y E)) Bool {_any([*around, *own])})"
    for word, names in (
        ("acquires", [n for n, o in row if o.acquires]),
        ("releases", [n for n, o in row if o.releases]),
    ):
        own_ones = [f"(= x {name})" for name in names]
        others = f"(and {_context('x')} ({word} x))"
        yield f"(define-fun {word}-{side} ((x E)) Bool {_any([others, *own_ones])})"
    scopes = [f"(and (= {{0}} {name}) (meets{int(o.level)} {{1}}) (other {{1}}))" for name, o in row if o.level]
    both = _any([f"(and {_context('x')} {_context('y')} (inclusive x y))", *(
        each.format(*pair) for each in scopes for pair in (("x", "y"), ("y", "x"))
    )])  # fmt: skip
    yield f"(define-fun inclusive-{side} ((x E) (y E)) Bool {both})"
    out = f"(or (and (= x h) (releases-{side} h)) (and (fence x) (releases-{side} x) (po-{side} x h)))"
    into = f"(or (and (= y r) (acquires-{side} r)) (and (fence y) (acquires-{side} y) (po-{side} r y)))"
    strong = [f"(= {{0}} {name})" for name, o in row if o.strong]
    here = " ".join(_any([_context(e), one(e, strong if e in "hr" else there)]) for e in "xyhr")
    yield (
        f"(define-fun sw-{side} ((x E) (y E) (h E) (r E)) Bool"
        f" (and (chain h r) {out} {into} {here} (inclusive-{side} x y)))"
    )


def _context(event: str) -> str:
    return f"(or {' '.join(f'({where} {event})' for where in CONTEXT)})"


def _any(formulas: Sequence[str]) -> str:
    return f"(or false {' '.join(formulas)})"


def _asked(what: str, *formulas: str) -> Iterator[str]:
    """Yield a question: whether formulas can hold together."""
    yield f"(push 1) ; {what}"
    yield f"(assert (and {' '.join(formulas)}))"
    yield "(check-sat)"
    yield "(pop 1)"
