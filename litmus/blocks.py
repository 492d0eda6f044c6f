"""The control flow graph of a kernel.

What goes in: the body of a kernel, labels and branches among its statements, `if`, `while` and `for` around some. What
comes out: its blocks in the order of the text, each with its phis, its statements and a terminator; and what is wrong
with the order of labels and terminators. The loops and branches of the short form become blocks with names of their
own. Registers are as in the text: `axmem.litmus.ssa` gives each a single assignment.
"""

from __future__ import annotations

from functools import cached_property, lru_cache

from axmem.front.records import dataclass, field
from axmem.front.source import NOWHERE, Span
from axmem.front.typing import override
from axmem.litmus.kernels import Branch, Label, Phi, Return, Switch, Terminator, Unreachable, successors
from axmem.litmus.loops import LoopID
from axmem.litmus.syntax import (
    I1,
    I32,
    Assign,
    Expr,
    For,
    If,
    IntegerOperation,
    Kernel,
    Number,
    Register,
    Statement,
    While,
)
from axmem.litmus.walk import Path, expressions, parts, statements

TERMINATORS = (Branch, Switch, Return, Unreachable)


@dataclass(frozen=True, slots=True)
class KernelBlock:
    """A basic block. `paths` are those of its phis, statements and terminator in the kernel's body, in this order."""

    name: str
    phis: tuple[Phi, ...]
    statements: tuple[Statement, ...]
    terminator: Terminator
    paths: tuple[Path, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class ControlFlow:
    """The blocks of one kernel; the first is the entry. Every target is the name of a block."""

    blocks: tuple[KernelBlock, ...]

    @override
    def __hash__(self) -> int:
        """Return the hash of the blocks, which is computed once: graphs are keys of caches."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self.blocks)

    @override
    def __reduce__(self) -> tuple[type[ControlFlow], tuple[tuple[KernelBlock, ...]]]:
        """Return what makes the graph again elsewhere: another process has other hashes."""
        return ControlFlow, (self.blocks,)

    @property
    def entry(self) -> KernelBlock:
        """The block in which every lane begins."""
        return self.blocks[0]

    @cached_property
    def block(self) -> dict[str, KernelBlock]:
        """The blocks by their names."""
        return {block.name: block for block in self.blocks}

    @cached_property
    def successors(self) -> dict[str, tuple[str, ...]]:
        """The successors of each block in LLVM's order, one that is named twice twice."""
        return {block.name: successors(block.terminator) for block in self.blocks}

    @cached_property
    def predecessors(self) -> dict[str, tuple[str, ...]]:
        """The predecessors of each block, in the order of the text, each once."""
        found: dict[str, dict[str, None]] = {block.name: {} for block in self.blocks}
        for block in self.blocks:
            for target in successors(block.terminator):
                found.get(target, {})[block.name] = None
        return {name: tuple(before) for name, before in found.items()}

    @cached_property
    def reachable(self) -> frozenset[str]:
        """The blocks that the entry reaches."""
        found, waiting = {self.entry.name}, [self.entry.name]
        while waiting:
            for target in self.successors.get(waiting.pop(), ()):
                if target not in found and target in self.block:
                    found.add(target)
                    waiting.append(target)
        return frozenset(found)


Fault = tuple[Span, str, str]
"""Where something is wrong, what, and a hint."""


class PlacedKernel:
    """A kernel as the key of a cache: another one is equal only if it also stands at the same places of its text.

    What is found in a graph is said at its places, and the next test may have the same kernel elsewhere.
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    @override
    def __hash__(self) -> int:
        return hash(self.kernel)

    @override
    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PlacedKernel):
            return NotImplemented
        if self.kernel is other.kernel:
            return True
        return self.kernel == other.kernel and _places(self.kernel) == _places(other.kernel)


def _places(kernel: Kernel) -> list[Span]:
    """Return where a kernel, its statements and their expressions stand."""
    found = [kernel.span]
    for statement in statements(kernel.body):
        found += [statement.span, *(part.span for value in expressions(statement) for part in parts(value))]
    return found


def control_flow(kernel: Kernel) -> ControlFlow:
    """Return the control flow graph of a kernel that `faults` finds nothing wrong with."""
    return _control_flow(PlacedKernel(kernel))


@lru_cache(maxsize=256)
def _control_flow(placed: PlacedKernel) -> ControlFlow:
    return _Builder(placed.kernel).flow()


def faults(kernel: Kernel) -> list[Fault]:
    """Return what is wrong with labels and terminators."""
    builder = _Builder(kernel)
    builder.flow()
    return builder.faults


class _Builder:
    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.faults: list[Fault] = []
        self.blocks: list[KernelBlock] = []
        self.taken = {s.name for s in statements(kernel.body) if isinstance(s, Label)}
        self.numbers: dict[str, int] = {}
        self.name: str | None = None
        self.start = kernel.span
        self.body: list[tuple[Path, Statement]] = []

    def flow(self) -> ControlFlow:
        body = self.kernel.body
        if not (body and isinstance(body[0], Label)):
            self.begin("entry" if "entry" not in self.taken else self.named("entry"), self.kernel.span)
        self.sequence(body, ())
        if self.name is not None:
            self.end(Return(), ())
        return ControlFlow(tuple(self.blocks))

    def named(self, stem: str) -> str:
        """Return a name that no label has."""
        while True:
            self.numbers[stem] = self.numbers.get(stem, 0) + 1
            name = f"{stem}{self.numbers[stem]}"
            if not any(other == name or other.startswith(f"{name}.") for other in self.taken):
                return name

    def fault(self, span: Span, message: str, hint: str = "") -> None:
        self.faults.append((span, message, hint))

    def begin(self, name: str, span: Span) -> None:
        self.name, self.start, self.body = name, span, []

    def end(self, terminator: Terminator, path: Path) -> None:
        """Finish the block; phis stand before everything else."""
        assert self.name is not None
        phis = [(p, s) for p, s in self.body if isinstance(s, Phi)]
        rest = [(p, s) for p, s in self.body if not isinstance(s, Phi)]
        for (_, phi), (_, before) in zip(phis, self.body, strict=False):
            if phi is not before:
                self.fault(phi.span, "a phi stands at the beginning of its block, before everything else")
                break
        paths = (*(p for p, _ in phis), *(p for p, _ in rest), path)
        found = tuple(s for _, s in phis if isinstance(s, Phi))
        self.blocks.append(KernelBlock(self.name, found, tuple(s for _, s in rest), terminator, paths, span=self.start))
        self.name = None

    def jump(self, target: str, loop: LoopID | None = None) -> None:
        """End the block, if one is open, with a branch of the short form; the latch of a loop has its LoopID."""
        if self.name is not None:
            self.end(Branch((target,), loop=loop), ())

    def sequence(self, body: tuple[Statement, ...], path: Path) -> None:
        for index, statement in enumerate(body):
            here = (*path, index)
            if isinstance(statement, Label):
                self.label(statement, here)
                continue
            if self.name is None:
                self.fault(statement.span, "a terminator ends the block before this", "a label begins another block")
                self.begin(self.named("unreached"), statement.span)
            if isinstance(statement, TERMINATORS):
                self.end(statement, here)
            elif isinstance(statement, If):
                self.conditional(statement, here)
            elif isinstance(statement, While):
                self.loop("while", statement, statement.condition, here)
            elif isinstance(statement, For):
                self.counted(statement, here)
            else:
                self.body.append((here, statement))

    def label(self, label: Label, path: Path) -> None:
        if len(path) > 1:
            self.fault(label.span, "a label inside a block in braces", "labels stand in the body of the kernel itself")
        if self.name is not None:
            hint = f"write 'br {label.name}' before it"
            self.fault(label.span, f"the block before '{label.name}' has no terminator", hint)
            self.jump(label.name)
        self.begin(label.name, label.span)

    def conditional(self, statement: If, path: Path) -> None:
        stem = self.named("if")
        arms = [(f"{stem}.then", statement.then)]
        arms += [(f"{stem}.else", statement.otherwise)] if statement.otherwise else []
        targets = (arms[0][0], arms[1][0] if len(arms) > 1 else f"{stem}.end")
        self.end(Branch(targets, statement.condition, span=statement.span), path)
        ended = len(arms) == 2
        for arm, (name, body) in enumerate(arms):
            self.begin(name, statement.span)
            self.sequence(body, (*path, arm))
            ended &= self.name is None
            self.jump(f"{stem}.end")
        if not ended:
            self.begin(f"{stem}.end", statement.span)

    def loop(self, kind: str, statement: While | For, condition: Expr, path: Path) -> None:
        stem = self.named(kind)
        self.jump(stem)
        self.begin(stem, statement.span)
        self.end(Branch((f"{stem}.body", f"{stem}.end"), condition, span=statement.span), path)
        self.begin(f"{stem}.body", statement.span)
        self.sequence(statement.body, (*path, 0))
        if isinstance(statement, For) and self.name is not None:
            self.body.append((path, _stepped(statement)))
        if self.name is None and statement.loop is not None:
            hint = "no lane comes to the end of its body, so nothing goes back to its header"
            self.fault(statement.span, "this loop never goes back to its header, and has a LoopID", hint)
        self.jump(stem, statement.loop)
        self.begin(f"{stem}.end", statement.span)

    def counted(self, statement: For, path: Path) -> None:
        self.body.append((path, Assign(statement.register, statement.first, span=statement.span)))
        counter = Register(statement.register, statement.first.type)
        condition = IntegerOperation("ult", (counter, statement.last), I1, statement.span)
        self.loop("for", statement, condition, path)


def _stepped(statement: For) -> Assign:
    """Return what a `for` does after its body."""
    type_ = statement.first.type or I32
    after = IntegerOperation("add", (Register(statement.register, type_), Number(1, type_)), type_, statement.span)
    return Assign(statement.register, after, span=statement.span)
