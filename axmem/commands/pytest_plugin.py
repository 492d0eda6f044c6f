"""The plugin of pytest: litmus tests as tests.

What goes in: the files that pytest comes across and that commands would take from a directory: `.litmus`, and others
that show that they are tests. What comes out: for each of them that expects something an item per model, which passes
if all of that holds, and otherwise fails with the outcomes that differ and why the model has them or not. Invariants:
an answer that a limit cut is no pass; a file that cannot be read is an item that fails, so that it keeps no other from
running; a fault of axmem itself is told apart from both; pytest starts without importing more of axmem than this.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from axmem.front.inputs import SUFFIXES, is_marked
from axmem.front.options import seconds
from axmem.front.typing import override

if TYPE_CHECKING:
    from axmem.check.judging import Question
    from axmem.litmus.syntax import LitmusTest
    from axmem.model.model import Model

UNREADABLE = "input"
"""The name of the item that stands for a file with errors."""

INTERNAL = ("axmem", "internal error")
"""The property of an item that ended in a fault of axmem itself; reports carry it, from other processes too."""

_FAULTS = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("axmem", "litmus tests under memory models")
    group.addoption(
        "--axmem-model",
        metavar="M",
        action="append",
        default=[],
        help="a model, as in axmem run --model; may be repeated (default: those for which a test expects something)",
    )
    group.addoption("--axmem-timeout", metavar="S", type=seconds, help="seconds for each test and model")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse models that do not load before anything is run."""
    if config.getoption("--axmem-model"):
        from axmem.check.selection import selection
        from axmem.front.source import InputError

        try:
            selection(config.getoption("--axmem-model"))
        except InputError as error:
            raise pytest.UsageError(str(error)) from None


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> LitmusFile | None:
    """Return what collects from a file that may be a test."""
    if file_path.suffix not in SUFFIXES or not is_marked(str(file_path)):
        return None
    found: LitmusFile = LitmusFile.from_parent(parent, path=file_path)
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report: pytest.CollectReport | pytest.TestReport, config: pytest.Config) -> None:
    """Note an internal error among the reports that come in."""
    if isinstance(report, pytest.TestReport) and INTERNAL in map(tuple, report.user_properties):
        config.stash[_FAULTS] = True


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """End with pytest's own code of internal errors if there was one: it is no failure of a test."""
    if session.config.stash.get(_FAULTS, False) and not hasattr(session.config, "workerinput"):
        session.exitstatus = pytest.ExitCode.INTERNAL_ERROR


class LitmusFile(pytest.File):
    """A file with a test."""

    @override
    def collect(self) -> Iterator[LitmusItem]:
        """Yield an item for each model under which the test is run, or one that says what is wrong with the file."""
        from axmem.check.judging import Question, models_for
        from axmem.check.selection import label
        from axmem.encoder.solve import Limits
        from axmem.formats.reading import parse_file
        from axmem.front.source import InputError
        from axmem.report.failure import replace_name

        models = tuple(self.config.getoption("--axmem-model"))
        limits = Limits(self.config.getoption("--axmem-timeout"))
        question = Question(_shown(self.path), "", models, limits=limits)
        try:
            test = parse_file(question.name)
            if not (test.expectations or test.outcome_sets):
                return
            chosen = models_for(test, question)
        except InputError as error:
            yield LitmusItem.from_parent(self, name=UNREADABLE, error=str(error))
            return
        except Exception as error:
            yield LitmusItem.from_parent(self, name=UNREADABLE, fault=error)
            return
        for reference, model in chosen:
            name = replace_name(label(model), model.name, reference)
            yield LitmusItem.from_parent(self, name=name, asked=(question, test, (reference, model)))


class LitmusItem(pytest.Item):
    """A test under a model, the `error` of a file that is none, or the `fault` that came of reading it."""

    def __init__(
        self,
        *,
        error: str = "",
        fault: Exception | None = None,
        asked: tuple[Question, LitmusTest, tuple[str, Model]] | None = None,
        **rest: Any,
    ) -> None:
        super().__init__(**rest)
        # pytest-lsp looks for fixtures of items, and fails at one that cannot have any.
        self.funcargs: dict[str, object] = {}
        self.error = error
        self.fault = fault
        self.asked = asked

    @override
    def runtest(self) -> None:
        """Judge the test: what does not hold fails it, what was not asked skips it, a fault of axmem is called one."""
        try:
            if self.fault is not None:
                raise self.fault
            self._judge()
        except Exception as error:
            from axmem.check.limits import ran_out_of_memory
            from axmem.encoder.limits import MEMORY_LIMIT
            from axmem.front.exits import TRACEBACK, fault

            if ran_out_of_memory(error):
                pytest.fail(f"unknown: {MEMORY_LIMIT}", pytrace=False)
            self.user_properties.append(INTERNAL)
            if os.environ.get(TRACEBACK):
                raise
            pytest.fail(fault(error), pytrace=False)

    def _judge(self) -> None:
        from axmem.check.judging import answer_under
        from axmem.front.source import InputError
        from axmem.report.failure import failure

        if self.asked is None:
            pytest.fail(self.error, pytrace=False)
        question, test, chosen = self.asked
        limit = question.limits.seconds
        try:
            answer = answer_under(chosen, question, test, seconds=limit)
        except InputError as error:
            pytest.fail(str(error), pytrace=False)
        if answer.status == "mismatch":
            pytest.fail("\n".join(failure(question.name, test, chosen, answer, seconds=limit)), pytrace=False)
        if answer.status == "unknown":
            why = "; ".join(map(str, answer.result.incomplete)) or "not all outcomes"
            pytest.fail(f"unknown: {why}", pytrace=False)
        if answer.status == "unchecked":
            pytest.skip(f"the test expects nothing under {self.name}")

    @override
    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return what is shown of a failure: in a summary its first line alone, where pytest runs under CI as well."""
        shown = super().repr_failure(excinfo, style)
        crash = getattr(shown, "reprcrash", None)
        if crash is not None:
            crash.message = crash.message.partition("\n")[0]
        return shown

    @override
    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return where the test is: its first expectation under some model, as pytest counts lines, from 0."""
        spans = [b.span for b in self.asked[1].expectations] if self.asked else []
        spans += [b.span for b in self.asked[1].outcome_sets] if self.asked else []
        return self.path, min(spans).line - 1 if spans else None, f"{self.path.name}: {self.name}"


def _shown(path: Path) -> str:
    """Return the path as a command line from here has it."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
