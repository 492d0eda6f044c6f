"""What of a change of functions no test of them shows, beside arithmetic and promises.

What goes in: functions before and after a change. What comes out: what is not decided, in words: whether memory is
alive where it is accessed, whether a pointer is in the address space to which it is cast, whether a loop without an
end is meant, what a truth value's store writes beside it, whether a loop makes progress, whether places lie apart
between which is copied; and, apart, whether pointers that come from memory or calls are those of other memory
(`aliases`).
A change is not called sound by tests if one of these is new.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Sequence
from typing import NamedTuple

from axmem.formats.ir.asked import is_question
from axmem.formats.ir.flow import ADDRESSED, EXIT, FunctionFlow, Root
from axmem.formats.ir.inlining import inlined
from axmem.formats.ir.layouts import offset_of_root
from axmem.formats.ir.opaque import is_node, is_opaque
from axmem.formats.ir.pairs import FunctionPair, Side, called, instructions
from axmem.formats.ir.syntax import Function, Global, Instruction
from axmem.formats.ir.transfers import places_lie_apart
from axmem.formats.ir.truths import TRUTH
from axmem.formats.ir.types import size
from axmem.litmus.syntax import LoopID

LIFETIME = "llvm.lifetime."
_DEREFERENCEABLE = re.compile(r"\bdereferenceable \( ([0-9]+) \)")
_PROMISING = ("mustprogress", "parallel_accesses")
"""What of a LoopID is no hint."""
_MADE = ("load", "call", "inttoptr", "extractvalue")
"""How pointers are made of which nothing is known."""


def unshown(pair: FunctionPair) -> tuple[str, ...]:
    """Return what of a change is not decided by tests, in words."""
    before, after = pair.before.function, pair.after.function
    whole = inlined(pair.before.module, before), inlined(pair.after.module, after)
    return tuple(
        dict.fromkeys(
            (
                *_lifetimes(before, after), *_narrowed(before, after), *_endless(before, after),
                *_progress(before, after), *_variables(pair), *_further(*whole), *_beside(before, after),
                *_nodes(pair), *_overlapping(*whole),
            )
        )
    )  # fmt: skip


def _nodes(pair: FunctionPair) -> Iterator[str]:
    """Yield which callees are given metadata by its number, which says something else in another module."""
    for side in (pair.before, pair.after):
        for call in (each for function in called(side) for each in instructions(function)):
            if is_opaque(call, side.module) and any(map(is_node, call.operands)):
                yield f"whether @{call.callee} is given the same metadata"


def _overlapping(before: Function, after: Function) -> Iterator[str]:
    """Yield copies between places that must lie apart, if they are new and no layout of memory decides it."""
    for callee, _ in Counter(_copies(after)) - Counter(_copies(before)):
        yield f"whether the places lie apart between which @{callee} copies"


def _copies(function: Function) -> Iterator[tuple[str, Hashable]]:
    """Yield copies between places of which that is not known, each with what it copies."""
    flow = FunctionFlow(function)
    given = {parameter.name: k for k, parameter in enumerate(function.parameters)}
    for each in flow.instructions:
        if places_lie_apart(each):
            places = [offset_of_root(flow, operand.value) for operand in each.operands[:2]]
            known = [place is not None and (place[0].variable or place[0].name in given) for place in places]
            roots = [flow.roots(operand.value) for operand in each.operands[:2]]
            alone = any(some <= flow.private for some in roots) and not roots[0] & roots[1]
            if not all(known) and not alone:
                named = (frozenset(r.name if r.variable else given.get(r.name, -1) for r in some) for some in roots)
                yield each.callee, (*named, str(each.operands[2].value))


def _lifetimes(before: Function, after: Function) -> Iterator[str]:
    """Yield memory whose lifetime begins or ends elsewhere: what is accessed outside is undefined."""
    first, second = (_alive(function) for function in (before, after))
    for name, events in second.items():
        if any(each.startswith(LIFETIME) for each in events) and not any(_fewer(events, old) for old in first.values()):
            yield f"whether %{name} is alive wherever it is accessed"


def _fewer(after: Sequence[str], before: Sequence[str]) -> bool:
    """Whether an alloca's accesses are some of those before a change, between the same markers of its lifetime."""
    ahead = iter(before)
    for each in after:
        passed = next((other for other in ahead if other == each or other.startswith(LIFETIME)), "")
        if passed != each:
            return False
    return not any(other.startswith(LIFETIME) for other in ahead)


def _alive(function: Function) -> dict[str, list[str]]:
    """Return what is done to each alloca, in the order of the blocks: accesses, calls, and markers of its lifetime."""
    flow = FunctionFlow(function)
    found: dict[str, list[str]] = {}
    for each in flow.instructions:
        for operand in each.operands if each.operation in (*ADDRESSED, "call") else ():
            for root in flow.roots(operand.value):
                made = None if root.variable else flow.results.get(root.name)
                if made is not None and made.operation == "alloca":
                    what = each.callee.rpartition(".p")[0] if each.callee.startswith(LIFETIME) else each.operation
                    found.setdefault(root.name, []).append(what)
    return found


def _narrowed(before: Function, after: Function) -> Iterator[str]:
    """Yield casts from generic memory that only the second function has: of a pointer to elsewhere they are poison."""
    first, second = (set(_casts(function)) for function in (before, after))
    for _, space in sorted(second - first, key=str):
        yield f"whether a pointer is in address space {space}"


def _casts(function: Function) -> Iterator[tuple[frozenset[Hashable], int]]:
    """Yield the casts of a function to an address space that is not the generic one, by what they are of."""
    flow = FunctionFlow(function)
    given = {parameter.name: k for k, parameter in enumerate(function.parameters)}
    for each in flow.instructions:
        if each.operation == "addrspacecast" and each.type.space:
            roots = flow.roots(each.operands[0].value)
            yield frozenset(r.name if r.variable else given.get(r.name, "made here") for r in roots), each.type.space


def _endless(before: Function, after: Function) -> Iterator[str]:
    """Yield loops from which no path leads out, if there are more of them after: executions that do not end."""
    if _caught(after) > _caught(before):
        yield "whether a loop without an end is meant"


def _caught(function: Function) -> int:
    """Return how many blocks that are executed lead to no end of the function."""
    flow = FunctionFlow(function)
    return sum(EXIT not in flow.reached(name) for name in flow.reached(function.blocks[0].name) - {EXIT})


def _progress(before: Function, after: Function) -> Iterator[str]:
    """Yield loop metadata that promises something and is only there after the change."""
    first, second = (
        Counter(word for i in instructions(f) if i.loop is not None for word in _words(i.loop)) for f in (before, after)
    )
    for word in sorted(second - first):
        yield f"whether a loop keeps llvm.loop.{word}"


def _words(loop: LoopID) -> Iterator[str]:
    """Yield what of a LoopID promises something."""
    names = (each.name.removeprefix("llvm.loop.") for each in loop.attributes)
    yield from (name for name in names if name in _PROMISING)


def _variables(pair: FunctionPair) -> Iterator[str]:
    """Yield variables that begin with another value after the change, or of which more is promised."""
    used = {root.name for side in (pair.before, pair.after) for root in _variables_of(side)}
    for name in sorted(used):
        first, second = (side.module.globals.get(name) for side in (pair.before, pair.after))
        if first is not None and second is not None and _said(first) != _said(second):
            yield f"whether @{name} is what it is said to be only after"


def _said(variable: Global) -> Hashable:
    initial = variable.initial.value if variable.initial is not None else None
    return str(variable.type), variable.space, initial, variable.constant, "thread_local" in variable.words


def _variables_of(side: Side) -> Iterator[Root]:
    for function in called(side):
        flow = FunctionFlow(function)
        for each in flow.instructions:
            for operand in each.operands:
                yield from (root for root in flow.roots(operand.value) if root.variable)


class Alias(NamedTuple):
    """A pointer through which something is accessed that others may access as well, in words; and which memory that is,
    of variables and parameters, if it is all that tests need besides memory of its own."""

    words: str
    memory: frozenset[Root] | None


def aliases(pair: FunctionPair) -> Iterator[Alias]:
    """Yield pointers from memory or calls to memory that is accessed otherwise, too: tests have memory of its own."""
    for function in (pair.before.function, pair.after.function):
        flow = FunctionFlow(function)
        accesses = [each for each in flow.instructions if each.operation in ADDRESSED]
        written = {r for each in accesses if each.operation != "load" for r in flow.accessed(each)}
        everything = {r for each in accesses for r in flow.accessed(each)} - flow.private
        extents = {r: {_extent(flow, each) for each in accesses if r in flow.accessed(each)} for r in everything}
        for root in sorted(everything, key=lambda r: r.name):
            made = flow.results.get(root.name) if not root.variable else None
            if made is None or made.operation not in _MADE or any(p.says == "noalias" for p in made.promises):
                continue
            if is_question(made.callee):  # It is a parameter, which leads wherever others do.
                continue
            others = {r for r in everything - {root} if root in written or r in written}
            whole = extents[root]
            met = len(whole) == 1 and None not in whole and all(extents[r] == whole for r in others)
            if others:
                named = frozenset(r for r in others if r.variable or r.name not in flow.results)
                words = f"whether %{root.name} points to memory that is accessed otherwise, too"
                yield Alias(words, named if met and _open(flow, everything) else None)


def _extent(flow: FunctionFlow, access: Instruction) -> int | None:
    """Return how many bytes are accessed, from the address on that has a root: such accesses meet as a whole, or not at
    all. None of others, which begin elsewhere, or are not aligned to as many."""
    at = access.operands[ADDRESSED[access.operation]].value
    place = offset_of_root(flow, at)
    type_ = access.type if access.operation == "load" else access.operands[-1].type
    type_ = access.operands[0].type if access.operation == "store" else type_
    if place is None or place[1] or not type_.sized or type_.kind not in ("int", "ptr", "float"):
        return None
    bytes_ = size(type_)
    return bytes_ if bytes_ & (bytes_ - 1) == 0 and (access.mode.align or bytes_) >= bytes_ else None


def _open(flow: FunctionFlow, roots: Collection[Root]) -> bool:
    """Whether pointers among roots are loaded from memory, each from another place: that holds any address at first,
    and whichever a context writes."""
    made = [flow.results[r.name] for r in roots if not r.variable and r.name in flow.results]
    places = [each.operands[0].value for each in made if each.operation == "load"]
    return len({*places}) == len(made)


def _beside(before: Function, after: Function) -> Iterator[str]:
    """Yield stores of truth values, if there are more after: nobody says what they write to the byte's other bits."""
    first, second = (
        sum(each.operation == "store" and each.operands[0].type == TRUTH for each in instructions(function))
        for function in (before, after)
    )
    if second > first:
        yield "which bits a store of i1 writes beside its own"


def _further(before: Function, after: Function) -> Iterator[str]:
    """Yield parameters behind which more bytes are loaded after the change: tests have memory for that."""
    first, second = (_reached(function) for function in (before, after))
    for index, end in second.items():
        parameter = after.parameters[index]
        promised = _DEREFERENCEABLE.search(" ".join(parameter.attributes))
        if first.get(index, end) < end > (int(promised[1]) if promised else 0):
            yield f"whether %{parameter.name} points to {end} bytes"


def _reached(function: Function) -> dict[int, int]:
    """Return up to which byte behind each parameter a function loads, where that is constant."""
    flow, found = FunctionFlow(function), dict[int, int]()
    given = {parameter.name: k for k, parameter in enumerate(function.parameters)}
    for each in (i for i in flow.instructions if i.operation in ADDRESSED):
        place = offset_of_root(flow, each.operands[ADDRESSED[each.operation]].value)
        type_ = each.type if each.operation in ("load", "atomicrmw") else each.operands[-1].type
        type_ = each.operands[0].type if each.operation == "store" else type_
        if place is not None and not place[0].variable and place[0].name in given and type_.sized:
            index = given[place[0].name]
            found[index] = max(found.get(index, 0), place[1] + size(type_))
    return found
