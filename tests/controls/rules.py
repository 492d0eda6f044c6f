"""Rules of which one condition is dropped, or that are known to be wrong, for `axmem refine --rule`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

from axmem.commands.pages.soundness import VERDICT_OF
from axmem.front.source import Source
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.bounded_check import check, rule_claim
from axmem.refinement.fragments import parse_rule
from axmem.refinement.rules import BY_NAME
from tests.controls import Control
from tests.controls.programs import MODELS

SCOPES = ("workgroup", "agent", "")

KNOWN = {
    "drop-tag": (2, "one tag less makes the operation incompatible with what carries the other alone"),
    "merge-loads-union": (3, "with the tags of both a load synchronizes less than each, with what has a third"),
    "merge-loads-intersection": (3, "what had a tag of its own has none, and synchronizes less"),
    "reorder-atomic": (2, "an access moves down over a release, or up over an acquire"),
    "narrow-scope": (2, "who is in the wider instance and not in the narrower is no longer met"),
    "demote-workgroup": (2, "a thread of the workgroup in another wavefront is no longer met"),
    "weaken-ordering": (2, "a release or acquire that is none any more"),
}
"""Built-in rules that are known to be unsound, with the operations of a context that shows it, and why."""

SWAPS = {
    "a load over an acquire": ("$a = load atomic $y@ acquire", "$r = load $x"),
    "a monotonic load over an acquire": ("$a = load atomic $y@ acquire", "$r = load atomic $x@ monotonic"),
    "a store under a release": ("store $v, $x", "store atomic $w, $y@ release"),
    "a monotonic store under a release": ("store atomic $v, $x@ monotonic", "store atomic $w, $y@ release"),
    "a store under a releasing exchange": ("store $v, $x", "$a = atomicrmw xchg $y, $w@ release"),
    "a load over an acquiring exchange": ("$a = atomicrmw xchg $y, $w@ acquire", "$r = load $x"),
}
"""Rows of two operations that must not change places."""

LOADED, STORED = "$a = load atomic $y@ monotonic\n  ", "\n  store atomic $w, $y@ monotonic"
GONE = {
    "a load over an acquire fence": (
        f"{LOADED}fence@ acquire\n  $r = load $x",
        f"{LOADED}$r = load $x\n  fence@ acquire",
    ),
    "a store under a release fence": (
        f"store $v, $x\n  fence@ release{STORED}",
        f"fence@ release\n  store $v, $x{STORED}",
    ),
    "an acquire fence goes": ("$a = load atomic $y@ monotonic\n  fence@ acquire", "$a = load atomic $y@ monotonic"),
    "a release fence goes": ("fence@ release\n  store atomic $v, $y@ monotonic", "store atomic $v, $y@ monotonic"),
    "an acquire is weakened": ("$a = load atomic $y@ acquire", "$a = load atomic $y@ monotonic"),
    "a release is weakened": ("store atomic $v, $y@ release", "store atomic $v, $y@ monotonic"),
    "a released store goes": (
        "store atomic $v, $x@ monotonic\n  store atomic $w, $y@ release\n  store atomic $u, $x@ monotonic",
        "store atomic $w, $y@ release\n  store atomic $u, $x@ monotonic",
    ),
}
"""Rows that lose an operation, an ordering, or the order of a fence."""


def controls() -> Iterator[Control]:
    """Yield the controls of rules."""
    for (name, (events, why)), model in product(KNOWN.items(), MODELS):
        yield Control(f"refine --rule {model}", name, "", "", why, partial(known, name, model, events))
    for (name, (first, second)), scope, model in product(SWAPS.items(), SCOPES, MODELS):
        ask = partial(written, f"{first}\n  {second}", f"{second}\n  {first}", scope, model)
        yield Control(f"refine --rule {model}", name, scope or "system", "", "nothing moves there", ask)
    for (name, (before, after)), scope, model in product(GONE.items(), SCOPES, MODELS):
        ask = partial(written, before, after, scope, model)
        yield Control(f"refine --rule {model}", name, scope or "system", "", "somebody synchronizes with it", ask)


def known(name: str, model: str, events: int) -> str:
    """Return what is said of a built-in rule in contexts of so many operations."""
    return VERDICT_OF[check(rule_claim(BY_NAME[name], ModelChoice(model)), events).status]


def written(before: str, after: str, scope: str, model: str, events: int = 2) -> str:
    """Return what is said of a rule of two rows at a scope."""
    rows = (row.replace("@", f' syncscope("{scope}")' if scope else "") for row in (before, after))
    text = "rule control\nbefore {{\n  {}\n}}\nafter {{\n  {}\n}}\n".format(*rows)
    return VERDICT_OF[check(rule_claim(parse_rule(Source("control.rule", text)), ModelChoice(model)), events).status]
