"""Several transformations of a kernel, as a text names them.

What goes in: a kernel and a text such as `unroll(h, 2); unroll(g)`. What comes out: the kernel after, with a map of
instances: which register after holds what which register before held, and in which iteration. Invariant: the kernel
parses, prints and runs; what the map does not mention is what it was.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from axmem.front.records import dataclass, replace
from axmem.front.source import Source
from axmem.litmus.blocks import ControlFlow
from axmem.litmus.kernels import IDS
from axmem.litmus.loops import ITERATION
from axmem.litmus.registers import substituted
from axmem.litmus.syntax import Expr, Kernel, Register, Statement
from axmem.litmus.walk import results
from axmem.transform.apply_text import applications, refuse_unknown
from axmem.transform.constants import folded
from axmem.transform.final_registers import assigned_somewhere, marked, unmarked
from axmem.transform.loops import around, loops
from axmem.transform.rewrite import defined, kernel_of, tidied
from axmem.transform.transformation import (
    Application,
    Held,
    HeldInstance,
    MadeLoop,
    TransformContext,
    TransformRefusal,
    hidden,
    iteration_number,
)


@dataclass(frozen=True, slots=True)
class Transformed:
    """A kernel after transformations, with what it was.

    `instances` has the registers after that hold something else than the register of their name before in the same
    iteration. `statements` says of the statements without a result in the body after, by their index, which statement
    of `single_assignment` of the kernel before they are, as its block and its number there, in which iteration.
    `loops` are those that transformations have made, by their headers; `refusals` what was disregarded.
    """

    kernel: Kernel
    instances: Mapping[str, HeldInstance]
    statements: Mapping[int, tuple[tuple[str, int], tuple[Expr, ...]]]
    loops: Mapping[str, MadeLoop]
    refusals: tuple[TransformRefusal, ...] = ()


def apply_all(
    kernel: Kernel,
    text: str,
    *,
    force: bool = False,
    observed: Collection[str] = (),
    reserved: Collection[str] = (),
    name: str = "--apply",
) -> Transformed:
    """Return a kernel after the transformations that a text names, in their order.

    With `force` what refusals speak against is done where it can be. Registers in `observed` are assigned as often and
    in the same order as before, under the same names, so that a condition may ask for them; `reserved` are names that
    LoopIDs have in other kernels. Raises `InputError`, located in the text with this `name`, for what names no
    transformation, loop, block, statement or number, and `Refused` for a refusal.
    """
    source = Source(name, text)
    original = marked(kernel, observed)
    flow = begin = _labelled(original)
    held: tuple[Held, ...] = ()
    made: dict[str, MadeLoop] = {}
    passed: list[TransformRefusal] = []
    for application in applications(source):
        context = TransformContext(kernel, flow, application.arguments, frozenset(reserved))
        refuse_unknown(source, application, context)
        refusals = application.transformation.legality(context)
        if any(refusal.final or not force for refusal in refusals):
            raise Refused(source, application, refusals)
        passed += refusals
        step = application.transformation.apply(context)
        headers = [loop.header for loop in loops(step.flow)]
        after, stands = tidied(step.flow, headers)
        held = _present(_with_values(_composed(begin, flow, held, step.held), stands), after, kernel)
        flow = after
        for header, new in step.loops.items():
            made[header] = replace(new, source=made[new.source].source if new.source in made else new.source)
        made = {header: new for header, new in made.items() if header in headers}
    return _finished(kernel, original, flow, held, made, passed, observed)


def untouched(kernel: Kernel, observed: Collection[str] = ()) -> Transformed:
    """Return a kernel to which nothing has been done, in the form in which `apply_all` has others."""
    original = marked(kernel, observed)
    return _finished(kernel, original, _labelled(original), (), {}, [], observed)


def _with_values(held: Iterable[Held], stands: Mapping[str, Expr]) -> tuple[Held, ...]:
    """Return what is held where something else stands for some registers."""

    def now(register: Register) -> Expr:
        return stands.get(register.name, register)

    return tuple(
        Held(h.register, tuple(folded(substituted(number, now)) for number in h.iterations), substituted(h.value, now))
        for h in held
    )


def _present(held: Iterable[Held], flow: ControlFlow, kernel: Kernel) -> tuple[Held, ...]:
    """Return what is held by what there still is: of a copy that nothing goes to, the names may be given again."""
    known = {*IDS, *(p.name for p in kernel.parameters)}
    for block in flow.blocks:
        for statement in (*block.phis, *block.statements):
            known |= {*results(statement), statement.label}
    return tuple(h for h in held if not isinstance(h.value, Register) or h.value.name in known)


class Refused(Exception):
    """A transformation would be wrong; the reasons, and which it is."""

    def __init__(self, source: Source, application: Application, refusals: Iterable[TransformRefusal]) -> None:
        self.application = application
        self.refusals = tuple(refusals)
        span = application.span
        self.words = source.text[span.column - 1 : span.column - 1 + span.length]
        super().__init__(f"{self.words}: {'; '.join(refusal.reason for refusal in self.refusals)}")


def _composed(
    original: ControlFlow, before: ControlFlow, first: tuple[Held, ...], second: tuple[Held, ...]
) -> tuple[Held, ...]:
    """Return what is held after two steps; `before` is the graph between them, `original` that before both."""
    if not second:
        return first
    found = loops(before)
    known = {n for b in original.blocks for s in (*b.phis, *b.statements) for n in (*results(s), s.label)}
    place = {n: b.name for b in before.blocks for s in (*b.phis, *b.statements) for n in (*results(s), s.label) if n}
    chains = {name: [loop.header for loop in around(found, block)] for name, block in place.items()}
    earlier: dict[str, list[Held]] = {}
    for each in first:
        if isinstance(each.value, Register):
            earlier.setdefault(each.value.name, []).append(each)
    at = {(h.register, h.iterations): h.value for h in second}
    moved = {h.register for h in second}
    kept = tuple(h for h in first if not (isinstance(h.value, Register) and h.value.name in moved))
    out = list(kept)
    for each in second:
        chain = chains.get(each.register, [])
        if each.register not in earlier:
            # What a step has added holds nothing of the kernel before.
            out += [each] if each.register in known else []

        def now(register: Register, each: Held = each, chain: list[str] = chain) -> Expr:
            if register.name.startswith(ITERATION):
                header = register.name.removeprefix(ITERATION)
                return each.iterations[chain.index(header)] if header in chain else register
            depth = len(chains.get(register.name, []))
            return at.get((register.name, each.iterations[:depth]), register)

        for old in earlier.get(each.register, ()):
            out.append(Held(old.register, tuple(folded(substituted(e, now)) for e in old.iterations), each.value))
    return tuple(out)


def _labelled(flow: ControlFlow) -> ControlFlow:
    """Label the statements without a result by their block, their number and the label that they have."""
    blocks = []
    for block in flow.blocks:
        named = (
            s if defined(s) else replace(s, label=hidden(block.name, n, s.label))
            for n, s in enumerate(block.statements)
        )
        blocks.append(replace(block, statements=tuple(named)))
    return ControlFlow(tuple(blocks))


def _finished(
    kernel: Kernel,
    original: ControlFlow,
    flow: ControlFlow,
    held: tuple[Held, ...],
    made: Mapping[str, MadeLoop],
    passed: list[TransformRefusal],
    observed: Collection[str],
) -> Transformed:
    """Make a kernel of the graph, and of what is held the two maps of instances."""
    flow, other = unmarked(flow, kernel)
    registers = {n for b in flow.blocks for s in (*b.phis, *b.statements) for n in results(s)} - set(observed)

    def called(register: Register) -> Expr:
        return replace(register, name=other.get(register.name, register.name))

    before = {n for b in original.blocks for s in (*b.phis, *b.statements) for n in results(s)}
    moved = {each.register for each in held}
    # A register may hold what others held, too: what it held itself comes first, then what is not a phi's.
    phis = {phi.register for block in original.blocks for phi in block.phis}

    def others_and_phis(each: Held) -> tuple[bool, bool]:
        own = isinstance(each.value, Register) and each.value.name == each.register
        return not own, each.register in phis

    by_value: dict[str, HeldInstance] = {}
    for each in sorted(held, key=others_and_phis):
        if isinstance(each.value, Register) and not (each.value.name in before and each.value.name not in moved):
            name = other.get(each.value.name, each.value.name)
            numbers = tuple(substituted(number, called) for number in each.iterations)
            by_value.setdefault(name, HeldInstance(each.register, numbers))
    instances = {name: found for name, found in by_value.items() if name in registers}
    places = {
        hidden(b.name, n, s.label): (
            (b.name, n),
            tuple(iteration_number(original, loop) for loop in around(loops(original), b.name)),
        )
        for b in original.blocks
        for n, s in enumerate(b.statements)
    }
    body: list[Statement] = []
    which: dict[int, tuple[tuple[str, int], tuple[Expr, ...]]] = {}
    for statement in kernel_of(assigned_somewhere(flow, kernel, observed), kernel).body:
        label = statement.label
        if label in places or label in by_value:
            old = by_value.get(label)
            place, numbers = places[old.register if old else label]
            which[len(body)] = place, old.iterations if old else numbers
            own = original.block[place[0]].statements[place[1]].label
            statement = replace(statement, label=own if label in places else "")
        elif label.startswith("@"):
            statement = replace(statement, label="")
        body.append(statement)
    return Transformed(replace(kernel, body=tuple(body)), instances, which, made, tuple(passed))
