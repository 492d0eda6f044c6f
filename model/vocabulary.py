"""What models may use besides primitives, the prelude and herd's library; and the refusal of what is not meant.

The primitives themselves are the rows of `axmem.model.primitives`. Invariant: an engine that is asked for a model which
reaches a row without a meaning there refuses it by name (`refuse`).
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from pathlib import Path

from axmem.front.source import Diagnostic, InputError
from axmem.litmus.words import AMDGPU, Hierarchy, Scope, counterparts
from axmem.model.model import Model
from axmem.model.primitives import NEEDS_OF_TAG, PRIMITIVES, level_names, primitives
from axmem.model.terms import Axiom, Op, Term, UndefRule

ORDERS = "with … from"
"""What engines know that have executions choose further orders, as models ask for."""


def needs(term: Term) -> str:
    """Return the construct without which a primitive or a tag that a model names holds of nothing; empty if none."""
    if term.op is Op.TAGGED:
        prefix, _, suffix = term.name.partition(":")
        return NEEDS_OF_TAG.get((prefix, suffix), "")
    return PRIMITIVES[term.name].needs if term.name in PRIMITIVES else ""


_FOLDER = Path(__file__).parent / "prelude"
_TEXTS = {path.name: path.read_text(encoding="utf-8") for path in sorted(_FOLDER.glob("*.cat"))}

PRELUDE = _TEXTS["prelude.cat"]
"""What every model may use without an include; definitions of the model shadow it."""

INCLUDED = {name: text for name, text in _TEXTS.items() if name != "prelude.cat"}
"""The files of herd7's library that models include: what they define is in the prelude, or stands here."""


# ---------------------------------------------------------------- engines and what they know


def rules_of(model: Model) -> Iterator[Axiom | UndefRule]:
    """Yield each axiom, flag and undef rule of a model."""
    yield from model.axioms
    yield from model.undefs


def refuse(model: Model, engine: str, known: Container[str], levels: Hierarchy = AMDGPU) -> None:
    """Raise InputError if a model reaches a primitive of which an engine has no meaning, at the first rule that does.

    `known` are the names that it has a meaning for, `ORDERS` among them if it is one; `levels` those of its programs: a
    word for a level of another hierarchy has no meaning, but that of the system. In the dialect of another tradition
    AMDGPU's levels stand for those of the programs that are their counterparts.
    """
    alike = model.levels == levels or (model.dialect and model.levels == AMDGPU and counterparts(levels))
    foreign = () if alike else [level for level in model.levels if level is not Scope.SYSTEM]
    strange = level_names(tuple(foreign))
    chosen = any(model.terms[index].op is Op.ORDER for index in model.reached)
    if all(name in known and name not in strange for name in model.base_names) and (ORDERS in known or not chosen):
        return
    found: dict[str, Diagnostic] = {}
    for rule in rules_of(model):
        for index in sorted(model.needed((rule.term,))):
            name = model.terms[index].name
            if model.terms[index].op is Op.ORDER and ORDERS not in known:
                message = f"{engine} has no meaning for orders that an execution chooses, such as `{name}`"
                found.setdefault(ORDERS, Diagnostic(rule.source, rule.span, message))
                continue
            key = "" if name in strange else name
            if model.terms[index].op is not Op.BASE or key in found or (key and key in known):
                continue
            text = primitives(model.levels)[name].text
            message = f"{engine} has no meaning for `{name}` ({text}), of which {model.name} speaks here"
            if not key:
                theirs, own = (" ".join(level.word for level in some) for some in (levels, model.levels))
                message = f"{model.name} speaks here of `{name}` and the levels {own}; {engine} is asked about {theirs}"
            found[key] = Diagnostic(rule.source, rule.span, message)
    if found:
        raise InputError(found.values())
