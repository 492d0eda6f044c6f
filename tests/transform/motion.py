"""Random kernels with a branch, and the steps that move something of them over it.

What goes in: a source of random choices. What comes out: the text of a test whose kernel of two lanes branches, over
lanes or not, with the same or other operations on both ways, tokens or none, and steps for
`axmem kernel transform --apply`.
"""

from __future__ import annotations

import re
from random import Random

ANCHOR = "{} = call token @llvm.experimental.convergence.anchor()"
CONDITIONS = ("lane.id == 0", "lane.id < 2", "g == 0", "n == 1", "k == 0")
"""Of the lane, of it and true of all, of what is read, of a parameter, of what is read by every lane for itself."""


def kernel(random: Random) -> tuple[str, list[str]]:
    """Return a random test, and steps that may be applied to it."""
    tokens = random.random() < 0.5
    head = _row(random, "h", tokens)
    rows = {"then": _row(random, "t", tokens), "else": _row(random, "e", tokens)}
    if random.random() < 0.5:  # Both begin alike.
        rows["else"] = [re.sub(r"\bt(a|[0-9])\b", r"e\1", line) for line in rows["then"]]
    lines = ["entry:", "g = load G", "k = load atomic F monotonic", *head, f"c = {random.choice(CONDITIONS)}"]
    lines += ["br c, then, else"]
    for name, row in rows.items():
        lines += [f"{name}:", *row, *_uses(name[0], row), "br join"]
    other = "%u" if random.random() < 0.5 else "1"
    lines += ["join:", f"w = phi i32 [ 0, then ], [ {other}, else ]"]
    both = [line for line in _row(random, "j", tokens)[-1:] if not tokens or "ballot" not in line]
    lines += [*both, "br w == 0, low, high", "low:", "store 7, L", "br end"]
    lines += ["high:", "store 8, L", "br end", "end:", "ret void"]
    lines.insert(lines.index("else:") + 1, "u = n + 3")
    globals_ = "global G = 0, F = 0, D = 0, L = 0\nglobal i64 A = 0, B = 0\n"
    text = f"litmus m\n{globals_}kernel K(i32 n = 1) lanes 2 {{\n" + "\n".join(lines) + "\n}\nexists (true)\n"
    named = [line.split(" = ")[0] for row in rows.values() for line in row if " = " in line]
    steps = ["hoist-common(entry)", "merge-tails(join)", "duplicate-tail(join)"]
    steps += [f"thread(join, {way})" for way in rows]
    steps += [f"hoist({name}, entry)" for name in named]
    for name in (line.split(" = ")[0] for line in head if " = " in line):
        steps += [f"{word}({name}, {way})" for word in ("sink", "sink-anchor") for way in rows]
    return text, steps


def _row(random: Random, stem: str, tokens: bool) -> list[str]:
    """Return a few operations; with tokens the convergent ones have an anchor's."""
    lines: list[str] = []
    if tokens:
        lines.append(ANCHOR.format(f"{stem}a"))
    bundle = f' [ "convergencectrl"(token %{stem}a) ]' if tokens else ""
    for k in range(random.randint(1, 2)):
        name = f"{stem}{k}"
        lines.append(
            random.choice(
                (
                    f"{name} = ballot g == 0{bundle}",
                    f"{name} = ballot true{bundle}",
                    f"{name} = load D",
                    f"{name} = load atomic F acquire",
                    f"{name}: store {ord(stem)}, D",
                    f"{name}: fence release",
                )
            )
        )
    return lines


def _uses(stem: str, row: list[str]) -> list[str]:
    """Return a store of what a row has first, so that others can tell what it is."""
    place = {"t": "A", "e": "B"}[stem]
    ballots = [line.split(" = ")[0] for line in row if "ballot" in line]
    return [f"store {ballots[0]}, {place}"] if ballots else []
