"""Random kernels whose loads can be told apart in what llc-22 makes of them.

What goes in: a generator of random numbers. What comes out: the text of a test with one kernel, each of whose loads has
an offset of its own, and what was read is summed and stored, so that no load is dropped or merged with another.
"""

from __future__ import annotations

from random import Random

APART = 64
"""How many i32 lie between two loads; what begins below the first are the kernel's arguments."""

BETWEEN = (
    "store 1, q", "store 1, y", "store atomic 1, y release", "fence acquire", "fence seq_cst", "s.barrier",
    "o = load atomic y monotonic", "o = load atomic y acquire", "o = atomicrmw add y, 1 monotonic",
    "w, ok = cmpxchg y, 0, 1 acquire", "call void @g()",
)  # fmt: skip
"""What may stand between loads, outside branches and loops (docs/uniformity.md says what LLVM does within)."""

PLAIN = [("load i32", index) for index in ("{}", "n + {}", "workgroup.id + {}", "item + {}")]
ORDERED = [("load atomic i32", "{}"), ("load volatile i32", "{}")]

OUTSIDE = 2
"""The depth of statements that are in no branch and no loop."""


class _Maker:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.loads = 0

    def load(self, depth: int = OUTSIDE) -> list[str]:
        """Return a load that is uniform, divergent or, outside branches and loops, atomic or volatile."""
        self.loads += 1
        offset = self.loads * APART
        how, index = self.random.choice(PLAIN + ORDERED * (depth == OUTSIDE))
        rest = " monotonic" if "atomic" in how else ""
        return [f"r{self.loads} = {how}, p[{index.format(offset)}]{rest}", f"s = s + r{self.loads}"]

    def block(self, depth: int) -> list[str]:
        """Return a few statements; loads of a block are followed by nothing that reads again."""
        found: list[str] = []
        for _ in range(self.random.randint(1, 3)):
            kind = self.random.randrange(8)
            if kind == 7 and depth:
                found += [self.random.choice(["if n == 0 {", "if item == 0 {"]), *self.block(depth - 1), "}"]
            elif kind == 6 and depth:
                name = f"i{self.random.randrange(10**6)}"
                found += [f"for {name} in 0..{self.random.choice(['n', 'item'])} {{", *self.block(depth - 1), "}"]
            elif kind == 5 and depth == OUTSIDE:
                found.append(self.random.choice(BETWEEN))
            elif self.loads < 12:
                found += self.load(depth)
        return found


def loading_text(random: Random) -> str:
    """Return a test whose kernel K has loads at multiples of `APART`."""
    maker = _Maker(random)
    body = [*maker.load(), *maker.block(OUTSIDE), *maker.block(OUTSIDE), *maker.block(OUTSIDE)]
    head = "kernel K(i32 n = 3, ptr addrspace(1) p = &x, ptr addrspace(1) q = &z) wavefronts 2, lanes 4 {"
    lines = [head, "item = workitem.id", "s = 0", *body, "store s, q[item]", "}"]
    return "\n".join(["litmus f", "global x = 0, y = 0, z = 0", "declare void @g() convergent", *lines, ""])
