"""The tests of the corpus, parsed and unrolled once for all that ask for them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from axmem.check.selection import parse_choice
from axmem.events.conventions import Conventions, conventions
from axmem.events.graph import EventGraph
from axmem.events.unroll import event_graph
from axmem.formats.reading import parse_file
from axmem.litmus.syntax import LitmusTest
from axmem.litmus.words import AMDGPU, Hierarchy
from axmem.model.library import load, names
from axmem.model.model import Model
from tests.paths import CORPUS, CORPUS_TESTS

FAR = {
    "Await+lock", "Await+ticket", "PlainFirst+scopes.readonly", "RMW+scopes+chain", "Tear+CoWR",
    "W+scopes+fence.sc.readonly",
}  # fmt: skip
"""What brute force does not reach in a minute; `test_awaits` holds those that wait against more iterations."""


@cache
def corpus_test(path: Path) -> LitmusTest:
    """Return a test of the corpus."""
    return parse_file(path)


@cache
def corpus_tests() -> tuple[LitmusTest, ...]:
    """Return the tests of the corpus, in order of their paths."""
    return tuple(map(corpus_test, CORPUS_TESTS))


def corpus_graph(path: Path, model: Model | None = None) -> EventGraph:
    """Return the events of a test of the corpus as a model needs them, if one is given."""
    return _graph(path, Conventions() if model is None else conventions(model))


@cache
def _graph(path: Path, decided: Conventions) -> EventGraph:
    return event_graph(corpus_test(path), decided)


def judging(levels: Hierarchy = AMDGPU) -> tuple[str, ...]:
    """Return the models of the package that judge tests of these levels."""
    return tuple(name for name in names() if load(name).levels == levels)


@cache
def flagged() -> tuple[tuple[str, str, dict[str, str], frozenset[str]], ...]:
    """Return the rows of `flags.txt`: a test as FAMILY/NAME, a model, its variants, and the flags that are raised."""
    families = {path.stem: path.parent.name for path in CORPUS_TESTS}
    found = []
    for line in (CORPUS / "flags.txt").read_text(encoding="utf-8").splitlines():
        name, model, *flags = line.partition("#")[0].split() or ("", "")
        if name:
            choice = parse_choice(model)
            raised = frozenset(flags) - {"-"}
            found.append((f"{families[name]}/{name}", choice.model, dict(choice.variants), raised))
    return tuple(found)
