"""Mutated models against the corpus.

What goes in: a table, and the number of a file's definition. What comes out: for each mutation of it the first test
that turns red: a stated verdict or outcome set of it, or what flags it raises (`flags.txt`), no longer holds. Tests are
tried from the smallest, those before all that have killed another mutation of the same definition, now or on the page
as it is. One is not tried under a model in which what is changed means on it what it meant (`sameness.py`), nor under
one that the mutation leaves as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from axmem.check.expectations import MISMATCH, checks
from axmem.check.results import result_of
from axmem.check.selection import mentioned
from axmem.encoder.solve import Limits, solve
from axmem.encoder.solver import Session
from axmem.events.conventions import Conventions, conventions
from axmem.events.graph import EventGraph
from axmem.events.unroll import event_graph
from axmem.front.source import InputError, Source
from axmem.litmus.syntax import LitmusTest
from axmem.model.elaborate import elaborate
from axmem.model.library import READINGS, load, reading, text
from axmem.model.model import Model
from axmem.model.parser import parse
from axmem.model.syntax import Conditional, File, Readings
from tests.corpus import corpus_graph, corpus_test, flagged
from tests.mutants.mutations import Mutation, asked, mutations
from tests.mutants.replacements import replacements
from tests.mutants.sameness import Compared, elaborable, same, with_copies
from tests.paths import CORPUS_TESTS, RESULTS

_ROW = re.compile(r"\| `([^`]+)` +\| ([^|]+?) +\| (?:`([^`]+)`|[^|]*?) +\|")

MODELS = {
    "happens-before": ("llvm", "amdgpu", "amdgpu-doc", "amdgpu-next", "amdgpu-vulkan"),
    "values": ("llvm", "amdgpu", "amdgpu-doc", "amdgpu-next", "amdgpu-vulkan"),
    "llvm": ("llvm",),
    "amdgpu": ("amdgpu", "amdgpu-doc", "amdgpu-next", "amdgpu-vulkan"),
}
"""The texts of the models that are changed, and the models made of each."""


def _of_readings() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for file, models in MODELS.items():
        for statement in parse(text(file)).statements:
            for name in statement.names if isinstance(statement, Readings) else ():
                found[f"{READINGS}/{name}"] = models
    return found


FILES = {**MODELS, **_of_readings()}
"""The files that are changed, and the models made of each: texts of models, and other readings of them."""


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
    return tuple(dict.fromkeys((file, m.name) for file in FILES for m in mutations_of(table, file)))


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
    for index, mutation in enumerate(mutations_of(table, file)):
        if mutation.name == name:
            before = [test for *_, action, test in known if action == mutation.action]
            first = [*before, *(t.killer for t in found if t.killer), *(test for *_, test in known)]
            mutant = _Mutant(file, mutation, numbers().get((table, file, index), 0))
            found.append(Trial(file, name, mutation.action, _killer(mutant, first)))
    return found


def killed_by(table: str, file: str, name: str, action: str, test: str) -> bool:
    """Tell whether a test is red under a mutation."""
    mutation = next(m for m in mutations_of(table, file) if (m.name, m.action) == (name, action))
    return _red(_subjects()[test], _Mutant(file, mutation, 0))


def retrial(question: tuple[str, Trial, tuple[str, ...]]) -> Trial:
    """Try a mutation that turned no test red on some tests alone, of a table by its name."""
    table, trial, tests = question
    killer = next((name for name in tests if killed_by(table, trial.file, trial.name, trial.action, name)), "")
    return replace(trial, killer=killer)


def _killer(mutant: _Mutant, first: list[str]) -> str | None:
    subjects = _subjects()
    try:
        mutant.model((FILES[mutant.file][0], ()))
        likely = next((name for name in dict.fromkeys(first) if name in subjects and _red(subjects[name], mutant)), "")
        others = (name for name in subjects if name not in first and _red(subjects[name], mutant, compared=True))
        return likely or next(others, "")
    except InputError:
        return None


class _Mutant:
    """The models that a changed file makes; `number` is that of the change, 0 if it is not compared."""

    def __init__(self, file: str, mutation: Mutation, number: int) -> None:
        self.file = file
        self.mutation = mutation
        self.number = number
        self.made: dict[Choice, Model | None] = {}
        conditions = [s.condition for s in _parsed(text_of(file)).statements if isinstance(s, Conditional)]
        self.readings = frozenset(name for condition in conditions for name in asked(condition))
        """What a reading is about, `name=value`: under no other choice does it replace anything."""

    def model(self, choice: Choice) -> Model | None:
        """Return the model under a choice of variants; None if it is the one that it was."""
        if choice not in self.made:
            name, variants = choice
            was = load(name, dict(variants))
            values = (f"{v.name}={dict(variants).get(v.name, v.default)}" for v in was.variants)
            if self.readings and self.readings.isdisjoint(values):
                self.made[choice] = None
                return None
            made = elaborate(text(name), dict(variants), _include, self._tree)
            self.made[choice] = None if _said(made) == _said(was) else made
        return self.made[choice]

    def _tree(self, source: Source) -> File:
        return self.mutation.tree if source.name == f"{self.file}.cat" else _parsed(source)


def _said(model: Model) -> tuple[object, ...]:
    rules = [(a.kind, a.term, a.name, a.negated, a.flag) for a in model.axioms]
    return model.terms, model.fixpoints, rules, [(u.term, u.name) for u in model.undefs]


def _red(subject: Subject, mutant: _Mutant, *, compared: bool = False) -> bool:
    """Tell whether a test is red; what changes nothing on it is looked up first, if changes are `compared`."""
    for choice in subject.choices:
        if choice[0] in FILES[mutant.file]:
            if compared and mutant.number and mutant.number in unchanged_on(subject.name, choice):
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
def numbers() -> dict[tuple[str, str, int], int]:
    """Return numbers for the changes of the models' texts that can be compared: by table, file and index."""
    places = (
        (table, file, index) for table in TABLES for file in MODELS for index in range(len(mutations_of(table, file)))
    )
    return {place: number for number, place in enumerate(places, 1)}


@cache
def _changes() -> Mapping[str, Compared]:
    """Return the changes that can be compared, by the names of the texts' sources."""
    found: dict[str, Compared] = {}
    for file in MODELS:
        some = {n: mutations_of(table, f)[i].change for (table, f, i), n in numbers().items() if f == file}
        found[f"{file}.cat"] = {number: change for number, change in some.items() if change is not None}
    for model in FILES["happens-before"]:
        found = elaborable(found, partial(_with_copies, model, ()))
    return found


def _with_copies(name: str, variants: Variants, changes: Mapping[str, Compared]) -> Model:
    def tree(source: Source) -> File:
        return with_copies(_parsed(source), changes.get(source.name, {}))

    return elaborate(text(name), dict(variants), _include, tree)


@cache
def _copied(choice: Choice) -> Model:
    return _with_copies(*choice, _changes())


@cache
def unchanged_on(name: str, choice: Choice) -> frozenset[int]:
    """Return the numbers of the changes that change nothing on a test under a model."""
    subject, model = _subjects()[name], _copied(choice)
    decided = conventions(model)
    graph = subject.graph if decided == Conventions() else event_graph(subject.test, decided)
    known = {d.name for d in model.definitions}
    return same(graph, model, [k for some in _changes().values() for k in some if f"after {k}" in known])


@cache
def _subjects() -> Mapping[str, Subject]:
    """Return the tests by name, from the smallest."""
    found = []
    for path in CORPUS_TESTS:
        test = corpus_test(path)
        name = f"{path.parent.name}/{path.stem}"
        flagged = [choice for test_name, choice in _flags() if test_name == name]
        stated = [(c.model, tuple(sorted(c.variants))) for c in mentioned(test)]
        found.append(Subject(name, test, corpus_graph(path), tuple(dict.fromkeys((*stated, *flagged)))))
    return {s.name: s for s in sorted(found, key=lambda s: (len(s.graph.events), s.name))}


@cache
def _flags() -> Mapping[tuple[str, Choice], frozenset[str]]:
    """Return the flags that a test raises under a model, where that is stated."""
    return {(test, (model, tuple(sorted(variants.items())))): raised for test, model, variants, raised in flagged()}


@cache
def mutations_of(table: str, file: str) -> tuple[Mutation, ...]:
    return tuple(TABLES[table].mutations(_parsed(text_of(file))))


def text_of(file: str) -> Source:
    """Return the text of a file that is changed."""
    found = reading(file.removeprefix(f"{READINGS}/")) if file.startswith(READINGS) else text(file)
    assert found is not None, file
    return found


@cache
def _parsed(source: Source) -> File:
    return parse(source)


@cache
def _session() -> Session:
    return Session()


def _include(name: str, _: Source) -> Source:
    return text_of(name.removesuffix(".cat"))
