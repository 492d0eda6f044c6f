"""A converged-with relation over the executions of lanes' paths, and convergence-before under it.

What goes in: paths of lanes, and classes of executions, by names or as a hierarchy has them. What comes out: the
relation with what each execution is convergence-before. Invariant: convergence-before is a strict order; classes under
which it is none are no converged-with relation ([ConvergenceAndUniformity], "Convergence"), and are refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from axmem.convergence.declarative import convergence_before
from axmem.convergence.keys import Instance
from axmem.convergence.tables import ConvergenceTable, instance_names
from axmem.front.records import dataclass
from axmem.front.source import did_you_mean

Classes = tuple[tuple[Instance, ...], ...]


@dataclass(frozen=True, slots=True)
class Relation:
    """The classes of more than one execution, and what each execution is before; `source` says where they are from."""

    source: str
    names: Mapping[Instance, str]
    classes: Classes
    before: Mapping[Instance, tuple[Instance, ...]]


class WrongRelation(Exception):
    """Classes that are no converged-with relation: the message, and a hint."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def of_table(table: ConvergenceTable) -> Relation:
    """Return the maximal relation of a hierarchy."""
    classes = tuple(column for column in table.columns if len(column) > 1)
    return _relation(f"maximal, hierarchy {table.hierarchy.name}", table.paths, classes)


def written(text: str, paths: Sequence[Sequence[str]]) -> Relation:
    """Return the relation whose classes are written with commas between: `S1 S2, P2 P3`. Raises Wrong."""
    known = {name: instance for instance, name in instance_names(paths).items()}
    classes: list[tuple[Instance, ...]] = []
    for part in text.split(","):
        words = part.split()
        for word in words:
            if word not in known:
                raise WrongRelation(
                    f"no execution is named '{word}'", did_you_mean(word, known) or "the tables show the names"
                )
        found = tuple(sorted({known[word] for word in words}))
        for one, other in combinations(found, 2):
            if one.lane == other.lane or paths[one.lane][one.step] != paths[other.lane][other.step]:
                message = f"'{part.strip()}' is no class: converged are executions of one block in different lanes"
                raise WrongRelation(message)
        classes.append(found)
    several = [one for one, other in combinations(classes, 2) if set(one) & set(other)]
    if several:
        raise WrongRelation("an execution is in one class", "converged-with is transitive: write one class")
    return _relation("given", paths, tuple(found for found in classes if len(found) > 1))


def _relation(source: str, paths: Sequence[Sequence[str]], classes: Classes) -> Relation:
    names = instance_names(paths)
    pairs = [frozenset(pair) for found in classes for pair in combinations(found, 2)]
    before = convergence_before(paths, pairs)
    for instance, later in before.items():
        if instance in later:
            message = f"{names[instance]} would be convergence-before itself: this is no converged-with relation"
            raise WrongRelation(message, "convergence-before is a strict order")
    return Relation(source, names, classes, {one: tuple(sorted(later)) for one, later in before.items()})
