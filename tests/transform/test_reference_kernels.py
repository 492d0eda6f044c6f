"""The verdicts on transformations of loops, from kernels with the loop and `axmem kernel transform`.

The observers are those of `tests.transform.verdicts`, beside the kernel; nobody else is there, since it is the observer
that the verdict is about (some of what is sound for him is not for others). What is refused is done by
force. What is refused of the sound ones is unsound in some other context.
`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from axmem.litmus.parser import parse
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.bounded_check import HOLDS, REFUTED
from axmem.refinement.soundness import change_of, outcomes_sound
from axmem.transform.applying import Refused, apply_all
from tests.drawn import some

MEMORY = "global [4 x i32] D = 0\nglobal [4 x i32] F = 0\nglobal [4 x i32] X = 0\nglobal G = 0\nglobal [4 x i32] A = 0"


@dataclass(frozen=True, slots=True)
class Case:
    """A kernel, what is done to it, who looks on, and whether that is sound; `refused`: it takes force."""

    name: str
    body: str
    apply: str
    observers: tuple[str, ...]
    sound: bool
    refused: bool
    parameters: str = ""

    @property
    def text(self) -> str:
        """The test."""
        threads = (f"thread P{k} {{\n{body}\n}}" for k, body in enumerate(self.observers))
        return "\n".join(("litmus reference", MEMORY, f"kernel K({self.parameters}) {{", self.body, "}", *threads))


def loop(*statements: str) -> str:
    """Return a loop of two iterations; `@` is the iteration."""
    lines = "\n".join(statements).replace("@", "%i")
    return f"""entry:
  br label %h
h:
  %i = phi i32 [ 0, %entry ], [ %n, %h ]
{lines}
  %n = add i32 %i, 1
  %c = icmp ult i32 %n, 2
  br i1 %c, label %h, label %exit
exit:
  ret void"""


def nest(inner: str, before: str = "", after: str = "", behind: str = "") -> str:
    """Return a nest of two by two: statements before the inner loop, in it, after it, and behind the nest.

    `@` is the number of a pair of iterations, `i` that of the outer loop.
    """
    return f"""entry:
  br label %o
o:
  %i = phi i32 [ 0, %entry ], [ %in, %l ]
  %row = mul i32 %i, 2
{before}
  br label %h
h:
  %j = phi i32 [ 0, %o ], [ %jn, %h ]
  %k = add i32 %row, %j
{inner.replace("@", "%k")}
  %jn = add i32 %j, 1
  %jc = icmp ult i32 %jn, 2
  br i1 %jc, label %h, label %l
l:
{after}
  %in = add i32 %i, 1
  %ic = icmp ult i32 %in, 2
  br i1 %ic, label %o, label %exit
exit:
{behind}
  ret void"""


def reads(*places: str) -> str:
    """Return an observer: the first place is read with acquire, the others without."""
    first, *rest = places
    others = (f"q{n} = load atomic i32, {x} monotonic" for n, x in enumerate(rest))
    return "\n".join((f"p = load atomic i32, {first} acquire", *others))


def writes(flag: str, *places: str) -> str:
    """Return a writer: the flag last, with release."""
    return "\n".join((*(f"store atomic i32 1, {x} monotonic" for x in places), f"store atomic i32 1, {flag} release"))


def published(flag: str, place: str) -> str:
    """Return a writer of plain memory: the flag last, with release."""
    return f"store i32 1, {place}\nstore atomic i32 1, {flag} release"


def guarded(flag: str, *places: str) -> str:
    """Return an observer that reads plain memory only once it has seen a flag."""
    lines = "\n".join(f"q{n} = load i32, {x}" for n, x in enumerate(places))
    return f"p = load atomic i32, {flag} acquire\nif p == 1 {{\n{lines}\n}}"


DATA, FLAG = "  store atomic i32 1, D[@] monotonic", "  store atomic i32 1, F[@] release"
RELAXED = "  store atomic i32 1, F[@] monotonic"
ACQUIRE, READ = "  %a = load atomic i32, F[@] acquire", "  %b = load atomic i32, D[@] monotonic"
FENCE = "  fence release"
X_RELAXED, X_RELEASED = "  store atomic i32 1, X[@] monotonic", "  store atomic i32 1, X[@] release"
X_PLAIN, X_READ = "  store i32 1, X[@]", "  %b = load atomic i32, X[@] monotonic"
I_RELEASED, I_ACQUIRED = "  store atomic i32 1, F[%i] release", "  %a = load atomic i32, F[%i] acquire"
DONE = "  store atomic i32 1, G monotonic"
USED = "  %b = load i32, G\n  store b, A[@]"
GUARDED = """entry:
  br label %h
h:
  %i = phi i32 [ 0, %entry ], [ %n, %l ]
  %a = load atomic i32, F[%i] acquire
  %g = icmp eq i32 %a, 1
  br i1 %g, label %u, label %l
u:
  %b = load i32, %p
  store i32 %b, %q[%i]
  br label %l
l:
  %n = add i32 %i, 1
  %c = icmp ult i32 %n, 2
  br i1 %c, label %h, label %exit
exit:
  ret void"""


CASES = (
    Case("distribute: data, flag", loop(DATA, FLAG), "distribute(h, 1)", (reads("F[0]", "D[0]", "D[1]"),), True, False),
    Case("distribute: flag, data", loop(FLAG, DATA), "distribute(h, 1)", (reads("F[1]", "D[0]"),), False, True),
    Case("distribute: relaxed", loop(DATA, RELAXED), "distribute(h, 1)", (reads("F[1]", "D[0]"),), True, False),
    Case(
        "distribute: acquire, data",
        loop(ACQUIRE, READ),
        "distribute(h, 1)",
        (writes("F[1]", "D[0]", "D[1]"),),
        True,
        False,
    ),
    Case("distribute: data, acquire", loop(READ, ACQUIRE), "distribute(h, 1)", (writes("F[0]", "D[1]"),), False, True),
    Case(
        "distribute: data and fence, flag",
        loop(DATA, FENCE, RELAXED),
        "distribute(h, 2)",
        (reads("F[0]", "D[0]", "D[1]"),),
        True,
        True,
    ),
    # The fences stay with the flags: the first stands after all data and before both flags. Others could read D[1].
    Case(
        "distribute: data, fence and flag",
        loop(DATA, FENCE, RELAXED),
        "distribute(h, 1)",
        (reads("F[0]", "D[0]", "D[1]"),),
        True,
        True,
    ),
    Case("interchange: relaxed", nest(X_RELAXED), "interchange(o, h)", (reads("X[2]", "X[1]"),), True, False),
    Case("interchange: release", nest(X_RELEASED), "interchange(o, h)", (reads("X[2]", "X[1]"),), False, True),
    Case(
        "interchange: fence, relaxed",
        nest(f"{FENCE}\n{X_RELAXED}"),
        "interchange(o, h)",
        (reads("X[2]", "X[1]"),),
        False,
        True,
    ),
    Case(
        "interchange: plain, fence",
        nest(f"{X_PLAIN}\n{FENCE}", behind=DONE),
        "interchange(o, h)",
        (guarded("G", "X[0]", "X[1]", "X[2]", "X[3]"),),
        True,
        True,
    ),
    Case(
        "interchange: fence, plain",
        nest(f"{FENCE}\n{X_PLAIN}", behind=DONE),
        "interchange(o, h)",
        (guarded("G", "X[0]", "X[1]", "X[2]"),),
        True,
        True,
    ),
    Case(
        "jam: plain data, flag after",
        nest(X_PLAIN, after=I_RELEASED),
        "jam(o, 2)",
        (guarded("F[0]", "X[0]", "X[1]"), guarded("F[1]", "X[2]", "X[3]")),
        True,
        False,
    ),
    Case(
        "jam: acquire before, data inside",
        nest(X_READ, before=I_ACQUIRED),
        "jam(o, 2)",
        (writes("F[1]", "X[0]"),),
        True,
        False,
    ),
    Case("jam: release inside", nest(X_RELEASED), "jam(o, 2)", (reads("X[2]", "X[1]"),), False, True),
    Case(
        "jam: data inside, acquire after",
        nest(X_READ, after=I_ACQUIRED),
        "jam(o, 2)",
        (writes("F[0]", "X[2]"),),
        False,
        True,
    ),
    Case("hoist: relaxed load", loop("  %b = load atomic i32, G monotonic"), "licm(h)", (DONE,), True, False),
    Case(
        "hoist: relaxed load over an acquire fence",
        loop("  %a = load atomic i32, F[@] monotonic", "  fence acquire", "  %b = load atomic i32, G monotonic"),
        "licm(h)",
        (writes("F[0]", "G"),),
        False,
        True,
    ),
    Case(
        "hoist: used plain load over an acquire",
        loop(ACQUIRE, USED),
        "licm(h)",
        (published("F[0]", "G"),),
        False,
        True,
    ),
    Case(
        "version: published before the loop",
        f"  %f = load atomic i32, F[0] acquire\n  assume f == 1\n  br label %l\n{loop(USED).replace('entry', 'l')}",
        "licm(h)",  # The places are known to be apart, so that there is nothing to check.
        (published("F[0]", "G"),),
        True,
        False,
    ),
    Case(
        "hoist: store promoted across release and acquire",
        loop("  store i32 1, D[0]", FLAG, "  %g = load atomic i32, G acquire", "  assume %g == 1"),
        "licm(h, promote)",
        ("p = load atomic i32, F[0] acquire\nassume p == 1\nq = load i32, D[0]\nstore atomic i32 1, G release",),
        False,
        True,
    ),
    Case(
        "version: published in each iteration",
        GUARDED,
        "version(h)",
        ("store i32 1, G\nstore atomic i32 1, F[0] release\nstore atomic i32 1, F[1] release",),
        False,
        True,
        "ptr addrspace(1) %p = &G, ptr addrspace(1) %q = &A",
    ),
    Case("unroll", loop(DATA, FLAG), "unroll(h, 2)", (reads("F[0]", "D[0]", "D[1]"),), True, False),
    Case("vectorize: data, flag", loop(DATA, FLAG), "interleave(h, 2)", (reads("F[0]", "D[0]", "D[1]"),), True, False),
    Case(
        "vectorize: acquire, data",
        loop(ACQUIRE, READ),
        "interleave(h, 2)",
        (writes("F[1]", "D[0]", "D[1]"),),
        True,
        False,
    ),
    Case("vectorize: data, acquire", loop(READ, ACQUIRE), "interleave(h, 2)", (writes("F[0]", "D[1]"),), False, True),
)


def test_there_is_a_kernel_for_each_verdict() -> None:
    assert [sum(case.sound is sound for case in CASES) for sound in (True, False)] == [15, 11]


@pytest.mark.parametrize("case", some(CASES, of=4), ids=lambda case: case.name)
def test_verdicts(case: Case) -> None:
    test = parse(case.text, "reference")
    (kernel,) = test.kernels
    if case.refused:
        with pytest.raises(Refused):
            apply_all(kernel, case.apply)
    change = change_of(test, kernel, apply_all(kernel, case.apply, force=case.refused))
    for model in ("llvm", "amdgpu"):
        found = outcomes_sound(change, ModelChoice(model), 0).finding
        assert found.status == (HOLDS if case.sound else REFUTED), (model, found)
