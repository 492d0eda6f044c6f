"""The search over symbolic programs against the checker on programs one by one; `make test-long` draws more."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from axmem.check.selection import loaded, parse_choice
from axmem.encoder.circuit import AND, FALSE, TRUE, Circuit
from axmem.encoder.limits import SAT
from axmem.encoder.solve import Deadline
from axmem.encoder.solver import Query, Session
from axmem.encoder.statics import Statics, sets
from axmem.events.graph import Event, EventKind
from axmem.events.unroll import event_graph
from axmem.litmus.words import AMDGPU, Ordering, Scope
from axmem.model.model import Model
from axmem.model.primitives import PRIMITIVES
from axmem.model.terms import Op, Term
from axmem.refinement.bounded.attributes import free_attributes, well_formed
from axmem.refinement.bounded.bound import ACCESSES, KINDS, Bound, operations
from axmem.refinement.bounded.decoding import chosen_program, literals_of_program
from axmem.refinement.bounded.judge import ModelPair, shown_finals
from axmem.refinement.bounded.operations import BoundedProgram
from axmem.refinement.bounded.placements import canonical, forms, placements
from axmem.refinement.bounded.programs import litmus_test
from axmem.refinement.bounded.skeleton import EventRole, Skeleton, ThreadSizes, shapes
from axmem.refinement.bounded.symmetry import without_renamings
from axmem.refinement.bounded.vocabulary import Compatibility, SymbolicProgram
from axmem.refinement.contexts.families import ShapeSearch
from tests.drawn import parts, some
from tests.refinement.bounded.enumeration import of_shape

EVERY = frozenset(KINDS)
RICH = Bound(
    4,
    threads=3,
    kinds=EVERY,
    scopes=frozenset({Scope.SINGLETHREAD, Scope.WORKGROUP, Scope.AGENT}),
    tags=(("f", "a"), ("f", "b"), ("g", "a"), ("amdgpu-synchronize-as", "local")),
    none=True,
    av=True,
    volatile=True,
    levels=(Scope.WORKGROUP, Scope.WAVEFRONT),
)


def _model(text: str) -> Model:
    return loaded(parse_choice(text))


def _some_program(bound: Bound, shape: ThreadSizes, chance: random.Random) -> BoundedProgram:
    every = [op for x in range(-1, bound.locations) for op in operations(bound, x)]
    threads = tuple(tuple(chance.choice(every) for _ in range(length)) for length in shape)
    places = chance.choice(list(placements(len(shape), bound)))
    return canonical(BoundedProgram(threads, places), bound.tags)


# ---------------------------------------------------------------- every program of a small space


def _enumerated(bound: Bound, first: Model, second: Model) -> set[BoundedProgram]:
    pair = ModelPair(first, second, Session())
    every = (p for shape in shapes(bound.events, bound.threads) for p in of_shape(bound, shape))
    return {p for p in every if pair.unmatched(p, shown_finals(bound, p))}


def _searched(bound: Bound, first: Model, second: Model) -> list[BoundedProgram]:
    session = Session()
    return [
        canonical(program, bound.tags)
        for shape in shapes(bound.events, bound.threads)
        for program in ShapeSearch(bound, shape, first, second, session, Deadline(None)).programs()
    ]


SMALL_SPACES = {
    "coherence": (
        Bound(3, 2, 1, ACCESSES, orderings=frozenset({Ordering.MONOTONIC})),
        "llvm[coh=langref]",
        "llvm",
    ),
    "coherence of registers": (
        Bound(4, 3, 1, orderings=frozenset({Ordering.MONOTONIC}), finals=False),
        "llvm[coh=langref]",
        "llvm",
    ),
    "order of reads": (
        Bound(2, 2, 1, orderings=frozenset({Ordering.NOT_ATOMIC, Ordering.RELEASE}), tags=(("f", "a"), ("f", "b"))),
        "amdgpu[lo.readpo=off]",
        "amdgpu",
    ),
    "scopes of initial writes": (
        Bound(
            2,
            2,
            1,
            ACCESSES,
            orderings=frozenset({Ordering.MONOTONIC}),
            scopes=frozenset({Scope.WORKGROUP, Scope.SYSTEM}),
            levels=(Scope.WORKGROUP,),
        ),
        "amdgpu-doc",
        "amdgpu",
    ),
    "store buffers": (Bound(4, 2, 2, orderings=frozenset({Ordering.NOT_ATOMIC})), "tests/models/tso.cat", "sc"),
}


@pytest.mark.parametrize("name", some([*SMALL_SPACES], of=4))
def test_the_search_finds_exactly_the_programs_that_differ(name: str) -> None:
    bound, first, second = SMALL_SPACES[name]
    found = _searched(bound, _model(first), _model(second))
    assert len(found) == len(set(found)), "a program came twice"
    assert set(found) == _enumerated(bound, _model(first), _model(second))
    assert found, "a space without differences shows nothing"


# ---------------------------------------------------------------- single programs of a rich space


@pytest.mark.parametrize(
    ("first", "second", "shape"),
    some([
        ("amdgpu-doc", "amdgpu", (2, 1)),
        ("amdgpu", "llvm", (2, 2)),
        ("llvm[mmra=endtoend]", "llvm[mmra=closure]", (2, 1)),
        ("llvm[sc=rc11,coh=langref,init.mo=unordered]", "llvm[sc=langref,mmra.sync=never]", (3, 1)),
        ("amdgpu[hb.acyclic=irreflexive,mmra.poloc=off]", "amdgpu[vis.instance=literal,lo.hb=no]", (2, 1)),
        ("llvm", "tests/models/tso.cat", (2, 1)),
    ], of=6),
)
def test_the_search_and_the_checker_agree_on_random_programs(first: str, second: str, shape: ThreadSizes) -> None:
    chance = random.Random(f"{first}{second}{shape}")
    session = Session()
    pair = ModelPair(_model(first), _model(second), session)
    bound = replace(RICH, events=sum(shape))
    plain = replace(bound, scopes=frozenset({Scope.AGENT}), tags=RICH.tags[:2], av=False, volatile=False, levels=())
    known = next(ShapeSearch(plain, shape, pair.permitting, pair.refusing, session, Deadline(60)).programs())
    search = ShapeSearch(bound, shape, pair.permitting, pair.refusing, session, Deadline(60))
    verdicts = []
    for k in parts(12, of=4):
        program = _changed(known, bound, chance) if k % 3 else _some_program(bound, shape, chance)
        verdicts.append(_tells_apart(search, program))
        assert verdicts[-1] == bool(pair.unmatched(program, shown_finals(bound, program))), program
    assert _tells_apart(search, known)
    assert False in verdicts


def _tells_apart(search: ShapeSearch, program: BoundedProgram) -> bool:
    """Tell whether one program, of the shape of the search, is among those that tell the models apart."""
    return any(FALSE not in form and search.solution(form) is not None for form in search.forms_of(program))


def _changed(program: BoundedProgram, bound: Bound, chance: random.Random) -> BoundedProgram:
    """Return a program with one operation exchanged for another."""
    every = [op for x in range(-1, program.locations) for op in operations(bound, x)]
    t = chance.randrange(len(program.threads))
    body = list(program.threads[t])
    body[chance.randrange(len(body))] = chance.choice(every)
    return canonical(
        replace(program, threads=(*program.threads[:t], tuple(body), *program.threads[t + 1 :])), bound.tags
    )


# ---------------------------------------------------------------- the vocabulary


class _Evaluated:
    """The truth of literals, given that of the variables that are no gates."""

    def __init__(self, circuit: Circuit, variables: dict[int, bool]) -> None:
        self.circuit = circuit
        self.known = {1: True, **variables}

    def __call__(self, literal: int) -> bool:
        variable = abs(literal)
        if variable not in self.known:
            kind, inputs = self.circuit.gates[variable]
            values = [self(x) for x in inputs]
            self.known[variable] = all(values) if kind is AND else any(values)
        return self.known[variable] is (literal > 0)


def _names() -> Iterator[Term]:
    for name, primitive in PRIMITIVES.items():
        if name not in ("rf", "co"):
            yield Term(Op.BASE, name=name, is_set=primitive.is_set)
    for tag in ("f:a", "g:a", "amdgcn-av:none", "nobody:knows"):
        yield Term(Op.TAGGED, name=tag, is_set=True)


def _some_form(symbolic: SymbolicProgram, query: Query, program: BoundedProgram) -> BoundedProgram:
    """Return the form of a program that is a solution: there must be one."""
    for form in forms(program, symbolic.skeleton.bound.tags):
        if tuple(map(len, form.threads)) == symbolic.skeleton.threads:
            literals = literals_of_program(symbolic, form)
            if FALSE not in literals and query.check([x for x in literals if x != TRUE]) == SAT:
                return form
    raise AssertionError(f"no form of this program is a solution: {program}")


def _matched(program: SymbolicProgram, events: tuple[Event, ...], truth: _Evaluated) -> dict[int, int]:
    """Return for each symbolic event that executes the event of the test."""
    slots = sorted({(e.thread, e.instruction) for e in events if e.thread >= 0})
    found = {}
    for e in program.skeleton.events:
        if not truth(program.executed[e.index]):
            continue
        if e.role in (EventRole.INITIAL, EventRole.FINAL):
            kind = EventKind.INIT if e.role is EventRole.INITIAL else EventKind.FINAL
            same = [x.index for x in events if x.kind is kind and x.cell == e.location]
        else:
            here = [x for x in events if x.thread >= 0 and (x.thread, x.instruction) == slots[e.slot]]
            second = e.role is EventRole.SECOND
            same = [x.index for x in here if len(here) == 1 or (x.kind is EventKind.WRITE) is second]
        if same:  # A location that the program does not use has no events in its test.
            (found[e.index],) = same
    return found


@pytest.mark.parametrize("shape", [(2, 1), (1, 1, 1), (3,)])
def test_the_vocabulary_of_a_symbolic_program_is_that_of_its_test(shape: ThreadSizes) -> None:
    chance = random.Random(str(shape))
    bound = replace(RICH, events=sum(shape))
    skeleton = Skeleton(bound, shape, circuit := Circuit())
    slots = free_attributes(skeleton, range(len(skeleton.slots)), first_use=True)
    _ = skeleton.together, skeleton.before
    for slot in slots:
        well_formed(skeleton, slot)
    without_renamings(skeleton, slots)
    last = circuit.variables
    symbolic = SymbolicProgram(skeleton, slots, Compatibility(skeleton))
    for term in _names():
        symbolic.set_of(term) if term.is_set else symbolic.pairs(term.name)
    query = Query(Session(), circuit.variables, circuit.all_clauses())
    for _ in range(15):
        program = _some_form(symbolic, query, _some_program(bound, shape, chance))
        truth = _Evaluated(circuit, query.solution(range(2, last + 1)))
        assert chosen_program(symbolic, truth) == program
        graph = event_graph(litmus_test(program, "t"))
        statics = Statics(graph)
        there = _matched(symbolic, graph.events, truth)
        assert set(there.values()) == set(range(len(graph.events)))
        for term in _names():
            value = statics.value(term)
            for a, x in there.items():
                if isinstance(value, int):
                    assert truth(symbolic.set_of(term)[a]) == bool(value >> x & 1), (term.name, program)
                    continue
                row = value[x] if value else 0
                for b, y in there.items():
                    here = truth(symbolic.pairs(term.name)[a][b])
                    assert here == bool(row >> y & 1), (term.name, a, b, program)


def test_every_set_is_known() -> None:
    assert {t.name for t in _names() if t.op is Op.BASE and t.is_set} == set(sets(AMDGPU))
