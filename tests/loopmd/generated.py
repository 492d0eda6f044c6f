"""Random loops in C, as clang-22 compiles them, through opt-22 pass by pass, and the same through our cases.

What goes in: a seed. What comes out: a source of functions with loops that are left and gone on with in all ways of C
(`continue`, `break`, `goto`), count with narrow integers and go through `restrict` pointers; and what differs.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from tests import functions
from tests.loopmd.clang import JAM, WAYS, Way, compiled, entry
from tests.loopmd.folder import FileCounts, compared_module

COUNTERS = ("int", "unsigned", "long", "unsigned long", "char", "signed char", "unsigned char", "short")
BODIES = (
    "p[i] = 3;",
    "p[i] = q[i] + 1;",
    "p[i] += q[i];",
    "s += q[i];",
    "p[i + 1] = p[i] * 3; r[i] = q[i];",
    "q[i] = 1; p[i] = 2;",
)
WAYS_ON = (
    "",
    "",
    "if (q[i] > m) continue;",
    "if (q[i] == m) break;",
    "if (i == m) break;",
    "if (q[i] < 0) goto skip;",
    "if (q[i] == 7) goto out;",
)
PRAGMAS = (
    "unroll_count(2)",
    "unroll_count(4)",
    "unroll_count(3)",
    "unroll(enable)",
    "unroll(full)",
    "unroll(disable)",
    "vectorize(enable)",
    "vectorize(disable)",
    "vectorize_width(4)",
    "interleave_count(2)",
    "distribute(enable)",
    "",
)
RECORD = Path(__file__).parent / "generated.json.xz"
"""What opt-22 made of the modules of some seeds (`SEEDS`), and of those of our own in LLVM IR (`TEXTS`)."""
SEEDS = (2,)
TEXTS = Path(__file__).parent / "ir"
COUNT = 8
"""Functions in a source: starting the tools takes longer than their work."""


def source(seed: int) -> str:
    """Return the functions of a seed."""
    random = Random(seed)
    return "\n".join(_function(random, f"f{number}") for number in range(COUNT))


def _function(random: Random, name: str) -> str:
    restrict = random.choice(("", "restrict "))
    head = f"int {name}(int *{restrict}p, int *{restrict}q, int *{restrict}r, int n, int m) {{\n  int s = 0;"
    body = f"{random.choice(WAYS_ON)} {random.choice(BODIES)}"
    if random.random() < 0.2:
        inner = _loop(random, "j", "s += q[j];", random.choice(("n", "4")))
        body = f"{inner}\n    p[i] = s;"
    loop = _loop(random, "i", body, random.choice(("n", "n", "5", "8", "16", "100")))
    return f"{head}\n{loop}\n  out:;\n  return s;\n}}"


def _loop(random: Random, counter: str, body: str, limit: str) -> str:
    """Return a loop over a counter of a random type, in a random form; what is skipped is at the end of its body."""
    type_, pragma = random.choice(COUNTERS), random.choice(PRAGMAS)
    pragma = f"\n#pragma clang loop {pragma}\n" if pragma else ""
    skip = " skip:;" if "goto skip" in body else ""
    step = random.choice((f"{counter}++", f"{counter}++", f"{counter} += 2"))
    if random.random() < 0.8 or "continue" in body:
        return f"{pragma}  for ({type_} {counter} = 0; {counter} < {limit}; {step}) {{ {body}{skip} }}"
    if random.random() < 0.5:
        return f"  {type_} {counter} = 0;\n{pragma}  while ({counter} < {limit}) {{ {body}{skip} {step}; }}"
    return f"  {type_} {counter} = 0;\n{pragma}  do {{ {body}{skip} {step}; }} while ({counter} < {limit});"


def modules(seed: int) -> list[tuple[Way, str]]:
    """Return what clang makes of the functions of a seed, in each way."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "random.c").write_text(source(seed), encoding="utf-8")
        return [(way, compiled(_patient(way), "random.c", Path(folder))) for way in WAYS]


def _patient(way: Way) -> Way:
    """Return a way on which it does not matter whether a pass would find more to do."""
    return replace(way, command=way.command.replace("instcombine", "instcombine<no-verify-fixpoint>"))


def texts() -> list[tuple[Way, str]]:
    """Return our own modules in LLVM IR, each for both targets."""
    found = []
    for path in sorted(TEXTS.glob("*.ll")):
        for target in ("x86-64", "amdgcn"):
            way = Way(path.name, target, "", JAM if "jam" in path.name else "O2")
            found.append((way, functions.content(str(path))))
    return found


def as_record() -> list[dict[str, Any]]:
    """Return what is to be kept for where there is no LLVM."""
    seeds = [(way, module) for seed in SEEDS for way, module in modules(seed)]
    return [entry(way, way.name, module) for way, module in (*texts(), *seeds)]


def compared(seed: int) -> list[FileCounts]:
    """Compare the functions of a seed, in each way."""
    found = modules(seed)
    return [compared_module(w, m, f"seed {seed} {w.name} {w.target}", all_of_them=True) for w, m in found]
