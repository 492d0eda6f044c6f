"""The plugin of pytest: litmus tests as tests.

What goes in: the files that pytest comes across and that commands would take from a directory: `.litmus`, and others
that show that they are tests. What comes out: for each of them that expects something an item per model, which passes
if all of that holds, and otherwise fails with the outcomes that differ and why the model has them or not. Invariants:
an answer that a limit cut is no pass; a file that cannot be read is an item that fails, so that it keeps no other from
running; pytest starts without importing more of axmem than this.
"""

from __future__ import annotations

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
    from axmem.model.terms import Model

UNREADABLE = "input"
"""The name of the item that stands for a file with errors."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("axmem", "litmus tests under memory models")
    group.addoption(
        "--axmem-model",
        metavar="M",
        action="append",
        default=[],
        help="a model, as in axmem run --model; again for more (default: those for which a test expects something)",
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


class LitmusFile(pytest.File):
    """A file with a test."""

    @override
    def collect(self) -> Iterator[LitmusItem]:
        """Yield an item for each model under which the test is run, or one that says what is wrong with the file."""
        from axmem.check.judging import Question, models_of
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
            chosen = models_of(test, question)
        except InputError as error:
            yield LitmusItem.from_parent(self, name=UNREADABLE, error=str(error))
            return
        for reference, model in chosen:
            name = replace_name(label(model), model.name, reference)
            yield LitmusItem.from_parent(self, name=name, asked=(question, test, (reference, model)))


class LitmusItem(pytest.Item):
    """A test under a model, or the `error` of a file that is none."""

    def __init__(
        self, *, error: str = "", asked: tuple[Question, LitmusTest, tuple[str, Model]] | None = None, **rest: Any
    ) -> None:
        super().__init__(**rest)
        self.error = error
        self.asked = asked

    @override
    def runtest(self) -> None:
        """Judge the test; what does not hold fails it, and what was not asked skips it."""
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
