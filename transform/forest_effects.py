"""What a transformation leaves of a loop, on the forest: which loops, with which LoopIDs, and what is known of them.

What goes in: a loop, a pass, an outcome. What comes out: the loops that stand in its place, in the order of the code.
Invariant: each kind of loop of the outcome has the LoopID that the table of its pass makes.
"""

from __future__ import annotations

from axmem.front.records import replace
from axmem.transform.answers import Outcome, PassAnswer, PassSettings
from axmem.transform.followups import followup_loop
from axmem.transform.forest import Dependence, Facts, Tree
from axmem.transform.passes import Pass, Profile


def before_costs(pass_: Pass, loop: Tree, said: PassAnswer, settings: PassSettings) -> Tree:
    """Return a loop as a pass leaves it that came to the question of costs and does nothing: some have begun."""
    if not pass_.early or said.safe is False or len(loop.inner) != 1:
        return loop
    (inner,) = loop.inner
    makeup = pass_.makeup(pass_.early)
    return replace(
        loop,
        inner=(
            replace(
                inner, identity=followup_loop(pass_, makeup, loop.identity, settings.circumstances, inner.identity)
            ),
        ),
    )


def with_inner(loop: Tree, inner: tuple[Tree, ...], settings: PassSettings) -> Tree:
    """Return a loop after a pass transformed the loops in it.

    An assumption of LLVM's is a side effect: then a loop need not end that does nothing else but access memory.
    """
    if inner == loop.inner:
        return loop
    assumes = settings.profile is Profile.LLVM_22 and any(t.facts.assumes for each in inner for t in each.walk())
    counted = loop.facts.counted and not (loop.facts.must_end and assumes)
    return replace(loop, inner=inner, facts=replace(loop.facts, jams=None, counted=counted))


def applied(pass_: Pass, loop: Tree, outcome: Outcome, settings: PassSettings) -> tuple[Tree, ...]:
    """Return the loops that stand in the place of one."""
    return _New(pass_, loop, outcome, settings).trees()


class _New:
    """The loops that a pass makes of one."""

    def __init__(self, pass_: Pass, loop: Tree, outcome: Outcome, settings: PassSettings) -> None:
        self.pass_, self.loop, self.outcome = pass_, loop, outcome
        self.circumstances = settings.circumstances | outcome.when
        self.llvm = settings.profile is Profile.LLVM_22

    def trees(self) -> tuple[Tree, ...]:
        """Return them in the order of the code."""
        match self.pass_.transformation:
            case "unroll":
                return self.unrolled()
            case "unroll-and-jam":
                return self.jammed()
            case "interchange":
                return self.interchanged()
            case "versioning-licm":
                return tuple(self.made(kind, self.loop.facts, self.loop.inner) for kind in self.outcome.kinds)
        return tuple(self.made(kind, self.facts(kind)) for kind in self.outcome.kinds)

    def made(self, kind: str, facts: Facts, inner: tuple[Tree, ...] = (), of: Tree | None = None) -> Tree:
        """Return a new loop of a kind; `of` is the loop that it was, the transformed one if nothing else is said."""
        old = of or self.loop
        inside = self.loop.inner[0].identity if self.loop.inner else None
        identity = followup_loop(self.pass_, self.pass_.makeup(kind), self.loop.identity, self.circumstances, inside)
        return Tree(f"{old.name}.{kind.replace(' ', '-')}", identity, facts, inner)

    def facts(self, kind: str) -> Facts:
        """Return what is known of a loop that vectorization or distribution made."""
        old, factor = self.loop.facts, self.outcome.factor
        match kind:
            case "vectorized" | "epilogue":
                masked = "masked" in self.outcome.words
                if masked and kind == "epilogue":
                    return old
                whole = kind == "vectorized" or "checked" not in self.outcome.words
                trips = old.checked if old.trips is None else old.trips
                constant = None if old.constant is None else old.constant or trips is not None
                constant = constant if whole or not constant else None
                costly = (None if old.plain else True) if constant is False else False
                most = old.most if old.bound is None or kind == "vectorized" else old.bound
                new = replace(old, trips=None, constant=constant, costly=costly, bound=None, most=most)
                if constant and trips is not None and factor:
                    rounds = -(-trips // factor) if masked else trips // factor
                    new = replace(new, trips=rounds if kind == "vectorized" else trips % factor)
                if kind == "epilogue":
                    return new
                return replace(new, dependence=Dependence.NONE, checks=False, rotated=True, counted=True)
            case "coincident":
                return replace(old, dependence=Dependence.NONE, partitions=(), parts=())
            case "sequential":
                return replace(old, dependence=Dependence.SERIAL, partitions=(), parts=())
        return old

    def unrolled(self) -> tuple[Tree, ...]:
        """Copies of a loop inside have one name and one LoopID, as LLVM copies branches with what they say.

        Of a loop whose test stands before its body LLVM leaves the body once more, behind a branch that is never taken.
        """
        factor, facts, inner = self.outcome.factor, self.loop.facts, self.loop.inner
        if not self.outcome.kinds and not inner:
            return ()
        if not self.outcome.kinds:
            return inner * ((facts.trips or factor or 1) + (self.llvm and not facts.rotated))
        trips = None if facts.trips is None or not factor else -(-facts.trips // factor)
        facts = replace(facts, assumes=facts.assumes or (facts.behind and "at run time" in self.outcome.words))
        rest = replace(facts, trips=None, constant=None)
        bodies = inner * (factor or 1)
        constant = True if facts.trips is not None and trips is None else facts.constant
        body = replace(facts, trips=trips, constant=constant, size=facts.size * (factor or 1))
        found = [self.made("unrolled", body, bodies)]
        if "remainder" in self.outcome.kinds:
            found.append(self.made("remainder", rest, inner))
        elif "at run time" in self.outcome.words:
            found += inner
        return tuple(found)

    def jammed(self) -> tuple[Tree, ...]:
        (inner,) = self.loop.inner
        factor, facts = self.outcome.factor, self.loop.facts
        size = inner.facts.size * (factor or 1)
        body = self.made("inner", replace(inner.facts, dependence=Dependence.UNKNOWN, size=size), of=inner)
        if "outer" not in self.outcome.kinds:
            return (body,)
        trips = None if facts.trips is None or not factor else facts.trips // factor
        found = [self.made("outer", replace(facts, trips=trips, jams=None), (body,))]
        rest = self.made("remainder inner", inner.facts, of=inner) if "remainder inner" in self.outcome.kinds else None
        left = None if facts.trips is None or not factor else facts.trips % factor
        if rest is not None and "remainder outer" in self.outcome.kinds:
            found.append(self.made("remainder outer", replace(facts, trips=left, constant=None), (rest,)))
        elif rest is not None:
            found.append(rest)
        return tuple(found)

    def interchanged(self) -> tuple[Tree, ...]:
        """A LoopID goes with the induction variable of its loop, and so do its name and trip count here."""
        (inner,) = self.loop.inner
        below = replace(self.loop, inner=inner.inner)
        return (replace(inner, inner=(below,)),)
