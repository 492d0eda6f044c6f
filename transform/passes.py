"""The passes that transform loops: what they make of one, and which attributes that has.

What goes in: nothing. What comes out: a table. For each pass the kinds of loops that it leaves, and for each kind how
its LoopID is made: from the attributes of which loop, by which steps, without a followup for it and with one. There are
two tables: what the document says ([CodeTransformationMetadata]), and what LLVM 22.1.8 does. The facts stand here once;
`axmem.transform.followups` carries them out.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from axmem.front.records import dataclass
from axmem.transform.attributes import IS_DISTRIBUTED, IS_VECTORIZED, PREFIX, RUNTIME_DISABLE, UNROLL_DISABLE


class Profile(Enum):
    """Whose rules hold."""

    DOC = "doc"
    LLVM_22 = "llvm-22"


class PassTarget(Enum):
    """For which machine LLVM transforms."""

    X86_64 = "x86-64"
    AMDGCN = "amdgcn"


class When(Enum):
    """On what a step depends."""

    X86_64 = "for x86-64"
    FORCED = "where count, enable or full asks for it"
    UNCHECKED = "where it was vectorized, not only interleaved, without a runtime check"
    TESTS_BETWEEN = "where tests stay between the copies of the body"
    NO_MULTIPLE = "where the factor does not divide a constant trip count"
    NO_UNROLL_METADATA = "unless it has unroll metadata"
    LAST_DISABLES_NO_UNROLLING = "unless its last attribute begins with unroll.disable"


@dataclass(frozen=True, slots=True)
class Drop:
    """Attributes whose names begin so are left out: `""` all of them."""

    prefixes: tuple[str, ...]
    when: tuple[When, ...] = ()


@dataclass(frozen=True, slots=True)
class Add:
    """An attribute comes to be the last; where it is renewed, others of its name are left out."""

    name: str
    value: int | None = None
    when: tuple[When, ...] = ()
    renewed: bool = False


@dataclass(frozen=True, slots=True)
class Follow:
    """What the followups give comes to be the last: of `followup_all` first, then that of the kind."""


Step: TypeAlias = Drop | Add | Follow


@dataclass(frozen=True, slots=True)
class Makeup:
    """How the LoopID of a kind of loops is made.

    It begins with the attributes of the loop that is transformed, or (`inner`) of the loop in it. `without` are the
    steps where no followup for it is given, `given` those where one is; None: followups have no effect.
    """

    kind: str
    without: tuple[Step, ...] = ()
    given: tuple[Step, ...] | None = (Drop(("",)), Follow())
    inner: bool = False


@dataclass(frozen=True, slots=True)
class Pass:
    """A pass: its name here, in lists of passes of LLVM and in the document, and the `transformation` that it does.

    `prefix` begins the names of its followups, `all` and that of each kind. Where `early` names a kind, the followups
    for that kind are given to the loop inside before the pass knows whether it pays, and stay if it does not. A pass
    that `returns` looks at the copies of the loops that stood in a loop that is no more.
    """

    name: str
    llvm: str
    transformation: str
    prefix: str
    makeups: tuple[Makeup, ...] = ()
    early: str = ""
    returns: bool = False

    def followups(self, kind: str) -> tuple[str, str]:
        """Return the names of the followup lists for a kind of loops."""
        return f"{self.prefix}followup_all", f"{self.prefix}followup_{kind.replace(' ', '_')}"

    def makeup(self, kind: str) -> Makeup:
        """Return how the LoopID of a kind of loops is made."""
        return next(each for each in self.makeups if each.kind == kind)


SCALAR = "scalar"
"""The loop as it was, with its LoopID, where the vector loop would have no iteration."""
NOTHING = Drop(("",))
_UNROLL, _VECTORIZE, _DISTRIBUTE = PREFIX + "unroll.", PREFIX + "vectorize.", PREFIX + "distribute."
_UNROLLED = (Drop((_UNROLL,)), Add(UNROLL_DISABLE))
_REMAINDER = (NOTHING, Add(UNROLL_DISABLE))
_WIDE = (_VECTORIZE, PREFIX + "interleave.")
_VECTORIZED = Add(IS_VECTORIZED, 1)
_GUARDED = When.LAST_DISABLES_NO_UNROLLING
_NO_RUNTIME = Add(RUNTIME_DISABLE, when=(When.X86_64, _GUARDED), renewed=True)
_NO_RUNTIME_AFTER = Add(RUNTIME_DISABLE, when=(When.UNCHECKED, _GUARDED), renewed=True)
_VERSIONED = Add("llvm.loop.licm_versioning.disable", 0)

FULL = ("unroll-full", "loop-unroll-full", "unroll", _UNROLL)
UNROLL = ("unroll", "loop-unroll", "unroll", _UNROLL)
JAM = ("unroll-and-jam", "loop-unroll-and-jam", "unroll-and-jam", PREFIX + "unroll_and_jam.")
VECTORIZE = ("vectorize", "loop-vectorize", "vectorize", _VECTORIZE)
DISTRIBUTE = ("distribute", "loop-distribute", "distribute", _DISTRIBUTE)
INTERCHANGE = ("interchange", "loop-interchange", "interchange", PREFIX + "interchange.")
VERSIONING = ("versioning-licm", "loop-versioning-licm", "versioning-licm", PREFIX + "licm_versioning.")

_SAME = (Makeup("outer", given=None), Makeup("inner", given=None, inner=True))

TABLE: dict[Profile, tuple[Pass, ...]] = {
    Profile.DOC: (
        Pass(*FULL, returns=True),
        Pass(*VERSIONING, (Makeup("versioned", given=None), Makeup("unversioned", given=None))),
        Pass(*INTERCHANGE, _SAME),
        Pass(*DISTRIBUTE, (Makeup("coincident"), Makeup("sequential"), Makeup("fallback"))),
        Pass(
            *VECTORIZE,
            (
                Makeup("vectorized", (Drop((_VECTORIZE,)), Add(IS_VECTORIZED))),
                Makeup("epilogue", (Add(IS_VECTORIZED), Add(RUNTIME_DISABLE, when=(When.NO_UNROLL_METADATA,)))),
            ),
        ),
        Pass(
            *JAM,
            (
                Makeup("outer", _UNROLLED),
                Makeup("inner", inner=True),
                Makeup("remainder outer", (NOTHING,)),
                Makeup("remainder inner", inner=True),
            ),
        ),
        Pass(*UNROLL, (Makeup("unrolled", _UNROLLED), Makeup("remainder", (NOTHING,)))),
    ),
    Profile.LLVM_22: (
        Pass(*FULL, returns=True),
        Pass(
            *VERSIONING,
            (
                Makeup("versioned", (_VERSIONED, Add("llvm.mem.parallel_loop_access", 0)), given=None),
                Makeup("unversioned", (_VERSIONED,), given=None),
            ),
        ),
        Pass(*INTERCHANGE, _SAME),
        Pass(
            *DISTRIBUTE,
            (
                Makeup("coincident"),
                Makeup("sequential"),
                Makeup(
                    "fallback",
                    (Drop((_DISTRIBUTE,)), Add(IS_DISTRIBUTED, 1)),
                    (Drop((_DISTRIBUTE,)), Follow(), Add(IS_DISTRIBUTED, 1)),
                ),
            ),
        ),
        Pass(
            *VECTORIZE,
            (
                Makeup("vectorized", (Drop(_WIDE), _VECTORIZED, _NO_RUNTIME), (NOTHING, Follow(), _NO_RUNTIME)),
                Makeup("epilogue", (_NO_RUNTIME_AFTER, Drop(_WIDE), _VECTORIZED)),
                Makeup(SCALAR, given=None),
            ),
        ),
        Pass(
            *JAM,
            (
                Makeup("outer", _UNROLLED),
                Makeup("inner", inner=True),
                Makeup("remainder outer", _REMAINDER, given=None),
                Makeup("remainder inner", inner=True),
            ),
            early="remainder inner",
        ),
        Pass(
            *UNROLL,
            (
                Makeup(
                    "unrolled",
                    (
                        Drop(("",), when=(When.NO_MULTIPLE,)),
                        Drop((_UNROLL,), when=(When.FORCED,)),
                        Add(UNROLL_DISABLE, when=(When.FORCED,)),
                    ),
                ),
                Makeup("remainder", _REMAINDER),
            ),
        ),
    ),
}
"""The passes, in the order in which the pipelines have them."""

WARNING = "transform-warning"
"""The pass that reports what is left."""


def passes(profile: Profile) -> dict[str, Pass]:
    """Return the passes of a profile by their names."""
    return {each.name: each for each in TABLE[profile]}
