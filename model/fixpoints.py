"""What the names of a `let rec` stand for: functions, or least fixpoints.

What goes in: the bindings of a `let rec`, and who reads an expression as a set or a relation. What comes out: the
values of the names. The kinds of the names are found first, by reading the bodies until no more becomes known; then
the bodies are read as terms. A recursion that is not monotone, or that depends on another unfinished one, raises
`Refusal` at its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from axmem.front.source import Source
from axmem.model.builder import Builder
from axmem.model.cursor import Refusal
from axmem.model.quantities import CatFunction, NameScope, Quantity, QuantityKind, Value, refused
from axmem.model.syntax import Binding, Expression

ReadQuantity = Callable[[Expression, NameScope, str], Quantity]
"""Reads an expression that must be a set or a relation; the text says of what, for a message."""


def bind(
    builder: Builder,
    quantity: ReadQuantity,
    bindings: tuple[Binding, ...],
    scope: NameScope,
    sources: Mapping[str, Source],
) -> dict[str, Value]:
    """Return what the names of a `let rec` stand for; `sources` has the files of those from elsewhere."""
    if bindings and all(b.parameters is not None for b in bindings):
        names = dict(scope.names)
        functions: dict[str, Value] = {
            b.name: CatFunction(b, NameScope(sources.get(b.name, scope.source), names)) for b in bindings
        }
        names.update(functions)
        return functions
    own = {b.name: scope.of(sources.get(b.name, scope.source)) for b in bindings}
    for i, b in enumerate(bindings):
        if b.parameters is not None:
            message = f"the function `{b.name}` and a fixpoint are defined in one `let rec`"
            raise refused(own[b.name], b.span, message, "define them apart")
        if b.name in {other.name for other in bindings[:i]}:
            raise refused(own[b.name], b.span, f"`{b.name}` is defined twice in one `let`")
    kinds = _kinds(builder, quantity, bindings, scope, sources)

    def read(b: Binding, inner: NameScope) -> Quantity:
        return quantity(b.body, inner, "`let rec` needs")

    number, bodies = _bodies(builder, bindings, scope, kinds, read, sources)
    terms = []
    for b, kind, body in zip(bindings, kinds, bodies, strict=True):
        if body.kind not in (kind, QuantityKind.EITHER):
            raise refused(own[b.name], b.span, f"`{b.name}` is used as {kind.value}, but is {body.kind.value}")
        term = builder.empty(kind is QuantityKind.SET) if body.kind is QuantityKind.EITHER else body.term
        if builder.open_in(term) - {number}:
            message = f"`{b.name}` recurs inside another recursive definition and depends on it"
            raise refused(own[b.name], b.span, message, "define both in one `let rec … and …`")
        if builder.shrinks_with(term):
            message = f"`{b.name}` is not monotone in the recursive definition it is part of"
            raise refused(own[b.name], b.span, message, "a least fixpoint needs recursion without complement")
        terms.append(term)
    fixed = builder.end_fixpoint(number, terms)
    return {b.name: Quantity(kind, t) for b, kind, t in zip(bindings, kinds, fixed, strict=True)}


def _bodies(
    builder: Builder,
    bindings: tuple[Binding, ...],
    scope: NameScope,
    kinds: list[QuantityKind],
    read: Callable[[Binding, NameScope], Quantity],
    sources: Mapping[str, Source],
) -> tuple[int, list[Quantity]]:
    """Read the bodies under fresh variables of these kinds; return the fixpoint's number and the bodies."""
    names = [b.name for b in bindings]
    number, variables = builder.begin_fixpoint(names, [k is QuantityKind.SET for k in kinds])
    quantities = [Quantity(k, v) for k, v in zip(kinds, variables, strict=True)]
    inner = scope.extended(dict(zip(names, quantities, strict=True)))
    return number, [read(b, inner.of(sources.get(b.name, scope.source))) for b in bindings]


def _kinds(
    builder: Builder,
    quantity: ReadQuantity,
    bindings: tuple[Binding, ...],
    scope: NameScope,
    sources: Mapping[str, Source],
) -> list[QuantityKind]:
    """Find which recursive names are sets: read with unknown kinds as EITHER until no more becomes known."""

    def attempt(b: Binding, inner: NameScope) -> Quantity:
        try:
            return quantity(b.body, inner, "")
        except Refusal:
            return Quantity(QuantityKind.EITHER, builder.empty_relation)

    kinds = [QuantityKind.EITHER] * len(bindings)
    # Each round makes at least one more kind known or is the last, so there are no more rounds than bindings.
    for _ in bindings:
        _, bodies = _bodies(builder, bindings, scope, kinds, attempt, sources)
        found = [q.kind if k is QuantityKind.EITHER else k for k, q in zip(kinds, bodies, strict=True)]
        if found == kinds:
            break
        kinds = found
    return [QuantityKind.RELATION if k is QuantityKind.EITHER else k for k in kinds]
