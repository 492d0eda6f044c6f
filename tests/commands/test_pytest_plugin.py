"""The plugin of pytest, by pytest's own means: what it collects, what passes, and what a failure says.

The tests that are collected are message passing with every access `monotonic`, or with a release and an acquire. By
LangRef's happens-before the stale read is there in the first and not in the second; under `sc` it is in neither.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import pkgutil
import re
import shlex
from collections.abc import Sequence
from importlib import import_module  # noqa: TID251 -- of every module

import pytest

import axmem
from axmem.front.exits import TRACEBACK
from tests.documents.pages import sections
from tests.drawn import in_full
from tests.paths import ROOT

pytest_plugins = ("pytester",)

MP = """litmus {name}
global x = 0, f = 0
thread P0 {{
  store atomic 1, x monotonic
  store atomic 1, f {store}
}}
thread P1 {{
  r0 = load atomic f {load}
  r1 = load atomic x monotonic
}}
exists (P1:r0=1 /\\ P1:r1=0)
"""
RELAXED = MP.format(name="relaxed", store="monotonic", load="monotonic")
ORDERED = MP.format(name="ordered", store="release", load="acquire")
MODULE = "axmem.commands.pytest_plugin"
PLUGIN = ("-p", "xdist", "-p", MODULE, "-W", "ignore:Module already imported")
"""The plugin by its module: whether it is installed, and so there without being named, does not matter."""


@pytest.fixture(autouse=True, scope="module")
def _imported() -> None:
    """Import all of axmem: what a run inside this process imports first, pytester would forget again."""
    for module in pkgutil.walk_packages(axmem.__path__, "axmem."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    import_module("z3")


@pytest.fixture(autouse=True)
def _at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget that the tests may run under continuous integration: pytest cuts its summary's lines only where not.

    No plugin is loaded because it is installed: ours is named, and of others some warn, or start slowly.
    """
    for name in ("CI", "BUILD_NUMBER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def files(pytester: pytest.Pytester, **texts: str) -> None:
    pytester.makeini("[pytest]\n")
    for name, text in texts.items():
        (pytester.path / f"{name}.litmus").write_text(text, encoding="utf-8")


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess(*PLUGIN, *arguments)


def collected(pytester: pytest.Pytester, *arguments: str) -> Sequence[str]:
    items, _ = pytester.inline_genitems(*PLUGIN, *arguments)
    return [item.nodeid for item in items]


def test_an_item_for_each_test_and_model(pytester: pytest.Pytester) -> None:
    files(
        pytester,
        relaxed=f"{RELAXED}expect llvm sometimes\nexpect sc never\nexpect amdgpu[coh=langref] sometimes\n",
        ordered=f"{ORDERED}outcomes sc {{\n  P1:r0=0 P1:r1=0\n  P1:r0=0 P1:r1=1\n  P1:r0=1 P1:r1=1\n}}\n",
        nothing=RELAXED,
    )
    (pytester.path / "module.ll").write_text("define void @f() {\n  ret void\n}\n", encoding="utf-8")
    named = ["ordered.litmus::sc", "relaxed.litmus::llvm", "relaxed.litmus::sc"]
    assert collected(pytester) == [*named, "relaxed.litmus::amdgpu[coh=langref]"]
    result = run(pytester)
    result.assert_outcomes(passed=4)
    assert result.ret == 0


def test_a_model_of_the_command_line_takes_the_place_of_those_of_a_test(pytester: pytest.Pytester) -> None:
    files(pytester, relaxed=f"{RELAXED}expect llvm sometimes\n", ordered=f"{ORDERED}expect sc never\n")
    (pytester.path / "mine.cat").write_text('"mine"\nacyclic po | rf | co | fr as order\n', encoding="utf-8")
    assert collected(pytester, "--axmem-model", "mine.cat", "relaxed.litmus") == ["relaxed.litmus::mine.cat"]
    result = run(pytester, "-rs", "--axmem-model", "sc", "--axmem-model", "mine.cat")
    result.assert_outcomes(passed=1, skipped=3)
    result.stdout.fnmatch_lines(["SKIPPED * the test expects nothing under mine.cat"])


def test_a_model_that_does_not_load_ends_the_run(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--axmem-model", "llvn")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --model:1:1: error: unknown model 'llvn'"])


def test_a_failure_shows_the_outcomes_that_differ_and_why(pytester: pytest.Pytester) -> None:
    rows = "outcomes llvm {\n  P1:r0=0 P1:r1=0\n  P1:r0=0 P1:r1=1\n  P1:r0=1 P1:r1=0\n}\n"
    files(pytester, ordered=f'{ORDERED}expect llvm sometimes "a mistake"\n{rows}')
    result = run(pytester, "-v")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "expected sometimes, found never; expected 3 outcomes, found 3 outcomes",
            '    ordered.litmus:12: expected sometimes, found never  "a mistake"',
            "      missing     P1:r0=1  P1:r1=0",
            "      unexpected  P1:r0=1  P1:r1=1",
            "$ axmem run --why ordered.litmus --model llvm",
            "ordered  llvm  forbidden: P1:r0=1 /\\ P1:r1=0",
            "  Excluded by*",
            "$ axmem run --why ordered.litmus --model llvm --outcome 'P1:r0=1 /\\ P1:r1=1'",
            "ordered  llvm  allowed: P1:r0=1 /\\ P1:r1=1",
            "FAILED ordered.litmus::llvm - Failed: expected sometimes, found never; exp*",
        ]
    )
    assert result.stdout.str().count("$ axmem run --why") == 2, "what is missing is the condition, explained once"


def test_under_continuous_integration_the_summary_has_a_line_for_a_failure(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    files(pytester, ordered=f"{ORDERED}expect llvm sometimes\n")
    result = run(pytester)
    assert result.outlines[-2:][0] == "FAILED ordered.litmus::llvm - Failed: expected sometimes, found never"
    assert result.stdout.str().count("$ axmem run --why") == 1


def test_of_always_and_sometimes_the_explanation_is_of_what_does_not_hold(pytester: pytest.Pytester) -> None:
    files(pytester, relaxed=f"{RELAXED}expect llvm always\n")
    result = run(pytester)
    result.stdout.fnmatch_lines(
        ["expected always, found sometimes", "*--outcome '~(P1:r0=1 /\\ P1:r1=0)'", "relaxed  llvm  allowed: ~(*"]
    )


def test_a_bad_file_fails_and_keeps_no_other_from_running(pytester: pytest.Pytester) -> None:
    files(pytester, bad="litmus bad\nthread P0 {\n  r0 = laod x\n}\n", good=f"{RELAXED}expect llvm sometimes\n")
    result = run(pytester)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*bad.litmus:3:13: error: *", "    r0 = laod x", "FAILED bad.litmus::input - *"])


def test_what_a_limit_cut_is_no_pass(pytester: pytest.Pytester) -> None:
    files(pytester, relaxed=f"{RELAXED}expect llvm sometimes\n")
    result = run(pytester, "--axmem-timeout", "0.000000001")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["unknown: the time limit was reached"])
    assert run(pytester, "--axmem-timeout", "0").ret == pytest.ExitCode.USAGE_ERROR


@pytest.mark.parametrize(
    ("place", "item"), [("axmem.events.unroll.Unroller.run", "llvm"), ("axmem.litmus.parser.TestParser.tree", "input")]
)
def test_an_internal_error_is_no_failure_of_the_test(
    place: str, item: str, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is said to be one, has pytest's own code of internal errors, and shows a traceback where that is asked for."""

    def fail(*_: object, **__: object) -> None:
        raise KeyError("provoked")

    monkeypatch.setattr(place, fail)
    files(pytester, ordered=f"{ORDERED}expect llvm never\n")
    result = run(pytester)
    assert result.ret == pytest.ExitCode.INTERNAL_ERROR
    result.stdout.fnmatch_lines(
        [
            "internal error: KeyError: 'provoked' (*",
            f"FAILED ordered.litmus::{item} - Failed: internal error: KeyError*",
        ]
    )
    assert "expected" not in result.stdout.str() and "Traceback" not in result.stdout.str()
    assert 'raise KeyError("provoked")' not in result.stdout.str()
    monkeypatch.setenv(TRACEBACK, "1")
    run(pytester).stdout.fnmatch_lines(['*raise KeyError("provoked")'])


def test_spent_memory_is_unknown_and_no_fault(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    def spend(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("axmem.litmus.parser.TestParser.tree", spend)
    files(pytester, ordered=f"{ORDERED}expect llvm never\n")
    result = run(pytester)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["unknown: *memory*"])


def test_an_ordinary_failure_has_the_code_of_failures(pytester: pytest.Pytester) -> None:
    files(pytester, ordered=f"{ORDERED}expect llvm sometimes\n")
    assert run(pytester).ret == pytest.ExitCode.TESTS_FAILED


def test_no_consistent_execution_is_no_pass(pytester: pytest.Pytester) -> None:
    """A model that forbids every execution answers nothing: `never` of what it cannot have fails, and says why."""
    files(pytester, ordered=f"{ORDERED}expect nothing.cat never\n", other=f"{ORDERED}expect sc never\n")
    (pytester.path / "nothing.cat").write_text('"nothing"\nempty id as nothing\n', encoding="utf-8")
    result = run(pytester, "--axmem-model", "nothing.cat", "ordered.litmus")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*no execution is consistent*", "FAILED ordered.litmus::nothing.cat - *"])


@in_full
def test_under_xdist_the_items_are_the_same(pytester: pytest.Pytester) -> None:
    text = f"{ORDERED}expect llvm never\nexpect sc never\nexpect amdgpu never\n"
    files(pytester, one=text, two=f"{RELAXED}expect sc sometimes\nexpect llvm sometimes\n")
    result = run(pytester, "-n", "2")
    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(["expected sometimes, found never", "FAILED two.litmus::sc - Failed: expected *"])


def test_pytest_finds_the_plugin_and_our_own_tests_do_without() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert '[project.entry-points.pytest11]\naxmem = "axmem.commands.pytest_plugin"\n' in project
    assert "--disable-plugin-autoload" in project


def test_the_page_shows_what_pytest_prints(pytester: pytest.Pytester) -> None:
    page = sections(ROOT / "docs" / "ci.md")["pytest"]
    text, shown = re.findall(r"^```\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    files(pytester, message=text)
    command, output = shown.split("\n", 1)
    arguments = shlex.split(command.removeprefix("$ pytest "))
    printed = re.sub(r"in \d+\.\d+s$", "in # s", run(pytester, *arguments).stdout.str(), flags=re.MULTILINE)
    assert re.fullmatch(re.escape(output.strip()).replace("\\ \\ \\ \\ …", "(?s:.*)"), printed.strip())
