"""An execution of a program of a family, and what another program makes of it.

What goes in: a `SymbolicProgram`, a model. What comes out: a `SymbolicExecution`: literals of where each read reads
from, whether it is undef as the model says, and in which order writes to a location come. As every write has a value of
its own, what the reads return is the outcome; only the order of writes is left open by it. The execution of another
program of the skeleton follows it (`followed`): the same coherence, and the same sources except where the other model
makes a read undef.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from axmem.encoder.circuit import FALSE, TRUE
from axmem.front.records import dataclass, field
from axmem.model.model import Model
from axmem.refinement.bounded.literals import Choices, ModelLiterals, UnsupportedModel, check_supported
from axmem.refinement.bounded.skeleton import EventRole, Skeleton, SymbolicEvent
from axmem.refinement.bounded.vocabulary import SymbolicProgram

Before = Callable[[int, int], int]
"""The literal that one write stands before another."""


def _candidate(program: SymbolicProgram) -> tuple[dict[int, int], dict[int, dict[int, int]]]:
    """Return the literals of an open execution: that a read is undef, or returns the value of a write to its location.

    Each read has one of these, `undef[r]` or `sources[r][w]`.
    """
    skeleton, circuit = program.skeleton, program.circuit
    program.members("W")
    there = [r for r in skeleton.reads if r.slot < 0 or program.slots[r.slot].present != FALSE]
    undef = {r.index: circuit.variable() for r in there}
    sources = {r.index: _sources(program, r) for r in there}
    _ = skeleton.before
    for r in there:
        reads, found = is_read(program, r), sources[r.index]
        # A read returns the value of one write, or undef.
        circuit.add(-reads, undef[r.index], *found.values())
        circuit.at_most_one([undef[r.index], *found.values()])
        circuit.add(-undef[r.index], reads)
        for w, literal in found.items():
            _only_where_possible(program, literal, w, r)
    return undef, sources


def _only_where_possible(program: SymbolicProgram, literal: int, w: int, r: SymbolicEvent) -> None:
    """Assert that what a read reads from is a write, to its location."""
    write = program.skeleton.events[w]
    program.circuit.add(-literal, is_read(program, r))
    program.circuit.add(-literal, is_write(program, write))
    program.circuit.add(-literal, program.same_location(write, r))


def _sources(program: SymbolicProgram, r: SymbolicEvent) -> dict[int, int]:
    """Return a new literal for each write that a read may return the value of."""
    return {
        w.index: program.circuit.variable()
        for w in program.skeleton.writes
        if (w.slot != r.slot or w.slot < 0) and program.same_location(w, r) != FALSE and is_write(program, w) != FALSE
    }


def is_read(program: SymbolicProgram, e: SymbolicEvent) -> int:
    """Return the literal that an event reads, final reads included."""
    return TRUE if e.role is EventRole.FINAL else program.members("R")[e.index]


def is_write(program: SymbolicProgram, e: SymbolicEvent) -> int:
    """Return the literal that an event writes."""
    return program.members("W")[e.index]


def coherence(program: SymbolicProgram, before: Before) -> Before:
    """Return the literals of coherence: an order of all writes, on the writes to one location."""
    events, circuit = program.skeleton.events, program.circuit

    def co(a: int, b: int) -> int:
        one, other = events[a], events[b]
        if a == b or not one.may_write or not other.may_write or other.role is EventRole.INITIAL:
            return FALSE
        place = program.same_location(one, other)
        return circuit.conjunction((is_write(program, one), is_write(program, other), place, before(a, b)))

    return co


# ---------------------------------------------------------------- an execution that follows another


@dataclass(frozen=True, slots=True)
class Substitution:
    """What events that only the program before has do in the execution that follows.

    `reading` gives for a read the read whose source it takes, `forwarded` the write that it reads from; `writing` gives
    for a write the write that it stands directly before in coherence. `idle` are plain loads whose value nobody uses:
    each reads from the write that the model lets it see (`@sees`, docs/models.md).
    """

    reading: Mapping[int, int] = field(default_factory=dict)
    forwarded: Mapping[int, int] = field(default_factory=dict)
    writing: Mapping[int, int] = field(default_factory=dict)
    idle: frozenset[int] = frozenset()


NOTHING = Substitution()


@dataclass(frozen=True, slots=True)
class SymbolicExecution:
    """An execution as a model sees it: `sources[r][w]`: read r returns the value of write w; `undef[r]`: it
    returns undef; and the literals of the model.

    `lost` is the literal that one that follows another cannot follow it: a read has no value, or that of no write.
    """

    program: SymbolicProgram
    undef: Mapping[int, int]
    sources: Mapping[int, Mapping[int, int]]
    literals: ModelLiterals
    lost: int = FALSE


def execution(program: SymbolicProgram, model: Model) -> SymbolicExecution:
    """Return an open execution whose reads are undef as the model says. The axioms are not asserted."""
    check_supported(model, program.skeleton.bound)
    undef, sources = _candidate(program)

    def rf(w: int, r: int) -> int:
        return sources.get(r, {}).get(w, FALSE)

    co = coherence(program, program.skeleton.first)
    literals = ModelLiterals(model, program, Choices(rf, co))
    _undef_as_said(program, literals, undef)
    for r, literal in _not_last(program, model, sources, co):
        program.circuit.add(-literal)
        program.circuit.add(-undef[r])
    return SymbolicExecution(program, undef, sources, literals)


def _not_last(
    program: SymbolicProgram, model: Model, sources: Mapping[int, Mapping[int, int]], co: Before
) -> Iterator[tuple[int, int]]:
    """Yield the literals that final reads of which the model says nothing return what is not the last write."""
    events, circuit = program.skeleton.events, program.circuit
    for r in program.skeleton.reads if "Fin" not in model.base_names else ():
        if r.role is EventRole.FINAL:
            there = sources.get(r.index, {})
            later = {w: circuit.disjunction([co(w, x.index) for x in events if x.may_write]) for w in there}
            yield r.index, circuit.disjunction([circuit.both(x, later[w]) for w, x in there.items()])


def _undef_as_said(program: SymbolicProgram, literals: ModelLiterals, undef: Mapping[int, int]) -> None:
    """Assert that a read is undef just if the model says so."""
    circuit = program.circuit
    for r, literal in undef.items():
        named = circuit.both(is_read(program, program.skeleton.events[r]), literals.undef(r))
        circuit.add(-literal, named)
        circuit.add(literal, -named)


def followed(
    leader: SymbolicExecution, program: SymbolicProgram, model: Model, substitution: Substitution = NOTHING
) -> SymbolicExecution:
    """Return the execution of another program that follows one: every solution of its undef rules is one.

    A read takes the source that it has in the leader (or that of the read it stands for), unless it is undef.
    """
    check_supported(model, program.skeleton.bound)
    skeleton, circuit = program.skeleton, program.circuit
    undef: dict[int, int] = {}
    sources: dict[int, dict[int, int]] = {}
    for r in skeleton.reads:
        if is_read(program, r) == FALSE:
            continue
        undef[r.index] = circuit.variable()
        circuit.add(-undef[r.index], is_read(program, r))
        idle = r.index in substitution.idle
        taken = _sources(program, r) if idle else _taken(leader, r.index, substitution)
        if idle:
            for w, literal in taken.items():
                _only_where_possible(program, literal, w, r)
        sources[r.index] = {w: circuit.both(x, -undef[r.index]) for w, x in taken.items() if x != FALSE}
    rf = {(w, r): x for r, found in sources.items() for w, x in found.items()}
    before = _order(skeleton, substitution)
    choices = Choices(lambda w, r: rf.get((w, r), FALSE), coherence(program, before))
    literals = ModelLiterals(model, program, choices)
    _undef_as_said(program, literals, undef)
    lost = [_seen(program, literals, r, sources[r], undef[r]) for r in substitution.idle if r in undef]
    lost += [circuit.both(x, -program.pairs("loc")[w][r]) for (w, r), x in rf.items()]
    for final, literal in _not_last(program, model, sources, choices.co):
        lost += [literal, leader.undef.get(final, FALSE)]
    return SymbolicExecution(program, undef, sources, literals, circuit.disjunction(lost))


def _seen(program: SymbolicProgram, literals: ModelLiterals, r: int, sources: Mapping[int, int], undef: int) -> int:
    """Let an idle load read from one write that the model lets it see; return the literal that there is none.

    A plain load that is not undef may see one write alone, so nothing is chosen.
    """
    term = next((d.term for d in reversed(literals.model.definitions) if d.remark("sees") is not None), None)
    if term is None:
        raise UnsupportedModel("the rule needs to know which writes a read may see: no definition has `@sees`")
    circuit = program.circuit
    seen = [literals.pair(term, w, r) for w in sources]
    for literal, may in zip(sources.values(), seen, strict=True):
        circuit.add(-literal, may)
    there = circuit.both(is_read(program, program.skeleton.events[r]), -undef)
    circuit.add(-there, -circuit.disjunction(seen), *sources.values())
    circuit.at_most_one([undef, *sources.values()])
    return circuit.both(there, -circuit.disjunction(seen))


def _taken(leader: SymbolicExecution, r: int, substitution: Substitution) -> Mapping[int, int]:
    """Return what a read of the follower reads from, if it is not undef."""
    if r in substitution.forwarded:
        return {substitution.forwarded[r]: TRUE}
    return leader.sources.get(substitution.reading.get(r, r), {})


def _order(skeleton: Skeleton, substitution: Substitution) -> Before:
    def order(a: int, b: int) -> int:
        if a == b:
            return FALSE
        left, right = substitution.writing.get(a, a), substitution.writing.get(b, b)
        if left == right:
            return TRUE if left != a else FALSE
        return skeleton.first(left, right)

    return order
