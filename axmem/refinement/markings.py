"""What becomes of a model's rules as primitives lose facts, in executions of any size.

What goes in: a claim that names primitives that may lose facts and axioms that may then allow more. What comes out:
nothing if everything else stays as it is, under every variant of the model; else which rule does not. It is read off
the terms: every operator of cat is monotone, but difference in what it takes away.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.check.selection import loaded
from axmem.litmus.syntax import ModelChoice
from axmem.model.model import Model
from axmem.model.terms import Axiom
from axmem.model.vocabulary import rules_of
from axmem.refinement.bounded.lemmas import BOTH, WITHIN, directions


def changing(choice: ModelChoice, lost: frozenset[str], weaker: tuple[str, ...]) -> Iterator[str]:
    """Yield a sentence for each rule of a model that may change as primitives lose facts, but for axioms named so that
    then only hold more often."""
    for model in _in_variants(choice):
        grows = directions(model, lost)
        for rule in rules_of(model):
            status = grows[rule.term]
            permits = isinstance(rule, Axiom) and not rule.flag and not rule.negated and status & WITHIN
            if status != BOTH and not (permits and rule.name in weaker):
                chosen = ", ".join(f"{name}={value}" for name, value in model.changed)
                under = f" under {chosen}" if chosen else ""
                yield f"{rule.name} of {model.name}{under} is not the same without {' or '.join(sorted(lost))}"


def _in_variants(choice: ModelChoice) -> Iterator[Model]:
    """Yield a model, and with each other value of each of its variants that goes with the others."""
    model = loaded(choice)
    yield model
    for variant in model.variants:
        for value in variant.values:
            if value != model.choice[variant.name]:
                yield loaded(ModelChoice(choice.model, (*choice.variants, (variant.name, value))))
