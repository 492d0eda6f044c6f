"""Random litmus tests, as text.

What goes in: a seed and how much the brute-force engine may be asked to do. What comes out: the text of a test that
both engines can finish, the same for the same seed. Most tests follow a known shape (message passing in all its
lengths, store buffering, independent reads, …), since operations drawn one by one rarely synchronize; the rest are
free.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from math import factorial
from random import Random

from axmem.encoder.branching import paths, taken
from axmem.encoder.domains import sources_of
from axmem.events.graph import EventGraph, EventKind
from axmem.events.unroll import event_graph
from axmem.litmus.parser import parse
from axmem.litmus.syntax import LitmusTest, Ordering
from tests.differential.decorations import Theme, Variable, joining, places, theme, variable
from tests.differential.threads import ThreadText

PASSING = (
    "put:x release:f | acquire:f get:x",
    "put:x release:f | acquire:f get:x",
    "put:x put:y release:f | acquire:f get:x get:y",
    "put:x put:x release:f | acquire:f get:x",
    "get:x release:f | acquire:f put:x",
    "put:x release:f | acquire:f put:x get:x",
    "put:x make release:f | acquire:f make get:x",
    "put:x release:f | update:f | acquire:f get:x",
    "put:x release:f | acquire:f release:g | acquire:g get:x",
    "put:x release:f | acquire:f release:g | acquire:g get:x",
    "put:x release:f | acquire:f put:x release:g | acquire:g get:x",
    "put:x release:f | acquire:f fence fence get:x",
    "put:x release:f acquire:g get:x | acquire:f put:x release:g",
    "put:x make release:f | acquire:f make release:g | acquire:g make get:x",
    "put:x release:f | acquire:f release:g | acquire:g release:h | acquire:h get:x",
    "put:x before barrier:b | barrier:b after release:f | acquire:f get:x",
)
"""Message passing, by threads separated by bars, each a sequence of words (see `ThreadText.write`)."""

OTHERS = (
    "write:x | read:x release:f | acquire:f read:x",
    "write:x read:y | write:y read:x",
    "write:x fence read:y | write:y fence read:x",
    "write:x read:y | write:y fence read:x",
    "read:x write:y | read:y write:x",
    "read:x fence write:y | read:y fence write:x",
    "read:x copy:y | read:y copy:x",
    "read:x copy:y | read:y guarded:x",
    "read:x guarded:y | read:y guarded:x",
    "read:x copy:y | read:y copy:z | read:z copy:x",
    "write:x | write:y | read:x read:y | read:y read:x",
    "write:x | write:y | read:x fence read:y | read:y fence read:x",
    "write:x write:x | read:x read:x",
    "write:x | write:x | read:x read:x",
    "write:x write:x | read:x | read:x read:x",
    "write:x release:f | acquire:f write:x | read:x read:x",
    "write:x | read:x release:f | acquire:f write:x | read:x",
    "write:x | write:x | read:x | read:x",
    "write:x write:y | write:y write:x",
    "write:x fence write:y | write:y fence write:x",
    "write:x write:y | write:y read:x",
    "put:x release:f | acquire:f write:x",
    "update:x | update:x",
    "update:x read:x | swap:x",
    "swap:f put:x release:f | swap:f get:x",
    "swap:x | swap:x get:x",
    "put:x barrier:b | barrier:b get:x",
    "put:x before barrier:b after | before barrier:b after get:x",
    "put:x before barrier:b | barrier:b after get:x",
    "put:x before barrier after get:y | put:y before barrier after get:x",
    "put:x publish:q | follow:q",
    "put:x put:y publish:q | follow:q",
    "put:x release:f | acquire:f branch get:x",
    "put:x release:f | acquire:f assume get:x",
    "put:x get:x compute get:x",
    "put:x put:x get:x branch get:x",
    "put:x release:f | acquire:f branch",
    "write:x write:x | read:x get:x read:x",
    "write:x | write:x | read:x read:x get:x",
)
"""Buffering, independent reads, coherence, dependencies, read-modify-writes, barriers, pointers, branches."""


@dataclass(frozen=True, slots=True)
class Size:
    """How many candidate reads-from maps and coherence orders a test may have."""

    candidates: int = 80
    orders: int = 24


@dataclass(frozen=True, slots=True)
class Drawn:
    """A random test: its text, the test, its events."""

    text: str
    test: LitmusTest
    graph: EventGraph


def program(seed: int, size: Size = Size()) -> str:
    """Return the text of the test with this seed."""
    return drawn(seed, size).text


@lru_cache(maxsize=2000)
def drawn(seed: int, size: Size = Size()) -> Drawn:
    """Return the test with this seed; it is kept, since the same seeds serve many tests."""
    rng = Random(seed)
    while True:
        text = _draft(rng, f"R{seed}")
        test = parse(text)
        graph = event_graph(test)
        # Where an address is read from memory, most candidates go where it does not lead and cost little.
        widest = max((len(c.values) for c in graph.choices if c.expr is not None), default=1)
        if candidates(graph) <= size.candidates * widest and orders(graph) <= size.orders:
            return Drawn(text, test, graph)


def _draft(rng: Random, name: str) -> str:
    threads = _shape(rng)
    rows = _places(rng, threads)
    chosen = theme(rng, joining(rows))
    variables = _variables(rng, threads, chosen)
    header = [f"litmus {name}", *(v.declaration() for v in variables.values())]
    if any(word.startswith("publish") for words in threads for word in words):
        header.append(f"global ptr q = &{rng.choice([n for n, v in variables.items() if v.space == 'global'])}")
    if any("barrier:b" in words for words in threads) and rng.random() < 0.5:
        members = [f"P{i}" for i, words in enumerate(threads) if "barrier:b" in words]
        header.append(f"barrier b ({', '.join(members)})")
    fresh = count(1)
    bodies = [_thread(rng, chosen, words, variables, fresh) for words in threads]
    lines = list(header)
    for i, (row, body) in enumerate(zip(rows, bodies, strict=True)):
        place = "@ " + ", ".join(f"{level} {number}" for level, number in row.items())
        lines += ["", f"thread P{i} {place} {{", *body.lines, "}"]
    return "\n".join([*lines, "", *_question(rng, variables, bodies)]) + "\n"


def _places(rng: Random, threads: list[list[str]]) -> list[dict[str, int]]:
    """Return the places; the threads at an undeclared barrier share a workgroup, others mostly too."""
    rows = places(rng, len(threads))
    words = {word for words in threads for word in words}
    if "barrier" in words or ("barrier:b" in words and rng.random() < 0.8):
        return [{**row, "agent": 0, "cluster": 0, "workgroup": 0} for row in rows]
    return rows


def _shape(rng: Random) -> list[list[str]]:
    """Return the words of each thread: a known shape, maybe with a statement more, or free statements."""
    if rng.random() < 0.8:
        shape = rng.choice(rng.choice((PASSING, PASSING, PASSING, OTHERS, OTHERS)))
        threads = [part.split() for part in shape.split("|")]
        for _ in range(rng.choice((0, 0, 0, 1, 1, 2))):
            words = rng.choice(threads)
            extra = rng.choice(("any", "any", "fence", "make", "compute", "branch", "branch"))
            words.insert(rng.randrange(len(words) + 1), extra)
        return threads
    free = ("any",) * 10 + ("compute", "branch", "assume")
    return [[rng.choice(free) for _ in range(rng.randrange(1, 5))] for _ in range(rng.choice((1, 2, 2, 2, 3, 3, 4)))]


def _variables(rng: Random, threads: list[list[str]], chosen: Theme) -> dict[str, Variable]:
    names = {word.partition(":")[2] for words in threads for word in words} - {"", "b", "q"}
    needed = sorted(names | ({"x"} if rng.random() < 0.5 else {"x", "f"}))
    plain = any(word.startswith("publish") for words in threads for word in words)
    found = {n: variable(rng, n, chosen, plain=plain or (n in "fgh" and rng.random() < 0.8)) for n in needed}
    if plain:
        found["x"] = Variable("x", "global", 32, 0, "0")
    if len(threads) == 1 and rng.random() < 0.3:
        found["x"] = Variable("x", "private", 32, 0, "0")
    return found


def _thread(
    rng: Random, chosen: Theme, words: list[str], variables: dict[str, Variable], fresh: Iterator[int]
) -> ThreadText:
    thread = ThreadText(rng, chosen, variables, fresh=fresh)
    for word in words:
        thread.write(word)
    return thread


def _question(rng: Random, variables: dict[str, Variable], bodies: list[ThreadText]) -> Iterator[str]:
    registers = [f"P{i}:{r.name}" for i, body in enumerate(bodies) for r in body.registers if not r.lanes]
    if rng.random() < 0.3:
        yield f"observe {rng.choice(sorted(variables))}"
    yield f"exists ({rng.choice(registers)}={rng.randrange(3)})" if registers else "exists (true)"


# ---------------------------------------------------------------- what brute force would cost


def candidates(graph: EventGraph) -> int:
    """Return how many reads-from maps there are, undef included, over all control paths."""
    sources = sources_of(graph)
    total = 0
    for arms in paths(graph):
        product = 1
        for read, writes in sources.items():
            if taken(graph.events[read].guard, arms):
                product *= 1 + sum(taken(graph.events[w].guard, arms) for w in writes)
        total += product
        if total > 10**7:
            break
    return total


def orders(graph: EventGraph, *, torn: bool = False) -> int:
    """Return an upper bound of the coherence orders that the models look at; `torn`: each cell has its own."""
    counts: dict[tuple[int, int], int] = {}
    for e in graph.events:
        if e.kind is EventKind.WRITE and e.ordering not in (Ordering.NOT_ATOMIC, Ordering.UNORDERED):
            counts[e.access, e.cell if torn else 0] = e.cell
    cells = list(counts.values())
    product = 1
    for cell in set(cells):
        product *= factorial(cells.count(cell))
    return product
