"""Changes in every context: what observers refute is refuted, what enumeration finds is found, and nothing else.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from random import Random

import pytest

from axmem.check.selection import parse_choice
from axmem.encoder.circuit import TRUE, Circuit
from axmem.encoder.solve import solve
from axmem.encoder.solver import Session
from axmem.encoder.words import Word
from axmem.events.unroll import event_graph
from axmem.events.values import ABSENT, UNDEF
from axmem.front.records import replace
from axmem.front.typing import override
from axmem.litmus import syntax as ast
from axmem.litmus.parser import parse
from axmem.litmus.syntax import ModelChoice
from axmem.litmus.words import PLACED, OperationKind, Ordering, Scope
from axmem.refinement.bounded.attributes import FENCE_TAGS, OperationAttributes
from axmem.refinement.bounded.bound import Bound, operations
from axmem.refinement.bounded.operations import BoundedOperation
from axmem.refinement.bounded.programs import statement
from axmem.refinement.bounded.query import CircuitQuery
from axmem.refinement.bounded_check import HOLDS, REFUTED, UNKNOWN, Finding
from axmem.refinement.changed import Change, graphs
from axmem.refinement.contexts.annotations import annotations_of
from axmem.refinement.contexts.context import Context
from axmem.refinement.contexts.decoding import scoped
from axmem.refinement.contexts.game import Found, Game, Open
from axmem.refinement.contexts.half import Half
from axmem.refinement.contexts.kept import Kept
from axmem.refinement.contexts.numbers import read_off
from axmem.refinement.contexts.placeholders import APART, Shape, beside, placeholders
from axmem.refinement.contexts.shapes import anywhere, shapes
from axmem.refinement.contexts.slots import Setting
from axmem.refinement.contexts.standing import AFTER, BEFORE, BESIDE
from axmem.refinement.everywhere import scene, sound_everywhere
from axmem.refinement.pairs import refine
from axmem.refinement.rules import CORE
from tests.drawn import parts, some
from tests.refinement.enumerated import SMALL, refuting
from tests.transform.verdicts import VERDICTS, Verdict, alone

LLVM, AMDGPU = ModelChoice("llvm"), ModelChoice("amdgpu")

OTHER_OBSERVERS = {
    # A fence that goes up over the flag of an iteration before it takes that flag out of what it releases: who reads
    # the second flag need not see the first. The observers of the verdict do not look at both.
    "distribute: data and fence, then flag",
    "distribute: data, then flag, one fence after all data",
}


def asked(change: Change, model: ModelChoice, events: int, space: Bound | None = None) -> Finding:
    """Return what is found of a change in the contexts of a space (or of all of which the model speaks)."""
    here = scene(change, model)
    return sound_everywhere(here if space is None else replace(here, space=space), events)


def of(case: Verdict) -> Change:
    """Return what a case does to its one thread, with nobody beside it."""
    return Change(parse(alone(case, "before"), "before"), parse(alone(case, "after"), "after"))


@pytest.mark.parametrize("case", some(VERDICTS, of=13), ids=lambda v: v.name)
def test_what_an_observer_refutes_is_refuted_in_some_context(case: Verdict) -> None:
    """Every observer of the verdicts has a context of two operations that does as well."""
    # Who lets the thread go on is an operation more.
    found = asked(of(case), LLVM, 3 if "assume" in case.before else 2, CORE)
    assert found.status == (HOLDS if case.sound and case.name not in OTHER_OBSERVERS else REFUTED), found.reasons
    if found.counterexample is not None:
        shown = found.counterexample
        assert refine(shown.before, shown.after, LLVM, explained=False).verdict == "unsound"


@pytest.mark.parametrize("case", some([v for v in VERDICTS if "assume" not in v.before], of=8), ids=lambda v: v.name)
def test_one_context_after_the_other_says_the_same(case: Verdict) -> None:
    """Of one operation; both ways find a context, or none."""
    found = asked(of(case), AMDGPU, 1, SMALL)
    assert refuting(of(case), AMDGPU, 1, SMALL) == (None if found.status == HOLDS else found.events)


DEPENDING = """litmus before
global x = 0
thread F {
  r0 = cmpxchg x, 0, 1 seq_cst seq_cst
  store atomic r0[0], x release
  r1 = r0[0] == 0
  if r1 {
    r2 = atomicrmw or x, 0 acquire
  }
  r3 = r0[0]
}
"""


def test_who_reads_what_may_depend_on_itself_is_answered() -> None:
    """Some source of the update depends on it, as nothing before execution forbids: its value still has one answer."""
    after = DEPENDING.replace("r1 = r0[0] == 0", "r1 = r0[1]")
    change = Change(parse(DEPENDING, "before"), parse(after, "after"))
    assert [asked(change, model, 0).status for model in (LLVM, AMDGPU)] == [HOLDS, HOLDS]
    wrong = DEPENDING.replace("or x, 0", "or x, 2")
    assert asked(Change(parse(DEPENDING, "before"), parse(wrong, "after")), LLVM, 0).status == REFUTED


def pair(before: str, after: str, head: str = "global x = 0, y = 0") -> Change:
    """Return a change of one thread, its statements separated by semicolons."""
    texts = (f"litmus t\n{head}\nthread P {{\n{body}\n}}\n".replace("; ", "\n") for body in (before, after))
    before_test, after_test = (parse(text, name) for text, name in zip(texts, ("before", "after"), strict=True))
    return Change(before_test, after_test)


REORDERED = pair(
    "a = load atomic x acquire; b = load atomic y monotonic", "b = load atomic y monotonic; a = load atomic x acquire"
)


def test_two_operations_after_the_other_say_the_same() -> None:
    found = asked(REORDERED, LLVM, 2, SMALL)
    assert (found.status, found.events, refuting(REORDERED, LLVM, 2, SMALL)) == (REFUTED, 2, 2)


EXCHANGE = "r, ok = cmpxchg x, 0, 1 acq_rel acquire"


@pytest.mark.parametrize(
    ("before", "after", "least"),
    some([
        # Stores: a value that is stored twice, two values, one split in two, one that depends on what is read.
        ("store 1, x; store 1, x", "store 1, x", None),
        ("store 1, x; store 2, x", "store 2, x", None),
        ("store 1, x; store 2, x", "store 2, x; store 1, x", 0),
        ("r = load x; store r, y", "r = load x; store r, y; store r, y", None),
        ("r = load atomic x monotonic; store r, y", "r = load atomic x monotonic; store 0, y", 1),
        # Registers: what holds the same has another name, or another load.
        ("a = load x; b = a", "b = load x; a = b", None),
        ("a = load atomic x monotonic; b = load atomic x monotonic", "a = load atomic x monotonic; b = a", None),
        ("a = load atomic x monotonic; b = a", "a = load atomic x monotonic; b = load atomic x monotonic", 1),
        # What a read-modify-write is besides a load.
        ("a = atomicrmw or x, 0 acq_rel", "a = load atomic x acquire", 2),
        ("a = atomicrmw add x, 1 monotonic; b = a", "b = atomicrmw add x, 1 monotonic; a = b", None),
        # Around the program: what stands before a fence, or after it, tells whether it is there.
        ("a = load atomic x monotonic; fence acquire", "a = load atomic x monotonic", 2),
        ("fence release; store atomic 1, x monotonic", "store atomic 1, x monotonic", 2),
        # Who releases or acquires orders memory that the program does not access.
        ("store atomic 1, x release", "store atomic 1, x monotonic", 2),
        ("a = load atomic x acquire", "a = load atomic x monotonic", 2),
        # Branches, and what is read there.
        (f"{EXCHANGE}; store 1, y", f"{EXCHANGE}; store 2, y", 0),
        (f"{EXCHANGE}; store 1, y", f"store 1, y; {EXCHANGE}", 2),
        ("a = load atomic x monotonic; if a == 1 {; store 1, y; }", "a = load atomic x monotonic; store 1, y", 0),
        (
            "a = load atomic x monotonic; if a == 1 {; store 1, y; } else {; store 1, y; }",
            "a = load atomic x monotonic; store 1, y",
            None,
        ),
        # A plain load is speculated: nothing is undefined by a race.
        (
            "a = load atomic x monotonic; b = 0; if a == 1 {; b = load y; }",
            "a = load atomic x monotonic; c = load y; b = a == 1 ? c : 0",
            None,
        ),
    ], of=3),
)  # fmt: skip
def test_known_answers(before: str, after: str, least: int | None) -> None:
    found = asked(pair(before, after), LLVM, 2)
    assert found.status == (HOLDS if least is None else REFUTED), found.reasons
    assert least in (None, found.events)


def test_contexts_have_a_location_of_their_own_where_a_program_synchronizes() -> None:
    """A fence orders what its thread does after a store that follows it; a release does not."""
    change = pair("store 1, x; fence release; store atomic 1, y monotonic", "store 1, x; store atomic 1, y release")
    here = scene(change, LLVM)
    assert here.more == "other" and [place.location for place in here.memory.places] == ["x", "y", "other"]
    space = replace(SMALL, orderings=(Ordering.NOT_ATOMIC, *SMALL.orderings))
    # Who may not access y has to use it.
    memory = replace(here.memory, places=(here.memory.places[0], here.memory.places[2]))
    found = sound_everywhere(replace(here, space=space, memory=memory), 3, known=2)
    assert found.counterexample is not None and "load atomic other acquire" in found.counterexample.after
    alone = scene(pair("store 1, x", "store 1, x", "global x = 0"), LLVM)
    assert not alone.more and [place.location for place in alone.memory.places] == ["x"]


BLOCKS = """litmus t
global x = 0, y = 0
thread P @ agent 0, workgroup 0 {{
entry:
  {}
  br label %end
end:
  {}
  ret void
}}
"""


def test_who_asks_about_larger_contexts_asks_only_about_those(monkeypatch: pytest.MonkeyPatch) -> None:
    """Operations may be nothing where smaller contexts are not known, or where a thread may do no more than meet."""
    full: list[tuple[int, bool]] = []

    class Noting(Game):
        @override
        def play(self, seconds: float | None = None) -> Found | Open | None:
            full.append((self.setting.shape.size, self.setting.shape.full))
            return Open("nothing is known") if self.setting.shape.size == 1 else super().play(seconds)

    monkeypatch.setattr("axmem.refinement.everywhere.Game", Noting)
    change = pair("r0 = load x; r1 = load y", "r1 = load y; r0 = load x")
    assert sound_everywhere(scene(change, LLVM), 2).status == UNKNOWN
    assert full == [(0, True), (1, True), (2, False)]
    full.clear()
    sound_everywhere(replace(scene(pair(MET, f"store 3, x; {MET}"), LLVM), space=CORE, threads=()), 0)
    assert full == [(0, False)]


def test_a_lost_update_is_answered_in_few_rounds() -> None:
    """One that adds nothing stands behind what it reads, mostly the last: strategies do not name other writes."""
    here = scene(pair("r0 = atomicrmw or y, 0 monotonic; r1 = load x", "r1 = load x"), LLVM)
    shape = Shape({"P": 0}, {"P": 0}, (2,), full=True)
    both = graphs(here.change.within(placeholders(shape, here.memory)), here.meaning)
    game = Game(both, shape, here.memory, here.space, (here.meaning, here.meaning))
    assert game.play() is None
    assert game.rounds <= 6


@pytest.mark.parametrize("model", some(["sc", "tso", "rc11"], of=3))
def test_contexts_of_models_without_levels_have_threads_of_several_operations(model: str) -> None:
    """And operations in the thread of a program: one model of these lets a load go over a store, none the reverse."""
    first, second = "store atomic 1, x monotonic", "r = load atomic y monotonic"
    orders = f"{second}; {first}", f"{first}; {second}"
    assert asked(pair(*orders), ModelChoice(model), 2).status == REFUTED
    assert asked(pair(*reversed(orders)), ModelChoice(model), 2).status == (REFUTED if model == "sc" else HOLDS)
    # One operation stands behind the program.
    own = pair("store atomic 1, x monotonic; fence seq_cst", "store atomic 1, x monotonic")
    assert asked(own, ModelChoice(model), 3).status == (HOLDS if model == "sc" else REFUTED)


def test_threads_are_known_by_their_names() -> None:
    """A thread with blocks stands behind the threads of a context, one without before them."""
    first, flag = "store 1, x", 'store atomic 1, y syncscope("agent") release'
    straight = parse(f"litmus t\nglobal x = 0, y = 0\nthread P @ agent 0, workgroup 0 {{\n{first}\n{flag}\n}}\n", "t")
    orders = (first, flag), (flag, first)
    same, swapped = (Change(straight, parse(BLOCKS.format(*order), "t")) for order in orders)
    assert asked(same, AMDGPU, 2, CORE).status == HOLDS
    found = asked(swapped, AMDGPU, 2, CORE)
    assert (found.status, found.events) == (REFUTED, 2)


def test_nothing_stands_behind_an_end_that_is_not_reached() -> None:
    """What would follow a loop without an end has no events; that it has no end is seen, unless that is no matter."""
    straight = parse("litmus t\nglobal x = 0\nthread P {\nstore atomic 1, x release\n}\n", "t")
    loop = "entry:\nstore atomic 1, x release\nbr h\nh:\nbr h\nend:\nret void"
    endless = parse(f"litmus t\nglobal x = 0\nthread P {{\n{loop}\n}}\n", "t")
    assert asked(Change(straight, endless, ends=True), LLVM, 1, CORE).status != REFUTED
    assert asked(Change(straight, endless), LLVM, 1, CORE).status == REFUTED
    for ends in (False, True):
        assert asked(Change(endless, straight, ends=ends), LLVM, 1, CORE).status != HOLDS


def test_names_of_a_program_are_no_names_of_its_context() -> None:
    """A thread C0, registers c0 and c1 and tags of `context` are the program's own; LLVM's is `%context0.0`."""
    load = "{} = load atomic x monotonic # context:t"
    first, second, more = (load.format(name) for name in ("c0", "c1", "%context0.0"))
    text = f"litmus t\nglobal x = 0, y = 0\nthread C0 {{\n{first}\n{second}\n{more}\nstore c0, y\n}}\n"
    before, after = parse(text, "before"), parse(text.replace("store c0", "store c1"), "after")
    found = asked(Change(before, after), LLVM, 1, CORE)
    assert found.status == REFUTED and found.counterexample is not None
    shown = found.counterexample
    assert {"C0", "CC0"} == {thread.name for thread in parse(shown.before, "before").threads}
    assert refine(shown.before, shown.after, LLVM, explained=False).verdict == "unsound"
    same = Change(before, parse(text.replace("load atomic x monotonic", "load atomic x acquire"), "after"))
    assert asked(same, LLVM, 1, CORE).status == HOLDS


def test_a_store_in_halves_is_seen_in_halves() -> None:
    head = "global i64 x = 0"
    halves = "store atomic i32 1, x monotonic; store i32 1, x[1]"
    change = pair("store atomic i64 4294967297, x monotonic", halves, head)
    assert asked(change, LLVM, 1).status == REFUTED


PROMOTED = """litmus p
global s = 0, f = 0
kernel K() {{
v = load s
w = v + 1
{}
}}
exists (true)
"""
STORED, FLAG = "store w, s", 'store atomic 1, f syncscope("{}") release'


@pytest.mark.parametrize("scope", some(["wavefront", "workgroup", "cluster", "agent"], of=2))
def test_further_threads_are_with_the_kernel_at_the_levels_of_its_scopes(scope: str) -> None:
    """Who acquires a flag that is released at some scope is in that instance, and no further inside than need be."""
    flag = FLAG.format(scope)
    before, after = (PROMOTED.format("\n".join(row)) for row in ((STORED, flag), (flag, STORED)))
    both = Change(parse(before, "before"), parse(after, "after"))
    found = asked(both, LLVM, 2)
    assert (found.status, found.events) == (REFUTED, 2) and found.counterexample is not None
    (placed,) = (t.placement for t in parse(found.counterexample.before, "shown").threads)
    (kernel,) = event_graph(both.before).placements
    assert placed.meeting(kernel).word == scope


GROUP = 'syncscope("workgroup")'
BARRIER = """litmus b
global i32 D = 0
global i32 E = 0
thread P @ workgroup 0, wavefront 0 {{ {first}; {fences}; barrier b; {then} }}
thread Q @ workgroup 0, wavefront 1 {{ barrier b; fence syncscope("workgroup") acquire; r = load D }}
exists (true)
"""


def at_barrier(first: str, then: str = "", fences: str = 'fence syncscope("workgroup") release') -> ast.LitmusTest:
    text = BARRIER.format(first=first, then=then, fences=fences)
    return parse(text.replace(";", "\n").replace("{ ", "{\n"), "test")


@pytest.mark.parametrize("model", [LLVM, AMDGPU], ids=["llvm", "amdgpu"])
def test_threads_meet_at_barriers(model: ModelChoice) -> None:
    """Who waits at a barrier behind a release fence has the store before it, by the documents' rule of barriers; a
    store behind the barrier races with the load. Two plain stores before the fence are one to everybody else."""
    before = at_barrier("store 1, D; store 2, E")
    # A race with the load needs nobody else.
    assert asked(Change(before, at_barrier("store 2, E", "store 1, D")), model, 0).status == REFUTED
    assert asked(Change(before, at_barrier("store 2, E; store 1, D")), model, 1).status == HOLDS


MET = f"store 1, x; fence {GROUP} release; barrier; fence {GROUP} acquire; a = load y"


@pytest.mark.parametrize("model", [LLVM, AMDGPU], ids=["llvm", "amdgpu"])
@pytest.mark.parametrize(
    ("after", "sound"),
    [
        (f"fence {GROUP} release; barrier; fence {GROUP} acquire; store 1, x; a = load y", False),
        (f"store 1, x; fence {GROUP} release; barrier; a = load y", False),
        (f"store 1, x; barrier; fence {GROUP} release; fence {GROUP} acquire; a = load y", False),
        (f"store 3, x; {MET}", True),
    ],
)
def test_further_threads_meet_a_program_at_its_barrier(after: str, sound: bool, model: ModelChoice) -> None:
    """They come to it as often, between any of their operations; barriers do not count."""
    here = scene(pair(MET, after), model)
    assert here.meeting is not None and here.meeting.times == 1 and not here.unmet
    found = sound_everywhere(replace(here, space=CORE, threads=()), 2)
    assert (found.status, found.events) == (HOLDS if sound else REFUTED, 2), found.reasons
    if found.counterexample is not None:
        assert found.counterexample.after.count("\n  barrier\n") == 2


def test_nobody_meets_a_program_that_comes_to_another_number_of_barriers() -> None:
    for after in (f"{MET}; barrier", MET.replace("barrier; ", "")):
        assert scene(pair(MET, after), LLVM).unmet
    both = at_barrier("store 1, D")
    assert not scene(Change(both, both), LLVM).unmet
    apart = parse(both.source.text.replace("@ workgroup 0, wavefront 1", "@ workgroup 1"), "apart")
    assert scene(Change(apart, apart), LLVM).unmet


def test_a_barrier_whose_fence_goes_orders_nothing() -> None:
    before, after = at_barrier("store 1, D"), at_barrier("store 1, D", fences="")
    assert asked(Change(before, after), LLVM, 0).status == REFUTED
    assert asked(Change(after, before), LLVM, 0).status == HOLDS


# ---------------------------------------------------------------- openings


PROGRAMS = (
    "a = load atomic x acquire; store atomic 1, y release",
    f"store 1, x; {EXCHANGE}; b = load y",
    "a = load atomic x monotonic; if a == 1 {; store 1, y; }; fence seq_cst",
    f"store 1, x; fence {GROUP} release; barrier; fence {GROUP} acquire; barrier; a = load y",
)


SPACES = """litmus t
global x = 0
lds l = 0
thread P @ workgroup 0 {
  store 1, l
  store atomic 1, x syncscope("workgroup-one-as") release
  fence syncscope("workgroup") acquire
  r = load l
}
"""
TWO = """litmus t
global x = 0, y = 0
thread P @ workgroup 0, wavefront 0 {
  store 1, x
  store atomic 1, y syncscope("workgroup") release
}
thread Q @ workgroup 0, wavefront 1 {
  r = load atomic y syncscope("workgroup") acquire
}
"""
BLOCKED = """litmus t
global x = 0, y = 0
thread P {
  a = load atomic x monotonic
  br a == 0, then, more
then:
  store 1, y
  ret void
more:
  while a == 1 {
    a = load atomic y acquire
  }
  ret void
}
"""


def same_both(program: str) -> Change:
    """Return a program, of statements in a row or whole, as a change to itself."""
    if program.startswith("litmus"):
        return Change(parse(program, "before"), parse(program, "after"))
    return pair(program, program)


@pytest.mark.parametrize("model", [LLVM, AMDGPU], ids=["llvm", "amdgpu"])
@pytest.mark.parametrize(
    ("program", "stand"),
    some(
        [
            *((program, "in a shape") for program in (*PROGRAMS, BLOCKED, SPACES)),
            *((program, "anywhere") for program in (*PROGRAMS[:3], SPACES, TWO)),
            *((program, "open orderings") for program in PROGRAMS),
        ],
        of=7,
    ),
)
def test_a_context_that_is_fixed_has_the_outcomes_of_the_test_that_it_makes(
    program: str, stand: str, model: ModelChoice
) -> None:
    """Fixing what is open gives what the engine for single tests says of the same context."""
    random = Random(f"{program} {model}")
    here = scene(same_both(program), model)
    for _ in parts(3):
        shape = random.choice([Shape({"P": 0}, {"P": 0}, (2,), here.meeting), Shape({"P": 1}, {"P": 1}, ())])
        shape = anywhere(2, here.threads) if stand == "anywhere" else shape
        both = graphs(here.change.within(placeholders(shape, here.memory)), here.meaning)
        _, made, marks = annotations_of(graphs(here.change, here.meaning), here.meaning)
        annotations = made if stand == "open orderings" else None
        setting = Setting(shape, here.memory, here.space, both, Circuit(), annotations)
        half = Half(both[0], setting, here.meaning)
        fixed, context = drawn(random, setting)
        fixed += setting.marked(marks) if annotations else []
        closed = graphs(here.change.within(context), here.meaning)[0]
        rows = solve(closed, here.meaning).rows
        keep = [k for k, o in enumerate(closed.observed) if ":c" not in o.name]
        wanted = {tuple(row[k] for k in keep) for row in rows}
        assert outcomes(half, [closed.observed[k].name for k in keep], fixed) == wanted


def operation(random: Random, setting: Setting) -> tuple[BoundedOperation, int]:
    """Return a random operation, and the place that it accesses if it does."""
    place = random.randrange(len(setting.memory.places))
    alphabet = operations(replace(setting.space, tags=(), any_tags=False, none=False, one_as=False), place)
    local = setting.memory.places[place].space is ast.AddressSpace.LDS
    return random.choice([each for each in alphabet if not (each.av and local)]), place


def truth_of(a: OperationAttributes, op: BoundedOperation) -> list[bool]:
    """Return which kind and ordering an operation has."""
    return [*(op.kind is kind for kind in a.kinds), *(op.ordering is ordering for ordering in a.orderings)]


def drawn(random: Random, setting: Setting) -> tuple[list[int], Context]:
    """Return a random context: the literals that say which it is, and itself."""
    fixed: list[int] = []
    statements: dict[int, ast.Statement] = {}
    chosen = [operation(random, setting) for _ in setting.slots]
    if setting.standing is not None:
        # Threads of one operation are met in one order.
        chosen.sort(key=lambda at: truth_of(setting.slots[0], at[0]), reverse=True)
    for (number, k), (op, place) in zip(setting.number.items(), chosen, strict=True):
        a = setting.slots[k]
        fixed += [setting.present[k], a.kinds[op.kind], a.locations[place]]
        fixed += [a.orderings[op.ordering], a.scopes[op.scope]]
        fixed += [x if on else -x for x, on in ((a.av, op.av), (a.volatile, op.volatile))]
        one_as = setting.space.one_as and op.ordering is not Ordering.NOT_ATOMIC and random.random() < 0.5
        if one_as and op.kind is OperationKind.FENCE and setting.space.lds:
            op = replace(op, tags=frozenset({random.choice(FENCE_TAGS)}))
        fixed += [x if tag in op.tags else -x for tag, x in a.tags.items()]
        fixed += [-a.tagging] if a.tagging else []
        fixed += written(setting.numbers.written[k], setting.memory.fresh + number)
        fixed += [setting.one_as[k] if one_as else -setting.one_as[k]]
        at = setting.memory.places[place]
        value = ast.Number(setting.memory.fresh + number, at.type)
        statements[number] = scoped(statement(op, f"c{number}", value, at.address, at.type), one_as=one_as)
    if setting.standing is not None:
        places, context = stood(random, setting, statements)
        return [x for x in (*fixed, *places) if x != TRUE], context
    shared = any(place.space is ast.AddressSpace.LDS for place in setting.memory.places)
    level = random.choice([each for each in PLACED if each <= Scope.WORKGROUP or not shared])
    for lower in PLACED:
        together = PLACED.index(lower) <= PLACED.index(level)
        fixed += [x if together else -x for x in setting.skeleton.together[lower].values()]
    depth = PLACED.index(level) + 1
    order = iter(sorted(statements))
    first = {n: tuple(statements[next(order)] for _ in range(c)) for n, c in setting.shape.first.items()}
    last = {n: tuple(statements[next(order)] for _ in range(c)) for n, c in setting.shape.last.items()}
    threads = []
    for j, count in enumerate(setting.shape.beside):
        numbers = [0 if d < depth else 100 + j for d in range(len(PLACED))]
        body = [statements[next(order)] for _ in range(count)]
        meets = bool(setting.gaps[j]) and level <= Scope.WORKGROUP
        fixed += [setting.meets[j] if meets else -setting.meets[j]] if setting.gaps[j] else []
        stand = sorted(random.randint(0, count) for _ in setting.gaps[j]) if meets else []
        fixed += [gap[at] for gap, at in zip(setting.gaps[j], stand, strict=False)]
        for where in reversed(stand):
            body.insert(where, ast.Barrier(setting.shape.meeting.name if setting.shape.meeting else ""))
        threads.append(ast.Thread(beside(j), ast.Placement((*numbers, 100 + j)), tuple(body)))
    return [x for x in fixed if x != TRUE], Context(threads, first, last)


def written(bits: Sequence[int], number: int) -> list[int]:
    """Return the literals that bits are a number, of those that are open."""
    return [x if number >> i & 1 else -x for i, x in enumerate(bits) if abs(x) != TRUE]


def stood(random: Random, setting: Setting, statements: dict[int, ast.Statement]) -> tuple[list[int], Context]:
    """Return where operations stand of which that is open: the literals that say so, and the context that they make."""
    standing = setting.standing
    assert standing is not None
    around = [(t, side) for t in standing.threads for side in (BEFORE, AFTER)]
    ranks = sorted(max(-1, random.randrange(-2, len(around))) for _ in statements)
    joined = [a == b == -1 and random.random() < 0.5 for a, b in pairwise(ranks)]
    groups: dict[tuple[int, int], list[int]] = {}
    fixed = [x if on else -x for x, on in ((standing.joined(k, k + 1), on) for k, on in enumerate(joined))]
    for k, rank in enumerate(ranks):
        fixed.append(standing.beside[k] if rank < 0 else standing.at[k][around[rank]])
        own = next(j for j in range(k + 1) if all(joined[j:k]))
        groups.setdefault(around[rank] if rank >= 0 else (setting.skeleton.slots[own].thread, BESIDE), []).append(k)
    shared = any(place.space is ast.AddressSpace.LDS for place in setting.memory.places)
    level = random.choice([each for each in PLACED if each <= Scope.WORKGROUP or not shared])
    near = setting.placements[standing.threads[0]].numbers[: level.depth]
    places = {t: setting.placements[t].numbers for t in range(len(setting.threads)) if t not in setting.free}
    first: dict[str, tuple[ast.Statement, ...]] = {}
    last: dict[str, tuple[ast.Statement, ...]] = {}
    threads = []
    for (t, side), slots in groups.items():
        body = tuple(statements[number] for k in slots for number, slot in setting.number.items() if slot == k)
        numbers = places.get(t, (*near, *[APART + slots[0]] * (len(PLACED) + 1 - len(near))))
        places |= {setting.skeleton.slots[k].thread: numbers for k in slots}
        if side == BESIDE:
            threads.append(ast.Thread(setting.threads[t], ast.Placement(numbers), body))
        else:
            (first if side == BEFORE else last)[setting.threads[t]] = body
    for lower in PLACED:
        for (t, u), x in setting.skeleton.together[lower].items():
            fixed.append(x if places[t][: lower.depth] == places[u][: lower.depth] else -x)
    return fixed, Context(threads, first, last)


def outcomes(half: Half, names: list[str], fixed: list[int]) -> set[tuple[tuple[object, ...], ...]]:
    """Return the outcomes of a program in a context that is fixed."""
    query = CircuitQuery(half.circuit, Session(), whole=False)
    words = iter(half.lanes)
    columns = {o.name: [next(words) for _ in o.lanes] for o in half.graph.observed}
    literals = [x for name in names for word in columns[name] for x in word.literals()]
    query.mention([*literals, *map(abs, fixed)])
    found: set[tuple[tuple[object, ...], ...]] = set()
    while query.check(fixed, 60_000):
        truth = query.truth(literals)
        found.add(tuple(tuple(shown(word, truth) for word in columns[name]) for name in names))
        half.circuit.add(*[-x if truth[x] else x for x in literals if abs(x) != TRUE])
    return found


def shown(word: Word, truth: Mapping[int, bool]) -> object:
    """Return the value of a word in a solution, undef as a whole."""
    if not truth[word.there]:
        return ABSENT
    return UNDEF if truth[word.poison] or any(truth[x] for x in word.free) else read_off(word.bits, truth)


ALIKE = (
    ("a = load atomic x{} {}; b = load atomic y{} {}", "b = load atomic y{2} {3}; a = load atomic x{0} {1}"),
    ("store atomic 1, x{} {}; fence{} {}", "fence{2} {3}; store atomic 1, x{0} {1}"),
    ("store 1, y; a = atomicrmw add x{} {}; fence{} {}", "a = atomicrmw add x{0} {1}; store 1, y; fence{2} {3}"),
    ("a = load atomic x{} {}; fence{} {}; b = load y", "a = load atomic x{0} {3}; fence{2} {3}; b = load y"),
)
FAILING = (
    ("a, c = cmpxchg x, 0, 1{} {} {}; b = load y", "b = load y; a, c = cmpxchg x, 0, 1{0} {1} {2}"),
    ("a, c = cmpxchg x, 0, 1{} {} {}; b = load y", "a, c = cmpxchg x, 0, 1{0} {1} monotonic; b = load y"),
    ("a, c = cmpxchg x, 0, 1{} {} {}; b = load y", "a, c = cmpxchg x, 0, 1{0} seq_cst {2}; b = load y"),
)
"""Pairs with two orderings of a compare-exchange, which are open apart."""
TELLING = parse_choice("amdgpu[cas.fail=syntactic]")
"""It asks of a failed compare-exchange how it would have succeeded."""
WORDS = {
    "load": ("monotonic", "acquire", "seq_cst"),
    "stor": ("monotonic", "release", "seq_cst"),
    "fenc": ("acquire", "release", "acq_rel", "seq_cst"),
    "atom": ("monotonic", "acquire", "release", "acq_rel", "seq_cst"),
    "cmpx": ("monotonic", "acquire", "release", "acq_rel", "seq_cst"),
}


def drawn_alike(random: Random, before: str, after: str) -> Change:
    """Return a pair of the forms of `ALIKE` with random orderings and scopes."""
    marks: list[str] = []
    for line in before.split("; "):
        if "{}" in line:
            words = WORDS[(line.partition(" = ")[2] or line)[:4]]
            scope = random.choice(("", ' syncscope("agent")', ' syncscope("workgroup")'))
            marks += [scope, random.choice(words)]
            marks += [random.choice(WORDS["load"])] if "cmpxchg" in line else []
    first = before.replace("x{}", "x, 1{}") if "rmw" in before else before
    second = after.replace("x{0}", "x, 1{0}") if "rmw" in after else after
    return pair(first.format(*marks), second.format(*marks))


@pytest.mark.parametrize("model", some([pytest.param(LLVM, id="llvm"), pytest.param(AMDGPU, id="amdgpu")], of=2))
@pytest.mark.parametrize(("before", "after"), [*some(ALIKE[:3]), *some(FAILING)])
def test_pairs_that_share_circuits_are_judged_as_alone(before: str, after: str, model: ModelChoice) -> None:
    random, kept = Random(f"{before} {model}"), Kept()
    for _ in parts(3):
        change = drawn_alike(random, before, after)
        here = replace(scene(change, model), space=SMALL)
        alone, shared = sound_everywhere(here, 2), sound_everywhere(here, 2, kept=kept)
        assert (alone.status, alone.events) == (shared.status, shared.events), change.before.source.text


@pytest.mark.parametrize(("model", "kinds"), [(LLVM, 1), (AMDGPU, 1), (TELLING, 3)], ids=str)
def test_the_orderings_of_a_compare_exchange_are_open_unless_its_failure_tells_its_success(
    model: ModelChoice, kinds: int
) -> None:
    before, after = FAILING[0]
    found = set()
    for success in ("acquire", "release", "seq_cst"):
        for failure in ("monotonic", "acquire"):
            here = scene(pair(*(text.format("", success, failure) for text in (before, after))), model)
            found.add(annotations_of(graphs(here.change, here.meaning), here.meaning)[0])
    assert len(found) == kinds


def test_what_nothing_was_left_of_is_known_of_pairs_with_the_same_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    """Swapped loads are right if the first is monotonic, whatever its scope."""
    kept, asked_again = Kept(), []
    for scope in ("", "agent", "workgroup"):
        first = f'a = load atomic x syncscope("{scope}") monotonic'.replace('syncscope("") ', "")
        second = "b = load atomic y acquire"
        found = sound_everywhere(scene(pair(f"{first}; {second}", f"{second}; {first}"), LLVM), 1, kept=kept)
        assert found.status == HOLDS
        monkeypatch.setattr("axmem.refinement.contexts.game.Game.play", lambda *_: asked_again.append(1))
    assert not asked_again


def test_shapes_are_all_ways_to_share_operations() -> None:
    found = [shape.text() for shape in shapes(2, ["P"])]
    assert len(found) == len(set(found)) == 7 and all(shape.size == 2 for shape in shapes(2, ["P"]))
    assert [shape.text() for shape in shapes(0, ["P"])] == ["none"]


def test_contexts_have_one_as_scopes_where_programs_tell_address_spaces_apart() -> None:
    assert scene(same_both(SPACES), AMDGPU).space.one_as
    flag = "store atomic 1, x {} release"
    assert not scene(same_both(flag.format("")), AMDGPU).space.one_as
    scoped_flag = same_both(flag.format('syncscope("agent-one-as")'))
    assert scene(scoped_flag, AMDGPU).space.one_as
    assert "one-as scopes" not in scene(scoped_flag, AMDGPU).space.without


ONE_LANE = """litmus one
global x = 0, y = 0
kernel K() lanes 2 {{
entry:
  c = lane.id == 0
  {first}br c, then, end
then:
  {second}store {name}, y
  br end
end:
  ret void
}}
exists (true)
"""


@pytest.mark.parametrize(
    ("first", "second", "name"),
    [(f, s, n) for n in "ab" for f, s in ((f"{n} = load x\n  ", ""), ("", f"{n} = load x\n  "))],
)
def test_a_register_that_a_lane_lacks_is_compared_with_nothing(first: str, second: str, name: str) -> None:
    """Of two lanes one alone loads, whatever the register is called."""
    before, after = (
        parse(ONE_LANE.format(first=f, second=s, name=n), "t")
        for f, s, n in (("", "a = load x\n  ", "a"), (first, second, name))
    )
    for change in (Change(before, after), Change(after, before)):
        assert asked(change, LLVM, 1, CORE).status == HOLDS
