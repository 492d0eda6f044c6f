"""Transformations of loops, unrolled by hand: what one thread does before and after, and who observes it.

What comes out: `VERDICTS`. Each case is a loop of two iterations (a nest of two by two), written down as the row of
operations that its iterations make, and the row after the transformation; then the threads that can tell them apart
where anybody can. Verdicts are argued in `why`; they are those of C11 as repaired by Lahav et al. (RC11), too, as far
as a race has a meaning there. `counts` are the numbers of outcomes before and after as one counts them on paper.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Verdict:
    """A transformation of one thread's operations, observed by others; statements are separated by semicolons."""

    name: str
    before: str
    after: str
    others: tuple[str, ...]
    sound: bool
    why: str
    counts: tuple[int, int] | None = None
    ending: str = ""

    def text(self, side: str) -> str:
        """Return the litmus test of a side, `before` or `after`; every thread is in a workgroup of its own."""
        bodies = (self.before if side == "before" else self.after, *self.others)
        threads = (
            f"thread P{k} @ workgroup {k} {{\n  " + "\n  ".join(line.strip() for line in body.split(";")) + "\n}"
            for k, body in enumerate(bodies)
        )
        return "\n".join((f"litmus {side}", MEMORY, *threads, self.ending)) + "\n"


MEMORY = "global D0 = 0, D1 = 0, F0 = 0, F1 = 0, X00 = 0, X01 = 0, X10 = 0, X11 = 0, G = 0, A0 = 0, A1 = 0"


def _written(*names: str) -> str:
    """Return an observer: the first is read with acquire, the others without."""
    first, *rest = names
    return "; ".join(
        (f"p = load atomic {first} acquire", *(f"q{k} = load atomic {n} monotonic" for k, n in enumerate(rest)))
    )


def _guarded(flag: str, *names: str) -> str:
    """Return an observer that reads plain memory only once it has seen the flag."""
    reads = "\n".join(f"q{k} = load {n}" for k, n in enumerate(names))
    return f"p = load atomic {flag} acquire; if p == 1 {{\n{reads}\n}}"


def _published(flag: str, *names: str, atomic: bool = True) -> str:
    """Return a writer: all others first, the flag with release at last."""
    mode, order = ("atomic ", " monotonic") if atomic else ("", "")
    return "; ".join((*(f"store {mode}1, {n}{order}" for n in names), f"store atomic 1, {flag} release"))


def _data(k: int | str) -> str:
    return f"store atomic 1, D{k} monotonic"


def _flag(k: int) -> str:
    return f"store atomic 1, F{k} release"


def _acquire(k: int) -> str:
    return f"a{k} = load atomic F{k} acquire"


def _read(k: int) -> str:
    return f"b{k} = load atomic D{k} monotonic"


def _row(*steps: str) -> str:
    return "; ".join(steps)


FENCE = "fence release"
NEST = ("00", "01", "10", "11")
SWAPPED = ("00", "10", "01", "11")


def _nest(order: tuple[str, ...], *steps: str) -> str:
    """Return what a nest does: of each pair of iterations some steps, `@` being its number."""
    return _row(*(step.replace("@", k) for k in order for step in steps))


RELAXED, RELEASED, PLAIN = "store atomic 1, X@ monotonic", "store atomic 1, X@ release", "store 1, X@"

_DISTRIBUTED = (
    Verdict(
        "distribute: data, then flag",
        _row(_data(0), _flag(0), _data(1), _flag(1)),
        _row(_data(0), _data(1), _flag(0), _flag(1)),
        (_written("F0", "D0", "D1"),),
        True,
        "data moves up over a release, into what it releases",
        (6, 5),
    ),
    Verdict(
        "distribute: flag, then data",
        _row(_flag(0), _data(0), _flag(1), _data(1)),
        _row(_flag(0), _flag(1), _data(0), _data(1)),
        (_written("F1", "D0"),),
        False,
        "D[0] leaves what the second flag releases",
        (3, 4),
    ),
    Verdict(
        "distribute: both relaxed",
        _row(_data(0), "store atomic 1, F0 monotonic", _data(1), "store atomic 1, F1 monotonic"),
        _row(_data(0), _data(1), "store atomic 1, F0 monotonic", "store atomic 1, F1 monotonic"),
        (_written("F1", "D0"),),
        True,
        "nothing is ordered between locations",
        (4, 4),
    ),
    Verdict(
        "distribute: acquire, then data",
        _row(_acquire(0), _read(0), _acquire(1), _read(1)),
        _row(_acquire(0), _acquire(1), _read(0), _read(1)),
        (_published("F1", "D0", "D1"),),
        True,
        "a read moves down over an acquire, into what it acquires",
        (6, 5),
    ),
    Verdict(
        "distribute: data, then acquire",
        _row(_read(0), _acquire(0), _read(1), _acquire(1)),
        _row(_read(0), _read(1), _acquire(0), _acquire(1)),
        (_published("F0", "D1"),),
        False,
        "the read of D[1] leaves what the first flag acquires",
        (3, 4),
    ),
    Verdict(
        "distribute: data and fence, then flag",
        _row(_data(0), FENCE, "store atomic 1, F0 monotonic", _data(1), FENCE, "store atomic 1, F1 monotonic"),
        _row(_data(0), FENCE, _data(1), FENCE, "store atomic 1, F0 monotonic", "store atomic 1, F1 monotonic"),
        (_written("F0", "D0", "D1"),),
        True,
        "both fences stand before both flags",
        (6, 5),
    ),
    Verdict(
        "distribute: data, then flag, one fence after all data",
        _row(_data(0), FENCE, "store atomic 1, F0 monotonic", _data(1), FENCE, "store atomic 1, F1 monotonic"),
        _row(_data(0), _data(1), FENCE, "store atomic 1, F0 monotonic", "store atomic 1, F1 monotonic"),
        (_written("F0", "D0", "D1"),),
        True,
        "the one fence that is left stands after all data and before both flags",
        (6, 5),
    ),
)

_INTERCHANGED = (
    Verdict(
        "interchange: relaxed",
        _nest(NEST, RELAXED),
        _nest(SWAPPED, RELAXED),
        (_written("X10", "X01"),),
        True,
        "nothing is ordered between locations",
        (4, 4),
    ),
    Verdict(
        "interchange: release",
        _nest(NEST, RELEASED),
        _nest(SWAPPED, RELEASED),
        (_written("X10", "X01"),),
        False,
        "X[0][1] leaves what X[1][0] releases",
        (3, 4),
    ),
    Verdict(
        "interchange: release fence, then relaxed",
        _nest(NEST, FENCE, RELAXED),
        _nest(SWAPPED, FENCE, RELAXED),
        (_written("X10", "X01"),),
        False,
        "the fence before X[1][0] no longer stands after X[0][1]",
        (3, 4),
    ),
    Verdict(
        "interchange: plain, then release fence, flag after the nest",
        _row(_nest(NEST, PLAIN, FENCE), "store atomic 1, G monotonic"),
        _row(_nest(SWAPPED, PLAIN, FENCE), "store atomic 1, G monotonic"),
        (_guarded("G", "X00", "X01", "X10", "X11"),),
        True,
        "who sees the flag sees all data in either order",
        (2, 2),
    ),
    Verdict(
        "interchange: release fence, then plain, flag after the nest",
        _row(_nest(NEST, FENCE, PLAIN), "store atomic 1, G monotonic"),
        _row(_nest(SWAPPED, FENCE, PLAIN), "store atomic 1, G monotonic"),
        (_guarded("G", "X00", "X01", "X10"),),
        True,
        "the last store, which no fence follows, is the same in either order",
        (2, 2),
    ),
)

_HOISTED = (
    Verdict(
        "LICM: relaxed load",
        _row("b0 = load atomic G monotonic", "b1 = load atomic G monotonic"),
        _row("b0 = load atomic G monotonic", "b1 = b0"),
        ("store atomic 1, G monotonic",),
        True,
        "that nothing comes between the loads is possible before",
        (3, 2),
    ),
    Verdict(
        "LICM: relaxed load over an acquire fence",
        _row("a = load atomic F0 monotonic", "fence acquire", "b = load atomic D0 monotonic"),
        _row("b = load atomic D0 monotonic", "a = load atomic F0 monotonic", "fence acquire"),
        (_published("F0", "D0"),),
        False,
        "the load leaves what the fence acquires",
        (3, 4),
    ),
    Verdict(
        "LICM: plain load that is used over an acquire",
        "a = load atomic F0 acquire; if a == 1 {\nb = load D0\n}",
        "h = load D0; a = load atomic F0 acquire; if a == 1 {\nb = h\n}",
        (_published("F0", "D0", atomic=False),),
        False,
        "the load races with the store, and its value is used",
    ),
    Verdict(
        "LICM: store promoted across release and acquire",
        _row("store 1, D0", _flag(0), "g = load atomic G acquire", "assume g == 1"),
        _row(_flag(0), "g = load atomic G acquire", "assume g == 1", "store 1, D0"),
        (_row("p = load atomic F0 acquire", "assume p == 1", "q = load D0", "store atomic 1, G release"),),
        False,
        "the store comes after the answer of him who was to read it",
        (1, 1),
    ),
)


def _jam(order: tuple[str, ...]) -> str:
    """Return operations by name: `S01` writes data of a nest, `L01` reads, `A1` writes a flag, `F1` reads one."""
    known = {
        **{f"S{k}": f"store 1, X{k}" for k in NEST},
        **{f"R{k}": f"store atomic 1, X{k} release" for k in NEST},
        **{f"L{k}": f"b{k} = load atomic X{k} monotonic" for k in NEST},
        **{f"A{k}": _flag(k) for k in (0, 1)},
        **{f"F{k}": _acquire(k) for k in (0, 1)},
    }
    return _row(*(known[name] for name in order))


_JAMMED = (
    Verdict(
        "unroll and jam: plain data, flag after it",
        _jam(("S00", "S01", "A0", "S10", "S11", "A1")),
        _jam(("S00", "S10", "S01", "S11", "A0", "A1")),
        (_guarded("F0", "X00", "X01"), _guarded("F1", "X10", "X11")),
        True,
        "data moves up over a release",
    ),
    Verdict(
        "unroll and jam: acquire before the inner loop, data in it",
        _jam(("F0", "L00", "L01", "F1", "L10", "L11")),
        _jam(("F0", "F1", "L00", "L10", "L01", "L11")),
        (_published("F1", "X00"),),
        True,
        "reads move down over an acquire",
        (4, 3),
    ),
    Verdict(
        "unroll and jam: release in the inner loop",
        _jam(("R00", "R01", "R10", "R11")),
        _jam(("R00", "R10", "R01", "R11")),
        (_written("X10", "X01"),),
        False,
        "X[0][1] leaves what X[1][0] releases",
        (3, 4),
    ),
    Verdict(
        "unroll and jam: acquire after the inner loop, data in it",
        _jam(("L00", "L01", "F0", "L10", "L11", "F1")),
        _jam(("L00", "L10", "L01", "L11", "F0", "F1")),
        (_published("F0", "X10"),),
        False,
        "the reads of the second iteration leave what the first flag acquires",
        (3, 4),
    ),
    Verdict(
        "unroll",
        _row(_data(0), _flag(0), _data(1), _flag(1)),
        _row(_data(0), _flag(0), _data(1), _flag(1)),
        (_written("F0", "D0", "D1"),),
        True,
        "the row of operations is the same",
        (6, 6),
    ),
)

_VECTORIZED = (
    Verdict(
        "vectorize: data, then flag",
        _row(_data(0), _flag(0), _data(1), _flag(1)),
        _row(_data(0), _data(1), _flag(0), _flag(1)),
        (_written("F0", "D0", "D1"),),
        True,
        "as distribution: data moves up over a release",
        (6, 5),
    ),
    Verdict(
        "vectorize: acquire, then data",
        _row(_acquire(0), _read(0), _acquire(1), _read(1)),
        _row(_acquire(0), _acquire(1), _read(0), _read(1)),
        (_published("F1", "D0", "D1"),),
        True,
        "as distribution: reads move down over an acquire",
        (6, 5),
    ),
    Verdict(
        "vectorize: data, then acquire",
        _row(_read(0), _acquire(0), _read(1), _acquire(1)),
        _row(_read(0), _read(1), _acquire(0), _acquire(1)),
        (_published("F0", "D1"),),
        False,
        "as distribution: the read of D[1] leaves what the first flag acquires",
        (3, 4),
    ),
)

_VERSIONED = (
    Verdict(
        "versioning LICM: what is loaded was published before the loop",
        "a = load atomic F0 acquire; if a == 1 {\nb = load G\nstore b, A0\nc = load G\nstore c, A1\n}",
        "a = load atomic F0 acquire; if a == 1 {\nb = load G\nc = b\nstore b, A0\nstore c, A1\n}",
        ("store 1, G; store atomic 1, F0 release",),
        True,
        "both loads read what was published, and nobody writes it again",
        (2, 2),
    ),
    Verdict(
        "versioning LICM: published in each iteration",
        "a = load atomic F0 acquire; if a == 1 {\nb = load G\nstore b, A0\n}"
        "; d = load atomic F1 acquire; if d == 1 {\nc = load G\nstore c, A1\n}",
        "h = load G; a = load atomic F0 acquire; if a == 1 {\nb = h\nstore b, A0\n}"
        "; d = load atomic F1 acquire; if d == 1 {\nc = h\nstore c, A1\n}",
        ("store 1, G; store atomic 1, F0 release; store atomic 1, F1 release",),
        False,
        "the load leaves what the body acquires",
    ),
)

VERDICTS = (*_DISTRIBUTED, *_INTERCHANGED, *_HOISTED, *_JAMMED, *_VECTORIZED, *_VERSIONED)


def alone(case: Verdict, side: str) -> str:
    """Return the test of a side without observers."""
    return replace(case, others=()).text(side)
