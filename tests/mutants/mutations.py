"""A memory model with one statement of it changed.

What goes in: the syntax tree of a cat file. What comes out: `Mutation`s in the order of the text, each a whole tree in
which one statement is gone or one definition says less or more: it is empty, or an operand of its outermost union,
intersection or difference is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from axmem.model.syntax import Binding, Check, Choice, Expression, File, Infix, Let, Nothing, Prefix, Statement, Undef

DELETED, EMPTY = "deleted", "empty"


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change: of which axiom, undef rule, flag or definition, what was done, and the tree with it."""

    name: str
    action: str
    tree: File
    exchanged: tuple[str, str] | None = None
    """The name of which one use is replaced, and what by: where the two are the same, nothing changes."""


def mutations(tree: File) -> Iterator[Mutation]:
    """Yield every mutation of a file."""
    for index, statement in enumerate(tree.statements):
        for name, action, changed in _changes(statement):
            statements = (*tree.statements[:index], *changed, *tree.statements[index + 1 :])
            yield Mutation(name, action, replace(tree, statements=statements))


def _changes(statement: Statement) -> Iterator[tuple[str, str, tuple[Statement, ...]]]:
    match statement:
        case Check() | Undef():
            yield statement.name, DELETED, ()
        case Let(bindings):
            for index, binding in enumerate(bindings):
                for action, body in _bodies(binding):
                    others = (*bindings[:index], replace(binding, body=body), *bindings[index + 1 :])
                    yield binding.name, action, (replace(statement, bindings=others),)


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
