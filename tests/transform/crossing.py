"""Pairs of operations of one thread, and what the search of all contexts says of swapping them.

What goes in: names of `OPERATIONS`. What comes out: the pair as statements of a thread, for the table of
`axmem.transform.crossing`, and the verdict of `axmem refine --rule` on the rule that swaps them.
"""

from __future__ import annotations

from dataclasses import replace

from axmem.front.source import Source
from axmem.litmus.parser import parse
from axmem.litmus.syntax import ModelChoice
from axmem.litmus.words import OperationKind, Ordering
from axmem.refinement.bounded.bound import Bound
from axmem.refinement.bounded_check import check, rule_claim
from axmem.refinement.fragments import parse_rule
from axmem.refinement.rules import CORE
from axmem.transform.crossing import hindrance

OPERATIONS = {
    "load": "{r} = load {x}",
    "load unordered": "{r} = load atomic {x} unordered",
    "load monotonic": "{r} = load atomic {x} monotonic",
    "load acquire": "{r} = load atomic {x} acquire",
    "load seq_cst": "{r} = load atomic {x} seq_cst",
    "store": "store {v}, {x}",
    "store unordered": "store atomic {v}, {x} unordered",
    "store monotonic": "store atomic {v}, {x} monotonic",
    "store release": "store atomic {v}, {x} release",
    "store seq_cst": "store atomic {v}, {x} seq_cst",
    "xchg monotonic": "{r} = atomicrmw xchg {x}, {v} monotonic",
    "xchg acq_rel": "{r} = atomicrmw xchg {x}, {v} acq_rel",
    "fence acquire": "fence acquire",
    "fence release": "fence release",
    "fence seq_cst": "fence seq_cst",
}
SMALL = replace(CORE, any_tags=False)
WHOLE = replace(SMALL, kinds=(*CORE.kinds, OperationKind.RMW), orderings=tuple(Ordering))
"""The contexts: loads, stores, exchanges and fences of any ordering; the small ones have no exchanges nor seq_cst."""


def reason(first: str, second: str, *, meet: bool = False) -> str:
    """Return what the table says of a pair; the two access different locations, or one."""
    places = ("x", "x" if meet else "y")
    lines = [_text(name, n, place) for n, (name, place) in enumerate(zip((first, second), places, strict=True))]
    body = (
        parse("\n".join(("litmus t", "global x = 0", "global y = 0", "thread P {", *lines, "}")), "t").threads[0].body
    )
    a, b = body
    return hindrance(a, b, meet=meet)


def verdict(pair: tuple[str, str], model: str, context: int, *, meet: bool = False, space: Bound = WHOLE) -> str:
    """Return what the search says of swapping a pair in every context of so many operations."""
    first, second = pair
    places = ("$x", "$x" if meet else "$y")
    a, b = (_text(name, n, place, "$") for n, (name, place) in enumerate(zip((first, second), places, strict=True)))
    apart = not meet and "fence" not in first + second
    lines = ("rule swapped", "before {", a, b, "}", "after {", b, a, "}", "where $x != $y" if apart else "")
    rule = parse_rule(Source("swapped.rule", "\n".join(lines)))
    return check(rule_claim(rule, ModelChoice(model), space), context).status


def _text(name: str, number: int, place: str, sigil: str = "") -> str:
    value = f"{sigil}v{number}" if sigil else f"{number + 1}"
    return OPERATIONS[name].format(r=f"{sigil}r{number}", v=value, x=place)
