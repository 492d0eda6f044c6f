"""What nobody else may change while a function runs, and what others may change all the same.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from axmem.check.selection import loaded
from axmem.encoder.oracle import Row
from axmem.encoder.oracle import _Oracle as Oracle
from axmem.events.graph import EventGraph, EventKind
from axmem.events.values import ABSENT, UNDEF, ReadOf
from axmem.formats.ir.pairs import function_pairs
from axmem.formats.ir.standalone import function_tests
from axmem.front.records import replace
from axmem.front.source import Source
from axmem.front.typing import override
from axmem.litmus.syntax import ModelChoice
from axmem.litmus.words import OperationKind
from axmem.model.model import Model
from axmem.refinement import everywhere
from axmem.refinement.bounded_check import REFUTED
from axmem.refinement.changed import Change, graphs
from axmem.refinement.contexts.context import Context
from axmem.refinement.corresponding import corresponding
from axmem.refinement.everywhere import scene, sound_everywhere
from axmem.refinement.iterations import as_they_are
from tests.controls.trial import context
from tests.drawn import in_full, parts, some
from tests.refinement.test_functions import SOUND, UNKNOWN, UNSOUND, asked, pair

FLAG = "@flag = external global i32, align 4\n"
POINTER = "ptr noalias dereferenceable(8) %p"
TAKEN = "%f = load atomic i32, ptr @flag acquire, align 4; "
GIVEN = "store atomic i32 1, ptr @flag release, align 4; "
READ = "%v = load i32, ptr %p, align 4; "
AGAIN = READ.replace("%v", "%w")
ACQUIRED = "%f = load atomic i32, ptr %p acquire, align 4; "
VOLATILE = AGAIN.replace("load", "load volatile")
WRITTEN = "store i32 1, ptr %p, align 4; "
NEXT = "%q = getelementptr i8, ptr %p, i64 4; "
BOTH = "%d = shl i32 %g, 8; %e = or i32 %d, %f; ret i32 %e"
MET = 'fence syncscope("workgroup") acq_rel; call void @llvm.amdgcn.s.barrier(); fence syncscope("workgroup") acq_rel; '
CHOSEN = "%c = icmp ne i32 %f, 0; %r = select i1 %c, i32 %v, i32 -1; ret i32 %r"
BRANCH = "%c = icmp ne i32 %f, 0; br i1 %c, label %t, label %e; t:; {}ret i32 {}; e:; ret i32 {}"


def changed(before: str, after: str, parameters: str = POINTER, head: str = FLAG) -> str:
    """Return a pair of functions, with labels where they belong."""
    text = head + pair(before, after, parameters=parameters)
    return text.replace("  t:", "t:").replace("  e:", "e:")


APART = [
    (TAKEN + READ + CHOSEN, READ + TAKEN + CHOSEN),
    (READ + GIVEN + "ret i32 %v", GIVEN + READ + "ret i32 %v"),
    # What is read twice, with an acquire between.
    (READ + TAKEN + AGAIN + CHOSEN.replace("%v", "%w"), READ + TAKEN + CHOSEN),
    (READ + "fence acquire; " + AGAIN + "ret i32 %w", READ + "fence acquire; ret i32 %v"),
    # It is read on one way only, on which nobody changes it; on the other nobody cares.
    (TAKEN + BRANCH.format(READ, "%v", "-1"), READ + TAKEN + BRANCH.format("", "%v", "-1")),
    # What it writes nobody else reads before it has returned, and what it acquires there nobody has released.
    (WRITTEN + GIVEN + "ret i32 0", GIVEN + WRITTEN + "ret i32 0"),
    (ACQUIRED + TAKEN.replace("%f", "%g") + BOTH, TAKEN.replace("%f", "%g") + ACQUIRED + BOTH),
    (TAKEN + READ + VOLATILE + CHOSEN, READ + TAKEN + VOLATILE + CHOSEN),
    # Byte by byte: it writes one element, and reads the next.
    (f"{TAKEN}{READ}{NEXT}store i32 1, ptr %q, align 4; {CHOSEN}",
     f"{READ}{TAKEN}{NEXT}store i32 1, ptr %q, align 4; {CHOSEN}"),
    (WRITTEN + TAKEN + NEXT + READ.replace("%p", "%q") + CHOSEN,
     WRITTEN + NEXT + READ.replace("%p", "%q") + TAKEN + CHOSEN),
    (WRITTEN + MET + NEXT + READ.replace("%p", "%q") + "ret i32 %v",
     NEXT + READ.replace("%p", "%q") + WRITTEN + MET + "ret i32 %v"),
]
"""Changes that hold of a noalias pointer alone."""


@pytest.mark.parametrize(("before", "after"), some(APART, of=14))
def test_with_what_is_accessed_behind_a_noalias_pointer_nobody_else_conflicts_meanwhile(
    before: str, after: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    assert asked(tmp_path, changed(before, after), "--model", "llvm", "--context", "2") == SOUND
    request.getfixturevalue("longer_than_users_have")
    shared = changed(before, after, POINTER.replace("noalias ", ""))
    assert asked(tmp_path, shared, "--model", "llvm", "--context", "2") == UNSOUND


@in_full
def test_it_is_so_under_amdgpu(tmp_path: Path) -> None:
    text = changed(TAKEN + READ + CHOSEN, READ + TAKEN + CHOSEN)
    assert asked(tmp_path, text, "--model", "amdgpu", "--context", "2") == SOUND
    assert asked(tmp_path, text.replace("noalias ", ""), "--model", "amdgpu", "--context", "2") == UNSOUND


@pytest.mark.parametrize(
    ("before", "after", "parameters"),
    [
        # What it reads others may read, and what it does not access they may write.
        (READ + GIVEN + "ret i32 %v", READ + "ret i32 %v", POINTER),
        (f"{TAKEN}{NEXT}store i32 1, ptr %q, align 4; ret i32 0",
         f"{READ}{TAKEN}{AGAIN}{NEXT}store i32 1, ptr %q, align 4; %d = sub i32 %w, %v; ret i32 %d", POINTER),
        # Others may know the pointer, or another one that is no less good.
        ("store ptr %p, ptr @place, align 8; " + TAKEN + READ + CHOSEN,
         "store ptr %p, ptr @place, align 8; " + READ + TAKEN + CHOSEN, POINTER),
        (TAKEN + READ.replace("%p", "%o") + CHOSEN, READ.replace("%p", "%o") + TAKEN + CHOSEN,
         POINTER + ", ptr dereferenceable(4) %o"),
        # The second function alone promises, or reads.
        (TAKEN + READ + CHOSEN, READ + TAKEN + CHOSEN, POINTER.replace("noalias ", "")),
        (TAKEN + "ret i32 0", READ + TAKEN + AGAIN + "%d = sub i32 %w, %v; ret i32 %d", POINTER),
        # The other pointer is not noalias.
        (TAKEN + READ.replace("%p", "%o") + ACQUIRED.replace("%f", "%g") + CHOSEN,
         READ.replace("%p", "%o") + TAKEN + ACQUIRED.replace("%f", "%g") + CHOSEN,
         POINTER + ", ptr dereferenceable(4) %o"),
        # Where it is not read somebody may change it.
        (TAKEN + BRANCH.format(READ, "%v", "0"),
         READ + TAKEN + AGAIN + "%d = sub i32 %w, %v; " + BRANCH.format("", "%v", "%d"), POINTER),
        # What is read is not what is returned.
        (TAKEN + READ + CHOSEN, READ + TAKEN + "ret i32 %f", POINTER),
        (TAKEN + READ + CHOSEN, NEXT + READ.replace("%p", "%q") + TAKEN + CHOSEN, POINTER),
    ],
)  # fmt: skip
def test_what_others_may_change(before: str, after: str, parameters: str, tmp_path: Path) -> None:
    text = changed(before, after, parameters, FLAG + "@place = external global ptr, align 8\n")
    assert asked(tmp_path, text, "--model", "llvm", "--context", "2") == UNSOUND


@pytest.mark.parametrize("model", some(["amdgpu", "llvm"], of=2))
def test_what_others_have_written_before_the_function_is_called_is_there(model: str, tmp_path: Path) -> None:
    """The thread may have acquired it; a load with a tag of its own is not behind that."""
    body = "%v = load i32, ptr %p, align 4{}; fence release; ret i32 %v"
    text = pair(body.format(""), body.format(", !mmra !0"), parameters=POINTER) + '!0 = !{!"f", !"b"}\n'
    assert asked(tmp_path, text, "--model", model, "--context", "2") == UNSOUND


SCOPED = "fence acquire{}; %b = load i32, ptr %p, align 4, !alias.scope !2; "


def test_what_a_fence_exempts_is_not_decided(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Metadata of a fence says that it does not order the load; without, the change is unsound."""
    taken = "%f = load atomic i32, ptr @flag monotonic, align 4; "
    before = taken + SCOPED + CHOSEN.replace("%v", "%b")
    fence, load = (f"{part}; " for part in SCOPED.removesuffix("; ").split("; "))
    text = changed(before, taken + load + fence + CHOSEN.replace("%v", "%b"), "ptr dereferenceable(8) %p")
    text += "!0 = distinct !{!0}\n!1 = distinct !{!1, !0}\n!2 = !{!1}\n"
    assert asked(tmp_path, text.replace("{}", ""), "--model", "llvm", "--context", "2") == UNSOUND
    capsys.readouterr()
    assert asked(tmp_path, text.replace("{}", ", !noalias !2"), "--model", "llvm", "--context", "2") == UNKNOWN
    assert "the fence in line 4 is taken to order what its !noalias exempts" in capsys.readouterr().out


def test_it_is_said_that_nobody_else_changes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = changed(TAKEN + READ + CHOSEN, READ + TAKEN + CHOSEN)
    asked(tmp_path, text, "--model", "llvm", "--context", "0")
    asked(tmp_path, text.replace("noalias ", ""), "--model", "llvm", "--context", "0")
    said = "nobody else writes what the function accesses behind %p, or reads what it writes there (noalias)"
    assert capsys.readouterr().out.count(said) == 1


# ---------------------------------------------------------------- random functions, by another way

LOADED = (
    "load i32, ptr %p, align 4", "load i32, ptr %p, align 4", "load atomic i32, ptr %p acquire, align 4",
    "atomicrmw add ptr %p, i32 4 monotonic, align 4",
)  # fmt: skip
TOLD = ("load atomic i32, ptr @flag acquire, align 4", "load atomic i32, ptr @flag monotonic, align 4")
ELSE = (
    "store atomic i32 1, ptr @flag release, align 4", "store atomic i32 1, ptr @flag monotonic, align 4",
    "fence acquire", "fence release",
)  # fmt: skip


def drawn(random: Random) -> list[str]:
    """Return the instructions of a function that reads behind its pointer and synchronizes."""
    kinds = [LOADED, *random.choices((LOADED, TOLD, TOLD, ELSE), k=random.randint(1, 2))]
    random.shuffle(kinds)
    lines = [random.choice(kind) for kind in kinds]
    return [
        line if kind is ELSE else f"%r{k} = {line}" for k, (kind, line) in enumerate(zip(kinds, lines, strict=True))
    ]


def mutant(lines: list[str], random: Random) -> list[str]:
    """Return them with two that are swapped, one that is plain, or one that is gone."""
    k, deed = random.randrange(len(lines)), random.randrange(4)
    if deed == 0:
        plain = lines[k].replace(" atomic ", " ").replace(" acquire", "").replace(" monotonic", "")
        stays = any(word in lines[k] for word in ("@flag", "fence", "atomicrmw"))
        return [*lines[:k], lines[k] if stays else plain, *lines[k + 1 :]]
    if deed == 1 and "=" not in lines[k] and len(lines) > 1:
        return [*lines[:k], *lines[k + 1 :]]
    k = min(k, len(lines) - 2)
    return [*lines[:k], lines[k + 1], lines[k], *lines[k + 2 :]]


def whole(lines: list[str]) -> str:
    """Return instructions with what they return: all that they have read."""
    names = sorted(line.split(" = ")[0] for line in lines if " = " in line)
    parts = ["zeroinitializer", *(f"%s{k}" for k in range(len(names)))]
    pairs = zip(parts, parts[1:], names, strict=False)
    made = [f"{new} = insertelement <4 x i32> {old}, i32 {name}, i32 {k}" for k, (old, new, name) in enumerate(pairs)]
    return "; ".join((*lines, *made, f"ret <4 x i32> {parts[-1]}"))


CONTEXTS = 12
"""So many closed contexts try to refute each change that is called sound."""


class Meanwhile(Oracle):
    """The second engine, which notes what the context reads where somebody changes meanwhile what is unshared."""

    def __init__(self, graph: EventGraph, model: Model, unshared: frozenset[str]) -> None:
        super().__init__(graph, model)
        self.unshared = unshared
        self.meanwhile: set[tuple[Row, str]] = set()
        self.rows: set[Row] = set()

    @override
    def _record(self, arms: Any, executed: int, assignment: Any, co: Any, values: Any) -> None:
        outcomes, self.outcomes = self.outcomes, set()
        super()._record(arms, executed, assignment, co, values)
        (row,) = self.outcomes
        self.outcomes = outcomes | {row}
        for free in self._changed(executed, values):
            self.meanwhile.add((seen(self.graph, row, free), free))

    def _changed(self, executed: int, values: Any) -> Iterator[str]:
        """Yield for each conflict the register whose value nothing of it rests on: of a read that ends its thread."""
        (order,) = (values[a.term] for a in self.model.axioms if a.name == "happens-before")
        there = [e for e in self.graph.events if executed >> e.index & 1 and e.thread >= 0]
        own = [e for e in there if self.graph.threads[e.thread] == "F"]
        own_first = [e for e in own if e.label.startswith("first")]
        own_last = [e for e in own if e.label.startswith("last")]
        inside = [e for e in own if e not in own_first and e not in own_last]
        for x in there:
            met = any(e.cell == x.cell >= 0 and EventKind.WRITE in (e.kind, x.kind) for e in inside)
            if x in own or not met:
                continue
            if self.graph.cells[x.cell].location not in self.unshared:
                continue
            before = any(order[x.index] >> e.index & 1 for e in own_first)
            after = any(order[e.index] >> x.index & 1 for e in own_last)
            if not before and not after:
                yield ""
                last = not any(e.thread == x.thread and e.position > x.position for e in self.graph.events)
                if x.kind is EventKind.READ and last:
                    yield from (o.name for o in self.graph.observed if ReadOf(x.index) in o.lanes)


def seen(graph: EventGraph, row: Row, free: str) -> Row:
    """Return what operations of the context read in an outcome, but for one: their registers begin with c."""
    pairs = zip(graph.observed, row, strict=True)
    return tuple(lanes for o, lanes in pairs if o.name.split(":")[-1].startswith("c") and o.name != free)


def matched(before: Row, after: Row) -> bool:
    """Whether an outcome before permits one after: it has the same values, or undef, where both are executed."""
    lanes = ((x, y) for one, other in zip(before, after, strict=True) for x, y in zip(one, other, strict=True))
    return all(x is UNDEF or y is ABSENT or x == y for x, y in lanes)


def refuted(change: Change, around: Context, model: Model) -> bool:
    """Whether a context shows, to the second engine, that a change is unsound."""
    first, last = (
        {name: [replace(s, label=f"{side} {k}") for k, s in enumerate(rows)] for name, rows in where.items()}
        for side, where in (("first", around.first), ("last", around.last))
    )
    both = graphs(change.within(Context(around.threads, first, last)), model)
    engines = [Meanwhile(graph, model, change.unshared) for graph in both]
    rows = [engine.run().outcomes for engine in engines]
    for row in rows[1]:
        known = any(matched(each, row) for each in rows[0])
        excused = any(matched(each, seen(both[1], row, free)) for each, free in engines[0].meanwhile)
        if not known and not excused:
            return True
    return False


@pytest.mark.parametrize("seed", parts(160, of=100))
def test_random_functions_by_the_second_engine(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    model = loaded(ModelChoice(("llvm", "amdgpu")[seed % 2]))
    lines = drawn(random)
    text = FLAG + pair(whole(lines), whole(mutant(lines, random)), parameters=POINTER, result="<4 x i32>")
    (each,) = function_pairs(Source("drawn.ll", text))
    (reading, *_) = function_tests([(side.module, side.function) for side in (each.before, each.after)])
    assert dict(reading.unshared) == {"p": "p"}
    before, after = reading.tests
    same = corresponding(before, after, (), functions=True)
    change = replace(as_they_are(same.before, same.after), unshared=frozenset(reading.unshared))
    here = scene(change, ModelChoice(model.name))
    shown: list[Context] = []
    confirmed = everywhere.confirmed

    def noted(here: everywhere.Scene, around: Context, *, floats: bool) -> object:
        shown.append(around)
        return confirmed(here, around, floats=floats)

    monkeypatch.setattr(everywhere, "confirmed", noted)
    verdict = sound_everywhere(here, 2).status
    assert [refuted(here.change, one, model) for one in shown] == [True] * (verdict == REFUTED), text
    space = replace(here.space, kinds=[k for k in here.space.kinds if k is not OperationKind.BARRIER])
    for _ in range(CONTEXTS):
        around = context(random, space, random.randint(1, 2), here.memory.places, here.change.before, None)
        assert verdict == REFUTED or not refuted(here.change, around, model), text
