"""Random programs whose addresses are values: of a table of pointers, an element, the chosen one of two locations.

What goes in: a number. What comes out: the text of a test of two threads.
"""

from __future__ import annotations

from random import Random

LOADS = ("", "", "atomic monotonic", "atomic acquire", "atomic seq_cst")
STORES = ("", "", "atomic monotonic", "atomic release", "atomic seq_cst")


def address_program(number: int) -> str:
    """Return the test of this number."""
    rng = Random(f"addresses {number}")
    lines = [f"litmus addresses-{number}", "global x = 0, y = 1", "global <2 x i32> v = <2, 3>"]
    lines += [f"global ptr p = {rng.choice(('&x', '&y', '&v'))}"]
    for thread in range(2):
        body = ["n = 0", *(line for index in range(rng.randint(2, 3)) for line in _statement(rng, index))]
        place = rng.choice(("agent 0, workgroup 0", f"agent 0, workgroup {thread}", f"agent {thread}"))
        lines += [f"thread P{thread} @ {place}, wavefront {thread} {{", *(f"  {line}" for line in body), "}"]
    return "\n".join([*lines, "exists (P0:n=1)", ""])


def _statement(rng: Random, index: int) -> list[str]:
    """Return a statement, after what computes its address; `n` is what was read last."""
    kind = rng.randrange(5)
    if kind == 0:
        return [_store(rng, rng.choice(("&x", "&y", "&v")), "p", "ptr ")]
    before, address = _address(rng, index)
    if kind in (1, 2):
        return [*before, _load(rng, f"r{index}", address), f"n = r{index}"]
    if kind == 3:
        return [*before, _store(rng, rng.choice(("n", "1", "2")), address, "i32 ")]
    update = rng.choice(("add", "xchg"))
    ordering = rng.choice(("monotonic", "acq_rel"))
    return [*before, f"r{index} = atomicrmw {update} {address}, i32 1 {ordering}", f"n = r{index}"]


def _address(rng: Random, index: int) -> tuple[list[str], str]:
    kind = rng.randrange(4)
    if kind == 0:
        return [f"at{index} = n & 1"], f"v[at{index}]"
    if kind == 1:
        return [f"c{index} = n == {rng.randrange(3)}", f"q{index} = c{index} ? &x : &y"], f"q{index}"
    if kind == 2:
        return [_load(rng, f"q{index}", "p", "ptr, ")], f"q{index}"
    return [], rng.choice(("x", "y", "v[0]", "v[1]"))


def _load(rng: Random, register: str, address: str, type_: str = "i32, ") -> str:
    word, _, ordering = rng.choice(LOADS).partition(" ")
    return f"{register} = load {word}{' ' * bool(word)}{type_}{address} {ordering}".rstrip()


def _store(rng: Random, value: str, address: str, type_: str) -> str:
    word, _, ordering = rng.choice(STORES).partition(" ")
    return f"store {word}{' ' * bool(word)}{type_}{value}, {address} {ordering}".rstrip()
