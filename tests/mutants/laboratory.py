"""Mutated models against the corpus.

What goes in: the number of a file's definition. What comes out: for each mutation of it the first test that turns red:
a stated verdict or outcome set of it, or a flag that it is known to raise, no longer holds. Tests are tried from the
smallest, those before all that have killed another mutation of the same definition, now or on the page as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from axmem.check.expectations import MISMATCH, checks
from axmem.check.results import result_of
from axmem.check.selection import mentioned
from axmem.encoder.events import EventGraph
from axmem.encoder.solve import Limits, solve
from axmem.encoder.solver import Session
from axmem.encoder.unroll import Conventions, conventions, event_graph
from axmem.formats.reading import parse_file
from axmem.front.source import InputError, Source
from axmem.litmus.syntax import LitmusTest
from axmem.model.elaborate import elaborate
from axmem.model.library import load, text
from axmem.model.parser import parse
from axmem.model.syntax import File
from axmem.model.terms import Model
from tests.model.test_axioms_bite import FLAGS
from tests.mutants.mutations import Mutation, mutations
from tests.paths import CORPUS, RESULTS

PAGE = RESULTS / "mutants.md"
_ROW = re.compile(r"\| `([^`]+)` +\| ([^|]+?) +\| `([^`]+)` +\|")

FILES = {
    "happens-before": ("llvm", "amdgpu", "amdgpu-doc", "amdgpu-next", "amdgpu-vulkan"),
    "values": ("llvm", "amdgpu", "amdgpu-doc", "amdgpu-next", "amdgpu-vulkan"),
    "llvm": ("llvm",),
    "amdgpu": ("amdgpu", "amdgpu-doc", "amdgpu-next", "amdgpu-vulkan"),
}
"""The files that are changed, and the models made of each."""

LIMITS = Limits(seconds=3600.0, outcomes=20_000)
"""What a test may cost under a mutation; one that has more outcomes is not red. The time is a guard against a hang."""

Variants = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Subject:
    """A test, its events, and the models under which something is known of it: their names and variants."""

    name: str
    test: LitmusTest
    graph: EventGraph
    choices: tuple[tuple[str, Variants], ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of one mutation: the test that turned red, empty if none did; None if the mutation is no model."""

    file: str
    name: str
    action: str
    killer: str | None


@cache
def definitions() -> tuple[tuple[str, str], ...]:
    """Return every file and name of a definition, axiom, undef rule or flag, in the order of the text."""
    return tuple(dict.fromkeys((file, m.name) for file in FILES for m in _mutations(file)))


@cache
def rows() -> tuple[tuple[str, str, str, str], ...]:
    """Return file, definition, change and red test of each row of the page as it is that has one."""
    found = []
    for part in PAGE.read_text(encoding="utf-8").split("\n## ")[1:] if PAGE.exists() else ():
        file = part.split("`")[1].removesuffix(".cat")
        for name, action, test in _ROW.findall(part):
            found.append((file, name, action.replace("∪", "|").replace("∩", "&"), test))
    return tuple(found)


def trials(number: int) -> list[Trial]:
    """Try every mutation of a definition, given by its number."""
    file, name = definitions()[number]
    known = [row for row in rows() if row[:2] == (file, name)]
    found: list[Trial] = []
    for mutation in _mutations(file):
        if mutation.name == name:
            same = [test for *_, action, test in known if action == mutation.action]
            first = [*same, *(t.killer for t in found if t.killer), *(test for *_, test in known)]
            found.append(Trial(file, name, mutation.action, _killer(file, mutation, first)))
    return found


def killed_by(file: str, name: str, action: str, test: str) -> bool:
    """Tell whether a test is red under a mutation."""
    mutation = next(m for m in _mutations(file) if (m.name, m.action) == (name, action))
    return _red(_subjects()[test], _Mutant(file, mutation.tree))


def _killer(file: str, mutation: Mutation, first: list[str]) -> str | None:
    mutant, subjects = _Mutant(file, mutation.tree), _subjects()
    try:
        tried = (name for name in dict.fromkeys((*first, *subjects)) if name in subjects)
        return next((name for name in tried if _red(subjects[name], mutant)), "")
    except InputError:
        return None


class _Mutant:
    """The models that a changed file makes."""

    def __init__(self, file: str, tree: File) -> None:
        self.file = file
        self.tree = tree
        self.made: dict[tuple[str, Variants], Model] = {}

    def model(self, choice: tuple[str, Variants]) -> Model:
        if choice not in self.made:
            name, variants = choice
            self.made[choice] = elaborate(text(name), dict(variants), _include, self._tree)
        return self.made[choice]

    def _tree(self, source: Source) -> File:
        return self.tree if source.name == f"{self.file}.cat" else _parsed(source)


def _red(subject: Subject, mutant: _Mutant) -> bool:
    for choice in subject.choices:
        if choice[0] in FILES[mutant.file]:
            model = mutant.model(choice)
            decided = conventions(model)
            graph = subject.graph if decided == Conventions() else event_graph(subject.test, decided)
            solved = solve(graph, model, LIMITS, _session())
            flag = _flags().get((subject.name, choice))
            if flag and (flag[0] in solved.flags) != flag[1]:
                return True
            result = result_of(subject.test, model, graph, solved, 0.0)
            if any(c.status == MISMATCH for c in checks(subject.test, model, result)):
                return True
    return False


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
def _flags() -> Mapping[tuple[str, tuple[str, Variants]], tuple[str, bool]]:
    """Return the flag of which it is known whether a test raises it under a model that has it."""
    found = {}
    for flag, witnesses in FLAGS.items():
        for (test, variants), raised in zip(witnesses, (True, False), strict=True):
            for model in ("llvm", "amdgpu"):
                if all(axiom.name != flag for axiom in load(model).axioms):
                    continue
                defaults = {v.name: v.default for v in load(model).variants}
                chosen = tuple(sorted((k, v) for k, v in variants.items() if defaults.get(k, v) != v))
                found[test, (model, chosen)] = flag, raised
    return found


@cache
def _mutations(file: str) -> tuple[Mutation, ...]:
    return tuple(mutations(_parsed(text(file))))


@cache
def _parsed(source: Source) -> File:
    return parse(source)


@cache
def _session() -> Session:
    return Session()


def _include(name: str, _: Source) -> Source:
    return text(name.removesuffix(".cat"))
