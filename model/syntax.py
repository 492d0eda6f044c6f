"""The syntax tree of cat: what the parser makes of one file, before any name is looked up.

Every node carries the `Span` of its text. Operators that associate are n-ary (`a | b | c` is one node), so the depth
of a tree is bounded by the nesting of its text. The tree is immutable and compares by value.
"""

from __future__ import annotations

from typing import TypeAlias

from axmem.front.records import dataclass
from axmem.front.source import NOWHERE, Span
from axmem.litmus.words import Hierarchy
from axmem.model.terms import AxiomKind, Doc


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier; `_` is the name of the set of all events."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Nothing:
    """`0` or `{}`: the empty set or the empty relation."""

    span: Span


@dataclass(frozen=True, slots=True)
class Text:
    """A string as an argument, as in `tagged("vulkan:private")`."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Prefix:
    """An operator of one operand: `operator` is one of `~`, `+`, `*`, `?`, `^-1` and `[]`."""

    operator: str
    operand: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Infix:
    r"""`|`, `++`, `;`, `\`, `&` or `*` (the product of two sets) between two or more operands."""

    operator: str
    operands: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Application:
    """`f(x, y)` or `f x`."""

    function: Expression
    arguments: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Local:
    """`let … in body`."""

    bindings: tuple[Binding, ...]
    recursive: bool
    body: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Choice:
    """`if condition then yes else no`."""

    condition: Condition
    yes: Expression
    no: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Try:
    """`try body with otherwise`: the one if all its names are known, else the other."""

    body: Expression
    otherwise: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Lambda:
    """`fun x -> body` or `fun (x, y) -> body`: a function, as a binding without a name."""

    binding: Binding
    span: Span


@dataclass(frozen=True, slots=True)
class Match:
    """`match value with || {} -> nothing || first ++ rest -> some end`: what a set is made of, one after the other."""

    value: Expression
    nothing: Expression
    first: str
    rest: str
    some: Expression
    span: Span


Expression: TypeAlias = Name | Nothing | Text | Prefix | Infix | Application | Local | Choice | Try | Lambda | Match


@dataclass(frozen=True, slots=True)
class Test:
    """`"name=value"`, or `"name"` for a flag."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Not:
    """`not condition`."""

    condition: Condition
    span: Span


@dataclass(frozen=True, slots=True)
class Both:
    """`left && right`, or with `either` set `left || right`."""

    left: Condition
    right: Condition
    either: bool
    span: Span


Condition: TypeAlias = Test | Not | Both


@dataclass(frozen=True, slots=True)
class Binding:
    """`name = body`, or `name(parameters) = body` where `parameters` is not None; `extent` is all of this text."""

    name: str
    parameters: tuple[str, ...] | None
    body: Expression
    doc: Doc
    span: Span
    extent: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Let:
    """`let b1 and b2 …` or `let rec … [when check]` at the top."""

    bindings: tuple[Binding, ...]
    recursive: bool
    span: Span
    when: Check | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """`[flag] [~]acyclic e [as name]`; `name` is the text of the expression where none is given."""

    kind: AxiomKind
    expression: Expression
    name: str
    negated: bool
    flag: bool
    doc: Doc
    span: Span


@dataclass(frozen=True, slots=True)
class Undef:
    """`undef e as name`."""

    expression: Expression
    name: str
    doc: Doc
    span: Span


@dataclass(frozen=True, slots=True)
class Include:
    """`include "file"`."""

    file: str
    span: Span


@dataclass(frozen=True, slots=True)
class Conditional:
    """`if condition … else … end` around statements."""

    condition: Condition
    yes: tuple[Statement, ...]
    no: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Declaration:
    """`(** @variant name = *value | … : text *)`; `default` is the value with the star."""

    name: str
    values: tuple[str, ...]
    default: str
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Default:
    """`(** @default name = value *)`."""

    name: str
    value: str
    span: Span


@dataclass(frozen=True, slots=True)
class Levels:
    """`(** @levels word … system *)`: the scopes that the model speaks of, from the narrowest."""

    levels: Hierarchy
    span: Span


@dataclass(frozen=True, slots=True)
class With:
    """`with name from orders`: an order that the execution chooses."""

    name: str
    orders: Expression
    doc: Doc
    span: Span


@dataclass(frozen=True, slots=True)
class Procedure:
    """`procedure name(parameters) = … end`."""

    name: str
    parameters: tuple[str, ...]
    body: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Call:
    """`call name(arguments)`."""

    name: str
    arguments: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Override:
    """`override let …`, `override acyclic … as name`, `override undef … as name`: what replaces a statement below."""

    statement: Let | Check | Undef
    span: Span


@dataclass(frozen=True, slots=True)
class Readings:
    """`(** @readings name … *)`: the files `readings/name.cat` with other readings of what stands below."""

    names: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class After:
    """`(** @after name … *)`: the overrides of this file replace what those of these readings put in place."""

    names: tuple[str, ...]
    span: Span


Statement: TypeAlias = (
    Let
    | Check
    | Undef
    | Include
    | Conditional
    | Declaration
    | Default
    | Levels
    | With
    | Procedure
    | Call
    | Override
    | Readings
    | After
)


@dataclass(frozen=True, slots=True)
class File:
    """One file of cat: its title and its statements in order; `head` is all that stands before them on one line."""

    title: str
    statements: tuple[Statement, ...]
    head: str = ""
