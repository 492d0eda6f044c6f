"""Pairs by themselves, as `lli` executes them: what values both return and leave in memory.

What goes in: pairs that are called sound. What comes out: those that return something else, or leave something else,
for some numbers near powers of two. Pairs with a weak cmpxchg are left out: it may fail whatever it reads, as if it
were not there, and of `lli` never does; so are pairs with flags of what is computed of numbers alone, which may be
poison, of which `lli` knows nothing. One module has all of them, so that the interpreter begins once.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random

from tests.refinement.values.pairs import BITS, Drawn, boundary

TRIALS = 24
"""So many times each pair is called."""
_FLAGGED = re.compile(r"= \w+ (?:(?:nuw|nsw|exact) )+i\d+ -?\d+, -?\d+$", re.MULTILINE)
"""Arithmetic of numbers alone that may be poison."""


def differing(pairs: Sequence[Drawn], lli: str = "lli-22") -> list[int]:
    """Return the seeds of pairs that do not do the same when nothing else runs."""
    pairs = [pair for pair in pairs if "cmpxchg weak" not in pair.text and not _FLAGGED.search(pair.text)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.ll"
        path.write_text(_module(pairs))
        done = subprocess.run([lli, str(path)], capture_output=True, text=True, check=True)
    return sorted({int(line) for line in done.stdout.split()})


def _module(pairs: Sequence[Drawn]) -> str:
    """Return a module whose main function prints the seeds of pairs that differ."""
    parts, calls, number = ['@format = constant [4 x i8] c"%d\\0A\\00"\ndeclare i32 @printf(ptr, ...)\n'], [], 0
    declared: dict[str, None] = {}
    for pair in pairs:
        random, t = Random(f"lli {pair.seed}"), pair.type
        text = re.sub(r"@(src|tgt|x|y|h)\b", rf"@\g<1>.{pair.seed}", pair.text)
        declared |= dict.fromkeys(re.findall(r"^declare .*\n", text, re.MULTILINE))
        parts.append(re.sub(r"(?m)^declare .*\n", "", text))
        x, y, h = (f"@{name}.{pair.seed}" for name in "xyh")
        for _ in range(TRIALS):
            held = [boundary(random, BITS[t]) for _ in range(4)]
            arguments = [f"{t} {held[2]}", f"{t} {held[3]}", f"ptr {random.choice((x, y))}"]
            names = [each.split()[-1] for each in pair.parameters]
            called = ", ".join(arguments[("%n", "%m", "%p").index(name)] for name in names)
            results = []
            for side in ("src", "tgt"):
                number += 1
                begin = f"  store {t} {held[0]}, ptr {x}\n  store {t} {held[1]}, ptr {y}\n  store ptr {x}, ptr {h}\n"
                calls.append(f"{begin}  %r{number} = call {t} @{side}.{pair.seed}({called})\n")
                calls.append(f"  %x{number} = load {t}, ptr {x}\n  %y{number} = load {t}, ptr {y}\n")
                results.append(number)
            one, other = results
            for name in "rxy":
                calls.append(f"  %{name}d{other} = icmp ne {t} %{name}{one}, %{name}{other}\n")
            calls.append(f"  %a{other} = or i1 %rd{other}, %xd{other}\n  %d{other} = or i1 %a{other}, %yd{other}\n")
            calls.append(f"  br i1 %d{other}, label %wrong{other}, label %right{other}\nwrong{other}:\n")
            calls.append(f"  call i32 (ptr, ...) @printf(ptr @format, i32 {pair.seed})\n")
            calls.append(f"  br label %right{other}\nright{other}:\n")
    return "".join([*parts, *declared, "define i32 @main() {\n", *calls, "  ret i32 0\n}\n"])
