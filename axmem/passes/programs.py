"""Random closed programs for a backend: messages between threads, and what stands around them.

What goes in: a seed and a number. What comes out: the text of a test, the same for both. A message is a store of data,
a release and an acquire of a flag at one scope, and a load of the data or another store, between threads that are as
far apart as the scope reaches; operations at random stand before, between and behind them. Some programs pass the
message on, in some what the flag says is that the data was read, some are random, some have one thread. Scopes may be
of one address space, memory of a workgroup may be LDS, the data may be a half of a pair, fences may have tags of
address spaces, accesses may be volatile, what the flag says may be asked by a branch, and a branch may send the message
from one of two places, which differ in the scope or the ordering of the release.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from axmem.litmus.words import AS_PREFIX, OperationKind, Ordering, atomic_for, legal_for

SCOPES = {
    "workgroup": ("agent 0, workgroup 0, wavefront 0", "agent 0, workgroup 0, wavefront 1"),
    "cluster": ("agent 0, cluster 0, workgroup 0", "agent 0, cluster 0, workgroup 1"),
    "agent": ("agent 0, cluster 0, workgroup 0", "agent 0, cluster 1, workgroup 0"),
    "": ("agent 0, workgroup 0", "agent 1, workgroup 0"),
}
"""Places that a scope just reaches, the first the same for all; a third thread is there, in a wavefront of its own."""
DATA, FLAGS = ("x", "z"), ("y", "w")
LOCATIONS = (*DATA, *FLAGS)
PAIR, HALVES = "<2 x i32>", ("x[0]", "x[1]")
MOST = 2
"""How many operations stand at random at each place of a message at most."""
UPDATES = ("add", "xchg", "or", "max")
UPDATING = (OperationKind.RMW, OperationKind.CMPXCHG)
KINDS = (OperationKind.LOAD, OperationKind.STORE, OperationKind.FENCE, *UPDATING)
ADDRESS_SPACES = ("local", "global")
"""What the tags of a fence name."""
SELDOM = 0.15
"""How often operations are volatile, fences have tags, scopes are of one address space, and branches ask."""
BARE = 0.3
"""How often a program is a message and nothing beside it: it takes the least time, and nothing hides what it shows."""


def program(seed: int, number: int) -> str:
    """Return the text of a test."""
    return _Program(Random(f"hunt {seed} {number}"), f"hunt-{seed}-{number}").text()


class _Program:
    """One program, as it is drawn."""

    def __init__(self, random: Random, name: str) -> None:
        self.random, self.name = random, name
        self.bare = random.random() < BARE
        self.distance = random.choice([*SCOPES])
        self.scope = self._scope(self.distance)
        self.places = [*SCOPES[self.distance]]
        shared = self.distance == "workgroup" and random.random() < 0.5
        self.local = [name for name in LOCATIONS if shared and random.random() < 0.5]
        self.most = 0 if self.bare else random.randrange(MOST + 1)
        self.locations: tuple[str, ...] = LOCATIONS
        self.pair = self._seldom()
        self.made = 0

    def text(self) -> str:
        """Return the text of the test."""
        shapes = (self._message, self._mirror, self._chain, self._free, self._alone)
        threads = [*(self._message if self.bare else self.random.choice(shapes))()]
        places = self.places
        lines = [f"litmus {self.name}"]
        for space, names in (("global", [n for n in LOCATIONS if n not in self.local]), ("lds", self.local)):
            pair = [name for name in names if name == DATA[0] and self.pair]
            lines += [f"{space} {PAIR} {name} = 0" for name in pair]
            if rest := [f"{name} = 0" for name in names if name not in pair]:
                lines.append(f"{space} {', '.join(rest)}")
        for k, body in enumerate(threads):
            place = places[k] if k < len(places) else f"{places[0].partition(', wavefront')[0]}, wavefront {k}"
            lines += [f"thread P{k} @ {place} {{", *(f"  {line}" for line in body), "}"]
        return "\n".join((*lines, "observe x", "observe z")) + "\n"

    @property
    def data(self) -> str:
        """What a message is about: a location, or the half of a pair."""
        return HALVES[1] if self.pair else DATA[0]

    def _seldom(self) -> bool:
        return not self.bare and self.random.random() < SELDOM

    def _scope(self, scope: str) -> str:
        """Return a scope, now and then of one address space."""
        return "-".join(filter(None, (scope, "one-as"))) if self._seldom() else scope

    def _message(self) -> Iterator[list[str]]:
        yield [*self._others(), *self._sent(FLAGS[0])]
        yield self._asked(FLAGS[0], [*self._others(), self._last(), *self._others()])

    def _sent(self, flag: str) -> list[str]:
        """Return data and a release; now and then in two arms, whose releases differ in scope or ordering."""
        state, scope = self.random.getstate(), self.scope
        one = self._data_and_release(flag)
        if self.random.random() >= SELDOM:
            return one
        weaker, other = self.random.random() < 0.5, self._scope(self.random.choice([*SCOPES]))
        drawn = self.random.getstate()
        self.random.setstate(state)
        self.scope = scope if weaker else other
        two = self._data_and_release(flag)
        if weaker:
            two[-1] = f"{two[-1].rpartition(' ')[0]} {Ordering.MONOTONIC.value}"
        self.random.setstate(drawn)
        self.scope = scope
        asked = self._register()
        arms = [f"  {line}" for line in one], [f"  {line}" for line in two]
        first = f"{asked} = load atomic {FLAGS[1]} {self._words(Ordering.MONOTONIC)}"
        return [first, f"if {asked} == 0 {{", *arms[0], "} else {", *arms[1], "}"]

    def _data_and_release(self, flag: str) -> list[str]:
        """Return a store of data, now and then behind one of other data, and a release."""
        more = [f"store 1, {DATA[1]}"] if self.random.random() < 0.5 else []
        return [*more, f"store 1, {self.data}", *self._others(), *self._release(flag)]

    def _mirror(self) -> Iterator[list[str]]:
        """Yield a thread that reads data and then says so, and one that changes them then."""
        yield [*self._others(), self._read(), *self._others(), *self._release(FLAGS[0])]
        yield self._asked(FLAGS[0], [*self._others(), f"store 1, {self.data}", *self._others()])

    def _read(self) -> str:
        return f"{self._register()} = load {self._whole(self.data)}"

    def _whole(self, place: str) -> str:
        """Return what a plain load reads: of the half of a pair now and then both."""
        return f"{PAIR}, {DATA[0]}" if place in HALVES and self.random.random() < 0.5 else place

    def _last(self) -> str:
        """Return what is to come after the data was stored: a load, or another store."""
        return self._read() if self.random.random() < 0.5 else f"store 2, {self.data}"

    def _asked(self, flag: str, behind: list[str]) -> list[str]:
        """Return an acquire, and what stands behind it, now and then only if the flag was set."""
        lines = self._acquire(flag)
        if not self._seldom():
            return [*lines, *behind]
        return [*lines, f"if {lines[0].partition(' ')[0]} == 1 {{", *(f"  {line}" for line in behind), "}"]

    def _chain(self) -> Iterator[list[str]]:
        """Yield a message that is passed on, in half of the programs at another scope, to as far as that reaches."""
        yield self._data_and_release(FLAGS[0])
        received = [*self._acquire(FLAGS[0]), *self._others()]
        further = self.random.choice([each for each in SCOPES if each != self.distance])
        if not self.local and self.random.random() < 0.5:
            near, far = SCOPES[self.distance]
            self.places = [far, near, SCOPES[further][1]]
            self.scope = self._scope(further)
        yield [*received, *self._release(FLAGS[1])]
        yield self._asked(FLAGS[1], [*self._others(), self._read()])

    def _free(self) -> Iterator[list[str]]:
        for _ in range(2):
            yield [self._operation() for _ in range(self.random.randrange(2, 5))]

    def _alone(self) -> Iterator[list[str]]:
        """Yield a thread that reads data, often a pair, and goes on with it and one other location."""
        self.pair = self.pair or self.random.random() < 0.5
        self.locations = (DATA[0], self.random.choice(LOCATIONS))
        yield [self._read(), *(self._operation() for _ in range(self.random.randrange(1, 5)))]

    def _others(self) -> list[str]:
        return [self._operation() for _ in range(self.random.randrange(self.most + 1))]

    def _register(self) -> str:
        self.made += 1
        return f"r{self.made}"

    def _words(self, ordering: Ordering, scope: str | None = None) -> str:
        scope = self.scope if scope is None else scope
        return " ".join(filter(None, (f'syncscope("{scope}")' if scope else "", ordering.value)))

    def _release(self, flag: str) -> list[str]:
        """Return what releases: a store, an update, or a fence before one of these."""
        fenced = self.random.random() < 0.4
        strong = self.random.choice((Ordering.RELEASE, Ordering.SEQ_CST, Ordering.ACQ_REL))
        words = self._words(Ordering.MONOTONIC if fenced else strong)
        if self.random.random() < 0.5 or (strong is Ordering.ACQ_REL and not fenced):
            last = f"{self._register()} = atomicrmw {self.random.choice(UPDATES)} {flag}, 1 {words}"
        else:
            last = f"store atomic 1, {flag} {words}"
        return [*([self._fence(self._words(strong))] if fenced else []), last]

    def _acquire(self, flag: str) -> list[str]:
        """Return what acquires: a load, an update, or one of these before a fence."""
        fenced = self.random.random() < 0.4
        strong = self.random.choice((Ordering.ACQUIRE, Ordering.SEQ_CST, Ordering.ACQ_REL))
        words = self._words(Ordering.MONOTONIC if fenced else strong)
        if self.random.random() < 0.3 or (strong is Ordering.ACQ_REL and not fenced):
            first = f"{self._register()} = atomicrmw or {flag}, 0 {words}"
        else:
            first = f"{self._register()} = load atomic {flag} {words}"
        return [first, *([self._fence(self._words(strong))] if fenced else [])]

    def _fence(self, words: str) -> str:
        """Return a fence, now and then with the tag of an address space."""
        tag = f"{AS_PREFIX}:{self.random.choice(ADDRESS_SPACES)}"
        return f"fence {words}" + (f" # {tag}" if self._seldom() else "")

    def _place(self) -> str:
        place = self.random.choice(self.locations)
        return self.random.choice(HALVES) if self.pair and place == DATA[0] else place

    def _operation(self) -> str:
        """Return an operation at random, at a scope of its own."""
        random = self.random
        kind = random.choice(KINDS)
        place = self._place()
        plain = random.random() < 0.5 and kind in (OperationKind.LOAD, OperationKind.STORE)
        orderings = [each for each in legal_for(kind) if each is not Ordering.UNORDERED]
        ordering = Ordering.NOT_ATOMIC if plain else random.choice([o for o in orderings if o in atomic_for(kind)])
        words = "" if plain else f" {self._words(ordering, self._scope(random.choice([*SCOPES])))}"
        if kind is OperationKind.FENCE:
            return self._fence(words.strip())
        marks = ("" if plain or kind in UPDATING else " atomic") + " volatile" * self._seldom()
        match kind:
            case OperationKind.LOAD:
                return f"{self._register()} = load{marks} {self._whole(place) if plain else place}{words}"
            case OperationKind.STORE:
                return f"store{marks} {random.randrange(1, 4)}, {place}{words}"
            case OperationKind.CMPXCHG:
                return f"{self._register()}, {self._register()} = cmpxchg{marks} {place}, 0, 1{words}"
        return f"{self._register()} = atomicrmw{marks} {random.choice(UPDATES)} {place}, 1{words}"
