"""Wrong transformations of kernels: what refuses them is overruled, at every scope, and in the bodies of the table.

A transformation that changes the order of operations has a body that its side condition refuses; done all the same it
is unsound (`against` in `axmem.refinement.bodies`). The bodies of the table are at system scope; here they are at every
scope, in the loops of `make transforms`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

from axmem.commands.pages.soundness import VERDICT_OF
from axmem.litmus.parser import parse
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.bodies import BODIES, DEEDS, LoopBody, kernel_text
from axmem.refinement.soundness import change_of, outcomes_sound
from axmem.transform.applying import apply_all
from tests.controls import Control
from tests.controls.programs import MODELS, SCOPES

REORDERED = ("distribute", "interleave", "unroll and jam", "interchange")
LATER = "what a later iteration stores or loads comes to stand before what an earlier one has released or acquired"
WRONG = (
    *((deed, "flag, then data", LATER) for deed in REORDERED[:3]),
    *((deed, "data, then acquire", LATER) for deed in REORDERED[:3]),
    *((deed, "release fence first", LATER) for deed in REORDERED[:2]),
    *((deed, "acquire fence last", LATER) for deed in REORDERED[:2]),
    ("interchange", "data, then flag", "the flag of another row is released before its data"),
    ("LICM", "data, then acquire", "the load of the second iteration goes up over the acquire of the first"),
    ("LICM", "acquire, then data", "the load goes up over the acquire"),
    ("LICM", "data, then flag", "the last store of data comes behind the flag that released it"),
)
"""Transformations of bodies that their side conditions refuse, and what is wrong."""

PROMOTED = """litmus promoted
global s = 0, f = 0
kernel K() {
entry:
  br h
h:
  i = phi i32 [ 0, entry ], [ j, h ]
  v = load s
  w = v + 1
  store w, s
  j = i + 1
  store atomic j, f@ release
  t = j < 2
  br t, h, exit
exit:
  ret void
}
"""
"""A loop whose store is kept in a register behind each release: who acquires the flag does not see it."""


def controls() -> Iterator[Control]:
    """Yield the controls of transformations."""
    bodies, deeds = {b.name: b for b in BODIES}, {d.name: d for d in DEEDS}
    for (deed, body, why), scope, model in product(WRONG, SCOPES, MODELS):
        text = kernel_text(_scoped(bodies[body], scope), deeds[deed])
        ask = partial(forced, text, deeds[deed].text, model)
        yield Control(f"transform {model}", f"{deed} of '{body}'", scope or "system", "", why, ask)
    for scope, model in product(SCOPES, MODELS):
        text = PROMOTED.replace("@", f' syncscope("{scope}")' if scope else "")
        ask = partial(forced, text, "licm(h, promote)", model)
        why = "who acquires the flag does not see the store"
        yield Control(f"transform {model}", "a store is promoted over releases", scope or "system", "", why, ask)


def _scoped(body: LoopBody, scope: str) -> LoopBody:
    """Return a body whose operations that synchronize are at a scope."""
    word = f'syncscope("{scope}") ' if scope else ""
    text = body.text
    for ordering in ("release", "acquire"):
        text = text.replace(f" {ordering}", f" {word}{ordering}")
    return LoopBody(body.name, text, body.measured, body.lanes, body.against)


def forced(text: str, asked: str, model: str, events: int = 2) -> str:
    """Return what is said of a transformation of the kernel K of a test that is done whatever speaks against it."""
    test = parse(text, "control")
    (kernel,) = test.kernels
    change = change_of(test, kernel, apply_all(kernel, asked, force=True))
    return VERDICT_OF[outcomes_sound(change, ModelChoice(model), events).finding.status]
