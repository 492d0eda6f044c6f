"""Links to the playground: what the page shows, compressed, in the part of an address that no server sees.

What goes in: a `View`. What comes out: `#1` and the JSON of its fields, deflated, as URL-safe base64, and back.
Invariants: fields at their defaults are left out, so that equal views have equal links; a fragment that is no view, or
whose text is longer than `LONGEST`, is an InputError and is never decompressed beyond that.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from typing import Any

from axmem.front.records import dataclass
from axmem.front.source import InputError, mistake

VERSION = "1"
LONGEST = 1_000_000
"""The most characters that the page takes as a text, and a link as its content."""
OWN = "own.cat"
"""What cat text of the reader's own is called, as a model and in messages."""
TABS = ("outcomes", "explain", "lower", "ir", "compare", "refine", "repair")
"""What the page shows beside the text."""

_FRAGMENT = re.compile(r"#?1([A-Za-z0-9_-]+)")
WRONG = "this is no link of the playground"


@dataclass(frozen=True, slots=True)
class View:
    """What the page shows: a test, models by their labels, cat text of the reader's own, the tab, what it is about.

    `after` is the second program of a refinement, `target` the processor of a lowering, `outcome` the one that is
    looked at, as a condition, under the model `under`.
    """

    text: str = ""
    models: tuple[str, ...] = ()
    cat: str = ""
    tab: str = TABS[0]
    after: str = ""
    target: str = ""
    outcome: str = ""
    under: str = ""

    def record(self) -> dict[str, Any]:
        """Return the fields that are not at their defaults, in their order."""
        return {name: value for name in _FIELDS if (value := getattr(self, name)) != getattr(_NOTHING, name)}


_FIELDS = ("text", "models", "cat", "tab", "after", "target", "outcome", "under")
_NOTHING = View()


def fragment(view: View) -> str:
    """Return the part of an address that stands for a view, with its `#`."""
    text = json.dumps(view.record(), ensure_ascii=False, separators=(",", ":"))
    packed = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    content = packed.compress(text.encode("utf-8", "surrogatepass")) + packed.flush()
    return f"#{VERSION}{base64.urlsafe_b64encode(content).decode().rstrip('=')}"


def view_of(text: str) -> View:
    """Return the view that a fragment stands for; raise InputError for any other text."""
    match = _FRAGMENT.fullmatch(text.strip())
    if match is None:
        raise _wrong("it is #1 and letters, digits, - and _")
    try:
        content = base64.urlsafe_b64decode(match[1] + "=" * (-len(match[1]) % 4))
        unpacked = zlib.decompressobj(-zlib.MAX_WBITS)
        found = unpacked.decompress(content, 4 * LONGEST)
        if unpacked.unconsumed_tail or not unpacked.eof:
            raise _wrong(f"it is cut off, or has more than {LONGEST:,} characters")
        fields = json.loads(found.decode("utf-8"))
    except (binascii.Error, zlib.error, ValueError, RecursionError) as error:
        raise _wrong(f"it cannot be unpacked: {error}") from None
    return _checked(fields)


def _checked(fields: object) -> View:
    """Return a view with these fields; raise InputError for what no view has."""
    if not isinstance(fields, dict):
        raise _wrong("it has no fields")
    for name, value in fields.items():
        if name not in _FIELDS:
            raise _wrong(f"no view has a field {name[:40]!r}")
        texts = value if name == "models" else [value]
        if not isinstance(texts, list) or not all(isinstance(text, str) and len(text) <= LONGEST for text in texts):
            raise _wrong(f"its field '{name}' is no text, or too long")
    if fields.get("tab", TABS[0]) not in TABS:
        raise _wrong(f"no tab is called {fields['tab'][:40]!r}")
    return View(**{**fields, "models": tuple(fields.get("models", ()))})


def _wrong(why: str) -> InputError:
    return mistake("link", WRONG, why)
