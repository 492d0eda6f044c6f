"""Loop metadata that LLVM 22 makes something else of than it seems to ask for.

What goes in: a checked test. What comes out: warnings at the attributes, each with the one that mends it: the
consequences of `results/loop-profiles.md`. What has no effect in any LLVM is in `axmem.litmus.loop_rules`.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.front.source import Diagnostic
from axmem.litmus.loops import Attribute
from axmem.litmus.syntax import LitmusTest
from axmem.transform.answers import REFUSED, PassSettings
from axmem.transform.attributes import DISABLE_NONFORCED, PREFIX, find, number, short
from axmem.transform.decisions import answer
from axmem.transform.forest import Tree
from axmem.transform.legality import forest
from axmem.transform.modes import Mode, mode
from axmem.transform.passes import Profile, passes

Finding = tuple[Attribute, str, str]
"""The attribute, what LLVM makes of it, and what mends it."""

_PASSES = passes(Profile.LLVM_22)


def metadata_warnings(test: LitmusTest) -> tuple[Diagnostic, ...]:
    """Return what is to be said of the loop metadata of a test's kernels."""
    found = [
        Diagnostic(test.source, attribute.span, message, hint, "warning")
        for kernel in test.kernels
        for root in forest(kernel)
        for tree in root.walk()
        for attribute, message, hint in _findings(tree)
    ]
    return tuple(dict.fromkeys(found))


def _findings(tree: Tree) -> Iterator[Finding]:
    yield from _unrolls(tree)
    yield from _distributions(tree)
    yield from _jams(tree)
    yield from _interchanges(tree)


def _get(tree: Tree, name: str) -> Attribute | None:
    return find(tree.attributes, PREFIX + name)


def _unrolls(tree: Tree) -> Iterator[Finding]:
    """Yield unrolling without a count of loops that the vectorizer takes first, and of what it leaves."""
    counted = number(tree.attributes, "llvm.loop.unroll.count") is not None
    asked = _get(tree, "unroll.enable") or _get(tree, "unroll.full")
    taken = answer(_PASSES["vectorize"], tree, None, PassSettings()).done is not False
    constant = tree.facts.trips is not None
    if asked and taken and not counted and not constant and mode(tree.attributes, "unroll") is Mode.FORCED:
        message = f"from O2 on LLVM 22 vectorizes this loop before {short(asked.name)} counts, and unrolls nothing"
        yield asked, message, "add llvm.loop.unroll.count, or llvm.loop.vectorize.enable with i1 false"
    for name in ("followup_all", "followup_vectorized"):
        given = _get(tree, f"vectorize.{name}")
        inside = () if given is None else given.attributes
        late = find(inside, "llvm.loop.unroll.enable")
        if late is not None and number(inside, "llvm.loop.unroll.count") is None and not constant:
            message = "LLVM 22 does not unroll a vectorized loop without a count, if its trip count is not constant"
            yield late, message, "write llvm.loop.unroll.count with a number instead"


def _distributions(tree: Tree) -> Iterator[Finding]:
    enable = _get(tree, "distribute.enable")
    if enable is None or mode(tree.attributes, "distribute") is not Mode.FORCED:
        return
    if enable.value is None:
        yield enable, "LLVM 22 reads the value of distribute.enable without looking for it", "write i1 true after it"
    said = answer(_PASSES["distribute"], tree, None, PassSettings())
    if said.done is False:
        message = f"this loop is not distributed ({said.reason}), and LLVM 22 warns of that twice"
        yield enable, message, "leave distribute.enable out"
        return
    missing = [kind for kind in ("coincident", "sequential") if _get(tree, f"distribute.followup_{kind}") is None]
    if missing and _get(tree, "distribute.followup_all") is None:
        message = "each loop that the distribution makes asks for it again, and is warned of"
        yield enable, message, f"add {' and '.join(f'llvm.loop.distribute.followup_{kind}' for kind in missing)}"


def _jams(tree: Tree) -> Iterator[Finding]:
    asked = _get(tree, "unroll_and_jam.enable") or _get(tree, "unroll_and_jam.count")
    given = _get(tree, "unroll_and_jam.followup_outer") or _get(tree, "unroll_and_jam.followup_all")
    if asked and given is None and mode(tree.attributes, "unroll-and-jam") is Mode.FORCED:
        message = "the loop that unroll-and-jam makes asks for it again, and is warned of"
        yield asked, message, "add llvm.loop.unroll_and_jam.followup_outer"
    remainder = _get(tree, "unroll_and_jam.followup_remainder_outer")
    if remainder is not None:
        message = "LLVM 22 ignores this followup: the outer remainder loop has unroll.disable alone"
        yield remainder, message, "of remainders it heeds llvm.loop.unroll_and_jam.followup_remainder_inner"


def _interchanges(tree: Tree) -> Iterator[Finding]:
    """Yield `disable_nonforced` on a loop of a nest whose loops may change places."""
    nested = len(tree.inner) == 1 and not tree.facts.contents & REFUSED["interchange"]
    for each in (tree, *tree.inner) if nested else ():
        stop = find(each.attributes, DISABLE_NONFORCED)
        if stop is not None and mode(each.attributes, "versioning-licm") is Mode.DISABLED:
            message = "LLVM 22 interchanges loops in spite of disable_nonforced, where interchange is enabled"
            yield stop, message, "no attribute stops it; -enable-loopinterchange=false does"
