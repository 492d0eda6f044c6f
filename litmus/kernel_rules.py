"""What LLVM's verifier says of the control flow of a kernel, and what a launch cannot have.

What goes in: a typed test. What comes out: diagnostics, each with LLVM's reason. Tokens have rules of their own
(`axmem.convergence.tokens`). Invariant: of a kernel without diagnostics `control_flow` and `single_assignment` hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from axmem.front.source import Diagnostic, did_you_mean
from axmem.litmus import blocks, walk
from axmem.litmus.blocks import ControlFlow, Fault, KernelBlock, control_flow
from axmem.litmus.kernels import IDS, Call, ConvergenceToken, Phi, Switch
from axmem.litmus.launch import instances, lanes
from axmem.litmus.loop_rules import loop_faults
from axmem.litmus.registers import read
from axmem.litmus.syntax import (
    AddressOf,
    AddressSpace,
    Kernel,
    LitmusTest,
    Location,
    Number,
    Register,
    Statement,
    Thread,
    UndefValue,
)
from axmem.litmus.walk import expressions, results
from axmem.litmus.words import Scope

DOMINANCE = "LLVM: Instruction does not dominate all uses!"


def check_kernels(test: LitmusTest) -> list[Diagnostic]:
    """Return everything that is wrong with the kernels of a typed test."""
    found = [fault for kernel in test.kernels for fault in (*_faults(kernel), *_memory(test, kernel))]
    found += _initial(test)
    found += [] if found else loop_faults(test)
    return [Diagnostic(test.source, span, message, hint) for span, message, hint in found]


def _faults(kernel: Kernel) -> Iterator[Fault]:
    """Yield what is wrong with one kernel; what rests on its graph only where the graph is one."""
    found = blocks.faults(kernel)
    flow = control_flow(kernel)
    found += _targets(flow)
    yield from found
    if kernel.lane_of_thread:
        yield from _alone(kernel)
    if found:
        return
    for block in flow.blocks:
        yield from _block(flow, block)
    yield from _undefined(kernel, flow)


def _targets(flow: ControlFlow) -> list[Fault]:
    """Return the branches to blocks that do not exist, and those to the entry."""
    found: list[Fault] = []
    for block in flow.blocks:
        for target in flow.successors[block.name]:
            span = block.terminator.span
            if target not in flow.block:
                found.append((span, f"no block is named '{target}'", did_you_mean(target, flow.block)))
            elif target == flow.entry.name:
                hint = "LLVM: Entry block to function must not have predecessors!"
                found.append((span, f"a branch to '{target}', in which the kernel begins", hint))
    return list(dict.fromkeys(found))


def _block(flow: ControlFlow, block: KernelBlock) -> Iterator[Fault]:
    """Yield what is wrong with the phis and the cases of a block."""
    before = [name for name, targets in flow.successors.items() for target in targets if target == block.name]
    for phi in block.phis:
        yield from _phi(phi, before)
    if isinstance(block.terminator, Switch):
        type_ = block.terminator.value.type
        bits = type_.bits if type_ is not None else 32
        seen: set[int] = set()
        for case in block.terminator.cases:
            value = case.value.value & ((1 << bits) - 1)
            if value in seen:
                message = f"this switch has two cases {case.value.value}"
                yield case.span, message, "LLVM: Duplicate integer as switch case"
            seen.add(value)


def _phi(phi: Phi, before: list[str]) -> Iterator[Fault]:
    """Yield where a phi does not take one value along each edge into its block."""
    wanted, given = Counter(before), Counter(each.block for each in phi.incoming)
    for each in phi.incoming:
        if not isinstance(each.value, Register | Number | UndefValue | AddressOf):
            yield each.value.span, "a phi takes registers and constants", "compute it in a register of that block"
        if each.block not in wanted:
            hint = f"its predecessors are {', '.join(dict.fromkeys(before)) or 'none'}"
            yield each.span, f"this phi takes a value from '{each.block}', which is no predecessor of its block", hint
    for name in wanted:
        if given[name] != wanted[name]:
            times = "no value" if not given[name] else f"{given[name]} values, along {wanted[name]} edges,"
            hint = "LLVM: PHINode should have one entry for each predecessor of its parent basic block!"
            yield phi.span, f"this phi takes {times} from the predecessor '{name}'", hint
        values = {each.value for each in phi.incoming if each.block == name}
        if len(values) > 1:
            hint = "LLVM: PHI node has multiple entries for the same basic block with different incoming values!"
            yield phi.span, f"this phi takes different values from the predecessor '{name}'", hint


# ---------------------------------------------------------------- assignments before uses


def _assigns(statement: Statement) -> tuple[str, ...]:
    """Return what a statement assigns, registers and tokens."""
    return (statement.register,) if isinstance(statement, ConvergenceToken) else results(statement)


def _undefined(kernel: Kernel, flow: ControlFlow) -> Iterator[Fault]:
    """Yield the uses that a path from the entry reaches without an assignment."""
    assigned = {
        block.name: {name for s in (*block.phis, *block.statements) for name in _assigns(s)} for block in flow.blocks
    }
    begin = frozenset((*IDS, *(p.name for p in kernel.parameters)))
    everything = frozenset(begin.union(*assigned.values()))
    after = dict.fromkeys(flow.reachable, everything)
    before = dict.fromkeys(flow.reachable, everything)
    waiting = [block.name for block in reversed(flow.blocks) if block.name in flow.reachable]
    while waiting:
        name = waiting.pop()
        known = (after[other] for other in flow.predecessors[name] if other in after)
        before[name] = begin if name == flow.entry.name else frozenset.intersection(*known)
        now = before[name] | assigned[name]
        if now != after[name]:
            after[name] = now
            waiting += flow.successors[name]
    for block in flow.blocks:
        if block.name in flow.reachable:
            yield from _unassigned(block, before[block.name], after)


def _unassigned(block: KernelBlock, before: frozenset[str], after: dict[str, frozenset[str]]) -> Iterator[Fault]:
    """Yield what a block reads before it is assigned on every path."""
    for phi in block.phis:
        for each in phi.incoming:
            for register in read(each.value):
                if each.block in after and register.name not in after[each.block]:
                    yield register.span, f"'{register.name}' is not assigned on every path to '{each.block}'", DOMINANCE
    known = set(before) | {phi.register for phi in block.phis}
    for statement in (*block.statements, block.terminator):
        for expr in expressions(statement):
            for register in read(expr):
                if register.name not in known:
                    yield register.span, f"'{register.name}' is not assigned on every path to its use", DOMINANCE
        token = statement.token if isinstance(statement, Call | ConvergenceToken) else ""
        if token and token not in known:
            yield statement.span, f"the token '{token}' is not defined on every path to its use", DOMINANCE
        known.update(_assigns(statement))


# ---------------------------------------------------------------- launches


def _alone(kernel: Kernel) -> Iterator[Fault]:
    """Yield the barriers of a thread with control flow: which others would meet there, no text says."""
    for statement in walk.statements(kernel.body):
        if isinstance(statement, Call) and statement.operation.startswith("s.barrier"):
            message = "a barrier in a thread with branches or loops"
            yield statement.span, message, "write the threads that meet there as a kernel with several lanes"


def _memory(test: LitmusTest, kernel: Kernel) -> Iterator[Fault]:
    """Yield the uses of memory that is another kernel's, or that several lanes cannot share."""
    mine = {location.name for location in kernel.memory}
    owners = {location.name: owner.name for owner in test.kernels for location in owner.memory}
    places = {location.name: location for location in test.locations}
    for part in _addresses(kernel):
        if part.location in mine:
            continue
        if part.location in owners:
            message = f"'{part.location}' is declared in kernel {owners[part.location]}, so no other reaches it"
            yield part.span, message, ""
        elif not kernel.lane_of_thread and _apart(test, places[part.location]):
            word = "workgroups" if places[part.location].space is AddressSpace.LDS else "lanes"
            message = f"'{part.location}' is used by several {word}, each of which has memory of its own there"
            yield part.span, message, "declare it in the kernel"


def _addresses(unit: Thread | Kernel) -> Iterator[AddressOf]:
    """Yield the locations that a thread or a kernel names, a kernel also as its arguments."""
    given = (value for p in unit.parameters for value in p.values) if isinstance(unit, Kernel) else ()
    named = (expr for statement in walk.statements(unit.body) for expr in expressions(statement))
    return (part for expr in (*given, *named) for part in walk.parts(expr) if isinstance(part, AddressOf))


def _apart(test: LitmusTest, location: Location) -> bool:
    """Tell whether those who use a location of the test have several instances of such memory."""
    level = {AddressSpace.LDS: Scope.WORKGROUP, AddressSpace.PRIVATE: Scope.SINGLETHREAD}.get(location.space)
    if level is None:
        return False
    users = [unit for unit in walk.units(test) if any(part.location == location.name for part in _addresses(unit))]
    places = [unit.placement for unit in users if isinstance(unit, Thread)]
    places += [lane.placement for unit in users if isinstance(unit, Kernel) for lane in lanes(unit)]
    return len({place.instance(level) for place in places}) > 1


def _initial(test: LitmusTest) -> Iterator[Fault]:
    """Yield the initial values that are the address of memory with several instances, of which it would be one's."""
    declared = Counter(instance.declared for kernel in test.kernels for instance in instances(kernel))
    for location in walk.locations(test):
        for part in walk.parts(location.initial) if location.initial is not None else ():
            if isinstance(part, AddressOf) and declared[part.location] > 1:
                message = f"'{part.location}' has an instance for each workgroup or lane, and this value is one for all"
                yield part.span, message, "store the address in the kernel"
