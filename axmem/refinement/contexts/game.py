"""The game: is there a context in which the program after a change does what the program before cannot?

What goes in: both programs in a context of a shape, a model. One solver proposes a context and an execution of the
program after; another looks for an execution of the program before in the same context that shows the same. What it
finds is turned into a strategy (`strategies.py`), and no execution that the strategy answers is proposed
again. What comes out: that none is left, or a context in which the program before has no answer, or why neither is
known. Invariant: a strategy excludes an execution only if it makes a consistent execution before of it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations, compress, repeat

from axmem.encoder.bounds import Bounds, bounds
from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.encoder.constraints import truth_of, undef_of
from axmem.encoder.execution import EncodingSettings, reads_of
from axmem.encoder.open_encoding import shown
from axmem.encoder.opened import Followed, Follower, OpenedLiterals
from axmem.encoder.sat import shared
from axmem.encoder.solver import Session
from axmem.encoder.statics import statics
from axmem.encoder.terms import Terms
from axmem.encoder.valued_follower import World
from axmem.encoder.words import Word
from axmem.events.graph import EventGraph, EventKind
from axmem.events.values import Constant
from axmem.front.records import dataclass, replace
from axmem.litmus.syntax import Observable, RegisterOf
from axmem.model.model import Model
from axmem.refinement.bounded.bound import Bound
from axmem.refinement.bounded.query import CircuitQuery, Unanswered, left
from axmem.refinement.contexts.annotations import Annotations
from axmem.refinement.contexts.correspondence import correspondence
from axmem.refinement.contexts.decoding import literals_of, wishes
from axmem.refinement.contexts.half import Half
from axmem.refinement.contexts.placeholders import REGISTER, Memory, Shape
from axmem.refinement.contexts.slots import Setting
from axmem.refinement.contexts.strategies import Strategy, followed, learned, likes, same
from axmem.refinement.contexts.unshared import changed_meanwhile

ROUNDS = 2000
"""After so many answers the strategies are taken not to come to an end."""
NO_ANSWER = "an answer was known already, and does not answer: of undef, or of more, too little is known"
FLOATING = "not decided here: Alive2's (arithmetic of floating point, of which nothing is known)"
"""Why it is not known whether the program before does what the one after does."""
TRIALS, STEPS = 4, 50_000
"""So often a smaller context is looked for before it is given up, and so many steps each time; a plainer one once."""


@dataclass(frozen=True, slots=True)
class Found:
    """A context, as the truth of the literals of a setting, in which the program after has a new outcome."""

    setting: Setting
    truth: Mapping[int, bool]


@dataclass(frozen=True, slots=True)
class Open:
    """It is not known whether there is such a context, and why."""

    reason: str


class Game:
    """Two programs in contexts of one shape; games of several shapes may share a session.

    `models` are those before and after: what one permits and the other does not is new, too, even if the programs are
    one, or none.

    With `annotations` it is a game about all pairs of programs that differ in these: which of them is asked about are
    the literals `marks`, and `core` are those of them for which nothing was left at last.
    """

    def __init__(
        self,
        graphs: tuple[EventGraph, EventGraph],
        shape: Shape,
        memory: Memory,
        space: Bound,
        models: tuple[Model, Model],
        session: Session | None = None,
        annotations: Annotations | None = None,
    ) -> None:
        self.model, self.models, self.graphs = models[0], models, graphs
        self.setting = Setting(shape, memory, space, graphs, Circuit(), annotations)
        self.marks: Sequence[int] = ()
        self.core: frozenset[int] = frozenset()
        self.after = Half(graphs[1], self.setting, models[1])
        self.context = [*self.setting.variables()]
        # The program before once more, in the circuit of the program after: who follows stands there.
        self.graph, self.openings = self.setting.opened(graphs[0], self.model)
        self.bounds: Bounds = bounds(self.graph, self.model, statics(self.graph), spare=True, openings=self.openings)
        self.settings = EncodingSettings("Fin" not in self.model.base_names, thin_air=False)
        self.parts = self.setting.parts
        self.pairs = correspondence(self.graph, self.after.graph, (self.parts, self.after.parts))
        self.session = session or shared()
        self.asking = CircuitQuery(self.after.circuit, self.session, whole=False, sat=True)
        self.asking.query.hurry()
        self.defined = self.after.circuit.conjunction([-x for x in self.after.undef.values()])
        """Nothing that is read after the change is undef."""
        wanted = (*self.after.wanted(), self.defined, *literals_of(self.setting))
        self.asked = list(dict.fromkeys([*self.context, *wanted]))
        self.mentioned = self.begun = False
        self.known: set[object] = set()
        self._followed: OpenedLiterals | None = None
        """The literals of who followed last, of which the next one's share what is fixed."""
        self.terms = Terms()
        self.rounds = 0
        self.cut = False
        """Whether loops of the program after may go on beyond their bound, where nothing is said."""

    @cached_property
    def before(self) -> Half:
        """The program before in a circuit of its own, made when a strategy is not enough."""
        here = self.setting
        again = Setting(here.shape, here.memory, here.space, self.graphs, Circuit(), here.annotations)
        # The same calls have made the same literals of the context in both circuits, and with them the same bounds.
        half = Half(self.graphs[0], again, self.model, self.bounds)
        assert half.setting.last == here.last
        return half

    @cached_property
    def answered(self) -> list[int]:
        """The literals of the program before whose truth is wanted."""
        return list(dict.fromkeys([*self.context, *self.before.wanted()]))

    @cached_property
    def answering(self) -> CircuitQuery:
        """The solver that looks for executions of the program before."""
        query = CircuitQuery(self.before.circuit, self.session, whole=False, sat=True)
        query.query.hurry()
        query.mention([*self.answered, *self.before.changed.values()])
        return query

    # ------------------------------------------------------------ the game

    def play(self, seconds: float | None = None) -> Found | Open | None:
        """Return a context in which something is new, or why that is not known; None if there is none."""
        if reason := self._beyond_us():
            return Open(reason)
        end = None if seconds is None else time.process_time() + seconds
        try:
            self._begin(end)
            # Who stands beside the program refutes most changes that are wrong, and is found sooner; and numbers are
            # surer than undef, of which it may not be known what the program before makes of it.
            numbers, beside = tuple(self.setting.numbers.defined()), self._beside()
            for wished in dict.fromkeys(((*beside, *numbers, self.defined), (*beside, *numbers), numbers, ())):
                if (truth := self._new(end, wished)) is not None:
                    return Found(self.setting, self._simplified(truth, end))
            self.core = self.asking.refuting() & frozenset(self.marks)
        except Unanswered as reason:
            return Open(str(reason))
        return None

    def some(self, seconds: float | None = None, wished: Sequence[int] = ()) -> Mapping[int, bool] | None:
        """Return the first solution in which something is new, as it is found; None if there is none as it is wished.

        Raises Unanswered.
        """
        if reason := self._beyond_us():
            raise Unanswered(reason)
        end = None if seconds is None else time.process_time() + seconds
        self._begin(end)
        return self._new(end, wished)

    def _begin(self, end: float | None) -> None:
        """Exclude what is answered by doing the same, once."""
        self.rounds = 0
        if self.begun:
            return
        self.begun = True
        beyond = self.after.encoding.beyond
        self.cut = beyond != FALSE and self.asking.possible(beyond, None if end is None else left(end) / 1000)
        left(end)
        self._exclude_same()

    def _new(self, end: float | None, wished: Sequence[int]) -> Mapping[int, bool] | None:
        """Return a solution that is not answered, in a context as it is wished; None if there is none."""
        while self._propose(end, wished):
            if self.rounds > ROUNDS:
                raise Unanswered(f"after {ROUNDS} answers there are more to give")
            truth = self.asking.truth(self.asked)
            if not self._answer(truth, end):
                return truth
            self.rounds += 1
            self._exclude(truth, self.answering.truth(self.answered))
        return None

    def _beside(self) -> tuple[int, ...]:
        """Return the literals that operations stand beside the program, where that is open."""
        standing = self.setting.standing
        return () if standing is None else tuple(x for x in standing.beside if x != TRUE)

    def _beyond_us(self) -> str:
        """Return why nothing can be said, if that is so."""
        written = (e.value for graph in self.graphs for e in graph.events if e.value is not None)
        plain = all(m.analyses.recursion.forbids_thin_air(across=self.graph.across) for m in self.models)
        if not plain and not all(isinstance(value, Constant) for value in written):
            return "the model permits values out of thin air"
        return ""

    def _propose(self, end: float | None, wished: Sequence[int] = ()) -> bool:
        """Tell whether the program after has an execution, in a context as it is wished, that no strategy answers."""
        assumed = [-self.after.encoding.beyond, *self.marks, *wished]
        if FALSE in assumed:
            return False
        assumed = [x for x in assumed if x != TRUE]
        if not self.asking.check(assumed, left(end)):
            return False
        if not self.mentioned:  # Most shapes end before anything is wanted of a solution.
            self.mentioned = True
            self.asking.mention(self.asked)
            return self.asking.check(assumed, left(end))
        return True

    def _answer(self, truth: Mapping[int, bool], end: float | None) -> bool:
        """Tell whether the program before has an execution with the context and the outcome of one after."""
        context = [x if truth[x] else -x for x in self.context]
        bad = self.before.bad
        # The nearer the answer, the more its strategy answers: the same sources and orders are tried first.
        if not truth[self.after.bad]:
            outcome = [*self._outcome(truth), -self.before.encoding.beyond]
            reads, orders = self._like_reads(truth), self._like_orders(truth)
            for wishes in ([*reads, *orders], orders, reads, []):
                if self._possible([*context, *outcome, *wishes], end):
                    return True
        if bad != FALSE and self._possible([*context, bad], end):
            return True
        return any(
            self._possible([*context, *self._outcome(truth, self._of_context(own)), changed], end)
            for own, changed in self.before.changed.items()
        )

    def _possible(self, assumed: Sequence[int], end: float | None) -> bool:
        if FALSE in assumed:
            return False
        return self.answering.check([x for x in assumed if x != TRUE], left(end))

    def _outcome(self, truth: Mapping[int, bool], wanted: Iterable[bool] = repeat(True)) -> Iterator[int]:
        """Yield what an execution before is to show in lanes that are wanted: what the one after shows, or undef."""
        for mine, theirs in compress(zip(self.before.lanes, self.after.lanes, strict=True), wanted):
            bits, free = ([TRUE if truth[x] else FALSE for x in part] for part in (theirs.bits, theirs.free))
            poison, there = (TRUE if truth[x] else FALSE for x in (theirs.poison, theirs.there))
            covers = self.before.candidate.words.covers(mine, Word(tuple(bits), tuple(free), poison, there))
            self.answering.mention([covers])
            yield covers

    def _like_reads(self, truth: Mapping[int, bool]) -> list[int]:
        """Return the literals that an execution before reads what the one after does, where both can."""
        found = []
        after, pairs = self.after.candidate, self.pairs
        for r, sources in self.before.candidate.sources.items():
            q = pairs.after.get(r, -1)
            w = next((w for w, x in after.sources.get(q, {}).items() if truth[x]), -1)
            if w in pairs.before:
                found += [-x for v, x in sources.items() if v != pairs.before[w]]
        return found

    def _like_orders(self, truth: Mapping[int, bool]) -> list[int]:
        """Return the literals that an execution before orders writes as the one after does."""
        found = []
        events = self.before.graph.events
        both = [w for w in self.pairs.after if events[w].kind is EventKind.WRITE]
        for a, b in combinations(both, 2):
            if events[a].cell == events[b].cell:
                first = truth[self.after.candidate.order(self.pairs.after[a], self.pairs.after[b])]
                x = self.before.candidate.order(a, b)
                found.append(x if first else -x)
        return found

    def _simplified(self, truth: Mapping[int, bool], end: float | None) -> Mapping[int, bool]:
        """Return a solution without an answer that is as simple as some trials make it.

        A trial may take so many of the solver's steps, which no load of the machine changes.
        """
        kept: list[int] = []
        for query in (self.asking, self.answering):
            query.query.limit_steps(STEPS)
        fewer = {-x for x in self.setting.present}
        for wish in (self.defined, *wishes(self.setting)):
            if abs(wish) != TRUE:
                trials = TRIALS if wish in fewer else 1
                truth = truth if truth[wish] else self._unanswered([*kept, wish], end, trials) or truth
                kept += [wish] * truth[wish]
        for query in (self.asking, self.answering):
            query.query.limit_steps(0)
        return truth

    def _unanswered(self, wished: Sequence[int], end: float | None, trials: int) -> Mapping[int, bool] | None:
        """Return a solution without an answer as it is wished, if so many trials find one."""
        try:
            for _ in range(trials):
                if not self._propose(end, wished):
                    return None
                truth = self.asking.truth(self.asked)
                if not self._answer(truth, end):
                    return truth
                self._exclude(truth, self.answering.truth(self.answered))
        except Unanswered:
            pass
        return None

    # ------------------------------------------------------------ what is excluded

    def _exclude_same(self) -> None:
        """Exclude what the program before answers by doing the same."""
        first, second = self.graphs
        reads = reads_of(self.graph, self.bounds)
        strategy = same(self.graph, self.pairs, reads, (first.choices, second.choices))
        if strategy is not None:
            self._exclude_all(strategy, alike=True)

    def _exclude(self, truth: Mapping[int, bool], answer: Mapping[int, bool]) -> None:
        """Exclude what the program before answers in the way of an answer; raise Unanswered if that was known."""
        candidates = self.before.candidate, self.after.candidate
        truths = answer.__getitem__, truth.__getitem__
        undef, own = (self.before.undef, self.after.undef), len(self.graphs[0].choices)
        ways = [learned(self.graph, self.pairs, candidates, undef, truths, own, exact=x) for x in (False, True)]
        finals = frozenset(e.index for e in self.graph.events if e.kind is EventKind.FINAL)
        every = frozenset(self.before.candidate.sources)
        for strategy in (*ways, *(replace(way, own=some) for some in (finals, every) for way in ways)):
            if strategy not in self.known:
                self.known.add(strategy)
                self._exclude_all(strategy)
                return
        raise Unanswered(FLOATING if self.setting.unknown else NO_ANSWER)

    def _exclude_all(self, strategy: Strategy, *, alike: bool = False) -> None:
        """Exclude what a strategy answers; if `alike`, only where just those reads are undef that are so after.

        That takes half the time, and most changes are no other.
        """
        circuit, model, after = self.after.circuit, self.model, self.after
        arms = {c: [*literals] for c, literals in self.openings.arms.items()}
        made = followed(strategy, self.graph, self.pairs, after.candidate, after.undef, arms)
        like = likes(strategy)
        candidate, literals = self._follower(made, like)
        undef = undef_of(literals, candidate) if model.undefs else {}
        if undef and not alike and not strategy.exact and any(x != made.unread.get(r, FALSE) for r, x in undef.items()):
            # What is undef takes nothing, which may change what else is undef: `read_well` asks for it.
            unread = {r: x for r, x in undef.items() if r in made.sources}
            sources = {
                r: {w: circuit.both(x, -undef.get(r, FALSE)) for w, x in ws.items()} for r, ws in made.sources.items()
            }
            candidate, literals = self._follower(replace(made, sources=sources, unread=unread), like)
            undef = undef_of(literals, candidate)
        lanes = [*self._shows(candidate)]
        bad = circuit.disjunction(list(candidate.undefined_behaviour().values()))
        # What its values rest on is known when all of them are.
        consistent = [candidate.read_well(undef), candidate.controlled(), candidate.whole()]
        consistent += [truth_of(literals, axiom) for axiom in model.axioms if not axiom.flag]
        shows = circuit.conjunction([-after.bad, *lanes])
        changed = [
            circuit.conjunction([literal, *compress(lanes, self._of_context(own))])
            for own, literal in changed_meanwhile(self.graph, self.setting, self.parts, literals).items()
        ]
        if literals.unproved:
            circuit.cut_cycles()
        circuit.add(-circuit.conjunction([*consistent, circuit.disjunction([bad, shows, *changed])]))

    def _follower(self, made: Followed, like: Mapping[int, int]) -> tuple[Follower, OpenedLiterals]:
        """Return an execution of the program before in the circuit of the program after, with the model's terms."""
        world = World(self.after.candidate, like, self.pairs.after, self.terms)
        candidate = Follower(self.graph, self.bounds, self.openings, made, self.settings, world)

        def primitive(name: str, i: int, j: int) -> int:
            return candidate.source(i, j) if name == "rf" else candidate.coherence(i, j)

        literals = OpenedLiterals(self.model, self.bounds, self.openings, candidate.executed, primitive, self._followed)
        self._followed = literals
        return candidate, literals

    def _of_context(self, own: str) -> list[bool]:
        """Return of every lane that is compared whether an operation of the context reads it, to no register of its own
        whose value is free."""
        return [_of_context(o.observable, own) for o in self.graph.observed for _ in o.lanes]

    def _shows(self, candidate: Follower) -> Iterator[int]:
        """Yield the literals that an execution before shows, lane by lane, what the one after does, or undef."""
        for o, p in zip(self.graph.observed, self.after.graph.observed, strict=True):
            words = zip(shown(candidate, o), shown(self.after.candidate, p), strict=True)
            for mine, theirs, both in zip(o.lanes, p.lanes, words, strict=True):
                yield candidate.shows(mine, theirs, both)


def _of_context(observable: Observable, own: str) -> bool:
    """Whether what is compared is what an operation of the context reads, not to registers that begin so."""
    if not isinstance(observable, RegisterOf) or not observable.register.startswith(REGISTER):
        return False
    return not own or not observable.register.startswith(own)
