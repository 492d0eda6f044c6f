"""What C++20, RC11 and OpenCL say of programs of atomics, over operations: a read-modify-write is one.

What goes in: a program. What comes out: whether its outcome is allowed. Written from the papers, by sets of pairs, and
independent of the models: relations are computed for every reads-from and every modification order that fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product

from tests.seq_cst.programs import Operation, Program

Pairs = frozenset[tuple[int, int]]


@dataclass(frozen=True)
class Rules:
    """The order of seq_cst (`cxx20`, `rc11`, `opencl`), release sequences (`cxx20`, `rc11`, `c11`), and thin air."""

    order: str
    sequence: str
    no_thin_air: bool = False


CXX20, RC11 = Rules("cxx20", "cxx20"), Rules("rc11", "rc11", no_thin_air=True)
OPENCL, LLVM_RC11 = Rules("opencl", "c11"), Rules("rc11", "cxx20")


def allowed(program: Program, rules: Rules) -> bool:
    """Tell whether some consistent execution has the outcome."""
    return any(each.consistent(rules) for each in executions(program))


def closed(pairs: Iterable[tuple[int, int]]) -> Pairs:
    """Return the transitive closure."""
    found = set(pairs)
    while True:
        new = {(a, d) for a, b in found for c, d in found if b == c} - found
        if not new:
            return frozenset(found)
        found |= new


def then(*steps: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the composition of relations."""
    first, *rest = steps
    found = set(first)
    for step in rest:
        after = list(step)
        found = {(a, d) for a, b in found for c, d in after if b == c}
    return found


@dataclass(frozen=True)
class Execution:
    """Operations, initial writes first; their threads (-1 of those); what each reads; modifications in their order."""

    ops: tuple[Operation, ...]
    threads: tuple[int, ...]
    source: dict[int, int]
    orders: dict[str, tuple[int, ...]]

    # ------------------------------------------------------------ sets

    def some(self, kinds: str, orders: str = "rlx acq rel ar sc") -> set[int]:
        words = orders.split()
        return {k for k, o in enumerate(self.ops) if self.threads[k] >= 0 and o.kind in kinds and o.order in words}

    def identity(self, some: Iterable[int]) -> set[tuple[int, int]]:
        return {(k, k) for k in some}

    @cached_property
    def every(self) -> set[tuple[int, int]]:
        return self.identity(range(len(self.ops)))

    # ------------------------------------------------------------ relations

    @cached_property
    def sb(self) -> Pairs:
        t = self.threads
        return frozenset((a, b) for a in range(len(t)) for b in range(a + 1, len(t)) if t[a] == t[b] >= 0)

    @cached_property
    def rf(self) -> Pairs:
        return frozenset((w, r) for r, w in self.source.items())

    @cached_property
    def mo(self) -> Pairs:
        return frozenset((a, b) for order in self.orders.values() for i, a in enumerate(order) for b in order[i + 1 :])

    @cached_property
    def fr(self) -> Pairs:
        return frozenset((r, b) for r, w in self.source.items() for a, b in self.mo if a == w and b != r)

    @cached_property
    def eco(self) -> Pairs:
        return closed(self.rf | self.mo | self.fr)

    def same(self, a: int, b: int) -> bool:
        return self.ops[a].location == self.ops[b].location != ""

    def sequences(self, rules: Rules) -> set[tuple[int, int]]:
        """From the head of a release sequence to its members."""
        writes = self.some("WU")
        if rules.sequence == "c11":
            found = set()
            for order in self.orders.values():
                for i, head in enumerate(order):
                    for member in order[i:]:
                        if (
                            member != head
                            and self.ops[member].kind != "U"
                            and self.threads[member] != self.threads[head]
                        ):
                            break
                        found.add((head, member))
            return found
        updates = {(w, r) for w, r in self.rf if self.ops[r].kind == "U"}
        heads = self.identity(writes)
        if rules.sequence == "rc11":
            heads |= {(a, b) for a, b in self.sb if a in writes and b in writes and self.same(a, b)}
        return then(heads, self.every | closed(updates))

    def sw(self, rules: Rules) -> set[tuple[int, int]]:
        releases, acquires = "rel ar sc", "acq ar sc"
        before = self.identity(self.some("WU", releases))
        before |= {(f, w) for f, w in self.sb if f in self.some("F", releases) and w in self.some("WU")}
        after = self.identity(self.some("RU", acquires))
        after |= {(r, f) for r, f in self.sb if r in self.some("RU") and f in self.some("F", acquires)}
        found = then(before, self.sequences(rules), self.rf, after)
        return {(a, b) for a, b in found if self.threads[a] != self.threads[b]}

    # ------------------------------------------------------------ rules

    def consistent(self, rules: Rules) -> bool:
        sw = self.sw(rules)
        first = {(a, b) for a, t in enumerate(self.threads) if t < 0 for b, u in enumerate(self.threads) if u >= 0}
        hb = closed(self.sb | sw | first)
        if any(a == b or (b, a) in self.eco for a, b in hb) or any(a == b for a, b in self.eco):
            return False
        if rules.no_thin_air and any(a == b for a, b in closed(self.sb | self.rf)):
            return False
        before = {"cxx20": self.cxx20, "rc11": self.psc, "opencl": self.scoped}[rules.order](hb, sw)
        return all(a != b for a, b in closed(before))

    def cxx20(self, hb: Pairs, sw: set[tuple[int, int]]) -> set[tuple[int, int]]:
        """P0668: strongly happens before, and coherence-ordered before as accesses and fences see it."""
        accesses, fences = self.some("WRU", "sc"), self.some("F", "sc")
        both = {(a, b) for a, b in sw if a in accesses and b in accesses}
        strongly = closed(self.sb | both | then(self.sb, hb, self.sb))
        ends = accesses | fences
        from_ = self.identity(accesses) | {(f, a) for f, a in hb if f in fences}
        to = self.identity(accesses) | {(b, f) for b, f in hb if f in fences}
        return {(a, b) for a, b in strongly if a in ends and b in ends} | then(from_, self.eco, to)

    def psc(self, hb: Pairs, _sw: set[tuple[int, int]]) -> set[tuple[int, int]]:
        """RC11."""
        fences, ends = self.identity(self.some("F", "sc")), self.identity(self.some("WRUF", "sc"))
        other = {(a, b) for a, b in self.sb if not self.same(a, b)}
        scb = self.sb | then(other, hb, other) | {(a, b) for a, b in hb if self.same(a, b)} | self.mo | self.fr
        maybe = self.every | hb
        found = then(ends | then(fences, maybe), scb, ends | then(maybe, fences))
        return found | then(fences, hb | then(hb, self.eco, hb), fences)

    def scoped(self, hb: Pairs, _sw: set[tuple[int, int]]) -> set[tuple[int, int]]:
        """Overhauling SC Atomics: happens-before, modification order and from-reads, between fences beside them."""
        ends = self.some("WRUF", "sc")
        before = self.every | {(f, b) for f, b in self.sb if f in self.some("F")}
        after = self.every | {(a, f) for a, f in self.sb if f in self.some("F")}
        return {(a, b) for a, b in then(before, hb | self.mo | self.fr, after) if a in ends and b in ends}


def executions(program: Program) -> Iterator[Execution]:
    """Yield the executions with the outcome in which updates are atomic."""
    locations = sorted({o.location for thread in program.threads for o in thread if o.location})
    ops = [*(Operation("W", "rlx", name, None, 0) for name in locations), *(o for t in program.threads for o in t)]
    threads = [*([-1] * len(locations)), *(n for n, t in enumerate(program.threads) for _ in t)]
    writes = {name: [k for k, o in enumerate(ops) if o.location == name and o.kind in "WU"] for name in locations}
    reads = [k for k, o in enumerate(ops) if o.kind in "RU"]
    sources = [[w for w in writes[ops[r].location] if w != r and ops[r].read in (None, ops[w].written)] for r in reads]
    orders = [[(w[0], *rest) for rest in permutations(w[1:])] for w in writes.values()]
    for chosen in product(*orders):
        order = dict(zip(locations, chosen, strict=True))
        if any(ops[order[name][-1]].written != value for name, value in program.final):
            continue
        for taken in product(*sources):
            source = dict(zip(reads, taken, strict=True))
            if all(_atomic(order[ops[r].location], r, w) for r, w in source.items() if ops[r].kind == "U"):
                yield Execution(tuple(ops), tuple(threads), source, order)


def _atomic(order: tuple[int, ...], update: int, source: int) -> bool:
    return order.index(update) == order.index(source) + 1
