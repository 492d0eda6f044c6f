"""`python benchmarks/contexts.py`: how many changes a second are judged in every context.

What goes in: pairs of fragments of one thread. What comes out: CPU seconds of each question and pairs a second, by what
the pairs share: `new` ones differ in their operations, `alike` ones in orderings and scopes alone, and what is made
for the first of them counts; `further` are those of these that are asked about when ten have been; `long` is a fragment
of twelve operations of which two are swapped. All questions are of one process.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product

from tabulate import tabulate

from axmem.front.garbage import collect_rarely
from axmem.litmus.parser import parse
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.changed import Change
from axmem.refinement.contexts.kept import Kept
from axmem.refinement.everywhere import scene, sound_everywhere

NEW = (
    ("r0 = load x; r1 = load y", "r1 = load y; r0 = load x"),
    ("store 1, x; store 2, y", "store 2, y; store 1, x"),
    ("r0 = load x; store 1, y", "store 1, y; r0 = load x"),
    ("store 1, x; r0 = load x", "store 1, x; r0 = 1"),
    ("store 1, x; store 2, x", "store 2, x"),
    ("r0 = load atomic x acquire; r1 = load y", "r1 = load y; r0 = load atomic x acquire"),
    ("store 1, x; store atomic 1, y release", "store atomic 1, y release; store 1, x"),
    ("fence acq_rel; r0 = load x", "r0 = load x; fence acq_rel"),
    ("r0 = atomicrmw add x, 0 monotonic", "r0 = load atomic x monotonic"),
    ("r0 = atomicrmw add x, 1 acq_rel; store 1, y", "store 1, y; r0 = atomicrmw add x, 1 acq_rel"),
)
Measured = tuple[float, Counter[str]]
"""CPU seconds, and how often each answer was given."""
ALIKE = "r0 = load atomic x{} {}; r1 = load atomic y{} {}"
LONG = "; ".join(f"r{k} = load x" if k % 2 else f"store {k}, y" for k in range(10))
FIRST = 10
"""So many of the pairs that are alike are asked about before the further ones."""
FEWER = 4
"""How many new pairs are asked about in contexts beyond two operations, if nobody says."""
SWAPPED = ("store 11, z; r11 = load x", "r11 = load x; store 11, z")


def alike() -> Iterator[tuple[str, str]]:
    """Yield pairs that differ in orderings and scopes alone: two loads of two locations are swapped."""
    words = tuple(product(("", ' syncscope("agent")', ' syncscope("workgroup")'), ("monotonic", "acquire")))
    for (scope, ordering), (other, second) in product(words, repeat=2):
        before = ALIKE.format(scope, ordering, other, second)
        yield before, "; ".join(reversed(before.split("; ")))


def change(before: str, after: str) -> Change:
    """Return the change of a thread, its statements separated by semicolons."""
    head = "litmus t\nglobal x = 0, y = 0, z = 0\nthread P {\n"
    texts = (head + body.replace("; ", "\n") + "\n}\n" for body in (before, after))
    first, second = (parse(text, "pair") for text in texts)
    return Change(first, second)


def measured(pairs: Sequence[tuple[str, str]], model: str, events: int, kept: Kept | None) -> Measured:
    """Return the CPU seconds that some questions take, and how often each answer was given."""
    answers: Counter[str] = Counter()
    begun = time.process_time()
    for before, after in pairs:
        answers[sound_everywhere(scene(change(before, after), ModelChoice(model)), events, kept=kept).status] += 1
    return time.process_time() - begun, answers


def kinds(model: str, events: int, number: int) -> Iterator[tuple[str, Measured]]:
    """Yield what pairs of each kind take in contexts of up to so many operations; `number` new ones are asked about."""
    yield "new", measured(NEW[:: -(-len(NEW) // number)], model, events, None)
    same, kept = tuple(alike()), Kept()
    first, further = (measured(pairs, model, events, kept) for pairs in (same[:FIRST], same[FIRST:]))
    yield "alike", (first[0] + further[0], first[1] + further[1])
    yield "further", further
    if events <= 2:
        yield "long", measured(((f"{LONG}; {SWAPPED[0]}", f"{LONG}; {SWAPPED[1]}"),), model, events, None)


def additions() -> float:
    """Return the CPU seconds of a loop of ten million additions."""
    begun, total = time.process_time(), 0
    for k in range(10_000_000):
        total += k
    return time.process_time() - begun


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print a table; return the exit code."""
    parser = argparse.ArgumentParser(prog="python benchmarks/contexts.py", description=__doc__)
    parser.add_argument("--context", type=int, action="append", help="up to so many operations (default: 2, then 3)")
    parser.add_argument("--model", default="llvm", choices=("llvm", "amdgpu"), help="default: llvm")
    parser.add_argument("--pairs", type=int, help=f"new ones (default: {len(NEW)}, beyond two operations {FEWER})")
    options = parser.parse_args(arguments)
    rows = []
    collect_rarely()
    measured(NEW[:1], options.model, 0, None)
    print(f"ten million additions: {additions():.2f} CPU s", file=sys.stderr, flush=True)
    for events in options.context or [2, 3]:
        number = options.pairs or (len(NEW) if events <= 2 else FEWER)
        for kind, (seconds, answers) in kinds(options.model, events, number):
            pairs = answers.total()
            counts = ", ".join(f"{count} {status}" for status, count in sorted(answers.items()))
            rows.append((events, kind, pairs, f"{seconds:.1f}", f"{pairs / seconds:.2f}", counts))
            print(tabulate(rows[-1:], tablefmt="plain"), file=sys.stderr, flush=True)
    print(tabulate(rows, ("context", "pairs", "number", "CPU s", "a second", "answers"), tablefmt="github"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
