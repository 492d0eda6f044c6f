"""Mutated models against the corpus.

What goes in: a table, and the number of a file's definition. What comes out: for each mutation of it the first test
that turns red: a stated verdict or outcome set of it, or what flags it raises (`flags.txt`), no longer holds. Tests are
tried from the smallest, those before all that have killed another mutation of the same definition, now or on the page
as it is. One is not tried under a model in which the name that is replaced means on it what its neighbour means, nor
under one that the mutation leaves as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from axmem.check.expectations import MISMATCH, checks
from axmem.check.results import result_of
from axmem.check.selection import mentioned
from axmem.encoder.solve import Limits, solve
from axmem.encoder.solver import Session
from axmem.events.conventions import Conventions, conventions
from axmem.events.graph import EventGraph
from axmem.events.unroll import event_graph
from axmem.formats.reading import parse_file
from axmem.front.source import InputError, Source
from axmem.litmus.syntax import LitmusTest
from axmem.model.elaborate import elaborate
from axmem.model.library import load, reading, text
from axmem.model.parser import parse
from axmem.model.syntax import File
from axmem.model.terms import Model
from tests.corpus import flagged
from tests.mutants.mutations import Mutation, mutations
from tests.mutants.replacements import replacements
from tests.mutants.sameness import Exchange, same
from tests.paths import CORPUS, RESULTS

_ROW = re.compile(r"\| `([^`]+)` +\| ([^|]+?) +\| (?:`([^`]+)`|[^|]*?) +\|")

FILES = {
    "happens-before": ("llvm", "amdgpu", "amdgpu-doc", "amdgpu-next", "amdgpu-vulkan"),
    "values": ("llvm", "amdgpu", "amdgpu-doc", "amdgpu-next", "amdgpu-vulkan"),
    "llvm": ("llvm",),
    "amdgpu": ("amdgpu", "amdgpu-doc", "amdgpu-next", "amdgpu-vulkan"),
}
"""The files that are changed, and the models made of each."""


@dataclass(frozen=True, slots=True)
class Table:
    """A kind of mutations: the page with what came of them, and what yields them for a file."""

    page: Path
    mutations: Callable[[File], Iterator[Mutation]]


TABLES = {
    "deletions": Table(RESULTS / "mutants.md", mutations),
    "replacements": Table(RESULTS / "replacements.md", replacements),
}

LIMITS = Limits(seconds=3600.0, outcomes=20_000)
"""What a test may cost under a mutation; one that has more outcomes is not red. The time is a guard against a hang."""

Variants = tuple[tuple[str, str], ...]
Choice = tuple[str, Variants]
"""A model and the variants that are not the defaults."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A test, its events, and the models under which something is known of it: their names and variants."""

    name: str
    test: LitmusTest
    graph: EventGraph
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of one mutation: the test that turned red, empty if none did; None if the mutation is no model."""

    file: str
    name: str
    action: str
    killer: str | None


@cache
def definitions(table: str) -> tuple[tuple[str, str], ...]:
    """Return every file and name of a definition, axiom, undef rule or flag that has mutations, in order."""
    return tuple(dict.fromkeys((file, m.name) for file in FILES for m in _mutations(table, file)))


@cache
def rows(table: str) -> tuple[tuple[str, str, str, str], ...]:
    """Return file, definition, change and red test of each row of the page as it is that has one."""
    return tuple((t.file, t.name, t.action, t.killer) for t in page_trials(table) if t.killer)


@cache
def page_trials(table: str) -> tuple[Trial, ...]:
    """Return what the page as it is says came of each mutation."""
    found, page = [], TABLES[table].page
    for part in page.read_text(encoding="utf-8").split("\n## ")[1:] if page.exists() else ():
        file = part.split("`")[1].removesuffix(".cat")
        for name, action, test in _ROW.findall(part):
            found.append(Trial(file, name, action.replace("∪", "|").replace("∩", "&"), test))
    return tuple(found)


def trials(question: tuple[str, int]) -> list[Trial]:
    """Try every mutation that a table has of a definition, given by its number."""
    table, number = question
    file, name = definitions(table)[number]
    known = [row for row in rows(table) if row[:2] == (file, name)]
    found: list[Trial] = []
    for mutation in _mutations(table, file):
        if mutation.name == name:
            before = [test for *_, action, test in known if action == mutation.action]
            first = [*before, *(t.killer for t in found if t.killer), *(test for *_, test in known)]
            found.append(Trial(file, name, mutation.action, _killer(file, mutation, first)))
    return found


def killed_by(table: str, file: str, name: str, action: str, test: str) -> bool:
    """Tell whether a test is red under a mutation."""
    mutation = next(m for m in _mutations(table, file) if (m.name, m.action) == (name, action))
    return _red(_subjects()[test], _Mutant(file, mutation))


def retrial(question: tuple[str, Trial, tuple[str, ...]]) -> Trial:
    """Try a mutation that turned no test red on some tests alone, of a table by its name."""
    table, trial, tests = question
    killer = next((name for name in tests if killed_by(table, trial.file, trial.name, trial.action, name)), "")
    return replace(trial, killer=killer)


def _killer(file: str, mutation: Mutation, first: list[str]) -> str | None:
    mutant, subjects = _Mutant(file, mutation), _subjects()
    try:
        mutant.model((FILES[file][0], ()))
        tried = (name for name in dict.fromkeys((*first, *subjects)) if name in subjects)
        return next((name for name in tried if _red(subjects[name], mutant)), "")
    except InputError:
        return None


class _Mutant:
    """The models that a changed file makes."""

    def __init__(self, file: str, mutation: Mutation) -> None:
        self.file = file
        self.mutation = mutation
        self.made: dict[Choice, Model | None] = {}

    def model(self, choice: Choice) -> Model | None:
        """Return the model under a choice of variants; None if it is the one that it was."""
        if choice not in self.made:
            name, variants = choice
            made = elaborate(text(name), dict(variants), _include, self._tree)
            self.made[choice] = None if _said(made) == _said(load(name, dict(variants))) else made
        return self.made[choice]

    def _tree(self, source: Source) -> File:
        return self.mutation.tree if source.name == f"{self.file}.cat" else _parsed(source)


def _said(model: Model) -> tuple[object, ...]:
    rules = [(a.kind, a.term, a.name, a.negated, a.flag) for a in model.axioms]
    return model.terms, model.fixpoints, rules, [(u.term, u.name) for u in model.undefs]


def _red(subject: Subject, mutant: _Mutant) -> bool:
    for choice in subject.choices:
        if choice[0] in FILES[mutant.file]:
            exchanged = mutant.mutation.exchanged
            if exchanged is not None and exchanged in _same(subject.name, choice):
                continue
            model = mutant.model(choice)
            if model is None:
                continue
            decided = conventions(model)
            graph = subject.graph if decided == Conventions() else event_graph(subject.test, decided)
            solved = solve(graph, model, LIMITS, _session())
            flags = _flags().get((subject.name, choice))
            if flags is not None and flags != frozenset(solved.flags):
                return True
            result = result_of(subject.test, model, graph, solved, 0.0)
            if any(c.status == MISMATCH for c in checks(subject.test, model, result)):
                return True
    return False


@cache
def _same(name: str, choice: Choice) -> frozenset[Exchange]:
    """Return the names that mean the same on a test under a model."""
    subject, model = _subjects()[name], load(choice[0], dict(choice[1]))
    decided = conventions(model)
    graph = subject.graph if decided == Conventions() else event_graph(subject.test, decided)
    return same(graph, model)


@cache
def _subjects() -> Mapping[str, Subject]:
    """Return the tests by name, from the smallest."""
    found = []
    for path in sorted(CORPUS.rglob("*.litmus")):
        test = parse_file(path)
        name = f"{path.parent.name}/{path.stem}"
        flagged = [choice for test_name, choice in _flags() if test_name == name]
        stated = [(c.model, tuple(sorted(c.variants))) for c in mentioned(test)]
        found.append(Subject(name, test, event_graph(test), tuple(dict.fromkeys((*stated, *flagged)))))
    return {s.name: s for s in sorted(found, key=lambda s: (len(s.graph.events), s.name))}


@cache
def _flags() -> Mapping[tuple[str, Choice], frozenset[str]]:
    """Return the flags that a test raises under a model, where that is stated."""
    return {(test, (model, tuple(sorted(variants.items())))): raised for test, model, variants, raised in flagged()}


@cache
def _mutations(table: str, file: str) -> tuple[Mutation, ...]:
    return tuple(TABLES[table].mutations(_parsed(text(file))))


@cache
def _parsed(source: Source) -> File:
    return parse(source)


@cache
def _session() -> Session:
    return Session()


def _include(name: str, _: Source) -> Source | None:
    stem = name.removesuffix(".cat")
    return reading(stem.removeprefix("readings/")) if stem.startswith("readings/") else text(stem)
