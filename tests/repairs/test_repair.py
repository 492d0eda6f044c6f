"""Repairs of broken tests, to the letter; and against every set of edits, judged by brute force.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path

import pytest

from axmem.check.results import outcomes, result_of
from axmem.codegen.targets import target
from axmem.encoder.oracle import enumerate_outcomes
from axmem.encoder.solve import Solved
from axmem.events.unroll import event_graph
from axmem.formats.reading import parse, parse_file
from axmem.litmus.parser import with_condition
from axmem.litmus.printer import statement_line
from axmem.litmus.syntax import LitmusTest
from axmem.model.library import load
from axmem.repairs.costs import Costs, parse_weights
from axmem.repairs.goals import Judge
from axmem.repairs.repair import Repairs, RepairStatus, patched, search_repairs
from axmem.repairs.sites import Site
from axmem.repairs.spaces import meeting_levels, repair_space, weaken_space
from axmem.repairs.task import Aim, RepairTask
from tests.drawn import some
from tests.paths import CORPUS

PLACES = " @ workgroup 0", " @ workgroup 1"
STALE = "P1:r0=1 /\\ P1:r1=0"


def message(*bodies: str, places: tuple[str, ...] = PLACES, asks: str = STALE) -> LitmusTest:
    """Return a test whose threads have these bodies, statements separated by `;`."""
    lines = (body.replace(";", "\n") for body in bodies)
    threads = "".join(f"thread P{n}{p} {{\n{body}\n}}\n" for n, (body, p) in enumerate(zip(lines, places, strict=True)))
    return parse(f"litmus T\nglobal x = 0\nglobal y = 0\nglobal f = 0\n{threads}exists ({asks})\n", "T.litmus")


def searched(test: LitmusTest, *models: str, cost: str = "", aim: Aim = Aim.FORBID, **more: object) -> Repairs:
    judges = tuple(Judge(model, load(model)) for model in models)
    return search_repairs(test, RepairTask(aim, judges, Costs(parse_weights(cost), target("gfx942")), **more))  # type: ignore[arg-type]


def edits(report: Repairs, number: int = 0) -> list[tuple[str, str]]:
    """Return the lines of a repair, before and after."""
    return [(change.before, change.after) for change in report.repairs[number].changes]


def texts(report: Repairs) -> list[list[str]]:
    return [[change.after for change in found.changes] for found in report.repairs]


AG = ' syncscope("agent")'
WG = ' syncscope("workgroup")'
RELAXED = message(f"store 1, x;store atomic 1, f{AG} monotonic", f"r0 = load atomic f{AG} monotonic;r1 = load x")
NARROW = message(f"store 1, x;store atomic 1, f{WG} release", f"r0 = load atomic f{WG} acquire;r1 = load x")
SILENT = message(
    f"store 1, x;store atomic 1, f{AG} release # amdgcn-av:none", f"r0 = load atomic f{AG} acquire;r1 = load x"
)
TAGGED = message(f"store 1, x;store atomic 1, f{AG} release # a:b", f"r0 = load atomic f{AG} acquire # a:c;r1 = load x")
ISA2 = message(
    f"store 1, x;store atomic 1, y{AG} release",
    f"r0 = load atomic y{AG} monotonic;store atomic 1, f{AG} monotonic",
    f"r1 = load atomic f{AG} acquire;r2 = load x",
    places=(*PLACES, " @ workgroup 2"),
    asks="P1:r0=1 /\\ P2:r1=1 /\\ P2:r2=0",
)
BOTH = [("llvm",), ("amdgpu",), ("llvm", "amdgpu")]


@pytest.mark.parametrize("models", BOTH)
def test_a_relaxed_flag_becomes_a_release_and_an_acquire(models: tuple[str, ...]) -> None:
    report = searched(RELAXED, *models, limit=1)
    assert edits(report) == [
        (f"store atomic 1, f{AG} monotonic", f"store atomic 1, f{AG} release"),
        (f"r0 = load atomic f{AG} monotonic", f"r0 = load atomic f{AG} acquire"),
    ]
    assert dict(report.repairs[0].verdicts) == dict.fromkeys(models, "never")


@pytest.mark.parametrize("models", BOTH)
def test_a_relaxed_flag_has_four_minimal_repairs(models: tuple[str, ...]) -> None:
    report = searched(RELAXED, *models, limit=100)
    first = (f"store atomic 1, f{AG} release", f"fence{AG} release")
    second = (f"r0 = load atomic f{AG} acquire", f"fence{AG} acquire")
    assert sorted(map(tuple, texts(report))) == sorted(product(first, second))
    assert report.exhausted and not report.doubtful


@pytest.mark.parametrize("models", BOTH)
def test_a_scope_that_is_too_narrow_is_widened_on_both_sides(models: tuple[str, ...]) -> None:
    report = searched(NARROW, *models, limit=1)
    assert edits(report) == [
        (f"store atomic 1, f{WG} release", f"store atomic 1, f{AG} release"),
        (f"r0 = load atomic f{WG} acquire", f"r0 = load atomic f{AG} acquire"),
    ]
    assert [change.words for change in report.repairs[0].changes] == [("workgroup → agent",)] * 2


def test_a_silent_release_is_mended_by_what_the_cost_says() -> None:
    assert searched(SILENT, "llvm").status is RepairStatus.NEEDLESS
    by_edit = searched(SILENT, "llvm", "amdgpu", cost="edits", limit=1)
    assert edits(by_edit) == [(f"store atomic 1, f{AG} release # amdgcn-av:none", f"store atomic 1, f{AG} release")]
    by_machine = searched(SILENT, "llvm", "amdgpu", limit=100)
    assert edits(by_machine) == [("store 1, x", f"av.store.b32 1, x{AG}")]
    assert [found.machine for found in by_machine.repairs] == [4, 32, 32, 40]
    assert texts(by_machine)[1:] == [
        [f"store atomic 1, f{AG} release"], [f"make.available{AG}"], [f"fence{AG} release"]
    ]  # fmt: skip


@pytest.mark.parametrize("models", BOTH)
def test_incompatible_tags_are_dropped_on_either_side(models: tuple[str, ...]) -> None:
    report = searched(TAGGED, *models, cost="edits", limit=2)
    assert texts(report) == [[f"store atomic 1, f{AG} release"], [f"r0 = load atomic f{AG} acquire"]]
    assert {found.machine for found in report.repairs} == {0}


@pytest.mark.parametrize("models", some([*BOTH], of=4))
def test_a_missing_link_is_put_in_the_middle(models: tuple[str, ...]) -> None:
    by_edit = searched(ISA2, *models, cost="edits", limit=1)
    assert edits(by_edit) == [
        (f"r0 = load atomic y{AG} monotonic", f"r0 = load atomic y{AG} acquire"),
        (f"store atomic 1, f{AG} monotonic", f"store atomic 1, f{AG} release"),
    ]
    by_machine = searched(ISA2, *models, limit=1)
    assert texts(by_machine) == [[f"fence{AG} acq_rel"]]


def test_what_is_required_is_what_its_negation_forbids() -> None:
    test = with_condition(ISA2, "P1:r0=0 \\/ P2:r1=0 \\/ P2:r2=1")
    report = searched(test, "amdgpu", aim=Aim.REQUIRE, limit=1)
    assert texts(report) == [[f"fence{AG} acq_rel"]]
    assert "forall (" in report.repairs[0].text and report.repairs[0].verdicts == (("amdgpu", "always"),)


def test_a_fence_finds_its_way_into_a_branch() -> None:
    test = message(
        f"store 1, x;store atomic 1, f{AG} release", f"r0 = load atomic f{AG} monotonic;if r0 == 1 {{;r1 = load x;}}"
    )
    report = searched(test, "amdgpu", limit=100)
    places = [(change.line, change.after) for found in report.repairs for change in found.changes]
    assert places == [(10, f"r0 = load atomic f{AG} acquire"), (11, f"fence{AG} acquire"), (12, f"fence{AG} acquire")]


@pytest.mark.parametrize("path", sorted((CORPUS / "classic").glob("MP+*.litmus")), ids=lambda path: path.stem)
def test_tests_that_need_no_repair_get_none(path: Path) -> None:
    test = parse_file(path)
    for model in ("llvm", "amdgpu"):
        if outcomes(test, model).verdict == "never":
            report = searched(test, model)
            assert report.status is RepairStatus.NEEDLESS and not report.repairs


def test_what_no_annotation_forbids_is_said_to_be_so() -> None:
    report = searched(with_condition(RELAXED, "P1:r0=0"), "llvm", "amdgpu")
    assert report.status is RepairStatus.IMPOSSIBLE and report.exhausted and not report.repairs
    assert report.sites == 6 + 4 and report.task.most is None


def test_too_few_edits_are_not_enough() -> None:
    assert searched(RELAXED, "amdgpu", most=1).status is RepairStatus.IMPOSSIBLE
    assert searched(RELAXED, "amdgpu", most=2).status is RepairStatus.FOUND


def test_undef_satisfies_what_is_forbidden() -> None:
    plain = message("store 1, x;store 1, y", "r0 = load y;r1 = load x")
    assert any("plain → " in word for c in searched(plain, "amdgpu", limit=1).repairs[0].changes for word in c.words)


def test_a_time_limit_is_no_answer() -> None:
    report = searched(ISA2, "llvm", "amdgpu", seconds=1e-9)
    assert report.status is RepairStatus.UNKNOWN and report.cut


def test_only_the_edits_that_are_allowed_are_made() -> None:
    fences = searched(RELAXED, "amdgpu", allowed=frozenset({"fence"}), limit=100)
    assert texts(fences) == [[f"fence{AG} release", f"fence{AG} acquire"]]
    assert searched(RELAXED, "amdgpu", allowed=frozenset({"scope"})).status is RepairStatus.IMPOSSIBLE


def test_scopes_are_those_at_which_threads_meet() -> None:
    assert [level.word for level in meeting_levels(RELAXED)] == ["agent"]
    near = message("store 1, x", "r0 = load x", places=(" @ workgroup 0, wavefront 0",) * 2, asks="P1:r0=0")
    assert [level.word for level in meeting_levels(near)] == ["wavefront"]
    same = message("store 1, x", "r0 = load x", places=(" @ workgroup 0",) * 2, asks="P1:r0=0")
    assert [level.word for level in meeting_levels(same)] == ["workgroup"]
    clusters = message("store 1, x", 'r0 = atomicrmw add x, 0 syncscope("cluster") monotonic', asks="P1:r0=0")
    assert [level.word for level in meeting_levels(clusters)] == ["cluster"]
    apart = message("store 1, x", "r0 = load x", places=(" @ agent 0", " @ agent 1"), asks="P1:r0=0")
    assert [level.word for level in meeting_levels(apart)] == ["system"]
    alone = message("store 1, x;r0 = load x", places=(" @ agent 0",), asks="P0:r0=0")
    assert [level.word for level in meeting_levels(alone)] == ["singlethread"]


# ---------------------------------------------------------------- against every set of edits

SMALL = {"relaxed": RELAXED, "silent": SILENT, "tagged": TAGGED, "narrow": NARROW}


@pytest.mark.parametrize("name", some(["silent", "narrow"], of=2))
def test_the_minimal_repairs_are_those_of_all_sets_of_two_edits(name: str) -> None:
    test, model = SMALL[name], load("amdgpu")
    costs = Costs(parse_weights(""), target("gfx942"))
    sites = repair_space(test, costs)
    report = searched(test, "amdgpu", limit=1000, most=2)
    found = {tuple((c.thread, c.line, c.after, c.words) for c in one.changes) for one in report.repairs}
    assert report.exhausted and found == set(minimal_by_brute_force(test, sites, model))


def minimal_by_brute_force(test: LitmusTest, sites: tuple[Site, ...], model):  # type: ignore[no-untyped-def]
    """Yield every working set of at most two edits from which nothing can be taken, as the changes of a report."""
    working = []
    for chosen in choices(sites):
        if allowed_by_oracle(patched(test, sites, point(sites, chosen)), model) == "never":
            working.append(chosen)
    for chosen in working:
        if not any(other != chosen and below(sites, other, chosen) for other in working):
            yield tuple(
                (test.threads[sites[s].path[0]].name, line_of(test, sites[s]), after(test, sites[s], n),
                 sites[s].states[n].changes)
                for s, n in chosen
            )  # fmt: skip


def choices(sites: tuple[Site, ...]):  # type: ignore[no-untyped-def]
    """Yield the sets of at most two edits: the sites that change, each with its state."""
    single = [
        (s, n) for s, site in enumerate(sites) for n, state in enumerate(site.states) if n and len(state.changes) <= 2
    ]
    yield ()
    for one in single:
        yield (one,)
    for one, other in combinations(single, 2):
        if one[0] != other[0] and all(len(sites[s].states[n].changes) == 1 for s, n in (one, other)):
            yield one, other


def point(sites: tuple[Site, ...], chosen: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    return tuple(dict(chosen).get(s, 0) for s in range(len(sites)))


def below(sites: tuple[Site, ...], low: tuple[tuple[int, int], ...], high: tuple[tuple[int, int], ...]) -> bool:
    states = dict(high)
    return all(s in states and sites[s].below[states[s]] >> n & 1 for s, n in low)


def allowed_by_oracle(test: LitmusTest, model) -> str:  # type: ignore[no-untyped-def]
    graph = event_graph(test)
    found = enumerate_outcomes(graph, model)
    solved = Solved((*found.outcomes,), found.flags, found.undefined, found.incomplete)
    return result_of(test, model, graph, solved, 0.0).verdict


def line_of(test: LitmusTest, site: Site) -> int:
    _, index = site.path
    body = test.threads[int(site.path[0])].body
    return body[int(index)].span.line if int(index) < len(body) else 0


def after(test: LitmusTest, site: Site, state: int) -> str:
    statement = site.states[state].statement
    return "" if statement is None else statement_line(test, statement)


@pytest.mark.parametrize("name", some(["relaxed", "tagged"], of=2))
def test_a_search_without_theorems_finds_the_same(name: str) -> None:
    fast = searched(SMALL[name], "llvm", "amdgpu", limit=1000, most=2)
    slow = searched(SMALL[name], "llvm", "amdgpu", limit=1000, most=2, monotone=False)
    assert sorted(texts(fast)) == sorted(texts(slow)) and fast.repairs
    assert slow.exhausted and slow.programs > fast.programs


# ---------------------------------------------------------------- weakenings

FENCED = parse(
    """litmus W
global x = 0
global f = 0
thread P0 @ workgroup 0 {
  store 1, x
  fence seq_cst
  store atomic 1, f release
}
thread P1 @ workgroup 1 {
  r0 = load atomic f seq_cst
  fence syncscope("agent") acquire
  r1 = load x
}
exists (P1:r0=1 /\\ P1:r1=0)
expect llvm amdgpu never
expect sc never
""",
    "W.litmus",
)


def test_a_weakening_leaves_what_is_needed() -> None:
    report = searched(FENCED, "llvm", "amdgpu", aim=Aim.EXPECT, weakens=True, limit=100)
    assert report.status is RepairStatus.FOUND and report.exhausted
    assert edits(report) == [
        ("fence seq_cst", ""),
        ("store atomic 1, f release", f"store atomic 1, f{AG} release"),
        ("r0 = load atomic f seq_cst", f"r0 = load atomic f{AG} acquire"),
        ('fence syncscope("agent") acquire', ""),
    ]
    assert all(found.machine < 0 for found in report.repairs)
    assert [found.machine for found in report.repairs] == sorted(found.machine for found in report.repairs)
    again = searched(parse(report.repairs[0].text, "again"), "llvm", "amdgpu", aim=Aim.EXPECT, weakens=True)
    assert again.status is RepairStatus.NEEDLESS


def test_the_weakenings_are_the_lowest_points_of_the_whole_space() -> None:
    reads = f"r0 = load atomic f{AG} seq_cst;r1 = av.load.b32 x{AG}"
    test = message(f"store 1, x;store atomic 1, f{AG} release", reads)
    model, costs = load("amdgpu"), Costs(parse_weights(""), target("gfx942"))
    sites = weaken_space(test, costs, availability=True)
    good = [
        chosen
        for chosen in product(*(range(len(site.states)) for site in sites))
        if allowed_by_oracle(patched(test, sites, chosen), model) == "never"
    ]
    lowest = [high for high in good if not any(low != high and reaches(sites, high, low) for low in good)]
    report = searched(test, "amdgpu", weakens=True, limit=100)
    assert len(sites) == 3 and 1 < len(lowest) < len(good)
    assert sorted(texts_of(patched(test, sites, chosen)) for chosen in lowest) == sorted(
        texts_of(found.test) for found in report.repairs
    )


def reaches(sites: tuple[Site, ...], high: tuple[int, ...], low: tuple[int, ...]) -> bool:
    return all(site.below[a] >> b & 1 for site, a, b in zip(sites, high, low, strict=True))


def texts_of(test: LitmusTest) -> list[str]:
    return [statement_line(test, statement) for thread in test.threads for statement in thread.body]


def test_a_model_without_availability_does_not_drop_what_serves_it() -> None:
    test = parse(
        "litmus S\nglobal x = 0\nglobal f = 0\nthread P0 @ workgroup 0 {\n  av.store.b32 1, x syncscope(\"agent\")\n"
        "  make.available\n  store atomic 1, f release\n}\nthread P1 @ workgroup 1 {\n  r0 = load atomic f acquire\n"
        "  r1 = load x\n}\nexists (P1:r0=1 /\\ P1:r1=0)\nexpect llvm never\n", "S",
    )  # fmt: skip
    report = searched(test, "llvm", aim=Aim.EXPECT, weakens=True, limit=100)
    text = report.repairs[0].text
    assert "av.store" in text and "make.available" in text and "none" not in text


def test_a_test_that_is_not_as_it_expects_is_not_weakened() -> None:
    wrong = parse(FENCED.source.text.replace("amdgpu never", "amdgpu sometimes"), "W.litmus")
    assert searched(wrong, "amdgpu", aim=Aim.EXPECT, weakens=True).status is RepairStatus.UNMET


def test_a_model_under_which_wider_fences_lose_their_partners_is_found_out() -> None:
    test = parse_file(CORPUS / "scopes" / "FencePair+ag+ag-sy.litmus")
    judge = Judge("amdgpu[fence.pair=eqwider]", load("amdgpu", {"fence.pair": "eqwider"}))
    task = RepairTask(
        Aim.EXPECT, (Judge("amdgpu", load("amdgpu")), judge), Costs(parse_weights(""), None), weakens=True
    )
    report = search_repairs(test, task)
    assert report.contradicted and report.status is not RepairStatus.IMPOSSIBLE


def test_a_weakening_may_keep_a_condition_instead() -> None:
    report = searched(FENCED, "sc", weakens=True, limit=1)
    assert "expect sc never" in report.repairs[0].text and "\n  fence" not in report.repairs[0].text


def test_a_weakened_test_keeps_its_outcomes_where_it_lists_them() -> None:
    test = parse_file(CORPUS / "classic" / "ISA2+rel-acq.litmus")
    report = searched(test, "llvm", "amdgpu", aim=Aim.EXPECT, weakens=True, limit=1)
    assert report.repairs[0].test.expectations or report.repairs[0].test.outcome_sets
    changed = parse(report.repairs[0].text, "weaker")
    for model in ("llvm", "amdgpu"):
        assert outcomes(changed, model).verdict == outcomes(test, model).verdict == "never"
