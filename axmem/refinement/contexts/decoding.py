"""A context that was found, as statements.

What goes in: a setting and a solution. What comes out: the `Context` that it is: operations that are nothing are left
out, threads stand where the solution puts them, tags are compatible just where it says so, and threads, registers and
prefixes of tags have names that the programs do not have.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, count
from typing import NamedTuple

from axmem.encoder.circuit import FALSE, TRUE
from axmem.front.records import replace
from axmem.litmus import syntax as ast
from axmem.litmus.registers import register_types
from axmem.litmus.walk import located, tags_of, units
from axmem.litmus.words import PLACED, OperationKind, Ordering, Scope, Tag
from axmem.refinement.bounded.decoding import chosen_operation
from axmem.refinement.bounded.programs import statement
from axmem.refinement.contexts.context import Context
from axmem.refinement.contexts.numbers import read_off
from axmem.refinement.contexts.placeholders import APART, beside
from axmem.refinement.contexts.slots import Setting
from axmem.refinement.contexts.standing import AFTER, BESIDE


class _Names(NamedTuple):
    """How the names of further threads and of registers begin, and the prefix of tags.

    Of the tags nothing is known but with which others they are compatible.
    """

    thread: str
    register: str
    prefix: str


def decoded(setting: Setting, truth: Mapping[int, bool], programs: Iterable[ast.LitmusTest]) -> Context:
    """Return the context of a solution, with names that none of the programs has."""
    names = _names(programs)
    found = {k: _statement(setting, truth, k, names) for k in range(len(setting.slots))}
    around: tuple[dict[str, Sequence[ast.Statement]], ...] = ({}, {})
    threads: list[ast.Thread] = []
    for thread, side, slots in _placed(setting, truth):
        name = setting.threads[thread]
        done = [statement for k in slots if (statement := found[k]) is not None]
        if side != BESIDE:
            around[side == AFTER][name] = tuple(done)
        elif done:
            body = _met(setting, truth, name, [found[k] for k in slots])
            threads.append(ast.Thread(f"{names.thread}{len(threads)}", _placement(setting, truth, name), tuple(body)))
    return Context(tuple(threads), around[0], around[1])


def _placed(setting: Setting, truth: Mapping[int, bool]) -> Iterator[tuple[int, int, Sequence[int]]]:
    """Yield in which thread operations stand, where there (`Standing`), and which these are, in order."""
    if setting.standing is None:
        base = 0
        for name, side, size in setting.shape.runs():
            yield setting.threads.index(name), side, [setting.number[base + i] for i in range(size)]
            base += size
        return
    groups: dict[tuple[int, int], list[int]] = {}
    for k in range(len(setting.slots)):
        first = next((j for j in range(k) if truth[setting.standing.joined(j, k)]), k)
        own = setting.skeleton.slots[first].thread, BESIDE
        groups.setdefault(next((w for w, x in setting.standing.at[k].items() if truth[x]), own), []).append(k)
    yield from ((thread, side, slots) for (thread, side), slots in groups.items())


def _met(
    setting: Setting, truth: Mapping[int, bool], name: str, done: Sequence[ast.Statement | None]
) -> Iterator[ast.Statement]:
    """Yield the operations of a further thread, with the barriers to which it comes between them."""
    thread = next((k for k in range(len(setting.shape.beside)) if name == beside(k)), 0)
    yield from _barriers(setting, truth, thread, 0)
    for at, operation in enumerate(done, 1):
        if operation is not None:
            yield operation
        yield from _barriers(setting, truth, thread, at)


def _barriers(setting: Setting, truth: Mapping[int, bool], thread: int, at: int) -> list[ast.Statement]:
    """Return the barriers of a further thread that stand before its operation of a number, or behind all."""
    meeting = setting.shape.meeting
    if meeting is None or not truth[setting.meets[thread]]:
        return []
    return [ast.Barrier(meeting.name) for gap in setting.gaps[thread] if truth[gap[at]]]


def _names(programs: Iterable[ast.LitmusTest]) -> _Names:
    threads, registers, prefixes = set[str](), set[str](), set[str]()
    for test in programs:
        threads |= {unit.name for unit in units(test)}
        registers |= {name for _, name in register_types(test)}
        prefixes |= {prefix for _, each in located(test) for prefix, _ in tags_of(each)}
    return _Names(_beginning("C", threads), _beginning("c", registers), _beginning("context", prefixes))


def _beginning(word: str, taken: Collection[str]) -> str:
    """Return a word, repeated until no name begins with it and goes on with a digit or a period, or ends."""
    used = {re.split(r"[0-9.]", name)[0] for name in taken}
    return next(text for n in count(1) if (text := word * n) not in used)


def _placement(setting: Setting, truth: Mapping[int, bool], name: str) -> ast.Placement:
    """Return where a further thread stands: beside threads of the program as they are numbered, or apart."""
    thread = setting.threads.index(name)
    fixed = [t for t in range(len(setting.threads)) if t not in setting.free]
    numbers: list[int | None] = []
    for level in PLACED:
        near = next(
            t for t in (*fixed, *sorted(setting.free)) if t == thread or truth[setting.skeleton.same(level, t, thread)]
        )
        numbers.append(APART + near if near in setting.free else setting.placements[near].instance(level)[-1])
    return ast.Placement((*numbers, APART + thread))


def _statement(setting: Setting, truth: Mapping[int, bool], slot: int, names: _Names) -> ast.Statement | None:
    """Return the statement that an operation is; None if it is nothing."""
    if not truth[setting.present[slot]]:
        return None
    a = setting.slots[slot]
    operation = chosen_operation(replace(a, present=TRUE), truth.__getitem__)
    operation = replace(operation, tags=operation.tags | _suffixes(setting, truth, slot, names.prefix))
    one_as = truth[setting.one_as[slot]]
    if operation.kind is OperationKind.FENCE:
        return scoped(statement(operation, "", ast.Number(0), ast.Address(ast.AddressOf(""))), one_as=one_as)
    place = setting.memory.places[operation.location]
    value = ast.Number(read_off(setting.numbers.written[slot][: 8 * place.size], truth), place.type)
    register = f"{names.register}{_number(setting, slot)}"
    return scoped(statement(operation, register, value, place.address, place.type), one_as=one_as)


def scoped(made: ast.Statement, *, one_as: bool) -> ast.Statement:
    """Return an operation whose scope is one of the address space that it accesses, if it is."""
    if not one_as or not isinstance(made, ast.Load | ast.Store | ast.AtomicRmw | ast.Fence):
        return made
    return replace(made, mode=replace(made.mode, scope=replace(made.mode.scope, one_as=True)))


def _number(setting: Setting, slot: int) -> int:
    """Return the number of an operation as its placeholder has it."""
    return next(n for n, k in setting.number.items() if k == slot)


def _suffixes(setting: Setting, truth: Mapping[int, bool], slot: int, prefix: str) -> frozenset[Tag]:
    """Return tags by which an operation is compatible with just those of the others with which it is."""
    tagged = [k for k, a in enumerate(setting.slots) if truth[a.tagging or FALSE] and truth[setting.present[k]]]
    if slot not in tagged:
        return frozenset()
    found: set[Tag] = set()
    for i, j in combinations(tagged, 2):
        if slot in (i, j) and not truth[setting.compatibility.between(setting.slots, i, j)]:
            found.add((f"{prefix}.{i}.{j}", f"t{slot}"))
    return frozenset(found or {(prefix, "t")})


def literals_of(setting: Setting) -> Iterator[int]:
    """Yield the literals that say which context it is, besides variables."""
    yield from wishes(setting)
    for a in setting.slots:
        yield from (*a.kinds.values(), *a.orderings.values(), *a.scopes.values(), *a.locations, *a.marks)
    yield from (x for bits in setting.numbers.written for x in bits)
    yield from (x for bits in setting.numbers.initial.values() for x in bits)
    yield from (x for word in setting.numbers.given.values() for x in word.literals())
    yield from (x for gaps in setting.gaps for gap in gaps for x in gap)
    yield from (x for pairs in setting.skeleton.together.values() for x in pairs.values())
    for i, j in combinations(range(len(setting.slots)), 2):
        yield setting.compatibility.between(setting.slots, i, j)
    if setting.standing is not None:
        yield from setting.standing.literals()


def _small(setting: Setting, bits: Sequence[int]) -> Iterator[int]:
    """Yield the literals that a number is small."""
    for low in (32, 8, 4):
        yield setting.circuit.conjunction([-x for x in bits[low:]])


def wishes(setting: Setting) -> Iterator[int]:
    """Yield the literals that make a context simple, the most important first."""
    yield from (-meets for meets in setting.meets)
    for k, a in enumerate(setting.slots):
        yield -setting.present[k]
        yield -setting.one_as[k]
        yield from (-a.none, -a.volatile, -a.av, -a.kinds.get(OperationKind.RMW, FALSE))
    for a in setting.slots:
        yield -a.tagged(setting.circuit)
    for k, a in enumerate(setting.slots):
        yield from (a.plain, -a.orderings.get(Ordering.SEQ_CST, FALSE), -a.orderings.get(Ordering.ACQ_REL, FALSE))
        yield from (a.orderings.get(Ordering.MONOTONIC, FALSE), a.scopes.get(Scope.SYSTEM, FALSE))
        yield from _small(setting, setting.numbers.written[k])
    for bits in setting.numbers.initial.values():
        yield from (setting.circuit.conjunction([-x for x in bits[low:]]) for low in (0, 1))
    yield from setting.numbers.defined()
    for word in setting.numbers.given.values():
        yield from _small(setting, word.bits)
    for pair in combinations(range(len(setting.skeleton.threads)), 2):
        if set(pair) & setting.free:
            yield from (-setting.skeleton.together[level][pair] for level in PLACED)
