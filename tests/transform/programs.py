"""Random kernels with loops, without other threads than their own lanes.

What goes in: a seed. What comes out: the text of a kernel with a loop, or two in a nest, over three arrays. Counts are
constants, parameters, or the number of a lane; loops have their tests in front or at the end; bodies load, store,
compute, branch, carry values round, and now and then have what transformations refuse: atomics, fences, convergent
operations. What was computed is stored at the end. Invariant: every access stays inside its array, and lanes write to
elements of their own, so that results do not depend on who comes first.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

SIZE = 64
"""How many elements an array has; each lane has half of them."""
ARRAYS = ("a", "b", "c")


@dataclass(slots=True)
class _Writer:
    random: Random
    lanes: int
    plain: bool
    labels: bool
    lines: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    number: int = 0
    clean: bool = False

    def fresh(self, stem: str) -> str:
        self.number += 1
        return f"{stem}{self.number}"

    def put(self, line: str) -> None:
        self.lines.append(line)


def program(seed: int, *, lanes: int = 1, plain: bool = False) -> str:
    """Return a test with a kernel K; `plain` ones have one lane, and nothing that LLVM compiles for AMDGPU alone."""
    random = Random(seed)
    w = _Writer(random, lanes, plain, labels=random.random() < 0.5)
    nest = random.random() < 0.35
    n, m = random.randint(0, 6), random.randint(0, 3)
    aliased = random.random() < 0.3
    parameters = [f"i32 %n = {n}", f"i32 %m = {m}", "ptr addrspace(1) %p = &a"]
    parameters.append(f"ptr addrspace(1) %q = &{'a' if aliased else 'b'}")
    w.put("acc = 0")
    w.put("old = 7")
    base = ""
    if lanes > 1:
        w.put("id = workitem.id")
        w.put(f"off = id * {SIZE // 2}")
        base = " + off"
    w.values = ["acc", "old", "3"]
    _loop(w, base, ("i",), nest=nest)
    if random.random() < 0.5:
        _branch(w, base, ("old",))
    w.put(f"store i32 acc, c[{SIZE // 2 - 1}{base}]")
    w.put(f"store i32 old, c[{SIZE // 2 - 2}{base}]")
    arrays = []
    for k, name in enumerate(ARRAYS):
        values = ", ".join(str((7 * e + 11 * k) % 64) for e in range(SIZE))
        arrays.append(f"global <{SIZE} x i32> {name} = {{{values}}}")
    shape = f"lanes {lanes} " if lanes > 1 else ""
    head = f"kernel K({', '.join(parameters)}) {shape}{{"
    return "\n".join(["litmus random", *arrays, head, *w.lines, "}", ""])


def _count(w: _Writer) -> str:
    """Return how often a loop goes round: a constant, a parameter, a number that lanes differ in."""
    kind = w.random.random()
    if kind < 0.45:
        return str(w.random.choice([1, 2, 3, 4, 4, 5, 6]))
    if kind < 0.9 or w.lanes == 1:
        return w.random.choice(["n", "n", "m"])
    return "id"


def _loop(w: _Writer, base: str, counters: tuple[str, ...], *, nest: bool) -> None:
    """Write a loop: in braces, or with labels and the test in front or at the end."""
    i, last, start = counters[-1], _count(w), w.random.choice([0, 0, 0, 1])
    step = w.random.choice([1, 1, 1, 2])
    if w.labels:
        _labelled(w, base, counters, (start, last, step), nest=nest)
        return
    counted = step == 1 and w.random.random() < 0.7
    if counted:
        w.put(f"for {i} in {start}..{last} {{")
    else:
        w.put(f"{i} = {start}")
        w.put(f"while {i} < {last} {{")
    _body(w, base, counters, nest=nest)
    if not counted:
        w.put(f"{i} = {i} + {step}")
    w.put("}")


def _labelled(w: _Writer, base: str, counters: tuple[str, ...], bounds: tuple[int, str, int], *, nest: bool) -> None:
    i, (start, last, step), rotated = counters[-1], bounds, w.random.random() < 0.7
    header, body, after, test = (w.fresh(stem) for stem in ("h", "b", "x", "t"))
    w.put(f"{i} = {start}")
    w.put(f"br {header}")
    w.put(f"{header}:")
    if not rotated:
        w.put(f"{test} = {i} < {last}")
        w.put(f"br {test}, {body}, {after}")
        w.put(f"{body}:")
    _body(w, base, counters, nest=nest)
    w.put(f"{i} = {i} + {step}")
    if rotated:
        w.put(f"{test} = {i} < {last}")
        w.put(f"br {test}, {header}, {after}")
    else:
        w.put(f"br {header}")
    w.put(f"{after}:")


def _body(w: _Writer, base: str, counters: tuple[str, ...], *, nest: bool) -> None:
    kept = list(w.values)
    if nest and len(counters) == 1:
        perfect = w.random.random() < 0.6
        w.clean = perfect and w.random.random() < 0.7
        if not perfect:
            _statements(w, base, counters, w.random.randint(0, 2))
        _loop(w, base, (*counters, "j"), nest=False)
        if not perfect:
            _statements(w, base, counters, w.random.randint(0, 2))
    else:
        _statements(w, base, counters, w.random.randint(1, 4))
    w.values = kept


def _statements(w: _Writer, base: str, counters: tuple[str, ...], count: int) -> None:
    for _ in range(count):
        kind = w.random.random() * (0.6 if w.clean else 1)
        if kind < 0.3:
            place = _place(w, base, counters)
            for _ in range(w.random.choice([1, 1, 1, 2])):
                register = w.fresh("r")
                w.put(f"{register} = load i32, {place}")
                w.values.append(register)
        elif kind < 0.6:
            place = _place(w, base, counters)
            for _ in range(w.random.choice([1, 1, 1, 2])):
                w.put(f"{w.fresh('s')}: store i32 {_value(w, counters)}, {place}")
        elif kind < 0.72:
            w.put(f"acc = acc + {_value(w, counters)}")
        elif kind < 0.78:
            register = w.fresh("v")
            w.put(f"{register} = {_value(w, counters)} {w.random.choice('+*^')} {_value(w, counters)}")
            w.values.append(register)
        elif kind < 0.83:
            w.put(f"old = {_value(w, counters)}")
        elif kind < 0.9 and len(w.lines) < 40:
            _branch(w, base, counters)
        else:
            _special(w, base, counters)


def _branch(w: _Writer, base: str, counters: tuple[str, ...]) -> None:
    """Write a conditional store, or two ways that end with a store to one place."""
    w.put(f"if {counters[-1]} & 1 {{" if w.random.random() < 0.5 else f"if {_value(w, counters)} < 20 {{")
    place, register = _place(w, base, counters), w.fresh("u")
    if w.random.random() < 0.4:
        w.put(f"{register} = load i32, {_place(w, base, counters)}")
        w.put(f"store i32 {register}, {place}")
    else:
        w.put(f"store i32 {_value(w, counters)}, {place}")
    if w.random.random() < 0.5:
        w.put("} else {")
        w.put(f"store i32 {_value(w, counters)}, {place}")
    w.put("}")


def _special(w: _Writer, base: str, counters: tuple[str, ...]) -> None:
    kinds = ["atomic load", "atomic store", "rmw", "fence", "volatile"]
    kind = w.random.choice(kinds if w.plain else [*kinds, "ballot"])
    place = _place(w, base, counters)
    register = w.fresh("s")
    if kind == "atomic load":
        ordering = w.random.choice(["monotonic", "acquire"])
        w.put(f"{register} = load atomic i32, {place} {ordering}")
    elif kind == "atomic store":
        ordering = w.random.choice(["monotonic", "release"])
        w.put(f"store atomic i32 {_value(w, counters)}, {place} {ordering}")
    elif kind == "rmw":
        w.put(f"{register} = atomicrmw add {place}, i32 {_value(w, counters)} monotonic")
    elif kind == "fence":
        w.put(f"fence {w.random.choice(['acquire', 'release', 'acq_rel'])}")
    elif kind == "volatile":
        w.put(f"{register} = load volatile i32, {place}")
    else:
        w.put(f"{register} = ballot 1")
        return
    if kind not in ("atomic store", "fence"):
        w.values.append(register)


def _value(w: _Writer, counters: tuple[str, ...]) -> str:
    return w.random.choice([*w.values, *counters, str(w.random.randint(0, 9))])


def _place(w: _Writer, base: str, counters: tuple[str, ...]) -> str:
    """Return an element: beside the counter, in a row of the nest, or the same in every iteration."""
    array = w.random.choice([*ARRAYS, *ARRAYS, "p", "q"])
    i = counters[-1]
    if i == "old":
        return f"{array}[{w.random.randint(0, 5)}{base}]"
    terms = [i, i, i, f"{i} + {w.random.randint(1, 4)}", f"{i} * 2", str(w.random.randint(0, 5))]
    if len(counters) > 1:
        terms = [f"{counters[0]} * {4 if w.lanes > 1 else 8} + {i}"] * (12 if w.clean else 4) + terms
    return f"{array}[{w.random.choice(terms)}{base}]"
