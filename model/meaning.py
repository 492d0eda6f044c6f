r"""The meaning of an expression: names looked up, functions inlined, sets told from relations, terms built.

What goes in: a tree, the `NameScope` it stands in, and the `Builder` and `Variants` of the model. What comes out: a
`Value`. Everything is checked before a term is built, so the builder only sees well-kinded terms: a set where a
relation is needed, an unknown name, or a recursion that is not monotone raises `Refusal` at its place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from axmem.front.source import Diagnostic, Source, did_you_mean
from axmem.litmus.words import AMDGPU
from axmem.model import fixpoints, orders
from axmem.model.builder import Builder
from axmem.model.cursor import Refusal
from axmem.model.herd import herds
from axmem.model.primitives import ALIASES, FUNCTIONS, FunctionPrimitive, primitives
from axmem.model.quantities import (
    Broken,
    CatFunction,
    CatString,
    Cells,
    NameScope,
    OrderFamily,
    Quantity,
    QuantityKind,
    Several,
    Value,
    refused,
)
from axmem.model.syntax import (
    Application,
    Binding,
    Both,
    Choice,
    Condition,
    Expression,
    Infix,
    Lambda,
    Local,
    Match,
    Name,
    Not,
    Nothing,
    Prefix,
    Test,
    Text,
    Try,
)
from axmem.model.terms import Op
from axmem.model.variants import Variants

MAX_DEPTH = 120
MAX_STEPS = 200_000
NONE: Mapping[str, Source] = {}


class UnknownName(Refusal):
    """A name that nothing defines."""


class UsesBroken(Exception):
    """An expression uses a name whose definition was refused."""


class TooManySteps(Exception):
    """The inlined model is too large to write out."""


class CatInterpreter:
    """The reader of expressions; one for a model, whose levels it knows."""

    def __init__(self, builder: Builder, variants: Variants) -> None:
        self.builder = builder
        self.variants = variants
        self.levels = AMDGPU
        self.dialect = ""
        """Another tradition's dialect, in which the names of the scope are all there are; empty for ours."""
        self._results: dict[tuple[CatFunction, tuple[Value, ...]], Value] = {}
        self._depth = 0
        self._steps = 0
        self._taken = False  # whether what is read is taken away from what holds, an odd number of times

    def value(self, tree: Expression, scope: NameScope) -> Value:
        """Return what an expression stands for."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise TooManySteps
        # Depth bounds the stack of this interpreter, steps bound the time: functions of functions double at each level.
        self._depth += 1
        try:
            if self._depth > MAX_DEPTH:
                raise refused(scope, tree.span, "this nests too deeply once functions are written out")
            return self._value(tree, scope)
        finally:
            self._depth -= 1

    def _value(self, tree: Expression, scope: NameScope) -> Value:
        match tree:
            case Name():
                return self._name(tree, scope)
            case Nothing():
                return Quantity(QuantityKind.EITHER, self.builder.empty_relation)
            case Text():
                return CatString(tree.text)
            case Prefix():
                return self._prefix(tree, scope)
            case Infix():
                return self._infix(tree, scope)
            case Application():
                return self._application(tree, scope)
            case Local():
                bound = self.bind(tree.bindings, tree.recursive, scope)
                return self.value(tree.body, scope.extended(bound))
            case Choice():
                return self.value(tree.yes if self.holds(tree.condition, scope) else tree.no, scope)
            case Lambda():
                return CatFunction(tree.binding, scope)
            case Try() | Match():
                return orders.value(self, tree, scope)

    def holds(self, condition: Condition, scope: NameScope) -> bool:
        """Decide a condition on the variants."""
        match condition:
            case Test():
                answer = self.variants.holds(scope.source, condition.text, condition.span)
                if isinstance(answer, Diagnostic):
                    raise Refusal(answer)
                return answer
            case Not():
                return not self.holds(condition.condition, scope)
            case Both():
                left, right = self.holds(condition.left, scope), self.holds(condition.right, scope)
                return left or right if condition.either else left and right

    def quantity(self, tree: Expression, scope: NameScope, need: str) -> Quantity:
        """Return the set or relation that an expression stands for; `need` begins the message if it is neither."""
        value = self.value(tree, scope)
        if isinstance(value, Quantity):
            return value
        named = {
            CatString: "a string",
            Several: "a set of sets",
            Cells: "a set of sets",
            OrderFamily: "a set of orders",
        }
        what = named.get(type(value), "a function")
        raise refused(scope, tree.span, f"{need} a set or a relation, {_quoted(scope, tree)} is {what}")

    def relation(self, tree: Expression, scope: NameScope, need: str) -> int:
        """Return the term of a relation; `need` begins the message if it is none."""
        q = self.quantity(tree, scope, need)
        if q.kind is QuantityKind.SET:
            shown = _quoted(scope, tree)
            hint = f"`[{shown.strip('`')}]` is the identity on it" if isinstance(tree, Name) else ""
            raise refused(scope, tree.span, f"{need} a relation, {shown} is a set", hint)
        return q.term

    def set_(self, tree: Expression, scope: NameScope, need: str) -> int:
        """Return the term of a set; `need` begins the message if it is none."""
        q = self.quantity(tree, scope, need)
        if q.kind is QuantityKind.RELATION:
            hint = "`domain(r)` and `range(r)` are the sets of its ends"
            raise refused(scope, tree.span, f"{need} a set, {_quoted(scope, tree)} is a relation", hint)
        return self.builder.empty_set if q.kind is QuantityKind.EITHER else q.term

    def _name(self, tree: Name, scope: NameScope) -> Value:
        if tree.text in scope.names:
            value = scope.names[tree.text]
            if isinstance(value, Broken):
                raise UsesBroken
            return value
        if tree.text == "_":
            return Quantity(QuantityKind.SET, self.builder.every)
        primitive = primitives(self.levels).get(ALIASES.get(tree.text, tree.text))
        if primitive is not None and not self.dialect:
            kind = QuantityKind.SET if primitive.is_set else QuantityKind.RELATION
            return Quantity(kind, self.builder.base(primitive.name, primitive.is_set))
        if tree.text in FUNCTIONS and not self.dialect:
            return FUNCTIONS[tree.text]
        raise UnknownName(self.unknown(tree, scope))

    def knows(self, name: str) -> bool:
        """Tell whether a name stands for something without a definition."""
        return name == "_" or (
            not self.dialect and (name in FUNCTIONS or ALIASES.get(name, name) in primitives(self.levels))
        )

    def unknown(self, tree: Name, scope: NameScope) -> Diagnostic:
        """Return what is said of a name that nothing defines."""
        from axmem.model.dialects.hints import hint as elsewhere  # noqa: PLC0415 -- where no name is unknown nobody asks

        known = set(scope.names) if self.dialect else {*scope.names, *primitives(self.levels), *ALIASES, *FUNCTIONS}
        hint = "" if self.dialect else herds(tree.text)
        hint = hint or elsewhere(tree.text, self.dialect)
        hint = hint or did_you_mean(tree.text, sorted(known))
        return Diagnostic(scope.source, tree.span, f"unknown name `{tree.text}`", hint)

    def _prefix(self, tree: Prefix, scope: NameScope) -> Quantity:
        builder = self.builder
        if tree.operator == "[]":
            return Quantity(QuantityKind.RELATION, builder.identity(self.set_(tree.operand, scope, "`[ ]` needs")))
        if tree.operator == "~":
            q = self._taken_away(tree.operand, scope, "`~` needs")
            if q.kind is QuantityKind.EITHER and self.dialect:
                # Elsewhere `0` is the empty relation, and `{}` the empty set.
                is_set = _quoted(scope, tree.operand) == "`{}`"
                q = Quantity(QuantityKind.SET if is_set else QuantityKind.RELATION, builder.empty(is_set))
            if q.kind is QuantityKind.EITHER:
                hint = "write `_` or `_ * _`"
                raise refused(scope, tree.span, "`~` of what may be the empty set or the empty relation", hint)
            self._shrinking(tree.operand, scope, q.term, "under `~`")
            return Quantity(q.kind, builder.complement(q.term))
        r = self.relation(tree.operand, scope, f"`{tree.operator}` needs")
        match tree.operator:
            case "^-1":
                return Quantity(QuantityKind.RELATION, builder.inverse(r))
            case "+":
                return Quantity(QuantityKind.RELATION, builder.plus(r))
            case "?":
                return Quantity(QuantityKind.RELATION, builder.union((builder.id, r)))
        return Quantity(QuantityKind.RELATION, builder.union((builder.id, builder.plus(r))))

    def _taken_away(self, tree: Expression, scope: NameScope, need: str) -> Quantity:
        """Return the set or relation that is taken away from others here."""
        self._taken = not self._taken
        try:
            return self.quantity(tree, scope, need)
        finally:
            self._taken = not self._taken

    def _shrinking(self, tree: Expression, scope: NameScope, term: int, operator: str) -> None:
        """Refuse to take away what grows with the variable of an unfinished recursion.

        Taken away from what is itself taken away it may: `_ \\ range([_ \\ known] ; needs)` is monotone in `known`.
        """
        if self.builder.grows_with(term) and not self._taken:
            message = f"{_quoted(scope, tree)} {operator} is not monotone in the recursive definition it is part of"
            raise refused(scope, tree.span, message, "a least fixpoint needs recursion without complement")

    def _infix(self, tree: Infix, scope: NameScope) -> Value:
        builder, operator = self.builder, tree.operator
        if operator == ";":
            parts = [self.relation(o, scope, "`;` needs") for o in tree.operands]
            return Quantity(QuantityKind.RELATION, builder.sequence(parts))
        if operator == "++":
            return orders.added(self, tree, scope)
        if operator == "*":
            left, right = (self.set_(o, scope, "the product `*` needs") for o in tree.operands)
            return Quantity(QuantityKind.RELATION, builder.cross(left, right))
        kind, parts = self._alike(tree, scope)
        if operator == "|":
            return Quantity(kind, builder.union(parts))
        if operator == "&":
            return Quantity(kind, builder.intersection(parts))
        out = parts[0]
        for operand, part in zip(tree.operands[1:], parts[1:], strict=True):
            self._shrinking(operand, scope, part, "to the right of `\\`")
            out = builder.difference(out, part)
        return Quantity(kind, out)

    def _alike(self, tree: Infix, scope: NameScope) -> tuple[QuantityKind, list[int]]:
        """Return the operands, all of one kind, and that kind."""
        need = f"`{tree.operator}` needs"
        takes = self._taken_away if tree.operator == "\\" else self.quantity
        quantities = [(takes if i else self.quantity)(o, scope, need) for i, o in enumerate(tree.operands)]
        kind, first = QuantityKind.EITHER, tree.operands[0]
        for operand, q in zip(tree.operands, quantities, strict=True):
            if kind is QuantityKind.EITHER:
                kind, first = q.kind, operand
            elif q.kind not in (kind, QuantityKind.EITHER):
                message = f"{_quoted(scope, first)} is {kind.value}, {_quoted(scope, operand)} is {q.kind.value}"
                hint = "`[S]` is the identity on a set, `S * T` a product of sets"
                raise refused(scope, operand.span, f"{need} two sets or two relations: {message}", hint)
        empty = self.builder.empty(kind is QuantityKind.SET)
        return kind, [empty if q.kind is QuantityKind.EITHER else q.term for q in quantities]

    def _application(self, tree: Application, scope: NameScope) -> Value:
        function = self.value(tree.function, scope)
        shown = _quoted(scope, tree.function)
        if isinstance(function, FunctionPrimitive):
            _check_count(scope, tree, shown, len(function.parameters))
            return self._primitive(function, tree, scope)
        if not isinstance(function, CatFunction):
            what = function.kind.value if isinstance(function, Quantity) else "no function"
            raise refused(scope, tree.span, f"{shown} is {what}, not a function", "is an operator missing after it?")
        parameters = function.binding.parameters or ()
        _check_count(scope, tree, shown, len(parameters))
        arguments = tuple(self.value(a, scope) for a in tree.arguments)
        # One application is one value, however often it is written: inlining is linear in the text, not in its uses.
        key = (function, arguments)
        if key not in self._results:
            given = dict(zip(parameters, arguments, strict=True))
            try:
                self._results[key] = self.value(function.binding.body, function.scope.extended(given))
            except Refusal as refusal:
                use = f"in the use of {shown} at {scope.source.name}:{tree.span.line}:{tree.span.column}"
                raise refusal.used(use) from None
        return self._results[key]

    def _primitive(self, function: FunctionPrimitive, tree: Application, scope: NameScope) -> Value:
        need = f"`{function.name}` needs"
        builder, arguments = self.builder, tree.arguments
        match function.name:
            case "domain" | "range":
                op = Op.DOMAIN if function.name == "domain" else Op.RANGE
                return Quantity(QuantityKind.SET, builder.end(op, self.relation(arguments[0], scope, need)))
            case "toid":
                return Quantity(QuantityKind.RELATION, builder.identity(self.set_(arguments[0], scope, need)))
            case "fencerel":
                fences, po = self.set_(arguments[0], scope, need), builder.base("po", is_set=False)
                before = builder.intersection((po, builder.cross(builder.every, fences)))
                return Quantity(QuantityKind.RELATION, builder.sequence((before, po)))
            case "tagged":
                return Quantity(QuantityKind.SET, builder.tagged(self._tag(arguments[0], scope)))
            case "through":
                step, link = (self.relation(a, scope, need) for a in arguments[:2])
                stations = self.set_(arguments[2], scope, need)
                c = self.relation(arguments[3], scope, need)
                return Quantity(QuantityKind.RELATION, builder.through(step, link, stations, c))
        return orders.primitive(self, function.name, tree, scope)

    def _tag(self, tree: Expression, scope: NameScope) -> str:
        value = self.value(tree, scope)
        if not isinstance(value, CatString):
            raise refused(scope, tree.span, "`tagged` needs a string", 'as in `tagged("vulkan:private")`')
        prefix, _, suffix = value.text.partition(":")
        if not prefix.strip() or not suffix.strip():
            message = f'"{value.text}" is not a tag: a tag is a prefix, a colon and a suffix'
            raise refused(scope, tree.span, message, 'as in `tagged("vulkan:private")`')
        return value.text

    def bind(
        self, bindings: tuple[Binding, ...], recursive: bool, scope: NameScope, sources: Mapping[str, Source] = NONE
    ) -> dict[str, Value]:
        """Return what the names of a `let` or `let rec` stand for; `sources` has the files of those from elsewhere."""
        if recursive:
            return fixpoints.bind(self.builder, self.quantity, bindings, scope, sources)
        out: dict[str, Value] = {}
        for b in bindings:
            own = scope.of(sources.get(b.name, scope.source))
            if b.name in out:
                raise refused(own, b.span, f"`{b.name}` is defined twice in one `let`")
            known = _takes_apart(own.source) and orders.recognized(b)
            out[b.name] = known or (self.value(b.body, own) if b.parameters is None else CatFunction(b, own))
        return out


@lru_cache(maxsize=64)
def _takes_apart(source: Source) -> bool:
    """Tell whether some `match` may stand in a text."""
    return re.search(r"\|\|\s*\w+\s*\+\+", source.text) is not None


def _check_count(scope: NameScope, tree: Application, shown: str, wanted: int) -> None:
    given = len(tree.arguments)
    if given != wanted:
        plural = "" if wanted == 1 else "s"
        raise refused(scope, tree.span, f"{shown} takes {wanted} argument{plural}, {given} given")


def _quoted(scope: NameScope, tree: Expression) -> str:
    """Return the text of an expression as messages show it."""
    span = tree.span
    text = scope.source.line(span.line)[span.column - 1 : span.column - 1 + span.length].strip()
    return f"`{text}`" if len(text) <= 40 else f"`{text[:37]}…`"
