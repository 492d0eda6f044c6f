"""Random programs that compute with numbers of floating point.

What goes in: a number. What comes out: the text of a test of two threads.
"""

from __future__ import annotations

from random import Random

from axmem.litmus.floats import FLOAT_UPDATES, FLOATING, FORMATS, PREDICATES

NUMBERS = ("0.0", "1.0", "-1.5", "0.1", "3.0", "1000.25", "0x7C00", "0x1")


def float_program(number: int) -> str:
    """Return two threads that pass numbers on; what the second computes decides what it stores."""
    rng = Random(f"floats {number}")
    name = rng.choice(("half", "float", "float", "double"))
    whole = f"i{FORMATS[name]}"
    registers = ["r0", "r1"]
    lines = []
    for index in range(2, rng.randrange(4, 7)):
        operation, count = rng.choice(sorted(FLOATING.items()))
        values = [rng.choice(registers) if rng.random() < 0.8 else rng.choice(NUMBERS) for _ in range(count)]
        lines.append(f"  r{index} = {operation} {name} {', '.join(values)}")
        registers.append(f"r{index}")
    last = registers[-1]
    plain = rng.random() < 0.5
    release, acquire = ("", "load y") if plain else (" release", "load atomic y acquire")
    few = rng.random() < 0.8  # Of updates and branches brute force has time for few.
    store = f"store {name} {rng.choice(NUMBERS[:5])}, y" if plain else f"store atomic {name} 3.0, y{release}"
    return "\n".join((
        f"litmus floats-{number}", f"global {whole} x = {name} 2.5, y = {name} 0.0, z = {name} 1.0",
        "thread P0 {", f"  store {name} {rng.choice(NUMBERS[:5])}, x", f"  {store}",
        *([f"  atomicrmw {rng.choice(FLOAT_UPDATES)} z, {name} {rng.choice(NUMBERS)} monotonic"] * (not few)), "}",
        "thread P1 {", f"  r0 = {acquire}", "  r1 = load x", *lines,
        f"  c = fcmp {rng.choice(PREDICATES)} {name} {last}, {rng.choice(registers)}",
        f"  old = atomicrmw {rng.choice(FLOAT_UPDATES)} z, {name} {rng.choice([last, *NUMBERS])} monotonic",
        f"  i = {rng.choice(('fptosi', 'fptosi.sat', 'fptoui.sat'))} {name} {last} to i8",
        f"  back = sitofp i8 i to {name}", "  if c {", "    store atomic back, z monotonic", "  }", "}",
        "observe P1:c", "observe P1:old", "observe P1:i", f"observe P1:{last}", "observe z",
    )) + "\n"  # fmt: skip
