"""Derivations in words.

What goes in: `Step`s, and the names of the events. What comes out: `Statement`s, in the order in which things happen:
"B synchronizes with C", "C makes A visible in its agent". Which definitions are worth a sentence, and which, stands
here, by the names that the models give them; a model that uses other names is explained by its paths alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from axmem.encoder.constraints import Rule
from axmem.encoder.events import Event, Kind
from axmem.encoder.statics import data_tags, explicit_tags
from axmem.explain.concrete import Fact, View, in_order
from axmem.explain.names import Names
from axmem.explain.proofs import Proofs, Step
from axmem.explain.weights import LIGHT, NEVER
from axmem.litmus.words import NONE_TAG, SCOPE_OF, AddressSpace, Ordering, tag_text
from axmem.model import relation as rel
from axmem.model.terms import Definition, Op, Term
from axmem.model.vocabulary import PRIMITIVES, Part

LEVELS = {scope.short: word for word, scope in reversed(SCOPE_OF.items())}

LABELS = {
    **{name: name for name, p in PRIMITIVES.items() if p.part is Part.EDGE},
    **{name: name for name in ("mo", "fr", "sw", "hb", "lo", "av", "vis")},
    "smo": "mo", "fr-atomic": "fr", "rf-atomic": "rf", "src": "rf", "link": "rf", "cpo": "po", "hbv": "hb",
}  # fmt: skip
"""The relations that stand for themselves on a path, and their names there."""

FILTERS = frozenset(name for name, p in PRIMITIVES.items() if p.part is Part.FILTER)
"""Relations that only restrict others; a path does not go along them if it can help it."""

TURNS = ("at", "av", "sw", "vis")
"""Of what happens at one event, what is told first."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence without its full stop, the definition or rule it rests on, whether it names something missing."""

    text: str
    by: Rule | None = None
    lacking: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """A labelled edge of a path; `back` if the relation leads from the second event to the first."""

    first: int
    label: str
    second: int
    back: bool = False


def price(view: View) -> Callable[[Term, Fact], int]:
    """Return what the links of an execution cost that are not there, in the order in which one would mend them."""
    events = view.graph.events

    def of_set(term: Term, e: Event) -> float:
        accesses = e.kind in (Kind.READ, Kind.WRITE)
        if term.op is Op.TAGGED:
            return 1 if NONE_TAG in e.tags and term.name == tag_text(NONE_TAG) else 0
        if term.name == "REL":
            return 2.4 if e.kind in (Kind.WRITE, Kind.FENCE) else 0
        if term.name == "ACQ":
            return 2.4 if e.kind in (Kind.READ, Kind.FENCE) else 0
        if term.name in SCOPE_OF and e.kind not in (Kind.INIT, Kind.FINAL, Kind.BARRIER):
            return 2 + 0.05 * SCOPE_OF[term.name]
        return {"RLX": 3.0, "NA": 3.0, "AVI": 3.2, "OneAs": 2.0}.get(term.name, 0) if accesses or e.one_as else 0

    def of_relation(term: Term, a: Event, b: Event) -> float:
        if term.op is Op.THROUGH or term.name in ("tag-compat", "tag-compat-dd", "tag-compat-sd", "as-compat"):
            return 1.5
        if term.name == "covers":
            return 1.5 if a.covers is not None and b.cell >= 0 else 0
        if term.name == "perf":
            return 3 if a.cell == b.cell >= 0 else 0
        if term.name == "rf":
            matching = a.kind in (Kind.WRITE, Kind.INIT) and b.kind is Kind.READ and a.cell == b.cell
            return 4 if matching and a.instruction != b.instruction else 0
        return 0

    def asked(term: Term, fact: Fact) -> int:
        first, last = events[fact[0]], events[fact[-1]]
        return int((of_set(term, first) if term.is_set else of_relation(term, first, last)) * LIGHT) or NEVER

    return asked


class Words:
    """The sentences about one execution."""

    def __init__(self, view: View, names: Names) -> None:
        self.view = view
        self.names = names
        self.proofs = Proofs(view)

    @cached_property
    def wishes(self) -> Proofs:
        """The derivations that may use what the execution lacks."""
        return Proofs(self.view, price(self.view))

    @cached_property
    def _named(self) -> dict[int, Definition]:
        """The definition of each named term: the first that has a reference, or else the first."""
        found: dict[int, Definition] = {}
        for d in self.view.model.definitions:
            if d.term not in found or (d.doc.key and not found[d.term].doc.key):
                found[d.term] = d
        return found

    def name(self, step: Step) -> str:
        """Return the name under which the model or the vocabulary knows a step's term, or nothing."""
        term = self.view.model.terms[step.term]
        if term.op in (Op.FIX, Op.RECVAR):
            return self.view.model.fixpoints[term.fixpoint].names[term.position]
        return self._named[step.term].name if step.term in self._named else term.name

    def cited(self, *names: str) -> Rule | None:
        """Return the first of these definitions that the model has with a reference to a specification."""
        for name in names:
            definition = self.view.definitions.get(name)
            if definition is not None and definition.doc.key:
                return Rule(name, definition.doc)
        return None

    # ------------------------------------------------------------ what holds

    def chain(self, step: Step | None) -> tuple[Statement, ...]:
        """Return the sentences of a derivation, each once, in the order in which it happens."""
        if step is None:
            return ()
        found: dict[Statement, tuple[int, int]] = {}
        for part in step.walk():
            sentence = self._sentence(part) if part.holds and part.member else None
            if sentence is not None:
                turn = TURNS.index(self.name(part).partition("-")[0])
                found.setdefault(sentence, (self._rank[part.fact[-1]], turn))
        return tuple(sorted(found, key=found.__getitem__))

    @cached_property
    def _rank(self) -> dict[int, int]:
        """When each event happens: its place in an order with which happens-before agrees, if it is acyclic."""
        hb = self.view.relation("hb")
        found = in_order(hb) if hb and rel.is_acyclic(hb) else []
        rest = [e for e in range(self.view.size) if e not in found]
        return {e: place for place, e in enumerate([*found, *rest])}

    def _sentence(self, step: Step) -> Statement | None:
        name, (first, last) = self.name(step), (step.fact[0], step.fact[-1])
        a, b = self.names.prose(first), self.names.prose(last)
        if name == "sw":
            return Statement(f"{a} synchronizes with {b}{self._through(step)}", self.cited(*self._kind_of_sw(step)))
        if name == "av":
            scope = self.view.graph.events[last].scope.word
            text = f"{a} is made available at {scope} scope by {b} ({self.role(last, Kind.WRITE)})"
            return Statement(text, self.cited("av-follows", "av"))
        prefix, _, level = name.partition("-")
        if level in LEVELS and self._wider(step):
            return None
        if prefix == "at" and level in LEVELS and self.view.graph.events[first].kind is Kind.WRITE:
            text = f"{a} is available at {LEVELS[level]} scope by itself ({self._access_role(first)})"
            return Statement(text, self.cited(name))
        if prefix == "vis" and level in LEVELS:
            where = "in its own thread" if level == "st" else f"in its {LEVELS[level]}"
            where = "in the system" if level == "sy" else where
            loads = self._arrives_at_load(step)
            role = self._access_role(last) if loads else self.role(last, Kind.READ)
            return Statement(f"{b} makes {a} visible {where} ({role})", self.cited(name))
        return None

    def own_scope(self, write: int) -> tuple[Statement, ...]:
        """Return at which scope a write is available without any other operation, if it is."""
        known = self.view.definitions
        sets = [known[name].term for name in map("at-{}".format, LEVELS) if name in known]
        return tuple(dict.fromkeys(s for term in sets for s in self.chain(self.proofs.proof(term, (write,)))))

    def _arrives_at_load(self, step: Step) -> bool:
        """Tell whether what makes a write visible is a load rather than an acquire or make.visible."""
        return any(self.name(s).startswith("at-") and s.fact == step.fact[1:] for s in step.walk())

    def _wider(self, step: Step) -> bool:
        """Tell whether a fact holds at a level because it holds at a wider one."""
        name = self.name(step)
        return any(self.name(s).partition("-")[0] == name.partition("-")[0] != self.name(s) for s in _itself(step))

    def _kind_of_sw(self, step: Step) -> tuple[str, ...]:
        """Return the definitions by which two events synchronize: a barrier's, or that of an atomic read."""
        barrier = any(self.name(s) == "bar" for s in step.walk())
        return ("barrier-sw", "barrier-scopes") if barrier else ("sw-atomic", "sw")

    def _through(self, step: Step) -> str:
        """Return what makes two events synchronize."""
        if "barrier-sw" in self._kind_of_sw(step):
            return " by the barrier between them"
        reads = [s.fact for s in step.walk() if self.name(s) == "rf" and s.holds]
        reads = list(dict.fromkeys(reads))
        texts = [f"{self.names.prose(r)} reads from {self.names.prose(w)}" for w, r in reads]
        return f": {' and '.join(texts)}" if texts else ""

    def role(self, event: int, side: Kind) -> str:
        """Return in which capacity an event makes others available (`side` WRITE) or visible (READ)."""
        e = self.view.graph.events[event]
        if e.kind is Kind.MAKE_AVAILABLE or e.kind is Kind.MAKE_VISIBLE:
            return "make.available" if e.kind is Kind.MAKE_AVAILABLE else "make.visible"
        if e.ordering.releases if side is Kind.WRITE else e.ordering.acquires:
            return f"{e.ordering.value} fence" if e.kind is Kind.FENCE else e.ordering.value
        return self._access_role(event)

    def _access_role(self, event: int) -> str:
        """Return in which capacity an access is store-available or load-visible."""
        e = self.view.graph.events[event]
        noun = "store" if e.kind is Kind.WRITE else "load"
        if e.space is AddressSpace.LDS:
            return f"LDS {noun}"
        if e.av:
            return f"av {noun}"
        return f"volatile {noun}" if e.ordering is Ordering.NOT_ATOMIC else f"atomic {noun}"

    def path(self, step: Step) -> tuple[Edge, ...]:
        """Return a derivation of a pair as a path along relations with names of their own."""
        name = self.name(step)
        if len(step.fact) == 1 or self.view.model.terms[step.term].op is Op.IDENTITY:
            return ()
        first, last = step.fact
        if first == last and name in FILTERS:
            return ()
        if name in LABELS:
            return (Edge(first, LABELS[name], last),)
        match self.view.model.terms[step.term].op:
            case Op.INVERSE:
                return tuple(Edge(e.second, e.label, e.first, not e.back) for e in reversed(self.path(step.because[0])))
            case Op.SEQUENCE | Op.PLUS | Op.UNION | Op.FIX | Op.RECVAR:
                return tuple(edge for part in step.because for edge in self.path(part))
            case Op.DIFFERENCE:
                return self.path(step.because[0])
            case Op.INTERSECTION:
                paths = [self.path(part) for part in step.because]
                return min((p for p in paths if p), key=self._plainness, default=())
            case Op.BASE if name == "id":
                return ()
        return (Edge(first, name or "…", last),)

    def _plainness(self, path: tuple[Edge, ...]) -> tuple[bool, bool, int]:
        """Return how to choose among the parts of an intersection: rather a relation than a restriction."""
        known = [e.label in LABELS.values() for e in path]
        return not any(known), not all(known), len(path)

    # ------------------------------------------------------------ what is missing

    def missing(self, term: int, fact: Fact) -> tuple[Statement, ...]:
        """Return the links whose lack keeps a fact from holding, in the nearest derivation of it; maybe none.

        There are none either if it would take that the second event itself reads from somewhere else.
        """
        step = self.wishes.proof(term, fact)
        lacks = list(_lacks(step, ())) if step is not None else []
        lacks.sort(key=lambda lack: self._rank[lack[0].fact[-1]])
        if any(self.name(lack) == "rf" and lack.fact[1] == fact[1] for lack, _ in lacks):
            return ()
        meanings: dict[tuple[int, Fact], tuple[str, Rule | None]] = {}
        for lack, above in lacks:
            known = meanings.setdefault((lack.term, lack.fact), ("", None))
            meanings[lack.term, lack.fact] = known if known[0] else self._meaning(lack, above)
        texts: dict[tuple[str, Rule | None], list[str]] = {}
        for lack, _ in lacks:
            found = texts.setdefault(meanings[lack.term, lack.fact], [])
            found += [text] if (text := self._lack_text(lack)) not in found else []
        return tuple(
            Statement(" and ".join(found) + f", so {meaning}" * bool(meaning), by, lacking=True)
            for (meaning, by), found in texts.items()
        )

    def _meaning(self, lack: Step, above: tuple[Step, ...]) -> tuple[str, Rule | None]:
        """Return which named relation of an event fails by what it lacks, the innermost one, in words."""
        for outer in reversed(above):
            if not outer.holds and len(outer.fact) == 2 and set(lack.fact) & set(outer.fact):
                consequence, by = self._consequence(outer)
                if consequence:
                    return consequence, by
        return "", None

    def _lack_text(self, step: Step) -> str:
        name = self.view.model.terms[step.term].name
        e = self.view.graph.events[step.fact[0]]
        a, b = self.names.prose(step.fact[0]), self.names.prose(step.fact[-1])
        if self.view.model.terms[step.term].op is Op.TAGGED:
            return f"{a} carries {name}"
        if self.view.model.terms[step.term].op is Op.THROUGH:
            return f"on the way from {a} to {b} some operation has tags that are not compatible with those of both"
        texts = {
            "REL": f"{a} is no release",
            "ACQ": f"{a} is no acquire",
            "RLX": f"{a} is not monotonic or stronger",
            "NA": f"{a} is not atomic",
            "AVI": f"{a} is neither atomic nor an av {'load' if e.kind is Kind.READ else 'store'}",
            "OneAs": f"{a} orders one address space alone",
            "covers": f"{a} does not cover {self.names.place(self.view.graph.events[step.fact[-1]]) if b else ''}",
            "perf": f"{a} and {b} do not access the same bytes",
            "as-compat": f"{a} and {b} order no common address space",
            "rf": f"{b} does not read from {a}",
        }
        if name in texts:
            return texts[name]
        if name.startswith("tag-compat"):
            return f"the tags of {a} and {b} are not compatible{self._conflict(name, *step.fact)}"
        if name in SCOPE_OF:
            return f"{a} has {e.scope.word} scope where {name} scope is needed"
        return f"{a} is not in {name}"

    def _conflict(self, relation: str, first: int, second: int) -> str:
        """Return for which prefix two events have no tag in common; a plain access counts the tag of its space."""
        counted = {"d": data_tags, "s": explicit_tags}
        sides = relation.removeprefix("tag-compat").removeprefix("-") or "ss"
        events = self.view.graph.events
        left, right = (counted[side](events[e]) for side, e in zip(sides, (first, second), strict=True))
        for prefix in sorted({p for p, _ in left} & {p for p, _ in right}):
            a, b = ("/".join(sorted(suffix for p, suffix in tags if p == prefix)) for tags in (left, right))
            if not set(left) & {tag for tag in right if tag[0] == prefix}:
                return f" ({prefix}: {a} against {b})"
        return ""

    def _consequence(self, step: Step) -> tuple[str, Rule | None]:
        """Return what it means that a named relation does not hold, and the definition that asks for it."""
        name = self.name(step)
        a, b = (self.names.prose(e) for e in step.fact)
        if name in ("av", "av-follows"):
            return f"{b} does not make {a} available", self.cited("make-available")
        prefix, _, level = name.partition("-")
        if prefix == "vis" and level in LEVELS:
            by = self.cited(name) if self._arrives_at_load(step) else self.cited("make-visible", name)
            return f"{b} does not make {a} visible", by
        if name in ("sw", "sw-atomic", "barrier-sw"):
            return f"{a} does not synchronize with {b}", self.cited(name, "sw-atomic")
        if name == "cpo":
            return f"the program order of {a} and {b} does not count", self.cited("cpo")
        return "", None


def _itself(step: Step) -> Iterator[Step]:
    """Yield the steps about the same fact that a step follows from."""
    for part in step.because:
        if part.fact == step.fact:
            yield part
            yield from _itself(part)


def _lacks(step: Step, above: tuple[Step, ...]) -> Iterator[tuple[Step, tuple[Step, ...]]]:
    """Yield the leaves of a derivation that do not hold, each with the steps above it, from the root."""
    if not step.because and step.holds != step.member:
        yield step, above
    for part in step.because:
        yield from _lacks(part, (*above, step))
