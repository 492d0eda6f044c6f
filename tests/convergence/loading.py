"""Random kernels whose loads can be told apart in what llc-22 makes of them.

What goes in: a generator of random numbers. What comes out: the text of a test with one kernel, each of whose loads has
an offset of its own, and what was read is summed and stored, so that no load is dropped or merged with another. Of
those that are annotated alone the loads are of any address, and anything may stand between them.
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
"""What may stand between loads."""
ANYWHERE = (
    *BETWEEN, "store 1, p[64]", "store 1, p + 264", "store i16 7, p + 510", "store 1, p[n]", "store 1, t",
    "store atomic 1, t release", "store atomic 1, y unordered", "store volatile 1, y", "store 1, v[3]",
    "o = load volatile p[3]", "o = load volatile t", "o = atomicrmw add p[128], 1 monotonic",
    "o = atomicrmw add t, 1 acq_rel", "w, ok = cmpxchg p[192], 0, 1 monotonic", "fence release", "wave.barrier",
    "o = load atomic t monotonic",
)  # fmt: skip
"""What may stand anywhere where the kernel is only annotated, and not made machine code with fewer loads."""

PLAIN = [("load i32", index) for index in ("{}", "n + {}", "workgroup.id + {}", "item + {}")]
ORDERED = [("load atomic i32", "{}"), ("load volatile i32", "{}")]

OUTSIDE = 2
"""The depth of statements that are in no branch and no loop."""


class _Maker:
    def __init__(self, random: Random, *, anywhere: bool) -> None:
        self.random = random
        self.anywhere = anywhere
        self.loads = 0

    def load(self, depth: int = OUTSIDE) -> list[str]:
        """Return a load that is uniform, divergent or, outside branches and loops, atomic or volatile."""
        self.loads += 1
        offset = self.loads * APART
        how, index = self.random.choice(PLAIN + ORDERED)
        rest = " monotonic" if "atomic" in how else ""
        address = f"p[{index.format(offset)}]"
        if self.anywhere:
            address = self.random.choice([address, address, "x", "v[3]", "far[1]"])
        return [f"r{self.loads} = {how}, {address}{rest}", f"s = s + r{self.loads}"]

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
            elif kind in (4, 5) and self.anywhere:
                found.append(self.random.choice(ANYWHERE))
            elif kind == 5:
                found.append(self.random.choice(BETWEEN))
            elif self.loads < 12:
                found += self.load(depth)
        return found


def loading_text(random: Random, *, anywhere: bool = False) -> str:
    """Return a test whose kernel K has loads at multiples of `APART`; with `anywhere` elsewhere, too."""
    maker = _Maker(random, anywhere=anywhere)
    body = [*maker.load(), *maker.block(OUTSIDE), *maker.block(OUTSIDE), *maker.block(OUTSIDE)]
    head = "kernel K(i32 n = 3, ptr addrspace(1) p = &x, ptr addrspace(1) q = &z) wavefronts 2, lanes 4 {"
    lines = [head, "item = workitem.id", "s = 0", *["far = p + 256"] * anywhere, *body, "store s, q[item]", "}"]
    memory = ["global x = 0, y = 0, z = 0", *["global <4 x i32> v", "lds t"] * anywhere]
    return "\n".join(["litmus f", *memory, "declare void @g() convergent", *lines, ""])
