"""Khronos' `.test` form: an execution in assembly-like lines, and questions about it.

What goes in: the text. What comes out: a test whose condition is that the reads return the values beside them, with an
expectation of the model `vulkan` for each question: SATISFIABLE that this is possible, NOSOLUTION that it never is.
What a question asks besides (races, chains) is a choice of the model's variants. Invariant: what the lines say is in
the test, or refused at its place.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from pathlib import Path

from axmem.formats.vulkan import operations
from axmem.formats.vulkan.khronos_lines import MODEL, KhronosLine, Lines
from axmem.front.source import InputError, Source, Span, did_you_mean, first_errors
from axmem.litmus import vulkan
from axmem.litmus.resolution import resolve
from axmem.litmus.syntax import (
    I32,
    AddressSpace,
    Barrier,
    BarrierObject,
    Both,
    Condition,
    LitmusTest,
    Location,
    ModelChoice,
    Number,
    Placement,
    RegisterOf,
    Statement,
    Thread,
    Truth,
    ValueComparison,
)
from axmem.litmus.words import Tag


def read(source: Source) -> LitmusTest:
    """Return the test that a text in Khronos' form describes; raise `InputError` with everything wrong with it."""
    lines = Lines(source)
    lines.read()
    if not lines.instructions and not lines.diagnostics:
        lines.error(Span(1, 1), "a test has instructions", "for example: ld.sc0 x = 0")
    test = _Building(lines).test() if not lines.diagnostics else None
    if test is None or lines.diagnostics:
        raise InputError(first_errors(lines.diagnostics))
    test, diagnostics = resolve(test)
    if diagnostics:
        raise InputError(first_errors(diagnostics))
    return test


class _Building:
    """The tree of a test, from its lines."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.homes = _homes(lines)
        self.values = {i.written for i in lines.instructions if i.writes} | {
            i.first for i in lines.instructions if i.reads
        }
        self.fresh = iter(n for n in range(1, 2**31) if n not in self.values)
        self.condition: list[ValueComparison] = []
        self.counts: dict[int, int] = {}

    def test(self) -> LitmusTest | None:
        lines = self.lines
        self.check_values()
        self.check_barriers()
        tags = self.tags()
        if lines.diagnostics:
            return None
        bodies: dict[int, list[Statement]] = {thread: [] for thread in lines.places}
        for each in lines.instructions:
            bodies[each.thread] += self.statements(each, tags[each.thread])
        locations = {self.homes[i.name]: i.name_span for i in reversed(lines.instructions) if i.words.accesses}
        wanted: list[Condition] = list(self.condition)
        return LitmusTest(
            name=Path(lines.source.name).stem, description="",
            locations=tuple(Location(n, AddressSpace.GLOBAL, I32, Number(0), s) for n, s in sorted(locations.items())),
            threads=tuple(
                Thread(f"P{n}", Placement(lines.places[n][0]), tuple(body), lines.places[n][1])
                for n, body in bodies.items() if body
            ),
            barriers=tuple(
                BarrierObject(name, tuple(dict.fromkeys(f"P{i.thread}" for i in met)), met[0].words.span)
                for name, met in self.meetings().items()
            ),
            condition=reduce(lambda a, b: Both(a, b, a.span), wanted) if wanted else Truth(True),
            expectations=tuple(lines.questions), models=(ModelChoice(MODEL),), source=lines.source,
        )  # fmt: skip

    def statements(self, each: KhronosLine, tags: frozenset[Tag]) -> Iterator[Statement]:
        """Yield what an instruction is."""
        words = each.words
        if words.accesses and self.homes[each.name] != each.name:
            tags |= {vulkan.reference(each.name)}
        home = self.homes.get(each.name, "")
        if words.kind == "cbar":
            if operations.with_semantics(words):
                yield operations.fence(words, tags)
            yield Barrier(self.barrier(each), span=words.span)
            if operations.with_semantics(words):
                yield operations.fence(words, tags)
        elif words.kind == "membar":
            yield operations.fence(words, tags)
        elif not words.accesses:
            yield operations.device(words, tags)
        elif words.kind == "st":
            yield operations.store(words, home, self.value(each), tags)
        else:
            register = f"r{self.counts.get(each.thread, 0)}"
            self.counts[each.thread] = self.counts.get(each.thread, 0) + 1
            if each.first is not None:
                seen = RegisterOf(f"P{each.thread}", register, span=each.name_span)
                self.condition.append(ValueComparison("=", seen, Number(each.first), span=each.name_span))
            if words.kind == "ld":
                yield operations.load(words, register, home, tags)
            else:
                yield operations.update(words, register, home, self.value(each), further=tags)

    def value(self, each: KhronosLine) -> Number:
        """Return what is written: a number of its own where none is given."""
        return Number(next(self.fresh) if each.written is None else each.written, span=each.name_span)

    def check_values(self) -> None:
        """Refuse a read of what no write writes, or several do: by its value it must be clear what is read."""
        for read in self.lines.instructions:
            if not read.reads or read.first is None:
                continue
            home = self.homes[read.name]
            writers = [
                w for w in self.lines.instructions
                if w.writes and w is not read and self.homes[w.name] == home and w.written == read.first
            ]  # fmt: skip
            initial = read.first == 0
            if not writers and not initial:
                self.lines.error(read.name_span, f"nothing writes {read.first} to '{read.name}'")
            elif len(writers) + initial > 1:
                others = "and it is the initial value" if initial else "so that it does not say which is read"
                count = "a write writes" if len(writers) == 1 else "several writes write"
                self.lines.error(read.name_span, f"{count} {read.first} to '{read.name}', {others}")

    def tags(self) -> dict[int, frozenset[Tag]]:
        """Return the tags that all operations of each thread carry, for what the system synchronizes."""
        found: dict[int, set[Tag]] = {thread: set() for thread in self.lines.places}
        for first, second, span in self.lines.synchronized:
            for thread in (first, second):
                if thread not in found:
                    self.lines.error(span, f"there is no thread {thread}", "NEWTHREAD may give the number")
            if first in found and second in found:
                before, after = vulkan.system_synchronizes(f"P{first}", f"P{second}")
                found[first].add(before)
                found[second].add(after)
        return {thread: frozenset(tags) for thread, tags in found.items()}

    # ------------------------------------------------ control barriers

    def barrier(self, each: KhronosLine) -> str:
        """Return the name of a control barrier: that of its instance, in the scope instance of its scope."""
        inside = Placement(self.lines.places[each.thread][0]).instance(operations.level_of(each.words))
        return f"cbar{each.name}.{'.'.join(map(str, inside))}"

    def meetings(self) -> dict[str, list[KhronosLine]]:
        """Return who meets at each control barrier."""
        found: dict[str, list[KhronosLine]] = {}
        for each in self.lines.instructions:
            if each.words.kind == "cbar":
                found.setdefault(self.barrier(each), []).append(each)
        return found

    def check_barriers(self) -> None:
        """Refuse an instance that a thread executes twice, or that differs from thread to thread."""
        first: dict[str, KhronosLine] = {}
        seen: set[tuple[str, int]] = set()
        for each in self.lines.instructions:
            if each.words.kind != "cbar":
                continue
            other = first.setdefault(each.name, each)
            if other.words.found.keys() != each.words.found.keys():
                message = f"control barrier {each.name} has another scope or other semantics elsewhere"
                self.lines.error(each.words.span, message, "one instance of a barrier is one operation")
            if (each.name, each.thread) in seen:
                self.lines.error(each.words.span, f"control barrier {each.name} is executed twice by one thread")
            seen.add((each.name, each.thread))


def _homes(lines: Lines) -> dict[str, str]:
    """Return for each variable the one that names its location: the first of those that SLOC puts together."""
    names = dict.fromkeys(i.name for i in lines.instructions if i.words.accesses)
    homes = {name: name for name in names}
    order = list(names)
    for first, second, span in lines.same:
        for name in (first, second):
            if name not in homes:
                lines.error(span, f"nothing accesses '{name}'", did_you_mean(name, order))
        if first in homes and second in homes:
            one, other = sorted((homes[first], homes[second]), key=order.index)
            homes = {name: one if home == other else home for name, home in homes.items()}
    return homes
