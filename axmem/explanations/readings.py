"""On which repairs of a document an answer rests.

What goes in: a model that repairs a document, and an answer under it. What comes out: each of its variants that alone
gives another answer if it is set as the document says to the letter, or else the fewest that do so together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from axmem.front.records import dataclass
from axmem.model.library import LETTERS, load
from axmem.model.model import Model

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class VariantReading:
    """A variant on which an answer rests: its value, that of the document's letter, and what it decides."""

    variant: str
    value: str
    letter: str
    decides: str


def repairs_under(model: Model, answer: A, ask: Callable[[Model], A]) -> tuple[str, tuple[VariantReading, ...]]:
    """Return the model of the letter, and the variants on which an answer rests.

    `ask` answers the same question under another model.
    """
    literal = load(LETTERS[model.name]) if model.name in LETTERS else None
    if literal is None:
        return "", ()
    chosen = dict(model.changed)
    letter = {
        name: literal.choice[name]
        for name, value in model.choice.items()
        if name not in chosen and literal.choice.get(name, value) != value
    }

    def differs(some: Mapping[str, str]) -> bool:
        return ask(load(model.name, {**chosen, **some})) != answer

    found = {name: value for name, value in letter.items() if differs({name: value})}
    if not found and letter and differs(letter):
        found = _fewest(letter, differs)
    texts = {v.name: v.text for v in model.variants}
    return literal.name, tuple(VariantReading(n, model.choice[n], value, texts[n]) for n, value in found.items())


def _fewest(letter: Mapping[str, str], differs: Callable[[Mapping[str, str]], bool]) -> dict[str, str]:
    """Return some of the settings that make a difference together, and without any one of which they make none."""
    found = dict(letter)
    for name in letter:
        rest = {n: value for n, value in found.items() if n != name}
        if differs(rest):
            found = rest
    return found
