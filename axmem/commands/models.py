"""`axmem models`: the built-in models, their variants, definitions and texts."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from axmem.front.exits import OK
from axmem.front.options import Subparsers, add_command, add_shared
from axmem.front.output import document
from axmem.front.source import mistake

if TYPE_CHECKING:
    from axmem.litmus.syntax import ModelChoice
    from axmem.model.model import Model
    from axmem.model.terms import Axiom, Definition, Doc, UndefRule, Variant


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="models",
        examples=(
            "axmem models",
            "axmem models amdgpu --variants",
            "axmem models 'amdgpu[vis.instance=literal]' --diff",
        ),
        description="List the built-in models with their titles; or print the text of one, in which each definition "
        "has the\nsentence that it stands for, and those of other readings stand in their places.",
        epilog="",
    )
    parser.add_argument(
        "name", metavar="NAME", nargs="?", help="a built-in model or a .cat file, or NAME[variant=value,…]"
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--variants", action="store_true", help="print the variants; * marks the default")
    how.add_argument("--rules", action="store_true", help="print the rules, and the definitions that cite a sentence")
    how.add_argument("--text", action="store_true", help="print the model's text (the default with a NAME)")
    how.add_argument(
        "--sections",
        action="store_true",
        help="print each section of the specifications with the definitions that implement it",
    )
    how.add_argument("--diff", action="store_true", help="print what the chosen readings change in the plain text")
    add_shared(parser, "format", help="the form of the output")
    add_shared(parser, "dialect", "include")


def main(options: argparse.Namespace) -> int:
    """Run the command; an unknown name raises InputError."""
    from axmem.check.selection import parse_choice
    from axmem.model.library import load, names

    for option in ("text", "diff", "rules", "sections"):
        if getattr(options, option) and options.name is None:
            raise mistake(f"--{option}", f"which model's {option}?", f"axmem models NAME --{option}", text="")
        if getattr(options, option) and options.format != "text":
            raise mistake(f"--{option}", "this has no other form", "leave out --format", text=options.format)
    chosen = [parse_choice(name, "NAME") for name in (names() if options.name is None else (options.name,))]
    if options.name is not None and options.format == "text" and not (options.variants or options.rules):
        printed = _diff if options.diff else _sections if options.sections else _text
        print(printed(chosen[0]), end="")
        return OK
    models = [load(choice.model, dict(choice.variants)) for choice in chosen]
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


def _text(choice: ModelChoice) -> str:
    """Return the text of a model under a choice of variants, as one file."""
    from axmem.model.library import load, written

    # What is wrong with the text or the choice is said as every command says it.
    load(choice.model, dict(choice.variants))
    text = written(choice.model, dict(choice.variants))
    return text if text.endswith("\n") else text + "\n"


def _sections(choice: ModelChoice) -> str:
    """Return the sections of the specifications beside the definitions, as Markdown."""
    from axmem.front.source import Source
    from axmem.model.library import source
    from axmem.report.sections import keys_of, page

    whole = Source(f"{choice.label} (as one file)", _text(choice))
    return page(choice.label, whole, keys_of(source(choice.model)))


def _diff(choice: ModelChoice) -> str:
    """Return what a choice of variants, or the model's own, changes in the plain text, as a unified diff."""
    import difflib

    from axmem.model.library import written

    text, plain = _text(choice), written(choice.model, plain=True)
    old, new = (part.splitlines(keepends=True) for part in (plain, text))
    found = "".join(difflib.unified_diff(old, new, f"{choice.model} (plain)", choice.label))
    if not found:
        hint = f"choose a variant, `{choice.model}[name=value]`: axmem models {choice.model} --variants lists them"
        raise mistake("--diff", "this is the plain text itself", hint, text=choice.label)
    return found
