"""What is wrong with the metadata of loops, and what LLVM would make nothing of.

What goes in: a typed test. What comes out: faults (errors: an attribute that has not what its name asks for, a LoopID
on a branch that ends no cycle) and findings (warnings: what is carried and has no effect). Invariant: in a test without
faults a name is one LoopID, or one access group, and every number is one that LLVM reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from axmem.front.records import replace
from axmem.front.source import NOWHERE, Span, did_you_mean
from axmem.litmus import walk
from axmem.litmus.blocks import ControlFlow, Fault, control_flow
from axmem.litmus.kernels import Branch, Label
from axmem.litmus.loop_metadata import GROUP, PARALLEL
from axmem.litmus.loop_printer import loop_ids, promises_made
from axmem.litmus.loops import KINDS, Attribute, AttributeKind, LoopID, Promises
from axmem.litmus.natural import irreducible, loop_ids_around, natural_loops
from axmem.litmus.syntax import Kernel, LitmusTest, Statement
from axmem.litmus.terms import I1

_NEXT_NAME = re.compile(r"(?<=.)(?=llvm\.(?:loop|licm)\.)")


def loop_faults(test: LitmusTest) -> Iterator[Fault]:
    """Yield what is wrong with the LoopIDs and promises of a test whose graphs are graphs."""
    for kernel in test.kernels:
        if _has_loop_ids(kernel):
            yield from _no_latches(control_flow(kernel))
    seen: dict[str, LoopID] = {}
    groups = {name for promises in promises_made(test) for name in promises.groups}
    for loop in loop_ids(test):
        for inner in _within(loop):
            if seen.setdefault(inner.name, inner) != inner:
                yield inner.span, f"two LoopIDs have the name '!{inner.name}' and different attributes", ""
            for attribute in _all(inner.attributes):
                groups |= set(attribute.groups)
                yield from _attribute_faults(attribute)
    for name in sorted(groups & {*seen, *(name for promises in promises_made(test) for name in promises.loops)}):
        span = seen[name].span if name in seen else NOWHERE
        yield span, f"'!{name}' is both a LoopID and an access group", ""


def loop_findings(test: LitmusTest) -> Iterator[Fault]:
    """Yield what is said of loops and has no effect, or not the one that its words have."""
    for kernel in test.kernels:
        if _has_loop_ids(kernel):
            yield from _irregular(control_flow(kernel))
    for loop in loop_ids(test):
        yield from _repeated(loop.attributes)
        for attribute in _all(loop.attributes):
            yield from _attribute_findings(attribute)
            yield from _repeated(attribute.attributes)
    yield from dangling(test)


def dangling(test: LitmusTest) -> Iterator[Fault]:
    """Yield the promises that no loop around their access has part in.

    A changed loop has a new LoopID: a promise that still names the old one is lost, as one that names a group is where
    no loop around the access lists it.
    """
    for thread in test.threads:
        for statement in walk.statements(thread.body):
            yield from _lost(statement.span, _promises(statement), ())
    for kernel in test.kernels:
        if not any(_promises(statement) for statement in walk.statements(kernel.body)):
            continue
        flow = control_flow(kernel)
        around = loop_ids_around(flow)
        for block in flow.blocks:
            for statement in block.statements:
                yield from _lost(statement.span, _promises(statement), around[block.name])


def listed(promises: Promises | None, loop: LoopID) -> bool:
    """Say whether an access with these promises is one of those that are parallel in the loop with a LoopID."""
    if promises is None:
        return False
    groups = {name for attribute in loop.attributes for name in _listed_groups(attribute)}
    return loop.name in promises.loops or not groups.isdisjoint(promises.groups)


def _listed_groups(attribute: Attribute) -> tuple[str, ...]:
    return attribute.groups if KINDS.get(attribute.name) is AttributeKind.GROUPS else ()


def _promises(statement: Statement) -> Promises | None:
    mode = getattr(statement, "mode", None)
    return mode.promises if mode is not None else None


def _lost(span: Span, promises: Promises | None, around: tuple[LoopID, ...]) -> Iterator[Fault]:
    if promises is None:
        return
    for name in promises.loops:
        if name not in {loop.name for loop in around}:
            hint = "a loop whose attributes change has a new LoopID: name that one"
            yield span, f"!{PARALLEL} names !{name}, and no loop around this access has that LoopID", hint
    for name in promises.groups:
        if not any(listed(Promises((name,)), loop) for loop in around):
            hint = f'add !{{!"llvm.loop.parallel_accesses", !{name}}} to the attributes of the loop'
            yield span, f"!{GROUP} names !{name}, and no loop around this access lists that group", hint


# ---------------------------------------------------------------- where LoopIDs stand


def _has_loop_ids(kernel: Kernel) -> bool:
    return any(getattr(statement, "loop", None) is not None for statement in walk.statements(kernel.body))


def _marked(flow: ControlFlow) -> Iterator[tuple[str, Branch]]:
    """Yield the blocks whose branches have LoopIDs."""
    for block in flow.blocks:
        if isinstance(block.terminator, Branch) and block.terminator.loop is not None:
            yield block.name, block.terminator


def _idle(flow: ControlFlow) -> Iterator[tuple[str, Branch]]:
    """Yield the blocks whose branches have a LoopID and end no cycle."""
    latches = {latch for loop in natural_loops(flow) for latch in loop.latches}
    for name, branch in _marked(flow):
        if name not in latches and not irreducible(flow, name):
            yield name, branch


def without_idle(kernel: Kernel) -> Kernel:
    """Return a kernel of labels and branches without the LoopIDs of branches that end no cycle.

    LLVM ignores them, and leaves them itself: where a loop is unrolled with its tests, on every copy of the latch.
    """
    if not _has_loop_ids(kernel):
        return kernel
    flow = control_flow(kernel)
    idle, block = {name for name, _ in _idle(flow)}, flow.entry.name
    body = []
    for statement in kernel.body:
        block = statement.name if isinstance(statement, Label) else block
        ends = isinstance(statement, Branch) and block in idle
        body.append(replace(statement, loop=None) if isinstance(statement, Branch) and ends else statement)
    return replace(kernel, body=tuple(body))


def _no_latches(flow: ControlFlow) -> Iterator[Fault]:
    """Yield what is wrong with the branches with a LoopID that end no cycle."""
    for name, branch in _idle(flow):
        hint = "LLVM looks for a LoopID at the branch that goes back to the header of the loop"
        yield branch.span, f"'{name}' is the latch of no loop, and its branch has a LoopID", hint


def _irregular(flow: ControlFlow) -> Iterator[Fault]:
    """Yield the LoopIDs of cycles that are no loops: with several latches, or entries."""
    loops = natural_loops(flow)
    for name, branch in _marked(flow):
        ended = [loop for loop in loops if name in loop.latches]
        if not ended:
            message = "this LoopID has no effect: the cycle is irreducible"
            yield branch.span, message, "a loop is entered at one block, its header, alone"
        for loop in ended:
            if len(loop.latches) > 1:
                message = f"this LoopID may have no effect: {len(loop.latches)} branches go back to '{loop.header}'"
                yield branch.span, message, "LLVM merges such branches first, and keeps a LoopID that all of them have"
        if len(ended) > 1:
            headers = " and ".join(f"'{loop.header}'" for loop in ended)
            yield branch.span, f"this LoopID is that of two loops: the branch goes back to {headers}", ""


# ---------------------------------------------------------------- attributes


def _all(attributes: tuple[Attribute, ...]) -> Iterator[Attribute]:
    """Yield attributes and those inside their followups, but not inside LoopIDs."""
    for attribute in attributes:
        yield attribute
        yield from _all(attribute.attributes)


def _within(loop: LoopID) -> Iterator[LoopID]:
    """Yield a LoopID and those inside it."""
    yield loop
    for attribute in _all(loop.attributes):
        for inner in attribute.loop_ids:
            yield from _within(inner)


def _attribute_faults(attribute: Attribute) -> Iterator[Fault]:
    """Yield where an attribute has not what its name asks for."""
    name, value, span = attribute.name, attribute.value, attribute.span
    at = value.span if value is not None and value.span.line else span
    lists = bool(attribute.attributes or attribute.groups or attribute.loop_ids)
    match KINDS.get(name):
        case None if len(words := _NEXT_NAME.split(name)) > 1:
            nodes = ", ".join(f'!{{!"{word}"}}' for word in words)
            yield span, f"'{name}' is {len(words)} names with nothing between them", f"write {nodes}"
        case AttributeKind.FLAG if lists:
            yield span, f"'{name}' has a truth value or nothing beside its name", f'write !{{!"{name}"}}'
        case AttributeKind.FLAG if value is not None and value.value not in (0, 1):
            yield at, f"'{name}' is true or false, not {value.value}", "write i1 true or i1 false"
        case AttributeKind.COUNT if value is None:
            yield span, f"'{name}' needs a number", f'write !{{!"{name}", i32 4}}'
        case AttributeKind.COUNT if value is not None and value.type == I1:
            yield at, f"'{name}' needs a number, not a truth value", f'write !{{!"{name}", i32 4}}'
        case AttributeKind.COUNT if value is not None and value.value < 0:
            yield at, f"'{name}' is a count, and {value.value} is negative", ""
        case AttributeKind.FOLLOWUP if value is not None or attribute.groups:
            hint = f'write !{{!"{name}", !{{!"llvm.loop.unroll.disable"}}}}'
            yield at, f"'{name}' has the attributes of the loop that comes to be beside its name", hint
        case AttributeKind.GROUPS if value is not None or attribute.attributes or attribute.loop_ids:
            hint = f'write !{{!"{name}", !4}}, and !4 = distinct !{{}}'
            yield at, f"'{name}' has access groups beside its name", hint


def _attribute_findings(attribute: Attribute) -> Iterator[Fault]:
    name = attribute.name
    if attribute.bare is not None or KINDS.get(name) is AttributeKind.FOLLOWUP:
        for loop in attribute.loop_ids:
            who = f"'{name}'" if name else "this LoopID"
            message = f"{who} lists the LoopID !{loop.name}, whose attributes have no effect"
            yield attribute.span, message, "list the attributes themselves; older versions of clang wrote LoopIDs here"
    if name.startswith(("llvm.loop.", "llvm.licm.")) and name not in KINDS:
        yield attribute.span, f"no pass of LLVM knows the attribute '{name}'", did_you_mean(name, KINDS)


def _repeated(attributes: tuple[Attribute, ...]) -> Iterator[Fault]:
    """Yield the attributes of one list that stand in it twice."""
    seen: set[str] = set()
    for attribute in attributes:
        if attribute.name in seen and attribute.name:
            hint = "some passes of LLVM read the first, some the last"
            yield attribute.span, f"'{attribute.name}' stands twice among these attributes", hint
        seen.add(attribute.name)
