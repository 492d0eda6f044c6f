"""Reports in SARIF 2.1.0, the form in which static analysis tools tell others what they found.

What goes in: problems, or the reports of a run. What comes out: one JSON document with one run, whose results are the
problems with files; what is about no file is a notification of the invocation. Invariant: the document satisfies
`docs/schema/sarif.schema.json`, a part of the standard's own schema.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from axmem.check.judging import Report
from axmem.front.exits import INPUT_ERROR, INTERNAL_ERROR
from axmem.front.version import __version__
from axmem.report.problems import Problem, ProblemKind, problem, problems
from axmem.report.summary import Summary

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_RULES = tuple(ProblemKind)


class Output:
    """SARIF; nothing appears before the end, since how the run ended stands before the results."""

    def __init__(self, **_: object) -> None:
        self.problems: list[Problem] = []

    def begin(self) -> str:
        """Return nothing yet."""
        return ""

    def report(self, report: Report) -> str:
        """Keep the problems of a report."""
        self.problems += problems(report)
        return ""

    def end(self, summary: Summary) -> str:
        """Return the whole document."""
        left = [f"{summary.not_run} tests were not run"] if summary.not_run else []
        return sarif([*self.problems, *map(problem, summary.diagnostics)], summary.code, left)


def sarif(found: Iterable[Problem], code: int, interrupted: Iterable[str] = ()) -> str:
    """Return problems as a document; `code` is the exit code, and `interrupted` says what was left undone."""
    everything = tuple(found)
    left = [{"level": "error", "message": _message(text)} for text in interrupted]
    invocation = {
        "executionSuccessful": code not in (INPUT_ERROR, INTERNAL_ERROR) and not left,
        "exitCode": code,
        "toolConfigurationNotifications": [_notification(p) for p in everything if not p.in_file],
        "toolExecutionNotifications": left,
    }
    rules = [{"id": kind.word, "shortDescription": _message(kind.meaning)} for kind in _RULES]
    run = {
        "tool": {"driver": {"name": "axmem", "semanticVersion": __version__, "rules": rules}},
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",
        "results": [_result(p) for p in everything if p.in_file],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _result(found: Problem) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": _uri(found.name)}, **dict(_region(found))}
    return {
        "ruleId": found.kind.word,
        "ruleIndex": _RULES.index(found.kind),
        "level": found.kind.level,
        "message": _message(found.message),
        "locations": [{"physicalLocation": place}],
    }


def _region(found: Problem) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield the place in the file, if it is known: a line, or also the columns from the first to after the last."""
    line, column, length = found.span
    if line and column:
        yield "region", {"startLine": line, "startColumn": column, "endColumn": column + length}
    elif line:
        yield "region", {"startLine": line}


def _notification(found: Problem) -> dict[str, Any]:
    named = ": ".join(filter(None, (found.name, found.message)))
    return {"level": found.kind.level, "message": _message(named)}


def _message(text: str) -> dict[str, str]:
    """Return a message; a single brace would begin a placeholder (section 3.11.5 of the standard)."""
    return {"text": text.replace("{", "{{").replace("}", "}}")}


def _uri(name: str) -> str:
    """Return a path as a URI, relative as it is."""
    return Path(name).as_uri() if os.path.isabs(name) else quote(PurePath(name).as_posix())
