"""What a site says of a test, as plain data: what is asked of a worker, and what comes back.

What goes in: the text of a test with all that its page depends on (`Asked`). What comes out: the page, and a record for
the overview and for comparing with another run (`TestFound`). The record is an entry of `tests` in `index.json`.
"""

from __future__ import annotations

import json
import os
from typing import Any

from axmem.front.files import content
from axmem.front.records import dataclass, field
from axmem.front.source import mistake

DATA = "index.json"
"""The file of a site that has its records."""
PROBLEMS = ("mismatch", "unknown", "error")
"""What is wrong with a test, the worst last."""
EXPLAIN = ("none", "condition", "all")
"""What is explained: nothing; the condition under models that differ from the first; all models and each undef."""


@dataclass(frozen=True, slots=True)
class PageContents:
    """What is shown of every test. `models` and `targets` are as on the command line, `explain` is one of `EXPLAIN`.

    `addresses` are those of specifications, with their keys. `seconds` are a limit for each question.
    """

    models: tuple[str, ...]
    targets: tuple[str, ...] = ()
    profile: str = ""
    explain: str = "condition"
    addresses: tuple[tuple[str, str], ...] = ()
    seconds: float | None = None
    bound: int | None = None
    form: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A test to be shown. `key` is `FAMILY/NAME`."""

    name: str
    text: str
    key: str
    address: str
    contents: PageContents


@dataclass(frozen=True, slots=True)
class TestFound:
    """A page, what the overview says of it, and messages for who runs the command."""

    __test__ = False
    page: str
    record: dict[str, Any]
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """The records of a site: its models and targets by their labels, and its tests by their keys."""

    models: tuple[str, ...]
    targets: tuple[str, ...]
    tests: dict[str, dict[str, Any]] = field(default_factory=dict)
    pages: tuple[str, ...] = ()


def read_run(path: str, *, option: str) -> Run:
    """Return the records of a site, by its directory or its `index.json`. Raises InputError if these are none."""
    file = os.path.join(path, DATA) if os.path.isdir(path) else path
    hint = "name a directory that axmem doc report wrote"
    try:
        found = json.loads(content(file))
        if found["version"] != 1 or not isinstance(found["report"]["tests"], list):
            raise ValueError
        report = found["report"]
        tests = {test["key"]: test for test in report["tests"]}
        for test in tests.values():
            {each["model"]: (each["verdict"], each["outcomes"]) for each in test["models"]}
            {each["target"]: each["verdict"] for each in test["targets"]}
        return Run(tuple(report["models"]), tuple(report["targets"]), tests, tuple(map(str, report["pages"])))
    except OSError as error:
        raise mistake(option, f"cannot read {file}: {error.strerror or error}", hint, text=path) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise mistake(option, f"{file} has no records of a report", hint, text=path) from None
