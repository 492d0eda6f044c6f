"""A candidate execution of a program of a family, and what another program makes of it.

What goes in: a `Program`. What comes out: an `Execution`: literals for where each read reads from and whether it is
undef. `followed` gives the execution of another program of the skeleton that follows it: the same coherence, and the
same sources except where the other model makes a read undef.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from axmem.encoder.circuit import FALSE, TRUE
from axmem.families.copy import Copy, UnsupportedModel
from axmem.families.program import Program
from axmem.families.skeleton import Skeleton
from axmem.model.terms import Model


@dataclass(frozen=True, slots=True)
class Execution:
    """Literals of an execution: `rf` of pairs (write, read), `undef` of reads, and the model's copy over it.

    `lost` is the literal that one that follows another cannot follow it: a read has no value, or that of no write.
    """

    program: Program
    rf: Mapping[tuple[int, int], int]
    undef: Mapping[int, int]
    copy: Copy
    lost: int = FALSE


def execution(program: Program, model: Model) -> Execution:
    """Return an open execution: every read has one source, a write to its location, or is undef as the model says.

    The axioms are not asserted.
    """
    skeleton, circuit = program.skeleton, program.circuit
    rf = {}
    undef = {}
    for r in skeleton.events:
        read = reads(program, r.index, model)
        if read == FALSE:
            continue
        sources = []
        for w in skeleton.events:
            literal = source(program, w.index, r.index, read)
            if literal != FALSE:
                rf[w.index, r.index] = literal
                sources.append(literal)
        undef[r.index] = circuit.variable()
        circuit.add(-undef[r.index], read)
        circuit.add(-read, undef[r.index], *sources)
        circuit.at_most_one([undef[r.index], *sources])
    copy = Copy(model, program, rf, coherence(program))
    for r_index, literal in undef.items():
        equate(program, literal, circuit.both(reads(program, r_index, model), copy.undef(r_index)))
    return Execution(program, rf, undef, copy)


def reads(program: Program, r: int, model: Model) -> int:
    """Return the literal that an event is a read of the program; final reads are those of models that name them."""
    event = program.skeleton.events[r]
    if event.part == "final":
        return TRUE if "Fin" in model.base_names else FALSE
    return program.members("R")[r] if event.part == "read" else FALSE


def source(program: Program, w: int, r: int, read: int) -> int:
    """Return a new literal that a read takes its value from a write, which implies that it may."""
    skeleton, circuit = program.skeleton, program.circuit
    a, b = skeleton.events[w], skeleton.events[r]
    if a.part not in ("write", "initial") or (a.slot == b.slot and a.slot >= 0):
        return FALSE
    possible = circuit.conjunction((program.exists(a), program.pairs("loc")[w][r], read))
    if possible == FALSE:
        return FALSE
    literal = circuit.variable()
    circuit.add(-literal, possible)
    return literal


def coherence(program: Program, before: Callable[[int, int], int] | None = None) -> Callable[[int, int], int]:
    """Return the literals of coherence: the skeleton's total order, on the writes to one location.

    `before` may give another order of two writes.
    """
    skeleton, circuit = program.skeleton, program.circuit

    def order(a: int, b: int) -> int:
        return skeleton.order(skeleton.events[a], skeleton.events[b])

    chosen = before or order
    return lambda a, b: circuit.both(program.pairs("loc")[a][b], chosen(a, b))


def equate(program: Program, a: int, b: int) -> None:
    """Assert that two literals are equivalent."""
    program.circuit.add(-a, b)
    program.circuit.add(a, -b)


@dataclass(frozen=True, slots=True)
class Mimicry:
    """What events that only the program before has do in the execution that follows.

    `reading` gives for a read the read whose source it takes, or a write that it reads from; `writing` gives for a
    write the write that it stands directly before in coherence. `idle` are plain loads whose value nobody uses: each
    reads from the write that the model's `may-see` leaves it.
    """

    reading: Mapping[int, int]
    writing: Mapping[int, int]
    idle: frozenset[int] = frozenset()


NOTHING = Mimicry({}, {})


def followed(leader: Execution, program: Program, model: Model, mimicry: Mimicry = NOTHING) -> Execution:
    """Return the execution of another program that follows one: every solution of its undef rules is one.

    A read takes the source that it has in the leader (or that of the read it mimics), unless it is undef.
    """
    skeleton, circuit = program.skeleton, program.circuit
    undef = {}
    rf = {}
    for r in range(skeleton.size):
        read = reads(program, r, model)
        if read == FALSE:
            continue
        undef[r] = circuit.variable()
        circuit.add(-undef[r], read)
        for w in range(skeleton.size):
            idle = r in mimicry.idle
            literal = source(program, w, r, read) if idle else _source(leader, skeleton, w, r, mimicry)
            if literal != FALSE:
                rf[w, r] = circuit.both(literal, -undef[r])
    copy = Copy(model, program, rf, coherence(program, _order(skeleton, mimicry)))
    for r, literal in undef.items():
        equate(program, literal, circuit.both(reads(program, r, model), copy.undef(r)))
    lost = [_see(program, copy, r, rf, undef.get(r, FALSE)) for r in mimicry.idle]
    lost += [circuit.both(x, -program.pairs("loc")[w][r]) for (w, r), x in rf.items()]
    return Execution(program, rf, undef, copy, circuit.disjunction(lost))


def _see(program: Program, copy: Copy, r: int, rf: Mapping[tuple[int, int], int], undef: int) -> int:
    """Let an idle load read from one write that the model lets it see; return the literal that there is none.

    A plain load that is not undef may see one write alone, so nothing is chosen.
    """
    term = next((d.term for d in reversed(copy.model.definitions) if d.name == "may-see"), None)
    if term is None:
        raise UnsupportedModel("the rule needs to know what the model calls 'may-see'")
    circuit = program.circuit
    sources = {w: x for (w, read), x in rf.items() if read == r}
    seen = [copy.literals.pair(term, w, r) for w in sources]
    for literal, may in zip(sources.values(), seen, strict=True):
        circuit.add(-literal, may)
    there = circuit.both(reads(program, r, copy.model), -undef)
    circuit.add(-there, -circuit.disjunction(seen), *sources.values())
    circuit.at_most_one([undef, *sources.values()])
    return circuit.both(there, -circuit.disjunction(seen))


def _source(leader: Execution, skeleton: Skeleton, w: int, r: int, mimicry: Mimicry) -> int:
    model = mimicry.reading.get(r, r)
    if skeleton.events[model].part == "write":
        return TRUE if model == w else FALSE
    return leader.rf.get((w, model), FALSE)


def _order(skeleton: Skeleton, mimicry: Mimicry) -> Callable[[int, int], int]:
    def order(a: int, b: int) -> int:
        if a == b:
            return FALSE
        left, right = mimicry.writing.get(a, a), mimicry.writing.get(b, b)
        if left == right:
            return TRUE if left != a else FALSE
        return skeleton.order(skeleton.events[left], skeleton.events[right])

    return order
