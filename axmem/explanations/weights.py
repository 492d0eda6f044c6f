"""The algebra of the lightest derivations: what union, composition and so on do to weights.

What goes in: the weights of the facts of relations or sets. What comes out: those of what is made of them. It is the
algebra of shortest paths; each operation adds one, so that a derivation is heavier than its parts.
"""

from __future__ import annotations

from collections.abc import Iterable

Weights = dict[int, dict[int, int]]
"""For each first event the second ones and the weights of the pairs; a set has its members under themselves."""

LIGHT = 1 << 12
"""The unit of prices; what weighs less holds."""
HEAVY = 16 * LIGHT
"""What weighs this much is not considered."""
NEVER = 1 << 20


def heavier(weights: Weights) -> Weights:
    """Return the weights of what is derived by one more step."""
    return {a: {b: w + 1 for b, w in row.items()} for a, row in weights.items() if row}


def lightest(all_weights: Iterable[Weights]) -> Weights:
    """Return the weights of a union."""
    found: Weights = {}
    for weights in all_weights:
        for a, row in weights.items():
            own = found.setdefault(a, {})
            for b, w in row.items():
                if w + 1 < own.get(b, HEAVY):
                    own[b] = w + 1
    return found


def intersection_weights(all_weights: list[Weights]) -> Weights:
    """Return the weights of an intersection."""
    first, *others = sorted(all_weights, key=lambda weights: sum(map(len, weights.values())))
    found: Weights = {}
    for a, row in first.items():
        rows = [weights.get(a, {}) for weights in others]
        for b, w in row.items():
            total = w + sum(r.get(b, NEVER) for r in rows) + 1
            if total < HEAVY:
                found.setdefault(a, {})[b] = total
    return found


def composed(left: Weights, right: Weights) -> Weights:
    """Return the weights of a composition."""
    found: Weights = {}
    for a, row in left.items():
        own: dict[int, int] = {}
        for m, w in row.items():
            for b, v in right.get(m, {}).items():
                if w + v + 1 < own.get(b, HEAVY):
                    own[b] = w + v + 1
        if own:
            found[a] = own
    return found


def turned(weights: Weights) -> Weights:
    """Return the weights of an inverse."""
    found: Weights = {}
    for a, row in weights.items():
        for b, w in row.items():
            found.setdefault(b, {})[a] = w
    return found


def members(weights: Weights) -> dict[int, int]:
    """Return the weights of the members of a set."""
    return {a: row[a] for a, row in weights.items() if a in row}


def closed(step: Weights) -> Weights:
    """Return the weights of a transitive closure (by the algorithm of Floyd and Warshall)."""
    found = {a: dict(row) for a, row in step.items()}
    for k in list(found):
        for row in found.values():
            if k in row:
                for b, w in found[k].items():
                    if row[k] + w + 1 < row.get(b, HEAVY):
                        row[b] = row[k] + w + 1
    return heavier(found)
