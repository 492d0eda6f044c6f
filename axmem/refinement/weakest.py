"""How strong the operations of a kernel may be while a transformation of it stays sound.

What goes in: a test with a kernel, and what judges a transformation of it. What comes out: the maximal choices of
orderings, scope and tags for which it is sound, and the minimal ones for which it is not. A choice gives each access
and fence of the kernel an ordering that LLVM lets it have, all atomic operations of the kernel one scope, and leaves
the tags or drops them all. Invariant: every choice is tried; nothing rests on strength being monotone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

from axmem.front.records import dataclass, replace
from axmem.front.source import mistake
from axmem.litmus import syntax as ast
from axmem.litmus.edit import edited
from axmem.litmus.printer import statement_line
from axmem.litmus.resolution import resolve
from axmem.litmus.walk import Path, located
from axmem.litmus.words import OperationKind, Ordering, Scope, SyncScope, Tag, legal_for
from axmem.refinement.inclusion import SOUND, UNSOUND

MOST = 400
"""How many choices are tried."""
IMPOSSIBLE = "impossible"
"""The verdict of a choice for which there is no such transformation; it is on neither side of the border."""

_KINDS = {ast.Load: OperationKind.LOAD, ast.Store: OperationKind.STORE, ast.Fence: OperationKind.FENCE}
SCOPES = (Scope.WORKGROUP, Scope.AGENT, Scope.SYSTEM)

Point = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OperationChoice:
    """What the operations are: each statement as text, in the order of the kernel."""

    statements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Weakest:
    """The maximal sound choices and the minimal unsound ones; how many were tried, or are unknown, or impossible."""

    sound: tuple[OperationChoice, ...]
    unsound: tuple[OperationChoice, ...]
    tried: int
    unknown: int
    impossible: int = 0


class _Space:
    """The choices of one kernel: for each site its states, the weakest first."""

    def __init__(self, test: ast.LitmusTest, kernel: ast.Kernel) -> None:
        self.test = test
        unit = len(test.threads) + [k.name for k in test.kernels].index(kernel.name)
        self.sites: list[tuple[Path, ast.Load | ast.Store | ast.Fence | ast.AtomicRmw]] = [
            (path, s)
            for path, s in located(test)
            if path[0] == unit and isinstance(s, ast.Load | ast.Store | ast.Fence | ast.AtomicRmw) and not s.mode.av
        ]
        self.orderings = [
            [o for o in legal_for(_KINDS.get(type(s), OperationKind.RMW)) if o is not Ordering.UNORDERED]
            for _, s in self.sites
        ]
        self.tagged = any(s.mode.tags for _, s in self.sites)

    def points(self) -> list[Point]:
        """Return every choice: the ordering of each site, the scope, whether tags stay."""
        states = [range(len(o)) for o in self.orderings]
        atomic = range(len(SCOPES))
        found = list(product(*states, atomic, range(1 + self.tagged)))
        plain = [p for p in found if not self._plain(p) or p[-2] == len(SCOPES) - 1]
        if len(plain) > MOST:
            message = f"there are {len(plain)} choices of orderings, scopes and tags, and {MOST} are the most"
            raise mistake("--weakest", message, "a kernel with fewer operations", text="--weakest")
        return plain

    def _plain(self, point: Point) -> bool:
        """Whether nothing is atomic, so that there is no scope to choose."""
        return all(o[n] is Ordering.NOT_ATOMIC for o, n in zip(self.orderings, point, strict=False))

    def below(self, a: Point, b: Point) -> bool:
        """Whether a choice is at most as strong as another: orderings and scope; dropping tags makes it stronger."""
        orders = all(o[y].at_least(o[x]) for o, x, y in zip(self.orderings, a, b, strict=False))
        return orders and a[-2] <= b[-2] and a[-1] >= b[-1]

    def made(self, point: Point) -> tuple[ast.LitmusTest, OperationChoice]:
        """Return the test of a choice, and its statements."""
        edits: dict[Path, tuple[ast.Statement, ...]] = {}
        for (path, statement), orderings, n in zip(self.sites, self.orderings, point, strict=False):
            ordering = orderings[n]
            scope = SyncScope(Scope.SYSTEM if ordering is Ordering.NOT_ATOMIC else SCOPES[point[-2]])
            tags = statement.mode.tags if point[-1] or not self.tagged else frozenset[Tag]()
            edits[path] = (replace(statement, mode=replace(statement.mode, ordering=ordering, scope=scope, tags=tags)),)
        test, diagnostics = resolve(edited(self.test, edits))
        assert not diagnostics, diagnostics
        return test, OperationChoice(tuple(statement_line(test, s) for (s,) in edits.values()))


def weakest(test: ast.LitmusTest, kernel: ast.Kernel, verdict: Callable[[ast.LitmusTest, ast.Kernel], str]) -> Weakest:
    """Return the choices at the border between sound and unsound; `verdict` judges a test and its kernel."""
    space = _Space(test, kernel)
    said: dict[Point, str] = {}
    choices: dict[Point, OperationChoice] = {}
    for point in space.points():
        changed, choices[point] = space.made(point)
        said[point] = verdict(changed, next(k for k in changed.kernels if k.name == kernel.name))
    sound = _extreme(said, SOUND, lambda a, b: space.below(a, b))
    unsound = _extreme(said, UNSOUND, lambda a, b: space.below(b, a))
    impossible = sum(v == IMPOSSIBLE for v in said.values())
    unknown = sum(v not in (SOUND, UNSOUND) for v in said.values()) - impossible
    lowest, highest = tuple(choices[p] for p in unsound), tuple(choices[p] for p in sound)
    return Weakest(highest, lowest, len(said), unknown, impossible)


def _extreme(said: Mapping[Point, str], wanted: str, within: Callable[[Point, Point], bool]) -> Iterator[Point]:
    """Yield the points of a verdict that lie within no other of it."""
    mine: Sequence[Point] = [p for p, v in said.items() if v == wanted]
    for point in mine:
        if not any(other != point and within(point, other) for other in mine):
            yield point
