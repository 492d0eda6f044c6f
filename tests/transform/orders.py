"""Loops in small kernels, transformed, and what they then do in which order.

What goes in: the body of a kernel over three arrays, and the text of transformations. What comes out: the kernel after,
why it is refused, the kinds of its loops, and the order of its accesses when one lane executes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from axmem.litmus.blocks import control_flow
from axmem.litmus.parser import parse
from axmem.litmus.syntax import AtomicRmw, LitmusTest, Load, Store
from axmem.transform.applying import Refused, Transformed, apply_all
from tests.transform.execution import Done, executed

ELEMENTS = 24
HEAD = "kernel K(i32 %n = {n}, i32 %m = 2, ptr addrspace(1) %p = &a, ptr addrspace(1) %q = &{q}) {{"


def loop_test(body: str, *, aliased: bool = False, n: int = 5) -> LitmusTest:
    """Return a test whose kernel K(i32 %n = 5, i32 %m = 2, ptr %p, ptr %q) has this body."""
    values = ", ".join(str(n) for n in range(ELEMENTS))
    arrays = "".join(f"global <{ELEMENTS} x i32> {name} = {{{values}}}\n" for name in "abc")
    head = HEAD.format(n=n, q="a" if aliased else "b")
    return parse(f"litmus k\n{arrays}{head}\n{body}\n}}\n", "k")


@dataclass(frozen=True, slots=True)
class Ran:
    """What a lane did, in order: `a3` for a load of a[3], `a3=` for a store to it; and the transformed kernel.

    `rounds` is how often each loop that came to be went round, by its kind.
    """

    order: str
    after: Transformed
    rounds: Mapping[str, int]

    @property
    def kinds(self) -> str:
        """The kinds of the loops that came to be, sorted by their headers."""
        return " ".join(made.kind for _, made in sorted(self.after.loops.items()))


def ran(body: str, text: str, *, force: bool = False, aliased: bool = False, n: int = 5) -> Ran:
    """Return what a kernel does after transformations."""
    test = loop_test(body, aliased=aliased, n=n)
    after = apply_all(test.kernels[0], text, force=force)
    found = executed(test, after.kernel, control_flow(after.kernel))
    assert not found.fault
    first = {header: min((d.number for d in found.done if d.block == header), default=0) for header in after.loops}
    rounds = Counter(after.loops[d.block].kind for d in found.done if first.get(d.block) == d.number)
    return Ran(" ".join(filter(None, map(_word, found.done))), after, rounds)


def refused(body: str, text: str) -> str:
    """Return why a transformation is refused."""
    try:
        apply_all(loop_test(body).kernels[0], text)
    except Refused as refusal:
        return "; ".join(each.reason for each in refusal.refusals)
    return ""


def _word(done: Done) -> str:
    """Return an access as a word; nothing of other statements."""
    if not isinstance(done.statement, Load | Store | AtomicRmw):
        return ""
    array, offset = divmod(done.place, 1 << 16)
    return f"{'abc'[array - 1]}{offset // 4}{'' if isinstance(done.statement, Load) else '='}"
