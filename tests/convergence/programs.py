"""Random functions in SSA form, as LLVM IR and as the analyses see them."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from axmem.convergence.cycles import llvm_hierarchy
from axmem.convergence.function import (
    Control,
    ConvergenceRole,
    FlowBlock,
    FlowFunction,
    FlowIncoming,
    FlowInstruction,
    Sort,
)
from axmem.convergence.graph import Dominators, FlowGraph, predecessors
from tests.convergence.graphs import random_graph

PARAMETERS = ("a", "b")
OWN = "workitem.id"
"""The lane's number, which is `%tid` in the text."""
RESULTS = {
    "call i32 @llvm.amdgcn.readfirstlane.i32(i32 {0})": Sort.UNIFORM,
    'atomicrmw add ptr addrspace(1) %p, i32 {0} syncscope("agent") monotonic': Sort.DIVERGENT,
    "load i32, ptr addrspace(1) %p": Sort.OPERANDS,
    "add i32 {0}, {1}": Sort.OPERANDS,
    "xor i32 {0}, {1}": Sort.OPERANDS,
    "mul i32 {0}, {1}": Sort.OPERANDS,
}
"""How results come about, and where their uniformity comes from; the numbers stand for operands."""
WEIGHTS = (1, 1, 2, 6, 4, 3)


@dataclass(slots=True)
class Program:
    """A random function: the lines of each block, and the same as a `FlowFunction`.

    `computes` says how each register that no phi defines comes about: a pattern, and what stands for its numbers.
    """

    graph: FlowGraph
    lines: dict[str, list[str]] = field(default_factory=dict)
    computes: dict[str, tuple[str, list[str]]] = field(default_factory=dict)
    blocks: dict[str, FlowBlock] = field(default_factory=dict)

    @property
    def function(self) -> FlowFunction:
        """What the analyses see."""
        return FlowFunction(self.graph, self.blocks)

    @property
    def body(self) -> str:
        """The lines of the body, as LLVM has them."""
        return "\n".join(line for label, lines in self.lines.items() for line in (f"{label}:", *lines))


def random_program(random: Random, most: int = 9) -> Program:
    """Return a function over a random graph; every block has a phi or two and some arithmetic."""
    program = Program(random_graph(random, most))
    _Maker(random, program).fill()
    return program


class _Maker:
    def __init__(self, random: Random, program: Program) -> None:
        self._random = random
        self._program = program
        self._graph = program.graph
        self._before = predecessors(self._graph)
        self._dominators = Dominators(self._graph)
        self._phis: dict[str, list[str]] = {}
        self._values: dict[str, list[str]] = {}
        for label in self._graph.successors:
            phis = random.randint(0, 2) if self._before[label] else 0
            self._phis[label] = [f"{label}.p{i}" for i in range(phis)]
            self._values[label] = [f"{label}.v{i}" for i in range(random.randint(0, 2))]
            inside = any(self._dominators.dominates(label, before) for before in self._before[label])
            if phis and inside and random.random() < 0.6:
                # The first phi counts the iterations of a loop.
                self._values[label].append(f"{label}.n")

    def fill(self) -> None:
        for label in self._graph.successors:
            self._fill(label)

    def _at_end(self, label: str) -> list[str]:
        """Return the values that are known at the end of a block."""
        above = [b for b in self._graph.successors if self._dominators.dominates(b, label)]
        return [*PARAMETERS, OWN, *(v for b in above for v in (*self._phis[b], *self._values[b]))]

    def _fill(self, label: str) -> None:
        random = self._random
        lines: list[str] = []
        instructions = []
        if label == self._graph.entry:
            lines.append("%tid = call i32 @llvm.amdgcn.workitem.id.x()")
            instructions.append(FlowInstruction(OWN, sort=Sort.DIVERGENT))
            self._program.computes[OWN] = ("workitem.id", [])
        for phi in self._phis[label]:
            plain = random.random() < 0.4
            incoming = [self._incoming(before, plain) for before in self._before[label]]
            if phi.endswith(".p0") and f"{label}.n" in self._values[label]:
                incoming = [self._counted(label, before) for before in self._before[label]]
            # One for each edge, as LLVM wants them.
            edges = [i for i in incoming for after in self._graph.successors[i.block] if after == label]
            arms = ", ".join(f"[ {_value(i)}, %{i.block} ]" for i in edges)
            lines.append(f"%{phi} = phi i32 {arms}")
            uses = tuple(i.register for i in incoming if i.register)
            instructions.append(FlowInstruction(phi, uses, incoming=tuple(incoming)))
        known = [v for v in self._at_end(label) if v not in self._values[label]]
        for value in self._values[label]:
            pattern = random.choices(list(RESULTS), WEIGHTS)[0]
            operands = [random.choice(known) for _ in range(pattern.count("{"))]
            if value.endswith(".n"):
                pattern, operands = "add i32 {0}, 1", [f"{label}.p0"]
            self._program.computes[value] = (pattern, operands)
            lines.append(f"%{value} = " + pattern.format(*map(_shown, operands)))
            instructions.append(FlowInstruction(value, tuple(operands), RESULTS.get(pattern, Sort.OPERANDS)))
            known.append(value)
        condition = self._branch(label, known, lines, instructions)
        self._program.lines[label] = [f"  {line}" for line in lines]
        self._program.blocks[label] = FlowBlock(tuple(instructions), condition)

    def _counted(self, label: str, before: str) -> FlowIncoming:
        if self._dominators.dominates(label, before):
            return FlowIncoming(before, register=f"{label}.n")
        return FlowIncoming(before, constant="0")

    def _incoming(self, block: str, plain: bool) -> FlowIncoming:
        random = self._random
        if not plain and random.random() < 0.7:
            return FlowIncoming(block, register=random.choice(self._at_end(block)))
        return FlowIncoming(block, constant="" if random.random() < 0.1 else str(random.randint(0, 2)))

    def _branch(
        self, label: str, known: list[str], lines: list[str], instructions: list[FlowInstruction]
    ) -> tuple[str, ...]:
        random = self._random
        counters = [v for v in known if f"{v.removesuffix('.p0')}.n" in known]
        value, other = random.choice(counters if counters and random.random() < 0.6 else known), random.choice(known)
        after = self._graph.successors[label]
        if not after:
            lines.append("ret void")
        elif len(after) == 1:
            lines.append(f"br label %{after[0]}")
        elif len(after) == 2:
            constant = random.random() < 0.5
            pattern = f"icmp eq i32 {{0}}, {random.randint(0, 2)}" if constant else "icmp eq i32 {0}, {1}"
            operands = [value] if constant else [value, other]
            self._program.computes[f"{label}.c"] = (pattern, operands)
            lines.append(f"%{label}.c = " + pattern.format(*map(_shown, operands)))
            lines.append(f"br i1 %{label}.c, label %{after[0]}, label %{after[1]}")
            instructions.append(FlowInstruction(f"{label}.c", tuple(dict.fromkeys(operands))))
            return (f"{label}.c",)
        else:
            cases = " ".join(f"i32 {i}, label %{block}" for i, block in enumerate(after[1:]))
            lines.append(f"switch i32 {_shown(value)}, label %{after[0]} [ {cases} ]")
            return (value,)
        return ()


def _value(incoming: FlowIncoming) -> str:
    return _shown(incoming.register) if incoming.register else incoming.constant or "undef"


def _shown(register: str) -> str:
    return "%tid" if register == OWN else f"%{register}"


def token_program(random: Random) -> Program:
    """Return a function of convergent operations with and without tokens, about half of them as LLVM wants them."""
    graph = random_graph(random, 7)
    program = Program(graph)
    dominators = Dominators(graph)
    hierarchy = llvm_hierarchy(graph)
    tokens: list[tuple[str, str]] = []
    careful = random.random() < 0.5
    for label in graph.successors:
        lines: list[str] = []
        instructions: list[FlowInstruction] = []
        for _ in range(random.choice((0, 1, 1, 2))):
            known = [t for t, home in tokens if dominators.dominates(home, label)]
            control = _control(random, known)
            outer = {t for t, home in tokens if any(home not in c.blocks for c in hierarchy.around[label])}
            if careful and control.role is ConvergenceRole.CALL and control.token in outer:
                control = Control(ConvergenceRole.LOOP, control.token, convergent=True)
            no_token = control.role is ConvergenceRole.LOOP and not control.token
            if careful and (no_token or (control.role is ConvergenceRole.ENTRY and label != graph.entry)):
                control = Control(ConvergenceRole.ANCHOR, convergent=True)
            if careful and control.role is ConvergenceRole.CALL and control.convergent and not control.token and known:
                control = Control(ConvergenceRole.CALL, known[-1], convergent=True)
            late = control.role in (ConvergenceRole.LOOP, ConvergenceRole.ENTRY) and instructions
            if careful and (late or (not control.token and control.role is ConvergenceRole.CALL)):
                continue
            register = f"t{len(tokens)}" if control.role.defines else ""
            if register:
                tokens.append((register, label))
            lines.append(_written(control, register))
            instructions.append(FlowInstruction(register, control=control))
        after = graph.successors[label]
        cases = " ".join(f"i32 {i}, label %{block}" for i, block in enumerate(after[1:]))
        lines.append(f"switch i32 %a, label %{after[0]} [ {cases} ]" if after else "ret void")
        program.lines[label] = [f"  {line}" for line in lines]
        program.blocks[label] = FlowBlock(tuple(instructions))
    return program


def _control(random: Random, tokens: list[str]) -> Control:
    token = random.choice(tokens) if tokens else ""
    role = random.choices(
        (ConvergenceRole.CALL, ConvergenceRole.ENTRY, ConvergenceRole.ANCHOR, ConvergenceRole.LOOP), (6, 1, 2, 2)
    )[0]
    if role in (ConvergenceRole.ENTRY, ConvergenceRole.ANCHOR):
        return Control(role, token if random.random() < 0.03 else "", convergent=True)
    if role is ConvergenceRole.LOOP:
        return Control(role, token, convergent=True)
    return Control(role, token if random.random() < 0.9 else "", convergent=random.random() < 0.9)


def _written(control: Control, register: str) -> str:
    bundle = f' [ "convergencectrl"(token %{control.token}) ]' if control.token else ""
    if control.role.defines:
        return f"%{register} = call token @llvm.experimental.convergence.{control.role.value}(){bundle}"
    return f"call void @{'conv' if control.convergent else 'plain'}(){bundle}"


def kernel_text(program: Program, name: str = "f") -> str:
    """Return a test with the function as its kernel."""
    head = "kernel K(i32 %a = 0, i32 %b = 0, ptr addrspace(1) %p = &x) lanes 4 {"
    functions = "declare void @conv() convergent\ndeclare void @plain()"
    return f"litmus {name}\n\nglobal x = 0\n\n{functions}\n\n{head}\n{program.body}\n}}\n\nexists (x=0)\n"
