"""`axmem models`: the built-in models, their variants, definitions and texts."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from axmem.front.exits import OK
from axmem.front.options import Subparsers, add_command, add_shared
from axmem.front.output import document
from axmem.front.source import Source, mistake

if TYPE_CHECKING:
    from axmem.model.terms import Axiom, Definition, Doc, Model, UndefRule, Variant


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="models",
        examples=("axmem models", "axmem models amdgpu --variants"),
        description="List the built-in models with their titles; or show the rules and definitions of one, "
        "each with the\nsentence of the specification that it stands for.",
        epilog="",
    )
    parser.add_argument("name", metavar="NAME", nargs="?", help="a built-in model or a .cat file")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--variants", action="store_true", help="show the variants; * marks the default")
    how.add_argument("--text", action="store_true", help="print the text of the model and of what it includes")
    add_shared(parser, "format", help="the form of the output")
    add_shared(parser, "dialect", "include")


def main(options: argparse.Namespace) -> int:
    """Run the command; an unknown name raises InputError."""
    from axmem.model.library import load, names

    if options.text:
        if options.name is None:
            raise mistake("--text", "which model's text?", "axmem models NAME --text", text="")
        if options.format != "text":
            raise mistake("--text", "the text of a model has no other form", "leave out --format", text=options.format)
        print("".join(_texts(options.name)), end="")
        return OK
    chosen = names() if options.name is None else (options.name,)
    models = [load(name) for name in chosen]
    if options.format == "json":
        records = [_record(model, whole=options.name is not None) for model in models]
        print(document(1, models=records), end="")
        return OK
    width = max(len(m.name) for m in models)
    for model in models:
        print(f"{model.name:<{width}}  {model.title}")
        if options.variants:
            print(*_variants(model.variants), sep="\n")
        elif options.name is not None:
            print(*_contents(model), sep="\n")
    return OK


def _variants(variants: Iterable[Variant]) -> Iterator[str]:
    for v in sorted(variants, key=lambda v: v.name):
        values = " | ".join(f"*{value}" if value == v.default else value for value in v.values)
        yield f"  {v.name} = {values}"
        if v.text:
            yield f"      {v.text}"


def _contents(model: Model) -> Iterator[str]:
    """Yield the rules, then the definitions that the specification stands behind."""
    yield from ("", "Rules")
    for rule in _rules(model):
        yield from _entry(f"{_kind(rule)} {rule.name}", rule.doc)
    yield from ("", "Definitions")
    for definition in model.definitions:
        if definition.doc.key:
            yield from _entry(definition.name, definition.doc)
    if model.variants:
        yield from ("", "Variants")
        yield from _variants(model.variants)


def _rules(model: Model) -> list[Axiom | UndefRule]:
    return [*model.axioms, *model.undefs]


def _entry(head: str, doc: Doc) -> Iterator[str]:
    yield f"  {head}"
    if doc.key or doc.text:
        yield f"      {_reference(doc)}"


def _reference(doc: Doc) -> str:
    key = f"[{doc.key}] " if doc.key else ""
    section = f'"{doc.section}": ' if doc.section else ""
    return f"{key}{section}{doc.text}"


def _kind(rule: Axiom | UndefRule) -> str:
    from axmem.model.terms import Axiom

    if not isinstance(rule, Axiom):
        return "undef"
    return f"{'flag ' if rule.flag else ''}{'~' if rule.negated else ''}{rule.kind.value}"


def _record(model: Model, *, whole: bool) -> dict[str, Any]:
    record: dict[str, Any] = {
        "name": model.name,
        "title": model.title,
        "variants": [
            {"name": v.name, "values": list(v.values), "default": v.default, "decides": v.text}
            for v in sorted(model.variants, key=lambda v: v.name)
        ],
    }
    if whole:
        record["rules"] = [{"kind": _kind(r), **_described(r)} for r in _rules(model)]
        record["definitions"] = [_described(d) for d in model.definitions if d.doc.key]
    return record


def _described(item: Axiom | UndefRule | Definition) -> dict[str, Any]:
    doc = item.doc
    return {"name": item.name, "key": doc.key, "section": doc.section, "text": doc.text, "file": item.source.name}


def _texts(name: str) -> Iterator[str]:
    """Yield the text of a model, then those of the files that it includes, each once."""
    from axmem.model.library import load

    model = load(name)
    seen: dict[str, Source] = {}
    item: Axiom | UndefRule | Definition
    for item in [*_rules(model), *model.definitions]:
        seen.setdefault(item.source.name, item.source)
    yield from _own_and_included(name, seen)


def _own_and_included(name: str, sources: dict[str, Source]) -> Iterator[str]:
    from axmem.model.library import source

    own = source(name)
    yield _ended(own.text)
    for included in sources.values():
        if included.name not in (own.name, "prelude.cat"):
            yield f"\n(* ---- included: {included.name} ---- *)\n\n{_ended(included.text)}"


def _ended(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"
