"""A program of a family as a litmus test.

What goes in: a program and a solution, the truth of its literals. What comes out: the text of the test. Each write
writes a value of its own, each read has a register of its own, so that an outcome says who reads from whom.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from axmem.encoder.circuit import FALSE
from axmem.families.program import Attributes, Program
from axmem.litmus.words import NONE_TAG, PLACED, SPACE_TAGS, AddressSpace, Ordering, Scope, tag_text

LOCATIONS = ("x", "y", "z", "w")


def literals_of(program: Program) -> Iterator[int]:
    """Yield the literals that fix a program."""
    skeleton = program.skeleton
    for a in program.slots:
        yield from a.kinds.values()
        yield from a.orderings.values()
        yield from a.scopes.values()
        yield from (*a.locations, a.av, a.volatile, a.none, a.tagged, a.present, *a.suffixes, *a.sync_as)
    count = len(program.slots)
    for i in range(count):
        yield from (program.compatibility.between(program.slots, i, j) for j in range(i))
        yield from (program.order(i, j) for j in range(count) if j != i)
    yield from (*skeleton.lds, *skeleton.initialised)
    yield from (x for x in skeleton.together.values())


def wishes(program: Program) -> Iterator[int]:
    """Yield the literals that make a program simple, the most important first: few features, few locations."""
    skeleton = program.skeleton
    for a in program.slots:
        yield from (-a.none, -a.sync_as[0], -a.sync_as[1], -a.volatile, -a.av, -a.kinds.get("rmw", FALSE))
    yield from (-lds for lds in skeleton.lds)
    for a in program.slots:
        yield -a.tagged
    yield from skeleton.initialised
    for a in program.slots:
        yield from (a.orderings[Ordering.NOT_ATOMIC], -a.orderings.get(Ordering.SEQ_CST, FALSE))
        yield from (-a.orderings.get(Ordering.ACQ_REL, FALSE), a.orderings.get(Ordering.MONOTONIC, FALSE))
        yield from (a.scopes[Scope.SYSTEM], a.scopes.get(Scope.AGENT, FALSE), a.locations[0])
    yield from (-x for (_, t, u), x in skeleton.together.items() if t < u)


def litmus_text(
    program: Program, truth: Mapping[int, bool], name: str, substitutes: Mapping[int, int] | None = None
) -> str:
    """Return the test that a solution makes of a program.

    `substitutes` gives for operations that the program lacks those whose value their registers have instead.
    """
    return _Decoder(program, truth, substitutes or {}).text(name)


class _Decoder:
    def __init__(self, program: Program, truth: Mapping[int, bool], substitutes: Mapping[int, int]) -> None:
        self.program = program
        self.substitutes = substitutes
        self.truth = truth
        self.skeleton = program.skeleton

    def text(self, name: str) -> str:
        lines = [f"litmus {name}", ""]
        used = {self._place(a) for a in self.program.slots} - {-1}
        for k in sorted(used):
            kind = "lds" if self.truth[self.skeleton.lds[k]] else "global"
            value = " = 0" if self.truth[self.skeleton.initialised[k]] else ""
            lines.append(f"{kind} {LOCATIONS[k]}{value}")
        for t in range(len(self.skeleton.threads)):
            lines += ["", f"thread P{t} @ {self._placement(t)} {{"]
            lines += [
                f"  {self._statement(i) if i not in self.substitutes else self._copy(i)}" for i in self._in_order(t)
            ]
            lines.append("}")
        return "\n".join(lines) + "\n"

    def _there(self, a: Attributes) -> bool:
        return self.truth[a.present]

    def _in_order(self, thread: int) -> list[int]:
        slots = [i for i, s in enumerate(self.skeleton.slots) if s.thread == thread]
        slots = [i for i in slots if self._there(self.program.slots[i]) or i in self.substitutes]
        return sorted(slots, key=lambda i: sum(self.truth[self.program.order(j, i)] for j in slots if j != i))

    def _copy(self, i: int) -> str:
        """Return the assignment that stands for a load: of the register, or the constant, that it would have read."""
        other = self.substitutes[i]
        stored = self._one(self.program.slots[other].kinds) == "store"
        return f"r{i} = {other + 1 if stored else f'r{other}'}"

    def _placement(self, thread: int) -> str:
        parts = []
        for level in PLACED:
            group = min(
                u
                for u in range(len(self.skeleton.threads))
                if u == thread or self.truth[self.skeleton.together[level, thread, u]]
            )
            parts.append(f"{level.word} {group}")
        return ", ".join([*parts, f"thread {thread}"])

    def _place(self, a: Attributes) -> int:
        return next((k for k, x in enumerate(a.locations) if self.truth[x]), -1)

    def _one(self, group: Mapping[Ordering, int] | Mapping[Scope, int] | Mapping[str, int]) -> object:
        return next(key for key, x in group.items() if self.truth[x])

    def _statement(self, i: int) -> str:
        a = self.program.slots[i]
        kind, ordering, scope = self._one(a.kinds), self._one(a.orderings), self._one(a.scopes)
        assert isinstance(ordering, Ordering) and isinstance(scope, Scope)
        level = "" if scope is Scope.SYSTEM else scope.word
        where = f' syncscope("{level}")' if level else ""
        tags = self._tags(i)
        end = f"  # {' '.join(tags)}" if tags else ""
        if kind == "fence":
            return f"fence{where} {ordering.value}{end}"
        if kind in ("make.available", "make.visible"):
            return f'{kind} syncscope("{level}"){end}'
        location = LOCATIONS[self._place(a)]
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
        a, slots = self.program.slots[i], self.program.slots
        tags = [tag_text(NONE_TAG)] if self.truth[a.none] else []
        for bit, space in zip(a.sync_as, (AddressSpace.GLOBAL, AddressSpace.LDS), strict=True):
            tags += [tag_text(SPACE_TAGS[space])] if self.truth[bit] else []
        if a.suffixes:
            return tags + [f"f:{s}" for bit, s in zip(a.suffixes, "ab", strict=True) if self.truth[bit]]
        others = [j for j, b in enumerate(slots) if j != i and self.truth[b.tagged] and self._there(b)]
        if self.truth[a.tagged] and any(not self._compatible(i, j) for j in others):
            own = [] if any(self._compatible(i, j) for j in others) else [f"f:t{i}"]
            tags += own + [f"f:t{min(i, j)}{max(i, j)}" for j in others if self._compatible(i, j)]
        return tags

    def _compatible(self, i: int, j: int) -> bool:
        return self.truth[self.program.compatibility.between(self.program.slots, i, j)]
