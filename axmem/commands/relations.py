"""`--show` and `--specification`: which relations pictures have, and where the pages of specifications are."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

from axmem.front.source import Diagnostic, InputError, Source, Span, did_you_mean, mistake

if TYPE_CHECKING:
    from axmem.explanations.explanation import Explanation


def add_specification(parser: argparse.ArgumentParser) -> None:
    """Add `--specification`, which `specification_addresses` reads."""
    parser.add_argument(
        "--specification",
        action="append",
        default=[],
        metavar="KEY=URL",
        help="the address of a specification for links to its sections, such as AMDGPU-MM=AMDGPUMemoryModel.html",
    )


def shown(options: argparse.Namespace) -> tuple[str, ...] | None:
    """Return the relations that `--show` names, None if it was not given."""
    return None if options.show is None else comma_separated(options.show)


def comma_separated(text: str) -> tuple[str, ...]:
    """Return the names in a list with commas."""
    return tuple(name for part in text.split(",") if (name := part.strip()))


def check_shown(show: tuple[str, ...], explanation: Explanation) -> None:
    """Raise InputError for a relation that neither the model nor the vocabulary has, nor any model of the package."""
    from axmem.model.library import load, names
    from axmem.report.executions import labels, relation_names

    if explanation.exhibit is None:
        return
    known = relation_names(explanation.exhibit.view)
    for name in show:
        if name not in known and not any(name in labels(load(model)) for model in names()):
            text = ",".join(show)
            place = Span(1, text.index(name) + 1, len(name))
            message = f"{explanation.model} has no relation '{name}'"
            hint = did_you_mean(name, known) or "axmem models NAME lists what a model defines"
            raise InputError([Diagnostic(Source("--show", text), place, message, hint)])


def specification_addresses(given: list[str]) -> dict[str, str]:
    """Return the addresses of specifications, the given ones before those that are known."""
    from axmem.report.specification_pages import ADDRESSES

    found = dict(ADDRESSES)
    for text in given:
        key, equals, address = text.partition("=")
        if not equals or not re.fullmatch(r"[\w.+-]+", key) or not address or re.search(r"[\s\"'<>`]", address):
            hint = "as in AMDGPU-MM=AMDGPUMemoryModel.html"
            raise mistake("--specification", "an address is KEY=URL", hint, text=text)
        if re.match(r"[a-zA-Z][\w+.-]*:", address) and not re.match(r"https?:", address):
            raise mistake("--specification", "an address is a path, or begins with http: or https:", text=text)
        found[key] = address
    return found
