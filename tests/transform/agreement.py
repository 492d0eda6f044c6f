"""Does a kernel do after transformations what it did before?

What goes in: a test with one kernel, and the text of transformations. What comes out: what differs: what memory holds
at the end, registers that are asked for, and, instance by instance, what registers hold and stores write. A kernel of
one lane is executed step by step; one of several in every order of its lanes. Invariant: an empty answer says that all
of it was compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from random import Random

from axmem.check.progress.graph import explored
from axmem.check.progress.program import program
from axmem.check.progress.steps import ProgramSteps
from axmem.litmus.blocks import ControlFlow, control_flow
from axmem.litmus.parser import parse
from axmem.litmus.printer import print_test
from axmem.litmus.ssa import single_assignment
from axmem.litmus.syntax import Assign, Kernel, LitmusTest, Load, Statement
from axmem.litmus.walk import results
from axmem.transform.applying import Transformed, apply_all
from axmem.transform.loops import loops
from axmem.transform.registry import TRANSFORMATIONS
from axmem.transform.transformation import TransformParameter
from tests.transform.execution import Execution, evaluated, executed, instances

STATES = 60_000
"""How many states a kernel of several lanes may have."""


def applications(kernel: Kernel, random: Random) -> Iterator[str]:
    """Yield a text for every transformation and every loop, block or statement of a kernel, with random arguments."""
    flow = single_assignment(kernel)
    found = loops(flow)
    for name, transformation in sorted(TRANSFORMATIONS.items()):
        if name in _PLACES:
            places = sorted(_PLACES[name](flow))
            yield from (f"{name}({place})" for place in random.sample(places, min(3, len(places))))
            continue
        wanted = [parameter for parameter in transformation.parameters if parameter.kind == "loop"]
        nests = [(loop, *(inner for inner in found if inner.parent == loop.header)) for loop in found]
        for nest in nests if wanted else [()]:
            if len(nest) < len(wanted):
                continue
            headers = iter(loop.header for loop in nest)
            given = [word for p in transformation.parameters if (word := _argument(p, headers, random))]
            yield f"{name}({', '.join(given)})"


def _name(statement: Statement) -> str:
    return next(iter(results(statement)), getattr(statement, "label", ""))


def _pairs(flow: ControlFlow) -> Iterator[str]:
    """Yield two statements of one kind in one block, the first before the second."""
    for block in flow.blocks:
        for first, second in combinations([s for s in block.statements if _name(s) and not isinstance(s, Assign)], 2):
            if type(first) is type(second) and getattr(first, "address", None) == getattr(second, "address", None):
                yield f"{_name(first)}, {_name(second)}"


def _joins(flow: ControlFlow) -> Iterator[str]:
    """Yield the blocks that several go to."""
    yield from (name for name, before in flow.predecessors.items() if len(before) > 1)


def _sinks(flow: ControlFlow) -> Iterator[str]:
    """Yield loads and computations before a branch, with the blocks behind it."""
    for block in flow.blocks:
        if len(after := flow.successors[block.name]) > 1:
            chosen = [s for s in block.statements if isinstance(s, Load | Assign)]
            yield from (f"{_name(s)}, {target}" for s in chosen for target in after)


def _hoists(flow: ControlFlow) -> Iterator[str]:
    """Yield statements of blocks that one block goes to, with that block."""
    for block in flow.blocks:
        if len(before := flow.predecessors[block.name]) == 1:
            yield from (f"{_name(s)}, {before[0]}" for s in block.statements if _name(s))


def _parting(flow: ControlFlow) -> Iterator[str]:
    """Yield the blocks that go several ways."""
    yield from (block.name for block in flow.blocks if len(set(flow.successors[block.name])) > 1)


def _threads(flow: ControlFlow) -> Iterator[str]:
    """Yield the blocks that several go to, with each of these."""
    yield from (f"{name}, {each}" for name, before in flow.predecessors.items() if len(before) > 1 for each in before)


def _statements_of(flow: ControlFlow) -> Iterator[str]:
    """Yield statements with names."""
    yield from (_name(s) for block in flow.blocks for s in block.statements if _name(s))


_PLACES: dict[str, Callable[[ControlFlow], Iterator[str]]] = {
    "merge": _pairs,
    "merge-tails": _joins,
    "duplicate-tail": _joins,
    "sink": _sinks,
    "sink-anchor": _sinks,
    "hoist": _hoists,
    "hoist-common": _parting,
    "thread": _threads,
    "drop-tags": _statements_of,
}


def _argument(parameter: TransformParameter, headers: Iterator[str], random: Random) -> str:
    """Return an argument, empty if none is given."""
    if parameter.kind == "loop":
        return next(headers)
    if parameter.optional and random.random() < 0.6:
        return ""
    if parameter.words:
        return random.choice(parameter.words)
    return str(random.randint(parameter.least, parameter.least + 3))


def differences(test: LitmusTest, text: str, observed: tuple[str, ...] = ("acc", "old")) -> list[str]:
    """Return what a kernel does otherwise after transformations; raise what `apply_all` raises."""
    (kernel,) = test.kernels
    lanes = kernel.launch.lanes
    seen = apply_all(kernel, text, observed=observed)
    found = list(_read_back(test, seen.kernel))
    if lanes > 1:
        before, after = (_outcomes(replace(test, kernels=(k,)), observed) for k in (kernel, seen.kernel))
        return found + ([f"{len(before ^ after)} outcomes"] if before != after else [])
    one = executed(test, kernel, control_flow(kernel))
    other = executed(test, seen.kernel, control_flow(seen.kernel))
    if one.fault:
        return found
    found += [f"fault: {other.fault}"] if other.fault else []
    found += ["memory"] if one.memory != other.memory else []
    found += [f"register {r}" for r in observed if one.registers.get(r) != other.registers.get(r)]
    return found + list(_instances(test, apply_all(kernel, text)))


def _read_back(test: LitmusTest, kernel: Kernel) -> Iterator[str]:
    """Whether the kernel that comes out is what its text says."""
    whole = replace(test, kernels=(kernel,))
    again = parse(print_test(whole), test.name)
    if print_test(again) != print_test(whole):
        yield "its text, read again"


def _outcomes(test: LitmusTest, observed: tuple[str, ...]) -> frozenset[object]:
    """Return what memory and the registers that are asked for may hold at the end."""
    graph = explored(ProgramSteps(program(test, registers=True), guessing=True), STATES)
    assert graph.whole
    if any(graph.faults):
        return frozenset({"fault"})
    ends = graph.ended()
    return frozenset(
        (state.memory, tuple(dict(lane.registers).get(name) for lane in state.lanes for name in observed))
        for state in ends
    )


def _instances(test: LitmusTest, after: Transformed) -> Iterator[str]:
    """Yield where the map of instances says something that is not so."""
    (kernel,) = test.kernels
    before = executed(test, kernel, single_assignment(kernel))
    flow = control_flow(after.kernel)
    now = executed(test, after.kernel, flow)
    bases = {location.name: n + 1 << 16 for n, location in enumerate(test.locations)}
    table = dict(instances(before.done))
    for (register, iterations), done in instances(now.done):
        instance = after.instances.get(register)
        if instance is not None:
            numbers = tuple(evaluated(e, done.known, bases) for e in instance.iterations)
            key = (instance.register, numbers)
        else:
            key = (register, iterations)
        if key not in table:
            if instance is not None:
                yield f"{register} in {iterations} is {key[0]} in {key[1]}, which is not executed"
        elif table[key].value != done.value:
            yield f"{register} in {iterations} is {done.value}, and {key[0]} in {key[1]} was {table[key].value}"
    yield from _effects(before, now, after, bases)


def _effects(before: Execution, now: Execution, after: Transformed, bases: dict[str, int]) -> Iterator[str]:
    """Yield where stores are said to be what they are not."""
    index = {id(s): n for n, s in enumerate(after.kernel.body)}
    table = {(d.block, d.number, d.iterations): d for d in before.done}
    for done in now.done:
        number = index.get(id(done.statement))
        if number is None or number not in after.statements:
            continue
        (block, place), numbers = after.statements[number]
        key = (block, place, tuple(evaluated(e, done.known, bases) for e in numbers))
        was = table.get(key)
        if was is None:
            yield f"a statement of {done.block} is {key}, which is not executed"
        elif (was.value, was.place) != (done.value, done.place):
            yield f"a statement of {done.block} did {done.value}, and {key} did {was.value}"
