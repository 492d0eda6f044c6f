"""A memory model with one statement of it changed.

What goes in: the syntax tree of a cat file, a model's or a reading's. What comes out: `Mutation`s in the order of the
text, each a whole tree in which one rule or override is gone or one definition says less or more: it is empty, or an
operand of its outermost union, intersection or difference is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from axmem.model.syntax import (
    Binding,
    Both,
    Check,
    Choice,
    Condition,
    Conditional,
    Expression,
    File,
    Infix,
    Let,
    Not,
    Nothing,
    Override,
    Prefix,
    Statement,
    Undef,
)

DELETED, EMPTY = "deleted", "empty"


@dataclass(frozen=True, slots=True)
class Change:
    """What is said in one place of a file before and after: where the two are the same, nothing changes.

    `index` is that of the statement of the file.
    """

    index: int
    before: Expression
    after: Expression


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change: of which axiom, undef rule, flag or definition, what was done, and the tree with it.

    The name of what stands in a reading begins with the condition that it stands under.
    """

    name: str
    action: str
    tree: File
    change: Change | None = None
    """What is changed in a model's text, if that is an expression outside recursive definitions and functions."""


@dataclass(frozen=True, slots=True)
class Place:
    """A statement that has mutations, the condition that it stands under, and the file with others in its place."""

    statement: Let | Check | Undef
    under: str
    index: int
    put: Callable[[tuple[Let | Check | Undef, ...]], File]
    overrides: bool = False

    def name(self, name: str) -> str:
        """Return what a definition or rule is called that stands here."""
        return f"{self.under}: {name}" if self.under else name

    def change(self, before: Expression, after: Expression | None) -> Change | None:
        """Return a change of an expression of this statement; None if others depend on it in ways of their own."""
        match self.statement:
            case Let(bindings, recursive) if recursive or any(b.parameters is not None for b in bindings):
                return None
        return Change(self.index, before, after) if after is not None and not self.under else None


def places(tree: File) -> Iterator[Place]:
    """Yield the places of a file whose statements have mutations, overrides and what stands under conditions too."""
    yield from _places(tree.statements, "", -1, lambda statements: replace(tree, statements=statements))


_Put = Callable[[tuple[Statement, ...]], File]
_Rules = Callable[[tuple[Let | Check | Undef, ...]], File]


def _places(statements: tuple[Statement, ...], under: str, index: int, put: _Put) -> Iterator[Place]:
    for number, statement in enumerate(statements):
        where = number if index < 0 else index

        def here(changed: tuple[Statement, ...], at: int = number) -> File:
            return put((*statements[:at], *changed, *statements[at + 1 :]))

        match statement:
            case Let() | Check() | Undef():
                yield Place(statement, under, where, here)
            case Override():
                yield Place(statement.statement, under, where, _overriding(statement, here), overrides=True)
            case Conditional(condition, yes, no):
                yield from _places(yes, _said(condition), where, _inside(statement, here))
                assert not no, "a reading has no other case"


def _overriding(statement: Override, put: _Put) -> _Rules:
    def here(changed: tuple[Let | Check | Undef, ...]) -> File:
        return put(tuple(replace(statement, statement=each) for each in changed))

    return here


def _inside(statement: Conditional, put: _Put) -> _Put:
    return lambda statements: put((replace(statement, yes=statements),))


def asked(condition: Condition) -> tuple[str, ...]:
    """Return what a condition asks, each `name=value`; refuses a condition of what is not so."""
    match condition:
        case Both(left, right):
            return (*asked(left), *asked(right))
        case Not():
            raise ValueError("a reading is of what is chosen")
    return (condition.text,)


def _said(condition: Condition) -> str:
    return " or ".join(asked(condition))


def mutations(tree: File) -> Iterator[Mutation]:
    """Yield every mutation of a file."""
    for place in places(tree):
        match place.statement:
            case Check() | Undef() as rule:
                # A rule of nothing says nothing, and is there for what overrides it; an override is removed.
                nothing = replace(rule, expression=Nothing(rule.expression.span))
                removed = place.overrides or (isinstance(rule, Check) and rule.negated)
                yield Mutation(place.name(rule.name), DELETED, place.put(() if removed else (nothing,)))
                if place.overrides and not isinstance(rule.expression, Nothing):
                    yield Mutation(place.name(rule.name), EMPTY, place.put((nothing,)))
            case Let(bindings) as statement:
                if place.overrides:
                    yield Mutation(place.name(bindings[0].name), DELETED, place.put(()))
                for index, binding in enumerate(bindings):
                    for action, body in _bodies(binding):
                        others = (*bindings[:index], replace(binding, body=body), *bindings[index + 1 :])
                        changed = place.put((replace(statement, bindings=others),))
                        yield Mutation(place.name(binding.name), action, changed, place.change(binding.body, body))


def _bodies(binding: Binding) -> Iterator[tuple[str, Expression]]:
    yield EMPTY, Nothing(binding.body.span)
    yield from _less(binding.body)


def _less(body: Expression) -> Iterator[tuple[str, Expression]]:
    match body:
        case Infix("|" | "&" | "\\" as operator, operands):
            for index in range(1 if operator == "\\" else 0, len(operands)):
                rest = (*operands[:index], *operands[index + 1 :])
                less = rest[0] if len(rest) == 1 else replace(body, operands=rest)
                yield f"without operand {index + 1} of {operator}", less
        case Prefix("+" | "?" | "*" | "^-1" as operator, operand):
            yield f"without {operator}", operand
        case Choice(_, yes, no):
            yield "always its first reading", yes
            yield "always its second reading", no
