"""`--show`: which relations the pictures of a command have."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from axmem.front.source import Diagnostic, InputError, Source, Span, did_you_mean

if TYPE_CHECKING:
    from axmem.explanations.explanation import Explanation


def shown(options: argparse.Namespace) -> tuple[str, ...] | None:
    """Return the relations that `--show` names, None if it was not given."""
    return None if options.show is None else listed(options.show)


def listed(text: str) -> tuple[str, ...]:
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
