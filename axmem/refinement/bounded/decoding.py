"""A program of a family as a program of its space, and as a litmus test.

What goes in: a program and a solution, the truth of its literals. What comes out: a `BoundedProgram`, and back the
literals that say that a program is this one; or the text of the test. In a text each write writes a value of its own
and each read has a register of its own, so that an outcome says who reads from whom.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TypeVar

from axmem.encoder.circuit import FALSE
from axmem.litmus.words import NONE_TAG, PLACED, OperationKind, Ordering, Scope, location_name, tag_text
from axmem.refinement.bounded.attributes import FENCE_TAGS, OperationAttributes
from axmem.refinement.bounded.operations import BoundedOperation, BoundedProgram, Place
from axmem.refinement.bounded.placements import renumbered
from axmem.refinement.bounded.skeleton import Skeleton
from axmem.refinement.bounded.vocabulary import SymbolicProgram

Word = TypeVar("Word")

Truth = Callable[[int], bool]
"""The truth of a literal in a solution."""


def chosen(literals: Mapping[Word, int], truth: Truth) -> Word:
    """Return the word of a group of literals that holds."""
    return next(word for word, literal in literals.items() if truth(literal))


# ---------------------------------------------------------------- as a program of a space


def chosen_program(program: SymbolicProgram, truth: Truth) -> BoundedProgram:
    """Return the program of a solution."""
    slots = iter(program.slots)
    threads = tuple(tuple(chosen_operation(next(slots), truth) for _ in range(n)) for n in program.skeleton.threads)
    return BoundedProgram(threads, renumbered([place_of(program.skeleton, t, truth) for t in range(len(threads))]))


def chosen_operation(a: OperationAttributes, truth: Truth) -> BoundedOperation:
    """Return the operation that a slot is in a solution."""
    return BoundedOperation(
        kind=chosen(a.kinds, truth),
        location=next((x for x, literal in enumerate(a.locations) if truth(literal)), -1),
        ordering=chosen(a.orderings, truth),
        scope=chosen(a.scopes, truth),
        av=truth(a.av),
        volatile=truth(a.volatile),
        tags=frozenset(tag for tag, literal in a.tags.items() if truth(literal)),
    )


def place_of(skeleton: Skeleton, thread: int, truth: Truth) -> Place:
    """Return for each level the first thread in a thread's instance of it."""
    threads = range(len(skeleton.threads))
    return tuple(next(u for u in threads if truth(skeleton.same(level, u, thread))) for level in PLACED)


def literals_of_program(program: SymbolicProgram, wanted: BoundedProgram) -> list[int]:
    """Return the literals that say which program it is; FALSE is among them if it is none of these."""
    found = []
    for a, op in zip(program.slots, (op for body in wanted.threads for op in body), strict=True):
        found += [
            a.kinds.get(op.kind, FALSE),
            a.orderings.get(op.ordering, FALSE),
            a.scopes.get(op.scope, FALSE),
            a.av if op.av else -a.av,
            a.volatile if op.volatile else -a.volatile,
            *[literal if tag in op.tags else -literal for tag, literal in a.tags.items()],
        ]
        if op.location >= 0:
            found.append(a.locations[op.location])
    for depth, level in enumerate(PLACED):
        for t, u in combinations(range(len(wanted.threads)), 2):
            here = wanted.places[t][: depth + 1] == wanted.places[u][: depth + 1]
            literal = program.skeleton.same(level, t, u)
            found.append(literal if here else -literal)
    return found


# ---------------------------------------------------------------- as the text of a test


def literals_of(program: SymbolicProgram) -> Iterator[int]:
    """Yield the literals that fix a program."""
    skeleton = program.skeleton
    for a in program.slots:
        yield from (*a.kinds.values(), *a.orderings.values(), *a.scopes.values(), *a.locations, *a.marks, a.present)
        yield a.tagged(program.circuit)
    count = len(program.slots)
    for i in range(count):
        yield from (program.compatibility.between(program.slots, i, j) for j in range(i))
        yield from (program.order(i, j) for j in range(count) if j != i)
    yield from (*skeleton.lds, *skeleton.initialised)
    yield from (x for pairs in skeleton.together.values() for x in pairs.values())


def wishes(program: SymbolicProgram) -> Iterator[int]:
    """Yield the literals that make a program simple, the most important first: few features, few locations."""
    skeleton = program.skeleton
    for a in program.slots:
        spaces = [-a.tags.get(tag, FALSE) for tag in FENCE_TAGS]
        yield from (-a.none, *spaces, -a.volatile, -a.av, -a.kinds.get(OperationKind.RMW, FALSE))
    yield from (-lds for lds in skeleton.lds)
    for a in program.slots:
        yield -a.tagged(program.circuit)
    yield from skeleton.initialised
    for a in program.slots:
        yield from (a.plain, -a.orderings.get(Ordering.SEQ_CST, FALSE))
        yield from (-a.orderings.get(Ordering.ACQ_REL, FALSE), a.orderings.get(Ordering.MONOTONIC, FALSE))
        yield from (a.scopes.get(Scope.SYSTEM, FALSE), a.scopes.get(Scope.AGENT, FALSE), *a.locations[:1])
    for pair in combinations(range(len(skeleton.threads)), 2):
        yield from (-skeleton.together[level][pair] for level in Scope)


def litmus_text(
    program: SymbolicProgram,
    truth: Mapping[int, bool],
    name: str,
    substitutes: Mapping[int, int] | None = None,
    suffixes: Mapping[int, Sequence[str]] | None = None,
) -> str:
    """Return the test that a solution makes of a program.

    `substitutes` gives for operations that the program lacks those whose value their registers have instead. Tags that
    have no names get `suffixes`, which are those of this program alone if none are given.
    """
    chosen = suffixes_of([program], truth) if suffixes is None else suffixes
    return _Decoder(program, truth, substitutes or {}, chosen).text(name)


class _Decoder:
    def __init__(
        self,
        program: SymbolicProgram,
        truth: Mapping[int, bool],
        substitutes: Mapping[int, int],
        suffixes: Mapping[int, Sequence[str]],
    ) -> None:
        self.program = program
        self.suffixes = suffixes
        self.substitutes = substitutes
        self.truth = truth
        self.skeleton = program.skeleton

    def text(self, name: str) -> str:
        lines = [f"litmus {name}", ""]
        used = {self._location(a) for a in self.program.slots if self._there(a)} - {-1}
        for k in sorted(used):
            kind = "lds" if self.truth[self.skeleton.lds[k]] else "global"
            value = " = 0" if self.truth[self.skeleton.initialised[k]] else ""
            lines.append(f"{kind} {location_name(k)}{value}")
        for t in range(len(self.skeleton.threads)):
            lines += ["", f"thread P{t} @ {self._placement(t)} {{"]
            lines += [
                f"  {self._statement(i) if i not in self.substitutes else self._copy(i)}" for i in self._in_order(t)
            ]
            lines.append("}")
        return "\n".join(lines) + "\n"

    def _there(self, a: OperationAttributes) -> bool:
        return self.truth[a.present]

    def _in_order(self, thread: int) -> list[int]:
        """Return the slots of a thread's statements; a register is copied where it was read, or later."""
        slots = [i for i, s in enumerate(self.skeleton.slots) if s.thread == thread]
        slots = [i for i in slots if self._there(self.program.slots[i]) or i in self.substitutes]
        own = {i: sum(self.truth[self.program.order(j, i)] for j in slots if j != i) for i in slots}

        def place(i: int) -> tuple[int, int]:
            return (max(own[i], own[self.substitutes[i]]), own[i]) if i in self.substitutes else (own[i], -1)

        return sorted(slots, key=place)

    def _copy(self, i: int) -> str:
        """Return the assignment that stands for a load: of the register, or the constant, that it would have read."""
        other = self.substitutes[i]
        stored = self._one(self.program.slots[other].kinds) == "store"
        return f"r{i} = {other + 1 if stored else f'r{other}'}"

    def _placement(self, thread: int) -> str:
        groups = place_of(self.skeleton, thread, self.truth.__getitem__)
        places = [f"{level.word} {group}" for level, group in zip(PLACED, groups, strict=True)]
        return ", ".join([*places, f"thread {thread}"])

    def _location(self, a: OperationAttributes) -> int:
        return next((k for k, x in enumerate(a.locations) if self.truth[x]), -1)

    def _one(self, group: Mapping[Word, int]) -> Word:
        return chosen(group, self.truth.__getitem__)

    def _statement(self, i: int) -> str:
        a = self.program.slots[i]
        kind, ordering, scope = self._one(a.kinds), self._one(a.orderings), self._one(a.scopes)
        level = "" if scope is Scope.SYSTEM else scope.word
        where = f' syncscope("{level}")' if level else ""
        tags = self._tags(i)
        end = f"  # {' '.join(tags)}" if tags else ""
        if kind == "fence":
            return f"fence{where} {ordering.value}{end}"
        if kind in ("make.available", "make.visible"):
            return f'{kind} syncscope("{level}"){end}'
        location = location_name(self._location(a))
        volatile = " volatile" if self.truth[a.volatile] else ""
        if self.truth[a.av]:
            stored = f"store-available {i + 1}, {location}" if kind == "store" else f"r{i} = load-visible {location}"
            return f'{stored} syncscope("{level}"){end}'
        if ordering is Ordering.NOT_ATOMIC:
            return (
                f"store{volatile} {i + 1}, {location}" if kind == "store" else f"r{i} = load{volatile} {location}"
            ) + end
        if kind == "rmw":
            return f"r{i} = atomicrmw{volatile} xchg {location}, {i + 1}{where} {ordering.value}{end}"
        head = (
            f"store atomic{volatile} {i + 1}, {location}"
            if kind == "store"
            else f"r{i} = load atomic{volatile} {location}"
        )
        return f"{head}{where} {ordering.value}{end}"

    def _tags(self, i: int) -> list[str]:
        a = self.program.slots[i]
        order = (NONE_TAG, *FENCE_TAGS, *self.skeleton.bound.tags)
        tags = [tag_text(tag) for tag in dict.fromkeys(order) if self.truth[a.tags.get(tag, FALSE)]]
        return tags + [f"f:{suffix}" for suffix in self.suffixes.get(self.program.compatibility.home(i), ())]


def suffixes_of(programs: Sequence[SymbolicProgram], truth: Mapping[int, bool]) -> dict[int, list[str]]:
    """Return suffixes of one prefix that make just those operations compatible which are, the same in all programs.

    By homes (`Compatibility`). Who is compatible with all has none. Tags that a rule names keep their names.
    """
    alike: dict[int, set[int]] = {}
    met: dict[int, set[int]] = {}
    names: dict[int, str] = {}
    for program in programs:
        slots, homes = program.slots, program.compatibility.home
        tagged = [i for i, a in enumerate(slots) if truth[a.tagging or FALSE] and truth[a.present]]
        names |= program.compatibility.names
        for i in tagged:
            met.setdefault(homes(i), set()).update(homes(j) for j in tagged)
            near = (homes(j) for j in tagged if truth[program.compatibility.between(slots, i, j)])
            alike.setdefault(homes(i), set()).update(near)
    some = {home: others for home, others in alike.items() if others != met[home]}
    found: dict[int, list[str]] = {home: [] for home in some}
    known: set[str] = set()
    for group in _cliques({home: frozenset(others & some.keys()) for home, others in some.items()}):
        suffix = ".".join(names[h] for h in sorted(group) if h in names) or f"t{min(group)}"
        suffix = suffix if suffix not in known else f"{suffix}.{len(known)}"
        known.add(suffix)
        for home in group:
            found[home].append(suffix)
    return found


def _cliques(alike: Mapping[int, frozenset[int]]) -> list[frozenset[int]]:
    """Return groups of some who are all compatible, such that each two who are, and each alone, are in one."""
    found: list[frozenset[int]] = []
    for one in sorted(alike):
        for other in sorted(alike[one], key=lambda other: (other == one, other)):
            if not any({one, other} <= group for group in found):
                found.append(_clique((one, other), alike))
    return found


def _clique(some: Iterable[int], alike: Mapping[int, frozenset[int]]) -> frozenset[int]:
    """Return some who are compatible with each other, and of the others as many as are with all of these."""
    found = set(some)
    for other in sorted(alike):
        if found <= alike[other]:
            found.add(other)
    return frozenset(found)
