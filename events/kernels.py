"""From kernels to the events of their lanes.

What goes in: a kernel, and what executes the statements of a test. What comes out: the events of every lane, which is a
thread `K.workgroup.wave.lane`. All lanes walk one graph, whose nodes are keys of convergence, in topological order and
node by node: two lanes' instances are converged if they are at one node, so that a cross-lane operation is an
expression over the values of the lanes that come there. Nothing is enumerated lane by lane.

A cycle is unrolled up to the bound of the test. What would go on is cut, and noted (`EventGraph.beyond`); only a loop
that waits (`axmem.events.awaits`) is exact with its last iteration, and one that tries again (`axmem.events.retries`)
with two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import heappop, heappush
from typing import NamedTuple

from axmem.convergence.controlled import ControlledKey, Tokens, live
from axmem.convergence.cycles import llvm_hierarchy
from axmem.convergence.function import ConvergenceRole, InstructionPlace
from axmem.convergence.graph import flow_graph
from axmem.convergence.kernels import checked, controls
from axmem.convergence.keys import Key, next_key
from axmem.convergence.order import KeyOrder, entered_after, iterations
from axmem.events.anchors import Anchors
from axmem.events.awaits import Again, awaits
from axmem.events.barrier_events import Barriers, is_barrier
from axmem.events.cross_lane import DIFFERS_IN_WAVE, DIFFERS_IN_WORKGROUP, CrossLane, groups_of
from axmem.events.expressions import Expressions
from axmem.events.graph import Beyond, Event, EventKind, Require, Stuck, Undefined
from axmem.events.instances import Noter, Noting, Numbering
from axmem.events.paths import LaneState, Paths
from axmem.events.promises import Promised, parallel_loops
from axmem.events.retries import retries, rewritten
from axmem.events.shortcuts import shortened
from axmem.events.state import Lanes, WalkState
from axmem.events.statements import Statements
from axmem.events.stutters import changes_something, stutters, updates
from axmem.events.values import ZERO, Constant, Expr, Pick, apply, possible_values, reads_of
from axmem.front.records import replace
from axmem.front.source import Span
from axmem.litmus import syntax as ast
from axmem.litmus.blocks import KernelBlock
from axmem.litmus.kernels import SIGNATURES
from axmem.litmus.launch import lanes
from axmem.litmus.walk import Path

TOGETHER = frozenset((*SIGNATURES, DIFFERS_IN_WAVE, DIFFERS_IN_WORKGROUP))
"""The operations that the lanes of a wave, or workgroup, execute together."""
MOST, MOST_NODES = 128, 4096
"""How often a header is executed at most per entry into its cycle, and how many blocks, though constants decide it."""


class UnrolledNode(NamedTuple):
    """A node of the unrolled graph: the key of a block's instance, and what gave the tokens in whose regions it is."""

    key: Key
    tokens: Tokens = Tokens()


END = UnrolledNode(Key("", None))


class KernelWalk:
    """The walk of all lanes of one kernel; `first` is the number of its first lane's thread."""

    def __init__(self, statements: Statements, kernel: ast.Kernel, unit: int, first: int) -> None:
        self.statements = statements
        self.builder = builder = statements.builder
        self.kernel = kernel
        self.unit = unit
        self.lanes = lanes(kernel)
        self.first = first
        self.flow = shortened(kernel, builder.decided)
        checked(kernel, builder.test)
        graph = flow_graph(self.flow.successors)
        self.hierarchy = llvm_hierarchy(graph)
        self.headers = self.hierarchy.all_headers()
        self.order = KeyOrder(graph, self.hierarchy)
        self.promised = self._promised() if builder.decided.promises else None
        self.repeated: dict[tuple[str, str], Again] = {}
        self.stutters: dict[tuple[str, str], str] = {}
        self.updates = updates(self.flow, unit)
        self.awaited: frozenset[tuple[str, str]] = frozenset()
        """The edges among those that begin iterations of loops that only wait."""
        self.paths = [Paths(builder.choice, partly=builder.decided.partly) for _ in self.lanes]
        self.nodes_met = 0
        self.made: dict[Key, range] = {}
        self.waiting: list[tuple[tuple[int, ...], int, UnrolledNode]] = []
        self.edges: dict[UnrolledNode, dict[int, list[LaneState]]] = {}
        self.at: dict[int, LaneState] = {}
        self.cross = CrossLane(kernel, self.paths)
        self.controls = controls(kernel)
        self.live = live(self.controls) if self.controls is not None else {}
        self.tokens = Tokens()
        self.given: ControlledKey | None = None
        self.given_at: dict[ControlledKey, UnrolledNode] = {}
        self.anchors = Anchors(builder, kernel.launch.lanes)
        self.barriers = Barriers(builder, kernel, self.cross)
        self.bound = builder.bound
        self.noter: Noter | None = None

    def _promised(self) -> Promised:
        """Return the accesses whose promises are to be verified."""
        loops, unknown = parallel_loops(self.flow, self.hierarchy)
        for span in unknown:
            message = "the engine does not verify the promises of a loop whose header is that of an irreducible cycle"
            self.builder.fail(span, message)
        return Promised(self.kernel.name, loops)

    def _repeated(self, noting: Noting | None) -> dict[tuple[str, str], Again]:
        """Return the edges that begin iterations which others stand for.

        Of a loop that promises something every iteration is needed; so it is of one that tries again if its iterations
        are numbered, if somebody asks who waits, or if its cmpxchg accesses several cells, so that it could tear.
        """
        hidden = self.builder.decided.hidden
        found = awaits(self.flow, self.hierarchy, hidden=hidden)
        self.awaited = frozenset(found)
        if self.builder.decided.retries:
            numbered = noting.kernels.get(self.kernel.name, Numbering()).headers if noting is not None else ()
            again = retries(self.flow, self.hierarchy, self.builder.whole, stores=self.builder.decided.rewriting)
            found |= {edge: each for edge, each in again.items() if each.header not in numbered}
            self.builder.rewritten |= {(self.unit, *path) for path in rewritten(self.flow, self.hierarchy, found)}
        if self.builder.decided.stutters:
            left = stutters(self.flow, self.hierarchy, hidden=hidden)
            self.stutters = {edge: header for edge, header in left.items() if edge not in found}
        if self.promised is None:
            return found
        blocks = {cycle.header: cycle.blocks for cycle in self.hierarchy.within()}
        return {
            edge: again for edge, again in found.items() if not self.promised.made_in(blocks[again.header], self.flow)
        }

    def run(self, memory: list[Mapping[str, int]], noting: Noting | None = None) -> None:
        """Walk the kernel; `memory` gives of each lane the number of every location that it may name."""
        builder = self.builder
        self.memory = [Expressions(builder.test, places, builder.expressions.constants) for places in memory]
        if builder.decided.awaits:
            self.repeated = self._repeated(noting)
        if noting is not None:
            self.noter = Noter(self.kernel, noting, builder, self.memory, self.cross)
        chosen = self._chosen()
        for number, lane in enumerate(self.lanes):
            registers = self._parameters(number, chosen)
            registers |= {name: (Constant(value),) for name, value in lane.ids(self.kernel).items()}
            self._go(number, LaneState(WalkState(self.first + number, registers=registers)), self.flow.entry.name, None)
        while self.waiting:
            _, _, node = heappop(self.waiting)
            self._node(node)
        builder.undefined += self.barriers.undefined()
        if self.promised is not None:
            names = [(builder.test.locations[k].name, offset) for k, offset, _ in builder.cell_keys]
            builder.undefined += self.promised.broken([f"{name}+{at}" if at else name for name, at in names])
        for number, lane in enumerate(self.lanes):
            if ends := self.edges.get(END, {}).get(number):
                builder.ended(lane.name, self.paths[number].joined(ends).state)

    def _chosen(self) -> dict[str, int]:
        """Return the choices of the parameters with several values; each is one of the whole kernel."""
        several = (p for p in self.kernel.parameters if len(p.values) > 1)
        return {p.name: self.builder.choice((), None, tuple(range(len(p.values)))) for p in several}

    def _parameters(self, number: int, chosen: Mapping[str, int]) -> dict[str, Lanes]:
        """Return what a lane finds in the parameters: an address is that of the instance which is the lane's."""
        self.builder.expressions = self.memory[number]
        found: dict[str, Lanes] = {}
        for parameter in self.kernel.parameters:
            values = [self.builder.lanes(value, parameter.type, WalkState(-1)) for value in parameter.values]
            if len(values) > 1:
                values = [tuple(Pick(chosen[parameter.name], lane) for lane in zip(*values, strict=True))]
            found[parameter.name] = values[0]
            if parameter.choice:
                self.builder.registers.setdefault((self.kernel.name, parameter.name), values[0])
                self.builder.loaded[self.kernel.name, parameter.name] = None
        return found

    # ------------------------------------------------------------ nodes

    def _node(self, node: UnrolledNode) -> None:
        """Execute a node, all lanes that come there statement by statement."""
        arrived = self.edges.pop(node)
        self.at = {number: self.paths[number].joined(edges) for number, edges in arrived.items()}
        key, self.tokens = node
        block = self.flow.block[key.block]
        place = len(block.phis)
        first = len(self.builder.events)
        for index, statement in enumerate(block.statements):
            path = (self.unit, *block.paths[place + index])
            self.builder.instances_met += 1
            self._control(node, index, statement.span)
            if isinstance(statement, ast.Call) and statement.operation in TOGETHER:
                self._together(statement, path)
                continue
            for number, lane in self.at.items():
                self._enter(number, path)
                self.statements.execute(statement, lane.state)
        path = (self.unit, *block.paths[-1])
        self.made[key] = range(first, len(self.builder.events))
        if self.promised is not None:
            self.promised.add(key, self.builder.events[first:])
        if self.noter is not None:
            around = self.hierarchy.around[key.block]
            self.noter.note(self.at, block, {cycle.header: iterations(key, cycle.header) - 1 for cycle in around})
        for number, lane in self.at.items():
            self._enter(number, path)
            self._leave(number, lane, block, key)

    def _control(self, node: UnrolledNode, index: int, span: Span) -> None:
        """Note what a statement is to tokens."""
        if self.controls is None:
            return
        instruction = self.controls.blocks[node.key.block].instructions[index]
        self.given, self.tokens = self.tokens.after(InstructionPlace(node.key.block, index), instruction, node.key)
        if self.given is None:
            return
        if self.given_at.setdefault(self.given, node) != node:
            self.builder.fail(span, "lanes that come here by different cycles are converged by their tokens alone")
        if instruction.control.role is ConvergenceRole.ANCHOR:
            self.anchors.add(self.given, self.at, span)

    def _enter(self, number: int, path: Path) -> WalkState:
        """Return the state of a lane at its next instruction."""
        state = self.at[number].state
        state.path = path
        state.position += 1
        state.instance = self.builder.instances_met
        self.builder.instructions += 1
        self.builder.expressions = self.memory[number]
        return state

    def _together(self, call: ast.Call, path: Path) -> None:
        """Execute a convergent operation of the lanes of each wave, or workgroup, that are here."""
        around = self.given.anchors if self.given is not None else ()
        launch = self.kernel.launch
        size = launch.lanes * (launch.wavefronts if call.operation == DIFFERS_IN_WORKGROUP else 1)
        waves = [here for wave in groups_of(size, len(self.lanes)) if (here := tuple(n for n in wave if n in self.at))]
        values: dict[int, list[Lanes]] = {}
        for number in self.at:
            state = self._enter(number, path)
            values[number] = [self.builder.lanes(value, value.type, state) for value in call.operands]
        if call.operation == "wave.barrier":
            for here in waves:
                for guard, some in self.anchors.groups(around, here):
                    self.barriers.wave(call, {number: self.at[number] for number in some}, guard)
        elif is_barrier(call) and around:
            self.builder.fail(call.span, f"the engine knows no '{call.operation}' with a token of an anchor")
        elif is_barrier(call):
            self.barriers.execute(call, self.at)
        elif call.register:
            for here in waves:
                results = self.anchors.results(around, here, lambda some: self._result(call, some, values))
                for number, result in results.items():
                    self.at[number].state.registers[call.register] = result

    def _result(self, call: ast.Call, some: Iterable[int], values: Mapping[int, list[Lanes]]) -> dict[int, Lanes]:
        """Return what a cross-lane operation gives to lanes of a wave that are converged."""
        return self.cross.results(call, {n: self.at[n] for n in some}, {n: values[n] for n in some})

    # ------------------------------------------------------------ edges

    def _leave(self, number: int, lane: LaneState, block: KernelBlock, key: Key) -> None:
        """Follow the terminator of a block."""
        match block.terminator:
            case ast.Return():
                self.edges.setdefault(END, {}).setdefault(number, []).append(lane)
            case ast.Unreachable(span=span):
                self.builder.undefined.append(Undefined(lane.state.guard, None, "`unreachable` is reached", span))
                self.paths[number].cut(lane)
            case ast.Branch(targets=(target,)):
                self._go(number, lane, target, key)
            case ast.Branch(targets=targets, condition=condition) if condition is not None:
                truth = apply("ne", 1, self._decided(lane, condition, "branch on undef"), ZERO)
                self._branch(number, lane, key, truth, (1, 0), targets)
            case ast.Switch(value=value, default=default, cases=cases):
                bits = value.type.bits if value.type is not None else 32
                wanted = tuple(case.value.value & ((1 << bits) - 1) for case in cases)
                targets = (*(case.block for case in cases), default)
                self._branch(number, lane, key, self._decided(lane, value, "switch on undef"), (*wanted, None), targets)

    def _decided(self, lane: LaneState, condition: ast.Expr, reason: str) -> Expr:
        """Return what a branch goes by."""
        expr = self.builder.scalar(condition, lane.state)
        if not self.builder.decided.forks:
            self.builder.note_undefined(lane.state, expr, reason, condition.span)
        return expr

    def _branch(
        self, number: int, lane: LaneState, key: Key, truth: Expr, values: tuple[int | None, ...],
        targets: tuple[str, ...],
    ) -> None:  # fmt: skip
        """Follow a branch: the one target of a known value, one edge for each target otherwise."""
        known = possible_values(truth)
        if known is not None and len(known) == 1 and not reads_of(truth):
            (value,) = known
            self._go(number, lane, targets[values.index(value if value in values else None)], key)
            return
        back = [t for t in targets if self._repeats(t, key)]
        stays = any(self._stays(t, key) for t in back)
        if back and len(values) == 2 and len(set(targets)) == 2 and not stays:
            self._wait(number, lane, key, (truth, values, targets))
            return
        lane.undecided |= self.headers[key.block]
        for after, target in zip(self.paths[number].fork(lane, truth, values), targets, strict=True):
            self._go(number, after, target, key)

    def _repeats(self, target: str, key: Key) -> bool:
        """Say whether an edge begins an iteration for which others stand."""
        again = self.repeated.get((key.block, target))
        return again is not None and iterations(next_key(target, key, self.headers), again.header) >= again.least

    def _stays(self, target: str, key: Key) -> bool:
        """Say whether an edge may begin iterations without an end."""
        return self.builder.decided.stuck and (key.block, target) in self.awaited and self._repeats(target, key)

    def _wait(
        self, number: int, lane: LaneState, key: Key, branch: tuple[Expr, tuple[int | None, ...], tuple[str, ...]]
    ) -> None:
        """Leave a loop: only executions in which its last iteration is this one are looked at."""
        truth, values, targets = branch
        for value, target in zip(values, targets, strict=True):
            if not self._repeats(target, key):
                wanted = 0 if value is None else value
                operation = "eq" if value is not None else "ne"
                self.builder.requires.append(Require(lane.state.guard, apply(operation, 1, truth, Constant(wanted))))
                lane.state.control_reads |= reads_of(truth)
                self._go(number, lane, target, key)

    def _moves_on(self, lane: LaneState, block: KernelBlock, taken: Mapping[str, Lanes], key: Key) -> None:
        """Look at no execution in which an iteration has changed nothing and another one follows."""
        state = lane.state
        pairs = [p for phi in block.phis for p in zip(state.registers[phi.register], taken[phi.register], strict=True)]
        now, blocks = iterations(key, block.name), self._blocks(key, block.name)
        nodes = [made for n, made in self.made.items() if n.block in blocks and iterations(n, block.name) == now]
        here = {index for made in nodes for index in made}
        made = [each for each in self._inside(key, block.name, state.thread) if each.index in here]
        arms = [len(choice.values) for choice in self.builder.choices]
        found = changes_something(state.guard, pairs, made, self.updates, arms.__getitem__)
        if found is not None:
            self.builder.followed.append(found)

    def _blocks(self, key: Key, header: str) -> frozenset[str]:
        """Return the blocks of the loop with a header that a node is in."""
        (blocks,) = (cycle.blocks for cycle in self.hierarchy.around[key.block] if cycle.header == header)
        return blocks

    def _inside(self, key: Key, header: str, thread: int) -> list[Event]:
        """Return the events of a lane in the loop with a header, since it was entered."""
        blocks = self._blocks(key, header)
        before = entered_after(key, blocks)
        inside = ((node, made) for node, made in self.made.items() if node.block in blocks)
        nodes = (made for node, made in inside if entered_after(node, blocks) == before)
        events = (self.builder.events[index] for made in nodes for index in made)
        return [each for each in events if each.thread == thread]

    def _stuck(self, lane: LaneState, target: str, key: Key) -> None:
        """Note that a lane waits for ever, and what it reads in an iteration."""
        header, state = self.repeated[key.block, target].header, lane.state
        own = (e.index for e in self._inside(key, header, state.thread) if e.kind is EventKind.READ)
        reads = tuple((read, self.builder.failing.get(read)) for read in own)
        self.builder.stuck.append(Stuck(state.thread, state.guard, reads, header))

    def _go(self, number: int, lane: LaneState, target: str, key: Key | None) -> None:
        """Add an edge to a block: its phis take their values, and it may be beyond the bound."""
        if key is not None and self._stays(target, key):
            self._stuck(lane, target, key)
            return
        if key is not None and self._repeats(target, key):
            self.builder.requires.append(Require(lane.state.guard, ZERO))
            self.paths[number].cut(lane)
            return
        after = UnrolledNode(next_key(target, key, self.headers), self.tokens.at(self.live.get(target, frozenset())))
        block = self.flow.block[target]
        taken = {
            phi.register: self.builder.lanes(each.value, phi.type, lane.state)
            for phi in block.phis
            for each in phi.incoming
            if key is not None and each.block == key.block
        }
        self.builder.expressions = self.memory[number]
        if key is not None and (key.block, target) in self.stutters:
            self._moves_on(lane, block, taken, key)
        counts = dict(lane.counts)
        if any(cycle.header == target for cycle in self.hierarchy.around[target]):
            again = iterations(after.key, target)
            counts[target] = 1 if again == 1 else counts.get(target, 1) + (target in lane.undecided)
            if counts[target] > self.bound or again > MOST or self.nodes_met > MOST_NODES:
                most = f"{self.bound} iterations" if self.nodes_met <= MOST_NODES else f"{MOST_NODES:,} executed blocks"
                words = f"loop '{target}' of {self.kernel.name} goes on beyond {most}"
                self.builder.beyond.append(Beyond(lane.state.guard, words, self.flow.block[target].span))
                self.paths[number].cut(lane)
                return
        state = replace(lane.state, registers=lane.state.registers | taken)
        arrived = replace(lane, state=state, counts=counts, undecided=lane.undecided - {target})
        if after not in self.edges:
            self.edges[after] = {}
            self.nodes_met += 1
            heappush(self.waiting, (self.order.rank(after.key), self.nodes_met, after))
        self.edges[after].setdefault(number, []).append(arrived)
