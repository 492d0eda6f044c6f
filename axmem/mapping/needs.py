"""Smallest tests that need a rule of the model: for each rule, each kind of operation, each path of addresses.

What comes out: tests as templates, by name; `{s}` is a scope's spelling. The bound: two threads (of `seen` three, of
coherence in one thread one), at most two locations beside a pointer, at most three operations a thread (a fence with
the atomic access that it needs counts as one), every ordering that an operation can have and its part, all threads'
scopes the same.

The rules, and what a name begins with:

- `rel`: what comes before a release happens before what follows the acquire: a store (`w`: it is also made available),
  a read-modify-write (`u`), an atomic load through vector memory (`r`), a plain load through the scalar cache (`s`), a
  store and a load in LDS (`lw`, `lr`), a store and a load through flat addresses (`fw`, `fr`); and a store if what
  says so is in LDS (`w.l`);
- `acq`: what comes after an acquire happens after what came before the release: a load (`r`: it is also made visible),
  a load in LDS (`lr`) or through a flat address (`fr`), a store (`w`); and a load if the acquire is in LDS (`r.l`);
- `avl`: an atomic access that writes makes that available by itself, though the release after it (`amdgcn-av:none`)
  does not; `vis`: one that reads, what is visible at its scope, though the acquire before it does not;
- `seen`: what a thread saw before a release is there for whoever acquires, though it was seen early: the thread that
  wrote it is nearer than the scope reaches, and may share a cache with the one that saw it;
- `atom`: two read-modify-writes of one place are not both the first, in vector memory and LDS (`l`);
- `once`: a read-modify-write is done once, behind a load that may be translated late, also at a flat address (`f`);
- `coh`: two loads of one place do not go back, a load does not miss the thread's own store, a store does not come
  before a read or a store of its own thread; nor does any access that writes come before a plain load through the
  scalar cache (`s`), through vector memory or a flat address (`f`); nor is a store done again behind what another
  thread makes of it (`rwr`) or behind a later one, which makes itself available (`ww.av`);
- `sc`: of two threads that each write one place and read the other's, one sees the other, when all is seq_cst.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

RELEASES = {
    "st": ["store atomic 1, y{s} release"],
    "st.sc": ["store atomic 1, y{s} seq_cst"],
    "add": ["atomicrmw add y, 1{s} release"],
    "rmw": ["r9 = atomicrmw xchg y, 1{s} release"],
    "rmw.ar": ["r9 = atomicrmw xchg y, 1{s} acq_rel"],
    "rmw.sc": ["r9 = atomicrmw xchg y, 1{s} seq_cst"],
    "cas.rel": ["r9, ok = cmpxchg y, 0, 1{s} release monotonic"],
    "cas": ["r9, ok = cmpxchg y, 0, 1{s} acq_rel acquire"],
    "cas.sc": ["r9, ok = cmpxchg y, 0, 1{s} seq_cst seq_cst"],
    "fence": ["fence{s} release", "store atomic 1, y{s} monotonic"],
    "fence.ar": ["fence{s} acq_rel", "store atomic 1, y{s} monotonic"],
    "fence.sc": ["fence{s} seq_cst", "store atomic 1, y{s} monotonic"],
}
ACQUIRES = {
    "ld": ["r0 = load atomic y{s} acquire"],
    "ld.sc": ["r0 = load atomic y{s} seq_cst"],
    "rmw": ["r0 = atomicrmw add y, 0{s} acquire"],
    "rmw.ar": ["r0 = atomicrmw add y, 0{s} acq_rel"],
    "rmw.sc": ["r0 = atomicrmw add y, 0{s} seq_cst"],
    "cas.acq": ["r0, ok = cmpxchg y, 1, 2{s} acquire acquire"],
    "cas": ["r0, ok = cmpxchg y, 1, 2{s} acq_rel acquire"],
    "cas.sc": ["r0, ok = cmpxchg y, 1, 2{s} seq_cst seq_cst"],
    "fence": ["r0 = load atomic y{s} monotonic", "fence{s} acquire"],
    "fence.ar": ["r0 = load atomic y{s} monotonic", "fence{s} acq_rel"],
    "fence.sc": ["r0 = load atomic y{s} monotonic", "fence{s} seq_cst"],
}
NO_RESULT = ["store 1, x", "r9 = atomicrmw add y, 1{s} release"], ["atomicrmw add y, 1{s} acquire", "r1 = load x"]
"""An acquire whose value is not returned: that the release came first tells that it read from it."""
ADDED = ["atomicrmw add x, 1{s} release"], ["atomicrmw add x, 1{s} release"]
UPDATES = {
    **{f"add.{word}": f"= atomicrmw add x, 1{{s}} {ordering}" for word, ordering in (
        ("mono", "monotonic"), ("acq", "acquire"), ("rel", "release"), ("ar", "acq_rel"), ("sc", "seq_cst"))},
    **{f"xchg.{word}": f"= atomicrmw xchg x, 1{{s}} {ordering}" for word, ordering in (
        ("acq", "acquire"), ("rel", "release"), ("ar", "acq_rel"), ("sc", "seq_cst"))},
    **{f"cas.{word}": f", ok = cmpxchg x, 0, 1{{s}} {ordering}" for word, ordering in (
        ("mono", "monotonic monotonic"), ("acq", "acquire acquire"), ("rel", "release monotonic"),
        ("ar", "acq_rel acquire"), ("sc", "seq_cst seq_cst"))},
}  # fmt: skip
LOADS = {"mono": "monotonic", "acq": "acquire", "sc": "seq_cst"}
READS = {
    **{f"ld.{word}": f"= load atomic x{{s}} {ordering}" for word, ordering in LOADS.items()},
    "rmw": "= atomicrmw add x, 0{s} monotonic",
    "cas": ", ok = cmpxchg x, 1, 2{s} monotonic monotonic",
}
WRITES = {
    "w": ["store 1, x"],
    "st": ["store atomic 1, x{s} monotonic"],
    "rmw": ["r9 = atomicrmw xchg x, 1{s} monotonic"],
    "add": ["atomicrmw add x, 1{s} monotonic"],
    "cas": ["r9, ok = cmpxchg x, 0, 1{s} monotonic monotonic"],
    "w.f": ["p = load g", "store i32 1, p"],
    "st.f": ["p = load g", "store atomic i32 1, p{s} monotonic"],
    "rmw.f": ["p = load g", "r9 = atomicrmw xchg p, i32 1{s} monotonic"],
    "add.f": ["p = load g", "atomicrmw add p, i32 1{s} monotonic"],
    "cas.f": ["p = load g", "r9, ok = cmpxchg p, i32 0, i32 1{s} monotonic monotonic"],
}
"""What writes 1 to x, in vector memory and through a flat address."""
ONCE = {
    "add": (["atomicrmw add x, 1{s} ORDERING"], "x=2"),
    "rmw": (["r9 = atomicrmw xchg x, 1{s} ORDERING"], "P0:r9=1"),
    "cas": (["r9, ok = cmpxchg x, 0, 1{s} ORDERING ORDERING"], "P0:r9=1"),
}
"""What writes 1 to x once, and what is so if it does it twice."""
AVAILABLE = {
    "st.mono": "store atomic 1, x{s} monotonic",
    "st.rel": "store atomic 1, x{s} release",
    "st.sc": "store atomic 1, x{s} seq_cst",
    "st.none": "store atomic 1, x{s} release # amdgcn-av:none",
    "rmw": "r9 = atomicrmw xchg x, 1{s} monotonic",
    "add": "atomicrmw add x, 1{s} monotonic",
    "cas": "r9, ok = cmpxchg x, 0, 1{s} monotonic monotonic",
}
VISIBLE = {
    **{f"ld.{word}": f"r1 = load atomic x{{s}} {ordering}" for word, ordering in LOADS.items()},
    "ld.none": "r1 = load atomic x{s} acquire # amdgcn-av:none",
    "rmw": "r1 = atomicrmw add x, 0{s} monotonic",
    "cas": "r1, ok = cmpxchg x, 1, 2{s} monotonic monotonic",
}
ORDERED = {
    "st": "store atomic 1, {v}{{s}} seq_cst",
    "rmw": "r8 = atomicrmw xchg {v}, 1{{s}} seq_cst",
    "cas": "r8, ok = cmpxchg {v}, 0, 1{{s}} seq_cst seq_cst",
}
SEEN = "P1:r0=1 /\\ P1:r1=0"
EARLY = "P1:r0=1 /\\ P0:r1=1"
ALL, ONE, NEAR = ("wg", "ag", "sy"), ("ag",), ("wg",)
AS = ("ag1",)
"""The agent's scope for one address space alone."""


@dataclass(frozen=True, slots=True)
class Need:
    """A test as a template: its name, two threads, what must not be, the scopes that it comes in; `near` threads are
    in one workgroup, whatever the scope."""

    name: str
    threads: tuple[list[str], ...]
    condition: str
    scopes: tuple[str, ...] = ALL
    near: bool = False


@dataclass(frozen=True, slots=True)
class Before:
    """Something that a release has to wait for: in its thread, in the thread that acquires, and what must not be."""

    does: list[str]
    after: str
    condition: str
    scopes: tuple[str, ...] = ALL
    near: bool = False


BEFORE = {
    "w": Before(["store 1, x"], "r1 = load x", SEEN, (*ALL, *AS)),
    "s": Before(["r1 = load x"], "if r0 == 1 {{ store 1, x }}", EARLY, (*ALL, *AS)),
    "r": Before(["r1 = load atomic x{s} monotonic"], "store atomic 1, x{s} monotonic", EARLY),
    "u": Before(["atomicrmw add x, 1{s} monotonic"], "r1 = load atomic x{s} monotonic", SEEN, ONE),
    "lw": Before(["store 1, t"], "r1 = load t", SEEN, ALL, near=True),
    "lr": Before(["r1 = load t"], "if r0 == 1 {{ store 1, t }}", EARLY, ("wg",), near=True),
    "fw": Before(["p = load g", "store i32 1, p"], "r1 = load x", SEEN, ONE),
    "fr": Before(["p = load g", "r1 = load i32, p"], "if r0 == 1 {{ store 1, x }}", EARLY, ONE),
}
AFTER = {
    "r": (["store 1, x"], ["r1 = load x"], SEEN, (*ALL, *AS), False),
    "lr": (["store 1, t"], ["r1 = load t"], SEEN, ("wg",), True),
    "fr": (["store 1, x"], ["p = load g", "r1 = load i32, p"], SEEN, ONE, False),
    "w": (["store 2, x"], ["if r0 == 1 {{ store 1, x }}"], "P1:r0=1 /\\ x=2", ONE, False),
}


def needs() -> Iterator[Need]:
    """Yield the tests."""
    yield from _releases()
    yield from _acquires()
    yield from _apart()
    yield from _seen()
    yield from _atomicity()
    yield from _once()
    yield from _coherence()
    for one, first in ORDERED.items():
        for other in ("st", "cas"):
            mine = [first.format(v="x"), "r0 = load atomic y{s} seq_cst"]
            yield Need(f"sc.{one}.{other}", (mine, [ORDERED[other].format(v="y"), "r1 = load atomic x{s} seq_cst"]),
                       "P0:r0=0 /\\ P1:r1=0", (*ALL, *AS))  # fmt: skip


def _releases() -> Iterator[Need]:
    for kind, release in RELEASES.items():
        for word, before in BEFORE.items():
            threads = [*before.does, *release], [*ACQUIRES["ld"], before.after]
            yield Need(f"rel.{kind}.{word}", threads, before.condition, before.scopes, before.near)
        said = [*BEFORE["w"].does, *_in_lds(release)], [*_in_lds(ACQUIRES["ld"]), BEFORE["w"].after]
        yield Need(f"rel.{kind}.w.l", said, SEEN, NEAR, near=True)


def _acquires() -> Iterator[Need]:
    for kind, acquire in ACQUIRES.items():
        for word, (before, after, condition, scopes, near) in AFTER.items():
            yield Need(f"acq.{kind}.{word}", ([*before, *RELEASES["st"]], [*acquire, *after]), condition, scopes, near)
        said = [*AFTER["r"][0], *_in_lds(RELEASES["st"])], [*_in_lds(acquire), *AFTER["r"][1]]
        yield Need(f"acq.{kind}.r.l", said, SEEN, NEAR, near=True)
    yield Need("acq.add.r", NO_RESULT, "P0:r9=0 /\\ P1:r1=0", (*ALL, *AS))


def _apart() -> Iterator[Need]:
    """Yield tests of a release or an acquire that opts out: accesses that need no more, and reads that it orders."""
    none = " # amdgcn-av:none"
    for kind, write in AVAILABLE.items():
        first = [write, RELEASES["st"][0] + none]
        yield Need(f"avl.{kind}", (first, [*ACQUIRES["ld"], "r1 = load x"]), SEEN, (*ALL, *AS))
    for kind in ("st.f", "rmw.f", "add.f", "cas.f"):
        first = [*WRITES[kind], RELEASES["st"][0] + none]
        yield Need(f"avl.{kind}", (first, [*ACQUIRES["ld"], "r1 = load x"]), SEEN, ONE)
    for kind, read in VISIBLE.items():
        then = [ACQUIRES["ld"][0] + none, read]
        yield Need(f"vis.{kind}", (["store 1, x", *RELEASES["st"]], then), SEEN, (*ALL, *AS))
    for word in ("s", "r", "lr"):
        before = BEFORE[word]
        first = [*before.does, RELEASES["st"][0] + none]
        yield Need(f"rel.none.{word}", (first, [*ACQUIRES["ld"], before.after]), EARLY, before.scopes, before.near)
    then = [ACQUIRES["ld"][0] + none, "p = load g", "r1 = load atomic i32, p{s} monotonic"]
    yield Need("vis.ld.mono.f", (["store 1, x", *RELEASES["st"]], then), SEEN, ONE)


def _in_lds(lines: list[str]) -> list[str]:
    """Return accesses of y as accesses of t, which is in LDS."""
    return [re.sub(r"\by\b", "t", line) for line in lines]


def _seen() -> Iterator[Need]:
    first, last = ["store atomic 1, x{s} monotonic"], [*ACQUIRES["ld"], "r2 = load atomic x{s} monotonic"]
    for kind, read in READS.items():
        middle = [f"r1 {read}", *RELEASES["st"]]
        yield Need(f"seen.{kind}", (first, middle, last), "P1:r1=1 /\\ P2:r0=1 /\\ P2:r2=0")


def _atomicity() -> Iterator[Need]:
    first = "P0:r0=0 /\\ P1:r1=0"
    for kind, update in UPDATES.items():
        yield Need(f"atom.{kind}", ([f"r0 {update}"], [f"r1 {update}"]), first, (*ALL, *AS))
        in_lds = update.replace(" x,", " t,")
        yield Need(f"atom.{kind}.l", ([f"r0 {in_lds}"], [f"r1 {in_lds}"]), first, ("wg",), near=True)
    yield Need("atom.add", ADDED, "x=1", (*ALL, *AS))


def _once() -> Iterator[Need]:
    late = "r1 = load atomic y{s} monotonic"
    for kind, (update, twice) in ONCE.items():
        for word, ordering in (("mono", "monotonic"), ("acq", "acquire")):
            once = [line.replace("ORDERING", ordering) for line in update]
            yield Need(f"once.{kind}.{word}", ([late, *once],), twice, (*ALL, *AS))
        pointer, flat = WRITES[f"{kind}.f"]
        yield Need(f"once.{kind}.f", ([pointer, late, flat],), twice, ONE)


def _coherence() -> Iterator[Need]:
    for word, ordering in LOADS.items():
        two = [f"r{k} = load atomic x{{s}} {ordering}" for k in (0, 1)]
        yield Need(f"coh.rr.{word}", (["store atomic 1, x{s} monotonic"], two), SEEN)
        own = ["store atomic 1, x{s} monotonic", f"r0 = load atomic x{{s}} {ordering}"]
        yield Need(f"coh.wr.{word}", (own, ["store atomic 2, x{s} monotonic"]), "P0:r0=0")
    later = ["r0 = load atomic x{s} monotonic", "store atomic 1, x{s} monotonic"]
    yield Need("coh.rw", (later, ["store atomic 2, x{s} monotonic"]), "P0:r0=1")
    for word, write in WRITES.items():
        yield Need(f"coh.s.{word}", (["r0 = load x", *write],), "P0:r0=1", ONE)
    twice = ["store atomic 1, x{s} monotonic", "store atomic 2, x{s} monotonic"]
    yield Need("coh.ww", (twice, ["r0 = load atomic x{s} monotonic"]), "x=1")
    late = "r0 = load atomic y{s} monotonic"
    reads = ["r1 = load atomic x{s} monotonic", "store atomic 2, x{s} monotonic", "r2 = load atomic x{s} monotonic"]
    pointer, flat = WRITES["st.f"]
    yield Need("coh.rwr.st", ([late, *WRITES["st"]], reads), "P1:r1=1 /\\ P1:r2=1", AS)
    yield Need("coh.rwr.st.f", ([pointer, late, flat], reads), "P1:r1=1 /\\ P1:r2=1", ONE)
    yield Need("coh.ww.av", ([late, "store 2, x", "store-available 1, x{v}"],), "x=2")
