"""`axmem verify --hunt`: random programs through llc, without LLVM: an llc that is recorded.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from itertools import count
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.front.clock import OutOfTime
from axmem.front.spelling import read
from axmem.litmus.parser import parse
from axmem.litmus.walk import statements
from axmem.litmus.words import Scope
from axmem.mapping import findings
from axmem.passes import hunting
from axmem.passes.hunting import AS_TABLES, LATE, TRIED, UNEXPLAINED, Caught, Compiled, Hunt, Prey, hunted
from axmem.passes.programs import ADDRESS_SPACES, SCOPES, program
from axmem.refinement.inclusion import UNSOUND
from tests.drawn import WHOLE, in_full
from tests.passes import recorded_llc
from tests.passes.recorded_llc import CLUSTERS, PROGRAMS, SEED, TARGET, TWO_CAUSES, TWO_CAUSES_MERGED


@pytest.fixture
def llc(tmp_path: Path) -> str:
    return recorded_llc.install(tmp_path)


def test_programs_are_the_same_for_a_seed_and_are_read() -> None:
    texts = [program(1, number) for number in range(200)]
    assert texts == [program(1, number) for number in range(200)] != [program(2, number) for number in range(200)]
    tests = [parse(text) for text in texts]
    assert {len(test.threads) for test in tests} == {1, 2, 3}
    assert all(any(True for _ in statements(thread.body)) for test in tests for thread in test.threads)


def test_programs_have_what_codegen_tells_apart() -> None:
    """Every scope in both forms, LDS, tags of address spaces, volatile accesses, pairs, all operations, branches."""
    text = "\n".join(program(1, number) for number in range(300))
    scopes = ("", *(f"{scope}-" for scope in SCOPES if scope))
    words = [f'syncscope("{scope}one-as")' for scope in scopes] + [f'syncscope("{scope}")' for scope in SCOPES if scope]
    words += [
        "lds ",
        "global ",
        " volatile ",
        "cmpxchg",
        "atomicrmw",
        "fence",
        "if r",
        "} else {",
        "load <2 x i32>, x",
        "store 2, x[1]",
    ]
    words += [f"# amdgpu-synchronize-as:{space}" for space in ADDRESS_SPACES]
    assert [word for word in words if word not in text] == []


def test_messages_are_passed_on_at_every_two_scopes() -> None:
    """Such as from a workgroup to the agent, which is what docs/findings/relayed-store.md is about."""
    tests = [parse(program(1, number)) for number in range(2000 if WHOLE else 1000)]
    places = [[thread.placement for thread in test.threads] for test in tests if len(test.threads) == 3]
    apart = {(near.meeting(first), near.meeting(last)) for first, near, last in places}
    reached = (Scope.WORKGROUP, Scope.CLUSTER, Scope.AGENT, Scope.SYSTEM)
    assert apart == {(one, other) for one in reached for other in reached}


def test_a_known_fault_is_found_from_nothing(llc: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """With its page, and what is different from the repaired tables; known faults are no news."""
    words = ["hunt", "--llc", llc, "--target", TARGET, "--random", str(SEED), "--count", str(PROGRAMS)]
    assert main([*words, "--save", str(tmp_path / "saved")]) == 0
    out = capsys.readouterr().out
    assert "cause: docs/findings/fixed/stale-scalar-load.md" in out and "+ s_load_b32" in out
    assert f"{PROGRAMS} programs" in out and not [*(tmp_path / "saved").iterdir()]
    assert main([*words, "--format", "json"]) == 0
    record = json.loads(capsys.readouterr().out)["hunt"]
    assert sum(record["counts"].values()) == record["programs"] == PROGRAMS
    assert all(each["pages"] and each["test"].startswith("litmus hunt-") for each in record["found"])


@in_full
def test_what_no_page_explains_is_shrunk(
    llc: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """If nobody knew the fault: smaller programs were not recorded, so that the program stays as it is."""
    monkeypatch.setattr(findings, "pages", lambda *_: ())
    words = ["hunt", "--llc", llc, "--target", TARGET, "--random", str(SEED), "--count", str(PROGRAMS)]
    assert main([*words, "--save", str(tmp_path / "saved")]) == 1
    out = capsys.readouterr().out
    saved = sorted(path.name for path in (tmp_path / "saved").iterdir())
    assert "cause: no known fault" in out and "axmem verify fault-1.litmus" in out and "fault-1.litmus" in saved
    assert parse((tmp_path / "saved" / "fault-1.litmus").read_text()).threads


@pytest.mark.parametrize(
    ("text", "page"),
    [
        (TWO_CAUSES, "fixed/vectorized-over-acquire"),
        pytest.param(TWO_CAUSES_MERGED, "fixed/merged-scopes", marks=in_full),
    ],
)
def test_a_change_of_assembly_and_a_pass_that_is_left_out_are_named_together(text: str, page: str, llc: str) -> None:
    """Also where the change applies only to what is compiled without the pass."""
    found = hunted(Prey(text, CLUSTERS, llc, None, 200_000))
    assert found.pages == ("docs/findings/cluster-release.md", f"docs/findings/{page}.md")


def test_programs_with_one_difference_are_verified_a_few_times(llc: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hunting, "EACH", 0)
    hunt = Hunt(TARGET, llc, SEED)
    assert not [*hunt.run(None, PROGRAMS)] and set(+hunt.counts) <= {AS_TABLES, TRIED}
    assert hunt.counts.total() == hunt.programs == PROGRAMS


def test_what_no_page_explains_is_shown_beside_a_known_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of programs of one round with the same difference the first has a page; of the others one is news."""
    made = iter([("a page",), (), (), ("a page",)])
    monkeypatch.setattr(hunting, "told_apart", lambda _: Compiled(("+ one",)))
    monkeypatch.setattr(hunting, "hunted", lambda _: Caught(UNSOUND, next(made)))
    hunt = Hunt(TARGET, "llc", SEED)
    assert [each.pages for each in hunt.run(None, 4)] == [("a page",), ()]
    assert hunt.counts[UNSOUND] == 4 and [each.pages for each in hunt.found.values()] == [()]


def test_a_round_ends_with_the_time_and_the_shortest_programs_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def verified(prey: Prey) -> Caught:
        asked.append(len(prey.text))
        return Caught(UNSOUND, ("a page",))

    clock = count()
    monkeypatch.setattr("axmem.passes.hunting.time.time", lambda: next(clock))
    monkeypatch.setattr(hunting, "told_apart", lambda prey: Compiled((prey.text,)))
    monkeypatch.setattr(hunting, "hunted", verified)
    hunt = Hunt(TARGET, "llc", SEED)
    assert len([*hunt.run(3.0)]) == 2
    lengths = sorted(len(program(SEED, number)) for number in range(hunt.programs))
    assert asked == lengths[:2]
    assert +hunt.counts == {UNSOUND: 2, LATE: hunt.programs - 2}


def test_a_verification_ends_with_the_hunt(llc: str) -> None:
    """What is on its way then is counted with what was not begun."""
    ended = time.time() - 1
    chosen = [program(SEED, number) for number in range(PROGRAMS)]
    assert {hunted(Prey(text, TARGET, llc, 60.0, 200_000, ended)).verdict for text in chosen} == {LATE}
    assert LATE not in {hunted(Prey(text, TARGET, llc, 60.0, 200_000)).verdict for text in chosen[:1]}


def test_what_is_unsound_for_a_cause_that_takes_too_long_to_find_is_unknown(
    llc: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is neither a known fault nor a new one."""

    def late(*_: object) -> tuple[str, ...]:
        raise OutOfTime

    monkeypatch.setattr(findings, "pages", late)
    assert main(["hunt", "--llc", llc, "--target", TARGET, "--random", str(SEED), "--count", str(PROGRAMS)]) == 3
    out = capsys.readouterr().out
    assert UNEXPLAINED in out and "cause:" not in out


def test_what_llc_does_not_compile_is_counted_with_its_reason(llc: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Also if it is the last program: nothing was verified, and nothing is known."""
    assert main(["hunt", "--llc", llc, "--target", TARGET, "--random", "99", "--count", "2"]) == 3
    out = capsys.readouterr().out
    assert "2  refused" in out and "this module was not recorded" in out


@pytest.mark.parametrize(("counts", "asked", "cut"), [
    ({"sound": 3, LATE: 9}, None, False),
    ({LATE: 12}, None, True),
    ({AS_TABLES: 12}, None, True),
    ({"sound": 3, LATE: 9}, 12, True),
    ({"sound": 3, AS_TABLES: 9}, 12, False),
    ({"sound": 3}, 12, True),
    ({"unsound": 1, "unknown": 1}, None, True),
])  # fmt: skip
def test_a_limit_that_comes_first_makes_it_unknown(counts: dict[str, int], asked: int | None, cut: bool) -> None:
    """Where the time decides, what is left of a round was not asked for; nothing verified is no answer."""
    hunt = Hunt(TARGET, "llc", SEED, programs=sum(counts.values()), counts=Counter(counts), asked=asked)
    assert hunt.cut is cut
    assert hunt.verified == counts.get("sound", 0) + counts.get("unsound", 0)


def test_a_hunt_that_is_over_at_once_is_no_answer(
    llc: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ticks = count()
    monkeypatch.setattr(time, "time", lambda: float(next(ticks)))
    assert main(["hunt", "--llc", llc, "--target", TARGET, "--random", str(SEED), "--timeout-all", "1"]) == 3
    assert "verified: 0\n" in capsys.readouterr().out


def test_a_verification_without_assembly_is_unknown(llc: str) -> None:
    prey = Prey(program(99, 0), TARGET, llc, 60.0, 1000)
    assert hunted(prey).verdict == "unknown"


@pytest.mark.parametrize(("words", "message"), [
    (["--llc", "/no/llc", "--target", "gfx942"], "there is no program '/no/llc'"),
    (["--llc", "python3", "--target", "gfx1"], "gfx1"),
])  # fmt: skip
def test_what_is_wrong_with_the_options_is_said(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["hunt", *words, "--count", "1"]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "line", ["passes --seconds 5 --all", "passes --seconds=5 --all", "verify --hunt --seconds 5", "hunt --seconds 5"]
)
def test_a_limit_is_read_by_its_former_name_which_says_the_new_one(line: str) -> None:
    found = read(line.split(), ("passes", "verify", "hunt"))
    assert " ".join(found.words).replace("=", " ").startswith("--timeout-all 5")
    assert (found.former, found.instead) in {("--seconds", "--timeout-all"), ("hunt", "verify --hunt")}
