"""The paths of one lane through an unrolled graph: where they fork and where they meet.

What goes in: the forks of a lane's control, the edges on which it comes to a node. What comes out: its state at the
node. A path is a sequence of arms of forks; where all paths from a fork meet again, the lane has the guard that it had
before the fork; elsewhere a choice that the forks decide says whether the node is reached. Paths that are cut (beyond
the bound) do not count: there every register is undef from then on, so that nothing is claimed of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from axmem.events.graph import Guard
from axmem.events.state import NO_READS, Lanes, WalkState
from axmem.events.values import DEPENDING, UNDEF, ZERO, Apply, Constant, Expr, Pick, reads_of
from axmem.front.records import dataclass, field, replace

ONE, NOWHERE = Constant(1), Constant(UNDEF)


@dataclass(slots=True)
class Fork:
    """A branch of one lane: its choice, the state before it, what decides it, and which arms are cut."""

    choice: int
    state: LaneState
    truth: Expr
    reads: frozenset[int]
    arms: int
    cut: set[int] = field(default_factory=set)


@dataclass(slots=True)
class LaneState:
    """Where a lane is: its state, and the paths on which it came there, each a sequence of arms of forks.

    `counts` says of headers how many of their executions a value decided; `undecided` are those since whose last
    execution one has.
    """

    state: WalkState
    paths: tuple[Guard, ...] = ((),)
    counts: Mapping[str, int] = field(default_factory=dict)
    undecided: frozenset[str] = frozenset()


Leaf = tuple[Guard, LaneState]


class Paths:
    """The forks of one lane; `choice` adds one to the graph of events.

    With `partly` it is kept which registers some path leaves without a value (`State.partly`).
    """

    def __init__(
        self, choice: Callable[[Guard, Expr | None, tuple[int | None, ...]], int], *, partly: bool = False
    ) -> None:
        self._choice = choice
        self._partly = partly
        self.forks: dict[int, Fork] = {}

    def fork(self, lane: LaneState, truth: Expr, values: tuple[int | None, ...]) -> list[LaneState]:
        """Return the states after a branch, one for each value of `truth`."""
        state, reads = lane.state, reads_of(truth)
        choice = self._choice(state.guard, truth, values)
        self.forks[choice] = Fork(choice, lane, truth, reads, len(values))
        return [
            replace(
                lane,
                state=state.branched(choice, arm, reads),
                paths=tuple((*path, (choice, arm)) for path in lane.paths),
            )
            for arm in range(len(values))
        ]

    def cut(self, lane: LaneState) -> None:
        """Note that a lane goes no further: its last fork has an arm less; without any, so has the one before."""
        for path in lane.paths:
            if path:
                choice, arm = path[-1]
                fork = self.forks[choice]
                fork.cut.add(arm)
                if len(fork.cut) == fork.arms:
                    self.cut(fork.state)

    # ------------------------------------------------------------ meeting

    def joined(self, edges: Sequence[LaneState]) -> LaneState:
        """Return the state of a lane at a node to which these edges lead, of which an execution takes at most one."""
        leaves = self._collapsed([(path, edge) for edge in edges for path in edge.paths])
        if all(edge is leaves[0][1] for _, edge in leaves):
            return leaves[0][1]
        shared = 0
        first = leaves[0][0]
        while all(len(path) > shared and path[shared] == first[shared] for path, _ in leaves):
            shared += 1
        base = self.forks[first[shared][0]]
        before = base.state.state
        below = [(path[shared:], edge) for path, edge in leaves]
        reached = self.tree([(path, ONE) for path, _ in below], ZERO)
        choice = self._choice(before.guard, reached, (0, 1))
        deciding = {c for path, _ in below for c, _ in path}
        merged = self._merged(base.state, below)
        merged.paths = tuple(path for path, _ in leaves)
        merged.state.guard = (*before.guard, (choice, 1))
        merged.state.guard_reads = before.guard_reads.union(*(self.forks[c].reads for c in deciding))
        return merged

    def _collapsed(self, leaves: list[Leaf]) -> list[Leaf]:
        """Replace the paths that are all there are from a fork by the paths to it, innermost forks first."""
        while True:
            for choice in sorted({path[-1][0] for path, _ in leaves if path}, reverse=True):
                fork = self.forks[choice]
                inside = {path: edge for path, edge in leaves if path and path[-1][0] == choice}
                arms = [arm for arm in range(fork.arms) if arm not in fork.cut]
                if set(inside) == {(*path, (choice, arm)) for path in fork.state.paths for arm in arms}:
                    by_arm = {path[-1]: edge for path, edge in inside.items()}
                    merged = self._merged(fork.state, [((last,), edge) for last, edge in by_arm.items()])
                    leaves = [leaf for leaf in leaves if leaf[0] not in inside]
                    leaves += [(path, merged) for path in fork.state.paths]
                    break
            else:
                return leaves

    def _merged(self, before: LaneState, leaves: Sequence[Leaf]) -> LaneState:
        """Return a state with the guard of `before` and the registers of the leaves, by the forks between."""
        names = {name: None for _, edge in leaves for name in edge.state.registers}
        found = {name: self._register(name, leaves, ZERO, WalkState.held) for name in names}
        partly = {n: (v, self._register(n, leaves, NOWHERE, WalkState.shown)) for n, v in found.items() if self._partly}
        counts: dict[str, int] = {}
        for _, edge in leaves:
            for header, count in edge.counts.items():
                counts[header] = max(count, counts.get(header, 0))
        state = replace(
            before.state,
            registers=found,
            partly=partly,
            control_reads=NO_READS.union(*(edge.state.control_reads for _, edge in leaves)),
            position=max(edge.state.position for _, edge in leaves),
        )
        undecided = frozenset[str]().union(*(edge.undecided for _, edge in leaves))
        return LaneState(state, before.paths, counts, undecided)

    def _register(
        self, name: str, leaves: Sequence[Leaf], missing: Expr, held: Callable[[WalkState, str], Lanes | None]
    ) -> Lanes:
        """Return what a register holds, `missing` where it has none, from what it holds on each path."""
        values = [held(edge.state, name) for _, edge in leaves]
        width = max(len(value or ()) for value in values)
        values = [(missing,) * width if value is None else value for value in values]
        paths = [path for path, _ in leaves]
        lanes = zip(*(value for value in values if value is not None), strict=True)
        return tuple(self.tree(list(zip(paths, lane, strict=True)), None, depending=True) for lane in lanes)

    def tree(self, leaves: Sequence[tuple[Guard, Expr]], otherwise: Expr | None, *, depending: bool = False) -> Expr:
        """Return the value that the taken path has, `otherwise` where none of these is, undef where all is cut.

        With None for `otherwise` a path is taken, so that what all have alike needs no deciding.
        """
        if otherwise is None and all(value == leaves[0][1] for _, value in leaves) and not self._any_cut(leaves):
            return leaves[0][1]
        if len(leaves) == 1 and not leaves[0][0]:
            return leaves[0][1]
        choice = leaves[0][0][0][0]
        fork = self.forks[choice]
        arms: list[Expr] = []
        for arm in range(fork.arms):
            inside = [(path[1:], value) for path, value in leaves if path[0][1] == arm]
            if inside:
                arms.append(self.tree(inside, otherwise, depending=depending))
            else:
                arms.append(NOWHERE if arm in fork.cut or otherwise is None else otherwise)
        picked: Expr = Pick(choice, tuple(arms))
        return Apply(DEPENDING, 0, (picked, fork.truth)) if depending else picked

    def _any_cut(self, leaves: Sequence[tuple[Guard, Expr]]) -> bool:
        return any(self.forks[choice].cut for path, _ in leaves for choice, _ in path)
