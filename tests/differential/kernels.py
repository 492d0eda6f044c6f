"""Random kernels of two lanes, and maybe a thread beside them.

What goes in: a number. What comes out: the text of a test with few accesses: to global memory, to LDS by its name or as
an argument, to private memory whose name has a dot in it, to an element that is computed; with branches, loops that are
bounded, barriers of the workgroup, cross-lane operations, and numbers of floating point.
"""

from __future__ import annotations

from random import Random

from axmem.front.typing import override

SHAPES = ("workgroups 2", "workgroups 2", "lanes 2", "lanes 2", "lanes 2", "wavefronts 2", "wavefronts 2")
CROSSING = (
    "{a} = readfirstlane {b}", "{a} = readlane {b}, 0", "{a} = wave.reduce.umax {b}", "{a} = wave.reduce.add {b}",
    "s = {b} << 2\n{a} = ds.bpermute s, {a}", "wave.barrier",
    "m = {b} == 0\nw = ballot m\n{a} = (trunc i64 w to i32) & 1",
)  # fmt: skip
COMPUTING = (
    "{a} = {b} ^ 1", "{a} = {a} + {b} & 3", "{a} = {b} == 0 ? 2 : {a}", "f = fadd float f, 1.5",
    "f = fmul float f, {a}",
)  # fmt: skip


def kernel_program(number: int) -> str:
    """Return the test of this number."""
    return _Wide(number).text()


class Writer:
    """A random kernel of two lanes with few accesses."""

    def __init__(self, seed: int | str) -> None:
        self.random = Random(seed)
        self.accesses = 3
        self.names = ["a", "b"]

    def text(self) -> str:
        shape = self.random.choice(["workgroups 2, lanes 1", "lanes 2"])
        body = "\n".join(["a = lane.id", "b = workgroup.id", *self.block(2)])
        return f"litmus random\nglobal x = 0, y = 0\nkernel K() {shape} {{\n{body}\n}}\nbound 2\n"

    def block(self, depth: int) -> list[str]:
        return [line for _ in range(self.random.randint(1, 3)) for line in self.statement(depth)]

    def statement(self, depth: int) -> list[str]:
        name, other = self.random.choice(self.names), self.random.choice(self.names)
        kind = self.random.randrange(8 if depth else 4)
        if kind in (0, 1) and self.accesses:
            self.accesses -= 1
            place = self.random.choice(["x", "y"])
            return [self.random.choice([
                f"{name} = load atomic {place} acquire", f"store atomic {name} & 1, {place} release",
                f"{name} = atomicrmw xchg {place}, 1 monotonic", f"{name} = load {place}",
            ])]  # fmt: skip
        if kind <= 3:
            return [self.random.choice([
                f"{name} = {other} ^ 1", f"{name} = readfirstlane {other}", f"{name} = wave.reduce.umax {other}",
                f"{name} = readlane {other}, 0", f"{name} = {name} + {other} & 3",
            ])]  # fmt: skip
        inner = self.block(depth - 1)
        if kind == 4:
            return [f"while {name} == 0 {{", *inner, f"{name} = {name} + 1", "}"]
        if kind == 5:
            return ["for i in 0..2 {", *inner, "}"]
        if kind == 6:
            return [f"if {name} == {self.random.randrange(2)} {{", *inner, "} else {", *self.block(depth - 1), "}"]
        return [f"if {name} == 1 {{", *inner, "ret void", "}"]


class _Wide(Writer):
    """A random kernel with more than that: fewer accesses, to all kinds of memory and of all kinds."""

    def __init__(self, number: int) -> None:
        self.name = f"kernel-{number}"
        super().__init__(self.name)
        self.accesses = self.random.choice((2, 3, 3, 4))
        self.synchronizes = self.random.random() < 0.5
        self.places = self.random.choice((["x", "y"], ["x", "y"], ["t", "p"], ["x", "t"], ["x", "p"], ["v", "x"]))

    @override
    def text(self) -> str:
        shape = self.random.choice(SHAPES)
        body = [line for _ in range(self.random.choice((1, 2, 2))) for line in self.block(2)]
        if self.synchronizes:
            flat = not any("{" in line for line in body)
            body.insert(self.random.randrange(len(body) + 1) if flat else len(body), self._barrier())
        head = [f"litmus {self.name}", "global x = 0, y = 0", "global <2 x i32> v = <1, 2>"]
        head += [f"kernel K(ptr addrspace(3) %p = &t) {shape} {{", "lds t = 0", "private a.addr"]
        beside = []
        if self.random.random() < 0.2:
            stored = self.random.choice(("store 1, x", "store atomic 1, x release", "store atomic 1, y monotonic"))
            beside = ["thread P1 {", stored, "}"]
        body = ["a = lane.id", "b = workgroup.id", "f = float 0.5", *body]
        return "\n".join([*head, *body, "}", *beside, "bound 2", "exists (all K:a=1)"]) + "\n"

    def _barrier(self) -> str:
        scope = self.random.choice(('syncscope("workgroup") ', ""))
        return self.random.choice(("s.barrier", f"fence {scope}release\ns.barrier\nfence {scope}acquire"))

    @override
    def statement(self, depth: int) -> list[str]:
        a, b = self.random.choice(self.names), self.random.choice(self.names)
        kind = self.random.randrange(8)
        if kind in (0, 1, 2) and self.accesses:
            self.accesses -= 1
            return self._access(a).split("\n")
        if kind == 3:
            return [f"store {a}, a.addr", f"{b} = load a.addr"]
        if kind == 4:
            return self.random.choice((*CROSSING, *COMPUTING)).format(a=a, b=b).split("\n")
        return super().statement(depth)

    def _access(self, a: str) -> str:
        place, before = self.random.choice(self.places), ""
        if place == "v":
            before, place = f"e = {a} & 1\n", "v[e]"
        scope = self.random.choice(('syncscope("workgroup") ', 'syncscope("agent") ', ""))
        return before + self.random.choice((
            f"{a} = load atomic i32, {place} {scope}acquire", f"store atomic i32 {a}, {place} {scope}release",
            f"{a} = atomicrmw {self.random.choice(('xchg', 'add'))} {place}, i32 1 {scope}monotonic",
            f"{a} = atomicrmw fadd {place}, float 0.5 {scope}monotonic",
            f"{a}, k = cmpxchg {place}, i32 0, 2 {scope}acq_rel monotonic", f"{a} = load i32, {place}",
            f"store i32 {a}, {place}",
        ))  # fmt: skip
