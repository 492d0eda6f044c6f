"""What the page asks, answered: one JSON text in, one out.

What goes in: a record with `ask`, one of `ASKED`, and what that needs. What comes out: a record. It has `diagnostics`
where the text, a model or an outcome is wrong, each with its place; `unknown` where a limit was met; `needs` with the
name of a library that the page has not loaded yet; `fault` for a fault of axmem. Invariant: nothing is raised.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping
from importlib import import_module  # noqa: TID251 -- of what is asked
from typing import Any, TypeAlias

from axmem.front.clock import OutOfTime
from axmem.front.exits import fault
from axmem.front.source import Diagnostic, InputError, mistake
from axmem.playground.link import LONGEST, OWN

Request: TypeAlias = Mapping[str, Any]
Record: TypeAlias = dict[str, Any]

ASKED = {
    "model": "catalogue.text_of",
    "outcomes": "outcomes.outcomes",
    "picture": "pictures.picture",
    "explain": "views.explain",
    "lower": "code.lower",
    "ir": "code.ir",
    "compare": "views.compare",
    "refine": "views.refine",
    "repair": "views.repair",
    "export": "views.export",
}
"""What can be asked, and the function that answers. Its module is imported when it is first asked: most need Z3."""


LATER = ("z3", "networkx", "tabulate")
"""Libraries that the page loads when they are first needed."""


def answered(text: str) -> str:
    """Return the answer to a request, both as JSON."""
    return json.dumps(answer(json.loads(text)), ensure_ascii=False)


def answer(request: Request) -> Record:
    """Return the answer to a request."""
    try:
        return _answer(request)
    except InputError as error:
        return {"diagnostics": [diagnostic(each) for each in error.diagnostics]}
    except OutOfTime:
        return {"unknown": "the time limit was reached"}
    except MemoryError:
        return {"unknown": "the memory limit was reached"}
    except RecursionError:
        return {"unknown": "the text is nested too deeply for a browser"}
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        return {"needs": name} if name in LATER else {"fault": fault(error)}
    except Exception as error:
        return {"fault": fault(error)}


def _answer(request: Request) -> Record:
    name = str(request.get("ask"))
    if name not in ASKED:
        raise mistake("page", f"nothing is asked by '{name}'")
    module, function = ASKED[name].split(".")
    asked: Callable[[Request], Record] = getattr(import_module(f"axmem.playground.{module}"), function)
    for name in ("text", "after", "cat"):
        if len(request.get(name) or "") > LONGEST:
            raise mistake(name, f"this text has more than {LONGEST:,} characters", "use axmem on your machine for it")
    if not request.get("cat"):
        return asked(request)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, OWN)
        with open(path, "w", encoding="utf-8") as file:
            file.write(request["cat"])

        def named(label: str) -> str:
            return path + label.removeprefix(OWN) if label.startswith(OWN) else label

        under = named(request.get("under") or "")
        return asked({**request, "models": [*map(named, request["models"])], "under": under})


def diagnostic(found: Diagnostic) -> Record:
    """Return a diagnostic as plain data; `text` is all of it, as a terminal shows it."""
    span = found.span
    return {
        "source": os.path.basename(found.source.name), "line": span.line, "column": span.column, "length": span.length,
        "message": found.message, "hint": found.hint, "severity": found.severity, "text": str(found),
    }  # fmt: skip
